package fermata_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// stuckUnlessStopped is a node that ends only when it is told to.
func stuckUnlessStopped(began chan<- string) graph.Func[team] {
	return func(ctx node.Context, s team) (team, error) {
		select {
		case began <- ctx.Info().Node:
		case <-ctx.Done():
		}
		<-ctx.Done()
		return s, ctx.Err()
	}
}

// failsOnce fails as soon as another node has begun.
func failsOnce(began <-chan string) graph.Func[team] {
	return func(ctx node.Context, s team) (team, error) {
		select {
		case <-began:
		case <-ctx.Done(): // of a process that has ended
		}
		return s, errors.New("no luck")
	}
}

// A subgraph that fails fast stops what runs inside it, and nothing else: its failure goes its way while others run on.
func TestF2_FailFastInASubgraph(t *testing.T) {
	for name, asItems := range map[string]bool{"a subgraph": false, "items of a map": true} {
		t.Run(name, func(t *testing.T) {
			began, rescued := make(chan string), make(chan string)
			inner := graph.New[team]("inner").FailFast()
			if asItems { // one item fails, the other one waits
				inner.Route(graph.Start, func(_ node.Context, s team) (string, error) { return s.Left, nil }, "long", "bad")
			} else {
				inner.Edge(graph.Start, "long", "bad")
			}
			child := inner.Node("long", stuckUnlessStopped(began)).Node("bad", failsOnce(began)).MustCompile()
			b := graph.New[team]("outer")
			if asItems {
				mapTeams(b, "in", child)
			} else {
				b.Sub("in", child)
			}
			g := b.
				Node("beside", func(ctx node.Context, s team) (team, error) {
					<-rescued // the failure of the subgraph has gone its way by then
					if err := ctx.Err(); err != nil {
						return s, err
					}
					s.Right = "ran on"
					return s, nil
				}).
				Node("rescue", func(ctx node.Context, s team) (team, error) {
					close(rescued)
					s.Left = ctx.Cause().Message
					s.Log = nil
					return s, nil
				}).
				Edge(graph.Start, "in", "beside").OnError("in", "rescue").MustCompile()
			rt := newRuntime(t, fermata.Options{})
			run := startTeam(t, rt, g, team{Log: []string{"long", "bad"}})
			res, err := run.Wait(timeLimit(t))
			if err != nil || res.Status != fermata.Completed {
				t.Fatalf("%s, %v, %v", res.Status, res.Err, err)
			}
			if diff := cmp.Diff([]string{"no luck", "ran on"}, []string{res.State.Left, res.State.Right}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Through crashes, what was stopped is not run again: the failure of the subgraph goes its way.
func TestF2_FailFastInASubgraphThroughCrashes(t *testing.T) {
	began := make(chan string)
	inner := graph.New[team]("inner").FailFast().
		Node("long", stuckUnlessStopped(began)).Node("bad", failsOnce(began)).Edge(graph.Start, "long", "bad").MustCompile()
	g := graph.New[team]("outer").Sub("in", inner).Node("rescue", says("rescue")).
		Edge(graph.Start, "in").OnError("in", "rescue").MustCompile()
	report := fermatatest.Crash(t, g.Plan(), func() any { return &team{} })
	if got := report.Result.Value.(*team).Log; report.Result.Status != fermata.Completed || len(got) != 1 {
		t.Errorf("%s with %v", report.Result.Status, got)
	}
}
