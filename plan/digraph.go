package plan

import (
	"slices"
	"sort"
)

// arc is an edge between two nodes of a digraph.
type arc struct{ from, to int }

// digraph is a directed graph over the nodes 0 … n-1. It may hold several arcs between the same nodes.
type digraph struct {
	n     int   // number of nodes
	arcs  []arc // by index
	start []int // the arcs out of v are order[start[v]:start[v+1]]
	order []int // numbers of arcs, grouped by their origin, in declared order within a group
}

// newDigraph groups the arcs by where they come from, in linear time.
func newDigraph(n int, arcs []arc) *digraph {
	g := &digraph{n: n, arcs: arcs, start: make([]int, n+1), order: make([]int, len(arcs))}
	for _, a := range arcs {
		g.start[a.from+1]++
	}
	for v := range n {
		g.start[v+1] += g.start[v]
	}
	next := slices.Clone(g.start[:n])
	for i, a := range arcs {
		g.order[next[a.from]] = i
		next[a.from]++
	}
	return g
}

// out gives the numbers of the arcs out of v.
func (g *digraph) out(v int) []int { return g.order[g.start[v]:g.start[v+1]] }

// reachable marks the nodes that can be reached from the given ones, which are among them.
func (g *digraph) reachable(from []int) []bool {
	seen := make([]bool, g.n)
	todo := slices.Clone(from)
	for _, v := range from {
		seen[v] = true
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range g.out(v) {
			if to := g.arcs[i].to; !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}

// subset is a part of a digraph that is searched on its own: some nodes, without some arcs. One subset serves many
// searches, so that a search costs what its part is large, not what the graph is.
type subset struct {
	g       *digraph
	scope   []int  // which search a node belongs to; 0 for none
	scopes  int    // how many searches there have been
	removed []bool // arcs that are gone for good

	visit []int // Tarjan: order of discovery from 1; 0 is not yet seen
	low   []int // Tarjan: the earliest node that can be reached
	next  []int // Tarjan: how many arcs have been followed
	open  []bool
}

func newSubset(g *digraph) *subset {
	return &subset{
		g: g, scope: make([]int, g.n), removed: make([]bool, len(g.arcs)),
		visit: make([]int, g.n), low: make([]int, g.n), next: make([]int, g.n), open: make([]bool, g.n),
	}
}

// inside reports whether the arc belongs to the search.
func (s *subset) inside(i, scope int) bool {
	return !s.removed[i] && s.scope[s.g.arcs[i].to] == scope
}

// enter begins a search over the nodes.
func (s *subset) enter(nodes []int) int {
	s.scopes++
	for _, v := range nodes {
		s.scope[v], s.visit[v], s.next[v] = s.scopes, 0, 0
	}
	return s.scopes
}

// cycles gives the strongly connected parts of the given nodes that hold a cycle. Nodes are sorted within a part, and
// the parts by their first node. It is Tarjan's search with a stack of its own: a chain may be of any length.
func (s *subset) cycles(nodes []int) [][]int {
	scope := s.enter(nodes)
	var parts [][]int
	var path, open []int
	visits := 0
	for _, root := range nodes {
		if s.visit[root] != 0 {
			continue
		}
		path = append(path[:0], root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if s.visit[v] == 0 {
				visits++
				s.visit[v], s.low[v], s.open[v] = visits, visits, true
				open = append(open, v)
			}
			if w := s.follow(v, scope); w >= 0 {
				path = append(path, w)
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				u := path[len(path)-1]
				s.low[u] = min(s.low[u], s.low[v])
			}
			if s.low[v] != s.visit[v] {
				continue
			}
			at := len(open) - 1
			for open[at] != v {
				at--
			}
			if part := s.close(open[at:], scope); part != nil {
				parts = append(parts, part)
			}
			open = open[:at]
		}
	}
	sort.Slice(parts, func(i, j int) bool { return parts[i][0] < parts[j][0] }) // slices.SortFunc would be compiled for the type (ADR 060)
	return parts
}

// follow takes v's arcs until one leads to a node not yet seen, or there are no more (-1).
func (s *subset) follow(v, scope int) int {
	out := s.g.out(v)
	for s.next[v] < len(out) {
		i := out[s.next[v]]
		s.next[v]++
		if !s.inside(i, scope) {
			continue
		}
		w := s.g.arcs[i].to
		if s.visit[w] == 0 {
			return w
		}
		if s.open[w] {
			s.low[v] = min(s.low[v], s.visit[w])
		}
	}
	return -1
}

// close ends a part. A single node is one only when an arc leads back to itself.
func (s *subset) close(nodes []int, scope int) []int {
	for _, v := range nodes {
		s.open[v] = false
	}
	if len(nodes) == 1 {
		v := nodes[0]
		loops := func(i int) bool { return s.g.arcs[i].to == v && s.inside(i, scope) }
		if !slices.ContainsFunc(s.g.out(v), loops) {
			return nil
		}
	}
	part := slices.Clone(nodes)
	slices.Sort(part)
	return part
}

// forwardOrder lists the nodes reachable from the given ones, in topological order apart from loops.
func (g *digraph) forwardOrder(from []int) []int {
	seen := make([]bool, g.n)
	next := make([]int, g.n)
	var done, path []int
	for _, root := range from {
		if seen[root] {
			continue
		}
		seen[root] = true
		for path = append(path[:0], root); len(path) > 0; {
			v := path[len(path)-1]
			if out := g.out(v); next[v] < len(out) {
				w := g.arcs[out[next[v]]].to
				if next[v]++; !seen[w] {
					seen[w] = true
					path = append(path, w)
				}
				continue
			}
			done = append(done, v)
			path = path[:len(path)-1]
		}
	}
	slices.Reverse(done)
	return done
}
