package peers

import (
	"context"

	lg "github.com/smallnest/langgraphgo/graph"

	"github.com/fermata-go/fermata/bench/internal/workload"
)

func lgNode[S any](g *lg.StateGraph[S], name string, f func(S) S) {
	g.AddNode(name, name, lgPure(f))
}

func lgUntil[S any](g *lg.StateGraph[S], from string, done func(S) bool, back string) {
	g.AddConditionalEdge(from, func(_ context.Context, s S) string {
		if done(s) {
			return lg.END
		}
		return back
	})
}

func lgCompile[S any](g *lg.StateGraph[S]) (run[S], error) {
	r, err := g.Compile()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input S) (S, error) { return r.Invoke(ctx, input) }, nil
}

// langgraphgoEngine has no fan-out over items either: a node starts the child graph's runs.
func langgraphgoEngine() engine {
	return engine{
		name:       "langgraphgo",
		sequential: func(n int) (run[workload.Messages], error) { return lgPlain(lgSequential(n)) },
		loop: func(n int) (run[workload.Messages], error) {
			g := lg.NewStateGraph[workload.Messages]()
			lgNode(g, "count", workload.Count)
			g.SetEntryPoint("count")
			lgUntil(g, "count", func(s workload.Messages) bool { return s.Count >= n }, "count")
			return lgCompile(g)
		},
		react: func(s *workload.Script) (run[workload.Agent], error) { return lgPlain(lgReact(s)) },
		fanOut: func(int) (run[workload.Topics], error) {
			child := lg.NewStateGraph[workload.Joke]()
			lgNode(child, "edit", workload.Edit)
			lgNode(child, "generate", workload.Generate)
			lgNode(child, "bump", workload.Bump)
			child.SetEntryPoint("edit")
			child.AddEdge("edit", "generate")
			child.AddEdge("generate", "bump")
			lgUntil(child, "bump", workload.Bumped, "bump")
			joke, err := lgCompile(child)
			if err != nil {
				return nil, err
			}
			g := lg.NewStateGraph[workload.Topics]()
			g.AddNode("jokes", "jokes", func(ctx context.Context, t workload.Topics) (workload.Topics, error) { return forEach(ctx, t, joke) })
			g.SetEntryPoint("jokes")
			g.AddEdge("jokes", lg.END)
			return lgCompile(g)
		},
		wide:             langgraphgoWide,
		pause:            lgPause,
		storedSequential: func(p *place, n int) (run[workload.Messages], error) { return lgStoredRun(p, lgSequential(n)) },
		storedReact:      func(p *place, s *workload.Script) (run[workload.Agent], error) { return lgStoredRun(p, lgReact(s)) },
	}
}

func langgraphgoWide(w workload.WideSize) (run[workload.Wide], error) {
	n := w.Nodes()
	g := lg.NewStateGraph[workload.Wide]()
	for name, f := range map[string]func(workload.Wide) workload.Wide{
		"one": n.One, "two": n.Two, "three": n.Three, "four": n.Four, "five": n.Five, "six": n.Six,
	} {
		lgNode(g, name, f)
	}
	g.SetEntryPoint("one")
	for _, e := range [][2]string{{"one", "two"}, {"two", "three"}, {"two", "four"}, {"three", "five"}, {"four", "five"}, {"five", "six"}} {
		g.AddEdge(e[0], e[1])
	}
	g.SetStateMerger(func(_ context.Context, _ workload.Wide, states []workload.Wide) (workload.Wide, error) {
		if len(states) == 1 {
			return states[0], nil
		}
		return joined(states), nil
	})
	lgUntil(g, "six", w.Done, "one")
	return lgCompile(g)
}
