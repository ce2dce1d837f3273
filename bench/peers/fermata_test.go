package peers

import (
	"context"

	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// fermataEngine runs graphs as a user writes them at first; in memory in the caller's goroutine, with nothing kept.
func fermataEngine() engine {
	e := fermataWith("fermata", false)
	e.pause = fermataPause
	e.storedSequential = func(p *place, n int) (run[workload.Messages], error) { return fermataStored(p, fermataSequential(n)) }
	e.storedReact = func(p *place, s *workload.Script) (run[workload.Agent], error) {
		return fermataStored(p, fermataReact(s))
	}
	return e
}

// fermataImmutableEngine has the promise that nodes change nothing in place, which all engines here rely on.
func fermataImmutableEngine() engine { return fermataWith("fermata-immutable", true) }

func fermataWith(name string, immutable bool) engine {
	return engine{
		name: name,
		sequential: func(n int) (run[workload.Messages], error) {
			return compiled(fermataSequential(n), immutable)
		},
		loop: func(n int) (run[workload.Messages], error) {
			return compiled(graph.New[workload.Messages]("loop").
				Node("count", pure(workload.Count)).
				Edge(graph.Start, "count").
				Route("count", until(func(s workload.Messages) bool { return s.Count >= n }, "count"), "count", graph.End), immutable)
		},
		react: func(s *workload.Script) (run[workload.Agent], error) { return compiled(fermataReact(s), immutable) },
		fanOut: func(int) (run[workload.Topics], error) {
			child := promising(graph.New[workload.Joke]("joke"), immutable).
				Node("edit", pure(workload.Edit)).
				Node("generate", pure(workload.Generate)).
				Node("bump", pure(workload.Bump)).
				Edge(graph.Start, "edit").Edge("edit", "generate").Edge("generate", "bump").
				Route("bump", until(workload.Bumped, "bump"), "bump", graph.End).
				MustCompile()
			b := graph.New[workload.Topics]("topics")
			graph.Map(b, "jokes",
				func(t workload.Topics) ([]workload.Joke, error) { return workload.Children(t), nil },
				child,
				func(t workload.Topics, jokes []workload.Joke) (workload.Topics, error) {
					return workload.Gather(t, jokes), nil
				})
			return compiled(b.Edge(graph.Start, "jokes"), immutable)
		},
		wide: func(w workload.WideSize) (run[workload.Wide], error) {
			n := w.Nodes()
			return compiled(graph.New[workload.Wide]("wide").
				Node("one", pure(n.One)).Node("two", pure(n.Two)).Node("three", pure(n.Three)).Node("four", pure(n.Four)).
				Node("five", pure(n.Five), graph.All()).Node("six", pure(n.Six)).
				Edge(graph.Start, "one").Edge("one", "two").Edge("two", "three", "four").
				Edge("three", "five").Edge("four", "five").Edge("five", "six").
				Route("six", until(w.Done, "one"), "one", graph.End), immutable)
		},
	}
}

func promising[S any](b *graph.Builder[S], immutable bool) *graph.Builder[S] {
	if immutable {
		b.Immutable()
	}
	return b
}

func compiled[S any](b *graph.Builder[S], immutable bool) (run[S], error) {
	g, err := promising(b, immutable).Compile()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input S) (S, error) { return g.Run(ctx, input) }, nil
}

func pure[S any](f func(S) S) graph.Func[S] {
	return func(_ node.Context, s S) (S, error) { return f(s), nil }
}

func until[S any](done func(S) bool, back string) graph.RouteFunc[S] {
	return func(_ node.Context, s S) (string, error) {
		if done(s) {
			return graph.End, nil
		}
		return back, nil
	}
}
