package fermata_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// With FailFast the tasks beside a failed one are told to stop, and a retry runs them again with it.
func TestF2_FailFastStopsSiblings(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	var stopped, others atomic.Int32
	long := func(ctx node.Context, s team) (team, error) {
		if broken.Load() {
			<-ctx.Done()
			stopped.Add(1)
			return s, ctx.Err()
		}
		s.Left = "at last"
		return s, nil
	}
	bad := func(_ node.Context, s team) (team, error) {
		if broken.Load() {
			return s, errors.New("no luck")
		}
		s.Right = "at last"
		return s, nil
	}
	done := func(_ node.Context, s team) (team, error) {
		others.Add(1)
		s.Log = append(s.Log, "done")
		return s, nil
	}
	g := graph.New[team]("fail fast").FailFast().
		Node("first", done).Node("long", long).Node("bad", bad).Node("join", says("join"), graph.All()).
		Edge(graph.Start, "first").Edge("first", "long", "bad").Edge("long", "join").Edge("bad", "join").
		MustCompile()
	rt := newRuntime(t, fermata.Options{})
	run, err := g.Start(t.Context(), rt, team{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Failed || res.Err.Error() != "run "+run.ID()+", task bad#1: no luck" {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	eventually(t, "the long task is told to stop", func() bool { return stopped.Load() == 1 })

	broken.Store(false)
	if run, err = g.Retry(t.Context(), rt, run.ID()); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(timeLimit(t)); err != nil {
		t.Fatal(err)
	}
	want := team{Log: []string{"done", "join"}, Sum: 1, Left: "at last", Right: "at last"}
	if diff := cmp.Diff(want, res.State); diff != "" {
		t.Errorf("%s %v (-want +got):\n%s", res.Status, res.Err, diff)
	}
	if n := others.Load(); n != 1 {
		t.Errorf("the node that was finished ran %d times", n)
	}
}
