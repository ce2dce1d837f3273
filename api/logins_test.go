package api_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/identity/oidc"
	"github.com/fermata-go/fermata/internal/fakeissuer"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/server"
	"github.com/fermata-go/fermata/settings"
)

// way is a way to log in: who makes a request, and the header of one that is made in a role; "nobody" has logged in nowhere.
type way struct {
	authorize func(r *http.Request) (server.Person, error)
	as        func(role string) []string
	none      string // the refusal of nobody
	login     string // where the refusal says that a browser logs in
}

// authorizes is what fermata serve makes of ways to log in.
func authorizes(ways ...identity.Way) func(r *http.Request) (server.Person, error) {
	find := identity.Any(ways...)
	return func(r *http.Request) (server.Person, error) {
		p, err := find(r)
		if err != nil && !errors.Is(err, identity.ErrNoLogin) {
			return server.Person{}, &fermata.Error{Code: fermata.CodeStore, Err: err}
		}
		return server.PersonOf(p), err
	}
}

// atIssuer are a login at an issuer whose groups are the roles, a header for the session of a person in a role, and a token of the person.
type atIssuer struct {
	issuer   *fakeissuer.Issuer
	login    *oidc.Login
	sessions *identity.Sessions
	by       atomic.Int64 // by which the clock is ahead, in nanoseconds
}

func newIssuer(t *testing.T, change func(*oidc.Options)) *atIssuer {
	t.Helper()
	a := &atIssuer{issuer: fakeissuer.New()}
	t.Cleanup(a.issuer.Close)
	now := func() time.Time { return time.Now().Add(time.Duration(a.by.Load())) }
	a.sessions = identity.NewSessions(settings.New(memory.New(), settings.Options{Now: now}), now)
	o := oidc.Options{
		Issuer: a.issuer.URL, ClientID: fakeissuer.Client, Secret: fakeissuer.Secret, URL: "http://127.0.0.1:1", Grants: grantsByRole(), Sessions: a.sessions, Now: now,
	}
	if change != nil {
		change(&o)
	}
	var err error
	if a.login, err = oidc.New(o); err != nil {
		t.Fatal(err)
	}
	return a
}

// grantsByRole give each role to the group of its name.
func grantsByRole() (all identity.Grants) {
	for _, r := range identity.Roles() {
		all = append(all, identity.Grant{Group: r.Name, Role: r.Name})
	}
	return all
}

// session logs a browser in whose person is in a group, and returns its cookie.
func (a *atIssuer) session(t *testing.T, group string) string {
	t.Helper()
	a.issuer.Set(func(s *fakeissuer.State) { s.Person["groups"] = group })
	handler := a.login.Handler(http.NotFoundHandler())
	ask := func(target string, cookies []*http.Cookie) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Result()
	}
	begun := ask("/login", nil)
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Get(begun.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	back, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	done := ask(back.RequestURI(), begun.Cookies())
	if done.StatusCode != http.StatusSeeOther {
		t.Fatalf("the login failed: %d", done.StatusCode)
	}
	cookie := done.Cookies()[len(done.Cookies())-1]
	return cookie.Name + "=" + cookie.Value
}

// ways are all ways to log in.
func ways(t *testing.T) map[string]way {
	t.Helper()
	tokens := identity.NewTokens(settings.New(memory.New(), settings.Options{}), time.Now)
	a := newIssuer(t, nil)
	byRole, cookies := make(map[string]string), make(map[string]string)
	for _, r := range identity.Roles() {
		byRole[r.Name] = "Bearer " + create(t, tokens, identity.Token{Name: r.Name, Person: "Ann", Role: r.Name})
		cookies[r.Name] = a.session(t, r.Name)
	}
	proxy := identity.Proxy{From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Person: "X-Forwarded-User", Groups: "X-Forwarded-Groups", Grants: grantsByRole()}
	header := func(name string, value func(role string) string) func(role string) []string {
		return func(role string) []string {
			if role == "nobody" {
				return nil
			}
			return []string{name, value(role)}
		}
	}
	return map[string]way{
		"a function": {authorize: inRole, none: "who asks is not known", as: func(role string) []string { return []string{"X-Role", role} }},
		"a token":    {authorize: authorizes(tokens.Way()), none: "found none", as: header("Authorization", func(role string) string { return byRole[role] })},
		"a session":  {authorize: authorizes(a.login.Way()), none: "found none", login: "/login", as: header("Cookie", func(role string) string { return cookies[role] })},
		"a JWT": {authorize: authorizes(tokens.Way(), a.login.Way()), none: "found none", login: "/login", as: header("Authorization", func(role string) string {
			return "Bearer " + a.issuer.Token(fakeissuer.Claims{"groups": []string{role}})
		})},
		"a proxy": {authorize: authorizes(proxy.Way()), none: "found none", as: func(role string) []string {
			if role == "nobody" {
				return nil
			}
			return []string{"X-Forwarded-User", "Ann", "X-Forwarded-Groups", role}
		}},
	}
}

// TestW7_AStreamEndsWithItsSession ends the session of an open stream, by a logout and by its time, and lets a JWT expire: nothing more is told.
func TestW7_AStreamEndsWithItsSession(t *testing.T) {
	for name, tt := range map[string]struct {
		jwt bool
		end func(a *atIssuer) error
	}{
		"logged out": {end: func(a *atIssuer) error {
			all, err := a.sessions.List(t.Context())
			for i := range all {
				err = errors.Join(err, a.sessions.End(t.Context(), all[i].ID, "Ann", ""))
			}
			return err
		}},
		"over":  {end: func(a *atIssuer) error { a.by.Store(int64(13 * time.Hour)); return nil }},
		"a JWT": {jwt: true, end: func(a *atIssuer) error { a.by.Store(int64(6 * time.Minute)); return nil }},
		"withdrawn": {jwt: true, end: func(a *atIssuer) error {
			a.issuer.Rotate(fakeissuer.NewKey("k2", fakeissuer.RS256), 0)
			a.by.Store(int64(5*time.Minute + 10*time.Second))
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newIssuer(t, nil)
			w := newWorld(t, api.Options{Server: server.Options{Recheck: 5 * time.Millisecond, Authorize: authorizes(a.login.Way())}})
			header := []string{"Cookie", a.session(t, "operator")}
			if tt.jwt {
				header = []string{"Authorization", "Bearer " + a.issuer.Token(fakeissuer.Claims{"groups": "operator"})}
			}
			run, _ := w.paused(t, header...)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.http.URL+"/api/runs/"+run+"/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(header[0], header[1])
			res, err := w.http.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			lines, seen := bufio.NewScanner(res.Body), ""
			for rests := false; !rests && lines.Scan(); {
				rests = strings.Contains(lines.Text(), `"run.paused"`)
			}
			if err := tt.end(a); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() {
				seen += lines.Text() + "\n"
			}
			if !strings.Contains(seen, `event: error`) || !strings.Contains(seen, `"code":"unauthenticated"`) || strings.Contains(seen, `"seq"`) {
				t.Errorf("after the end comes %s", seen)
			}
			p := w.request(t, "GET", "/api/runs/"+run, "", header...).refuses(t, 401, "")
			if p.Login != "/login" {
				t.Errorf("the refusal leads to %q", p.Login)
			}
		})
	}
}
