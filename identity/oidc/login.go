package oidc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/reply"
)

// Login lets people log in at an issuer. Its methods may be called from several goroutines.
type Login struct {
	o      Options
	secure bool // browsers reach the server by https
	issuer issuer
}

// Names of cookies; see Login.cookieName.
const (
	cookieSession = "fermata"
	cookieLogin   = "fermata-login"
)

// mostLogin is how long a login at the issuer may take.
const mostLogin = 15 * time.Minute

// Way finds people by their sessions, and by JWTs of the issuer in the header Authorization.
func (l *Login) Way() identity.Way {
	return identity.Way{
		Expects: `the header "Authorization: Bearer" with a JWT of ` + l.o.Issuer + ", or a session, which begins at " + pathLogin,
		Login:   pathLogin,
		Find:    l.find,
	}
}

func (l *Login) find(r *http.Request) (identity.Person, bool, error) {
	if given := r.Header.Values("Authorization"); len(given) > 0 {
		scheme, jwt, _ := strings.Cut(given[0], " ")
		if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") {
			return identity.Person{}, false, &identity.RefusedError{Detail: `expected one header "Authorization: Bearer" with a JWT; found something else`}
		}
		said, err := l.bearer(r.Context(), strings.TrimSpace(jwt))
		if err != nil {
			return identity.Person{}, false, &identity.RefusedError{Detail: "the token is refused: " + err.Error()}
		}
		return l.known(&said, identity.ByIssuer)
	}
	cookie := l.cookie(r, cookieSession)
	if cookie == "" {
		return identity.Person{}, false, nil
	}
	session, err := l.o.Sessions.Check(r.Context(), cookie)
	if errors.Is(err, identity.ErrNoLogin) || err == nil && session.Realm != l.realm() {
		return identity.Person{}, false, &identity.RefusedError{Detail: "the session is over: log in again"}
	}
	if err != nil {
		return identity.Person{}, false, err
	}
	return l.known(&session, identity.BySession)
}

// known gives the rights that the groups have now.
func (l *Login) known(s *identity.Session, login string) (identity.Person, bool, error) {
	p, err := l.asPerson(s, login)
	if err != nil {
		return identity.Person{}, false, &identity.RefusedError{Detail: s.Person + ": " + err.Error()}
	}
	return p, true, nil
}

// Handler serves the login and the logout, and passes all other requests to next.
//
//	GET  /login?to=/runs  sends the browser to the issuer, and afterwards to one of the server's own paths
//	GET  /login/callback  is where the issuer sends it back to
//	POST /logout          ends the session: {"to": "https://…"}, where the browser goes next
func (l *Login) Handler(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathLogin, l.begin)
	mux.HandleFunc("GET "+pathCallback, l.callback)
	mux.Handle("POST "+pathLogout, http.NewCrossOriginProtection().Handler(http.HandlerFunc(l.end)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			next.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// begin sends a browser to the issuer. What binds the answer to this browser is made from one random secret in a cookie: the state and
// the nonce, which the issuer sees, do not reveal it, nor the verifier of PKCE.
func (l *Login) begin(w http.ResponseWriter, r *http.Request) {
	known, err := l.issuer.get(r.Context())
	if err != nil {
		l.o.Logger.WarnContext(r.Context(), "nobody can log in", "error", err)
		l.page(w, http.StatusServiceUnavailable, "The issuer, at which people log in here, does not answer. Try again in a moment.")
		return
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // which never fails
	secret := base64.RawURLEncoding.EncodeToString(random[:])
	to := ownPath(r.URL.Query().Get("to"))
	l.setCookie(w, cookieLogin, secret+"."+base64.RawURLEncoding.EncodeToString([]byte(to)), mostLogin)
	http.Redirect(w, r, known.oauth.AuthCodeURL(derived("state", secret), oidc.Nonce(derived("nonce", secret)), oauth2.S256ChallengeOption(derived("verifier", secret))), http.StatusFound)
}

// derived is a text that is made from a secret and does not reveal it.
func derived(what, secret string) string {
	sum := sha256.Sum256([]byte("fermata login " + what + "\x00" + secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// maxPath bounds the path that a login leads back to.
const maxPath = 1000

// ownPath is a path of this server, and "/" for what is none: a login must not lead to a stranger's page.
func ownPath(to string) string {
	u, err := url.Parse(to)
	switch {
	case err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || len(to) > maxPath:
	case !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//"):
	case strings.ContainsAny(to, "\\\t\n\r") || strings.HasPrefix(u.Path, "//") || strings.Contains(u.Path, "\\"):
	case u.Path == pathLogin || strings.HasPrefix(u.Path, pathLogin+"/") || u.Path == pathLogout:
	default:
		return u.String()
	}
	return "/"
}

// callback takes the answer of the issuer, and begins a session under a new id.
func (l *Login) callback(w http.ResponseWriter, r *http.Request) {
	secret, path, _ := strings.Cut(l.cookie(r, cookieLogin), ".")
	l.setCookie(w, cookieLogin, "", -1)
	query := r.URL.Query()
	to, err := base64.RawURLEncoding.DecodeString(path)
	if err != nil || secret == "" || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(derived("state", secret))) != 1 {
		l.page(w, http.StatusBadRequest, "This login was not begun in this browser, or too long ago.")
		return
	}
	session, problem := l.finish(r, query, secret)
	if problem != nil {
		l.o.Logger.WarnContext(r.Context(), "a login failed", "error", problem.why)
		l.page(w, problem.status, problem.text)
		return
	}
	var begun identity.Secret
	if begun, _, err = l.o.Sessions.Begin(r.Context(), session, l.o.Lasts); err == nil {
		err = l.endSession(r.Context(), r, "logged in again") // one that the browser had before, whoever gave it
	}
	if err != nil {
		l.o.Logger.ErrorContext(r.Context(), "a session could not be stored", "error", err)
		l.page(w, http.StatusInternalServerError, "The login could not be stored.")
		return
	}
	l.setCookie(w, cookieSession, begun.Reveal(), l.o.Lasts)
	http.Redirect(w, r, ownPath(string(to)), http.StatusSeeOther) //nolint:gosec // ownPath leads nowhere else, see FuzzW7_OwnPath
}

// failure is why a login came to nothing.
type failure struct {
	status int
	text   string // is shown
	why    error  // is logged
}

// finish exchanges the code of a callback for an ID token, and checks it.
func (l *Login) finish(r *http.Request, query url.Values, secret string) (identity.Session, *failure) {
	known, err := l.issuer.get(r.Context())
	if err != nil {
		return identity.Session{}, &failure{http.StatusServiceUnavailable, "The issuer does not answer. Try again in a moment.", err}
	}
	if iss := query.Get("iss"); iss != l.o.Issuer && (iss != "" || known.saysIt) {
		return identity.Session{}, &failure{http.StatusBadRequest, "The answer is that of another issuer.", fmt.Errorf("iss is %q", iss)}
	}
	if query.Get("error") != "" || query.Get("code") == "" {
		return identity.Session{}, &failure{http.StatusForbidden, "The issuer has refused the login.", fmt.Errorf("the issuer says %q", query.Get("error"))}
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), oauth2.HTTPClient, l.o.HTTP), patience)
	defer cancel()
	token, err := known.oauth.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(derived("verifier", secret)))
	if err != nil {
		if said, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // whose text has the whole answer
			err = fmt.Errorf("the issuer takes no code: status %d, %q", said.Response.StatusCode, said.ErrorCode)
		}
		return identity.Session{}, &failure{http.StatusBadGateway, "The issuer did not confirm the login.", err}
	}
	jwt, _ := token.Extra("id_token").(string)
	c, err := l.idToken(r.Context(), jwt, derived("nonce", secret))
	if err != nil {
		return identity.Session{}, &failure{http.StatusForbidden, "The login is refused: " + err.Error() + ".", err}
	}
	if err := l.complete(ctx, known, token, c); err != nil {
		return identity.Session{}, &failure{http.StatusBadGateway, "The issuer did not confirm the login.", err}
	}
	session, err := l.person(c)
	if err != nil {
		return identity.Session{}, &failure{http.StatusForbidden, "The login is refused: " + err.Error() + ".", err}
	}
	if _, err := l.asPerson(&session, identity.BySession); err != nil {
		return identity.Session{}, &failure{http.StatusForbidden, "You are logged in as " + session.Person + ", and may do nothing here: " + err.Error() + ".", err}
	}
	return session, nil
}

// end ends the session of a browser.
func (l *Login) end(w http.ResponseWriter, r *http.Request) {
	if err := l.endSession(r.Context(), r, "logged out"); err != nil {
		l.o.Logger.ErrorContext(r.Context(), "a session could not be ended", "error", err)
		l.page(w, http.StatusInternalServerError, "The logout could not be stored.")
		return
	}
	l.setCookie(w, cookieSession, "", -1)
	to := "/"
	if known, _, _ := l.issuer.have(); known != nil && known.logout != "" {
		if u, err := url.Parse(known.logout); err == nil {
			query := u.Query()
			query.Set("client_id", l.o.ClientID)
			query.Set("post_logout_redirect_uri", l.o.URL+"/")
			u.RawQuery = query.Encode()
			to = u.String()
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	reply.JSON(w, http.StatusOK, struct {
		To string `json:"to"`
	}{to})
}

// endSession ends the session of a request, if it has one.
func (l *Login) endSession(ctx context.Context, r *http.Request, why string) error {
	session, err := l.o.Sessions.Check(ctx, l.cookie(r, cookieSession))
	if errors.Is(err, identity.ErrNoLogin) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.o.Sessions.End(ctx, session.ID, session.Person, why)
}
