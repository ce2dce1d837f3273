package dialogue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/telemetry"
)

// canary is the value of a private slot that no other text has.
const canary = "918273645"

// secretFile is a dialogue that asks for a PIN, shows it to the user, gives it to an action, and may hand the user over. It knows
// another secret from the beginning.
const secretFile = `kind: Dialogue
metadata: {name: card}
settings: {translations: {de: de.yaml}}
context: {account: {type: text, private: true, initial: "` + canary + `", validate: "account != 'none'"}}
flows:
  block:
    description: Block a card
    trigger: [block my card, "block my card with pin {pin}"]
    slots: {pin: {type: integer, description: PIN, private: true, validate: "pin != 918273644"}, why: text}
    steps:
      - {id: pin, type: collect, slot: pin, message: "Your PIN?"}
      - {id: why, type: collect, slot: why, message: "Why?"}
      - {id: sure, type: confirm, message: "Block {{ account }} with {{ pin }}?"}
      - {id: act, type: action, call: block, inputs: {pin: pin}, on_error: done}
      - {id: done, type: inform, message: "Blocked with {{ pin }}."}
  balance:
    description: Show the balance
    trigger: [show my balance]
    steps: [{id: say, type: inform, message: It is 5.}]
`

// secretGerman is its translation, whose users speak English to it all the same.
const secretGerman = `kind: Translation
language: de
context: {account: {}}
flows:
  block:
    description: Karte sperren
    trigger: [block my card, "block my card with pin {pin}"]
    slots: {pin: {description: PIN}}
    steps: {pin: {message: "Welche PIN?"}, why: {message: "Warum?"}, sure: {message: "{{ account }} mit {{ pin }} sperren?"}, done: {message: "Gesperrt mit {{ pin }}."}}
  balance: {description: Kontostand, trigger: [show my balance], steps: {say: {message: Es sind 5.}}}
`

// secretive is the dialogue of secretFile in each way in which there are dialogues.
func secretive(t *testing.T, got *[]any, nlu dialogue.NLU, way string) *dialogue.Dialogue {
	t.Helper()
	o := dialogue.Options{NLU: nlu, Files: fstest.MapFS{"de.yaml": {Data: []byte(secretGerman)}}, Actions: []dialogue.Action{{
		Name: "block", Run: func(_ node.Context, in map[string]any) (any, error) {
			*got = append(*got, in["pin"])
			return nil, fmt.Errorf("the bank refuses %v", in["pin"])
		},
	}}}
	d, err := dialogue.Parse([]byte(secretFile), "card.yaml", o)
	if err == nil && way == "compiled" {
		def := d.Definition()
		d, err = dialogue.Compile(def, o)
	}
	if err == nil && way == "restored" {
		d, err = dialogue.Restore(d.Source(), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	if way == "translated" {
		return d.In("de")
	}
	return d
}

// answering is what a model answers to the messages that it may see.
func answering(prompt string) (string, error) {
	_, said, _ := strings.Cut(prompt, "<user>")
	said, _, _ = strings.Cut(said, "</user>")
	switch {
	case strings.Contains(said, "block"):
		return `{"commands":[{"type":"start_flow","flow_name":"block"}]}`, nil
	case strings.Contains(said, "balance"):
		return `{"commands":[{"type":"start_flow","flow_name":"balance"}]}`, nil
	case strings.Contains(said, "lost"):
		return `{"commands":[{"type":"set_slot","slot_name":"why","slot_value":"lost"}]}`, nil
	case strings.Contains(said, "yes"):
		return `{"commands":[{"type":"affirm"}]}`, nil
	case strings.Contains(said, "human"), strings.Contains(said, "Menschen"):
		return `{"commands":[{"type":"handoff"}]}`, nil
	}
	return `{"commands":[]}`, nil
}

// seen is a model that remembers what it was asked.
type seen struct {
	mu    sync.Mutex
	asked []string
	fails bool
}

func (s *seen) answer(prompt string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked = append(s.asked, prompt); s.fails {
		return "", errors.New("no model today for: " + prompt)
	}
	return answering(prompt)
}

// exported keeps spans as a telemetry backend gets them.
type exported struct {
	mu    sync.Mutex
	spans []string
}

func (e *exported) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range spans {
		e.spans = append(e.spans, fmt.Sprint(s.Name(), s.Attributes(), s.Events(), s.Status(), s.Links()))
	}
	return nil
}

func (*exported) Shutdown(context.Context) error { return nil }

// TestPrivateValuesAreNowhere says a private value in many ways, with every NLU, and looks for it wherever something leaves a
// conversation: only the user's own messages and questions, the action that is given it, and the journal have it.
func TestPrivateValuesAreNowhere(t *testing.T) {
	ways := map[string][]string{
		"answered":            {"block my card", canary, "I lost it", "yes", "show my balance", "human please"},
		"in a sentence":       {"block my card", "it is " + canary + ", thanks", "I lost it", "yes", "show my balance", "human please"},
		"doubted":             {"block my card", "less than " + canary, "yes", "I lost it", "yes", "show my balance", "human please"},
		"doubted and left":    {"block my card", "less than " + canary, "no", "1234", "I lost it", "yes", "human please"},
		"refused":             {"block my card", canary + ".5", "1234", "I lost it", "yes", "show my balance", "human please"},
		"volunteered":         {"block my card with pin " + canary, "I lost it", "yes", "show my balance", "human please"},
		"corrected":           {"block my card", "1234", "change the pin to " + canary, "I lost it", "yes", "show my balance", "human please"},
		"corrected at once":   {"block my card", "1234", "I lost it", "no, the pin is " + canary, "yes", "human please"},
		"below another flow":  {"block my card", canary, "show my balance", "I lost it", "human please"},
		"handed over at once": {"block my card", canary, "human please"},
	}
	for nlu, with := range map[string]func(*seen) dialogue.NLU{
		"phrases":       func(*seen) dialogue.NLU { return dialogue.NewPhraseNLU() },
		"model":         func(*seen) dialogue.NLU { return dialogue.NewModelNLU(dialogue.ModelOptions{}) },
		"failing model": func(m *seen) dialogue.NLU { m.fails = true; return dialogue.NewModelNLU(dialogue.ModelOptions{}) },
	} {
		for way, lines := range ways {
			for _, made := range []string{"compiled", "file", "restored", "translated"} {
				if made == "translated" && (strings.Contains(way, "doubted") || strings.Contains(way, "corrected") || strings.Contains(way, "sentence")) {
					continue // which the lines say in English words
				}
				t.Run(nlu+"/"+way+"/"+made, func(t *testing.T) { keepsSecrets(t, way, made, lines, with) })
			}
		}
	}
}

// keepsSecrets holds one conversation, and looks for the secrets.
func keepsSecrets(t *testing.T, way, made string, lines []string, with func(*seen) dialogue.NLU) {
	m := &seen{}
	var got []any
	c := newTracked(t, secretive(t, &got, with(m), made), m)
	for i, line := range lines {
		if made == "translated" {
			line = strings.Replace(line, "human please", "ich möchte mit einem Menschen sprechen", 1)
		}
		c.send(t, fmt.Sprint("m", i), line)
	}
	if standing, err := c.talks.Standing(t.Context(), "c"); err != nil || !standing.Handoff {
		t.Errorf("no person has taken over: %+v, %v", standing, err)
	}
	c.nowhere(t, m)
	if made != "translated" && !strings.Contains(way, "refused") && !strings.Contains(way, "left") && !strings.Contains(way, "below") && !strings.Contains(way, "at once") && fmt.Sprint(got) != "["+canary+"]" {
		t.Errorf("the action got %v", got)
	}
}

// tracked is a conversation of which all that leaves it is kept.
type tracked struct {
	rt    *fermata.Runtime
	talks *dialogue.Conversations
	spans *exported
	logs  bytes.Buffer
	web   http.Handler
}

func newTracked(t *testing.T, d *dialogue.Dialogue, m *seen) *tracked {
	t.Helper()
	c := &tracked{spans: &exported{}}
	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithSyncer(c.spans))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	observer, err := telemetry.New(telemetry.Options{TracerProvider: provider})
	if err != nil {
		t.Fatal(err)
	}
	if c.rt, err = fermata.New(fermata.Options{Services: []any{scripted.Func(m.answer)}, Observer: observer}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.rt.Close() })
	c.talks = dialogue.NewConversations(c.rt, d, dialogue.ConversationOptions{})
	allowed := func(*http.Request) error { return nil }
	c.web = web.New(c.talks, web.Options{Logger: slog.New(slog.NewJSONHandler(&c.logs, &slog.HandlerOptions{Level: slog.LevelDebug})), Review: allowed})
	open(t, c.talks, "c", nil)
	return c
}

func (c *tracked) send(t *testing.T, id, line string) {
	t.Helper()
	if _, err := c.talks.Send(t.Context(), "c", dialogue.Message{ID: id, Text: line}); err != nil && strings.Contains(err.Error(), canary) {
		t.Errorf("an error has it: %v", err)
	}
}

// nowhere looks for the canary.
func (c *tracked) nowhere(t *testing.T, m *seen) {
	t.Helper()
	look := func(where, text string) {
		if at := strings.Index(text, canary); at >= 0 {
			t.Errorf("%s: …%s…", where, text[max(0, at-120):min(len(text), at+40)])
		}
	}
	for _, asked := range m.asked {
		look("the model is asked", asked)
	}
	waiting, err := c.rt.Inbox(t.Context(), journal.InboxFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range waiting {
		data, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		look("a task has", string(data))
	}
	for e, err := range c.rt.Events(t.Context(), "c", 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		data, _ := e.Data()
		switch e.Type() {
		case node.EventDiagnostic:
			look("a diagnostic has", string(data))
		}
	}
	for m, err := range c.rt.History(t.Context(), "c") {
		if err != nil {
			t.Fatal(err)
		}
		if m.Entry.Kind == journal.NodeFailed {
			look("an error has", string(m.Entry.Body))
		}
	}
	for _, path := range []string{"/review", "/review/c"} {
		w := httptest.NewRecorder()
		c.web.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		body, _ := io.ReadAll(w.Body)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, body)
		}
		look(path, string(body))
	}
	if err := c.rt.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range slices.Clone(c.spans.spans) {
		look("a span has", s)
	}
	look("a log has", c.logs.String())
}
