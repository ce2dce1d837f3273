package plan

// readBack removes edges of accumulated values that nobody needs to wait for (law D2). It applies in a loop in
// which no round could begin. A value that its writer also reads is then read without waiting by nodes that
// precede the writer. Such a node gets the value of the round before, whatever is faster. For nodes that
// precede their writer only by another round, see sortForward. It reports whether it removed edges; then the
// loops have to be computed again.
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
	var behind map[int]bool
	for _, i := range w.origin[v] {
		from := w.arcs[i].from
		if w.carries[i] < 0 || !l.holds(from) || !w.seeded(w.carries[i]) {
			continue
		}
		if behind == nil {
			behind = w.behind(v, l.holds)
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
