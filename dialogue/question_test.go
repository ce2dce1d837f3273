package dialogue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// payingAmounts asks for an amount, and pays it after a yes.
func payingAmounts(t *testing.T, made *[]string) *dialogue.Dialogue {
	return compiled(t, dialogue.Definition{Flows: []dialogue.Flow{{
		Name: "pay", Trigger: []string{"pay", "pay {amount}"}, Slots: []dialogue.Slot{{Name: "amount", Type: dialogue.Money}},
		Steps: []dialogue.Step{
			{ID: "much", Type: dialogue.CollectStep, Slot: "amount", Message: "How much?"},
			{ID: "ok", Type: dialogue.ConfirmStep, Message: "Pay {{ amount }}?"},
			{ID: "pay", Type: dialogue.ActionStep, Call: "pay", Inputs: []dialogue.Assignment{{Name: "amount", Value: "amount"}}},
			{ID: "done", Type: dialogue.InformStep, Message: "Paid."},
		},
	}}}, dialogue.Options{Actions: []dialogue.Action{counted("pay", made)}})
}

// TestAYesCountsForTheQuestionThatItsSenderHasSeen lets two clients speak in one conversation: one changes the amount, and
// the other one says yes to what it was asked before.
func TestAYesCountsForTheQuestionThatItsSenderHasSeen(t *testing.T) {
	for name, said := range map[string]dialogue.Message{
		"in words":  {Text: "yes"},
		"by button": {Commands: []dialogue.Command{{Type: dialogue.Affirm}}},
		"a skip":    {Commands: []dialogue.Command{{Type: dialogue.Skip}}},
		"a value":   {Text: "make it 7"},
		"a cancel":  {Text: "cancel"},
	} {
		var made []string
		c := talks(t, nil, payingAmounts(t, &made), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		before := send(t, c, "c", dialogue.Message{Text: "pay 50"}).Pending
		now := send(t, c, "c", dialogue.Message{Text: "make it 900", Question: before.ID}).Pending
		if before.ID == "" || now.ID == before.ID {
			t.Fatalf("%q and then %q ask different things", before.ID, now.ID)
		}
		said.Question = before.ID
		r := send(t, c, "c", said)
		if diff := cmp.Diff([]string{"That was an answer to an earlier question.", "Pay 900?"}, r.Texts()); diff != "" || len(made) > 0 {
			t.Errorf("%s: made %v, and said %s", name, made, diff)
		}
		if r.Pending.ID != now.ID {
			t.Errorf("%s: the same question is called %q, and was %q", name, r.Pending.ID, now.ID)
		}
		if r = send(t, c, "c", dialogue.Message{Text: "yes", Question: now.ID}); len(made) != 1 {
			t.Errorf("%s: a yes to what is asked makes %v, and says %v", name, made, r.Texts())
		}
		if r = send(t, c, "c", dialogue.Message{Text: "yes", Question: now.ID}); len(made) != 1 || !slices.Contains(r.Texts(), "That was an answer to an earlier question.") {
			t.Errorf("%s: a second yes makes %v, and says %v", name, made, r.Texts())
		}
	}
}

// TestClientsThatNameNoQuestion go on as they did: what they say answers what is asked when it comes.
func TestClientsThatNameNoQuestion(t *testing.T) {
	var made []string
	c := talks(t, nil, payingAmounts(t, &made), dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	for _, text := range []string{"pay 50", "make it 900", "yes"} {
		send(t, c, "c", dialogue.Message{Text: text})
	}
	if len(made) != 1 || !strings.Contains(made[0], "900") {
		t.Errorf("made %v", made)
	}
}

// TestWhatDependsOnNoQuestionIsTakenFromAnOldOne begins a flow, and asks for help, from a client that sees an old question.
func TestWhatDependsOnNoQuestionIsTakenFromAnOldOne(t *testing.T) {
	for text, want := range map[string]string{"pay": "Pay 900?", "help": "I can do this for you: pay."} {
		var made []string
		c := talks(t, nil, payingAmounts(t, &made), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		before := send(t, c, "c", dialogue.Message{Text: "pay 50"}).Pending
		send(t, c, "c", dialogue.Message{Text: "make it 900"})
		r := send(t, c, "c", dialogue.Message{Text: text, Question: before.ID})
		if !slices.Contains(r.Texts(), want) || len(made) > 0 {
			t.Errorf("%s: %v, %v", text, r.Texts(), made)
		}
	}
}

// TestHandlersNeedSayNoConfidence fills a slot of the conversation by a command of the program, with and without a flow.
func TestHandlersNeedSayNoConfidence(t *testing.T) {
	d := compiled(t, dialogue.Definition{
		Slots: []dialogue.Slot{{Name: "city", Description: "city"}},
		Flows: []dialogue.Flow{{Name: "ask", Trigger: []string{"begin"}, Steps: []dialogue.Step{
			{ID: "where", Type: dialogue.CollectStep, Slot: "city", Message: "Where?"},
			{ID: "there", Type: dialogue.InformStep, Message: "In {{ city }}."},
		}}},
	}, dialogue.Options{})
	services := &dialogue.Services{Handlers: map[dialogue.CommandType]dialogue.Handler{
		"locate": func(_ node.Context, c dialogue.Command, _ *dialogue.State) (dialogue.Delta, error) {
			return dialogue.Delta{Set: []dialogue.Change{{Slot: "city", Value: c.Data["city"]}}}, nil
		},
		"note": func(node.Context, dialogue.Command, *dialogue.State) (dialogue.Delta, error) {
			return dialogue.Delta{}, nil
		},
	}}
	locate := dialogue.Message{Commands: []dialogue.Command{{Type: "locate", Data: map[string]any{"city": "Rome"}}}}
	note := dialogue.Message{Commands: []dialogue.Command{{Type: "note"}}}
	for name, tt := range map[string]struct {
		says []dialogue.Message
		want []string
	}{
		"where it is asked for": {[]dialogue.Message{{Text: "begin"}, locate}, []string{"In Rome.", "Is there anything else?"}},
		"where nothing goes on": {[]dialogue.Message{locate}, []string{"All right, city: Rome."}},
		"and nothing to say":    {[]dialogue.Message{note}, []string{"Is there anything else?"}},
		"beside a question":     {[]dialogue.Message{{Text: "begin"}, note}, []string{"Where?"}},
	} {
		c := talksWith(t, d, services)
		open(t, c, "c", nil)
		var r dialogue.Reply
		for _, m := range tt.says {
			r = send(t, c, "c", m)
		}
		if diff := cmp.Diff(tt.want, r.Texts()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
