package fermatatest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// A backoff that begins while all other goroutines of the drive are in functions is over when it is due (law H3).
func TestH3_ABackoffIsDueWhileOthersAreAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var second time.Duration
		start := time.Now()
		work := func(_ node.Context, s tally) (tally, error) { time.Sleep(time.Hour); return s, nil }
		g := graph.New[tally]("late").Node("b", work).Node("c", func(ctx node.Context, s tally) (tally, error) {
			if ctx.Info().Attempt == 1 {
				time.Sleep(time.Second)
				return s, errors.New("not yet")
			}
			second = time.Since(start)
			return s, nil
		}, graph.Retry(2, time.Minute)).Edge(graph.Start, "b", "c").MustCompile()
		rt, _ := fermata.New(fermata.Options{})
		defer rt.Close()
		run, err := g.Start(t.Context(), rt, tally{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(t.Context()); err != nil || second > 2*time.Minute {
			t.Errorf("the second attempt was due after 1m1s and came after %s; %v", second, err)
		}
	})
}

// An entry that another entry's branch also leads to needs a join.
func TestG3_AnEntryThatABranchLeadsTo(t *testing.T) {
	_, err := graph.New[tally]("g").Node("a", logs("a")).Node("c", logs("c")).
		Edge(graph.Start, "a", "c").Edge("c", "a").Compile()
	if err == nil {
		t.Error("a is reached by two branches, and does not say how")
	}
}

// An All node waits for a token that is inside a loop before it, also at a node that only leads back.
func TestG3_AllWaitsForALoopBeforeIt(t *testing.T) {
	g := graph.New[tally]("g").Node("a", logs("a")).Node("again", logs("again")).Node("e", logs("e")).Node("join", logs("join"), graph.All()).
		Edge(graph.Start, "a", "e").Edge("again", "a").Edge("e", "join").
		Route("a", func(_ node.Context, s tally) (string, error) {
			if s.Sum < 3 {
				return "again", nil
			}
			return "join", nil
		}, "again", "join").MustCompile()
	fermatatest.Schedules(t, g.Plan(), startTally)
}

// A subgraph that ends with several branches, after a restart.
func TestJ6_ASubgraphThatEndsInBranchesAfterARestart(t *testing.T) {
	inner := graph.New[tally]("inner").Node("a", logs("a")).Node("b", logs("b")).Node("c", asksFor()).
		Edge(graph.Start, "a").Edge("a", "b", "c").MustCompile()
	g := graph.New[tally]("outer").Node("first", logs("first")).Sub("sub", inner).Edge(graph.Start, "first").Edge("first", "sub").MustCompile()
	fermatatest.Crash(t, g.Plan(), startTally, fermatatest.AnswerFunc(func(fermata.Interrupt) any { return "yes" }))
}

// Of several tokens that wait for the next round, the first in declared order is taken, not the first to come.
func TestD7_PendingTokensAreTakenInDeclaredOrder(t *testing.T) {
	loop := func(_ node.Context, s tally) (string, error) {
		if len(s.Log) < 7 {
			return "a", nil
		}
		return graph.End, nil
	}
	g := graph.New[tally]("g").Node("a", logs("a"), graph.Each()).Node("b", logs("b")).Node("c", logs("c")).Node("d", logs("d"), graph.All()).
		Edge(graph.Start, "a").Edge("a", "b", "d").Edge("b", "c", "d").Route("c", loop, "a", graph.End).Route("d", loop, "a", graph.End).MustCompile()
	fermatatest.Schedules(t, g.Plan(), startTally)
}
