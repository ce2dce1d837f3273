package dataflow_test

import (
	"fmt"
	"testing"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
)

// partly is a loop around a subgraph that brings "x" in the first round alone, and "z" in the others.
func partly(t testing.TB) *dataflow.Graph {
	t.Helper()
	type round struct{ N int }
	choose := dataflow.Branch("choose", func(_ node.Context, in round) (bool, error) { return in.N == 1, nil }, "some", "other")
	some := dataflow.Func("some", "x", func(_ node.Context, in round) ([]int, error) { return []int{in.N}, nil })
	other := unary("other", "n", "z", func(n int) int { return -n })
	inner := graphOf(t, choose, some, other)

	head := dataflow.Func("head", "n", func(_ node.Context, in struct {
		N int `default:"0"`
	},
	) (int, error) {
		return in.N + 1, nil
	})
	show := dataflow.Func("show", "shown", func(_ node.Context, in struct {
		X     []int
		N     int
		Shown []int `json:"shown,omitempty"`
	},
	) ([]int, error) {
		return append(append(in.Shown, in.N), in.X...), nil
	})
	again := dataflow.Branch("again", func(_ node.Context, in struct{ N int }) (bool, error) { return in.N < 3, nil }, head, dataflow.End)
	return graphOf(t, head, inner.As("inner"), show, again)
}

// A value that has a version keeps it until there is another one: where a subgraph runs again and does not bring it, it is
// what it was, and whoever needs it is given that: in this process, and in one that takes over.
func TestD3_ASubgraphTakesNoValueBack(t *testing.T) {
	g := partly(t)
	want := vals{"n": 3, "x": []int{1}, "z": -3, "shown": []int{1, 1, 2, 1, 3, 1}}
	same(t, "where nothing is kept", want, evaluated(t, g, nil))
	got, _, _ := outcome(t, g, nil)
	same(t, "outputs", want, got)

	input := func() any { return g.MustInput(nil) }
	fermatatest.Crash(t, g.Plan(), input)
	fermatatest.Schedules(t, g.Plan(), input)
}

// A version that is equal to the last one costs nothing, and is there all the same: also where a run holds so many values
// that they are found by an index.
func TestJ7_AnEqualVersionIsThere(t *testing.T) {
	head := dataflow.Func("head", "n", func(_ node.Context, in struct {
		N int `default:"0"`
	},
	) (int, error) {
		return in.N + 1, nil
	})
	equal := unary("same", "n", "same", func(int) string { return "the same" })
	use := dataflow.Func("use", "used", func(_ node.Context, in struct {
		Same string
		N    int
	},
	) (string, error) {
		return fmt.Sprint(in.Same, " ", in.N), nil
	})
	again := dataflow.Branch("again", func(_ node.Context, in struct{ N int }) (bool, error) { return in.N < 4, nil }, head, dataflow.End)
	parts := []dataflow.Part{head, equal, use, again}
	for i := range 20 {
		parts = append(parts, constant(fmt.Sprint("k", i), fmt.Sprint("value", i), i))
	}
	g := graphOf(t, graphOf(t, parts...).As("inner"))
	got, _, _ := outcome(t, g, nil)
	same(t, "used", "the same 4", got["used"])
}
