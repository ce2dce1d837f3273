package dialogue_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// counted is an action that counts how often it is made, with what.
func counted(name string, made *[]string) dialogue.Action {
	return dialogue.Action{Name: name, Run: func(_ node.Context, in map[string]any) (any, error) {
		data, err := json.Marshal(in)
		*made = append(*made, name+string(data))
		return map[string]any{"ref": "R1"}, err
	}}
}

func compiled(t testing.TB, def dialogue.Definition, o dialogue.Options) *dialogue.Dialogue {
	t.Helper()
	if def.Name == "" {
		def.Name = "d"
	}
	d, err := dialogue.Compile(def, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// payment asks one question, and pays after a yes.
func payment(t testing.TB, message string, options []string, nlu dialogue.NLU, made *[]string) *dialogue.Dialogue {
	return compiled(t, dialogue.Definition{
		Settings: dialogue.Settings{Silences: 3},
		Flows: []dialogue.Flow{{
			Name: "pay", Trigger: []string{"pay"}, Slots: []dialogue.Slot{{Name: "amount", Type: dialogue.Money, Initial: 5}},
			Steps: []dialogue.Step{
				{ID: "ok", Type: dialogue.ConfirmStep, Message: message, Options: options},
				{ID: "pay", Type: dialogue.ActionStep, Call: "pay"},
				{ID: "done", Type: dialogue.InformStep, Message: "Paid."},
			},
		}},
	}, dialogue.Options{NLU: nlu, Actions: []dialogue.Action{counted("pay", made)}})
}

// TestAnActionBehindAConfirmIsMadeAfterAPlainYesOnly says many things to a question.
func TestAnActionBehindAConfirmIsMadeAfterAPlainYesOnly(t *testing.T) {
	tests := []struct {
		says    string
		options []string
		paid    bool
	}{
		{says: "yes", paid: true},
		{says: "yes please", paid: true},
		{says: "Pay now", options: []string{"Pay now", "Leave it"}, paid: true},
		{says: "no"},
		{says: "no", options: []string{"No", "Yes"}},
		{says: "No, thanks", options: []string{"No, thanks", "Yes"}},
		{says: "cancel", options: []string{"Cancel", "Go on"}},
		{says: "Leave it", options: []string{"Pay now", "Leave it"}},
		{says: "maybe"},
		{says: "yes?"},
		{says: "yes if it is free"},
		{says: "not yes"},
		{says: "yes but wait"},
		{says: "yes, no"},
		{says: "what"},
		{says: ""},
		{says: "\xff\x00yes\xfe no"},
	}
	for _, tt := range tests {
		var made []string
		c := talks(t, nil, payment(t, "Pay?", tt.options, nil, &made), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		send(t, c, "c", dialogue.Message{Text: "pay"})
		send(t, c, "c", dialogue.Message{Text: tt.says})
		if paid := len(made) == 1; paid != tt.paid {
			t.Errorf("%q to %q: made %v", tt.says, tt.options, made)
		}
	}
}

// TestAYesBesideSomethingElseIsNone joins a yes to each other command, and doubts it.
func TestAYesBesideSomethingElseIsNone(t *testing.T) {
	yes := dialogue.Command{Type: dialogue.Affirm}
	tests := map[string][]dialogue.Command{
		"a no":           {yes, {Type: dialogue.Deny}},
		"a start":        {yes, {Type: dialogue.StartFlow, Flow: "pay"}},
		"a cancel":       {yes, {Type: dialogue.CancelFlow}},
		"a value":        {yes, {Type: dialogue.SetSlot, Slot: "amount", Value: 6}},
		"no such slot":   {yes, {Type: dialogue.SetSlot, Slot: "nothing", Value: 6}},
		"a clear":        {yes, {Type: dialogue.ClearSlot, Slot: "amount"}},
		"a skip":         {yes, {Type: dialogue.Skip}},
		"a repeat":       {yes, {Type: dialogue.Repeat}},
		"a handoff":      {yes, {Type: dialogue.Handoff}},
		"doubt":          {{Type: dialogue.Affirm, Confidence: 0.2}},
		"less than none": {{Type: dialogue.Affirm, Confidence: -3}},
		"no number":      {{Type: dialogue.Affirm, Confidence: math.NaN()}},
		"silence":        {yes, {Type: dialogue.Repeat}, {Type: dialogue.Silence}},
	}
	for name, commands := range tests {
		for _, back := range []bool{false, true} {
			commands := slices.Clone(commands)
			if back {
				slices.Reverse(commands)
			}
			var made []string
			d := payment(t, "Pay?", nil, understood{"pay": {{Type: dialogue.StartFlow, Flow: "pay"}}, "x": commands}, &made)
			c := talks(t, nil, d, dialogue.ConversationOptions{})
			open(t, c, "c", nil)
			send(t, c, "c", dialogue.Message{Text: "pay"})
			send(t, c, "c", dialogue.Message{Text: "x"})
			if len(made) != 0 {
				t.Errorf("%s: made %v", name, made)
			}
		}
	}
}

// TestAQuestionThatShowsTheTimeCanBeAnswered: the time has gone on when the yes comes.
func TestAQuestionThatShowsTheTimeCanBeAnswered(t *testing.T) {
	var made []string
	c := talks(t, nil, payment(t, "It is {{ time_now }}. Pay?", nil, nil, &made), dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	for _, text := range []string{"pay", "hm", "yes"} {
		send(t, c, "c", dialogue.Message{Text: text})
	}
	if len(made) != 1 {
		t.Errorf("made %v", made)
	}
}

// TestWhatIsNoMessageEndsNoConversation answers the gate with what nobody can read.
func TestWhatIsNoMessageEndsNoConversation(t *testing.T) {
	for _, said := range []string{
		`{"text":"x","commands":"foo"}`, `{"text":"x","commands":[5]}`, `{"commands":[{"type":"set_slot","slot_name":"amount","slot_value":1e400}]}`,
		`{"text":"x","silence":"no"}`, `{}`, `{"text":"x","commands":[{"type":"affirm","confidence":"much"}]}`,
		`{"commands":[{"type":"silence"},{"type":"silence"},{"type":"silence"}]}`, `{"commands":[{"type":"start_flow","flow_name":"no"}]}`,
		`{"commands":[{"type":"affirm"}]}`, `{"commands":[{"type":"set_slot","slot_name":"no"}]}`,
	} {
		var made []string
		d := payment(t, "Pay?", nil, nil, &made)
		rt, err := fermata.New(fermata.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Begin(nil)
		if err != nil {
			t.Fatal(err)
		}
		run, err := rt.Start(t.Context(), d.Plan(), s, fermata.WithID("c"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Answer(t.Context(), res.Interrupts[0].ID, json.RawMessage(said), fermata.AsRole("agent")); err != nil {
			t.Fatalf("%s: %v", said, err)
		}
		if res, err = run.Wait(t.Context()); err != nil || res.Status != fermata.Paused {
			t.Fatalf("%s: %s, %v, %v", said, res.Status, res.Err, err)
		}
		c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
		if r, err := c.Send(t.Context(), "c", dialogue.Message{Text: "pay"}); err != nil || r.Pending == nil {
			t.Errorf("%s: %v, %v", said, r, err)
		}
		heardOne := 0
		for _, text := range heard(t, c, "c") {
			if text != "Pay?" {
				heardOne++
			}
		}
		if heardOne == 0 {
			t.Errorf("%s: nothing is said", said)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestValuesThatCannotBeKeptAreLeftOut are those of an NLU that is wrong.
func TestValuesThatCannotBeKeptAreLeftOut(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), func() {}, make(chan int)} {
		nlu := understood{"x": {{Type: dialogue.SetSlot, Slot: "amount", Value: v}}}
		var made []string
		c := talks(t, nil, payment(t, "Pay?", nil, nlu, &made), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		if diff := cmp.Diff([]string{"I did not understand that."}, send(t, c, "c", dialogue.Message{Text: "x"}).Texts()); diff != "" {
			t.Errorf("%T: %s", v, diff)
		}
	}
}

// TestCommandsInAnyOrderComeToTheSame joins deltas in all orders.
func TestCommandsInAnyOrderComeToTheSame(t *testing.T) {
	all := []dialogue.Delta{
		{Set: []dialogue.Change{{Slot: "b", Value: 1, Confidence: 1}}},
		{Set: []dialogue.Change{{Slot: "a", Value: 2, Confidence: 0.5}}},
		{Set: []dialogue.Change{{Slot: "a", Value: 3, Confidence: 0.8, Correct: true}}},
		{Clear: []string{"a"}},
		{Clear: []string{"z"}},
		{Clear: []string{"c"}},
		{Yes: true},
		{No: true, Wrong: "b"},
		{No: true},
		{Cancel: true},
		{Cancel: true, Flow: "f"},
		{Skip: true},
		{Repeat: true},
		{Start: []dialogue.Start{{Flow: "g"}}},
	}
	for i := range 1 << len(all) {
		if i%37 != 0 && i > 300 {
			continue
		}
		var some []dialogue.Delta
		for j := range all {
			if i&(1<<j) != 0 {
				some = append(some, all[j])
			}
		}
		want := dialogue.MergeDeltas(some...)
		for range some {
			some = append(some[1:], some[0])
			if diff := cmp.Diff(want, dialogue.MergeDeltas(some...)); diff != "" {
				t.Fatalf("%v: %s", some, diff)
			}
		}
		slices.Reverse(some)
		if diff := cmp.Diff(want, dialogue.MergeDeltas(some...)); diff != "" {
			t.Fatalf("%v: %s", some, diff)
		}
		if want.Yes && (len(want.Set)+len(want.Clear)+len(want.Start) > 0 || want.No || want.Cancel || want.Skip || want.Repeat) {
			t.Fatalf("%v: a yes beside something else", want)
		}
	}
}

// TestValuesThatGoTogetherAreTakenTogether moves both ends of a range, in both orders.
func TestValuesThatGoTogetherAreTakenTogether(t *testing.T) {
	set := func(low, high int) []dialogue.Command {
		return []dialogue.Command{{Type: dialogue.SetSlot, Slot: "low", Value: low}, {Type: dialogue.SetSlot, Slot: "high", Value: high}}
	}
	up, down := set(10, 20), set(1, 2)
	slices.Reverse(down)
	d := compiled(t, dialogue.Definition{Flows: []dialogue.Flow{{
		Name: "range",
		Slots: []dialogue.Slot{
			{Name: "low", Type: dialogue.Integer, Validate: "low < high"}, {Name: "high", Type: dialogue.Integer, Validate: "high > low"},
		},
		Steps: []dialogue.Step{
			{ID: "a", Type: dialogue.InformStep, Message: "A range."},
			{ID: "b", Type: dialogue.CollectStep, Slot: "low", Message: "From?"},
			{ID: "c", Type: dialogue.CollectStep, Slot: "high", Message: "To?"},
			{ID: "d", Type: dialogue.ConfirmStep, Message: "{{ low }} to {{ high }}?"},
		},
	}}}, dialogue.Options{NLU: understood{
		"begin": {{Type: dialogue.StartFlow, Flow: "range"}}, "up": up, "down": down,
	}})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	for _, text := range []string{"begin", "down", "up", "down"} {
		r := send(t, c, "c", dialogue.Message{Text: text})
		want := map[string]string{"begin": "From?", "up": "10 to 20?", "down": "1 to 2?"}[text]
		if r.Pending == nil || r.Pending.Prompt != want {
			t.Errorf("%s: %v", text, r.Texts())
		}
	}
}
