package bench

import (
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

type (
	message  = workload.Message
	messages = workload.Messages
)

// pure is a node that cannot fail and asks nothing of its context.
func pure[S any](f func(S) S) graph.Func[S] {
	return func(_ node.Context, s S) (S, error) { return f(s), nil }
}

// until is a gate that goes back until something is so.
func until[S any](done func(S) bool, back string) graph.RouteFunc[S] {
	return func(_ node.Context, s S) (string, error) {
		if done(s) {
			return graph.End, nil
		}
		return back, nil
	}
}

func sequential(n int) func(immutable bool) *graph.Graph[messages] {
	return func(immutable bool) *graph.Graph[messages] {
		g := promising(graph.New[messages]("sequential"), immutable)
		before := graph.Start
		for i := range n {
			name := "n" + strconv.Itoa(i)
			g.Node(name, pure(workload.Noop))
			g.Edge(before, name)
			before = name
		}
		return g.MustCompile()
	}
}

func loop(n int) func(immutable bool) *graph.Graph[messages] {
	return func(immutable bool) *graph.Graph[messages] {
		return promising(graph.New[messages]("loop"), immutable).
			Node("count", pure(workload.Count)).
			Edge(graph.Start, "count").
			Route("count", until(func(s messages) bool { return s.Count >= n }, "count"), "count", graph.End).
			Limits(plan.Limits{Tasks: plan.Unlimited}).
			MustCompile()
	}
}

func react(s *workload.Script) func(immutable bool) *graph.Graph[workload.Agent] {
	return func(immutable bool) *graph.Graph[workload.Agent] {
		return promising(graph.New[workload.Agent]("react"), immutable).
			Node("model", pure(s.Model)).Node("tool", pure(s.Tool)).
			Edge(graph.Start, "model").
			Route("model", until(func(a workload.Agent) bool { return !workload.WantsTool(a) }, "tool"), "tool", graph.End).
			Edge("tool", "model").
			MustCompile()
	}
}

func fanOut() func(immutable bool) *graph.Graph[workload.Topics] {
	return func(immutable bool) *graph.Graph[workload.Topics] {
		child := promising(graph.New[workload.Joke]("joke"), immutable).
			Node("edit", pure(workload.Edit)).
			Node("generate", pure(workload.Generate)).
			Node("bump", pure(workload.Bump)).
			Edge(graph.Start, "edit").Edge("edit", "generate").Edge("generate", "bump").
			Route("bump", until(workload.Bumped, "bump"), "bump", graph.End).
			MustCompile()
		b := promising(graph.New[workload.Topics]("topics"), immutable)
		graph.Map(b, "jokes",
			func(t workload.Topics) ([]workload.Joke, error) { return workload.Children(t), nil },
			child,
			func(t workload.Topics, jokes []workload.Joke) (workload.Topics, error) {
				return workload.Gather(t, jokes), nil
			},
		)
		return b.Edge(graph.Start, "jokes").MustCompile()
	}
}

func wide(w workload.WideSize) func(immutable bool) *graph.Graph[workload.Wide] {
	return func(immutable bool) *graph.Graph[workload.Wide] {
		n := w.Nodes()
		return promising(graph.New[workload.Wide]("wide"), immutable).
			Node("one", pure(n.One)).
			Node("two", pure(n.Two)).
			Node("three", pure(n.Three)).
			Node("four", pure(n.Four)).
			Node("five", pure(n.Five), graph.All()).
			Node("six", pure(n.Six)).
			Edge(graph.Start, "one").Edge("one", "two").Edge("two", "three", "four").
			Edge("three", "five").Edge("four", "five").Edge("five", "six").
			Route("six", until(w.Done, "one"), "one", graph.End).
			MustCompile()
	}
}

// stream is a graph whose one node emits chunks.
func stream(n int, chunk string) func(immutable bool) *graph.Graph[messages] {
	return func(immutable bool) *graph.Graph[messages] {
		return promising(graph.New[messages]("stream"), immutable).
			Node("talk", func(ctx node.Context, s messages) (messages, error) {
				w, err := node.Stream(ctx, "answer")
				if err != nil {
					return s, err
				}
				for range n {
					if err := w.Write(chunk); err != nil {
						return s, err
					}
				}
				return s, w.Close()
			}).
			Edge(graph.Start, "talk").
			MustCompile()
	}
}

// steps is a graph whose one node makes a recorded step of 1 KB n times.
func steps(n int) func(immutable bool) *graph.Graph[messages] {
	payload := strings.Repeat("x", 1000)
	return func(immutable bool) *graph.Graph[messages] {
		return promising(graph.New[messages]("steps"), immutable).
			Node("work", func(ctx node.Context, s messages) (messages, error) {
				for range n {
					_, err := node.Step(ctx, "step", func(node.Context) (string, error) { return payload, nil })
					if err != nil {
						return s, err
					}
				}
				return s, nil
			}).
			Edge(graph.Start, "work").
			MustCompile()
	}
}
