package plan

import "slices"

// layout says where Text draws each node of one plan: under the node that every way to it leads through.
type layout struct {
	graph *digraph
	rank  []int   // position in a topological order of the forward arcs, or -1
	above []int   // immediate dominator; of the first node, itself
	below [][]int // the nodes that each node dominates immediately, by rank
	entry []int   // how many forward arcs lead to each node
}

// newLayout ranks the nodes and finds their dominators. Every node must be reachable from first.
func newLayout(g *digraph, first int) *layout {
	l := &layout{
		graph: g, rank: make([]int, g.n), above: make([]int, g.n), below: make([][]int, g.n), entry: make([]int, g.n),
	}
	order := l.order(first)
	into := make([][]int, g.n)
	for _, a := range g.arcs {
		into[a.to] = append(into[a.to], a.from)
		if l.forward(a) {
			l.entry[a.to]++
		}
	}
	l.dominators(order, into)
	for _, v := range order[1:] {
		l.below[l.above[v]] = append(l.below[l.above[v]], v)
	}
	return l
}

// forward reports whether an arc leads on. All others lead back, to where a drawing has been already.
func (l *layout) forward(a arc) bool { return l.rank[a.from] < l.rank[a.to] }

// order ranks the nodes by a depth-first search: in reverse order of completion. Arcs are followed last to first, so
// that the targets of a node come out in declared order.
func (l *layout) order(first int) []int {
	for v := range l.rank {
		l.rank[v] = -1
	}
	seen := make([]bool, l.graph.n)
	left := make([]int, l.graph.n)
	for v := range left {
		left[v] = len(l.graph.out(v))
	}
	var done []int
	seen[first] = true
	for path := []int{first}; len(path) > 0; {
		v := path[len(path)-1]
		if left[v] == 0 {
			done = append(done, v)
			path = path[:len(path)-1]
			continue
		}
		left[v]--
		if w := l.graph.arcs[l.graph.out(v)[left[v]]].to; !seen[w] {
			seen[w] = true
			path = append(path, w)
		}
	}
	slices.Reverse(done)
	for rank, v := range done {
		l.rank[v] = rank
	}
	return done
}

// dominators finds, for every node, the last node that all ways to it lead through. It starts from a guess and mends
// it until nothing changes; for graphs without loops that are entered in two places one pass is enough.
func (l *layout) dominators(order []int, into [][]int) {
	for v := range l.above {
		l.above[v] = -1
	}
	l.above[order[0]] = order[0]
	for changed := true; changed; {
		changed = false
		for _, v := range order[1:] {
			above := -1
			for _, u := range into[v] {
				switch {
				case l.above[u] < 0:
				case above < 0:
					above = u
				default:
					above = l.meet(above, u)
				}
			}
			if l.above[v] != above {
				l.above[v], changed = above, true
			}
		}
	}
}

// meet is the last node that the ways to both nodes have in common.
func (l *layout) meet(a, b int) int {
	for a != b {
		for l.rank[a] > l.rank[b] {
			a = l.above[a]
		}
		for l.rank[b] > l.rank[a] {
			b = l.above[b]
		}
	}
	return a
}
