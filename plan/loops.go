package plan

import (
	"slices"

	"github.com/fermata-go/fermata/node"
)

// Loop is a set of nodes that can each be reached from each other, by edges of every kind. It is a strongly connected
// part of the plan.
//
// Its head is where a round begins. The edges from inside that lead to the head are its back edges; without them the
// loop comes apart into nodes and inner loops. All edges that are no loop's back edges are forward edges, and these
// form no cycle.
type Loop struct {
	Nodes []string // in declared order
	Head  string   // name of the node at which rounds begin
	// Entries are the nodes by which the loop can be entered. The head is the first declared of them; the loop is
	// reducible when there is no other. Only the head's incoming edges are back edges of this loop: those into
	// another entry stay, and belong to an inner loop where they close one.
	Entries []string
	Back    []Edge // in declared order
	Inner   []Loop // by their first node in declared order
}

// Loops finds the loops of the plan, outermost first, by their first node in declared order. The nodes of a subgraph
// are its own plan's matter: ask that plan. It takes time in proportion to the plan's size times the depth to which
// its loops are nested.
func (p *Plan) Loops() []Loop {
	if d := p.def.Dataflow; d != nil {
		return p.named(d.loops, func(i int) Edge { return d.edge(&p.def, i) })
	}
	t := newTopology(&p.def)
	return p.named(t.graph.loops(t.entries), func(i int) Edge { return p.def.Edges[t.edges[i]] })
}

// named gives loops with names; edge is the edge of an arc.
func (p *Plan) named(loops []loop, edge func(arc int) Edge) []Loop {
	var all []Loop
	for _, l := range loops {
		named := Loop{Nodes: p.def.names(l.nodes), Head: p.def.Nodes[l.heads[0]].Name, Entries: p.def.names(l.heads), Inner: p.named(l.inner, edge)}
		for _, i := range l.back {
			named.Back = append(named.Back, edge(i))
		}
		all = append(all, named)
	}
	return all
}

// names are the names of nodes by their numbers.
func (d *Definition) names(nodes []int) []string {
	names := make([]string, len(nodes))
	for i, v := range nodes {
		names[i] = d.Nodes[v].Name
	}
	return names
}

// loop is a loop of a digraph. Without a head it has no back arcs and no inner loops.
type loop struct {
	nodes []int  // sorted
	heads []int  // sorted; the first is the head
	back  []int  // arcs into the head, sorted
	inner []loop // loops within it
}

// holds reports whether a node is in the loop.
func (l *loop) holds(v int) bool {
	_, ok := slices.BinarySearch(l.nodes, v)
	return ok
}

// headRule finds the nodes of a part at which a round can begin, sorted. inside reports whether a node is of the
// part. Control graphs take the nodes by which the part is entered ([topology.entries]); law D4 has another rule for
// dataflow, under which a part may have no head, or several, and is refused.
type headRule func(part []int, inside func(v int) bool) []int

// loops takes the graph apart (law D4): in each strongly connected part the arcs into the head are back arcs, and
// what is left without them is taken apart again.
func (g *digraph) loops(rule headRule) []loop {
	all := make([]int, g.n)
	for v := range all {
		all[v] = v
	}
	var top []loop
	type work struct {
		nodes []int
		into  *[]loop
	}
	s := newSubset(g)
	for todo := []work{{all, &top}}; len(todo) > 0; {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		parts := s.cycles(w.nodes)
		found := make([]loop, len(parts))
		for i, part := range parts {
			found[i] = s.loop(part, rule)
			if l := &found[i]; len(l.back) > 0 {
				todo = append(todo, work{l.nodes, &l.inner})
			}
		}
		if len(found) > 0 {
			*w.into = found
		}
	}
	return top
}

// loop finds the part's heads and removes the back arcs.
func (s *subset) loop(part []int, rule headRule) loop {
	scope := s.enter(part)
	l := loop{nodes: part, heads: rule(part, func(v int) bool { return s.scope[v] == scope })}
	if len(l.heads) == 0 {
		return l
	}
	for _, v := range part {
		for _, i := range s.g.out(v) {
			if s.g.arcs[i].to == l.heads[0] && s.inside(i, scope) {
				l.back = append(l.back, i)
			}
		}
	}
	slices.Sort(l.back)
	for _, i := range l.back {
		s.removed[i] = true
	}
	return l
}

// topology is the shape of a definition: its nodes by number, and its edges between nodes as arcs. Ends that are not
// nodes (END, Stop, misspelt names) have no arc.
type topology struct {
	graph  *digraph       // nodes and edges
	index  map[string]int // of two nodes of one name, the first
	edges  []int          // which of the definition's edges an arc is
	origin [][]int        // for each node, the arcs that lead to it
	first  []int          // where the run starts
}

// newTopology numbers the nodes and edges. Of the edge kinds it keeps those given; none is all.
func newTopology(def *Definition, kinds ...EdgeKind) *topology {
	t := &topology{index: make(map[string]int, len(def.Nodes)), origin: make([][]int, len(def.Nodes))}
	for i := range def.Nodes {
		if _, twice := t.index[def.Nodes[i].Name]; !twice {
			t.index[def.Nodes[i].Name] = i
		}
	}
	arcs := make([]arc, 0, len(def.Edges))
	for i, e := range def.Edges {
		if len(kinds) > 0 && !slices.Contains(kinds, e.Kind) {
			continue
		}
		from, to, ok := t.ends(e)
		if !ok {
			continue
		}
		t.origin[to] = append(t.origin[to], len(arcs))
		t.edges = append(t.edges, i)
		arcs = append(arcs, arc{from, to})
	}
	t.graph = newDigraph(len(def.Nodes), arcs)
	for _, name := range def.Entry {
		if v, ok := t.index[name]; ok {
			t.first = append(t.first, v)
		}
	}
	return t
}

// ends finds the nodes of an edge that has two.
func (t *topology) ends(e Edge) (from, to int, ok bool) {
	if e.To == node.End || e.To == node.Stop {
		return 0, 0, false
	}
	from, known := t.index[e.From]
	to, ok = t.index[e.To]
	return from, to, ok && known
}

// entries is the head rule of control graphs: a round begins where the run starts, or where an edge from outside
// leads in. A part that cannot be entered begins at its first node.
func (t *topology) entries(part []int, inside func(v int) bool) []int {
	var heads []int
	for _, v := range part {
		if t.entered(v, inside) {
			heads = append(heads, v)
		}
	}
	if len(heads) == 0 {
		return part[:1]
	}
	return heads
}

func (t *topology) entered(v int, inside func(v int) bool) bool {
	if slices.Contains(t.first, v) {
		return true
	}
	return slices.ContainsFunc(t.origin[v], func(i int) bool { return !inside(t.graph.arcs[i].from) })
}
