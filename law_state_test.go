package fermata_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// stateAt checks the state of a run as its handle has it, and as another runtime on the store reads it.
func stateAt(t *testing.T, g *graph.Graph[state], run *graph.Run[state], other *fermata.Runtime, want state) {
	t.Helper()
	for name, read := range map[string]func() (state, error){
		"the handle":      func() (state, error) { return run.State(t.Context()) },
		"another process": func() (state, error) { return g.State(t.Context(), other, run.ID()) },
	} {
		got, err := read()
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The state of a run is what its nodes recorded last: while it waits, beside an error, after a retry and a fork, and at its end.
func TestJ1_TheStateOfARunIsReadAtItsLastEntry(t *testing.T) {
	broken := true
	inner := graph.New[state]("inner").Node("ask", func(ctx node.Context, s state) (state, error) {
		s.Log = append(s.Log, "not recorded")
		yes, err := node.Interrupt[bool](ctx, "Go on?")
		if yes {
			s.Text = "yes"
		}
		return s, err
	}).Node("after", logged).Edge(graph.Start, "ask").Edge("ask", "after").MustCompile()
	g := graph.New[state]("outer").Node("first", logged).Sub("inner", inner).Node("last", func(ctx node.Context, s state) (state, error) {
		s.Log = append(s.Log, "not recorded")
		if broken {
			return s, errors.New("out of paper")
		}
		s.N = 7
		return s, nil
	}).Edge(graph.Start, "first").Edge("first", "inner").Edge("inner", "last").MustCompile()
	store := memory.New()
	rt, other := newRuntime(t, fermata.Options{Store: store}), newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, g, state{N: 1})
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Paused {
		t.Fatal(res.Status, res.Err, err)
	}
	asked := state{N: 1, Log: []string{"first#1"}}
	stateAt(t, g, run, other, asked)
	if err := rt.Answer(t.Context(), res.Interrupts[0].ID, true); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Failed {
		t.Fatal(res.Status, res.Err, err)
	}
	failed := state{N: 1, Text: "yes", Log: []string{"first#1", "not recorded", "inner/after#1"}}
	stateAt(t, g, run, other, failed)

	fork, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{Hold: true, Edit: func(s state) (state, error) {
		s.Tags = map[string]int{"edited": 1}
		return s, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	edited := failed
	edited.Tags = map[string]int{"edited": 1}
	stateAt(t, g, fork, other, edited)
	stateAt(t, g, run, other, failed)

	broken = false
	if run, err = g.Retry(t.Context(), rt, run.ID()); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, res.Err, err)
	}
	stateAt(t, g, run, other, res.State)
}

// A run that has started and recorded nothing has the state that it was given; a run that nobody knows has none.
func TestJ1_TheStateOfARunBeforeItsFirstNode(t *testing.T) {
	rt, _ := inMemory(t)
	g := single(func(ctx node.Context, s state) (state, error) {
		s.N++
		return s, node.Sleep(ctx, time.Hour)
	})
	run := start(t, rt, g, state{N: 4})
	stateAt(t, g, run, rt, state{N: 4})
	if _, err := g.State(t.Context(), rt, "run_unknown"); !errors.Is(err, fermata.ErrNotFound) {
		t.Error(err)
	}
	unstored := start(t, rt, single(logged), state{}, fermata.WithDurability(fermata.None))
	if _, err := unstored.Wait(timeLimit(t)); err != nil {
		t.Fatal(err)
	}
	if e, ok := errors.AsType[*fermata.Error](second(unstored.State(t.Context()))); !ok || e.Code != fermata.CodeInvalid {
		t.Error(e)
	}
	type other struct{ Title string }
	foreign := graph.New[other]("single").Node("a", func(_ node.Context, s other) (other, error) { return s, nil }).Edge(graph.Start, "a").MustCompile()
	if _, err := foreign.State(t.Context(), rt, run.ID()); !errors.Is(err, fermata.ErrPlanChanged) {
		t.Errorf("expected ErrPlanChanged, found %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// The items of a map have states of their own: the run's is that before the map, until all have ended.
func TestJ1_TheStateOfARunIsNotThatOfAnItem(t *testing.T) {
	rt, _ := inMemory(t)
	item := graph.New[state]("item").Node("write", logged).Node("ask", func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, "Go on?")
		return s, err
	}).Edge(graph.Start, "write").Edge("write", "ask").MustCompile()
	b := graph.New[state]("mapped").Node("first", logged)
	graph.Map(b, "map", func(s state) ([]state, error) { return []state{s, s}, nil }, item,
		func(s state, items []state) (state, error) {
			s.N = len(items)
			return s, nil
		})
	g := b.Edge(graph.Start, "first").Edge("first", "map").MustCompile()
	run := start(t, rt, g, state{})
	res, err := run.Wait(timeLimit(t))
	if err != nil || len(res.Interrupts) != 2 {
		t.Fatal(res.Status, res.Err, err)
	}
	stateAt(t, g, run, rt, state{Log: []string{"first#1"}})
	for _, q := range res.Interrupts {
		if err := rt.Answer(t.Context(), q.ID, true); err != nil {
			t.Fatal(err)
		}
	}
	if res, err = run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, res.Err, err)
	}
	stateAt(t, g, run, rt, state{Log: []string{"first#1"}, N: 2})
}

// A dataflow has the last version of each value, also of values in a loop, while it waits and beside an error.
func TestJ1_TheStateOfADataflowHasTheLastVersions(t *testing.T) {
	rt, _ := inMemory(t)
	g := dataflow.Must(dataflow.New("flow",
		dataflow.Func("double", "twice", func(_ node.Context, in struct{ Seed int }) (int, error) { return 2 * in.Seed, nil }),
		dataflow.Func("ask", "answer", func(ctx node.Context, in struct{ Twice int }) (string, error) {
			return node.Interrupt[string](ctx, in.Twice)
		}),
		dataflow.Func("end", "length", func(_ node.Context, in struct{ Answer string }) (int, error) {
			return 0, errors.New("out of paper")
		}),
	))
	run, err := g.Start(t.Context(), rt, dataflow.Values{"seed": 20})
	if err != nil {
		t.Fatal(err)
	}
	want := dataflow.Values{"seed": 20, "twice": 40}
	for range 2 {
		res, err := run.Wait(timeLimit(t))
		if err != nil {
			t.Fatal(res.Status, res.Err, err)
		}
		got, err := run.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again, err := g.State(t.Context(), rt, run.ID())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]dataflow.Values{want, want}, []dataflow.Values{got, again}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", res.Status, diff)
		}
		if res.Status == fermata.Paused {
			if err := run.Answer(t.Context(), "yes"); err != nil {
				t.Fatal(err)
			}
			want["answer"] = "yes"
		} else if res.Status != fermata.Failed {
			t.Fatal(res.Status)
		}
	}
}

// Beside the error of a run that keeps nothing is what its failing node returned, or a dataflow's outputs so far.
func TestF1_TheStateBesideAnError(t *testing.T) {
	paper := errors.New("out of paper")
	g := graph.New[state]("beside").Node("a", logged).Node("b", func(ctx node.Context, s state) (state, error) {
		s.N = 3
		return s, paper
	}).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	got, err := g.Run(t.Context(), state{})
	if diff := cmp.Diff(state{Log: []string{"a#1"}, N: 3}, got); diff != "" || !errors.Is(err, paper) {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	flow := dataflow.Must(dataflow.New("flow",
		dataflow.Func("double", "twice", func(_ node.Context, in struct{ Seed int }) (int, error) { return 2 * in.Seed, nil }),
		dataflow.Func("end", "length", func(_ node.Context, in struct{ Twice int }) (int, error) { return 5, paper }),
	))
	for name, evaluate := range map[string]func(context.Context, dataflow.Values, ...any) (dataflow.Result, error){"Run": flow.Run, "Call": flow.Call} {
		res, err := evaluate(t.Context(), dataflow.Values{"seed": 20})
		if diff := cmp.Diff(dataflow.Values{"twice": 40}, res.Outputs); diff != "" || !errors.Is(err, paper) {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}
