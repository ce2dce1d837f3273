package plan

// mustEnd reports a loop without an exit: its gates can only choose another round (law G7).
func (w *wiring) mustEnd(l *loop) {
	if w.ways == nil {
		w.ways = make(map[string]int)
		for _, e := range w.def.Edges {
			if e.Kind == Choice { // a loop that only a failure ends does not end
				w.ways[e.From]++
			}
		}
	}
	var gates []int
	for _, i := range l.back {
		gate := w.arcs[i].from
		switch {
		case w.carries[i] >= 0:
			continue
		case w.ways[w.def.Nodes[gate].Name] > 1, w.decidedOn(gate, func(v int) bool { return v != gate && l.holds(v) }):
			return // it chooses something else, or is not chosen itself
		}
		gates = append(gates, gate)
	}
	if len(gates) > 0 {
		w.at(l.nodes[0], Endless, "the loop %s never ends: gate %s can choose nothing but another round; let it choose END, too",
			w.ring(l.nodes[0], l.holds), list(w.def.names(gates)))
	}
}
