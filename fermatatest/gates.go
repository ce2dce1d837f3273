package fermatatest

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// gated is a plan whose nodes wait before their functions are called, until their gate opens. Functions are no part of
// a fingerprint, so the journal of a run does not tell the difference.
func gated(p *plan.Plan, enter func(ctx node.Context) (leave func(), err error)) (*plan.Plan, error) {
	g := &gating{enter: enter, made: make(map[*plan.Plan]*plan.Plan)}
	return g.plan(p)
}

type gating struct {
	enter func(ctx node.Context) (leave func(), err error)
	made  map[*plan.Plan]*plan.Plan // of subgraphs, which may be used in several places
}

func (g *gating) plan(p *plan.Plan) (*plan.Plan, error) {
	if made := g.made[p]; made != nil {
		return made, nil
	}
	def := p.Definition()
	def.Nodes = slices.Clone(def.Nodes)
	for i := range def.Nodes {
		n := &def.Nodes[i]
		if n.Sub == nil {
			n.Run = g.node(n.Run)
			continue
		}
		sub, err := g.plan(n.Sub)
		if err != nil {
			return nil, err
		}
		n.Sub = sub
	}
	made, err := plan.New(def)
	if err == nil {
		g.made[p] = made
	}
	return made, err
}

func (g *gating) node(run node.Func) node.Func {
	return func(ctx node.Context, in any) (any, error) {
		leave, err := g.enter(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		if run == nil {
			return in, nil
		}
		return run(ctx, in)
	}
}

// gate is where one pass over a node's function waits.
type gate struct {
	task  string
	index int // of the node in the flat plan
	open  chan struct{}
}

// gates are the gates that tasks wait at now.
type gates struct {
	plan    *plan.Plan
	arrived chan struct{} // a task has reached a gate; holds one
	alone   func() bool   // nothing else is open: there is nobody to wait for

	mu      sync.Mutex
	waiting []*gate
}

func newGates(p *plan.Plan) *gates { return &gates{plan: p, arrived: make(chan struct{}, 1)} }

// hold lets a pass wait until its gate is opened, or nobody drives its run any more. A task that is alone goes on: the
// engine is in its hands until it returns, and what waits for the engine's lock keeps a bubble from coming to rest.
func (g *gates) hold(ctx node.Context) error {
	if g.alone() {
		return nil
	}
	info := ctx.Info()
	w := &gate{task: info.Task(), open: make(chan struct{})}
	w.index, _ = g.plan.Index(node.NodeOf(info.Node))
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()
	g.tell()
	select {
	case <-w.open:
		return nil
	case <-ctx.Done():
		g.leave(w)
		return ctx.Err()
	}
}

// tell says that something has happened.
func (g *gates) tell() {
	select {
	case g.arrived <- struct{}{}:
	default:
	}
}

func (g *gates) leave(w *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(other *gate) bool { return other == w })
}

// list returns the gates at which a task waits, in declared order.
func (g *gates) list() []*gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := slices.Clone(g.waiting)
	slices.SortStableFunc(list, func(a, b *gate) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(len(a.task), len(b.task)), strings.Compare(a.task, b.task))
	})
	return list
}

// release opens a gate.
func (g *gates) release(w *gate) {
	g.leave(w)
	close(w.open)
}
