package oidc_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/identity/oidc"
	"github.com/fermata-go/fermata/internal/fakeissuer"
	"github.com/fermata-go/fermata/journal"
)

// ada is the person of the fake issuer.
func ada(login string) identity.Person {
	role, _ := identity.RoleNamed("operator")
	return identity.Person{
		ID: "ada@example.com", Name: "Ada", Role: "operator", Rights: role.Rights, TaskRoles: []string{"manager"}, Plans: []string{"refund*"}, Login: login,
	}
}

// logIn logs a browser in, and returns the cookie of its session.
func (d *desk) logIn(t *testing.T, c *http.Client) *http.Cookie {
	t.Helper()
	p := d.ask(t, still(c), http.MethodGet, d.callback(t, c, "/login"))
	if p.status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	return p.set[len(p.set)-1]
}

// TestW7_ABrowserLogsIn goes from the login over the issuer to a page of the server, and out again, as issuers and clients differ.
func TestW7_ABrowserLogsIn(t *testing.T) {
	says := func(name string, value any) func(*fakeissuer.State) {
		return func(s *fakeissuer.State) { s.Says = map[string]any{name: value} }
	}
	for name, tt := range map[string]struct {
		options func(*oidc.Options)
		issuer  func(*fakeissuer.State)
		key     *fakeissuer.Key // with which the issuer signs
		ahead   time.Duration   // the issuer's clock is by this
		end     string          // of the address where the browser goes after the logout
	}{
		"a secret in a header":    {end: "/logout?"},
		"a secret in the form":    {issuer: says("token_endpoint_auth_methods_supported", []string{"client_secret_post"}), end: "/logout?"},
		"a public client":         {options: func(o *oidc.Options) { o.Secret = "" }, issuer: func(s *fakeissuer.State) { s.Public = true }, end: "/logout?"},
		"an issuer without iss":   {issuer: says("authorization_response_iss_parameter_supported", nil), end: "/logout?"},
		"an issuer without end":   {issuer: says("end_session_endpoint", nil), end: `"/"`},
		"a key of another kind":   {key: fakeissuer.NewKey("e1", fakeissuer.ES256), end: "/logout?"},
		"two audiences and azp":   {issuer: claim("aud", []string{"other", fakeissuer.Client}, "azp", fakeissuer.Client), end: "/logout?"},
		"verified, as text":       {issuer: claim("email_verified", "true"), end: "/logout?"},
		"a clock that is ahead":   {ahead: 25 * time.Second, end: "/logout?"},
		"a clock that is behind":  {ahead: -5*time.Minute - 25*time.Second, end: "/logout?"},
		"groups within an object": {options: func(o *oidc.Options) { o.Claims.Groups = "realm_access.roles" }, issuer: claim("groups", nil, "realm_access", map[string]any{"roles": []string{"finance"}}), end: "/logout?"},
		"one group as a text":     {issuer: claim("groups", "finance"), end: "/logout?"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, tt.options)
			if tt.issuer != nil {
				d.issuer.Set(tt.issuer)
			}
			d.issuer.Set(func(s *fakeissuer.State) { s.Now = func() time.Time { return d.clock.now().Add(tt.ahead) } })
			if tt.key != nil {
				d.issuer.Rotate(tt.key, 1)
			}
			c := browser(t)
			refuses(t, "before", d.get(t, c, "/"), http.StatusUnauthorized, "or a session, which begins at /login; found none")
			p := d.ask(t, still(c), http.MethodGet, d.callback(t, c, "/login?to=/runs%3Fstatus%3Dfailed"))
			if p.status != http.StatusSeeOther || p.to != "/runs?status=failed" || p.header.Get("Cache-Control") != "no-store" {
				t.Fatalf("status %d to %q: %s", p.status, p.to, p.body)
			}
			gone, cookie := p.set[0], p.set[len(p.set)-1]
			if !strings.HasPrefix(gone.Name, "fermata-login") || gone.MaxAge != -1 || gone.Value != "" {
				t.Errorf("the cookie of the login stays: %v", gone)
			}
			if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 12*3600 || cookie.Secure {
				t.Errorf("the cookie of the session: %v", cookie)
			}
			in := d.get(t, c, "/runs")
			if diff := cmp.Diff(ada(identity.BySession), in.who(t)); diff != "" {
				t.Errorf("person (-want +got):\n%s", diff)
			}
			out := d.ask(t, c, http.MethodPost, d.http.URL+"/logout")
			if out.status != http.StatusOK || !strings.Contains(out.body, tt.end) || tt.end == "/logout?" && !strings.Contains(out.body, url.QueryEscape(d.http.URL+"/")) {
				t.Errorf("logout: %d %s", out.status, out.body)
			}
			refuses(t, "after the logout", d.get(t, c, "/"), http.StatusUnauthorized, "found none")
		})
	}
}

// TestW7_TheIssuerSaysTheRest has an issuer whose ID tokens have no more than they must: what they lack is asked for, of the same person, and
// nothing of what they say is replaced.
func TestW7_TheIssuerSaysTheRest(t *testing.T) {
	short := []any{"email", nil, "email_verified", nil, "name", nil, "groups", nil}
	for name, tt := range map[string]struct {
		token  []any
		says   fakeissuer.Claims
		status int
		text   string
	}{
		"everything":                      {short, fakeissuer.Claims{"sub": "u-1", "email": "ada@example.com", "email_verified": true, "name": "Ada", "groups": []string{"finance"}}, 303, ""},
		"groups":                          {[]any{"groups", nil}, fakeissuer.Claims{"sub": "u-1", "email": "eve@example.com", "name": "Eve", "groups": []string{"finance"}}, 303, ""},
		"of another person":               {short, fakeissuer.Claims{"sub": "u-2", "email": "ada@example.com", "email_verified": true, "name": "Ada", "groups": []string{"finance"}}, 502, "did not confirm"},
		"of nobody":                       {short, fakeissuer.Claims{"email": "ada@example.com", "email_verified": true, "name": "Ada", "groups": []string{"finance"}}, 502, "did not confirm"},
		"too little":                      {short, fakeissuer.Claims{"sub": "u-1"}, 403, "expected the claim"},
		"not verified":                    {short, fakeissuer.Claims{"sub": "u-1", "email": "ada@example.com", "groups": []string{"finance"}}, 403, "has not verified"},
		"verified here, not in the token": {[]any{"email_verified", false, "groups", nil}, fakeissuer.Claims{"sub": "u-1", "email_verified": true, "groups": []string{"finance"}}, 403, "has not verified"},
	} {
		d := newDesk(t, nil)
		d.issuer.Set(claim(tt.token...))
		d.issuer.Set(func(s *fakeissuer.State) { s.Informs = func() fakeissuer.Claims { return tt.says } })
		c := browser(t)
		p := d.ask(t, still(c), http.MethodGet, d.callback(t, c, "/login"))
		if refuses(t, name, p, tt.status, tt.text); tt.status != 303 {
			continue
		}
		in := d.get(t, c, "/")
		if diff := cmp.Diff(ada(identity.BySession), in.who(t)); diff != "" {
			t.Errorf("%s: person (-want +got):\n%s", name, diff)
		}
	}
	d := newDesk(t, nil)
	d.issuer.Set(func(s *fakeissuer.State) { s.Informs = func() fakeissuer.Claims { return nil } })
	d.logIn(t, browser(t))
	if n := d.issuer.Asked("/userinfo"); n > 0 {
		t.Errorf("an issuer whose tokens say everything is asked for more %d times", n)
	}
}

// claim changes claims of ID tokens: a name and a value in turns.
func claim(pairs ...any) func(*fakeissuer.State) {
	return func(s *fakeissuer.State) {
		s.Claims = func(c fakeissuer.Claims) {
			for i := 0; i < len(pairs); i += 2 {
				if c[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
					delete(c, pairs[i].(string))
				}
			}
		}
	}
}

// TestW7_BehindHTTPSCookiesAreOfTheHostAlone looks at the cookies of a server that browsers reach by https.
func TestW7_BehindHTTPSCookiesAreOfTheHostAlone(t *testing.T) {
	d := newDesk(t, func(o *oidc.Options) { o.URL = "https://desk.example.com/" })
	p := d.get(t, still(browser(t)), "/login")
	if len(p.set) != 1 || p.set[0].Name != "__Host-fermata-login" || !p.set[0].Secure || !p.set[0].HttpOnly || p.set[0].Path != "/" || p.set[0].Domain != "" {
		t.Errorf("cookies: %v", p.set)
	}
	u, err := url.Parse(p.to)
	if err != nil || u.Query().Get("redirect_uri") != "https://desk.example.com/login/callback" || u.Query().Get("scope") != "openid profile email" {
		t.Errorf("the issuer is asked at %s", p.to)
	}
}

// TestW7_ACallbackIsOfTheBrowserThatBegan takes the answer of the issuer to another browser, changes it, and repeats it.
func TestW7_ACallbackIsOfTheBrowserThatBegan(t *testing.T) {
	d := newDesk(t, nil)
	changed := func(address, name, value string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		if query.Set(name, value); value == "" {
			query.Del(name)
		}
		u.RawQuery = query.Encode()
		return u.String()
	}
	const stranger = "not begun in this browser"
	for name, tt := range map[string]struct {
		change func(back string) string
		other  bool // it comes to a browser that has begun a login of its own
		status int
		text   string
	}{
		"another browser":   {other: true, status: 400, text: stranger},
		"no state":          {change: func(b string) string { return changed(b, "state", "") }, status: 400, text: stranger},
		"another state":     {change: func(b string) string { return changed(b, "state", "x") }, status: 400, text: stranger},
		"another issuer":    {change: func(b string) string { return changed(b, "iss", "https://evil.example") }, status: 400, text: "another issuer"},
		"no issuer":         {change: func(b string) string { return changed(b, "iss", "") }, status: 400, text: "another issuer"},
		"another code":      {change: func(b string) string { return changed(b, "code", "x") }, status: 502, text: "did not confirm"},
		"no code":           {change: func(b string) string { return changed(b, "code", "") }, status: 403, text: "has refused"},
		"an error, as HTML": {change: func(b string) string { return changed(b, "error", "<script>") }, status: 403, text: "has refused"},
	} {
		t.Run(name, func(t *testing.T) {
			c := browser(t)
			back := d.callback(t, c, "/login")
			if tt.change != nil {
				back = tt.change(back)
			}
			if tt.other {
				c = browser(t)
				d.get(t, still(c), "/login")
			}
			p := d.ask(t, c, http.MethodGet, back)
			refuses(t, name, p, tt.status, tt.text)
			if strings.Contains(p.body, "<script>") || p.header.Get("Content-Security-Policy") == "" {
				t.Errorf("the page: %s", p.body)
			}
			refuses(t, "afterwards", d.get(t, c, "/"), 401, "found none")
		})
	}
	c := browser(t)
	back := d.callback(t, c, "/login")
	if p := d.ask(t, still(c), http.MethodGet, back); p.status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	refuses(t, "repeated", d.ask(t, c, http.MethodGet, back), 400, stranger)
	sessions, err := d.sessions.List(t.Context())
	if err != nil || len(sessions) != 1 {
		t.Errorf("sessions: %+v (%v)", sessions, err)
	}
}

// TestW7_ALoginHasANewSession gives a browser a session before it logs in, as somebody would who wants to share the login: the login is under
// another id, and the given one is over.
func TestW7_ALoginHasANewSession(t *testing.T) {
	d := newDesk(t, nil)
	eve := browser(t)
	given := d.logIn(t, eve)
	c := browser(t)
	at, err := url.Parse(d.http.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.Jar.SetCookies(at, []*http.Cookie{{Name: given.Name, Value: given.Value, Path: "/"}})
	d.issuer.Set(func(s *fakeissuer.State) { s.Person["email"] = "bob@example.com" })
	own := d.logIn(t, c)
	if own.Value == given.Value || own.Name != given.Name {
		t.Errorf("the session keeps its secret: %v", own)
	}
	in := d.get(t, c, "/")
	if id := in.who(t).ID; id != "bob@example.com" {
		t.Errorf("the person is %s", id)
	}
	refuses(t, "the given session", d.get(t, eve, "/"), 401, "the session is over")
	made := &http.Cookie{Name: given.Name, Value: "fs_" + strings.Repeat("a", 69), Path: "/"}
	c.Jar.SetCookies(at, []*http.Cookie{made})
	refuses(t, "a secret that somebody chose", d.get(t, c, "/"), 401, "the session is over")
	refuses(t, "two cookies", d.get(t, new(http.Client), "/", "Cookie", own.Name+"="+own.Value+"; "+own.Name+"="+own.Value), 401, "found none")
}

// TestW7_ASessionEndsEverywhere logs out in one process and lets another session expire: no process knows them any more.
func TestW7_ASessionEndsEverywhere(t *testing.T) {
	a := newDesk(t, nil)
	b := another(t, a, func(o *oidc.Options) { o.URL = a.http.URL }) // behind one address
	in := func(d *desk, cookie *http.Cookie) page {
		return d.get(t, new(http.Client), "/", "Cookie", cookie.Name+"="+cookie.Value)
	}
	c := browser(t)
	cookie := a.logIn(t, c)
	for _, d := range []*desk{a, b} {
		p := in(d, cookie)
		if diff := cmp.Diff(ada(identity.BySession), p.who(t)); diff != "" {
			t.Errorf("person (-want +got):\n%s", diff)
		}
	}
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		refuses(t, "a logout by a stranger's page", a.ask(t, c, http.MethodPost, a.http.URL+"/logout", header...), 403, "")
	}
	refuses(t, "a logout by a link", a.get(t, c, "/logout", "Sec-Fetch-Site", "none"), 200, "ada@example.com") // no route: it is who is there
	if p := a.ask(t, c, http.MethodPost, a.http.URL+"/logout"); p.status != http.StatusOK {
		t.Fatalf("logout: %d %s", p.status, p.body)
	}
	for _, d := range []*desk{a, b} {
		refuses(t, "after the logout", in(d, cookie), 401, "the session is over")
	}
	cookie = b.logIn(t, browser(t))
	a.clock.add(12*time.Hour - time.Minute)
	p := in(a, cookie)
	p.who(t)
	a.clock.add(2 * time.Minute)
	for _, d := range []*desk{a, b} {
		refuses(t, "after its time", in(d, cookie), 401, "the session is over")
	}
}

// TestW7_RightsFollowTheGrants starts the server again with other grants, and with another claim: a session has the rights of today, and one
// whose person was read from another claim is over.
func TestW7_RightsFollowTheGrants(t *testing.T) {
	a := newDesk(t, nil)
	cookie := a.logIn(t, browser(t))
	for name, tt := range map[string]struct {
		change func(*oidc.Options)
		role   string
		text   string
	}{
		"a lesser role":    {func(o *oidc.Options) { o.Grants = identity.Grants{{Group: "finance", Role: "viewer"}} }, "viewer", ""},
		"no role":          {func(o *oidc.Options) { o.Grants = identity.Grants{{Group: "staff", Role: "viewer"}} }, "", "ada@example.com: none of the person's groups"},
		"another claim":    {func(o *oidc.Options) { o.Claims.Person = "sub" }, "", "the session is over"},
		"another client":   {func(o *oidc.Options) { o.ClientID = "other" }, "", "the session is over"},
		"nothing changed":  {func(*oidc.Options) {}, "operator", ""},
		"a longer session": {func(o *oidc.Options) { o.Lasts = identity.MaxSession }, "operator", ""},
	} {
		d := another(t, a, func(o *oidc.Options) { o.URL = a.http.URL; tt.change(o) })
		p := d.get(t, new(http.Client), "/", "Cookie", cookie.Name+"="+cookie.Value)
		if tt.text != "" {
			refuses(t, name, p, 401, tt.text)
		} else if role := p.who(t).Role; role != tt.role {
			t.Errorf("%s: role %q, want %q", name, role, tt.role)
		}
	}
}

// TestW7_OldSessionsAreForgotten lets a month pass: a login removes what is left of the sessions before it, and no session that counts.
func TestW7_OldSessionsAreForgotten(t *testing.T) {
	d := newDesk(t, func(o *oidc.Options) { o.Lasts = identity.MaxSession })
	c := browser(t)
	d.logIn(t, c)
	d.ask(t, c, http.MethodPost, d.http.URL+"/logout")
	d.logIn(t, browser(t))
	count := func() int {
		rows, err := d.store.Runs(t.Context(), journal.RunFilter{Definition: true, Plan: "setting:session"})
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	d.clock.add(29 * 24 * time.Hour)
	late := d.logIn(t, browser(t))
	if n := count(); n != 3 {
		t.Errorf("after 29 days there are %d journals of sessions, want 3", n)
	}
	d.clock.add(2 * 24 * time.Hour)
	d.logIn(t, browser(t))
	if n := count(); n != 2 {
		t.Errorf("after 31 days there are %d journals of sessions, want 2", n)
	}
	p := d.get(t, new(http.Client), "/", "Cookie", late.Name+"="+late.Value)
	p.who(t)
}

// TestW7_ALoginLeadsToOwnPagesAlone asks for paths of all kinds: the browser never leaves the server.
func TestW7_ALoginLeadsToOwnPagesAlone(t *testing.T) {
	d := newDesk(t, nil)
	for to, want := range map[string]string{
		"": "/", "/": "/", "/runs": "/runs", "/runs/run_1?at=3#x": "/runs/run_1?at=3#x", "/runs/a%2Fb": "/runs/a%2Fb", "/runs?next=https://a.b/": "/runs?next=https://a.b/",
		"https://evil.example": "/", "//evil.example": "/", "///evil.example": "/", "/\\evil.example": "/", "\\/evil.example": "/", "/%5Cevil.example": "/", "/%2Fevil.example": "/",
		"javascript:alert(1)": "/", "evil.example": "/", "/\t/evil.example": "/", "/\n/evil.example": "/", "http:evil.example": "/", "@evil.example": "/", " //evil.example": "/",
		"/login": "/", "/login?to=/login": "/", "/login/callback?code=x": "/", "/logout": "/", "/" + strings.Repeat("a", 2000): "/", "/%": "/", "/x\r\nSet-Cookie: a=b": "/",
	} {
		c := browser(t)
		p := d.ask(t, still(c), http.MethodGet, d.callback(t, c, "/login?to="+url.QueryEscape(to)))
		if p.to != want {
			t.Errorf("%q leads to %q, want %q", to, p.to, want)
		}
	}
}

// FuzzW7_OwnPath looks for a path that leads away.
func FuzzW7_OwnPath(f *testing.F) {
	for _, to := range []string{"/runs", "//a", "/\\a", "/%2f%2fa", "/a/../..//b", "/.//a", "https:/a", "/;//a"} {
		f.Add(to)
	}
	base, _ := url.Parse("https://desk.example.com/login/callback")
	f.Fuzz(func(t *testing.T, to string) {
		got := oidc.OwnPath(to)
		u, err := base.Parse(got)
		if err != nil || u.Scheme != "https" || u.Host != "desk.example.com" || !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.Contains(got, "\\") {
			t.Errorf("%q leads to %q, at %v (%v)", to, got, u, err)
		}
	})
}
