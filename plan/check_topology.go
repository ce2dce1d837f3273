package plan

import (
	"fmt"
	"slices"
	"strings"
)

// topology checks law G7: every node can be reached, and every path can end.
func (c *checker) topology() {
	c.reach()
	c.endless()
}

// reach reports the nodes that no path from the entry leads to.
func (c *checker) reach() {
	t := newTopology(c.def)
	if len(t.first) == 0 {
		return
	}
	seen := t.graph.reachable(t.first)
	for v := range c.def.Nodes {
		if seen[v] || c.index[c.def.Nodes[v].Name] != v {
			continue
		}
		var from []string
		for _, i := range t.origin[v] {
			if name := c.def.Nodes[t.graph.arcs[i].from].Name; name != c.def.Nodes[v].Name && !slices.Contains(from, name) {
				from = append(from, name)
			}
		}
		switch {
		case len(from) > 0:
			c.at(v, Unreachable, "the run never gets here: it could only come from %s, where it never gets", list(from))
		case len(t.origin[v]) > 0:
			c.at(v, Unreachable, "the run never gets here: only its own edge leads to it")
		default:
			c.at(v, Unreachable, "the run never gets here: no edge leads to it")
		}
	}
}

// endless reports the loops that no token can leave. Nothing makes a node fail or be late, so failure and deadline
// edges do not count: the loops are those of plain edges and choices, and only a choice leads out of one. A loop that
// is left by a failure edge and entered again is no trap, because success leaves it. Where there is no trap, every
// path can end: at a node that nothing leads out of, or over an edge to END or Stop.
func (c *checker) endless() {
	t := newTopology(c.def, Plain, Choice)
	all := make([]int, t.graph.n)
	for v := range all {
		all[v] = v
	}
	outs := make([][]int, t.graph.n)
	for i, e := range c.def.Edges {
		if from, ok := c.index[e.From]; ok {
			outs[from] = append(outs[from], i)
		}
	}
	s := newSubset(t.graph)
	for _, part := range s.cycles(all) {
		scope := s.enter(part)
		inside := func(name string) bool {
			v, ok := c.index[name]
			return ok && s.scope[v] == scope
		}
		if !c.leavable(part, outs, inside) {
			c.trap(t, part, outs, inside)
		}
	}
}

// leavable reports whether a token can get out of a part. A name that is no node may be meant as a way out: it is
// reported where it stands, and the loop is not reported for it.
func (c *checker) leavable(part []int, outs [][]int, inside func(string) bool) bool {
	for _, v := range part {
		for _, i := range outs[v] {
			e := c.def.Edges[i]
			if e.Kind == Choice && !inside(e.To) {
				return true
			}
		}
	}
	return false
}

// trap reports a loop that nothing leads out of.
func (c *checker) trap(t *topology, part []int, outs [][]int, inside func(string) bool) {
	var gates, others []string
	for _, v := range part {
		if c.def.Nodes[v].Route != nil {
			gates = append(gates, c.def.Nodes[v].Name)
		}
		for _, i := range outs[v] {
			if e := c.def.Edges[i]; (e.Kind == Failure || e.Kind == Deadline) && !inside(e.To) {
				others = append(others, e.String())
			}
		}
	}
	why := "no gate is in it; let one of its nodes choose, and lead a choice out"
	if len(gates) > 0 {
		why = fmt.Sprintf("all choices of %s stay inside; lead one out", list(gates))
	}
	if len(others) > 0 {
		why += fmt.Sprintf(" (%s does not count: nothing makes a node fail or be late)", others[0])
	}
	c.at(part[0], Endless, "the loop %s never ends: %s", c.round(t, part[0], inside), why)
}

// round is the shortest way from a node of a loop back to it.
func (c *checker) round(t *topology, head int, inside func(string) bool) string {
	back := make(map[int]int)
	for todo := []int{head}; len(todo) > 0; todo = todo[1:] {
		v := todo[0]
		for _, i := range t.graph.out(v) {
			w := t.graph.arcs[i].to
			if _, seen := back[w]; !seen && inside(c.def.Nodes[w].Name) {
				back[w] = v
				todo = append(todo, w)
			}
		}
		if _, closed := back[head]; closed {
			break
		}
	}
	names := []string{quoteTarget(c.def.Nodes[head].Name)}
	for v := back[head]; v != head; v = back[v] {
		names = append(names, quoteTarget(c.def.Nodes[v].Name))
	}
	slices.Reverse(names[1:])
	const shown = 6
	if more := len(names) - shown; more > 0 {
		names = append(names[:shown:shown], fmt.Sprintf("(%d more)", more))
	}
	return strings.Join(append(names, names[0]), " -> ")
}
