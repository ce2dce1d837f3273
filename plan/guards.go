package plan

import (
	"fmt"
	"slices"
	"strings"
)

// guard says which choices have to be made before a node can run: for each gate that it depends on, which of its
// targets must have been chosen. A node whose guard names one gate with no target at all can never run.
type guard []condition // by gate

type condition struct {
	gate    int
	targets uint64 // one bit for each of the gate's targets, by its place
}

// mostTargets is how many targets a gate may have for its choices to be told apart.
const mostTargets = 64

// and is what has to be chosen for both of two things to happen.
func (g guard) and(other guard) guard {
	if len(g) == 0 {
		return other
	}
	if len(other) == 0 {
		return g
	}
	all := make(guard, 0, len(g)+len(other))
	for len(g) > 0 && len(other) > 0 {
		a, b := g[0], other[0]
		switch {
		case a.gate < b.gate:
			all, g = append(all, a), g[1:]
		case b.gate < a.gate:
			all, other = append(all, b), other[1:]
		default:
			all, g, other = append(all, condition{a.gate, a.targets & b.targets}), g[1:], other[1:]
		}
	}
	return append(append(all, g...), other...)
}

// or is what has to be chosen for one of two things to happen, as far as it can be told.
func (g guard) or(other guard) guard {
	var all guard
	for len(g) > 0 && len(other) > 0 {
		a, b := g[0], other[0]
		switch {
		case a.gate < b.gate:
			g = g[1:]
		case b.gate < a.gate:
			other = other[1:]
		default:
			all, g, other = append(all, condition{a.gate, a.targets | b.targets}), g[1:], other[1:]
		}
	}
	return all
}

// never is a gate that would have to choose two things at once; -1 for none.
func (g guard) never() int {
	for _, c := range g {
		if c.targets == 0 {
			return c.gate
		}
	}
	return -1
}

// excludes reports whether two things can never both happen by one decision of each gate.
func (g guard) excludes(other guard) bool { return g.and(other).never() >= 0 }

// exclusive finds what each node depends on, and reports values that two nodes may both write, and nodes that can never
// run (law D1).
func (w *wiring) exclusive() {
	w.guards = make([]guard, len(w.def.Nodes))
	w.guardAll()
	for w.again = true; w.guardAll(); { // decisions that lead back may let a node run that its forward gates have not chosen
	}
	for v := range w.def.Nodes {
		if gate := w.guards[v].never(); gate >= 0 && !w.neverAbove(v) {
			w.at(v, NeverRuns, "it can never run: it needs values that only different choices of gate %q bring", w.def.Nodes[gate].Name)
		}
	}
	for name, writers := range w.producers {
		if len(writers) > 1 {
			w.sole(name, writers)
		}
	}
}

// neverAbove reports whether a node cannot run because one that it depends on cannot.
func (w *wiring) neverAbove(v int) bool {
	return slices.ContainsFunc(w.origin[v], func(i int) bool {
		return !w.backward[i] && w.guards[w.arcs[i].from].never() >= 0
	})
}

// guardAll goes through the nodes once, in forward order, and reports whether any guard has become another one.
func (w *wiring) guardAll() (changed bool) {
	for _, v := range w.flow.order {
		g := w.byGates(v)
		for k, name := range w.flow.Nodes[v].In {
			if w.need[v][k] {
				g = g.and(w.byValue(v, name))
			}
		}
		if !slices.Equal(g, w.guards[v]) {
			w.guards[v], changed = g, true
		}
	}
	return changed
}

// byGates is what has to be chosen for the gates to let a node run.
func (w *wiring) byGates(v int) guard {
	var some guard
	gated := false
	for _, i := range w.origin[v] {
		if w.carries[i] >= 0 || w.backward[i] {
			continue
		}
		g := w.chosen(w.arcs[i].from, v)
		if gated {
			g = g.or(some)
		}
		some, gated = g, true
	}
	if !gated {
		return nil
	}
	for _, i := range w.origin[v] {
		if w.carries[i] < 0 && w.backward[i] && w.again {
			some = some.or(w.guards[w.arcs[i].from])
		}
	}
	return some
}

// chosen is what has to be chosen for a gate to choose a target.
func (w *wiring) chosen(gate, target int) guard {
	g := w.guards[gate]
	if w.def.Nodes[gate].RouteMany != nil || len(w.flow.Nodes[gate].Targets) > mostTargets {
		return g
	}
	for k, t := range w.flow.Nodes[gate].Targets {
		if t.To == target {
			return g.and(guard{{gate, 1 << k}})
		}
	}
	return g
}

// byValue is what has to be chosen for a required value to be there.
func (w *wiring) byValue(v, name int) guard {
	var some guard
	found := false
	if w.seeded(name) {
		return nil
	}
	for _, p := range w.producers[name] {
		if p == v || w.flow.closed[p] {
			return nil
		}
		g := w.guards[p]
		if found {
			g = g.or(some)
		}
		some, found = g, true
	}
	return some
}

// sole reports nodes that write the same value and may both run.
func (w *wiring) sole(name int, writers []int) {
	for i, p := range writers {
		for _, q := range writers[:i] {
			if w.guards[p].excludes(w.guards[q]) {
				continue
			}
			w.at(p, Conflict, "it writes %q, and so does %q: two nodes may write one value only when a gate chooses between them%s",
				w.flow.Names[name], w.def.Nodes[q].Name, w.whyBoth(p, q))
			return
		}
	}
}

// whyBoth says what the gates of two nodes have to do with each other.
func (w *wiring) whyBoth(p, q int) string {
	for _, i := range w.origin[p] {
		gate := w.arcs[i].from
		if w.carries[i] >= 0 || w.def.Nodes[gate].RouteMany == nil {
			continue
		}
		for _, k := range w.origin[q] {
			if w.carries[k] < 0 && w.arcs[k].from == gate {
				return fmt.Sprintf("; gate %q may choose both", w.def.Nodes[gate].Name)
			}
		}
	}
	if len(w.guards[p]) == 0 && len(w.guards[q]) == 0 {
		return ", and no gate does"
	}
	var gates []string
	for _, c := range w.guards[p] {
		gates = append(gates, fmt.Sprintf("%q", w.def.Nodes[c.gate].Name))
	}
	if len(gates) == 0 {
		return fmt.Sprintf("; %q runs always", w.def.Nodes[p].Name)
	}
	return fmt.Sprintf("; %q depends on %s", w.def.Nodes[p].Name, strings.Join(gates, ", "))
}
