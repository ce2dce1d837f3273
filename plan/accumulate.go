package plan

import "slices"

// readBack takes away edges that nobody needs to wait for: in a loop at which no round could begin, a value that is
// accumulated (who writes it also reads it) is read, and not waited for, by the nodes that its writer follows from, as it is by
// its writer (law D2). What such a node is given is what the round before has left, whatever is faster: see sortForward for
// those that their writers only follow from by way of another round. It reports whether there were such edges; the loops are
// then to be found anew.
func (w *wiring) readBack() bool {
	var drop []bool
	w.flow.heads(w.flow.loops, func(l *loop, _ int) {
		if len(l.heads) > 0 {
			return
		}
		for _, v := range l.nodes {
			drop = w.readBackBy(v, l, drop)
		}
	}, 0)
	if drop == nil {
		return false
	}
	arcs, carries := w.arcs[:0], w.carries[:0]
	for v := range w.origin {
		w.origin[v] = w.origin[v][:0]
	}
	for i, a := range w.arcs {
		if drop[i] {
			w.read = append(w.read, carried{a, w.carries[i]})
			continue
		}
		w.origin[a.to] = append(w.origin[a.to], len(arcs))
		arcs, carries = append(arcs, a), append(carries, w.carries[i])
	}
	w.arcs, w.carries = arcs, carries
	w.layOutArcs()
	return true
}

// readBackBy marks the edges into a node of a loop that carry what is accumulated behind it.
func (w *wiring) readBackBy(v int, l *loop, drop []bool) []bool {
	inside := func(v int) bool { _, ok := slices.BinarySearch(l.nodes, v); return ok }
	var behind map[int]bool
	for _, i := range w.origin[v] {
		from := w.arcs[i].from
		if w.carries[i] < 0 || !inside(from) || !w.seeded(w.carries[i]) {
			continue
		}
		if behind == nil {
			behind = w.behind(v, inside)
		}
		if behind[from] {
			if drop == nil {
				drop = make([]bool, len(w.arcs))
			}
			drop[i] = true
		}
	}
	return drop
}

// behind are the nodes among some that follow from a node, other than by values that are accumulated.
func (w *wiring) behind(v int, inside func(v int) bool) map[int]bool {
	seen := make(map[int]bool)
	for todo := []int{v}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range w.graph.out(at) {
			to, name := w.arcs[i].to, w.carries[i]
			if inside(to) && !seen[to] && (name < 0 || !w.seeded(name)) {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}
