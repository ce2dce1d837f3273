package dialogue_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/memory"
)

// What random dialogues and users have found, one small dialogue each.

// written is a dialogue in a file.
func written(t *testing.T, text string, o dialogue.Options) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Parse([]byte("kind: Dialogue\n"+text), "d.yaml", o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// says is what comes of some lines.
func says(t *testing.T, d *dialogue.Dialogue, with map[string]any, lines ...string) string {
	t.Helper()
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", with)
	var all []string
	for _, line := range lines {
		all = append(all, strings.Join(send(t, c, "c", dialogue.Message{Text: line}).Texts(), " "))
	}
	return strings.Join(all, "|")
}

// TestJ1_AYesCountsInAnotherProcess asks in a flow that has no slots, and is answered after a restart.
func TestJ1_AYesCountsInAnotherProcess(t *testing.T) {
	store := kept{memory.New()}
	d := written(t, `flows: {a: {trigger: [do a], steps: [{type: confirm, message: "Sure?"}, {type: say, message: Done.}]}}`, dialogue.Options{})
	c := talks(t, store, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	send(t, c, "c", dialogue.Message{Text: "do a"})
	got := send(t, talks(t, store, d, dialogue.ConversationOptions{}), "c", dialogue.Message{Text: "yes"}).Texts()
	if diff := cmp.Diff([]string{"Done.", "Is there anything else?"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestH2_WhatEndsAHandoffCountsOnce sends the message again with which a person gave the conversation back.
func TestH2_WhatEndsAHandoffCountsOnce(t *testing.T) {
	c := talks(t, nil, echo(t), dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	send(t, c, "c", dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.Handoff}}})
	back := dialogue.Message{ID: "1", Text: "Ann here.", From: "agent", Done: true}
	want := []string{"Ann here.", "I am with you again."}
	for i := range 2 {
		r := send(t, c, "c", back)
		if diff := cmp.Diff(want, r.Texts()); diff != "" || r.Again != (i == 1) {
			t.Errorf("again %v: %s", r.Again, diff)
		}
	}
}

// TestOpenFindsAConversationWithoutItsContext opens one that is there: what it was begun with is not needed twice.
func TestOpenFindsAConversationWithoutItsContext(t *testing.T) {
	c := talks(t, nil, bank(t), dialogue.ConversationOptions{})
	open(t, c, "c", map[string]any{"balance": 5})
	if _, created, err := c.Open(t.Context(), "c", nil); created || err != nil {
		t.Error(created, err)
	}
	if _, _, err := c.Open(t.Context(), "new", nil); err == nil || !strings.Contains(err.Error(), "balance") {
		t.Error(err)
	}
}

// TestAFlowOfAPatternThatEndsWithoutAWordHasAnAnswer: nobody else would answer what was said last.
func TestAFlowOfAPatternThatEndsWithoutAWordHasAnAnswer(t *testing.T) {
	d := written(t, `
slots: {who: text}
patterns: {completed: {flow: after}}
flows:
  a: {trigger: [do a], steps: [{type: say, message: A.}]}
  after: {hidden: true, steps: [{type: collect, slot: who, message: "Who?"}]}
`, dialogue.Options{})
	if diff := cmp.Diff("A. Who?|Is there anything else?", says(t, d, nil, "do a", "Ada")); diff != "" {
		t.Error(diff)
	}
}

// TestASlotOfTheConversationIsAskedAgain takes the answer, in each flow and in each round.
func TestASlotOfTheConversationIsAskedAgain(t *testing.T) {
	d := written(t, `
slots: {who: text, more: {type: boolean, initial: true}}
flows:
  a:
    trigger: [do a]
    steps:
      - {type: collect, slot: who, message: "Who?", again: true}
      - {type: say, message: "It is {{ who }}."}
  loop:
    trigger: [go round]
    steps:
      - type: while
        when: more
        steps:
          - {type: collect, slot: who, message: "Who?", again: true}
          - {type: collect, slot: more, message: "More after {{ who }}?", again: true}
`, dialogue.Options{})
	want := "Who?|It is Ada. Is there anything else?|Who?|It is Bob. Is there anything else?|Who?|More after Ada?|Who?|More after Ada?|Is there anything else?"
	if diff := cmp.Diff(want, says(t, d, nil, "do a", "Ada", "do a", "Bob", "go round", "Ada", "yes", "Ada", "no")); diff != "" {
		t.Error(diff)
	}
}

// TestWhatUsersEmptyIsReadAsItBegan empties a slot of the conversation that began with a value while another flow, which
// counts on it, goes on.
func TestWhatUsersEmptyIsReadAsItBegan(t *testing.T) {
	d := written(t, `
slots: {limit: {type: integer, initial: 3}}
flows:
  a: {trigger: [do a], slots: {x: text}, steps: [{type: collect, slot: x, message: "X?"}, {type: say, message: "Limit {{ limit + 1 }}."}]}
  b: {trigger: [do b], slots: {y: text}, steps: [{type: collect, slot: limit, message: "Limit? It was {{ limit }}.", again: true}, {type: collect, slot: y, message: "Y?"}]}
`, dialogue.Options{NLU: understood{
		"do a": {{Type: dialogue.StartFlow, Flow: "a"}}, "do b": {{Type: dialogue.StartFlow, Flow: "b"}}, "forget": {{Type: dialogue.ClearSlot, Slot: "limit"}},
		"x": {{Type: dialogue.SetSlot, Slot: "x", Value: "x"}}, "5": {{Type: dialogue.SetSlot, Slot: "limit", Value: 5}},
	}})
	want := "Limit? It was 3.|Y?|All right, limit: open again. Limit? It was 3.|X?|Limit 4. Let us go on with: b. Limit? It was 3.|Y?"
	if diff := cmp.Diff(want, says(t, d, nil, "do b", "5", "forget", "do a", "x", "5")); diff != "" {
		t.Error(diff)
	}
}

// TestWhatAStepHasSetIsSetAgainWhenItIsEmptied: what follows counts on it.
func TestWhatAStepHasSetIsSetAgainWhenItIsEmptied(t *testing.T) {
	d := written(t, `
flows:
  a:
    slots: {num: integer, x: text}
    steps:
      - {type: set, values: {num: "2 + 3"}}
      - {type: collect, slot: x, message: "X?"}
      - {type: collect, slot: num, message: "Num?"}
      - {type: say, message: "Num {{ num }}."}
`, dialogue.Options{NLU: understood{
		"do a": {{Type: dialogue.StartFlow, Flow: "a"}}, "forget": {{Type: dialogue.ClearSlot, Slot: "num"}}, "x": {{Type: dialogue.SetSlot, Slot: "x", Value: "x"}},
	}})
	if diff := cmp.Diff("X?|All right, num: open again. X?|Num 5. Is there anything else?", says(t, d, nil, "do a", "forget", "x")); diff != "" {
		t.Error(diff)
	}
}

// TestAQuestionThatShowsItsSlotCanBeAskedAgain: the value that is asked for anew is known until there is another one.
func TestAQuestionThatShowsItsSlotCanBeAskedAgain(t *testing.T) {
	d := written(t, `
flows:
  a:
    trigger: [do a]
    slots: {num: integer, more: {type: boolean, initial: true}}
    steps:
      - {type: collect, slot: num, message: "Num?"}
      - type: while
        when: more
        steps:
          - {type: collect, slot: num, message: "Not {{ num }}?", again: true}
          - {type: collect, slot: more, message: "More than {{ num }}?", again: true}
  b: {trigger: [do b], steps: [{type: say, message: B.}]}
`, dialogue.Options{})
	want := "Num?|More than 5?|Not 5?|B. Let us go on with: a. Not 5?|More than 6?|Is there anything else?"
	if diff := cmp.Diff(want, says(t, d, nil, "do a", "5", "yes", "do b", "6", "no")); diff != "" {
		t.Error(diff)
	}
}

// TestALoopThatACollectStepEndsLoads: it goes on until the slot is filled, and no longer.
func TestALoopThatACollectStepEndsLoads(t *testing.T) {
	d := written(t, `
flows:
  a:
    trigger: [do a]
    slots: {who: text}
    steps:
      - {type: while, when: who == nil, steps: [{type: collect, slot: who, message: "Who?"}]}
      - {type: say, message: "It is {{ who }}."}
`, dialogue.Options{})
	if diff := cmp.Diff("Who?|It is Ada. Is there anything else?", says(t, d, nil, "do a", "Ada")); diff != "" {
		t.Error(diff)
	}
}

// TestAYesIsToTheValuesOfItsTime: one that is corrected between the yes and what is done with it is confirmed again.
func TestAYesIsToTheValuesOfItsTime(t *testing.T) {
	var made []string
	d := written(t, `
flows:
  a:
    slots: {amount: {type: money, initial: 5}, note: text}
    steps:
      - {type: confirm, message: "Sure?"}
      - {type: collect, slot: note, message: "Note?"}
      - {type: action, call: pay, inputs: {amount: amount}}
      - {type: collect, slot: amount, message: "Amount?"}
`, dialogue.Options{Actions: []dialogue.Action{counted("pay", &made)}, NLU: understood{
		"do a": {{Type: dialogue.StartFlow, Flow: "a"}}, "yes": {{Type: dialogue.Affirm}}, "6": {{Type: dialogue.SetSlot, Slot: "amount", Value: 6}}, "x": {{Type: dialogue.SetSlot, Slot: "note", Value: "x"}},
	}})
	want := "Sure?|Note?|All right, amount: 6. Sure?|Sure?|Is there anything else?"
	if diff := cmp.Diff(want, says(t, d, nil, "do a", "yes", "6", "x", "yes")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`pay{"amount":6}`}, made); diff != "" {
		t.Error(diff)
	}
}

// TestWhatWasDoneBeforeALinkIsTooLateBehindIt corrects, behind a link, what was paid before it: a slot that the second flow
// has not, one that it was given, and one of the conversation. What the second flow asks for itself can be corrected.
func TestWhatWasDoneBeforeALinkIsTooLateBehindIt(t *testing.T) {
	set := func(slot string, v any) []dialogue.Command {
		return []dialogue.Command{{Type: dialogue.CorrectSlot, Slot: slot, Value: v}}
	}
	var made []string
	d := written(t, `
slots: {who: text}
flows:
  pay:
    slots: {amount: money, note: text}
    steps:
      - {type: collect, slot: who, message: "Who?"}
      - {type: collect, slot: amount, message: "Amount?"}
      - {type: collect, slot: note, message: "Note?"}
      - {type: confirm, message: "Sure?"}
      - {type: action, call: pay, inputs: {amount: amount, who: who}}
      - {type: link, flow: rate, inputs: {paid: amount}}
  rate:
    slots: {paid: money, stars: integer, note: text}
    steps:
      - {type: collect, slot: paid, message: "Paid?"}
      - {type: collect, slot: stars, message: "Stars?"}
      - {type: collect, slot: note, message: "Why?"}
`, dialogue.Options{Actions: []dialogue.Action{counted("pay", &made)}, NLU: understood{
		"pay": {{Type: dialogue.StartFlow, Flow: "pay"}, set("who", "Ada")[0], set("amount", 5)[0], set("note", "x")[0]}, "yes": {{Type: dialogue.Affirm}},
		"amount": set("amount", 6), "paid": set("paid", 6), "who": set("who", "Bob"), "stars": set("stars", 5), "no stars": {{Type: dialogue.ClearSlot, Slot: "amount"}}, "less": set("stars", 1),
	}})
	late := "That has been done already and cannot be changed any more. "
	want := "Sure?|Stars?|" + late + "Stars?|" + late + "Stars?|" + late + "Stars?|" + late + "Stars?|Why?|All right, stars: 1. Why?"
	if diff := cmp.Diff(want, says(t, d, nil, "pay", "yes", "amount", "paid", "who", "no stars", "stars", "less")); diff != "" {
		t.Error(diff)
	}
}

// TestAFlowOfAPatternIsLeftWhenAnotherIsNamed: it was an answer to the turn before.
func TestAFlowOfAPatternIsLeftWhenAnotherIsNamed(t *testing.T) {
	var made []string
	d := written(t, `
slots: {stars: integer, word: text}
patterns: {completed: {flow: rate}, cannot_handle: {flow: help}}
flows:
  a: {trigger: [do a], slots: {x: text}, steps: [{type: collect, slot: x, message: "X?"}]}
  b: {trigger: [do b], slots: {word: text}, steps: [{type: collect, slot: word, message: "B?"}]}
  rate: {hidden: true, steps: [{type: collect, slot: stars, message: "Stars?"}]}
  help: {hidden: true, steps: [{type: call, flow: words}, {type: say, message: "Helped."}]}
  words: {hidden: true, steps: [{type: confirm, message: "Help?"}, {type: action, call: note, inputs: {}}, {type: collect, slot: word, message: "With what?"}]}
`, dialogue.Options{Actions: []dialogue.Action{counted("note", &made)}, NLU: understood{
		"a": {{Type: dialogue.StartFlow, Flow: "a"}}, "b": {{Type: dialogue.StartFlow, Flow: "b"}}, "yes": {{Type: dialogue.Affirm}},
		"x": {{Type: dialogue.SetSlot, Slot: "x", Value: "x"}}, "w": {{Type: dialogue.SetSlot, Slot: "word", Value: "w"}}, "none": {{Type: dialogue.StartFlow, Flow: "none"}},
	}})
	tests := map[string][]string{
		"X?|Stars?|B?|Stars?":                  {"a", "x", "b", "w"},
		"X?|Help?|B?|Let us go on with: a. X?": {"a", "?", "b", "w"},
		"X?|Help?|Help?":                       {"a", "?", "none"},
		"X?|Help?|With what?|B?|Let us go on with: words. With what?": {"a", "?", "yes", "b", "w"}, // what is done is done
	}
	for want, lines := range tests {
		if diff := cmp.Diff(want, says(t, d, nil, lines...)); diff != "" {
			t.Errorf("%v: %s", lines, diff)
		}
	}
}
