package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/plan"
)

// refusals are the codes of what Wire finds wrong with a dataflow, and the nodes concerned.
func refusals(t *testing.T, text string) (found string, err error) {
	_, err = plan.Wire(flow(t, "p", text))
	if bad, ok := errors.AsType[*plan.Error](err); ok {
		var all []string
		for _, p := range bad.Problems {
			all = append(all, fmt.Sprintf("%s %s", p.Code, p.Node))
		}
		found = strings.Join(all, ", ")
	}
	return found, err
}

// D1: what a gate chose in one round says nothing about the next one: what was written then is still there. Two nodes may
// write one value in a loop only where each of them runs for nothing but what its target of the gate has led to.
func TestD1_OneWriterInEveryRound(t *testing.T) {
	for _, tt := range []struct{ name, flow, refused string }{
		{
			"a branch of several nodes reads what each round brings", `
				head: start? > q
				choose: q ? search direct
				search: q > docs
				answer: docs q > reply
				direct: q > reply
				again: reply ? head END
			`, "conflict direct",
		},
		{
			"all of it comes through the branch", `
				head: start? > q
				choose: q ? search direct
				search: q > docs question
				answer: docs question > reply
				direct: q > reply
				again: reply ? head END
			`, "",
		},
		{
			"what is read beside it is there before any round", `
				profile: user > about
				head: start? > q
				choose: q ? search direct
				search: q > docs
				answer: docs about style > reply
				direct: q > reply
				again: reply ? head END
			`, "",
		},
		{
			"no loop goes round it", `
				choose: q ? search direct
				facts: q > more
				search: q > docs
				answer: docs more > reply
				direct: q > reply
			`, "",
		},
		{
			"one branch is a loop of its own", `
				head: start? > q
				choose: q ? try direct
				try: q note? > draft
				check: draft > note
				enough: note ? try END
				take: draft > reply
				direct: q > reply
				again: reply ? head END
			`, "",
		},
		{
			"a gate in a branch chooses further", `
				head: start? > q
				choose: q ? look direct
				look: q > seen
				which: seen ? short long
				short: q > reply
				long: q > reply
				direct: q > reply
				again: reply ? head END
			`, "",
		},
		{
			"what such a gate has chosen may wait for a value until another round", `
				head: start? > q
				choose: q ? look direct
				look: q > seen
				which: seen ? short END
				perhaps: q ? more END
				more: q > extra
				short: extra > reply
				direct: q > reply
				again: q reply? ? head END
			`, "conflict direct",
		},
		{
			"the outer gate takes the inner one's choice back", `
				head: start? > q
				choose: q ? which direct
				which: q ? short END
				perhaps: q ? more END
				more: q > extra
				short: extra > reply
				direct: q > reply
				again: q reply? ? head END
			`, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := refusals(t, tt.flow)
			if diff := cmp.Diff(tt.refused, found); diff != "" {
				t.Errorf("what is refused (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// D1: nor do they where another loop goes round, and the gate has not chosen again.
func TestD1_OneWriterInTheRoundsOfOtherLoops(t *testing.T) {
	for _, tt := range []struct{ name, flow, refused string }{
		{
			"another loop brings something new for both", `
				pick: start ? one two
				one: start > a
				two: start > b
				tick: beat? > time
				tock: time ? tick END
				left: a time > out
				right: b time > out
			`, "",
		},
		{
			"and the choice is another one by then", `
				head: back? > start
				pick: start ? one two
				one: start > a
				two: start > b
				tick: start beat? > time
				tock: time ? tick END
				left: a time > out
				right: b time > out
				again: out ? head END
			`, "conflict right",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := refusals(t, tt.flow)
			if diff := cmp.Diff(tt.refused, found); diff != "" {
				t.Errorf("what is refused (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// D1: a node that a gate chooses may need what another choice of that gate brings, where the gate decides again: the value is
// from an earlier round. Where the gate decides once, it can never run.
func TestD1_AChoiceMayNeedWhatAnEarlierOneBrought(t *testing.T) {
	const once = "choose: q ? count tell\ncount: q > n\ntell: n > text"
	for _, tt := range []struct{ name, flow, refused string }{
		{"once", once, "never-runs tell"},
		{"in a loop", "head: start? > q\n" + once + "\nagain: q text? ? head END", ""},
		{"behind another gate", "head: start? > q\nchoose: q ? count which\ncount: q > n\nwhich: q ? tell END\ntell: n > text\nagain: q text? ? head END", ""},
		{"two values that never come together", "head: start? > q\nchoose: q ? a b\na: q > x\nb: q > y\nboth: x y > z\nagain: q z? ? head END", "never-runs both"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := refusals(t, tt.flow)
			if diff := cmp.Diff(tt.refused, found); diff != "" {
				t.Errorf("what is refused (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// D10: what a run is given for the head of a loop is there for all that read it, whatever a gate chooses.
func TestD10_WhatARunIsGivenIsThereForAll(t *testing.T) {
	const loop = "head: x > a\nchoose: a ? short long\nshort: a > out\nlong: a > x\nagain: a ? head END\n"
	for _, tt := range []struct{ name, flow, refused string }{
		{"it is read beside the head", "entry head\n" + loop + "tell: x > out", "conflict tell"},
		{"something else is read", "entry head\n" + strings.Replace(loop, "a > x", "a > x y", 1) + "tell: y > out", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := refusals(t, tt.flow)
			if diff := cmp.Diff(tt.refused, found); diff != "" {
				t.Errorf("what is refused (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// D4: the head of a loop can start without the loop. One that may have to wait for a value which its own loop writes would
// begin in the middle of a round, beside what follows from it.
func TestD4_TheHeadDoesNotWaitForItsLoop(t *testing.T) {
	const choice = "choose: start ? before inside\nbefore: start > x\n"
	for _, tt := range []struct{ name, flow, refused string }{
		{"it may", choice + "head: x > y\ninside: y? > x\nagain: y? ? head END", "no-head head"},
		{"it has a default", choice + "head: x? > y\ninside: y? > x\nagain: y? ? head END", ""},
		{"the loop writes something else", choice + "head: x other? > y\ninside: y? > other\nagain: y? ? head END", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := refusals(t, tt.flow)
			if diff := cmp.Diff(tt.refused, found); diff != "" {
				t.Errorf("what is refused (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// D1: what a choice that leads back lets run is found in finite time. Guards of this one used to become other ones for ever.
func TestD1_GuardsAreFoundInFiniteTime(t *testing.T) {
	done := make(chan string, 1)
	go func() {
		found, _ := refusals(t, "entry c\na: seed? > x\nb: x? ? c a\nc: x ? a b")
		done <- found
	}()
	select {
	case found := <-done:
		if found != "" {
			t.Errorf("it is refused: %s", found)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("Wire does not come to an end")
	}
}

// The messages of what is refused because of rounds are pinned.
func TestD1_RoundsAreExplained(t *testing.T) {
	for name, text := range map[string]string{
		"flow-conflict-rounds": "head: start? > q\nchoose: q ? search direct\nsearch: q > docs\nanswer: docs q > reply\ndirect: q > reply\nagain: reply ? head END",
		"flow-late-head":       "choose: start ? before inside\nbefore: start > x\nhead: x > y\ninside: y? > x\nagain: y? ? head END",
	} {
		_, err := refusals(t, text)
		if err == nil {
			t.Fatalf("%s was accepted", name)
		}
		golden.Open(t, "testdata/errors/*.txtar").Compare(t, name+".txt", err.Error()+"\n")
	}
}

// Problems say for tools which value they are about, and which name is not known.
func TestD1_ProblemsSayWhichValue(t *testing.T) {
	type about struct{ Code, Node, Port, Found, Nearest string }
	for _, tt := range []struct {
		name, flow string
		want       []about
	}{
		{"two writers", "a: x > y\nb: x > y", []about{{"conflict", "b", "y", "", ""}}},
		{"read and written twice", "a: x x > y y", []about{{"bad-port", "a", "x", "", ""}, {"bad-port", "a", "y", "", ""}}},
		{"a bad name", "a: x#1 > y", []about{{"bad-port", "a", "x#1", "", ""}}},
		{"a loop without a beginning", "a: y > x\nb: x > y\ncheck: y ? a END", []about{{"no-head", "a", "y", "", ""}}},
		{
			"a loop that waits for itself", "choose: s ? before inside\nbefore: s > x\nhead: x > y\ninside: y? > x\nagain: y? ? head END",
			[]about{{"no-head", "head", "x", "", ""}},
		},
		{
			"loops that wait for each other", `
				entry one two
				one: w1? > h1
				middle: h1? h3? > w2
				two: w2? > h2
				inner: h2? h3? ? three END
				three: seed? > h3
				back: w2 ? two END
				last: h2 > w1
				again: w1 ? one END
			`,
			[]about{{"no-head", "one", "w1", "", ""}},
		},
		{"a slip in a target", "check: x ? puplish END\npublish: x > y", []about{{"unknown-node", "", "", "puplish", "publish"}}},
		{"a slip in an entry", "entry reveiw\nreview: x > y", []about{{"bad-entry", "", "", "reveiw", "review"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := plan.Wire(flow(t, "p", tt.flow))
			var got []about
			if bad, ok := errors.AsType[*plan.Error](err); ok {
				for _, p := range bad.Problems {
					got = append(got, about{string(p.Code), p.Node, p.Port, p.Found, p.Nearest})
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
