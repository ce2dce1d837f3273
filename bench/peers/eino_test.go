package peers

import (
	"context"
	"strconv"
	"sync"

	"github.com/cloudwego/eino/compose"

	"github.com/fermata-go/fermata/bench/internal/workload"
)

// einoBuilder adds to a graph and keeps the first error.
type einoBuilder[S any] struct {
	graph *compose.Graph[S, S]
	err   error
}

func newEino[S any]() *einoBuilder[S] { return &einoBuilder[S]{graph: compose.NewGraph[S, S]()} }

func (b *einoBuilder[S]) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *einoBuilder[S]) node(name string, f func(S) S) {
	b.keep(b.graph.AddLambdaNode(name, compose.InvokableLambda(func(_ context.Context, s S) (S, error) { return f(s), nil })))
}

func (b *einoBuilder[S]) edges(names ...string) {
	for i := 1; i < len(names); i++ {
		b.keep(b.graph.AddEdge(names[i-1], names[i]))
	}
}

func (b *einoBuilder[S]) until(from string, done func(S) bool, back string) {
	b.keep(b.graph.AddBranch(from, compose.NewGraphBranch(func(_ context.Context, s S) (string, error) {
		if done(s) {
			return compose.END, nil
		}
		return back, nil
	}, map[string]bool{back: true, compose.END: true})))
}

func (b *einoBuilder[S]) compile(steps int) (run[S], error) {
	if b.err != nil {
		return nil, b.err
	}
	r, err := b.graph.Compile(context.Background(), compose.WithMaxRunSteps(steps))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input S) (S, error) { return r.Invoke(ctx, input) }, nil
}

// einoEngine has no fan-out over items of a number that is known at run time alone: a node starts the child graph's
// runs, each in a goroutine, as its documents advise. Branches that meet are merged by a function for their type.
func einoEngine() engine {
	return engine{
		name: "eino",
		sequential: func(n int) (run[workload.Messages], error) {
			b := newEino[workload.Messages]()
			before := compose.START
			for i := range n {
				name := "n" + strconv.Itoa(i)
				b.node(name, workload.Noop)
				b.edges(before, name)
				before = name
			}
			b.edges(before, compose.END)
			return b.compile(n + 10)
		},
		loop: func(n int) (run[workload.Messages], error) {
			b := newEino[workload.Messages]()
			b.node("count", workload.Count)
			b.edges(compose.START, "count")
			b.until("count", func(s workload.Messages) bool { return s.Count >= n }, "count")
			return b.compile(n + 10)
		},
		react: func(s *workload.Script) (run[workload.Agent], error) {
			b := newEino[workload.Agent]()
			b.node("model", s.Model)
			b.node("tool", s.Tool)
			b.edges(compose.START, "model")
			b.until("model", func(a workload.Agent) bool { return !workload.WantsTool(a) }, "tool")
			b.edges("tool", "model")
			return b.compile(s.Nodes() + 10)
		},
		fanOut: func(int) (run[workload.Topics], error) {
			child := newEino[workload.Joke]()
			child.node("edit", workload.Edit)
			child.node("generate", workload.Generate)
			child.node("bump", workload.Bump)
			child.edges(compose.START, "edit", "generate", "bump")
			child.until("bump", workload.Bumped, "bump")
			joke, err := child.compile(workload.ChildRounds + 10)
			if err != nil {
				return nil, err
			}
			parent := compose.NewGraph[workload.Topics, workload.Topics]()
			each := func(ctx context.Context, t workload.Topics) (workload.Topics, error) { return forEach(ctx, t, joke) }
			b := &einoBuilder[workload.Topics]{graph: parent}
			b.keep(parent.AddLambdaNode("jokes", compose.InvokableLambda(each)))
			b.edges(compose.START, "jokes", compose.END)
			return b.compile(10)
		},
		wide:  einoWide,
		pause: einoPause,
	}
}

// forEach runs a child graph for every subject, each in a goroutine.
func forEach(ctx context.Context, t workload.Topics, child run[workload.Joke]) (workload.Topics, error) {
	children := workload.Children(t)
	errs := make([]error, len(children))
	var all sync.WaitGroup
	for i := range children {
		all.Go(func() { children[i], errs[i] = child(ctx, children[i]) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return t, err
		}
	}
	return workload.Gather(t, children), nil
}

var registerWide = sync.OnceFunc(func() {
	compose.RegisterValuesMergeFunc(func(states []workload.Wide) (workload.Wide, error) { return joined(states), nil })
})

// joined puts the states of three and four together, in whichever order they come.
func joined(states []workload.Wide) workload.Wide {
	if len(states[0].Categorizations) > len(states[1].Categorizations) {
		return workload.Join(states[1], states[0])
	}
	return workload.Join(states[0], states[1])
}

func einoWide(w workload.WideSize) (run[workload.Wide], error) {
	registerWide()
	n := w.Nodes()
	b := newEino[workload.Wide]()
	b.node("one", n.One)
	b.node("two", n.Two)
	b.node("three", n.Three)
	b.node("four", n.Four)
	b.node("five", n.Five)
	b.node("six", n.Six)
	b.edges(compose.START, "one", "two", "three", "five", "six")
	b.edges("two", "four", "five")
	b.until("six", w.Done, "one")
	return b.compile(w.Visits() + 10)
}
