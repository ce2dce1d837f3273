package plan

import "slices"

// Joins says which nodes of a plan a branch can still come from, and which of its loops hold a join. It is what the
// engine decides by when an All node may fire (laws G3 and D7). Nodes are numbered as in Definition.Nodes.
type Joins struct {
	upstream []bits         // of each node: the All nodes that it leads to within a round, by their number
	number   []int          // of each All node, -1 for others
	loops    []joinLoop     // the loops that hold an All node
	back     map[[2]int]int // back edges of those loops
}

type joinLoop struct {
	body   bits
	region bits // the body, and what can come to it while a round lasts
	outer  []int
}

// Joins is the plan's analysis, nil when it has no All node. Subgraphs have their own.
func (p *Plan) Joins() *Joins { return p.joins }

// Upstream reports whether a token at node from can reach the All node in this round. It follows any edges but those
// that go back in a loop that the All node itself is in. Other loops may go round before they are left, and the All
// node waits for that.
func (j *Joins) Upstream(all, from int) bool { return j.upstream[from].has(j.number[all]) }

// Back is the loop that an edge goes back in, where a join is in that loop; -1 for other edges. A token that went
// over such an edge waits for the end of the loop's round.
func (j *Joins) Back(from, to int) int {
	if l, ok := j.back[[2]int{from, to}]; ok {
		return l
	}
	return -1
}

// InLoop reports whether a node is in the body of a loop.
func (j *Joins) InLoop(loop, v int) bool { return j.loops[loop].body.has(v) }

// Holds reports whether work at node v keeps the round of a loop open. It does if v is in the loop, or can reach it by
// edges that do not go back in it or in a loop around it.
func (j *Joins) Holds(loop, v int) bool { return j.loops[loop].region.has(v) }

// Encloses reports whether loop outer is loop inner, or one around it.
func (j *Joins) Encloses(outer, inner int) bool {
	return outer == inner || slices.Contains(j.loops[inner].outer, outer)
}

// findJoins makes the analysis of a checked definition; nil where it has no All node.
func findJoins(def *Definition) *Joins {
	if !slices.ContainsFunc(def.Nodes, func(n Node) bool { return n.Join == All }) {
		return nil
	}
	t := newTopology(def, forward...)
	loops := t.graph.loops(t.entries)
	j := &Joins{upstream: make([]bits, len(def.Nodes)), number: none(len(def.Nodes)), back: make(map[[2]int]int)}
	count := 0
	for v := range def.Nodes {
		if def.Nodes[v].Join == All {
			j.number[v] = count
			count++
		}
	}
	j.leadOn(t, loops, count)
	j.addLoops(t, loops, nil, make([]bool, len(t.graph.arcs)))
	return j
}

// leadOn finds the All nodes that each node leads to.
func (j *Joins) leadOn(t *topology, loops []loop, count int) {
	within := make(map[int]bits) // of an edge that goes back: the All nodes of its loop
	var mark func(loops []loop)
	mark = func(loops []loop) {
		for i := range loops {
			all := newBits(count)
			for _, v := range loops[i].nodes {
				if j.number[v] >= 0 {
					all.set(j.number[v])
				}
			}
			for _, arc := range loops[i].back {
				within[arc] = all
			}
			mark(loops[i].inner)
		}
	}
	mark(loops)
	for v := range j.upstream {
		j.upstream[v] = newBits(count)
	}
	order := t.graph.forwardOrder(t.first)
	slices.Reverse(order)
	through := newBits(count)
	for again := true; again; {
		again = false
		for _, v := range order {
			for _, i := range t.graph.out(v) {
				to := t.graph.arcs[i].to
				copy(through, j.upstream[to])
				if j.number[to] >= 0 {
					through.set(j.number[to])
				}
				if all := within[i]; all != nil {
					through.remove(all)
				}
				if j.upstream[v].add(through) {
					again = true
				}
			}
		}
	}
}

// addLoops adds the loops that hold an All node, with what encloses them. Edges that go back in one of those are marked.
func (j *Joins) addLoops(t *topology, loops []loop, outer []int, back []bool) {
	for i := range loops {
		l := &loops[i]
		inside := outer
		for _, arc := range l.back {
			back[arc] = true
		}
		if slices.ContainsFunc(l.nodes, func(v int) bool { return j.number[v] >= 0 }) {
			at := len(j.loops)
			jl := joinLoop{body: newBits(len(j.number)), region: newBits(len(j.number)), outer: outer}
			for _, v := range l.nodes {
				jl.body.set(v)
			}
			t.addAncestors(jl.region, l.nodes, back)
			j.loops = append(j.loops, jl)
			for _, arc := range l.back {
				a := t.graph.arcs[arc]
				j.back[[2]int{a.from, a.to}] = at
			}
			inside = append(slices.Clone(outer), at)
		}
		j.addLoops(t, l.inner, inside, back)
		for _, arc := range l.back {
			back[arc] = false
		}
	}
}

// addAncestors adds nodes to a set, with all nodes that lead to them without marked edges.
func (t *topology) addAncestors(set bits, nodes []int, marked []bool) {
	todo := slices.Clone(nodes)
	for _, v := range nodes {
		set.set(v)
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range t.origin[v] {
			if from := t.graph.arcs[i].from; !marked[i] && !set.has(from) {
				set.set(from)
				todo = append(todo, from)
			}
		}
	}
}

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) set(i int) { b[i>>6] |= 1 << (i & 63) }

func (b bits) has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

// add puts all of other into b, and reports whether any of it is new.
func (b bits) add(other bits) (grown bool) {
	for i, w := range other {
		if b[i]|w != b[i] {
			b[i] |= w
			grown = true
		}
	}
	return grown
}

func (b bits) remove(other bits) {
	for i, w := range other {
		b[i] &^= w
	}
}
