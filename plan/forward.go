package plan

import "slices"

// carried is an edge and the value that it carries.
type carried struct {
	arc
	name int
}

// sortForward orders the nodes along forward edges. Where a value leads back, or is accumulated, from a node that does not
// follow from its reader, the reader waits for that node all the same: it may start by itself, at the same time, and what is
// read would depend on who is faster.
func (w *wiring) sortForward() {
	back := slices.Clip(w.read)
	var arcs []arc
	for i, a := range w.arcs {
		switch {
		case !w.backward[i]:
			arcs = append(arcs, a)
		case w.carries[i] >= 0:
			back = append(back, carried{a, w.carries[i]})
		}
	}
	ahead := newDigraph(len(w.def.Nodes), arcs)
	after := make(map[int][]bool)
	for _, c := range back {
		if after[c.to] == nil {
			after[c.to] = ahead.reachable([]int{c.to})
		}
		if !after[c.to][c.from] {
			arcs = append(arcs, c.arc)
		} else {
			w.late = append(w.late, c)
		}
	}
	w.forward = newDigraph(len(w.def.Nodes), arcs)
	var done bool
	if w.flow.order, done = w.forward.topological(); !done {
		left := make([]bool, len(w.def.Nodes))
		for _, v := range w.flow.order {
			left[v] = true
		}
		v := slices.Index(left, false)
		w.at(v, NoHead, "it is in loops that wait for each other to begin; let one of them begin with a value of its own: give it a default, or name an entry")
		for _, c := range back {
			if !left[c.from] && !left[c.to] {
				w.last().Port = w.flow.Names[c.name]
				break
			}
		}
	}
}

// lateHeads reports nodes whose inputs may only come from nodes that follow them. They would begin in the
// middle of a round (law D4: a head can start without the loop).
func (w *wiring) lateHeads() {
	for _, back := range w.late {
		if !slices.Contains(w.flow.Nodes[back.to].Needs, back.name) {
			continue
		}
		for _, i := range w.origin[back.to] {
			if w.carries[i] == back.name && !w.backward[i] {
				name := w.flow.Names[back.name]
				w.at(back.to, NoHead, "it needs %q, which %q writes before it, and %q, which follows from it: where a gate chooses the second, "+
					"it waits for itself; let the second write another value, or give %q a default",
					name, w.def.Nodes[w.arcs[i].from].Name, w.def.Nodes[back.from].Name, name)
				w.last().Port = name
				break
			}
		}
	}
}

// topological orders the nodes topologically, smaller numbers first among equals. done is false for a cycle,
// whose nodes are left out.
func (g *digraph) topological() (order []int, done bool) {
	left := make([]int, g.n)
	for _, a := range g.arcs {
		left[a.to]++
	}
	order = make([]int, 0, g.n)
	for v := range g.n {
		if left[v] == 0 {
			order = append(order, v)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, at := range g.out(order[i]) {
			to := g.arcs[at].to
			if left[to]--; left[to] == 0 {
				order = append(order, to)
			}
		}
	}
	return order, len(order) == g.n
}
