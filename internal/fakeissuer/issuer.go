package fakeissuer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// The one client that the issuer knows.
const (
	Client = "fermata"
	Secret = "a secret of the client & more: 100%" // its characters have to be escaped in headers
)

// Claims are what a token says.
type Claims map[string]any

// Issuer is an issuer at work. Its fields may be set before it is asked; later through Set.
type Issuer struct {
	URL string

	server *httptest.Server
	mu     sync.Mutex
	state
}

// state is what a test may change; see Issuer.Set.
type state struct {
	Person   Claims           // who logs in: claims of their tokens
	Now      func() time.Time // the issuer's clock
	Away     bool             // every request is answered with 503
	Claims   func(Claims)     // changes an ID token before it is signed
	Sign     func(Claims) string
	Says     map[string]any // members of the discovery document, in place of its own; nil removes one
	Informs  func() Claims  // what the UserInfo endpoint says; nil for an issuer without one
	Refuses  string         // the error that the authorization endpoint answers with
	Redirect string         // the redirect address of the client; "" for any
	Public   bool           // the client has no secret

	keys  []*Key // the newest first
	codes map[string]begun
	given map[string]bool // access tokens
	asked map[string]int  // requests by their path
}

// begun is a login that waits for its code to be exchanged.
type begun struct{ redirect, challenge, nonce string }

// State is what Set changes.
type State = state

// New starts an issuer that signs by RS256. Close it.
func New() *Issuer {
	i := &Issuer{state: state{
		Person: Claims{"sub": "u-1", "email": "ada@example.com", "email_verified": true, "name": "Ada", "groups": []string{"finance"}, "sid": "s-1"},
		Now:    time.Now, codes: make(map[string]begun), given: make(map[string]bool), asked: make(map[string]int),
		keys: []*Key{NewKey("k1", RS256)},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", i.jwks)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /userinfo", i.userInfo)
	mux.HandleFunc("GET /logout", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("post_logout_redirect_uri"), http.StatusFound) //nolint:gosec // an issuer leads to its clients
	})
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		i.asked[r.URL.Path]++
		away := i.Away
		i.mu.Unlock()
		if away {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	i.URL = i.server.URL
	return i
}

// Close ends the issuer.
func (i *Issuer) Close() { i.server.Close() }

// Set changes the issuer.
func (i *Issuer) Set(change func(*State)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(&i.state)
}

// Asked is how often a path was asked for: "/keys".
func (i *Issuer) Asked(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path]
}

// Rotate signs with a new key from now on, and keeps the newest of the old ones.
func (i *Issuer) Rotate(key *Key, keep int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = append([]*Key{key}, i.keys[:min(keep, len(i.keys))]...)
}

// Time is that of the issuer.
func (i *Issuer) Time() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.Now()
}

// Key is the one with which tokens are signed.
func (i *Issuer) Key() *Key {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[0]
}

// Token signs a token of the person for an audience, with further claims; nil removes one.
func (i *Issuer) Token(more Claims) string { return i.Key().Sign(i.ClaimsOf(more)) }

// ClaimsOf are the claims of such a token.
func (i *Issuer) ClaimsOf(more Claims) Claims {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.Now()
	c := Claims{"iss": i.URL, "aud": Client, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix()}
	maps.Copy(c, i.Person)
	maps.Copy(c, more)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	says := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"end_session_endpoint": i.URL + "/logout", "id_token_signing_alg_values_supported": []string{RS256, ES256, "HS256", "none"},
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "code_challenge_methods_supported": []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	}
	if i.Informs != nil {
		says["userinfo_endpoint"] = i.URL + "/userinfo"
	}
	maps.Copy(says, i.Says)
	maps.DeleteFunc(says, func(_ string, v any) bool { return v == nil })
	answer(w, http.StatusOK, says)
}

func (i *Issuer) jwks(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	keys := make([]any, len(i.keys))
	for n, k := range i.keys {
		keys[n] = k.public()
	}
	answer(w, http.StatusOK, map[string]any{"keys": keys})
}

// authorize logs the person in, and sends the browser back with a code.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	query := r.URL.Query()
	back, err := url.Parse(query.Get("redirect_uri"))
	switch {
	case err != nil || query.Get("client_id") != Client || i.Redirect != "" && query.Get("redirect_uri") != i.Redirect:
		http.Error(w, "unknown client or redirect address", http.StatusBadRequest)
		return
	case query.Get("response_type") != "code", query.Get("code_challenge_method") != "S256", len(query.Get("code_challenge")) != 43,
		query.Get("state") == "", query.Get("nonce") == "", !slices.Contains(strings.Fields(query.Get("scope")), "openid"):
		http.Error(w, "expected a code flow with PKCE, a state and a nonce", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {query.Get("state")}, "iss": {i.URL}}
	if i.Refuses != "" {
		answer.Set("error", i.Refuses)
	} else {
		code := rand.Text()
		i.codes[code] = begun{redirect: query.Get("redirect_uri"), challenge: query.Get("code_challenge"), nonce: query.Get("nonce")}
		answer.Set("code", code)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound) //nolint:gosec // likewise
}

// token exchanges a code, once.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(text string) { answer(w, http.StatusBadRequest, map[string]string{"error": text}) }
	if err := r.ParseForm(); err != nil || r.PostForm.Get("grant_type") != "authorization_code" {
		refuse("unsupported_grant_type")
		return
	}
	client, secret, basic := r.BasicAuth()
	if basic {
		client, _ = url.QueryUnescape(client)
		secret, _ = url.QueryUnescape(secret)
	} else {
		client, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	i.mu.Lock()
	code, ok := i.codes[r.PostForm.Get("code")]
	delete(i.codes, r.PostForm.Get("code"))
	public, change, sign := i.Public, i.Claims, i.Sign
	i.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	switch {
	case client != Client, !public && secret != Secret, public && secret != "":
		refuse("invalid_client")
	case !ok, r.PostForm.Get("redirect_uri") != code.redirect, base64.RawURLEncoding.EncodeToString(sum[:]) != code.challenge:
		refuse("invalid_grant")
	default:
		c := i.ClaimsOf(Claims{"nonce": code.nonce})
		if change != nil {
			change(c)
		}
		if sign == nil {
			sign = i.Key().Sign
		}
		access := rand.Text()
		i.mu.Lock()
		i.given[access] = true
		i.mu.Unlock()
		answer(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": sign(c)})
	}
}

// userInfo says more of the person to a client that has an access token.
func (i *Issuer) userInfo(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	i.mu.Lock()
	known, informs := i.given[token], i.Informs
	i.mu.Unlock()
	if !known || informs == nil {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
		return
	}
	answer(w, http.StatusOK, informs())
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err) // a test has set a value that is no JSON
	}
}
