//go:build linux

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// poet is a dialogue whose action is a model that writes, and streams what it writes.
const poet = `
kind: Dialogue
actions:
  write: {kind: model, model: "openai:gpt-5", prompt: "Write a poem", stream: patch}
flows:
  poem:
    description: A poem
    trigger: [a poem]
    steps:
      - {id: write, type: action, call: write, outputs: {text: result}}
      - {id: say, type: say, message: "It is done: {{ text }}"}
`

// TestE2_ChatShowsTextWhileAModelWritesIt has the model write the second half only when the terminal shows the first.
func TestE2_ChatShowsTextWhileAModelWritesIt(t *testing.T) {
	seen := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i, text := range []string{"Roses are red,", " violets are blue."} {
			if i > 0 {
				select {
				case <-seen:
				case <-time.After(2 * time.Minute):
					t.Error("the terminal does not show what the model writes")
				case <-r.Context().Done():
					return
				}
			}
			_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-5\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = fmt.Fprint(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-5\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer service.Close()
	dir := t.TempDir()
	saved(t, dir+"/poet.yaml", poet)
	s := sit(t, dir, "$OPENAI_API_KEY=sesame", "$OPENAI_BASE_URL="+service.URL+"/v1", "chat", "poet.yaml", "--store", "chat.db")
	s.sees(">")
	s.types("a poem", enter)
	s.sees("Roses are red,")
	close(seen)
	s.sees("It is done: Roses are red, violets are blue.\nIs there anything else?\n>")
	s.types(ctrlD)
	s.ends(0)
}
