package dialogue_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/schema"
)

// brought is a dialogue with a context of several types, one of them private.
func brought(t *testing.T) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Parse([]byte(`
kind: Dialogue
metadata: {name: brought}
context:
  customer: {type: text, initial: Ada, description: who speaks}
  plan: {type: choice, choices: [basic, gold]}
  limit: {type: money, optional: true}
  secret: {type: text, private: true, initial: swordfish}
flows:
  send:
    trigger: [send money]
    slots: {amount: {type: integer}, pin: {type: text, private: true}}
    steps:
      - {id: code, type: collect, slot: pin, message: "PIN?"}
      - {id: much, type: collect, slot: amount, message: "How much?"}
`), "brought.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The schema of the inputs takes what Begin takes: it has all names, their types and what they hold otherwise, and no private value.
func TestInputsAreTheContext(t *testing.T) {
	d := brought(t)
	want := `{"type":"object","properties":{"customer":{"default":"Ada","description":"who speaks","type":"string"},` +
		`"plan":{"enum":["basic","gold"],"type":"string"},"limit":{"type":"number"},"secret":{"type":"string"}},"required":["plan"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(d.Inputs())); diff != "" {
		t.Errorf("the schema (-want +got):\n%s", diff)
	}
	s, err := schema.Parse(d.Inputs())
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{`{}`, `{"plan":"gold"}`, `{"plan":"silver"}`, `{"plan":"gold","limit":5}`, `{"plan":"gold","limit":"much"}`, `{"plan":"gold","name":"x"}`} {
		var context map[string]any
		if err := json.Unmarshal([]byte(given), &context); err != nil {
			t.Fatal(err)
		}
		_, begun := d.Begin(context)
		if checked := s.Check([]byte(given)); (begun == nil) != (checked == nil) {
			t.Errorf("%s: Begin says %v, the schema %v", given, begun, checked)
		}
	}
	if got := string(post(t, "en").Inputs()); got != `{"type":"object"}` {
		t.Errorf("without a context: %s", got)
	}
}

// Who looks after a conversation sees where it stands, and no private value.
func TestALookShowsWhereAConversationStands(t *testing.T) {
	c := talks(t, nil, brought(t), dialogue.ConversationOptions{})
	open(t, c, "ada", map[string]any{"plan": "gold"})
	look := func() dialogue.Look {
		t.Helper()
		l, err := c.Look(context.Background(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := look(); len(l.Turns) != 0 || len(l.Flows) != 0 {
		t.Errorf("before the first message: %+v", l)
	}
	for _, text := range []string{"send money", "4711"} {
		if _, err := c.Send(context.Background(), "ada", dialogue.Message{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	l := look()
	if diff := cmp.Diff([]dialogue.Place{{Flow: "send", Step: "much", Slot: "amount"}}, l.Flows); diff != "" {
		t.Errorf("flows (-want +got):\n%s", diff)
	}
	slots := map[string]any{"customer": "Ada", "plan": "gold", "secret": "[private]", "pin": "[private]"}
	if diff := cmp.Diff(slots, l.Slots); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
	if len(l.Turns) != 2 || !l.Turns[1].Hidden {
		t.Errorf("turns: %+v", l.Turns)
	}
	text, err := json.Marshal(l)
	if err != nil || strings.Contains(string(text), "4711") || strings.Contains(string(text), "swordfish") {
		t.Errorf("%s %v", text, err)
	}
	if _, err := c.Look(context.Background(), "bob"); err == nil {
		t.Error("a conversation that is not there is shown")
	}
}
