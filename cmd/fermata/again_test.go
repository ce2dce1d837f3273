package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestF1_AModelThatFailsOnceIsAskedAgain has a model's service refuse the first request: a run that a user types does not fail
// for that.
func TestF1_AModelThatFailsOnceIsAskedAgain(t *testing.T) {
	for name, refuse := range map[string]func(w http.ResponseWriter){
		"500": func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"oops"}}`, http.StatusInternalServerError)
		},
		"503": func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"busy"}}`, http.StatusServiceUnavailable)
		},
		"429, with Retry-After": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
		},
		"a connection that breaks": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 1 {
					refuse(w)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprint(w, `data: {"id":"1","model":"gpt-5","choices":[{"index":0,"delta":{"content":"the second time"},"finish_reason":"stop"}]}`,
					"\n\ndata: [DONE]\n\n")
			}))
			defer service.Close()
			t.Setenv("OPENAI_API_KEY", "sesame-open-42")
			t.Setenv("OPENAI_BASE_URL", service.URL+"/v1")
			t.Chdir(t.TempDir())
			saved(t, "ask.yaml", `
agents:
  ask: {kind: model, model: "openai:gpt-5", prompt: "Say it"}
entry_point: ask
nodes:
  - {type: agent, id: ask, agent_ref: ask}
`)
			m, stdout, stderr := command(t)
			code := m.Run(t.Context(), []string{"run", "ask.yaml", "--store", "memory:", "--no-input"})
			if code != exitCompleted || asked.Load() != 2 || !strings.Contains(stdout.String(), "the second time") {
				t.Errorf("exit code %d after %d requests:\n%s%s", code, asked.Load(), stdout, stderr)
			}
		})
	}
}
