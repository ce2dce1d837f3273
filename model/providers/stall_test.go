package providers_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
	"github.com/fermata-go/fermata/model/openai"
	"github.com/fermata-go/fermata/model/providers"
)

// dialing are models whose connections are made in this way.
func dialing(t *testing.T, idle time.Duration, dial func(ctx context.Context) (net.Conn, error)) map[string]model.Model {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}}
	const url = "http://127.0.0.1:1"
	o, err := openai.New(openai.Options{Model: "m", BaseURL: url, NoKey: true, Idle: idle, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	a, err := anthropic.New(anthropic.Options{Model: "m", BaseURL: url, NoKey: true, Idle: idle, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return map[string]model.Model{"openai": o, "anthropic": a}
}

// A connection that never opens is given up after Idle, too, and so is a host that accepts and says nothing.
func TestAConnectionThatNeverOpensIsGivenUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts: the machine does, and nothing follows
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for how, dial := range map[string]func(context.Context) (net.Conn, error){
		"never opens": func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() },
		"is mute": func(ctx context.Context) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
		},
	} {
		for name, m := range dialing(t, 60*time.Millisecond, dial) {
			t.Run(name+" "+how, func(t *testing.T) {
				begun := time.Now()
				_, err := model.Collect(m.Generate(t.Context(), model.Ask("?")))
				if took := time.Since(begun); took > 5*time.Second || !errors.Is(err, model.ErrUnavailable) || !strings.Contains(err.Error(), "has sent nothing for 60ms") {
					t.Errorf("after %s: %v", took, err)
				}
			})
		}
	}
}

// A service that has said all, and keeps the connection, is not waited for.
func TestABodyThatNeverEnds(t *testing.T) {
	for name, wire := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := bytes.Join(events(t, wire.stream), nil)
			m, err := wire.make(serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
				send(w, all)
				<-r.Context().Done()
			}), time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if r, err := model.Collect(m.Generate(ctx, model.Ask("?"))); err != nil || r.Finish == "" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// Each provider of the environment is asked again where nobody has seen anything of a reply that broke, and not where
// somebody has. One that asks for an hour is not waited for: the error says so at once.
func TestEachProviderAsksAgain(t *testing.T) {
	for name, wire := range wires {
		all := events(t, wire.stream)
		text := saidBy(t, wire.make, bytes.Join(all, nil))
		for how, tt := range map[string]struct {
			seen   int // of the events, before the connection breaks; -1: it is busy for an hour
			unseen bool
			tries  int
			says   string
		}{
			"cut behind a part that nobody sees": {seen: len(all) / 2, unseen: true, tries: 2},

			"cut before anything": {seen: 0, tries: 2},
			"cut behind a part":   {seen: len(all) / 2, tries: 1, says: "EOF"},
			"busy for an hour":    {seen: -1, tries: 1, says: "1h0m0s"},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				tries := 0
				url := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
					switch tries = n; {
					case n > 1:
						send(w, bytes.Join(all, nil))
					case tt.seen < 0:
						w.Header().Set("Retry-After", "3600")
						w.WriteHeader(http.StatusTooManyRequests)
					default:
						send(w, bytes.Join(all[:tt.seen], nil))
						panic(http.ErrAbortHandler)
					}
				})
				env := strings.ToUpper(name)
				t.Setenv(env+"_BASE_URL", url)
				t.Setenv(env+"_API_KEY", "sk-test-1234567890")
				set, err := providers.FromEnv(providers.Options{Model: name + ":m", Retry: model.RetryPolicy{Backoff: 10 * time.Millisecond, Jitter: -1}})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if tt.unseen {
					ctx = model.Unseen(ctx)
				}
				r, err := model.Collect(set[model.Default].Generate(ctx, model.Ask("?")))
				if err == nil && r.Text() != text {
					t.Errorf("got %q, expected %q", r.Text(), text)
				}
				if tries != tt.tries || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%d tries: %v", tries, err)
				}
			})
		}
	}
}

// saidBy is the text of a reply that comes whole.
func saidBy(t *testing.T, open func(string, time.Duration) (model.Model, error), stream []byte) string {
	t.Helper()
	m, err := open(serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { send(w, stream) }), 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := model.Collect(m.Generate(t.Context(), model.Ask("?")))
	if err != nil || r.Text() == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.Text()
}
