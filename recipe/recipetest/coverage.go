package recipetest

import (
	"strings"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

// Coverage is what of a recipe its tests have visited.
type Coverage struct {
	Nodes, Edges int      // how many there are
	NodesMissed  []string // paths of nodes that no test visits
	EdgesMissed  []Edge   // edges that no test takes
}

// Edge is a way from a node to another.
type Edge struct {
	From string        `json:"from"`
	To   string        `json:"to"`
	Kind plan.EdgeKind `json:"kind"`
}

// String is the edge as people write it.
func (e Edge) String() string {
	text := e.From + " → " + e.To
	switch e.Kind {
	case plan.Failure:
		text += " (on_failure)"
	case plan.Deadline:
		text += " (deadline)"
	}
	return text
}

// covered collects what tests visit.
type covered struct {
	plan  *plan.Plan
	nodes map[string]bool
	edges map[Edge]bool
	all   []Edge
}

func newCoverage(p *plan.Plan) *covered {
	c := &covered{plan: p, nodes: make(map[string]bool), edges: make(map[Edge]bool)}
	flat := p.Flat()
	for i := range flat {
		f := &flat[i]
		for _, to := range f.Next {
			if to >= 0 {
				c.all = append(c.all, Edge{From: f.Path, To: flat[to].Path, Kind: plan.Plain})
			}
		}
		for kind, targets := range gates(f) {
			for _, to := range targets {
				if to.Index >= 0 {
					c.all = append(c.all, Edge{From: f.Path, To: flat[to.Index].Path, Kind: kind})
				}
			}
		}
	}
	return c
}

// gates yields the edges of a node that something chooses among.
func gates(f *plan.Flat) func(yield func(plan.EdgeKind, []plan.Target) bool) {
	return func(yield func(plan.EdgeKind, []plan.Target) bool) {
		_ = yield(plan.Choice, f.Choices) && yield(plan.Failure, f.Failures) && yield(plan.Deadline, f.Deadlines)
	}
}

// add adds what a run has visited.
func (c *covered) add(t *recipe.Trace) {
	if t == nil {
		return
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		at, ok := c.plan.Index(node.NodeOf(st.Node))
		if !ok || st.Node == "" {
			continue
		}
		f := &c.plan.Flat()[at]
		c.nodes[f.Path] = true
		if st.Route != "" {
			c.route(f, st)
		}
		if st.Error == "" && st.Snapshot != nil { // also of a subgraph, whose route is the node that it began with
			for _, to := range f.Next {
				if to >= 0 {
					c.edges[Edge{From: f.Path, To: c.plan.Flat()[to].Path, Kind: plan.Plain}] = true
				}
			}
		}
	}
}

// route adds the edges that a gate has chosen.
func (c *covered) route(f *plan.Flat, st *recipe.TraceStep) {
	for path := range strings.SplitSeq(st.Route, ", ") {
		for kind, targets := range gates(f) {
			to, ok := plan.Find(targets, path[strings.LastIndexByte(path, '/')+1:]) // targets are called by the last part
			if !ok || to.Index < 0 || (kind == plan.Failure) != (st.Error != "") {
				continue
			}
			if kind == plan.Deadline && st.Snapshot != nil || kind == plan.Choice && st.Snapshot == nil {
				continue // a deadline leads on without an outcome of the node
			}
			c.edges[Edge{From: f.Path, To: c.plan.Flat()[to.Index].Path, Kind: kind}] = true
		}
	}
}

func (c *covered) coverage() Coverage {
	out := Coverage{Nodes: len(c.plan.Flat()), Edges: len(c.all)}
	for i := range c.plan.Flat() {
		if path := c.plan.Flat()[i].Path; !c.nodes[path] {
			out.NodesMissed = append(out.NodesMissed, path)
		}
	}
	for _, e := range c.all {
		if !c.edges[e] {
			out.EdgesMissed = append(out.EdgesMissed, e)
		}
	}
	return out
}
