package peers

import (
	"context"
	"strconv"

	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// fermataEngine runs graphs in the caller's goroutine, with nothing kept, as the others do.
func fermataEngine() engine {
	return engine{
		name: "fermata",
		sequential: func(n int) (run[workload.Messages], error) {
			g := graph.New[workload.Messages]("sequential").Immutable()
			before := graph.Start
			for i := range n {
				name := "n" + strconv.Itoa(i)
				g.Node(name, pure(workload.Noop))
				g.Edge(before, name)
				before = name
			}
			return compiled(g)
		},
		loop: func(n int) (run[workload.Messages], error) {
			return compiled(graph.New[workload.Messages]("loop").Immutable().
				Node("count", pure(workload.Count)).
				Edge(graph.Start, "count").
				Route("count", until(func(s workload.Messages) bool { return s.Count >= n }, "count"), "count", graph.End))
		},
		react: func(s *workload.Script) (run[workload.Agent], error) {
			return compiled(graph.New[workload.Agent]("react").Immutable().
				Node("model", pure(s.Model)).Node("tool", pure(s.Tool)).
				Edge(graph.Start, "model").
				Route("model", until(func(a workload.Agent) bool { return !workload.WantsTool(a) }, "tool"), "tool", graph.End).
				Edge("tool", "model"))
		},
		fanOut: func(int) (run[workload.Topics], error) {
			child, err := graph.New[workload.Joke]("joke").Immutable().
				Node("edit", pure(workload.Edit)).
				Node("generate", pure(workload.Generate)).
				Node("bump", pure(workload.Bump)).
				Edge(graph.Start, "edit").Edge("edit", "generate").Edge("generate", "bump").
				Route("bump", until(workload.Bumped, "bump"), "bump", graph.End).
				Compile()
			if err != nil {
				return nil, err
			}
			b := graph.New[workload.Topics]("topics").Immutable()
			graph.Map(b, "jokes",
				func(t workload.Topics) ([]workload.Joke, error) { return workload.Children(t), nil },
				child,
				func(t workload.Topics, jokes []workload.Joke) (workload.Topics, error) {
					return workload.Gather(t, jokes), nil
				})
			return compiled(b.Edge(graph.Start, "jokes"))
		},
		wide: func(w workload.WideSize) (run[workload.Wide], error) {
			n := w.Nodes()
			return compiled(graph.New[workload.Wide]("wide").Immutable().
				Node("one", pure(n.One)).Node("two", pure(n.Two)).Node("three", pure(n.Three)).Node("four", pure(n.Four)).
				Node("five", pure(n.Five), graph.All()).Node("six", pure(n.Six)).
				Edge(graph.Start, "one").Edge("one", "two").Edge("two", "three", "four").
				Edge("three", "five").Edge("four", "five").Edge("five", "six").
				Route("six", until(w.Done, "one"), "one", graph.End))
		},
	}
}

func compiled[S any](b *graph.Builder[S]) (run[S], error) {
	g, err := b.Compile()
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
