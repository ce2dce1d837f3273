package dialogue_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// world is what the actions of everything have done.
type world struct {
	mu    sync.Mutex
	paid  []string // by key and what was given
	looks int
}

// everything is a dialogue with steps of all types: a payment behind a confirmation, an order with a loop, a flow that is
// called and one that takes over, and flows that fail.
func everything(t interface {
	Helper()
	Fatal(args ...any)
}, w *world,
) *dialogue.Dialogue {
	t.Helper()
	in := func(name, value string) dialogue.Assignment { return dialogue.Assignment{Name: name, Value: value} }
	d, err := dialogue.Compile(dialogue.Definition{
		Name:     "everything",
		Settings: dialogue.Settings{Misses: 4},
		Slots:    []dialogue.Slot{{Name: "who"}},
		Flows: []dialogue.Flow{
			{
				Name: "pay", Trigger: []string{"pay"}, Slots: []dialogue.Slot{
					{Name: "payee"},
					{Name: "amount", Type: dialogue.Money, Validate: "amount > 0 and amount < 1000"},
					{Name: "note", Optional: true},
					{Name: "most", Type: dialogue.Money},
				},
				Steps: []dialogue.Step{
					{ID: "whom", Type: dialogue.CollectStep, Slot: "payee", Message: "To whom?"},
					{ID: "much", Type: dialogue.CollectStep, Slot: "amount", Message: "How much?"},
					{ID: "text", Type: dialogue.CollectStep, Slot: "note", Message: "A note?"},
					{ID: "look", Type: dialogue.ActionStep, Call: "look", Inputs: []dialogue.Assignment{in("amount", "amount")}, Outputs: []dialogue.Assignment{in("most", "most")}},
					{ID: "ok", Type: dialogue.ConfirmStep, Message: "Pay {{ amount }} to {{ payee }}, at most {{ most }}?"},
					{ID: "pay", Type: dialogue.ActionStep, Call: "pay", Inputs: []dialogue.Assignment{in("payee", "payee"), in("amount", "amount")}},
					{ID: "rated", Type: dialogue.InformStep, Message: "Paid {{ amount }} to {{ payee }}.", WaitForAck: true, Options: []string{"OK"}},
					{ID: "stars", Type: dialogue.LinkStep, Flow: "rate"},
				},
			},
			{
				Name: "order", Trigger: []string{"order"}, Slots: []dialogue.Slot{
					{Name: "item"}, {Name: "more", Type: dialogue.Boolean, Initial: true}, {Name: "count", Type: dialogue.Integer, Initial: 0}, {Name: "street"},
				},
				Steps: []dialogue.Step{
					{ID: "goes", Type: dialogue.WhileStep, When: "count < 3 and more", Steps: []dialogue.Step{
						{ID: "what", Type: dialogue.CollectStep, Slot: "item", Message: "What?", Again: true},
						{ID: "add", Type: dialogue.SetStep, Values: []dialogue.Assignment{in("count", "count + 1")}},
						{ID: "else", Type: dialogue.CollectStep, Slot: "more", Message: "More?", Again: true},
					}},
					{ID: "where", Type: dialogue.CallStep, Flow: "address", Outputs: []dialogue.Assignment{in("street", "street")}},
					{ID: "ok", Type: dialogue.ConfirmStep, Message: "{{ count }} to {{ street }}?", OnDeny: "kept"},
					{ID: "done", Type: dialogue.InformStep, Message: "On its way.", Next: dialogue.End},
					{ID: "kept", Type: dialogue.InformStep, Message: "Kept."},
				},
			},
			{
				Name: "address", Hidden: true, Slots: []dialogue.Slot{{Name: "street"}},
				Steps: []dialogue.Step{
					{ID: "name", Type: dialogue.CollectStep, Slot: "who", Message: "Who?"},
					{ID: "street", Type: dialogue.CollectStep, Slot: "street", Message: "Where?"},
					{ID: "ok", Type: dialogue.ConfirmStep, Message: "{{ who }}, {{ street }}?"},
				},
			},
			{
				Name: "rate", Trigger: []string{"rate"}, Slots: []dialogue.Slot{{Name: "stars", Type: dialogue.Integer, Validate: "stars >= 1 and stars <= 5"}},
				Steps: []dialogue.Step{
					{ID: "ask", Type: dialogue.CollectStep, Slot: "stars", Message: "How many stars?"},
					{ID: "good", Type: dialogue.BranchStep, Cases: []dialogue.Case{{When: "stars > 3", Next: "thanks"}}, Default: "sorry"},
					{ID: "thanks", Type: dialogue.InformStep, Message: "Thank you.", Next: dialogue.End},
					{ID: "sorry", Type: dialogue.InformStep, Message: "Sorry."},
				},
			},
			{Name: "breaks", Trigger: []string{"break"}, Steps: []dialogue.Step{{ID: "it", Type: dialogue.ActionStep, Call: "fail"}}},
			{Name: "mends", Trigger: []string{"mend"}, Steps: []dialogue.Step{
				{ID: "it", Type: dialogue.ActionStep, Call: "fail", OnError: "well"},
				{ID: "fine", Type: dialogue.InformStep, Message: "Fine.", Next: dialogue.End},
				{ID: "well", Type: dialogue.InformStep, Message: "Well."},
			}},
		},
	}, dialogue.Options{Actions: []dialogue.Action{
		{Name: "look", Run: func(_ node.Context, in map[string]any) (any, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.looks++
			return map[string]any{"most": 5000}, nil
		}},
		{Name: "pay", Run: func(ctx node.Context, in map[string]any) (any, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.paid = append(w.paid, fmt.Sprint(in["amount"], " to ", in["payee"]))
			return nil, nil
		}},
		{Name: "fail", Run: func(node.Context, map[string]any) (any, error) { return nil, node.Terminal(errors.New("no luck")) }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// anyCommand draws something that a button, or a model gone astray, may say.
func anyCommand(t *rapid.T, label string) dialogue.Command {
	flow := rapid.SampledFrom([]string{"pay", "order", "rate", "breaks", "mends", "address", "nothing", ""})
	slot := rapid.SampledFrom([]string{"payee", "amount", "note", "item", "more", "count", "street", "who", "stars", "most", "nothing"})
	kind := rapid.SampledFrom([]dialogue.CommandType{
		dialogue.StartFlow, dialogue.StartFlow, dialogue.SetSlot, dialogue.SetSlot, dialogue.SetSlot, dialogue.CorrectSlot, dialogue.ClearSlot, dialogue.Affirm, dialogue.Affirm, dialogue.Affirm,
		dialogue.Deny, dialogue.Clarify, dialogue.Chitchat, dialogue.Repeat, dialogue.Skip, dialogue.CancelFlow, "unheard_of",
	}).Draw(t, label)
	c := dialogue.Command{Type: kind}
	switch kind {
	case dialogue.StartFlow, dialogue.CancelFlow:
		c.Flow = flow.Draw(t, label+" flow")
	case dialogue.SetSlot, dialogue.CorrectSlot:
		c.Slot = slot.Draw(t, label+" slot")
		c.Value = rapid.SampledFrom([]any{5, 0, "Ada", true, false, nil, "50", -1, []any{"x"}, map[string]any{"a": 1}}).Draw(t, label+" value")
	case dialogue.ClearSlot:
		c.Slot = slot.Draw(t, label+" slot")
	case dialogue.Deny:
		if rapid.Bool().Draw(t, label+" about") {
			c.SlotToChange = slot.Draw(t, label+" slot")
		}
	case dialogue.Clarify:
		c.Options = []string{flow.Draw(t, label+" one"), flow.Draw(t, label+" two")}
	}
	return c
}

// TestAnyCommandsHaveAnAnswer sends commands of all kinds in any order: no conversation fails or stands still, each
// message has an answer, and nothing is paid but after a yes to the question that says so, and once for each.
func TestAnyCommandsHaveAnAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{}
		d := everything(t, w)
		rt, err := fermata.New(fermata.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		talks := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
		ctx := t.Context()
		last, _, err := talks.Open(ctx, "c", nil)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 3).Draw(t, "begins") > 0 { // at the question that a payment hangs on
			if last, err = talks.Send(ctx, "c", dialogue.Message{Commands: []dialogue.Command{
				{Type: dialogue.StartFlow, Flow: "pay"},
				{Type: dialogue.SetSlot, Slot: "payee", Value: "Ada"},
				{Type: dialogue.SetSlot, Slot: "amount", Value: 50},
				{Type: dialogue.SetSlot, Slot: "note", Value: "x"},
			}}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range rapid.IntRange(1, 14).Draw(t, "messages") {
			m := dialogue.Message{ID: fmt.Sprint(i)}
			for j := range rapid.IntRange(1, 3).Draw(t, "commands") {
				m.Commands = append(m.Commands, anyCommand(t, fmt.Sprint(i, ".", j)))
			}
			paid := len(w.paid)
			r, err := talks.Send(ctx, "c", m)
			if errors.Is(err, dialogue.ErrClosed) {
				return
			}
			if err != nil {
				t.Fatalf("message %d, %+v: %v", i, m.Commands, err)
			}
			if len(r.Said) == 0 && !r.Handoff {
				t.Fatalf("message %d, %+v, has no answer", i, m.Commands)
			}
			if n := len(w.paid) - paid; n > 1 || n == 1 && !paysFor(last, m, w.paid[paid]) {
				t.Fatalf("message %d, %+v, after %+v: %d payments, %v", i, m.Commands, last.Pending, n, w.paid)
			}
			if r.Handoff {
				if r, err = talks.Send(ctx, "c", dialogue.Message{Text: "There.", From: "agent", Done: true}); err != nil {
					t.Fatal(err)
				}
			}
			last = r
		}
	})
}

// paysFor reports whether a message is an explicit yes to the question that names what was paid, and nothing else.
func paysFor(last dialogue.Reply, m dialogue.Message, paid string) bool {
	if last.Pending == nil || !last.Pending.IsConfirm() || last.Pending.Prompt != fmt.Sprint("Pay ", paid, ", at most 5000?") {
		return false
	}
	yes := false
	for _, c := range m.Commands {
		switch c.Type {
		case dialogue.Affirm:
			yes = true
		case dialogue.Deny, dialogue.CancelFlow, dialogue.Repeat:
			return false
		}
	}
	return yes
}
