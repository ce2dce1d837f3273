package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
)

// TestARealModel runs each part with a service that speaks OpenAI's protocol and says what the script says: people see
// the same, but for the name of the model.
func TestARealModel(t *testing.T) {
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts() {
		t.Run(p.name, func(t *testing.T) {
			keyless(t)
			var asked atomic.Int64
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				speak(t, p.script, w, r)
			}))
			defer service.Close()
			t.Setenv("OPENAI_BASE_URL", service.URL+"/v1")
			t.Setenv("OPENAI_API_KEY", "sk-not-to-be-shown")
			shown := play(t, "--model openai:gpt-5", sittings()[p.name]...)
			data, err := os.ReadFile(filepath.Join(here, p.name+".golden"))
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Replace(string(data), "the scripted model (a real one: --model openai:gpt-5)", "openai:gpt-5", 1)
			if diff := cmp.Diff(want, shown); diff != "" {
				t.Errorf("(-scripted +openai):\n%s", diff)
			}
			if !strings.Contains(shown, fmt.Sprintf("calls of the model: %d\n", asked.Load())) {
				t.Errorf("the service was asked %d times", asked.Load())
			}
		})
	}
}

// speak answers a request for a chat completion by a script.
func speak(t *testing.T, s script, w http.ResponseWriter, r *http.Request) {
	var chat struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role, Content string
			ToolCalls     []struct{ ID string } `json:"tool_calls"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&chat); err != nil || r.URL.Path != "/v1/chat/completions" || chat.Model != "gpt-5" || !chat.Stream {
		t.Errorf("%s: %+v, %v", r.URL.Path, chat, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.Header.Get("Authorization") != "Bearer sk-not-to-be-shown" {
		t.Error("the key is not sent")
	}
	req := &model.Request{}
	for _, m := range chat.Messages {
		switch m.Role {
		case "system", "developer":
			req.System = m.Content
		case "assistant":
			req.Messages = append(req.Messages, model.Says(model.Assistant, m.Content))
		case "tool":
			if last := &req.Messages[len(req.Messages)-1]; last.Role == model.User { // results come in messages of their own
				last.Parts[0].Text += "\n" + m.Content
				continue
			}
			fallthrough
		default:
			req.Messages = append(req.Messages, model.Says(model.User, m.Content))
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for chunk, err := range s.model().Generate(r.Context(), req) {
		if err != nil {
			t.Errorf("%v: %+v", err, chat)
			return
		}
		for _, event := range said(&chunk) {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", event)
			_ = http.NewResponseController(w).Flush()
		}
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// said is a chunk as the protocol has it.
func said(c *model.Chunk) []string {
	const event = `{"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-5","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`
	var events []string
	switch {
	case c.Text != "":
		events = append(events, fmt.Sprintf(event, `{"content":`+quoted(c.Text)+`}`, "null"))
	case c.Call != nil:
		delta := fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}]}`,
			c.Call.Index, c.Call.ID, c.Call.Name, quoted(c.Call.Arguments))
		events = append(events, fmt.Sprintf(event, delta, "null"))
	case c.Finish == model.FinishCalls:
		events = append(events, fmt.Sprintf(event, "{}", `"tool_calls"`))
	case c.Finish != "":
		events = append(events, fmt.Sprintf(event, "{}", `"stop"`))
	}
	return events
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(data)
}
