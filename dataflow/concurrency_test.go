package dataflow_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// gauge measures how many functions run at once.
type gauge struct{ now, most atomic.Int32 }

func (g *gauge) enter() int32 {
	n := g.now.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
	return n
}

// At most so many tasks of a graph are at work at once; a graph in it has a limit of its own. By default it is
// plan.DefaultConcurrency.
func TestD5_SoManyTasksAreAtWorkAtOnce(t *testing.T) {
	wide := func(n int, g *gauge, wait func(at int32)) (parts []dataflow.Part) {
		for i := range n {
			parts = append(parts, dataflow.Func(fmt.Sprint("n", i), fmt.Sprint("v", i), func(node.Context, none) (int, error) {
				wait(g.enter())
				g.now.Add(-1)
				return i, nil
			}))
		}
		return parts
	}
	nap := func(int32) { time.Sleep(time.Millisecond) }
	t.Run("three", func(t *testing.T) {
		var outer, inner gauge
		sub := graphOf(t, append(wide(20, &inner, nap), dataflow.Concurrency(2))...)
		parts := append(wide(20, &outer, nap), sub.As("sub", renamed(20)...), dataflow.Concurrency(3))
		if n := len(evaluated(t, graphOf(t, parts...), vals{})); n != 40 {
			t.Errorf("it has %d outputs, want 40", n)
		}
		same(t, "tasks at once, outside and inside", []int32{3, 2}, []int32{outer.most.Load(), inner.most.Load()})
	})
	t.Run("the default", func(t *testing.T) {
		var g gauge
		all := make(chan struct{}) // closed when as many are at work as may be
		var once sync.Once
		wait := func(at int32) {
			if at == plan.DefaultConcurrency {
				time.Sleep(10 * time.Millisecond) // nobody else comes
				once.Do(func() { close(all) })
			}
			<-all
		}
		run := start(t, newRuntime(t, fermata.Options{}), graphOf(t, wide(300, &g, wait)...), vals{})
		ends(t, run, fermata.Completed)
		same(t, "tasks at once", int32(plan.DefaultConcurrency), g.most.Load())
	})
}

// renamed gives the values of a wide graph other names.
func renamed(n int) (opts []dataflow.NodeOption) {
	for i := range n {
		opts = append(opts, dataflow.RenameOutput(fmt.Sprint("v", i), fmt.Sprint("w", i)))
	}
	return opts
}

// What waits takes nobody's place: a task, and a graph in which all that has begun waits.
func TestH3_WhatWaitsTakesNoPlace(t *testing.T) {
	ask := dataflow.Func("ask", "said", func(ctx node.Context, _ none) (string, error) {
		return node.Interrupt[string](ctx, nil)
	})
	again := dataflow.Func("again", "tried", func(ctx node.Context, _ none) (int, error) {
		if ctx.Info().Attempt == 1 {
			return 0, errors.New("not yet")
		}
		return ctx.Info().Attempt, nil
	}, dataflow.Retry(2, time.Hour))
	sub := graphOf(t, ask.With(dataflow.RenameOutput("said", "heard")), dataflow.Concurrency(1))
	g := graphOf(t, ask, sub.As("sub"), again, says("last", "done"), dataflow.Concurrency(1))
	rt := newRuntime(t, fermata.Options{})
	run := start(t, rt, g, vals{})
	res := ends(t, run, fermata.Running) // it waits for another attempt as well
	var asked []string
	for _, in := range res.Interrupts {
		asked = append(asked, in.Task)
	}
	same(t, "questions", []string{"ask#1", "sub/ask#1"}, asked)
	state, err := run.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "what has run behind them", vals{"done": "last"}, state)
}

// A limit below zero is refused, and so is one of a plan that is no dataflow.
func TestD5_ALimitOfTasksAtWorkIsChecked(t *testing.T) {
	found := problemsOf(t, says("a", "x"), dataflow.Concurrency(-1))
	same(t, "problems", []dataflow.Problem{{
		Code: plan.BadPolicy, Message: "-1 tasks may be at work at once; expected a number of tasks, or 0 for 256",
	}}, found)
	_, err := plan.New(plan.Definition{
		Name: "p", State: graphOf(t, says("a", "x")).Plan().Definition().State, Entry: []string{"a"}, Concurrency: 2,
		Nodes: []plan.Node{{Name: "a"}}, Edges: []plan.Edge{{From: "a", To: node.End}},
	})
	same(t, "of a graph", "plan \"p\": it says how many of its tasks may be at work at once, and that is for dataflows; "+
		"limit a map, or put nodes into a pool", fmt.Sprint(err))
}
