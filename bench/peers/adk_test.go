package peers

import (
	"fmt"
	"iter"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/workflow"

	"github.com/fermata-go/fermata/bench/internal/workload"
)

// adkNode is a node with a function, and with a choice of the way on where it is a gate. It is made by hand: the ready
// function nodes take their input through JSON.
type adkNode[S any] struct {
	workflow.BaseNode
	f      func(S) S
	choose func(S) string
	join   func(map[string]any) (S, error) // behind a join
}

func newADK[S any](name string, f func(S) S) *adkNode[S] {
	return &adkNode[S]{BaseNode: workflow.NewBaseNode(name, "", workflow.NodeConfig{}), f: f}
}

type inputKey struct{}

// Run gives one event: the state, and where to.
func (n *adkNode[S]) Run(ctx agent.Context, input any) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		var s S
		var err error
		switch in := input.(type) {
		case S:
			s = in
		case map[string]any:
			s, err = n.join(in)
		default: // a workflow's own input is what a person has said: the state comes with the context
			p, ok := ctx.Value(inputKey{}).(*S)
			if !ok {
				err = fmt.Errorf("node %s: an input of type %T", n.Name(), input)
				break
			}
			s = *p
		}
		if err != nil {
			yield(nil, err)
			return
		}
		s = n.f(s)
		e := session.NewEvent(ctx, ctx.InvocationID())
		e.Output = s
		if n.choose != nil {
			e.Routes = []string{n.choose(s)}
		}
		yield(e, nil)
	}
}

// until makes a node a gate: back, or to its end.
func (n *adkNode[S]) until(done func(S) bool) *adkNode[S] {
	n.choose = func(s S) string {
		if done(s) {
			return "end"
		}
		return "back"
	}
	return n
}

func identity[S any](s S) S { return s }

// adkRun makes a runner with sessions in memory; each run has a session of its own.
func adkRun[S any](b *workflow.EdgeBuilder) (run[S], error) { return adkStored[S](&place{}, b) }

// adkEngine starts the child graph's runs from a node, as the others do: its parallel worker takes and gives lists of
// anything through its own scheduler, and a child graph with a loop cannot be run by it.
func adkEngine() engine {
	return engine{
		name:       "adk",
		sequential: func(n int) (run[workload.Messages], error) { return adkRun[workload.Messages](adkSequential(n)) },
		loop: func(n int) (run[workload.Messages], error) {
			count := newADK("count", workload.Count).until(func(s workload.Messages) bool { return s.Count >= n })
			b := workflow.NewEdgeBuilder().Add(workflow.Start, count).
				AddRoutes(count, map[string]workflow.Node{"back": count, "end": newADK("end", workload.Noop)})
			return adkRun[workload.Messages](b)
		},
		react: func(s *workload.Script) (run[workload.Agent], error) { return adkRun[workload.Agent](adkReact(s)) },
		wide:  adkWide,
		pause: adkPause,
		storedSequential: func(p *place, n int) (run[workload.Messages], error) {
			return adkStored[workload.Messages](p, adkSequential(n))
		},
		storedReact: func(p *place, s *workload.Script) (run[workload.Agent], error) {
			return adkStored[workload.Agent](p, adkReact(s))
		},
	}
}

func adkWide(w workload.WideSize) (run[workload.Wide], error) {
	n := w.Nodes()
	one, two := newADK("one", n.One), newADK("two", n.Two)
	three, four := newADK("three", n.Three), newADK("four", n.Four)
	five := newADK("five", n.Five)
	five.join = func(states map[string]any) (workload.Wide, error) {
		a, ok := states["three"].(workload.Wide)
		b, also := states["four"].(workload.Wide)
		if !ok || !also {
			return a, fmt.Errorf("the join got %d outputs", len(states))
		}
		return joined([]workload.Wide{a, b}), nil
	}
	six := newADK("six", n.Six).until(w.Done)
	join := workflow.NewJoinNode("join")
	b := workflow.NewEdgeBuilder().Add(workflow.Start, one).Add(one, two).AddFanOut(two, three, four).
		AddFanIn(join, three, four).Add(join, five).Add(five, six).
		AddRoutes(six, map[string]workflow.Node{"back": one, "end": newADK("end", identity[workload.Wide])})
	return adkRun[workload.Wide](b)
}
