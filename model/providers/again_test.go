package providers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/modeltest"
	"github.com/fermata-go/fermata/model/providers"
)

// serve answers each request, numbered from 1.
func serve(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) string {
	t.Helper()
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client has gone
		answer(int(n.Add(1)), w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func events(t *testing.T, file string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(data, []byte("\n\n"))
}

func send(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(data) // whoever reads may be gone
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// The models of the environment are asked again for what passes: too many requests, trouble of the provider, connections
// that break before anything was seen. What was seen is not asked for again.
func TestFromEnvAsksAgain(t *testing.T) {
	all := events(t, "../openai/testdata/text.sse")
	whole := bytes.Join(all, nil)
	status := func(code int, after string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(code)
		}
	}
	atATime := func(w http.ResponseWriter) {
		status(http.StatusTooManyRequests, time.Now().Add(4*time.Second).UTC().Format(http.TimeFormat))(w)
	}
	broken := func(data []byte) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			send(w, data)
			panic(http.ErrAbortHandler)
		}
	}
	for name, tt := range map[string]struct {
		first func(http.ResponseWriter)
		least time.Duration
		want  error
	}{
		"500":                      {first: status(500, "")},
		"503":                      {first: status(503, "")},
		"429":                      {first: status(429, "1"), least: time.Second},
		"429 at a time":            {first: atATime, least: 500 * time.Millisecond},
		"cut before anything":      {first: broken(nil)},
		"cut in the first event":   {first: broken(all[0][:len(all[0])/2])},
		"400":                      {first: status(400, ""), want: model.ErrInvalid},
		"cut behind what was seen": {first: broken(bytes.Join(all[:2], nil)), want: model.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			url := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if asked = n; n == 1 {
					tt.first(w)
					return
				}
				send(w, whole)
			})
			t.Setenv("OPENAI_BASE_URL", url)
			t.Setenv("OPENAI_API_KEY", "sk-test-1234567890")
			set, err := providers.FromEnv(providers.Options{Model: "openai:m", Retry: model.RetryPolicy{Backoff: 10 * time.Millisecond, Jitter: -1}})
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			_, err = model.Collect(set[model.Default].Generate(ctx, model.Ask("?")))
			tries := 2
			if tt.want != nil {
				tries = 1
			}
			if !errors.Is(err, tt.want) || asked != tries || time.Since(begun) < tt.least {
				t.Errorf("%d tries in %s: %v", asked, time.Since(begun), err)
			}
		})
	}
}

// Each provider of the environment is asked again where nobody has seen anything of a reply that broke, and not where
// somebody has. One that asks for an hour is not waited for: the error says so at once.
func TestEachProviderAsksAgain(t *testing.T) {
	for _, name := range []string{providers.OpenAI, providers.Anthropic} {
		all := events(t, "../"+name+"/testdata/text.sse")
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
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				if tt.unseen {
					ctx = model.Unseen(ctx)
				}
				r, err := model.Collect(set[model.Default].Generate(ctx, model.Ask("?")))
				if err == nil && r.Text() != modeltest.Says {
					t.Errorf("got %q, expected %q", r.Text(), modeltest.Says)
				}
				if tries != tt.tries || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%d tries: %v", tries, err)
				}
			})
		}
	}
}
