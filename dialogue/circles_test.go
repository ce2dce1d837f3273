package dialogue_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

func inform(id, text string) dialogue.Step {
	return dialogue.Step{ID: id, Type: dialogue.InformStep, Message: text}
}

func collect(slot, text string) dialogue.Step {
	return dialogue.Step{ID: "ask_" + slot, Type: dialogue.CollectStep, Slot: slot, Message: text}
}

// failing is an action that fails.
func failing(name string) dialogue.Action {
	return dialogue.Action{Name: name, Run: func(node.Context, map[string]any) (any, error) {
		return nil, node.Terminal(errors.New("told to fail"))
	}}
}

// TestPatternsThatBeginOneAnotherComeToAnEnd says a line to dialogues whose patterns are flows that come to the same turn.
func TestPatternsThatBeginOneAnotherComeToAnEnd(t *testing.T) {
	fails := dialogue.Step{ID: "f", Type: dialogue.ActionStep, Call: "fail"}
	patterns := func(of ...string) map[dialogue.PatternName]dialogue.Pattern {
		all := make(map[dialogue.PatternName]dialogue.Pattern)
		for i := 0; i < len(of); i += 2 {
			all[dialogue.PatternName(of[i])] = dialogue.Pattern{Flow: of[i+1]}
		}
		return all
	}
	tests := map[string]struct {
		patterns map[dialogue.PatternName]dialogue.Pattern
		flows    []dialogue.Flow
		want     string
	}{
		"completed": {patterns("completed", "after"), []dialogue.Flow{
			{Name: "a", Steps: []dialogue.Step{inform("x", "A.")}},
			{Name: "after", Hidden: true, Steps: []dialogue.Step{inform("x", "After.")}},
		}, "A.|After."},
		"a failure of the pattern failure": {patterns("failure", "after"), []dialogue.Flow{
			{Name: "a", Steps: []dialogue.Step{fails}},
			{Name: "after", Hidden: true, Steps: []dialogue.Step{fails}},
		}, "Sorry, something went wrong, and I had to stop: after."},
		"resume": {patterns("resume", "back"), []dialogue.Flow{
			{Name: "a", Slots: []dialogue.Slot{{Name: "s"}}, Steps: []dialogue.Step{collect("s", "S?")}},
			{Name: "b", Steps: []dialogue.Step{inform("x", "B.")}},
			{Name: "back", Hidden: true, Steps: []dialogue.Step{inform("x", "Back.")}},
		}, "S?|B.|Back.|S?"},
	}
	for name, tt := range tests {
		d := compiled(t, dialogue.Definition{Patterns: tt.patterns, Flows: tt.flows}, dialogue.Options{
			Actions: []dialogue.Action{failing("fail")},
			NLU:     understood{"a": {{Type: dialogue.StartFlow, Flow: "a"}}, "b": {{Type: dialogue.StartFlow, Flow: "b"}}},
		})
		c := talks(t, nil, d, dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		said := send(t, c, "c", dialogue.Message{Text: "a"}).Texts()
		if name == "resume" {
			said = append(said, send(t, c, "c", dialogue.Message{Text: "b"}).Texts()...)
		}
		if diff := cmp.Diff(tt.want, strings.Join(said, "|")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestTwoFlowsWhoseFailuresBeginEachOtherComeToAnEnd: each fails.
func TestTwoFlowsWhoseFailuresBeginEachOtherComeToAnEnd(t *testing.T) {
	steps := []dialogue.Step{{ID: "f", Type: dialogue.ActionStep, Call: "fail"}}
	failure := func(flow string) map[dialogue.PatternName]dialogue.Pattern {
		return map[dialogue.PatternName]dialogue.Pattern{dialogue.OnFailure: {Flow: flow}, dialogue.OnResume: {Flow: flow}, dialogue.OnCannotHandle: {Flow: flow}}
	}
	d := compiled(t, dialogue.Definition{Flows: []dialogue.Flow{
		{Name: "a", Steps: steps, Patterns: failure("b")}, {Name: "b", Steps: steps, Patterns: failure("a")},
	}}, dialogue.Options{Actions: []dialogue.Action{failing("fail")}, NLU: understood{"a": {{Type: dialogue.StartFlow, Flow: "a"}}}})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	if r := send(t, c, "c", dialogue.Message{Text: "a"}); r.Closed || len(r.Said) == 0 {
		t.Error(r)
	}
	if r := send(t, c, "c", dialogue.Message{Text: "?"}); r.Closed || len(r.Said) == 0 {
		t.Error(r)
	}
}

// TestFlowsThatCallEachOtherAreBounded calls itself as long as an action says so.
func TestFlowsThatCallEachOtherAreBounded(t *testing.T) {
	d := compiled(t, dialogue.Definition{
		Context: []dialogue.Slot{{Name: "deep", Type: dialogue.Boolean}},
		Flows: []dialogue.Flow{
			{Name: "below", Slots: []dialogue.Slot{{Name: "s"}}, Steps: []dialogue.Step{collect("s", "S?")}},
			{Name: "a", Steps: []dialogue.Step{
				{ID: "b", Type: dialogue.BranchStep, Cases: []dialogue.Case{{When: "deep", Next: "again"}}, Default: "end"},
				{ID: "again", Type: dialogue.CallStep, Flow: "a"},
			}},
		},
	}, dialogue.Options{NLU: understood{"a": {{Type: dialogue.StartFlow, Flow: "a"}}, "below": {{Type: dialogue.StartFlow, Flow: "below"}}}})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", map[string]any{"deep": true})
	send(t, c, "c", dialogue.Message{Text: "below"})
	want := "Sorry, something went wrong, and I had to stop: a.|Let us go on with: below.|S?"
	if diff := cmp.Diff(want, strings.Join(send(t, c, "c", dialogue.Message{Text: "a"}).Texts(), "|")); diff != "" {
		t.Error(diff)
	}
}

// TestADenialInACalledFlowEndsAllThatWaitForIt goes on with what lies below.
func TestADenialInACalledFlowEndsAllThatWaitForIt(t *testing.T) {
	d := compiled(t, dialogue.Definition{Flows: []dialogue.Flow{
		{Name: "below", Slots: []dialogue.Slot{{Name: "s"}}, Steps: []dialogue.Step{collect("s", "S?")}},
		{Name: "a", Steps: []dialogue.Step{{ID: "c", Type: dialogue.CallStep, Flow: "b"}, inform("x", "A.")}},
		{Name: "b", Steps: []dialogue.Step{{ID: "c", Type: dialogue.CallStep, Flow: "c"}, inform("x", "B.")}},
		{Name: "c", Steps: []dialogue.Step{{ID: "ok", Type: dialogue.ConfirmStep, Message: "Sure?"}, inform("x", "C.")}},
	}}, dialogue.Options{NLU: understood{
		"a": {{Type: dialogue.StartFlow, Flow: "a"}}, "below": {{Type: dialogue.StartFlow, Flow: "below"}}, "no": {{Type: dialogue.Deny}},
	}})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	var got []string
	for _, text := range []string{"below", "a", "no"} {
		got = append(got, send(t, c, "c", dialogue.Message{Text: text}).Texts()...)
	}
	if diff := cmp.Diff("S?|Sure?|All right, I will not do that.|Let us go on with: below.|S?", strings.Join(got, "|")); diff != "" {
		t.Error(diff)
	}
}

// TestWhatAPatternCannotSayIsSaidInItsOwnWords reads context that nobody has brought, and divides by nothing.
func TestWhatAPatternCannotSayIsSaidInItsOwnWords(t *testing.T) {
	d := compiled(t, dialogue.Definition{
		Settings: dialogue.Settings{Greeting: "Hello {{ name }}."},
		Patterns: map[dialogue.PatternName]dialogue.Pattern{dialogue.OnCannotHandle: {Message: "What, {{ name }}?"}},
		Flows: []dialogue.Flow{{
			Name: "a", Slots: []dialogue.Slot{{Name: "n", Type: dialogue.Integer, Validate: "100 / n > limit", Error: "Not {{ name }}."}},
			Steps: []dialogue.Step{collect("n", "N?"), inform("x", "Done.")},
		}},
	}, dialogue.Options{NLU: understood{
		"a": {{Type: dialogue.StartFlow, Flow: "a"}}, "0": {{Type: dialogue.SetSlot, Slot: "n", Value: 0}},
	}})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	var got []string
	for _, text := range []string{"?", "a", "0"} {
		got = append(got, send(t, c, "c", dialogue.Message{Text: text}).Texts()...)
	}
	if diff := cmp.Diff("I did not understand that.|N?|0 is not possible here.|N?", strings.Join(got, "|")); diff != "" {
		t.Error(diff)
	}
}

// TestACorrectionDuringACalledFlowMakesAgainWhatHangsOnIt, and calls the flow again.
func TestACorrectionDuringACalledFlowMakesAgainWhatHangsOnIt(t *testing.T) {
	d := compiled(t, dialogue.Definition{
		Slots: []dialogue.Slot{{Name: "shared", Type: dialogue.Integer}},
		Flows: []dialogue.Flow{
			{Name: "a", Slots: []dialogue.Slot{{Name: "x", Type: dialogue.Integer}}, Steps: []dialogue.Step{
				collect("x", "X?"), collect("shared", "Shared?"),
				{ID: "double", Type: dialogue.SetStep, Values: []dialogue.Assignment{{Name: "twice", Value: "x * 2 + shared"}}},
				{ID: "c", Type: dialogue.CallStep, Flow: "b"},
				inform("last", "Twice is {{ twice }}."),
			}},
			{Name: "b", Slots: []dialogue.Slot{{Name: "word"}}, Steps: []dialogue.Step{collect("word", "Word?")}},
		},
	}, dialogue.Options{NLU: understood{
		"a": {{Type: dialogue.StartFlow, Flow: "a"}}, "1": {{Type: dialogue.SetSlot, Slot: "x", Value: 1}}, "s": {{Type: dialogue.SetSlot, Slot: "shared", Value: 0}},
		"2": {{Type: dialogue.CorrectSlot, Slot: "x", Value: 2}}, "s2": {{Type: dialogue.CorrectSlot, Slot: "shared", Value: 1}},
		"word": {{Type: dialogue.SetSlot, Slot: "word", Value: "w"}},
	}})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	var got []string
	for _, text := range []string{"a", "1", "s", "2", "s2", "word"} {
		got = append(got, send(t, c, "c", dialogue.Message{Text: text}).Texts()...)
	}
	want := "X?|Shared?|Word?|All right, x: 2.|Word?|All right, shared: 1.|Word?|Twice is 5.|Is there anything else?"
	if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
		t.Error(diff)
	}
}

// TestWhatACalledFlowGivesIsChecked ends the flow that cannot take it, and not the conversation.
func TestWhatACalledFlowGivesIsChecked(t *testing.T) {
	d := compiled(t, dialogue.Definition{Flows: []dialogue.Flow{
		{Name: "a", Slots: []dialogue.Slot{{Name: "x", Type: dialogue.Integer, Validate: "x < 5"}}, Steps: []dialogue.Step{
			{ID: "c", Type: dialogue.CallStep, Flow: "b", Outputs: []dialogue.Assignment{{Name: "x", Value: "y"}}}, inform("last", "X is {{ x }}."),
		}},
		{Name: "b", Slots: []dialogue.Slot{{Name: "y", Type: dialogue.Integer}}, Steps: []dialogue.Step{collect("y", "Y?")}},
	}}, dialogue.Options{NLU: understood{
		"a": {{Type: dialogue.StartFlow, Flow: "a"}}, "9": {{Type: dialogue.SetSlot, Slot: "y", Value: 9}}, "3": {{Type: dialogue.SetSlot, Slot: "y", Value: 3}},
	}})
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	var got []string
	for _, text := range []string{"a", "9", "a", "3"} {
		got = append(got, send(t, c, "c", dialogue.Message{Text: text}).Texts()...)
	}
	want := "Y?|9 is not possible here. I had to stop: a.|Y?|X is 3.|Is there anything else?"
	if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
		t.Error(diff)
	}
}

// TestWhatShowsInADefinitionIsRefused are flows that go round, and a first value that its own check refuses.
func TestWhatShowsInADefinitionIsRefused(t *testing.T) {
	call := func(flow string) dialogue.Step {
		return dialogue.Step{ID: "c_" + flow, Type: dialogue.CallStep, Flow: flow}
	}
	link := func(flow string) dialogue.Step {
		return dialogue.Step{ID: "l_" + flow, Type: dialogue.LinkStep, Flow: flow}
	}
	round := inform("x", "X.")
	round.Next = "x"
	a := func(steps ...dialogue.Step) dialogue.Flow { return dialogue.Flow{Name: "a", Steps: steps} }
	forever := "goes round for ever"
	for want, defs := range map[string][]dialogue.Definition{
		forever: {
			{Flows: []dialogue.Flow{a(call("a"))}},
			{Flows: []dialogue.Flow{a(round)}},
			{Flows: []dialogue.Flow{a(inform("x", "X."), link("b")), {Name: "b", Steps: []dialogue.Step{call("a")}}}},
		},
		"refused by its own validate": {
			{Flows: []dialogue.Flow{{Name: "a", Slots: []dialogue.Slot{{Name: "s", Initial: "x", Validate: "s != 'x'"}}, Steps: []dialogue.Step{inform("x", "{{ s }}")}}}},
		},
		"need not be filled": { // the flow that is linked to gives nothing
			{Flows: []dialogue.Flow{
				a(dialogue.Step{ID: "c", Type: dialogue.CallStep, Flow: "b", Outputs: []dialogue.Assignment{{Name: "o", Value: "s"}}}, inform("x", "{{ o }}")),
				{Name: "b", Slots: []dialogue.Slot{{Name: "s"}, {Name: "k"}}, Steps: []dialogue.Step{
					collect("k", "K?"), {ID: "b", Type: dialogue.BranchStep, Cases: []dialogue.Case{{When: "k == 'l'", Next: "l_e"}}}, collect("s", "S?"), {ID: "z", Type: dialogue.InformStep, Message: "Z.", Next: "end"}, link("e"),
				}},
				{Name: "e", Steps: []dialogue.Step{inform("x", "E.")}},
			}},
		},
		"no flow can begin": {{Flows: []dialogue.Flow{a(inform("x", "X."))}, Patterns: map[dialogue.PatternName]dialogue.Pattern{dialogue.OnClose: {Flow: "a"}}}},
	} {
		for i, def := range defs {
			def.Name = "d"
			if _, err := dialogue.Compile(def, dialogue.Options{}); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "may be missing") {
				t.Errorf("%s %d: %v", want, i, err)
			}
		}
	}
	menu := dialogue.Definition{Name: "d", Flows: []dialogue.Flow{{Name: "a", Slots: []dialogue.Slot{{Name: "s"}}, Steps: []dialogue.Step{collect("s", "S?"), link("a")}}}}
	if _, err := dialogue.Compile(menu, dialogue.Options{}); err != nil {
		t.Errorf("a flow that asks before it begins again: %v", err)
	}
}

// TestEachMessageIsUnderstoodOnce counts, also where the program stops and another goes on.
func TestEachMessageIsUnderstoodOnce(t *testing.T) {
	asked := 0
	d := bankWith(t, nlu(func(_ context.Context, turn *dialogue.Turn) []dialogue.Command {
		asked++
		return []dialogue.Command{{Type: dialogue.StartFlow, Flow: "transfer"}}
	}))
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", map[string]any{"balance": 0})
	for i := range 5 {
		send(t, c, "c", dialogue.Message{Text: "x"})
		send(t, c, "c", dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.Repeat}}})
		if asked != i+1 {
			t.Errorf("after %d messages: %d", i+1, asked)
		}
	}
}

// nlu is an NLU that is a function.
type nlu func(ctx context.Context, turn *dialogue.Turn) []dialogue.Command

func (f nlu) Understand(ctx node.Context, turn *dialogue.Turn) ([]dialogue.Command, error) {
	return f(ctx, turn), nil
}
