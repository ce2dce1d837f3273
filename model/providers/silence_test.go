package providers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
	"github.com/fermata-go/fermata/model/openai"
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

var wires = map[string]struct {
	stream string
	make   func(url string, idle time.Duration) (model.Model, error)
}{
	"openai": {"../openai/testdata/text.sse", func(url string, idle time.Duration) (model.Model, error) {
		return openai.New(openai.Options{Model: "m", BaseURL: url, NoKey: true, Idle: idle})
	}},
	"anthropic": {"../anthropic/testdata/text.sse", func(url string, idle time.Duration) (model.Model, error) {
		return anthropic.New(anthropic.Options{Model: "m", BaseURL: url, NoKey: true, Idle: idle})
	}},
}

// A service that falls silent, before its headers or behind any event of a reply, is given up after Idle.
func TestASilentServiceIsGivenUp(t *testing.T) {
	const idle = 60 * time.Millisecond
	for name, wire := range wires {
		all := events(t, wire.stream)
		for stall := -1; stall < len(all)-1; stall++ {
			t.Run(name+" "+strconv.Itoa(stall), func(t *testing.T) {
				t.Parallel()
				m, err := wire.make(serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
					if stall >= 0 {
						send(w, bytes.Join(all[:stall], nil))
					}
					<-r.Context().Done()
				}), idle)
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				r, err := model.Collect(m.Generate(t.Context(), model.Ask("?")))
				if took := time.Since(begun); took > 5*time.Second {
					t.Errorf("it took %s", took)
				}
				if err != nil && (!errors.Is(err, model.ErrUnavailable) || !strings.Contains(err.Error(), "has sent nothing for 60ms")) || err == nil && r.Finish == "" {
					t.Errorf("%v %+v", err, r)
				}
				if err == nil && stall < len(all)/2 {
					t.Errorf("half a reply is taken for a whole one: %+v", r)
				}
			})
		}
	}
}

// Comments keep a connection, but not for ever; and a reply that trickles is none that is silent.
func TestSignsOfLife(t *testing.T) {
	for name, wire := range wires {
		all := events(t, wire.stream)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow, err := wire.make(serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				for _, e := range all {
					time.Sleep(30 * time.Millisecond)
					send(w, []byte(": still here\n\n"))
					time.Sleep(30 * time.Millisecond)
					send(w, e)
				}
			}), 500*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := model.Collect(slow.Generate(t.Context(), model.Ask("?"))); err != nil {
				t.Errorf("a slow reply: %v", err)
			}
			pings, err := wire.make(serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					send(w, []byte(": ping\n\n"))
					time.Sleep(5 * time.Millisecond)
				}
			}), 100*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			_, err = model.Collect(pings.Generate(t.Context(), model.Ask("?")))
			if !errors.Is(err, model.ErrUnavailable) || !strings.Contains(err.Error(), "has sent no part of the reply for 1s") {
				t.Errorf("pings alone: %v", err)
			}
		})
	}
}

// The models of the environment are asked again for what passes: too many requests, trouble of the provider, connections
// that break before anything was seen. What was seen is not asked for again.
func TestFromEnvAsksAgain(t *testing.T) {
	all := events(t, wires["openai"].stream)
	whole := bytes.Join(all, nil)
	status := func(code int, after string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(code)
		}
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
		"429 at a time":            {first: status(429, time.Now().Add(4*time.Second).UTC().Format(http.TimeFormat)), least: 500 * time.Millisecond},
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
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
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
