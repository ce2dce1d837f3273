package oidc

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/printable"
)

// Options say at which issuer people log in, and what they may do then. Issuer, ClientID, URL, Grants, Sessions are needed.
type Options struct {
	// Issuer is the address of the issuer, as its tokens have it in iss: below it is /.well-known/openid-configuration.
	Issuer string
	// ClientID is the name of this server at the issuer, and Secret its secret; "" for a public client, which PKCE protects alone.
	ClientID, Secret string
	// Audience is what a JWT in a header must have in aud. Defaults to ClientID.
	Audience string
	// URL is under which browsers reach the server: "https://desk.example.com". The issuer sends them back to /login/callback there.
	URL string
	// Scopes are what the issuer is asked for beside openid. Defaults to profile and email.
	Scopes []string
	// Claims are the names of the claims that say who a person is.
	Claims Claims
	// Grants are what the groups may do.
	Grants identity.Grants
	// Sessions keeps the sessions of browsers, which last for Lasts. Defaults to 12 hours.
	Sessions *identity.Sessions
	Lasts    time.Duration
	// Skew is how far the clocks of the issuer and of this server may be apart. Defaults to 30 seconds.
	Skew time.Duration
	// Now is the time that decides what has expired. Defaults to time.Now; give that of the runtime (law J12).
	Now func() time.Time
	// HTTP asks the issuer. Defaults to a client that waits for 10 seconds.
	HTTP *http.Client
	// Logger gets what failed at the issuer. Defaults to discarding it.
	Logger *slog.Logger
}

// Claims are the names of claims.
type Claims struct {
	// Person is the claim with the id of a person. Defaults to "email", which counts where email_verified is true.
	Person string
	// Name is the claim with what a person is called. Defaults to "name".
	Name string
	// Groups is the claim with the groups of a person, a text or a list of them; "realm_access.roles" is a member of an object.
	// Defaults to "groups".
	Groups string
}

// The addresses below Options.URL.
const (
	pathLogin    = "/login"
	pathCallback = "/login/callback"
	pathLogout   = "/logout"
)

const (
	defaultSession = 12 * time.Hour
	defaultSkew    = 30 * time.Second
	mostSkew       = 5 * time.Minute
	patience       = 10 * time.Second // how long the issuer may take to answer
)

// New makes a login. It asks the issuer for nothing yet: see Login.Discover.
func New(o Options) (*Login, error) {
	if err := checkURL("the issuer", o.Issuer); err != nil {
		return nil, err
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	if err := checkURL("the address of the server", o.URL); err != nil {
		return nil, err
	}
	switch u, _ := url.Parse(o.URL); {
	case u.Path != "":
		return nil, fmt.Errorf("the address of the server %q: expected a scheme and a host without a path, such as https://desk.example.com", o.URL)
	case o.ClientID == "":
		return nil, errors.New("expected the id of a client, as the issuer knows it")
	case len(o.Grants) == 0:
		return nil, errors.New("expected a grant: without one nobody may do anything")
	case o.Sessions == nil:
		return nil, errors.New("expected sessions")
	case o.Lasts < 0 || o.Lasts > identity.MaxSession:
		return nil, fmt.Errorf("a session of %v: expected more than 0 and at most %v", o.Lasts, identity.MaxSession)
	case o.Skew < 0 || o.Skew > mostSkew:
		return nil, fmt.Errorf("clocks that are %v apart: expected at most %v", o.Skew, mostSkew)
	}
	o.Audience = cmp.Or(o.Audience, o.ClientID)
	o.Claims = Claims{Person: cmp.Or(o.Claims.Person, claimEmail), Name: cmp.Or(o.Claims.Name, "name"), Groups: cmp.Or(o.Claims.Groups, "groups")}
	o.Lasts, o.Skew = cmp.Or(o.Lasts, defaultSession), cmp.Or(o.Skew, defaultSkew)
	if o.Scopes == nil {
		o.Scopes = []string{"profile", "email"}
	}
	o.Scopes = slices.Compact(append([]string{"openid"}, o.Scopes...))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{
			Timeout: patience,
			// a redirect would send the secret and the code to an address that nobody named
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = printable.Logger(o.Logger)
	l := &Login{o: o, secure: strings.HasPrefix(o.URL, "https://")}
	l.issuer.login = l
	return l, nil
}

// checkURL refuses addresses that are none, and http beyond this machine.
func checkURL(what, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%s: expected an address such as https://login.example.com without a query, found %q", what, redacted(address))
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return fmt.Errorf("%s %s: expected https; http is for this machine alone", what, address)
	}
	return nil
}

// redacted is an address for a message, without a password in it.
func redacted(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return "something else"
}

func loopback(host string) bool {
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// cookieName is the name of a cookie of this server. Behind https no other host can set one of that name; without, the port keeps the
// cookies of servers on one machine apart.
func (l *Login) cookieName(name string) string {
	if l.secure {
		return "__Host-" + name
	}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(l.o.URL, "http://"))
	return strings.TrimSuffix(name+"-"+port, "-")
}
