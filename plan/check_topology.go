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
			c.at(v, Unreachable, "the run never gets here: its edges come from %s, which the run never reaches", list(from))
		case len(t.origin[v]) > 0:
			c.at(v, Unreachable, "the run never gets here: only its own edge leads to it")
		default:
			c.at(v, Unreachable, "the run never gets here: no edge leads to it")
		}
	}
}

// endless reports the loops that a token cannot leave. Nothing makes a node fail or be late, so failure and deadline
// edges do not count: the loops are those of plain edges and choices. A loop that is left by a failure edge and entered
// again is no trap, because success leaves it.
//
// A path can end at a node that nothing leads out of, and over an edge to END or Stop; behind a gate, when one of its
// choices can; behind a fork, when all of its branches can. The loops among the nodes behind which it cannot are the
// traps, those aside that only lead into another one.
func (c *checker) endless() {
	t := newTopology(c.def, Plain, Choice)
	can := c.canEnd(t)
	var cannot []int
	for v := range can {
		if !can[v] {
			cannot = append(cannot, v)
		}
	}
	if len(cannot) == 0 {
		return
	}
	outs := make([][]int, t.graph.n)
	for i, e := range c.def.Edges {
		if from, ok := c.index[e.From]; ok {
			outs[from] = append(outs[from], i)
		}
	}
	s := newSubset(t.graph)
	for _, part := range s.cycles(cannot) {
		scope := s.enter(part)
		inside := func(name string) bool {
			v, ok := c.index[name]
			return ok && s.scope[v] == scope
		}
		leads := func(v int) bool {
			return slices.ContainsFunc(t.graph.out(v), func(i int) bool {
				w := t.graph.arcs[i].to
				return !can[w] && s.scope[w] != scope
			})
		}
		if !slices.ContainsFunc(part, leads) {
			c.trap(t, part, outs, inside)
		}
	}
}

// canEnd marks the nodes behind which all paths can end. A name that is no node may be meant as a way out: it is
// reported where it stands, and the loop is not reported for it.
func (c *checker) canEnd(t *topology) []bool {
	left := make([]int, t.graph.n) // how many of its targets must still be found to end
	for v := range left {
		left[v] = len(t.graph.out(v))
		if c.def.Nodes[v].Gate() {
			left[v] = min(left[v], 1)
		}
	}
	for _, e := range c.def.Edges {
		from, ok := c.index[e.From]
		if _, _, inner := t.ends(e); ok && !inner && e.Kind == Choice {
			left[from] = 0
		}
	}
	var todo []int
	for v, n := range left {
		if n == 0 {
			todo = append(todo, v)
		}
	}
	can := make([]bool, t.graph.n)
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		can[v] = true
		for _, i := range t.origin[v] {
			from := t.graph.arcs[i].from
			if left[from]--; left[from] == 0 {
				todo = append(todo, from)
			}
		}
	}
	return can
}

// trap reports a loop that nothing leads out of.
func (c *checker) trap(t *topology, part []int, outs [][]int, inside func(string) bool) {
	var gates, others []string
	for _, v := range part {
		if c.def.Nodes[v].Gate() {
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
