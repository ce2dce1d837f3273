package plan

import (
	"encoding/json"
	"slices"

	"github.com/fermata-go/fermata/node"
)

// UndoOf says what a node that undoes is given.
type UndoOf string

// The things that nodes at the end of Undo edges undo.
const (
	UndoTask UndoOf = "task" // a task of the node: it is given the value that the node recorded
	UndoStep UndoOf = "step" // a step of the node that names it: it is given the step's result, as JSON
)

// forward are the kinds of edges along which a run goes on.
var forward = []EdgeKind{Plain, Choice, Failure, Deadline, Data}

// Undoes reports whether the plan has an Undo edge, at any depth (law F10).
func (p *Plan) Undoes() bool { return p.undoes }

func (p *Plan) findUndoes() bool {
	return slices.ContainsFunc(p.flat, func(f Flat) bool { return f.Undoes != "" })
}

// OutlineUndoes reports whether runs of a plan with this outline may have something to undo (law F10).
func OutlineUndoes(data []byte) bool {
	var o outline
	return json.Unmarshal(data, &o) == nil && o.undoes()
}

func (o *outline) undoes() bool {
	return slices.ContainsFunc(o.Nodes, func(n outlineNode) bool { return n.Undoes != "" || n.Sub != nil && n.Sub.undoes() })
}

// UndoneBy returns the index of the node that undoes this node's tasks; -1 for none.
func (f *Flat) UndoneBy() int { return f.undoneBy }

// undo connects an undo edge.
func (p *Plan) undo(f *Flat, t Target) {
	if f.Undos = append(f.Undos, t); p.flat[t.Index].Undoes == UndoTask {
		f.undoneBy = t.Index
	}
}

// undos checks the nodes that undo, and the edges that lead to them (law F10).
func (c *checker) undos() {
	into, out := make([]int, len(c.def.Nodes)), make([]int, len(c.def.Nodes))
	for i, e := range c.def.Edges {
		from, known := c.index[e.From]
		to, inner := c.index[e.To]
		switch {
		case e.Kind == Undo && !inner:
			if e.To == node.End || e.To == node.Stop {
				c.on(i, BadUndo, "it leads to no node; expected the node that undoes what %q has done", e.From)
			}
			continue
		case e.Kind != Undo:
			if inner && c.def.Nodes[to].Undoes != "" {
				c.on(i, BadUndo, "a run does not go on to a node that undoes; expected an edge of kind %q", Undo)
			}
			if known && c.def.Nodes[from].Undoes != "" {
				c.on(i, BadUndo, "nothing follows a node that undoes: the next undo begins by itself")
			}
			continue
		}
		into[to]++
		if c.def.Nodes[to].Undoes == "" {
			c.on(i, BadUndo, "node %q does not say what it undoes; set its Undoes to %q or %q", e.To, UndoTask, UndoStep)
		}
		if !known {
			continue
		}
		if c.def.Nodes[from].Undoes != "" {
			c.on(i, BadUndo, "an undo is not undone itself; expected an edge from a node that the run goes through")
		}
		if c.def.Nodes[to].Undoes == UndoTask {
			if out[from]++; out[from] == 2 {
				c.at(from, BadUndo, "two nodes undo its tasks; expected one, which may do several things in its order")
			}
		}
	}
	for i := range c.def.Nodes {
		c.undoNode(i, into[i], out[i] > 0)
	}
}

// undoNode checks one node: whether it can undo, or be undone.
func (c *checker) undoNode(i, edges int, undone bool) {
	n := &c.def.Nodes[i]
	switch n.Undoes {
	case "":
		switch {
		case undone && n.Pure:
			c.at(i, BadUndo, "it is pure, and has an undo: a calculation has no effect that could be undone; take one of them away")
		case undone && n.Cache != nil:
			c.at(i, BadUndo, "it has a cache, and an undo: an outcome of the cache is the effect of another run; take one of them away")
		}
		if n.Unfinished {
			c.at(i, BadUndo, "it is for unfinished tasks, and undoes nothing; set its Undoes to %q", UndoTask)
		}
		return
	case UndoTask, UndoStep:
	default:
		c.at(i, BadUndo, "it undoes %q; expected %q or %q", n.Undoes, UndoTask, UndoStep)
		return
	}
	if n.Unfinished && n.Undoes != UndoTask {
		c.at(i, BadUndo, "a step without a result is not undone: Unfinished is for nodes that undo tasks")
	}
	if edges == 0 {
		c.at(i, BadUndo, "it undoes, and no edge of kind %q leads to it; say which node it undoes", Undo)
	}
	if n.Run == nil || n.Sub != nil || n.Gate() || n.Join != "" || n.Catch != nil || n.Cache != nil {
		c.at(i, BadUndo, "a node that undoes has a function, and no subgraph, gate, join, catch or cache")
	}
	if slices.Contains(c.def.Entry, n.Name) {
		c.at(i, BadUndo, "a run does not start at a node that undoes")
	}
}
