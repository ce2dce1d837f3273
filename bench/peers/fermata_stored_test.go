package peers

import (
	"context"
	"fmt"
	"strconv"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// fermataAt is a runtime whose store is at a place. Graphs here are as a user writes them at first, without Immutable.
func fermataAt(p *place) (*fermata.Runtime, error) {
	var o fermata.Options
	if p.disk {
		store, err := sqlite.OpenWith(p.file(), sqlite.Options{Sync: sqlite.Normal})
		if err != nil {
			return nil, err
		}
		p.tb.Cleanup(func() { _ = store.Close() })
		o.Store = store
	}
	rt, err := fermata.New(o)
	if err == nil {
		p.tb.Cleanup(func() { _ = rt.Close() })
	}
	return rt, err
}

func fermataStored[S any](p *place, b *graph.Builder[S]) (run[S], error) {
	rt, err := fermataAt(p)
	if err != nil {
		return nil, err
	}
	g, err := b.Compile()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input S) (S, error) {
		run, err := g.Start(ctx, rt, input)
		if err != nil {
			return input, err
		}
		return fermataEnded(run.Wait(ctx))
	}, nil
}

func fermataEnded[S any](res graph.Result[S], err error) (S, error) {
	if err == nil && res.Status != fermata.Completed {
		err = fmt.Errorf("the run is %s", res.Status)
	}
	return res.State, err
}

func fermataSequential(n int) *graph.Builder[workload.Messages] {
	g := graph.New[workload.Messages]("sequential")
	before := graph.Start
	for i := range n {
		name := "n" + strconv.Itoa(i)
		g.Node(name, pure(workload.Noop))
		g.Edge(before, name)
		before = name
	}
	return g
}

func fermataReact(s *workload.Script) *graph.Builder[workload.Agent] {
	return graph.New[workload.Agent]("react").
		Node("model", pure(s.Model)).Node("tool", pure(s.Tool)).
		Edge(graph.Start, "model").
		Route("model", until(func(a workload.Agent) bool { return !workload.WantsTool(a) }, "tool"), "tool", graph.End).
		Edge("tool", "model")
}

func fermataPause(p *place) (run[workload.Messages], error) {
	rt, err := fermataAt(p)
	if err != nil {
		return nil, err
	}
	g, err := graph.New[workload.Messages]("gate").
		Node("ask", func(ctx node.Context, s workload.Messages) (workload.Messages, error) {
			yes, err := node.Interrupt[bool](ctx, nil, node.Prompt("Go on?"))
			if yes {
				s.Count++
			}
			return s, err
		}).
		Edge(graph.Start, "ask").
		Compile()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input workload.Messages) (workload.Messages, error) {
		run, err := g.Start(ctx, rt, input)
		if err != nil {
			return input, err
		}
		res, err := run.Wait(ctx)
		if err != nil || res.Status != fermata.Paused {
			return input, fmt.Errorf("the run is %s: %w", res.Status, err)
		}
		if err := rt.Answer(ctx, res.Interrupts[0].ID, true); err != nil {
			return input, err
		}
		return fermataEnded(run.Wait(ctx))
	}, nil
}
