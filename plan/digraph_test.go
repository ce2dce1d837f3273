package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A ring of any size is one part: the search keeps its own stack.
func TestCyclesOfALongRing(t *testing.T) {
	const n = 200_000
	arcs := make([]arc, n)
	for i := range arcs {
		arcs[i] = arc{i, (i + 1) % n}
	}
	g := newDigraph(n, arcs)
	loops := g.loops(func(part []int, _ func(int) bool) []int { return part[:1] })
	if len(loops) != 1 || len(loops[0].nodes) != n || len(loops[0].inner) != 0 {
		t.Fatalf("expected one loop of %d nodes, found %d loops", n, len(loops))
	}
	if diff := cmp.Diff([]int{n - 1}, loops[0].back); diff != "" {
		t.Errorf("back arcs (-want +got)\n%s", diff)
	}
	layout := newLayout(newDigraph(n, arcs[:n-1]), 0)
	if layout.above[n-1] != n-2 {
		t.Errorf("expected node %d above the last, found %d", n-2, layout.above[n-1])
	}
}

// D4: dataflow brings its own head rule. A part for which it finds no head stays whole, to be refused.
func TestD4_LoopsTakeAHeadRule(t *testing.T) {
	//  0 -> 1 -> 2 -> 1, 2 -> 3 -> 4 -> 3
	g := newDigraph(5, []arc{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 4}, {4, 3}})
	rule := func(part []int, inside func(int) bool) []int {
		var heads []int
		for _, v := range part {
			if v == 2 && inside(v) {
				heads = append(heads, v)
			}
		}
		return heads
	}
	want := []loop{
		{nodes: []int{1, 2}, heads: []int{2}, back: []int{1}},
		{nodes: []int{3, 4}},
	}
	if diff := cmp.Diff(want, g.loops(rule), cmp.AllowUnexported(loop{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A loop that is entered in two places, and drawn nodes that only a second look puts under the node where ways parted.
func TestLayoutOfAnIrreducibleGraph(t *testing.T) {
	g := newDigraph(6, []arc{{0, 1}, {0, 2}, {1, 3}, {2, 4}, {2, 5}, {3, 4}, {4, 3}, {4, 5}, {5, 4}})
	if diff := cmp.Diff([]int{0, 0, 0, 0, 0, 0}, newLayout(g, 0).above); diff != "" {
		t.Errorf("dominators (-want +got)\n%s", diff)
	}
}
