package dialoguetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
)

// Failure is something that did not go as the test says.
type Failure struct {
	File     string
	Line     int
	Column   int
	What     string
	Message  string // or what was expected and found
	Expected string
	Found    string
}

// String is all of it, on several lines.
func (f Failure) String() string {
	at := fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.What)
	if f.Message != "" {
		return at + ": " + f.Message
	}
	return at + "\n  expected  " + strings.ReplaceAll(f.Expected, "\n", "\n            ") +
		"\n  found     " + strings.ReplaceAll(f.Found, "\n", "\n            ")
}

// judge holds what happened against the test.
func (s *stage) judge(all []*Exchange, res *fermata.Result) []Failure {
	var failures []Failure
	fail := func(l *dialogue.TestLine, what, expected, found string) {
		failures = append(failures, Failure{File: s.test.File, Line: l.Line, Column: l.Column, What: what, Expected: expected, Found: found})
	}
	for _, l := range s.missing {
		failures = append(failures, Failure{
			File: s.test.File, Line: l.Line, Column: l.Column, What: "commands", Message: "a model is not told what to understand; expected commands (fermata test --update writes them)",
		})
	}
	for i, x := range all {
		l := x.Line
		if l == nil && i == 0 && len(s.test.Talk) > 0 && s.test.Talk[0].Opening {
			l = &s.test.Talk[0]
		}
		if l != nil {
			x.judge(l, func(what, expected, found string) { fail(l, what, expected, found) })
		}
	}
	if n := len(all) - 1; n < len(s.lines) {
		l, why := s.lines[n], "the conversation was "+string(res.Status)
		if res.Err != nil {
			why += ": " + res.Err.Error()
		}
		failures = append(failures, Failure{File: s.test.File, Line: l.Line, Column: l.Column, What: "said", Message: "nobody takes this line; " + why})
	} else if res.Err != nil {
		failures = append(failures, Failure{File: s.test.File, Line: s.test.Line, Column: s.test.Column, What: "run", Message: res.Err.Error()})
	}
	return failures
}

func (x *Exchange) judge(l *dialogue.TestLine, fail func(what, expected, found string)) {
	if l.HasCommands && !sameCommands(l.Commands, x.Commands) {
		fail("commands", CommandsText(l.Commands), CommandsText(x.Commands))
	}
	if said := x.texts(); l.HasBot && !l.Says(said) && len(l.Bot)+len(said) > 0 {
		fail("bot", strings.Join(l.Bot, "\n"), strings.Join(said, "\n"))
	}
	for _, name := range keys(l.Slots) {
		if v := x.slot(name); !dialogue.Same(l.Slots[name], v) {
			fail("slot "+name, text(l.Slots[name]), text(v))
		}
	}
	if l.HasCalls && !sameCalls(l.Calls, x.Calls) {
		fail("calls", callsText(l.Calls), callsText(made(x.Calls)))
	}
	if a := x.active(); l.Active != nil && *l.Active != a {
		fail("active", *l.Active, a)
	}
	if x.after == nil {
		return
	}
	if l.Closed != nil && *l.Closed != x.after.Closed {
		fail("closed", fmt.Sprint(*l.Closed), fmt.Sprint(x.after.Closed))
	}
	if l.Handoff != nil && *l.Handoff != x.after.Human {
		fail("handoff", fmt.Sprint(*l.Handoff), fmt.Sprint(x.after.Human))
	}
}

// sameCommands compares what was understood, but for how and how surely.
func sameCommands(want, got []dialogue.Command) bool {
	return slices.EqualFunc(want, got, func(a, b dialogue.Command) bool {
		a.Confidence, b.Confidence, a.Source, b.Source = 0, 0, "", ""
		return dialogue.Same(a, b)
	})
}

func sameCalls(want []dialogue.TestCall, got []Call) bool {
	return slices.EqualFunc(want, got, func(w dialogue.TestCall, c Call) bool {
		for name, v := range w.With {
			if !dialogue.Same(v, c.With[name]) {
				return false
			}
		}
		return w.Action == c.Action
	})
}

func made(calls []Call) []dialogue.TestCall {
	var all []dialogue.TestCall
	for _, c := range calls {
		all = append(all, dialogue.TestCall{Action: c.Action, With: c.With})
	}
	return all
}

func callsText(calls []dialogue.TestCall) string {
	if len(calls) == 0 {
		return "none"
	}
	var all []string
	for _, c := range calls {
		all = append(all, c.Action+" "+text(c.With))
	}
	return strings.Join(all, "\n")
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
