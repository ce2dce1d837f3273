package bench

import (
	"strconv"

	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
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

func sequential(n int) *graph.Graph[messages] {
	g := graph.New[messages]("sequential")
	before := graph.Start
	for i := range n {
		name := "n" + strconv.Itoa(i)
		g.Node(name, pure(workload.Noop))
		g.Edge(before, name)
		before = name
	}
	return g.MustCompile()
}

func loop(n int) *graph.Graph[messages] {
	return graph.New[messages]("loop").
		Node("count", pure(workload.Count)).
		Edge(graph.Start, "count").
		Route("count", until(func(s messages) bool { return s.Count >= n }, "count"), "count", graph.End).
		MustCompile()
}

func react(s *workload.Script) *graph.Graph[workload.Agent] {
	return graph.New[workload.Agent]("react").Immutable().
		Node("model", pure(s.Model)).Node("tool", pure(s.Tool)).
		Edge(graph.Start, "model").
		Route("model", func(_ node.Context, a workload.Agent) (string, error) {
			if workload.WantsTool(a) {
				return "tool", nil
			}
			return graph.End, nil
		}, "tool", graph.End).
		Edge("tool", "model").
		MustCompile()
}

func fanOut() *graph.Graph[workload.Topics] {
	child := graph.New[workload.Joke]("joke").Immutable().
		Node("edit", pure(workload.Edit)).
		Node("generate", pure(workload.Generate)).
		Node("bump", pure(workload.Bump)).
		Edge(graph.Start, "edit").Edge("edit", "generate").Edge("generate", "bump").
		Route("bump", until(workload.Bumped, "bump"), "bump", graph.End).
		MustCompile()
	b := graph.New[workload.Topics]("topics").Immutable()
	graph.Map(b, "jokes",
		func(t workload.Topics) ([]workload.Joke, error) { return workload.Children(t), nil },
		child,
		func(t workload.Topics, jokes []workload.Joke) (workload.Topics, error) {
			return workload.Gather(t, jokes), nil
		},
	)
	return b.Edge(graph.Start, "jokes").MustCompile()
}

func wide(w workload.WideSize) *graph.Graph[workload.Wide] {
	n := w.Nodes()
	return graph.New[workload.Wide]("wide").Immutable().
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
