package api_test

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/server"
	"github.com/fermata-go/fermata/settings"
)

// log is what a handler has logged.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// behindTokens is a world whose people log in with tokens of its store, at a time that is ahead of the real one by what ahead says.
func behindTokens(t *testing.T, store journal.Store, ahead *sync.Map) (*world, *identity.Tokens, *log) {
	t.Helper()
	w, said := new(world), new(log)
	w.rt = fermata.MustNew(fermata.Options{Store: store})
	now := func() time.Time {
		d, _ := ahead.LoadOrStore("by", time.Duration(0))
		return time.Now().Add(d.(time.Duration))
	}
	tokens := identity.NewTokens(settings.New(store, settings.Options{}), now)
	var err error
	w.api, err = api.New(w.rt, api.Options{
		Definitions: []api.Definition{{Plan: asks.Plan()}},
		Server: server.Options{
			Recheck: 5 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Authorize: func(r *http.Request) (server.Person, error) {
				p, err := tokens.Request(r)
				if err != nil && !errors.Is(err, identity.ErrNoLogin) {
					return server.Person{}, &fermata.Error{Code: fermata.CodeStore, Err: err}
				}
				return server.PersonOf(p), err
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewServer(w.api)
	t.Cleanup(func() {
		_ = w.rt.Close()
		w.http.Close()
	})
	return w, tokens, said
}

func create(t *testing.T, tokens *identity.Tokens, token identity.Token) string {
	t.Helper()
	secret, _, err := tokens.Create(t.Context(), token, "root")
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// TestW5_AStreamEndsWithItsToken revokes the token of an open stream, or lets it expire: nothing more is told.
func TestW5_AStreamEndsWithItsToken(t *testing.T) {
	for name, end := range map[string]func(*identity.Tokens, *sync.Map) error{
		"revoked": func(tokens *identity.Tokens, _ *sync.Map) error {
			_, err := tokens.Revoke(t.Context(), "eye", "root", "")
			return err
		},
		"expired": func(_ *identity.Tokens, ahead *sync.Map) error {
			ahead.Store("by", 2*time.Hour)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			ahead := new(sync.Map)
			w, tokens, _ := behindTokens(t, memory.New(), ahead)
			admin := "Bearer " + create(t, tokens, identity.Token{Name: "root", Role: "admin"})
			eye := "Bearer " + create(t, tokens, identity.Token{Name: "eye", Role: "viewer", Expires: time.Now().Add(time.Hour)})
			run, question := w.paused(t, "Authorization", admin)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.http.URL+"/api/runs/"+run+"/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", eye)
			res, err := w.http.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			lines, seen := bufio.NewScanner(res.Body), ""
			for rests := false; !rests && lines.Scan(); {
				rests = strings.Contains(lines.Text(), `"run.paused"`)
			}
			if err := end(tokens, ahead); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() {
				seen += lines.Text() + "\n"
			}
			if !strings.Contains(seen, `event: error`) || !strings.Contains(seen, `"code":"unauthenticated"`) || strings.Contains(seen, `"seq"`) {
				t.Errorf("after the end comes %s", seen)
			}
			w.request(t, "GET", "/api/runs/"+run, "", "Authorization", eye).refuses(t, 401, "not known, was revoked, or has expired")
			w.request(t, "POST", "/api/interrupts/"+question+"/answer", `{"value":true}`, "Authorization", eye).refuses(t, 401, "not known")
		})
	}
}

// TestW6_NoRequestLeavesATokenBehind makes requests of all kinds with a token, good and bad ones, on a store that fails now and then:
// neither the answers nor the log have any part of its secret.
func TestW6_NoRequestLeavesATokenBehind(t *testing.T) {
	store := journaltest.NewFaulty(memory.New())
	w, tokens, said := behindTokens(t, store, new(sync.Map))
	token := create(t, tokens, identity.Token{Name: "ada", Role: "admin"})
	run, _ := w.paused(t, "Authorization", "Bearer "+token)
	for n := 50; n < 2000; n += 7 {
		store.FailRead(n, journaltest.Before)
	}
	failed := 0
	for range 20 {
		for _, at := range []string{"/api/me", "/api/runs", "/api/runs/" + run, "/api/runs/" + token, "/api/runs?token=" + token, "/api/interrupts", "/" + token} {
			for _, header := range []string{"Bearer " + token, "Basic " + token, token, "Bearer " + token[:50]} {
				r := w.request(t, "GET", at, "", "Authorization", header)
				if r.status == 500 {
					failed++
				}
				if strings.Contains(r.body, token[29:40]) && !strings.HasPrefix(at, "/"+token[:5]) {
					t.Fatalf("%s: %d %s", at, r.status, r.body)
				}
			}
		}
	}
	if failed == 0 || !strings.Contains(said.String(), "made up for a test") {
		t.Errorf("%d requests have failed, and the log is %q", failed, said.String())
	}
	if strings.Contains(said.String(), token[29:40]) {
		t.Errorf("the log has the token: %s", said.String())
	}
}

// TestW5_AStrangersPageHasNoLogin makes the requests that a page of another origin, or behind a name that was pointed at this server,
// makes in the browser of somebody who has logged in: it has no token, and with one that it has stolen it still changes nothing.
func TestW5_AStrangersPageHasNoLogin(t *testing.T) {
	w, tokens, _ := behindTokens(t, memory.New(), new(sync.Map))
	token := create(t, tokens, identity.Token{Name: "ada", Role: "admin"})
	const body = `{"definition":"asks","input":{"amount":1}}`
	for _, header := range [][]string{
		{"Host", "evil.example"},
		{"Host", "evil.example", "Cookie", "token=" + token},
		{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Cookie", "fermata=" + token},
	} {
		w.request(t, "GET", "/api/runs", "", header...).refuses(t, 401, "found none")
		if r := w.request(t, "POST", "/api/runs", body, header...); r.status != 401 && r.status != 403 {
			t.Errorf("%v: %d %s", header, r.status, r.body)
		}
	}
	for _, header := range [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Origin", "null"}} {
		w.request(t, "POST", "/api/runs", body, append(header, "Authorization", "Bearer "+token)...).refuses(t, 403, "may not do that")
	}
	r := w.request(t, "OPTIONS", "/api/runs", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization")
	for name := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("a page of another origin is told %s: %s", name, r.header.Get(name))
		}
	}
	if r := w.request(t, "GET", "/api/me", "", "Authorization", "Bearer "+token); r.status != 200 || r.header.Get("Set-Cookie") != "" || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", r.status, r.header)
	}
}
