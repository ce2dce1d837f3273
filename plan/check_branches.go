package plan

import (
	"fmt"
	"strings"
)

// branches reports the nodes at which concurrent branches meet and that do not say what happens then (law G3).
//
// Tokens come from sources: the branches of forks, and All nodes, whose result is one token. A source's tokens pass
// every node on their way up to the next fork or All node. Two sources are concurrent when they come from different
// branches of one fork. A node is reported when two edges lead concurrent sources to it.
func (c *checker) branches() {
	m := newMeeting(c)
	if len(m.forks) == 0 {
		return
	}
	m.spread()
	m.descend()
	for v := range c.def.Nodes {
		if c.index[c.def.Nodes[v].Name] != v || c.def.Nodes[v].Join != "" {
			continue
		}
		if f, a, b, ok := m.clash(v); ok {
			c.at(v, AmbiguousJoin, "branches of %s meet here (from %s and %s): say whether the node fires for each of them "+
				"(Each), or once with all of them merged (All)", f.name, quoteTarget(a), quoteTarget(b))
		}
	}
}

// fork is a place where one token becomes several.
type fork struct {
	name     string
	at       int   // the node, -1 for the entry
	branches []int // their sources
}

// source is where a token comes from: a branch of a fork, or an All node.
type source struct {
	from int // the node that makes the token, -1 for the entry
	to   int // of a branch: where it leads
}

// meeting is the analysis behind branches.
type meeting struct {
	c       *checker
	t       *topology
	sources []source
	forks   []fork
	byEdge  map[[2]int]int // branch edges
	byJoin  map[int]int    // All nodes
	in      []bits         // of each node: the sources that reach it
	below   []bits         // of each source: the sources that come from it, and itself
	joins   *Joins
}

func newMeeting(c *checker) *meeting {
	m := &meeting{c: c, t: newTopology(c.def), byEdge: make(map[[2]int]int), byJoin: make(map[int]int), joins: findJoins(c.def)}
	if len(m.t.first) > 1 {
		m.fork(fork{name: "the entry", at: -1}, m.t.first)
	}
	for v := range c.def.Nodes {
		n := &c.def.Nodes[v]
		var to []int
		for _, i := range m.t.graph.out(v) {
			kind := c.def.Edges[m.t.edges[i]].Kind
			if kind == Plain && !n.Gate() || kind == Choice && n.RouteMany != nil {
				to = append(to, m.t.graph.arcs[i].to)
			}
		}
		if len(to) > 1 {
			m.fork(fork{name: fmt.Sprintf("node %q", n.Name), at: v}, to)
		}
		if n.Join == All {
			m.byJoin[v] = len(m.sources)
			m.sources = append(m.sources, source{from: v, to: -1})
		}
	}
	return m
}

func (m *meeting) fork(f fork, to []int) {
	for _, w := range to {
		f.branches = append(f.branches, len(m.sources))
		m.byEdge[[2]int{f.at, w}] = len(m.sources)
		m.sources = append(m.sources, source{from: f.at, to: w})
	}
	m.forks = append(m.forks, f)
}

// over gives the sources that travel over an arc.
func (m *meeting) over(i int) bits {
	a := m.t.graph.arcs[i]
	b := newBits(len(m.sources))
	if s, ok := m.byEdge[[2]int{a.from, a.to}]; ok {
		b.set(s)
		return b
	}
	if s, ok := m.byJoin[a.from]; ok {
		b.set(s)
		return b
	}
	return m.in[a.from]
}

// spread finds the sources that reach each node.
func (m *meeting) spread() {
	m.in = make([]bits, m.t.graph.n)
	for v := range m.in {
		m.in[v] = newBits(len(m.sources))
	}
	for s, src := range m.sources {
		if src.from < 0 {
			m.in[src.to].set(s)
		}
	}
	for again := true; again; {
		again = false
		for i, a := range m.t.graph.arcs {
			if m.in[a.to].add(m.over(i)) {
				again = true
			}
		}
	}
}

// descend finds which sources come from which.
func (m *meeting) descend() {
	m.below = make([]bits, len(m.sources))
	for s := range m.sources {
		m.below[s] = newBits(len(m.sources))
		m.below[s].set(s)
	}
	for again := true; again; {
		again = false
		for s, src := range m.sources {
			if src.from < 0 {
				continue
			}
			for up := range m.sources {
				if m.in[src.from].has(up) && m.below[up].add(m.below[s]) {
					again = true
				}
			}
		}
	}
}

// clash finds two edges by which concurrent sources reach a node.
func (m *meeting) clash(v int) (f *fork, a, b string, ok bool) {
	arcs := m.t.origin[v]
	for i, first := range arcs {
		for _, second := range arcs[i+1:] {
			if f := m.concurrent(v, m.over(first), m.over(second)); f != nil {
				return f, m.name(first), m.name(second), true
			}
		}
	}
	return nil, "", "", false
}

func (m *meeting) name(arc int) string { return m.c.def.Nodes[m.t.graph.arcs[arc].from].Name }

// concurrent finds a fork of which two sources, one of each set, come from different branches.
func (m *meeting) concurrent(v int, a, b bits) *fork {
	for x := range m.sources {
		for y := range m.sources {
			if x == y || !a.has(x) || !b.has(y) || m.waits(x, v) || m.waits(y, v) {
				continue
			}
			for i := range m.forks {
				if m.apart(&m.forks[i], x, y) {
					return &m.forks[i]
				}
			}
		}
	}
	return nil
}

// waits reports whether a source is an All node that v leads to: while something is at v, it has no token to give.
func (m *meeting) waits(s, v int) bool {
	return m.sources[s].to < 0 && m.joins.Upstream(m.sources[s].from, v)
}

// apart reports whether two sources come from different branches of a fork.
func (m *meeting) apart(f *fork, x, y int) bool {
	for i, one := range f.branches {
		for k, other := range f.branches {
			if i != k && m.below[one].has(x) && m.below[other].has(y) {
				return true
			}
		}
	}
	return false
}

// joins checks what nodes say of joins and maps.
func (c *checker) joins(i int) {
	n := &c.def.Nodes[i]
	switch n.Join {
	case "", Each, All:
	default:
		c.at(i, BadNode, "its join is %q; expected %q, %q or none", n.Join, Each, All)
	}
	if n.Merge != nil && n.Join != All {
		c.at(i, BadNode, "it has a Merge and is no %q join, so nothing is merged here", All)
	}
	if n.Route != nil && n.RouteMany != nil {
		c.at(i, BadGate, "it has a Route and a RouteMany; a gate chooses one target or several, not both")
	}
	if n.Map == nil {
		return
	}
	var missing []string
	if n.Sub == nil {
		missing = append(missing, "a subgraph")
	}
	if n.Map.Split == nil {
		missing = append(missing, "Split")
	}
	if n.Map.Gather == nil {
		missing = append(missing, "Gather")
	}
	if len(missing) > 0 {
		c.at(i, BadNode, "it is a map and lacks %s", strings.Join(missing, " and "))
	}
	if n.In != nil || n.Out != nil {
		c.at(i, BadNode, "a map has Split and Gather in place of In and Out")
	}
	if n.Map.Limit < 0 {
		c.at(i, BadPolicy, "at most %d of its items may be at work at once; that may not be negative, and 0 does not limit", n.Map.Limit)
	}
}
