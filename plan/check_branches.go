package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// branches reports the nodes at which concurrent branches meet and that do not say what happens then (law G3).
//
// Tokens come from sources: the branches of forks, and All nodes, whose result is one token. A source's tokens pass
// every node on their way up to the next fork or All node. Two sources are concurrent when a fork leads to them by
// different branches, and a branch is concurrent with itself when its fork is come to again while it is under way. A node
// is reported when two edges lead concurrent sources to it.
func (c *checker) branches() {
	m := newMeeting(c)
	if len(m.forks) == 0 {
		return
	}
	m.spread()
	open := m.candidates()
	clashes := make(map[int]clash)
	for first := 0; first < len(m.forks) && len(open) > 0; {
		first = m.trace(first)
		open = slices.DeleteFunc(open, func(v int) bool {
			found, ok := m.clash(v)
			if ok {
				clashes[v] = found
			}
			return ok
		})
	}
	for _, v := range slices.Sorted(maps.Keys(clashes)) {
		found := clashes[v]
		from := fmt.Sprintf("from %s and %s", found.a, found.b)
		if found.a == found.b {
			from = fmt.Sprintf("from %s, before the last one is over", found.a)
		}
		c.at(v, AmbiguousJoin, "branches of %s meet here (%s): say whether the node fires for each of them "+
			"(Each), or once with all of them merged (All)", found.fork, from)
	}
}

// clash is what is reported of a node: a fork, and two of the nodes that its branches come from.
type clash struct{ fork, a, b string }

// branchFork is a place where one token becomes several.
type branchFork struct {
	name  string // for people
	at    int    // the node, -1 for the entry
	first int    // of its sources, which follow each other
	many  int    // how many sources
}

// source is where a token comes from: a branch of a fork, or an All node.
type source struct {
	from int  // the node that makes the token, -1 for the entry
	all  bool // of an All node
}

// meeting is the analysis behind branches.
type meeting struct {
	c       *checker     // collects the problems
	t       *topology    // of the definition
	order   []int        // reachable nodes, in topological order apart from loops
	sources []source     // of tokens
	forks   []branchFork // in order of their sources
	branch  []int        // of each arc: the source that begins there, -1 for none
	entry   []int        // of each node: the source that begins there as one of several entries, -1 for none
	merged  []int        // of each All node: its source, -1 for others
	in      [][]int      // of each node: the sources that reach it, sorted
	joins   *Joins       // of the definition
	loops   []bool       // of each node: whether it lies in a loop
	rounds  []bool       // of each node: whether it lies in a loop with an All node

	tracing
}

// tracing is the part of the analysis for a range of forks.
type tracing struct {
	low, high int    // the forks that are traced
	base      int    // their first source
	reach     []bits // of each node: by which branches of these forks it can be reached
	free      []bits // of each node: by which of them without an All node on the way, and without being one
}

func newMeeting(c *checker) *meeting {
	m := &meeting{c: c, t: newTopology(c.def, forward...)}
	g := m.t.graph
	m.branch, m.entry, m.merged = none(len(g.arcs)), none(g.n), none(g.n)
	if len(m.t.first) > 1 {
		m.forks = append(m.forks, branchFork{name: "the entry", at: -1, many: len(m.t.first)})
		for _, v := range m.t.first {
			m.entry[v] = len(m.sources)
			m.sources = append(m.sources, source{from: -1})
		}
	}
	for v := range c.def.Nodes {
		n := &c.def.Nodes[v]
		f := branchFork{name: fmt.Sprintf("node %q", n.Name), at: v, first: len(m.sources)}
		var arcs []int
		for _, i := range g.out(v) {
			kind := c.def.Edges[m.t.edges[i]].Kind
			twice := slices.ContainsFunc(arcs, func(other int) bool { return g.arcs[other] == g.arcs[i] })
			if (kind == Plain && !n.Gate() || kind == Choice && n.RouteMany != nil) && !twice {
				arcs = append(arcs, i)
			}
		}
		if f.many = len(arcs); f.many > 1 {
			for _, i := range arcs {
				m.branch[i] = len(m.sources)
				m.sources = append(m.sources, source{from: v})
			}
			m.forks = append(m.forks, f)
		}
		if n.Join == All {
			m.merged[v] = len(m.sources)
			m.sources = append(m.sources, source{from: v, all: true})
		}
	}
	if len(m.forks) > 0 {
		m.joins, m.order = findJoins(c.def), g.forwardOrder(m.t.first)
		m.findRounds()
	}
	return m
}

func (m *meeting) findRounds() {
	m.loops, m.rounds = make([]bool, m.t.graph.n), make([]bool, m.t.graph.n)
	for _, part := range newSubset(m.t.graph).cycles(m.order) {
		round := slices.ContainsFunc(part, func(v int) bool { return m.merged[v] >= 0 })
		for _, v := range part {
			m.loops[v], m.rounds[v] = true, round
		}
	}
}

func none(n int) []int { return slices.Repeat([]int{-1}, n) }

// over gives the sources that travel over an arc.
func (m *meeting) over(i int) []int {
	from := m.t.graph.arcs[i].from
	switch {
	case m.branch[i] >= 0:
		return m.branch[i : i+1]
	case m.merged[from] >= 0:
		return m.merged[from : from+1]
	}
	return m.in[from]
}

// spread finds the sources that reach each node. Nodes that are reached by the same ones share a set.
func (m *meeting) spread() {
	m.in = make([][]int, m.t.graph.n)
	for again := true; again; {
		again = false
		for _, v := range m.order {
			set, more := m.in[v], []int(nil)
			if m.entry[v] >= 0 {
				set = unite(set, m.entry[v:v+1])
			}
			for _, i := range m.t.origin[v] {
				if over := m.over(i); len(m.t.origin[v]) > 8 {
					more = append(more, over...)
				} else {
					set = unite(set, over)
				}
			}
			slices.Sort(more)
			if set = unite(set, slices.Compact(more)); len(set) > len(m.in[v]) {
				m.in[v], again = set, true
			}
		}
	}
}

// unite gives the members of two sorted sets. It is one of them where that holds the other.
func unite(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	missing := 0
	for i, k := 0, 0; k < len(b); {
		switch {
		case i == len(a) || a[i] > b[k]:
			missing++
			k++
		case a[i] == b[k]:
			i++
			k++
		default:
			i++
		}
	}
	if missing == 0 {
		return a
	}
	both := append(append(make([]int, 0, len(a)+len(b)), a...), b...)
	slices.Sort(both)
	return slices.Compact(both)
}

// candidates are the nodes that say nothing, and that sources reach in several ways.
func (m *meeting) candidates() []int {
	var open []int
	for _, v := range m.order {
		several := len(m.t.origin[v]) > 1 || len(m.t.origin[v]) > 0 && (m.entry[v] >= 0 || m.again(m.t.origin[v][0]))
		if m.c.def.Nodes[v].Join == "" && several && len(m.in[v]) > 0 {
			open = append(open, v)
		}
	}
	return open
}

// again reports whether an arc begins a branch of a fork that can be come to again.
func (m *meeting) again(i int) bool { return m.branch[i] >= 0 && m.loops[m.t.graph.arcs[i].from] }

// traced is how many branches are traced at once: it bounds the memory that is needed.
const traced = 4096

// trace finds the branches by which each node can be reached, for the next forks. It returns the fork to go on
// with.
func (m *meeting) trace(first int) (next int) {
	m.low, m.high, m.base = first, first, m.forks[first].first
	size := func() int { return m.forks[m.high-1].first + m.forks[m.high-1].many - m.base }
	for m.high++; m.high < len(m.forks) && size() < traced; m.high++ {
	}
	m.reach, m.free = make([]bits, m.t.graph.n), make([]bits, m.t.graph.n)
	for _, v := range m.order {
		m.reach[v], m.free[v] = newBits(size()), newBits(size())
	}
	for again := true; again; {
		again = false
		for _, v := range m.order {
			if m.come(v, m.reach) || m.merged[v] < 0 && m.come(v, m.free) {
				again = true
			}
		}
	}
	return m.high
}

// come adds to the branches by which a node can be reached. It reports whether any is new.
func (m *meeting) come(v int, reach []bits) bool {
	grown := m.mark(reach[v], m.entry[v])
	for _, i := range m.t.origin[v] {
		if from := reach[m.t.graph.arcs[i].from]; from != nil && reach[v].add(from) {
			grown = true
		}
		if m.mark(reach[v], m.branch[i]) {
			grown = true
		}
	}
	return grown
}

// mark puts a source into a set of branches, if it is one of those that are traced. It reports whether it was not there.
func (m *meeting) mark(set bits, s int) bool {
	if s < m.base || s-m.base >= 64*len(set) || s < 0 || m.sources[s].all || set.has(s-m.base) {
		return false
	}
	set.set(s - m.base)
	return true
}

// ways are the branches by which a source's tokens may have come while something is on its way to v: not through an All
// node that v leads to, and not back in a loop whose round v keeps from being over. Free are those without any All node on the way.
func (m *meeting) ways(s, v int, free bool) bits {
	set := newBits(64 * len(m.reach[v]))
	m.mark(set, s)
	from := m.sources[s].from
	switch {
	case from < 0:
	case m.rounds[v] || m.rounds[from]:
		m.walk(set, from, v, free)
	case free:
		set.add(m.free[from])
	default:
		set.add(m.reach[from])
	}
	return set
}

// walk is ways where a loop with an All node is concerned.
func (m *meeting) walk(set bits, from, v int, free bool) {
	passes := func(u int) bool { return m.merged[u] < 0 || !free && !m.joins.Upstream(u, v) }
	seen := newBits(m.t.graph.n)
	seen.set(from)
	todo := []int{from}
	if m.merged[from] >= 0 && free {
		todo = nil
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		m.mark(set, m.entry[at])
		for _, i := range m.t.origin[at] {
			u := m.t.graph.arcs[i].from
			if m.joins != nil {
				if l := m.joins.Back(u, at); l >= 0 && m.joins.Holds(l, v) {
					continue
				}
			}
			m.mark(set, m.branch[i])
			if !seen.has(u) && passes(u) {
				seen.set(u)
				todo = append(todo, u)
			}
		}
	}
}

// entrance is a way into a node: an edge, or the run's beginning.
type entrance struct {
	name    string
	again   int // the source that begins with it, where its fork can be come to again; -1 for none
	sources []int
	ways    bits
}

func (m *meeting) entrances(v int) []entrance {
	var all []entrance
	add := func(name string, sources []int) {
		e := entrance{name: name, again: -1, ways: newBits(64 * len(m.reach[v]))}
		for _, s := range sources {
			if !m.waits(s, v) {
				e.sources = append(e.sources, s)
			}
		}
		all = append(all, e)
	}
	if s := m.entry[v]; s >= 0 {
		add("the entry", m.entry[v:v+1])
		m.mark(all[0].ways, s)
	}
	for _, i := range m.t.origin[v] {
		from := m.t.graph.arcs[i].from
		if m.reach[from] == nil {
			continue // the run does not come there
		}
		add(quoteTarget(m.c.def.Nodes[from].Name), m.over(i))
		e := &all[len(all)-1]
		e.ways.add(m.reach[from])
		m.mark(e.ways, m.branch[i])
		if m.again(i) {
			e.again = m.branch[i]
		}
	}
	return all
}

// clash finds two edges by which concurrent sources reach a node.
func (m *meeting) clash(v int) (clash, bool) {
	entrances := m.entrances(v)
	before := newBits(64 * len(m.reach[v]))
	for k := range entrances {
		second := &entrances[k]
		if m.apart(before, second.ways) >= 0 {
			for i := range entrances[:k] {
				if f := m.concurrent(v, &entrances[i], second); f >= 0 {
					return clash{m.forks[f].name, entrances[i].name, second.name}, true
				}
			}
		}
		before.add(second.ways)
		if f := m.repeats(v, second.again); f >= 0 {
			return clash{m.forks[f].name, second.name, second.name}, true
		}
	}
	return clash{}, false
}

// concurrent returns a fork whose branches lead one source to each entrance; -1 for none.
func (m *meeting) concurrent(v int, a, b *entrance) int {
	if m.apart(a.ways, b.ways) < 0 {
		return -1
	}
	for _, x := range a.sources {
		ways := m.ways(x, v, false)
		for _, y := range b.sources {
			if x == y && m.sources[x].all {
				continue
			}
			if f := m.apart(m.ways(y, v, x == y), ways); f >= 0 {
				return f
			}
		}
	}
	return -1
}

// repeats returns the fork of a source if another branch leads back to the fork while the first is on its way
// to v; -1 otherwise.
func (m *meeting) repeats(v, s int) int {
	one := newBits(64 * len(m.reach[v]))
	if s < 0 || !m.mark(one, s) {
		return -1
	}
	return m.apart(one, m.ways(s, v, false))
}

// waits reports whether a source is an All node that v leads to: while something is at v, it has no token to give.
func (m *meeting) waits(s, v int) bool {
	return m.sources[s].all && m.joins.Upstream(m.sources[s].from, v)
}

// apart finds a fork of which one way takes a branch and the other way another one; -1 for none.
func (m *meeting) apart(a, b bits) int {
	for f := m.low; f < m.high; f++ {
		first := m.forks[f].first - m.base
		one, other, several := -1, -1, false
		for k := first; k < first+m.forks[f].many; k++ {
			if k&63 == 0 && a[k>>6]|b[k>>6] == 0 {
				k += 63
				continue
			}
			if a.has(k) {
				several = several || one >= 0
				one = k
			}
			if b.has(k) {
				several = several || other >= 0
				other = k
			}
			if one >= 0 && other >= 0 && (several || one != other) {
				return f
			}
		}
	}
	return -1
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
	if len(missing) == 3 {
		c.at(i, BadNode, "it has a limit of items and is no map; give it one, or take the limit away")
		return
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
