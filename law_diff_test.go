package fermata_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// reviewed asks, and takes the way that the answer names.
func reviewed() *graph.Graph[state] {
	return compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", func(ctx node.Context, s state) (state, error) {
			said, err := node.Interrupt[string](ctx, nil, node.ID("way"), node.Prompt("Where to?"))
			s.Text = said
			return s, err
		}).Node("left", logged).Node("right", func(ctx node.Context, s state) (state, error) {
			if s.N > 0 {
				return s, errors.New("too many")
			}
			return logged(ctx, s)
		}).Route("a", func(_ node.Context, s state) (string, error) { return s.Text, nil }, "left", "right")
	})
}

// A difference names answers, tasks and values that are not the same, and how far the two are alike.
func TestDiffOfAForkAndItsRun(t *testing.T) {
	rt, _ := inMemory(t)
	g := reviewed()
	run := start(t, rt, g, state{}, fermata.WithID("run_a"))
	answer(t, rt, question(t, run).ID, "left", fermata.AsPerson("ann"))
	ends(t, run, fermata.Completed)
	fork := forked(t, rt, g, "run_a", fermata.ForkOptions{
		ID: "run_b", AskAgain: []string{"a#1"}, Set: map[string]json.RawMessage{"n": json.RawMessage("2")},
	})
	answer(t, rt, waitFork(t, fork, fermata.Paused).Interrupts[0].ID, "right")
	waitFork(t, fork, fermata.Failed)
	d, err := rt.Diff(t.Context(), fermata.At{Run: "run_a"}, fermata.At{Run: "run_b"})
	if err != nil {
		t.Fatal(err)
	}
	want := &fermata.Difference{
		A: fermata.Side{At: fermata.At{Run: "run_a", Seq: 12}, Plan: "plan", Status: fermata.Completed},
		B: fermata.Side{
			At: fermata.At{Run: "run_b", Seq: 18}, Plan: "plan", Status: fermata.Failed, Error: "too many",
			Fork: &journal.Origin{Run: "run_a", Seq: 5},
		},
		Common: 5,
		Answers: []fermata.AnswerDifference{{
			Task: "a#1", Op: "interrupt:way#1", Prompt: "Where to?",
			A: &fermata.AnswerSummary{State: "answered", Answer: json.RawMessage(`"left"`), By: "ann"},
			B: &fermata.AnswerSummary{State: "answered", Answer: json.RawMessage(`"right"`)},
		}},
		Tasks: []fermata.TaskDifference{
			{
				Task: "a#1", A: &fermata.TaskSummary{State: "finished", Attempts: 1, Route: "left"},
				B: &fermata.TaskSummary{State: "finished", Attempts: 1, Route: "right"},
				Output: []fermata.Change{
					{Path: "/n", New: json.RawMessage("2")},
					{Path: "/text", Old: json.RawMessage(`"left"`), New: json.RawMessage(`"right"`)},
				},
			},
			{Task: "left#1", A: &fermata.TaskSummary{State: "finished", Attempts: 1}},
			{Task: "right#1", B: &fermata.TaskSummary{State: "failed", Attempts: 1, Error: "too many"}},
		},
		State: []fermata.Change{
			{Path: "/log", Old: json.RawMessage(`["left#1"]`)},
			{Path: "/n", New: json.RawMessage("2")},
			{Path: "/text", Old: json.RawMessage(`"left"`), New: json.RawMessage(`"right"`)},
		},
		Output: []fermata.Change{},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := `A  run_a at seq 12  plan  completed
B  run_b at seq 18  plan  failed: too many  a fork of run_a at seq 5
alike up to seq 5

answers
  a#1  "left"  ->  "right"  Where to?

tasks
  a#1      finished, to left  ->  finished, to right
  left#1   finished           ->  not there
  right#1  not there          ->  failed: too many

state
  /log   ["left#1"]  ->  nothing
  /n     nothing     ->  2
  /text  "left"      ->  "right"
`
	if diff := cmp.Diff(text, d.String()); diff != "" {
		t.Errorf("as text (-want +got):\n%s", diff)
	}
}

// Two seqs of one run differ in what happened in between.
func TestDiffOfTwoSeqs(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, reviewed(), state{}, fermata.WithID("run_a"))
	answer(t, rt, question(t, run).ID, "left")
	ends(t, run, fermata.Completed)
	d, err := rt.Diff(t.Context(), fermata.At{Run: "run_a", Seq: 5}, fermata.At{Run: "run_a", Seq: 9})
	if err != nil {
		t.Fatal(err)
	}
	want := `A  run_a at seq 5  plan  paused
B  run_a at seq 9  plan  running
alike up to seq 5

answers
  a#1  open  ->  "left"  Where to?

tasks
  a#1  waiting  ->  finished, to left

state
  /text  nothing  ->  "left"
`
	if diff := cmp.Diff(want, d.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, wrong := range []fermata.At{{Run: "run_none"}, {Run: "run_a", Seq: 99}} {
		_, err := rt.Diff(t.Context(), fermata.At{Run: "run_a"}, wrong)
		if known, ok := errors.AsType[*fermata.Error](err); !ok || known.Run != wrong.Run {
			t.Errorf("%v: found %v", wrong, err)
		}
	}
}

// Of every run and every fork of it without an edit, nothing differs at the seq where they part, and nothing but who
// drove at their ends; and no difference depends on which of the two comes first, but for its direction.
func TestDiffOfForksWithoutAnEdit(t *testing.T) {
	for _, c := range crashCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := finished(t, c)
			for at := 1; at <= len(o.journal); at++ {
				if o.half(at) {
					continue
				}
				s := memory.New()
				d, err := o.fork(t, s, o.journal[at-1].Time(), fermata.ForkOptions{At: uint64(at)})
				if err != nil {
					t.Fatal(err)
				}
				if o.store(t, s); at%2 == 0 {
					if got, err := d.finish(); err != nil || o.c.unknown(got) {
						continue
					}
				}
				rt, err := fermata.New(fermata.Options{Store: s})
				if err != nil {
					t.Fatal(err)
				}
				here, fork := fermata.At{Run: originalID, Seq: uint64(at)}, fermata.At{Run: drivenID, Seq: uint64(at)}
				diff, err := rt.Diff(t.Context(), here, fork)
				if err != nil || !diff.Same() || diff.Common != uint64(at) {
					t.Errorf("seq %d: %v\n%v", at, err, diff)
				}
				there, err := rt.Diff(t.Context(), here, fermata.At{Run: drivenID})
				if err != nil {
					t.Fatal(err)
				}
				back, err := rt.Diff(t.Context(), fermata.At{Run: drivenID}, here)
				if err != nil {
					t.Fatal(err)
				}
				if there.Common != back.Common || there.Common < uint64(at) || !cmp.Equal(sizes(there), sizes(back)) {
					t.Errorf("seq %d: there\n%s\nand back\n%s", at, there, back)
				}
				if err := rt.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func sizes(d *fermata.Difference) []int {
	return []int{len(d.Answers), len(d.Tasks), len(d.State), len(d.Output), strings.Count(d.String(), "\n")}
}
