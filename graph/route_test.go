package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// begins are graphs that choose where they begin.
func begins() *graph.Builder[order] {
	return graph.New[order]("shop").
		Route(graph.Start, func(_ node.Context, o order) (string, error) {
			if o.Cents == 0 {
				return graph.End, nil
			}
			return map[bool]string{true: "large", false: "small"}[o.Cents > 100], nil
		}, "small", "large", graph.End).
		Node("small", set("small")).Node("large", set("large"))
}

// LangGraph's conditional edges out of START: the state that a run is given chooses its first node.
func TestG2_ARouteFromStartChoosesTheFirstNode(t *testing.T) {
	g := begins().MustCompile()
	inner := begins().MustCompile()
	around := graph.New[order]("around").Sub("in", inner).Edge(graph.Start, "in").MustCompile()
	for cents, want := range map[int64]string{0: "", 5: "small", 500: "large"} {
		for _, g := range []*graph.Graph[order]{g, around} {
			got, err := g.Run(t.Context(), order{Cents: cents})
			if err != nil || got.Status != want {
				t.Errorf("%s: %d cents went %q, %v; want %q", g.Plan().Name(), cents, got.Status, err, want)
			}
			report := fermatatest.Crash(t, g.Plan(), func() any { return &order{Cents: cents} })
			if got := report.Result.Value.(*order).Status; got != want || report.Result.Status != fermata.Completed {
				t.Errorf("%s: through crashes %d cents went %q, want %q", g.Plan().Name(), cents, got, want)
			}
		}
	}
	if text := g.Plan().Text(); !strings.Contains(text, "(start)") {
		t.Errorf("the drawing does not show the choice:\n%s", text)
	}
}

// Several targets are branches, which meet as any others.
func TestG2_ARouteFromStartBeginsBranches(t *testing.T) {
	add := func(item string) graph.Func[basket] {
		return func(_ node.Context, b basket) (basket, error) { b.Items = append(b.Items, item); return b, nil }
	}
	g := graph.New[basket]("branches").
		Node("a", add("a")).Node("b", add("b")).Node("c", add("c")).
		Node("all", func(_ node.Context, b basket) (basket, error) { return b, nil }, graph.All()).
		RouteMany(graph.Start, func(_ node.Context, b basket) ([]string, error) { return b.Pick, nil }, "a", "b", "c").
		Edge("a", "all").Edge("b", "all").Edge("c", "all").MustCompile()
	for _, pick := range [][]string{{"b"}, {"c", "a"}, {"a", "b", "c"}} {
		report := fermatatest.Crash(t, g.Plan(), func() any { return &basket{Pick: pick} })
		if diff := cmp.Diff(slices.Sorted(slices.Values(pick)), report.Result.Value.(*basket).Items); diff != "" {
			t.Errorf("%v (-want +got)\n%s", pick, diff)
		}
	}
}

// basket is what branches put items into.
type basket struct {
	Pick  []string
	Items []string `merge:"append"`
}

// A run begins in one way, and a choice that was not declared is refused (law F7).
func TestF7_ARouteFromStartIsChecked(t *testing.T) {
	choose := to("small")
	for want, b := range map[string]*graph.Builder[order]{
		`Start has a route and an edge; expected one of them`: begins().Edge(graph.Start, "small"),
		`node "Start" has two routes`:                         begins().Route(graph.Start, choose, "small"),
		`route from "Start" has no function`:                  graph.Of("a", same).Route(graph.Start, nil, "a"),
		`there is no node "smal"; did you mean "small"?`:      begins().Node("x", same).Edge("x", "smal"),
	} {
		if _, err := b.Compile(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %s: %v", want, err)
		}
	}
	_, err := graph.New[order]("shop").Node("a", same).Route(graph.Start, to("b"), "a").MustCompile().Run(t.Context(), order{})
	if err == nil || !strings.Contains(err.Error(), `gate "(start)" chose "b"`) {
		t.Errorf("a choice that is not declared: %v", err)
	}
}
