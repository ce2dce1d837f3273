package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/identity/oidc"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/originguard"
	"github.com/fermata-go/fermata/server"
)

// How requests say who makes them.
const (
	authNone   = "none"   // nobody is known
	authTokens = "tokens" // by a token of the store
	authOIDC   = "oidc"   // by a login at an issuer of OpenID Connect
	authProxy  = "proxy"  // by a login at a proxy, in its headers
)

// The variables that hold the secret of this server at its issuer, or name a file with it. No flag takes the secret: arguments are in
// the list of processes. Programs of recipes inherit neither.
const (
	oidcSecretVariable     = "FERMATA_OIDC_SECRET"      //nolint:gosec // its name, and no secret
	oidcSecretFileVariable = "FERMATA_OIDC_SECRET_FILE" //nolint:gosec // likewise
)

// loginFlags are the flags of fermata serve about logging in.
type loginFlags struct {
	auth    string
	url     string
	session time.Duration
	grants  []string

	issuer, client, secretFile, audience string
	scopes                               []string
	claims                               oidc.Claims

	proxyFrom []string
	proxy     identity.Proxy // the names of its headers; the rest is filled in by check

	secret string // of the client, once it is read
}

func (f *loginFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.auth, "auth", authNone, "how requests say who makes them: `none`, or tokens (see fermata tokens), oidc, proxy; oidc,tokens takes both")
	flags.StringVar(&f.url, "url", "", "the `address` by which browsers reach the server, as https://desk.example.com (oidc; default http://LISTEN)")
	flags.DurationVar(&f.session, "session", 12*time.Hour, "the `time` that a login in a browser lasts (oidc)")
	flags.StringArrayVar(&f.grants, "grant", nil, "what a `group` may do (oidc, proxy), as finance=operator,task:manager,plan:refund*; *=viewer is for everybody; the first "+
		"that has a role and fits counts; repeat the flag for others")
	flags.StringVar(&f.issuer, "oidc-issuer", "", "the `address` of the issuer at which people log in")
	flags.StringVar(&f.client, "oidc-client", "", "the `id` of this server at the issuer")
	flags.StringVar(&f.secretFile, "oidc-secret-file", "", "a `file` with the secret of this server at the issuer (default $"+oidcSecretFileVariable+"; $"+
		oidcSecretVariable+" holds the secret itself); none for a public client")
	flags.StringVar(&f.audience, "oidc-audience", "", "the `name` that JWTs of programs have in aud (default the id of --oidc-client)")
	flags.StringSliceVar(&f.scopes, "oidc-scope", []string{"profile", "email"}, "the `scopes` that the issuer is asked for besides openid")
	flags.StringVar(&f.claims.Person, "oidc-person", "email", "the `claim` with the id of a person; email counts where the issuer has verified it")
	flags.StringVar(&f.claims.Name, "oidc-name", "name", "the `claim` with what a person is called")
	flags.StringVar(&f.claims.Groups, "oidc-groups", "groups", "the `claim` with the groups of a person, as realm_access.roles")
	flags.StringSliceVar(&f.proxyFrom, "proxy-from", nil, "the `addresses` of the proxy, as 10.1.0.0/16; requests from elsewhere with its headers are refused")
	flags.StringVar(&f.proxy.Person, "proxy-person", "X-Forwarded-User", "the `header` with the id of a person")
	flags.StringVar(&f.proxy.Name, "proxy-name", "", "the `header` with what a person is called (default none)")
	flags.StringVar(&f.proxy.Groups, "proxy-groups", "X-Forwarded-Groups", "the `header` with the groups of a person, with commas between them")
}

// ways are those of --auth.
func (f *loginFlags) ways() []string { return strings.Split(f.auth, ",") }

func (f *loginFlags) has(way string) bool { return slices.Contains(f.ways(), way) }

// at is the address by which browsers reach the server.
func (f *loginFlags) at(listens string) string {
	if f.url != "" {
		return f.url
	}
	return listens
}

// checkAuth refuses ways to log in that there are not, those that lack something, and a store that keeps no logins.
func (f *serveFlags) checkAuth(d dsn) error {
	l := &f.login
	known := []string{authNone, authTokens, authOIDC, authProxy}
	for i, way := range l.ways() {
		switch {
		case !slices.Contains(known, way):
			return usagef("--auth %q: expected %s%s", way, strings.Join(known, ", "), nearest.Hint(way, known))
		case way == authNone && len(l.ways()) > 1, slices.Contains(l.ways()[:i], way):
			return usagef("--auth %s: expected none, or some of the others, each once", l.auth)
		}
	}
	switch {
	case l.has(authOIDC) && l.has(authProxy):
		return usagef("--auth %s: expected one of them; a proxy at which people log in leaves nothing to oidc", l.auth)
	case l.has(authTokens) && d.memory():
		return usagef("--auth tokens: a store in memory has no tokens; name one that lasts with --store")
	case l.has(authOIDC) && d.memory():
		return usagef("--auth oidc: a store in memory has no sessions; name one that lasts with --store")
	}
	return f.checkLogin()
}

// checkLogin refuses flags of oidc and proxy that are missing, superfluous or wrong.
func (f *serveFlags) checkLogin() error {
	l := &f.login
	for _, c := range []struct {
		needed   bool
		given    bool
		flag, as string
	}{
		{l.has(authOIDC), l.issuer != "", "--oidc-issuer", "https://login.example.com/realms/desk"},
		{l.has(authOIDC), l.client != "", "--oidc-client", "fermata"},
		{l.has(authProxy), len(l.proxyFrom) > 0, "--proxy-from", "127.0.0.1"},
		{l.has(authOIDC) || l.has(authProxy), len(l.grants) > 0, "--grant", "'*=viewer'; without one nobody may do anything"},
	} {
		switch {
		case c.needed && !c.given:
			return usagef("--auth %s: expected %s, such as %s %s", l.auth, c.flag, c.flag, c.as)
		case c.given && !c.needed:
			return usagef("%s is not for --auth %s", c.flag, l.auth)
		}
	}
	for _, text := range l.grants {
		g, err := identity.ParseGrant(text)
		if err != nil {
			return usagef("--%w", err)
		}
		l.proxy.Grants = append(l.proxy.Grants, g)
	}
	for _, text := range l.proxyFrom {
		network, err := netip.ParsePrefix(text)
		if at, no := netip.ParseAddr(text); err != nil && no == nil {
			network, err = at.Prefix(at.BitLen())
		}
		if err != nil {
			return usagef("--proxy-from %q: expected an address or a network, such as 10.1.0.7 or 10.1.0.0/16", text)
		}
		l.proxy.From = append(l.proxy.From, network.Masked())
	}
	if l.has(authProxy) && l.proxy.Person == "" {
		return usagef("--proxy-person: expected the name of a header, such as X-Forwarded-User")
	}
	if l.has(authOIDC) && l.url == "" && !f.loopback() {
		return usagef("--auth oidc: expected --url, the address by which browsers reach the server, such as --url https://desk.example.com")
	}
	return nil
}

// oidcSecret is the secret of this server at its issuer, "" where none was given.
func (m *Main) oidcSecret(f *loginFlags) (string, error) {
	if !f.has(authOIDC) {
		return "", nil
	}
	file, from := f.secretFile, "--oidc-secret-file"
	if file == "" {
		file, from = m.Getenv(oidcSecretFileVariable), oidcSecretFileVariable
	}
	if file == "" {
		return m.Getenv(oidcSecretVariable), nil
	}
	data, err := m.readFile(file)
	if err != nil {
		return "", usagef("%s: %w", from, err)
	}
	secret := strings.TrimSpace(string(data))
	if secret == "" {
		return "", usagef("%s: the file %s is empty", from, file)
	}
	return secret, nil
}

// door is how people log in.
type door struct {
	who   func(r *http.Request) (server.Person, error) // nil where nobody has to log in
	login *oidc.Login                                  // nil where they do not log in at an issuer
	guard *originguard.Guard                           // whose names of the server count; nil for any
}

// newLogin makes the login at the issuer. Nothing is stored by it yet, and nobody is asked.
func (m *Main) newLogin(f *serveFlags, listens string, sessions *identity.Sessions, now func() time.Time) (*oidc.Login, error) {
	l := &f.login
	login, err := oidc.New(oidc.Options{
		Issuer: l.issuer, ClientID: l.client, Secret: l.secret, Audience: l.audience, URL: l.at(listens), Scopes: l.scopes,
		Claims: l.claims, Grants: l.proxy.Grants, Sessions: sessions, Lasts: l.session, Now: now, Logger: m.serveLog(),
	})
	if err != nil {
		return nil, usagef("--auth oidc: %w", err)
	}
	return login, nil
}

// openDoor makes the ways to log in. An issuer that is away is asked again later; one that is another is an error.
func (m *Main) openDoor(ctx context.Context, h *house, f *serveFlags, listens string) (*door, error) {
	d := new(door)
	if f.login.has(authNone) {
		return d, nil
	}
	var ways []identity.Way
	if f.login.has(authProxy) {
		ways = append(ways, f.login.proxy.Way())
		guard, err := originguard.New(originguard.Rules{
			Named: true, Hosts: f.hosts, Options: "server.Options",
			Refuse: func(w http.ResponseWriter, text string) {
				notTaken(w, http.StatusForbidden, fermata.CodeForbidden, text)
			},
		})
		if err != nil {
			return nil, err
		}
		d.guard = guard
	}
	if f.login.has(authTokens) {
		ways = append(ways, h.tokens().Way())
	}
	if f.login.has(authOIDC) {
		var err error
		if d.login, err = m.newLogin(f, listens, h.sessions(), h.Now); err != nil {
			return nil, err
		}
		if err := m.askIssuer(ctx, d.login); err != nil {
			return nil, err
		}
		ways = append(ways, d.login.Way())
	}
	find := identity.Any(ways...)
	if f.login.auth == authTokens {
		find = h.tokens().Request
	}
	d.who = func(r *http.Request) (server.Person, error) {
		person, err := find(r)
		switch {
		case err == nil:
			return server.PersonOf(person), nil
		case errors.Is(err, identity.ErrNoLogin):
			return server.Person{}, err
		}
		return server.Person{}, &fermata.Error{Code: fermata.CodeStore, Err: err}
	}
	return d, nil
}

// askIssuer asks the issuer what it says of itself. That it does not answer is said, and no error.
func (m *Main) askIssuer(ctx context.Context, login *oidc.Login) error {
	err := login.Discover(ctx)
	if errors.Is(err, oidc.ErrIssuer) {
		return usagef("--oidc-issuer: %w", err)
	}
	if err != nil {
		m.err.Println(m.err.Styles().Wait.Apply("warning: ") + fmt.Sprintf("%v; nobody can log in until it answers, and /readyz is 503", err))
	}
	return nil
}

// checkIssuer asks the issuer for fermata serve --check.
func (m *Main) checkIssuer(ctx context.Context, f *serveFlags) error {
	if !f.login.has(authOIDC) {
		return nil
	}
	login, err := m.newLogin(f, "http://"+f.listen, identity.NewSessions(nil, time.Now), time.Now)
	if err != nil {
		return err
	}
	if err := login.Discover(ctx); err != nil {
		return &exit{exitFailed, fmt.Errorf("--oidc-issuer: %w", err)}
	}
	return nil
}

// ready says why nobody can log in.
func (d *door) ready() error {
	if d.login == nil {
		return nil
	}
	return d.login.Ready()
}

// handler adds the routes by which people log in.
func (d *door) handler(next http.Handler) http.Handler {
	if d.login != nil {
		next = d.login.Handler(next)
	}
	if d.guard != nil {
		next = d.guard.Handler(next)
	}
	return next
}

// askEvery is how often an issuer that is away is asked again, in the end.
const askEvery = 5 * time.Second

// keepAsking asks an issuer that is away until it answers, or the context ends.
func (d *door) keepAsking(ctx context.Context) {
	for wait := askEvery / 16; d.ready() != nil; wait = min(2*wait, askEvery) {
		select {
		case <-time.After(wait):
			_ = d.login.Discover(ctx) // Ready has the error
		case <-ctx.Done():
			return
		}
	}
}
