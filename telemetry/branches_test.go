package telemetry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// The spans of a map's items lie in the map's, under the name of the node in the plan, and so do those of maps in maps;
// an item that is given up takes what is at work in it along.
func TestG5_SpansOfItems(t *testing.T) {
	var k kept
	rt := k.runtime(t, fermata.Options{})
	pass := func(_ node.Context, s state) (state, error) { return s, nil }
	two := func(state) ([]state, error) { return make([]state, 2), nil }
	inner := graph.New[state]("inner")
	graph.Map(inner, "in", two, graph.Of("leaf", pass).MustCompile(), func(s state, _ []state) (state, error) { return s, nil }, graph.Limit(1))
	b := graph.New[state]("outer")
	graph.Map(b, "out", two, inner.Edge(graph.Start, "in").MustCompile(), func(s state, _ []state) (state, error) { return s, nil }, graph.Limit(1))
	failing := graph.New[state]("failing").Node("bad", func(_ node.Context, s state) (state, error) { return s, errors.New("no") }).
		Node("asks", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "?")
			return s, err
		}).Edge(graph.Start, "asks", "bad").MustCompile()
	graph.MapKeep(b, "keep", func(state) ([]state, error) { return make([]state, 1), nil }, failing,
		func(s state, _ []graph.Item[state]) (state, error) { return s, nil })
	run, err := b.Edge(graph.Start, "out").Edge("out", "keep").MustCompile().Start(timeLimit(t), rt, state{})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Err, err)
	}
	want := strings.TrimPrefix(`
run outer: status=completed
  task out#1: attempt=1 outcome=finished
    task out/in#1.1/in#1: attempt=1 outcome=finished
      task out/in/leaf#1.1/in#1.1/leaf#1: attempt=1 outcome=finished
      task out/in/leaf#1.1/in#1.2/leaf#1: attempt=1 outcome=finished
    task out/in#1.2/in#1: attempt=1 outcome=finished
      task out/in/leaf#1.2/in#1.1/leaf#1: attempt=1 outcome=finished
      task out/in/leaf#1.2/in#1.2/leaf#1: attempt=1 outcome=finished
  task keep#1: attempt=1 outcome=finished
    task keep/bad#1.1/bad#1: attempt=1 outcome=failed error.type=_OTHER ERROR no
    task keep/asks#1.1/asks#1: attempt=1 outcome=cut_off
      interrupt: attempt=1 op=interrupt:interrupt#1 state=withdrawn
`, "\n")
	if diff := cmp.Diff(want, draw(k.take(), brief)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
