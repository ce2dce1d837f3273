package dialogue_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/node"
)

// theSlot is a slot that holds what is above 0.
const theSlot = `amount: {type: money, validate: amount > 0, error: "{{ amount }} is too little."}`

// TestEveryValueIsCheckedWhereverItComesFrom gives a slot 0, or less, from each source of values there is.
func TestEveryValueIsCheckedWhereverItComesFrom(t *testing.T) {
	set := func(v any) dialogue.Command {
		return dialogue.Command{Type: dialogue.SetSlot, Slot: "amount", Value: v}
	}
	start := dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.StartFlow, Flow: "a"}}}
	say := func(text string) dialogue.Message { return dialogue.Message{Text: text} }
	asks := `flows: {a: {slots: {` + theSlot + `}, steps: [{type: collect, slot: amount, message: "How much?"}, {type: confirm, message: "Pay {{ amount }}?"}]}}`
	tests := map[string]struct {
		file string
		with map[string]any
		says []dialogue.Message
		want string
	}{
		"an answer":          {file: asks, says: []dialogue.Message{start, say("0"), say("5")}, want: "How much?|0 is too little. How much?|Pay 5?"},
		"a button":           {file: asks, says: []dialogue.Message{start, {Commands: []dialogue.Command{set(0)}}}, want: "How much?|0 is too little. How much?"},
		"a correction":       {file: asks, says: []dialogue.Message{start, say("5"), say("actually make it 0")}, want: "How much?|Pay 5?|0 is too little. Pay 5?"},
		"a value of no kind": {file: asks, says: []dialogue.Message{start, {Commands: []dialogue.Command{set([]any{"x"})}}}, want: `How much?|["x"] is not an amount of money. How much?`},
		"a handler's start": {
			file: asks, says: []dialogue.Message{{Commands: []dialogue.Command{{Type: "order", Value: 0}}}, {Commands: []dialogue.Command{{Type: "order", Value: 5}}}},
			want: "0 is too little. How much?|Pay 5?",
		},
		"outputs of an action": {
			file: `flows: {a: {slots: {` + theSlot + `}, steps: [{type: action, call: nothing, retries: 3, outputs: {amount: .}}, {type: confirm, message: "Pay {{ amount }}?"}]}}`,
			says: []dialogue.Message{start}, want: "0 is too little. I had to stop: a.",
		},
		"outputs of an action with on_error": {
			file: `flows: {a: {slots: {` + theSlot + `}, steps: [{type: action, call: nothing, retries: 3, outputs: {amount: ., word: .}, on_error: no}, {type: say, message: Yes., next: end}, {id: no, type: say, message: "No {{ word ?? 'word' }}."}]}}`,
			says: []dialogue.Message{start}, want: "No word. Is there anything else?",
		},
		"set": {
			file: `
context: {less: money}
flows: {a: {slots: {` + theSlot + `}, patterns: {refused: "Not {{ slot }} {{ value }}: {{ reason }}"}, steps: [{type: set, values: {word: "'x'", amount: less}}, {type: say, message: "{{ amount }}"}]}}`,
			with: map[string]any{"less": -1}, says: []dialogue.Message{start}, want: "Not amount -1: -1 is too little.",
		},
		"outputs of a call": {
			file: `
flows:
  a: {slots: {` + theSlot + `}, patterns: {refused: {flow: c}}, steps: [{type: call, flow: b, outputs: {amount: it}}, {type: say, message: "{{ amount }}"}]}
  b: {slots: {it: money}, steps: [{type: collect, slot: it, message: "It?"}]}
  c: {steps: [{type: say, message: "Sorry."}]}`,
			says: []dialogue.Message{start, say("0"), start, say("5")}, want: "It?|Sorry.|It?|5 Is there anything else?",
		},
		"inputs of a call": {
			file: `
context: {less: money}
flows:
  a: {steps: [{type: call, flow: b, inputs: {amount: less}}]}
  b: {slots: {` + theSlot + `}, steps: [{type: collect, slot: amount, message: "How much?"}]}`,
			with: map[string]any{"less": 0}, says: []dialogue.Message{start}, want: "How much?",
		},
		"inputs of a link": {
			file: `
context: {less: money}
flows:
  a: {steps: [{type: link, flow: b, inputs: {amount: less}}]}
  b: {slots: {` + theSlot + `}, steps: [{type: collect, slot: amount, message: "How much?"}]}`,
			with: map[string]any{"less": 0}, says: []dialogue.Message{start}, want: "How much?",
		},
		"initial": {
			file: `
context: {most: money}
slots: {limit: {type: money, initial: 5, validate: limit <= most}}
flows: {a: {slots: {own: {type: money, initial: 5, validate: own <= most}}, steps: [{type: say, message: "{{ limit ?? 'no limit' }}, {{ own ?? 'nothing' }}"}]}}`,
			with: map[string]any{"most": 1}, says: []dialogue.Message{start}, want: "no limit, nothing Is there anything else?",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c := orders(t, tt.file, &calls)
			open(t, c, "c", tt.with)
			var got []string
			for _, m := range tt.says {
				got = append(got, strings.Join(send(t, c, "c", m).Texts(), " "))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Error(diff)
			}
			if calls > 1 {
				t.Errorf("the action was made %d times", calls)
			}
		})
	}
	t.Run("context", func(t *testing.T) {
		d := written(t, `
context: {age: {type: integer, schema: {minimum: 1}}}
flows: {a: {steps: [{type: say, message: "{{ age }}"}]}}`, dialogue.Options{})
		for _, v := range []any{0, "x", nil, 1.5} {
			if _, err := d.Begin(map[string]any{"age": v}); err == nil {
				t.Errorf("%v: it begins", v)
			}
		}
	})
	t.Run("HTTP", func(t *testing.T) {
		c := talks(t, nil, written(t, asks, dialogue.Options{}), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		h := web.New(c, web.Options{Authorize: func(*http.Request, string) (bool, error) { return false, nil }})
		var got []string
		for i, m := range []string{`{"id":"1","commands":[{"type":"start_flow","flow_name":"a"}]}`, `{"id":"2","text":"0"}`, `{"id":"3","commands":[{"type":"set_slot","slot_name":"amount","slot_value":-3}]}`} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/conversations/c/messages", strings.NewReader(m))
			r.Header.Set("Content-Type", "application/json")
			h.ServeHTTP(w, r)
			var said struct{ Said []struct{ Prompt string } }
			if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != http.StatusOK {
				t.Fatalf("message %d: %d %s", i+1, w.Code, w.Body)
			}
			for _, s := range said.Said {
				got = append(got, s.Prompt)
			}
		}
		if diff := cmp.Diff([]string{"How much?", "0 is too little.", "How much?", "-3 is too little.", "How much?"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// orders are conversations of a dialogue whose action nothing gives 0, in a program that has a command of its own.
func orders(t *testing.T, file string, calls *int) *dialogue.Conversations {
	t.Helper()
	d := written(t, file, dialogue.Options{Actions: []dialogue.Action{{Name: "nothing", Run: func(node.Context, map[string]any) (any, error) {
		*calls++
		return 0, nil
	}}}})
	return talksWith(t, d, &dialogue.Services{Handlers: map[dialogue.CommandType]dialogue.Handler{
		"order": func(_ node.Context, c dialogue.Command, _ *dialogue.State) (dialogue.Delta, error) {
			return dialogue.Delta{Start: []dialogue.Start{{Flow: "a", Slots: map[string]any{"amount": c.Value}}}}, nil
		},
	}})
}

// talksWith are conversations in a program with services.
func talksWith(t *testing.T, d *dialogue.Dialogue, services ...any) *dialogue.Conversations {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Services: services})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	return dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
}

// TestRetriesAreNotOfAPlanWithSteps: it says itself what is tried again, and that the step cannot say it shows at load.
func TestRetriesAreNotOfAPlanWithSteps(t *testing.T) {
	_, err := dialogue.Parse([]byte(`kind: Dialogue
flows: {a: {trigger: [do a], steps: [{id: x, type: action, call: other, retries: 2}, {id: y, type: action, call: other}]}}
`), "d.yaml", dialogue.Options{Actions: []dialogue.Action{{Name: "other", Plan: echo(t).Plan()}}})
	if err == nil || !strings.Contains(err.Error(), `d.yaml:2:38: the action "other" has steps of its own`) {
		t.Error(err)
	}
}

// TestWhatAnActionNeedNotGiveLeavesTheSlotAsItIs takes a member that is there in every second call.
func TestWhatAnActionNeedNotGiveLeavesTheSlotAsItIs(t *testing.T) {
	calls := 0
	look := dialogue.Action{Name: "look", Run: func(node.Context, map[string]any) (any, error) {
		if calls++; calls%2 == 1 {
			return map[string]any{}, nil
		}
		return map[string]any{"found": "it"}, nil
	}}
	typed := look
	typed.Name, typed.Out = "typed", parsed(`{"type":"object","properties":{"found":{"type":"string"}}}`)
	o := dialogue.Options{Actions: []dialogue.Action{look, typed}}
	for _, step := range []string{"{type: action, call: typed, outputs: {word: found}}", `{type: action, call: look, outputs: {word: "found?"}}`} {
		d := written(t, "flows: {a: {trigger: [do a], slots: {word: text}, steps: ["+step+`, {type: say, message: "{{ word ?? 'nothing' }}"}]}}`, o)
		if diff := cmp.Diff("nothing Is there anything else?|it Is there anything else?", says(t, d, nil, "do a", "do a")); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
		_, err := dialogue.Parse([]byte("kind: Dialogue\nflows: {a: {trigger: [do a], slots: {word: text}, steps: ["+step+`, {type: say, message: "{{ word }}"}]}}`), "d.yaml", o)
		if err == nil || !strings.Contains(err.Error(), `"word" may be missing`) {
			t.Errorf("%s: %v", step, err)
		}
	}
}

// TestWhatAConversationBeginsWithIsChecked begins conversations whose context has a check of its own, which reads the rest of it.
func TestWhatAConversationBeginsWithIsChecked(t *testing.T) {
	d := written(t, `
context:
  most: {type: money, optional: true}
  balance: {type: money, validate: balance >= 0 and balance <= most, error: "{{ balance }} is not within {{ most }}."}
flows: {a: {steps: [{type: say, message: "{{ balance }}"}]}}`, dialogue.Options{})
	for _, tt := range []struct {
		with map[string]any
		want string
	}{
		{map[string]any{"balance": 5, "most": 5}, ""},
		{map[string]any{"balance": -1}, ""}, // as long as nobody says what most is
		{map[string]any{"balance": 6, "most": 5}, "context: balance: 6 is not within 5."},
	} {
		said := ""
		if _, err := d.Begin(tt.with); err != nil {
			said = err.Error()
		}
		if said != tt.want {
			t.Errorf("%v: %q, expected %q", tt.with, said, tt.want)
		}
	}
}
