package fermata_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// Types that hold nothing, or hardly anything. Values of types without a size may all have one address.
type (
	emptyState  struct{}
	emptyInside struct {
		A emptyState
		B [0]string
	}
	onlyTransient struct {
		cache int `fermata:"transient"` //nolint:unused // JSON drops it
	}
	emptyList [0]int
	boolean   bool
	reference *int
	tally     map[string]int
)

// trivialGraph is a graph with all that compares and copies states: branches that meet, a subgraph, a map, a retry and a wait.
func trivialGraph[S any](t *rapid.T, immutable bool, v S) *graph.Graph[S] {
	sets := func(_ node.Context, _ S) (S, error) { return v, nil }
	keep := func(_ node.Context, s S) (S, error) { return s, nil }
	b := graph.New[S]("trivial")
	if immutable {
		b.Immutable()
	}
	inner := graph.New[S]("inner").Node("a", keep).Edge(graph.Start, "a").MustCompile()
	b.Node("first", sets).
		Node("fails", func(ctx node.Context, s S) (S, error) {
			if ctx.Info().Attempt == 1 {
				return s, errors.New("not yet")
			}
			return s, nil
		}, graph.Retry(2, 1)).
		Node("ask", func(ctx node.Context, s S) (S, error) {
			_, err := node.Interrupt[bool](ctx, nil, node.ID("ok"))
			return s, err
		}).
		Sub("inner", inner).Node("last", keep).Node("left", keep).Node("right", keep).Node("meet", keep, graph.All())
	graph.Map(b, "each", func(S) ([]S, error) { return []S{v, v}, nil }, inner, func(s S, all []S) (S, error) {
		if len(all) != 2 {
			return s, fmt.Errorf("%d items", len(all))
		}
		return all[0], nil
	})
	g, err := b.Edge(graph.Start, "first").Edge("first", "fails").Edge("fails", "left", "right").Edge("left", "meet").Edge("right", "meet").
		Edge("meet", "inner").Edge("inner", "each").Edge("each", "ask").Edge("ask", "last").Compile()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// isTrivial takes a state through a graph, with a restart in the middle or without a store, and through a dataflow.
func isTrivial[S any](v S) func(t *rapid.T) {
	return func(t *rapid.T) {
		t.Logf("%T", v)
		isFlow(t, v)
		store := memory.New()
		g := trivialGraph(t, rapid.Bool().Draw(t, "immutable"), v)
		rt := newRuntimeOf(t, fermata.Options{Store: store})
		defer func() { _ = rt.Close() }()
		run, err := g.Start(t.Context(), rt, v)
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil || res.Status != fermata.Paused {
			t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
		if rapid.Bool().Draw(t, "restart") {
			_ = rt.Close()
			rt = newRuntimeOf(t, fermata.Options{Store: store})
			if run, err = g.Resume(t.Context(), rt, res.Run); err != nil {
				t.Fatal(err)
			}
		}
		if err := rt.Answer(t.Context(), res.Interrupts[0].ID, true); err != nil {
			t.Fatal(err)
		}
		if res, err = run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
			t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
		if !reflect.DeepEqual(res.State, v) {
			t.Errorf("the state is %#v, want %#v", res.State, v)
		}
	}
}

// isFlow hands a value on in a dataflow.
func isFlow[S any](t *rapid.T, v S) {
	if reflect.TypeFor[S]().Kind() == reflect.Pointer { // of a dataflow, that is a value which may be missing
		return
	}
	g, err := dataflow.New("trivial",
		dataflow.Func("a", "v", func(node.Context, struct{}) (S, error) { return v, nil }),
		dataflow.Func("b", "w", func(_ node.Context, in struct{ V S }) (S, error) { return in.V, nil }))
	if err != nil {
		t.Fatal(err)
	}
	res, err := g.Run(t.Context(), nil)
	if err != nil || res.Status != fermata.Completed {
		t.Fatalf("the dataflow is %s (%v), error %v", res.Status, res.Err, err)
	}
	if got := res.Outputs["w"]; !reflect.DeepEqual(got, v) {
		t.Errorf("the dataflow has %#v, want %#v", got, v)
	}
}

// A state that holds nothing, or hardly anything, is handed on like any other: through branches that meet, subgraphs, maps,
// retries, waits and restarts.
func TestN10_StatesThatHoldNothing(t *testing.T) {
	kinds := []func(t *rapid.T){
		isTrivial(struct{}{}), isTrivial(emptyState{}), isTrivial(emptyInside{}), isTrivial(onlyTransient{}), isTrivial([0]int{}), isTrivial(emptyList{}),
		isTrivial([3]struct{}{}), isTrivial(false), isTrivial(true), isTrivial(boolean(true)), isTrivial[*int](nil), isTrivial(reference(nil)),
		isTrivial[*struct{}](nil), isTrivial[any](nil), isTrivial[map[string]int](nil), isTrivial(tally(nil)), isTrivial(tally{}), isTrivial([]struct{}{{}, {}}),
		isTrivial([]int(nil)), isTrivial(0), isTrivial(""), isTrivial(struct{ A, B struct{} }{}), isTrivial(map[string]struct{}{"a": {}}),
		isTrivial(map[string]any(nil)), isTrivial(struct{ P *struct{} }{new(struct{})}),
	}
	rapid.Check(t, func(t *rapid.T) { rapid.SampledFrom(kinds).Draw(t, "type")(t) })
}
