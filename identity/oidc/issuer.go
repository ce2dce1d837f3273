package oidc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// ErrIssuer says that the issuer is another than it should be. To ask again does not help.
var ErrIssuer = errors.New("the issuer is not as expected")

// issuer is what the issuer says of itself, asked for when it is needed.
type issuer struct {
	login *Login

	asking sync.Mutex // held while the issuer is asked

	mu    sync.Mutex
	known *discovered
	asked time.Time // when it was asked last, in vain
	err   error     // what came of it
}

// discovered is what is known of an issuer.
type discovered struct {
	provider *oidc.Provider
	oauth    oauth2.Config
	algs     []string
	keys     *keys
	saysIt   bool   // a callback has the issuer in iss
	informs  bool   // it has a UserInfo endpoint
	logout   string // where browsers end the session at the issuer; "" for nowhere
}

// get returns what is known of the issuer. Where it is nothing, the issuer is asked, but not again within restKeys.
func (i *issuer) get(ctx context.Context) (*discovered, error) {
	if known, _, _ := i.have(); known != nil {
		return known, nil
	}
	i.asking.Lock()
	defer i.asking.Unlock()
	known, asked, err := i.have()
	if known != nil || err != nil && age(time.Now(), asked) < restKeys {
		return known, err
	}
	return i.ask(ctx)
}

func (i *issuer) have() (*discovered, time.Time, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.known, i.asked, i.err
}

func (i *issuer) ask(ctx context.Context) (*discovered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience) // others wait for it, too
	defer cancel()
	known, err := i.discover(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.known, i.asked, i.err = known, time.Now(), err
	return known, err
}

func (i *issuer) discover(ctx context.Context) (*discovered, error) {
	o := &i.login.o
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, o.HTTP), o.Issuer)
	if mismatch, ok := errors.AsType[*oidc.IssuerMismatchError](err); ok {
		return nil, fmt.Errorf("%w: %w", ErrIssuer, mismatch)
	}
	if err != nil {
		return nil, fmt.Errorf("the issuer %s cannot be asked: %s", o.Issuer, short(err))
	}
	var said struct {
		Keys       string   `json:"jwks_uri"`
		Logout     string   `json:"end_session_endpoint"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
		Auth       []string `json:"token_endpoint_auth_methods_supported"`
		SaysIt     bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := p.Claims(&said); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIssuer, err)
	}
	endpoint := p.Endpoint()
	for name, address := range map[string]string{
		"authorization_endpoint": endpoint.AuthURL, "token_endpoint": endpoint.TokenURL, "jwks_uri": said.Keys,
	} {
		if err := checkEndpoint(name, address); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrIssuer, err)
		}
	}
	for name, address := range map[string]string{"end_session_endpoint": said.Logout, "userinfo_endpoint": p.UserInfoEndpoint()} {
		if err := checkEndpoint(name, address); err != nil && address != "" {
			return nil, fmt.Errorf("%w: %w", ErrIssuer, err)
		}
	}
	algs := signsWith(said.Algorithms)
	if len(algs) == 0 {
		return nil, fmt.Errorf("%w: it signs with %q; expected one of %q", ErrIssuer, said.Algorithms, algorithms)
	}
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if o.Secret == "" || len(said.Auth) > 0 && !slices.Contains(said.Auth, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	taken := make([]jose.SignatureAlgorithm, len(algs))
	for n, alg := range algs {
		taken[n] = jose.SignatureAlgorithm(alg)
	}
	return &discovered{
		provider: p,
		oauth:    oauth2.Config{ClientID: o.ClientID, ClientSecret: o.Secret, Endpoint: endpoint, RedirectURL: o.URL + pathCallback, Scopes: o.Scopes},
		algs:     algs,
		keys:     &keys{url: said.Keys, client: o.HTTP, now: o.Now, algs: taken},
		saysIt:   said.SaysIt, logout: said.Logout, informs: p.UserInfoEndpoint() != "",
	}, nil
}

// short is the text of an error in one line. That of a discovery can have a whole page in it.
func short(err error) string {
	text, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Discover asks the issuer what it says of itself. The error matches ErrIssuer where to ask again does not help.
func (l *Login) Discover(ctx context.Context) error {
	l.issuer.asking.Lock()
	defer l.issuer.asking.Unlock()
	if known, _, _ := l.issuer.have(); known != nil {
		return nil
	}
	_, err := l.issuer.ask(ctx)
	return err
}

// Ready reports why nobody can log in: the issuer was not reached yet. It asks nobody.
func (l *Login) Ready() error {
	known, _, err := l.issuer.have()
	switch {
	case known != nil:
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("the issuer %s was not asked yet", l.o.Issuer)
}
