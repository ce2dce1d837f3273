package oidc_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/identity/oidc"
	"github.com/fermata-go/fermata/internal/fakeissuer"
)

// forged is a token that is refused, made by whoever knows all that is public.
type forged struct {
	name string
	make func(i *fakeissuer.Issuer, c fakeissuer.Claims) string
	text string // of the refusal
}

// with signs the claims with a change by the issuer's key. A duration is a time that long from now.
func with(name string, value any) func(*fakeissuer.Issuer, fakeissuer.Claims) string {
	return func(i *fakeissuer.Issuer, c fakeissuer.Claims) string {
		c[name] = value
		switch v := value.(type) {
		case nil:
			delete(c, name)
		case time.Duration:
			c[name] = i.Time().Add(v).Unix()
		}
		return i.Key().Sign(c)
	}
}

// header signs the claims below another header.
func header(h map[string]any) func(*fakeissuer.Issuer, fakeissuer.Claims) string {
	return func(i *fakeissuer.Issuer, c fakeissuer.Claims) string { return i.Key().SignWith(h, c) }
}

// refusedTokens are tokens that neither a login nor a program gets in with.
var refusedTokens = []forged{
	{"another audience", with("aud", "other"), "audience"},
	{"no audience", with("aud", nil), "audience"},
	{"another issuer", with("iss", "https://evil.example"), "issued by a different provider"},
	{"an issuer with a slash", func(i *fakeissuer.Issuer, c fakeissuer.Claims) string { return with("iss", i.URL+"/")(i, c) }, "issued by a different provider"},
	{"no issuer", with("iss", nil), "issued by a different provider"},
	{"expired", with("exp", -31*time.Second), "the token expired at"},
	{"no end", with("exp", nil), `expected the claim "exp"`},
	{"an end that is none", with("exp", -5), "no time"},
	{"not yet valid", with("nbf", 31*time.Second), "(nbf): is a clock wrong?"},
	{"made in the future", with("iat", 31*time.Second), "(iat): is a clock wrong?"},
	{"no subject", with("sub", nil), `expected the claim "sub"`},
	{"no address", with("email", nil), `expected the claim "email"`},
	{"an address that is not verified", with("email_verified", false), "has not verified the address ada@example.com"},
	{"an address of which nothing is said", with("email_verified", nil), "has not verified the address"},
	{"groups that are elsewhere", func(i *fakeissuer.Issuer, c fakeissuer.Claims) string {
		delete(c, "groups")
		c["_claim_names"], c["_claim_sources"] = map[string]any{"groups": "src1"}, map[string]any{"src1": map[string]any{"endpoint": "https://graph.example.com/groups"}}
		return i.Key().Sign(c)
	}, "the issuer has left it out"},
	{"groups that are numbers", with("groups", []any{1}), `the claim "groups": expected texts`},
	{"groups that are an object", with("groups", map[string]any{"finance": true}), `the claim "groups": expected a text or a list`},
	{"a group that may do nothing", with("groups", []any{"guests"}), "none of the person's groups may do anything here"},
	{"no groups", with("groups", nil), "none of the person's groups"},
	{"a name that acts", with("name", "Ada\u202e"), "name of a person"},
	{"an id that acts", with("email", "ada\n@example.com"), "id of a person"},
	{"an id that is too long", with("email", strings.Repeat("a", 201)), "id of a person"},
	{"a token as a name", with("name", "ft_"+strings.Repeat("a", 69)), "a token stands where a name is expected"},
	{"none", func(_ *fakeissuer.Issuer, c fakeissuer.Claims) string { return fakeissuer.Unsigned(c) }, "signature algorithm"},
	{"none, with a signature", func(i *fakeissuer.Issuer, c fakeissuer.Claims) string {
		return fakeissuer.Unsigned(c) + strings.Split(i.Key().Sign(c), ".")[2]
	}, "signature algorithm"},
	{"HMAC with the public key", func(i *fakeissuer.Issuer, c fakeissuer.Claims) string {
		return fakeissuer.SignShared(i.Key().Public(), i.Key().ID, c)
	}, "signature algorithm"},
	{"HMAC with the public key in PEM", func(i *fakeissuer.Issuer, c fakeissuer.Claims) string {
		der, err := x509.MarshalPKIXPublicKey(i.Key().PublicKey())
		if err != nil {
			panic(err)
		}
		return fakeissuer.SignShared(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), i.Key().ID, c)
	}, "signature algorithm"},
	{"HMAC with the secret of the client", func(_ *fakeissuer.Issuer, c fakeissuer.Claims) string {
		return fakeissuer.SignShared([]byte(fakeissuer.Secret), "k1", c)
	}, "signature algorithm"},
	{"a key that is not the issuer's", func(_ *fakeissuer.Issuer, c fakeissuer.Claims) string {
		return fakeissuer.NewKey("k1", fakeissuer.RS256).Sign(c)
	}, "the signature is not the issuer's"},
	{"a key of another kind under the same id", func(_ *fakeissuer.Issuer, c fakeissuer.Claims) string {
		return fakeissuer.NewKey("k1", fakeissuer.ES256).Sign(c)
	}, "no key of that id"},
	{"a key that comes along", func(_ *fakeissuer.Issuer, c fakeissuer.Claims) string {
		own := fakeissuer.NewKey("k1", fakeissuer.RS256)
		return own.SignWith(map[string]any{"alg": "RS256", "kid": "k1", "jwk": json.RawMessage(own.Public())}, c)
	}, "the signature is not the issuer's"},
	{"a key at an address", func(_ *fakeissuer.Issuer, c fakeissuer.Claims) string {
		return fakeissuer.NewKey("k1", fakeissuer.RS256).SignWith(map[string]any{"alg": "RS256", "kid": "k1", "jku": "https://evil.example/keys"}, c)
	}, "the signature is not the issuer's"},
	{"a header that has to be understood", header(map[string]any{"alg": "RS256", "kid": "k1", "crit": []string{"b64"}, "b64": false}), "refused"},
	{"an unknown key", header(map[string]any{"alg": "RS256", "kid": "k9"}), "no key of that id"},
	{"another algorithm of the same key", header(map[string]any{"alg": "PS256", "kid": "k1"}), "signature algorithm"},
	{"JSON in place of three parts", func(i *fakeissuer.Issuer, c fakeissuer.Claims) string {
		parts := strings.Split(i.Key().Sign(c), ".")
		return fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, parts[0], parts[1], parts[2])
	}, "three parts"},
	{"nothing", func(*fakeissuer.Issuer, fakeissuer.Claims) string { return "" }, "three parts"},
	{"too much", func(i *fakeissuer.Issuer, c fakeissuer.Claims) string {
		return with("x", strings.Repeat("a", 40<<10))(i, c)
	}, "three parts"},
}

// TestW7_ForgedTokensAreRefused sends each of them as a program, and has the issuer answer a login with it: nobody gets in, and no session
// begins.
func TestW7_ForgedTokensAreRefused(t *testing.T) {
	d := newDesk(t, nil)
	ok := d.bearer(t, d.issuer.Token(nil))
	if diff := cmp.Diff(ada(identity.ByIssuer), ok.who(t)); diff != "" {
		t.Fatalf("person (-want +got):\n%s", diff)
	}
	refused := append(slices.Clone(refusedTokens),
		forged{"bound to a key", with("cnf", map[string]any{"jkt": "x"}), "bound to a key"},
		forged{"a notice of a logout", with("events", map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}), "is no login"})
	for _, f := range refused {
		refuses(t, f.name, d.bearer(t, f.make(d.issuer, d.issuer.ClaimsOf(nil))), 401, f.text)
	}
	for _, f := range append(refusedTokens,
		forged{"another nonce", with("nonce", "x"), "nonce"},
		forged{"no nonce", with("nonce", nil), "nonce"},
		forged{"two audiences", with("aud", []string{fakeissuer.Client, "other"}), "azp"},
		forged{"for another client", with("azp", "other"), "azp"}) {
		d.issuer.Set(func(s *fakeissuer.State) {
			s.Sign = func(c fakeissuer.Claims) string { return f.make(d.issuer, c) }
		})
		c := browser(t)
		p := d.ask(t, c, http.MethodGet, d.callback(t, c, "/login"))
		if text := "<h1>Not logged in</h1>"; p.status != 403 || !strings.Contains(p.body, text) {
			t.Errorf("a login with %s: status %d: %s", f.name, p.status, p.body)
		}
		refuses(t, f.name, d.get(t, c, "/"), 401, "found none")
	}
	sessions, err := d.sessions.List(t.Context())
	if err != nil || len(sessions) > 0 {
		t.Errorf("sessions: %+v (%v)", sessions, err)
	}
}

// TestW7_NoChangedTokenPasses changes each character of a good token.
func TestW7_NoChangedTokenPasses(t *testing.T) {
	d := newDesk(t, nil)
	for _, key := range []*fakeissuer.Key{d.issuer.Key(), fakeissuer.NewKey("e1", fakeissuer.ES256)} {
		d.issuer.Rotate(key, 1)
		d.clock.add(time.Minute)
		token := d.issuer.Token(nil)
		p := d.bearer(t, token)
		p.who(t)
		for at := range len(token) - 1 {
			if token[at+1] == '.' { // the last character of a part has bits that mean nothing
				continue
			}
			changed := []byte(token)
			if changed[at]++; changed[at] == token[at] || token[at] == '.' {
				changed[at] = 'A'
			}
			if p := d.bearer(t, string(changed)); p.status == http.StatusOK {
				t.Errorf("%s: a change of character %d passes: %s", key.Algorithm, at, p.body)
			}
		}
	}
}

// TestW7_ProgramsHaveAnAudienceOfTheirOwn sets one: an ID token of a browser is then none for programs.
func TestW7_ProgramsHaveAnAudienceOfTheirOwn(t *testing.T) {
	d := newDesk(t, func(o *oidc.Options) { o.Audience = "fermata-api" })
	refuses(t, "an ID token", d.bearer(t, d.issuer.Token(nil)), 401, "audience")
	p := d.bearer(t, d.issuer.Token(fakeissuer.Claims{"aud": []string{"account", "fermata-api"}}))
	p.who(t)
	d.logIn(t, browser(t))
	for name, header := range map[string][]string{
		"no bearer":   {"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("a:b"))},
		"two headers": {"Authorization", "Bearer " + d.issuer.Token(nil), "Authorization", "Bearer x"},
	} {
		refuses(t, name, d.get(t, new(http.Client), "/", header...), 401, "expected one header")
	}
}

// TestW7_ATokenCountsWithinItsTime moves the clock of the server against that of the issuer, within and beyond the skew.
func TestW7_ATokenCountsWithinItsTime(t *testing.T) {
	d := newDesk(t, nil)
	token := d.issuer.Token(fakeissuer.Claims{"nbf": d.clock.now().Unix()})
	for _, tt := range []struct {
		by  time.Duration
		may bool
	}{{-31 * time.Second, false}, {time.Second, true}, {30 * time.Second, true}, {5 * time.Minute, true}, {29 * time.Second, true}, {time.Second, false}} {
		d.clock.add(tt.by)
		if p := d.bearer(t, token); (p.status == http.StatusOK) != tt.may {
			t.Errorf("after %v: status %d %s", tt.by, p.status, p.body)
		}
	}
}

// TestW7_KeysChange has the issuer change its keys and go away: a new key is asked for once, strangers' keys do not make the server ask
// again and again, and one that was withdrawn counts no more.
func TestW7_KeysChange(t *testing.T) {
	d := newDesk(t, nil)
	old := d.issuer.Key()
	sign := func(k *fakeissuer.Key) page { return d.bearer(t, k.Sign(d.issuer.ClaimsOf(nil))) }
	passes := func(what string, p page, asked int) {
		t.Helper()
		if n := d.issuer.Asked("/keys"); p.status != http.StatusOK || n != asked {
			t.Errorf("%s: status %d, the keys were asked for %d times, want %d: %s", what, p.status, n, asked, p.body)
		}
	}
	passes("the first", sign(old), 1)
	passes("the first again", sign(old), 1)
	d.clock.add(11 * time.Second)
	d.issuer.Rotate(fakeissuer.NewKey("k2", fakeissuer.RS256), 1)
	passes("a new key", sign(d.issuer.Key()), 2)
	passes("the old key beside it", sign(old), 2)
	for range 20 {
		refuses(t, "a stranger's key", sign(fakeissuer.NewKey("k7", fakeissuer.ES256)), 401, "no key of that id")
	}
	passes("after strangers' keys", sign(old), 2)
	d.clock.add(11 * time.Second)
	refuses(t, "a stranger's key, later", sign(fakeissuer.NewKey("k8", fakeissuer.ES256)), 401, "no key of that id")
	passes("after one more", sign(old), 3)
	d.issuer.Rotate(fakeissuer.NewKey("k3", fakeissuer.RS256), 0)
	passes("a withdrawn key, at once", sign(old), 3)
	d.clock.add(5 * time.Minute)
	refuses(t, "a withdrawn key", sign(old), 401, "no key of that id")
	passes("the newest", sign(d.issuer.Key()), 4)

	d.issuer.Set(func(s *fakeissuer.State) { s.Away = true })
	d.clock.add(50 * time.Minute)
	for range 5 {
		passes("while the issuer is away", sign(d.issuer.Key()), 5)
	}
	d.clock.add(11 * time.Minute)
	refuses(t, "when it is away for long", sign(d.issuer.Key()), 401, "the keys of the issuer cannot be read")
	refuses(t, "and again", sign(d.issuer.Key()), 401, "the keys of the issuer cannot be read")
	d.issuer.Set(func(s *fakeissuer.State) { s.Away = false })
	d.clock.add(11 * time.Second)
	passes("when it is back", sign(d.issuer.Key()), 7)
	other := fakeissuer.NewKey("k4", fakeissuer.RS256)
	other.Use = "enc"
	d.issuer.Rotate(other, 0)
	d.clock.add(5 * time.Minute)
	refuses(t, "a key for something else", sign(other), 401, "no key of that id")
}
