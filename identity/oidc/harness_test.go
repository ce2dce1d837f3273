package oidc_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/identity/oidc"
	"github.com/fermata-go/fermata/internal/fakeissuer"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/settings"
)

// clock is a time that stands still until a test moves it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// said is what was logged.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// desk is a server at which people log in, with its issuer.
type desk struct {
	issuer   *fakeissuer.Issuer
	store    journal.Store
	clock    *clock
	login    *oidc.Login
	sessions *identity.Sessions
	http     *httptest.Server
	log      *said
}

var grants = identity.Grants{{Group: "finance", Role: "operator", TaskRoles: []string{"manager"}, Plans: []string{"refund*"}}, {Group: "staff", Role: "viewer"}}

func newDesk(t *testing.T, change func(*oidc.Options)) *desk {
	t.Helper()
	issuer := fakeissuer.New()
	t.Cleanup(issuer.Close)
	c := &clock{at: time.Now().Truncate(time.Second)}
	issuer.Now = c.now
	return another(t, &desk{issuer: issuer, store: memory.New(), clock: c}, change)
}

// another is another process on the store and at the issuer of a desk.
func another(t *testing.T, of *desk, change func(*oidc.Options)) *desk {
	t.Helper()
	d := &desk{issuer: of.issuer, store: of.store, clock: of.clock, log: new(said)}
	d.sessions = identity.NewSessions(settings.New(d.store, settings.Options{Now: d.clock.now}), d.clock.now)
	d.http = httptest.NewServer(nil)
	t.Cleanup(d.http.Close)
	o := oidc.Options{
		Issuer: d.issuer.URL, ClientID: fakeissuer.Client, Secret: fakeissuer.Secret, URL: d.http.URL, Grants: grants, Sessions: d.sessions, Now: d.clock.now,
		Logger: slog.New(slog.NewTextHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	var err error
	if d.login, err = oidc.New(o); err != nil {
		t.Fatal(err)
	}
	who := identity.Any(d.login.Way())
	d.http.Config.Handler = d.login.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := who(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(p)
	}))
	return d
}

// browser keeps cookies and follows redirects.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// still is the browser without following redirects.
func still(c *http.Client) *http.Client {
	return &http.Client{Jar: c.Jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// page is an answer.
type page struct {
	status int
	body   string
	header http.Header
	at     *url.URL // where it was in the end
	to     string   // where it leads
	set    []*http.Cookie
}

func (d *desk) get(t *testing.T, c *http.Client, path string, header ...string) page {
	t.Helper()
	return d.ask(t, c, http.MethodGet, d.http.URL+path, header...)
}

func (d *desk) ask(t *testing.T, c *http.Client, method, target string, header ...string) page {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page{res.StatusCode, string(body), res.Header, res.Request.URL, res.Header.Get("Location"), res.Cookies()}
}

// who is the person that the server takes a request for.
func (p *page) who(t *testing.T) (who identity.Person) {
	t.Helper()
	if p.status != http.StatusOK || json.Unmarshal([]byte(p.body), &who) != nil {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	return who
}

// bearer is who the server takes a program for that sends a JWT.
func (d *desk) bearer(t *testing.T, jwt string) page {
	t.Helper()
	return d.get(t, new(http.Client), "/", "Authorization", "Bearer "+jwt)
}

// callback goes to the issuer and returns the address that it sends the browser back to.
func (d *desk) callback(t *testing.T, c *http.Client, path string) string {
	t.Helper()
	begun := d.get(t, still(c), path)
	if begun.status != http.StatusFound {
		t.Fatalf("%s: status %d: %s", path, begun.status, begun.body)
	}
	back := d.ask(t, still(c), http.MethodGet, begun.to)
	if back.status != http.StatusFound {
		t.Fatalf("the issuer refuses %s: %s", begun.to, back.body)
	}
	return back.to
}

func refuses(t *testing.T, what string, p page, status int, text string) {
	t.Helper()
	if p.status != status || !strings.Contains(p.body, text) {
		t.Errorf("%s: status %d: %s; expected %d with %q", what, p.status, p.body, status, text)
	}
}
