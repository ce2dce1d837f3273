package fermata_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// asking is a node that notes a recorded step, asks, and notes its task.
func asking(ctx node.Context, s state) (state, error) {
	if _, err := node.Interrupt[bool](ctx, nil, node.ID("ok")); err != nil {
		return s, err
	}
	return logged(ctx, s)
}

type build func(b *graph.Builder[state]) *graph.Builder[state]

func compile(f build) *graph.Graph[state] {
	return f(graph.New[state]("plan").Edge(graph.Start, "a")).MustCompile()
}

// chainABC is a -> b -> c, where b asks.
func chainABC(b *graph.Builder[state]) *graph.Builder[state] {
	return b.Node("a", logged).Node("b", asking).Node("c", logged).Edge("a", "b").Edge("b", "c")
}

// change is a plan that takes the place of another, while a run waits in node b.
type change struct {
	name string
	old  build
	now  build
	want []string
}

// compatible are changes that leave b where it is.
func compatible() []change {
	inner := graph.New[state]("inner").Node("x", logged).Edge(graph.Start, "x").MustCompile()
	return []change{
		{
			"the same plan", chainABC, chainABC, []string{"a#1", "b#1", "c#1"},
		},
		{
			"a node at the end",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return chainABC(b).Node("d", logged).Edge("c", "d")
			},
			[]string{"a#1", "b#1", "c#1", "d#1"},
		},
		{
			"the node before it became a gate, and asks",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", asking).Node("b", asking).Node("c", logged).Edge("b", "c").
					Route("a", func(node.Context, state) (string, error) { return "b", nil }, "b", "c")
			},
			[]string{"a#1", "b#1", "c#1"},
		},
		{
			"the node before it leads elsewhere now",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Node("c", logged).Node("n", logged).
					Edge("a", "n").Edge("n", "b").Edge("b", "c")
			},
			[]string{"a#1", "b#1", "c#1"},
		},
		{
			"the node after it is gone",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Edge("a", "b")
			},
			[]string{"a#1", "b#1"},
		},
		{
			"a gate became a chain",
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Node("c", logged).Edge("b", "c").
					Route("a", func(node.Context, state) (string, error) { return "b", nil }, "b", "c")
			},
			chainABC,
			[]string{"a#1", "b#1", "c#1"},
		},
		{
			"a gate leads elsewhere now",
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Node("c", logged).Edge("b", "c").
					Route("a", func(node.Context, state) (string, error) { return "b", nil }, "b", "c")
			},
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Node("c", logged).Edge("a", "c").
					Route("c", func(node.Context, state) (string, error) { return graph.End, nil }, "b", graph.End).Edge("b", graph.End)
			},
			[]string{"a#1", "b#1"},
		},
		{
			"it chooses now",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Node("c", logged).Node("d", logged).Edge("a", "b").
					Route("b", func(node.Context, state) (string, error) { return "d", nil }, "c", "d")
			},
			[]string{"a#1", "b#1", "d#1"},
		},
		{
			"a subgraph behind it",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Sub("c", inner).Edge("a", "b").Edge("b", "c")
			},
			[]string{"a#1", "b#1", "c/x#1"},
		},
		{
			"a finished node became a subgraph",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Sub("a", inner).Node("b", asking).Node("c", logged).Edge("a", "b").Edge("b", "c")
			},
			[]string{"a#1", "b#1", "c#1"},
		},
		{
			"a finished subgraph became a node",
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Sub("a", inner).Node("b", asking).Node("c", logged).Edge("a", "b").Edge("b", "c")
			},
			chainABC,
			[]string{"a/x#1", "b#1", "c#1"},
		},
		{
			"a finished subgraph is gone",
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Sub("s", inner).Node("b", asking).Edge("a", "s").Edge("s", "b")
			},
			chainABC,
			[]string{"a#1", "s/x#1", "b#1", "c#1"},
		},
		{
			"the node before it ends its path now",
			chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", asking).Node("c", logged).
					Route("a", func(node.Context, state) (string, error) { return graph.End, nil }, "b", graph.End).Edge("b", "c")
			},
			[]string{"a#1", "b#1", "c#1"},
		},
	}
}

// A run that waits inside a node goes on with a changed plan as long as the node is there.
func TestJ8_ARunResumesOnACompatiblePlan(t *testing.T) {
	for _, tt := range compatible() {
		t.Run(tt.name, func(t *testing.T) {
			store := memory.New()
			first := newRuntime(t, fermata.Options{Store: store})
			run := start(t, first, compile(tt.old), state{})
			q := question(t, run)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			rt := newRuntime(t, fermata.Options{Store: store})
			answer(t, rt, q.ID, true, fermata.Hold())
			run = resume(t, rt, compile(tt.now), run.ID())
			if diff := cmp.Diff(tt.want, ends(t, run, fermata.Completed).State.Log); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where an open task, a token or a recorded step has no place in the new plan, the run stays as it is.
func TestJ8_AnIncompatiblePlanIsRefused(t *testing.T) {
	inner := graph.New[state]("inner").Node("x", asking).Node("y", logged).Edge(graph.Start, "x").Edge("x", "y").MustCompile()
	other := graph.New[state]("inner").Node("z", asking).Edge(graph.Start, "z").MustCompile()
	withSub := func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Sub("s", inner).Edge("a", "s")
	}
	tests := []struct {
		name   string
		old    build
		now    build
		reason string
		diff   string
		hint   string
	}{
		{
			"the node it waits in is gone", chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("c", logged).Edge("a", "c")
			},
			`task b#1 is open, and the plan has no node "b"`,
			"node b removed; edge a -> b removed; edge a -> c added", "",
		},
		{
			"nothing but the first node is left", chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] { return b.Node("a", logged) },
			`task b#1 is open, and the plan has no node "b"`,
			"node b removed; node c removed; edge a -> b removed", "",
		},
		{
			"the subgraph it waits in is gone", withSub,
			func(b *graph.Builder[state]) *graph.Builder[state] { return b.Node("a", logged) },
			`task s#1 is open, and the plan has no node "s"`,
			"node s removed; edge a -> s removed", "",
		},
		{
			"the subgraph is a node now", withSub,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("s", logged).Edge("a", "s")
			},
			"task s#1 is inside a subgraph, and the plan has none there",
			"node s: kind was subgraph and is task", "",
		},
		{
			"the subgraph has another plan", withSub,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Sub("s", other).Edge("a", "s")
			},
			`task s/x#1 is open, and the plan has no node "s/x"`,
			"node s/x removed; node s/y removed; node s/z added; the entry of s was x and is z",
			"if s/x is s/z now, a migration can say so",
		},
		{
			"the node is a subgraph now", chainABC,
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Sub("b", inner).Node("c", logged).Edge("a", "b").Edge("b", "c")
			},
			"task b#1 has recorded steps, and the plan has a subgraph there",
			"node b: kind was task and is subgraph", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := memory.New()
			first := newRuntime(t, fermata.Options{Store: store})
			run := start(t, first, compile(tt.old), state{})
			q := question(t, run)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			before := lines(t, store, run.ID())
			rt := newRuntime(t, fermata.Options{Store: store})
			g := compile(tt.now)
			_, err := g.Resume(timeLimit(t), rt, run.ID())
			refused(t, err, refusal{fermata.CodePlanChanged, fermata.ErrPlanChanged})
			var changed *fermata.PlanChangedError
			if !errors.As(err, &changed) {
				t.Fatalf("the error is %v, want a *PlanChangedError in it", err)
			}
			if diff := cmp.Diff(fermata.PlanChangedError{Reason: tt.reason, Diff: tt.diff, Hint: tt.hint}, *changed); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			_, err = rt.Replan(timeLimit(t), run.ID(), g.Plan(), "")
			refused(t, err, refusal{fermata.CodePlanChanged, fermata.ErrPlanChanged})
			if diff := cmp.Diff(before, lines(t, store, run.ID())); diff != "" {
				t.Errorf("the journal changed:\n%s", diff)
			}
			old := resume(t, rt, compile(tt.old), run.ID()) // on its own plan it goes on
			answer(t, rt, q.ID, true)
			ends(t, old, fermata.Completed)
		})
	}
}

// What a recorded step was recorded as cannot change under it.
func TestJ8_RecordedStepsKeepTheirPlace(t *testing.T) {
	store := memory.New()
	first := newRuntime(t, fermata.Options{Store: store})
	run := start(t, first, compile(chainABC), state{})
	q := question(t, run)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	rt := newRuntime(t, fermata.Options{Store: store})
	changed := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Node("b", logged).Node("c", logged).Edge("a", "b").Edge("b", "c") // b does not ask any more
	})
	run = resume(t, rt, changed, run.ID())
	answer(t, rt, q.ID, true)
	if err := ends(t, run, fermata.Blocked).Err; !errors.Is(err, fermata.ErrDiverged) {
		t.Errorf("the error is %v", err)
	}
}

// Moving a run to a changed plan is recorded: from there on the run is pinned to the new one.
func TestJ8_ReplanIsRecorded(t *testing.T) {
	store := memory.New()
	first := newRuntime(t, fermata.Options{Store: store})
	old := compile(chainABC)
	run := start(t, first, old, state{})
	q := question(t, run)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	longer := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return chainABC(b).Node("d", logged).Edge("c", "d")
	})
	rt := newRuntime(t, fermata.Options{Store: store, Name: "ops"})
	moved, err := rt.Replan(timeLimit(t), run.ID(), longer.Plan(), "def_2")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := moved.Wait(timeLimit(t)); err != nil || res.Status != fermata.Paused {
		t.Fatalf("the run is %s, error %v", res.Status, err)
	}
	info, err := rt.Info(t.Context(), run.ID())
	if err != nil {
		t.Fatal(err)
	}
	got := fermata.RunInfo{Fingerprint: info.Fingerprint, Definition: info.Definition}
	if diff := cmp.Diff(fermata.RunInfo{Fingerprint: longer.Plan().Fingerprint(), Definition: "def_2"}, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	var resumed []journal.ResumedBody
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.RunResumed {
			resumed = append(resumed, bodyOf[journal.ResumedBody](t, &e))
		}
	}
	want := []journal.ResumedBody{{Reason: "replan", By: "ops", Fingerprint: longer.Plan().Fingerprint(), Definition: "def_2"}}
	if diff := cmp.Diff(want, resumed); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	answer(t, rt, q.ID, true) // the runtime knows the plan that the run has now
	res, err := moved.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Completed {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	if diff := cmp.Diff([]string{"a#1", "b#1", "c#1", "d#1"}, res.Value.(*state).Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A run that is being driven is not taken from its driver by a retry or a new plan.
func TestJ8_ADrivenRunIsNotReplanned(t *testing.T) {
	rt, store := inMemory(t)
	hold := newGate()
	g := single(func(ctx node.Context, s state) (state, error) { return s, hold.pass(ctx) })
	run := start(t, rt, g, state{})
	hold.waitEntered(t)
	before := lines(t, store, run.ID())
	_, err := rt.Replan(timeLimit(t), run.ID(), g.Plan(), "")
	refused(t, err, refusal{fermata.CodeConflict, fermata.ErrConflict})
	if diff := cmp.Diff(before, lines(t, store, run.ID())); diff != "" {
		t.Errorf("the journal changed:\n%s", diff)
	}
	close(hold.open)
	ends(t, run, fermata.Completed)
}

// Compile finds what can be known before a run, all of it at once, and suggests the nearest name.
func TestG7_CompileFindsEverythingAtOnce(t *testing.T) {
	_, err := graph.New[state]("wrong").
		Node("a", logged).Node("b", logged).Node("b", logged).Node("island", logged).
		Node("spin", logged).
		Edge(graph.Start, "a").Edge("a", "spin").Edge("spin", "spin").
		Edge("b", "reviwe").Node("review", logged).
		Compile()
	if err == nil {
		t.Fatal("it compiled")
	}
	for _, want := range []string{
		`nodes 2 and 3 have this name`, `node "island": the run never gets here`, `the loop "spin" -> "spin" never ends`,
		`there is no node "reviwe"; did you mean "review"?`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q:\n%v", want, err)
		}
	}
}

// A run that was resumed on a plan which fits goes on with that plan, however long it waits and whatever else is run.
func TestJ8_ARunKeepsThePlanItWasResumedOn(t *testing.T) {
	longer := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Node("b", asking).Node("c", asking).Node("d", logged).Edge("a", "b").Edge("b", "c").Edge("c", "d")
	})
	for name, others := range map[string]int{"at once": 0, "after many others": 200} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			first := newRuntime(t, fermata.Options{Store: store})
			run := start(t, first, compile(chainABC), state{})
			q := question(t, run)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			rt := newRuntime(t, fermata.Options{Store: store})
			run = resume(t, rt, longer, run.ID())
			answer(t, rt, q.ID, true)
			q = question(t, run)
			for range others {
				question(t, start(t, rt, single(asking), state{}))
			}
			answer(t, rt, q.ID, true)
			if diff := cmp.Diff([]string{"a#1", "b#1", "c#1", "d#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestN1_PlansThatNobodyNeedsAreForgotten starts runs of one definition after the other, as a program does that loads them
// for ever: only those of runs that can still go on are kept, so that an answer drives them on.
func TestN1_PlansThatNobodyNeedsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, _ := inMemory(t)
		asks, works := single(asking), single(logged)
		var waiting []*graph.Run[state]
		most := 0
		for i := range 300 {
			definition := fermata.WithDefinition(fmt.Sprintf("definition_%d", i))
			if i%100 == 0 {
				waiting = append(waiting, start(t, rt, asks, state{}, definition))
				continue
			}
			ends(t, start(t, rt, works, state{}, definition), fermata.Completed)
			synctest.Wait() // until nothing is done any more
			most = max(most, fermata.KnownPlans(rt))
		}
		if most > 64 {
			t.Errorf("%d plans were kept, expected 64 at most", most)
		}
		for _, run := range waiting {
			answer(t, rt, question(t, run).ID, true)
			ends(t, run, fermata.Completed)
		}
	})
}
