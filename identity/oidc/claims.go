package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/fermata-go/fermata/identity"
)

// claimEmail is a claim that counts only where the issuer has verified the address.
const claimEmail = "email"

// mostJWT bounds a JWT, in bytes.
const mostJWT = 32 << 10

// claims are what a JWT says.
type claims map[string]any

// verify checks a JWT of the issuer for an audience: signature, issuer, audience, time.
func (l *Login) verify(ctx context.Context, jwt, audience string) (claims, error) {
	if len(jwt) > mostJWT || strings.Count(jwt, ".") != 2 {
		return nil, errors.New("expected a JWT: three parts with dots between them")
	}
	known, err := l.issuer.get(ctx)
	if err != nil {
		return nil, err
	}
	token, err := oidc.NewVerifier(l.o.Issuer, known.keys, &oidc.Config{
		ClientID: audience, SupportedSigningAlgs: known.algs, SkipExpiryCheck: true, // l.inTime allows for clocks that differ
	}).Verify(ctx, jwt)
	if err != nil {
		return nil, err
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return nil, errors.New("the claims are no object")
	}
	return c, l.inTime(c)
}

// inTime checks that a JWT has not expired and counts already.
func (l *Login) inTime(c claims) error {
	now := l.o.Now()
	expires, err := c.time("exp")
	switch {
	case err != nil:
		return err
	case expires.IsZero():
		return errors.New(`expected the claim "exp": a token that never expires is refused`)
	case !now.Before(expires.Add(l.o.Skew)):
		return fmt.Errorf("the token expired at %s", expires.Format(time.RFC3339))
	}
	for _, name := range []string{"nbf", "iat"} {
		begins, err := c.time(name)
		if err != nil {
			return err
		}
		if now.Before(begins.Add(-l.o.Skew)) {
			return fmt.Errorf("the token counts from %s on (%s): is a clock wrong?", begins.Format(time.RFC3339), name)
		}
	}
	return nil
}

func (c claims) time(name string) (time.Time, error) {
	v, ok := c[name]
	if !ok {
		return time.Time{}, nil
	}
	seconds, ok := v.(float64)
	if !ok || seconds < 0 || seconds > 1<<40 {
		return time.Time{}, fmt.Errorf("the claim %q is no time", name)
	}
	return time.Unix(int64(seconds), 0).UTC(), nil
}

func (c claims) text(name string) string {
	text, _ := c.find(name).(string)
	return text
}

// find looks for a claim by its name, or by the names of objects with dots between them.
func (c claims) find(name string) any {
	if v, ok := c[name]; ok {
		return v
	}
	var v any = map[string]any(c)
	for part := range strings.SplitSeq(name, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[part]
	}
	return v
}

// person is who the claims are about, as a session keeps it.
func (l *Login) person(c claims) (identity.Session, error) {
	s := identity.Session{Realm: l.realm(), Subject: c.text("sub"), IssuerID: c.text("sid"), Person: c.text(l.o.Claims.Person), PersonName: c.text(l.o.Claims.Name)}
	switch {
	case s.Subject == "":
		return s, errors.New(`expected the claim "sub"`)
	case s.Person == "":
		return s, fmt.Errorf("expected the claim %q with the id of the person; --oidc-person names another one", l.o.Claims.Person)
	case l.o.Claims.Person == claimEmail && c["email_verified"] != true && c["email_verified"] != "true":
		return s, fmt.Errorf("the issuer has not verified the address %s (email_verified): verify it there, or name another claim with --oidc-person", s.Person)
	}
	var err error
	s.Groups, err = c.groups(l.o.Claims.Groups)
	return s, err
}

func (c claims) groups(name string) ([]string, error) {
	v := c.find(name)
	if elsewhere, ok := c["_claim_names"].(map[string]any); v == nil && ok && elsewhere[name] != nil {
		return nil, fmt.Errorf("the claim %q is too large for a token, and the issuer has left it out: have it send fewer groups", name)
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []string{v}, nil
	case []any:
		groups := make([]string, len(v))
		for i := range v {
			text, ok := v[i].(string)
			if !ok {
				return nil, fmt.Errorf("the claim %q: expected texts, found %T", name, v[i])
			}
			groups[i] = text
		}
		return groups, nil
	}
	return nil, fmt.Errorf("the claim %q: expected a text or a list of texts, found %T", name, v)
}

// idToken checks the ID token of a login that was begun here.
func (l *Login) idToken(ctx context.Context, jwt, nonce string) (claims, error) {
	c, err := l.verify(ctx, jwt, l.o.ClientID)
	if err != nil {
		return nil, err
	}
	audience, _ := c["aud"].([]any)
	switch azp, given := c["azp"].(string); {
	case subtle.ConstantTimeCompare([]byte(c.text("nonce")), []byte(nonce)) != 1:
		return nil, errors.New("the nonce is not that of this login")
	case len(audience) > 1 && !given, given && azp != l.o.ClientID:
		return nil, fmt.Errorf("expected the claim \"azp\" with %q, found %q", l.o.ClientID, azp)
	}
	return c, nil
}

// complete adds claims that the ID token lacks and the issuer gives at its UserInfo endpoint, as many do with those of profile and email. What
// the token says is never replaced.
func (l *Login) complete(ctx context.Context, known *discovered, token *oauth2.Token, c claims) error {
	lacks := func(name string) bool { return c.find(name) == nil }
	if !known.informs || !lacks(l.o.Claims.Person) && !lacks(l.o.Claims.Name) && !lacks(l.o.Claims.Groups) {
		return nil
	}
	info, err := known.provider.UserInfo(oidc.ClientContext(ctx, l.o.HTTP), oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("the issuer does not say more of the person: %s", short(err))
	}
	more := make(claims)
	if err := info.Claims(&more); err != nil {
		return errors.New("expected an object of claims from the UserInfo endpoint, found something else")
	}
	if more.text("sub") != c.text("sub") {
		return errors.New("the issuer speaks of two people: the claims \"sub\" differ")
	}
	for name, v := range more {
		if _, there := c[name]; !there {
			c[name] = v
		}
	}
	return nil
}

// bearer checks a JWT that a program sends.
func (l *Login) bearer(ctx context.Context, jwt string) (identity.Session, error) {
	c, err := l.verify(ctx, jwt, l.o.Audience)
	if err != nil {
		return identity.Session{}, err
	}
	switch {
	case c["cnf"] != nil:
		return identity.Session{}, errors.New(`the token is bound to a key (claim "cnf"), which cannot be checked here`)
	case c["events"] != nil:
		return identity.Session{}, errors.New("the token says that something happened, and is no login")
	}
	return l.person(c)
}

// asPerson gives a login the rights of its groups.
func (l *Login) asPerson(s *identity.Session, login string) (identity.Person, error) {
	p, err := l.o.Grants.Person(s.Person, s.PersonName, s.Groups)
	p.Login = login
	return p, err
}

// realm is what sessions are of: of one issuer and client, whose claims are read alike. Where that changes, people log in again.
func (l *Login) realm() string {
	return strings.Join([]string{l.o.Issuer, l.o.ClientID, l.o.Claims.Person, l.o.Claims.Name, l.o.Claims.Groups}, "\n")
}

// algorithms are those by which an issuer may sign: with a key that only it has. None and HMAC are not among them.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// signsWith are those of the algorithms that an issuer says it uses.
func signsWith(said []string) (algs []string) {
	for _, alg := range algorithms {
		if slices.Contains(said, alg) {
			algs = append(algs, alg)
		}
	}
	return algs
}
