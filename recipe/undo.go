package recipe

import (
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// followUndos finds the names at the nodes that undo: each is given the blackboard as its node has left it, or, where that has no
// outcome, as it was given (law F10).
func (f *flow) followUndos() {
	for _, by := range f.document.nodes {
		for _, n := range f.wiring.undoes[by] {
			if !f.wiring.seen[n] {
				continue
			}
			known := f.after(n, f.before[n])
			if by.unfinished {
				known, _ = known.Join(f.before[n], false)
			}
			if old, ok := f.before[by]; ok && f.wiring.seen[by] {
				known, _ = old.Join(known, false)
			}
			known.Failure = expression.Absent
			f.before[by], f.wiring.seen[by] = known, true
		}
	}
}

// checkUndos checks the nodes that undo others.
func (c *checked) checkUndos() {
	for _, n := range c.nodes {
		if n.unfinished && len(c.wiring.undoes[n]) == 0 {
			c.report.Add(n.Member("unfinished"), "it is for a node that undoes another one; name this node in the undo of that")
		}
		if len(c.wiring.undoes[n]) == 0 || n.of == nil {
			continue
		}
		for _, of := range c.wiring.undoes[n] {
			if of == n {
				c.report.Add(of.undo.Spot, "a node does not undo itself; name another one")
			}
		}
		at, id := n.id.Spot, document.Quote(n.id.Text)
		switch a := c.agents[n.ref.Text]; {
		case n.kind != typeAgent && (n.kind != typeHuman || n.review != nil):
			c.report.Add(at, "%s undoes a node, and is of type %s; expected an agent, or a question for people without a review", id, n.kind)
		case n.each != nil:
			c.report.Add(at, "%s undoes a node, and has a for_each; an undo is called once", id)
		case a.calls() != nil:
			c.report.Add(at, "%s undoes a node, and calls a recipe; expected an agent that does it itself", id)
		case n.outputs != nil:
			c.report.Add(n.Member("outputs_map"), "%s undoes a node, and its output is put nowhere; leave outputs_map out", id)
		}
		if n == c.wiring.entry {
			c.report.Add(at, "%s undoes a node, and the run starts there; expected a node that only undo leads to", id)
		}
		for _, e := range c.wiring.edges[n] {
			c.report.Add(e.Spot, "nothing follows %s, which undoes a node: the next undo begins by itself", id)
		}
	}
	for _, e := range c.edges {
		if to := c.wiring.byID[e.target.Text]; to != nil && len(c.wiring.undoes[to]) > 0 {
			c.report.Add(e.Spot, "%s undoes a node, and no run goes on to it; expected a node that nothing is undone by", document.Quote(e.target.Text))
		}
	}
}
