package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// guard says which choices have to be made before a node can run: for each gate that it depends on, which of its
// targets must have been chosen. Where there is a gate with no target at all, that is never: one guard stands for it.
type guard []condition // by gate

type condition struct {
	gate    int
	targets uint64 // one bit for each of the gate's targets, by its place
}

// mostTargets is how many targets a gate may have for its choices to be told apart.
const mostTargets = 64

// impossible is the guard of what can never happen.
var impossible = guard{{gate: -1}}

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
	if g.never() {
		return other
	}
	if other.never() {
		return g
	}
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

// never reports whether a gate would have to choose two things at once.
func (g guard) never() bool {
	return slices.ContainsFunc(g, func(c condition) bool { return c.targets == 0 })
}

// excludes reports whether two things can never both happen by one decision of each gate.
func (g guard) excludes(other guard) bool { return g.and(other).never() }

// exclusive computes the guards of all nodes. It reports values that two nodes may both write, and nodes that
// can never run (law D1).
func (w *wiring) exclusive() {
	w.findFull()
	r := w.newRounds()
	w.guards = make([]guard, len(w.def.Nodes))
	for v := range w.guards {
		w.guards[v] = impossible
	}
	for w.guardAll() { // what leads back may let a node run that nothing before it lets run
	}
	for v := range w.def.Nodes {
		if !w.guards[v].never() || w.neverAbove(v) {
			continue
		}
		for _, c := range w.guardOf(v) {
			if c.targets == 0 && c.gate >= 0 {
				w.at(v, NeverRuns, "it can never run: it needs values that only different %s", w.outcomes(c.gate))
				break
			}
		}
	}
	for name, writers := range w.producers {
		if len(writers) > 1 {
			w.sole(r, name, writers)
		}
	}
}

// neverAbove reports whether a node cannot run because one that it depends on cannot.
func (w *wiring) neverAbove(v int) bool {
	return slices.ContainsFunc(w.origin[v], func(i int) bool {
		return !w.backward[i] && w.guards[w.arcs[i].from].never()
	})
}

// shortest returns a guard in its shortest form. It drops gates whose every choice satisfies the guard, and
// recognizes impossible guards.
func (w *wiring) shortest(g guard) guard {
	if g.never() {
		return impossible
	}
	all := func(c condition) bool { return w.full[c.gate] != 0 && c.targets&w.full[c.gate] == w.full[c.gate] }
	if slices.ContainsFunc(g, all) {
		return slices.DeleteFunc(slices.Clone(g), all)
	}
	return g
}

// findFull finds the targets of gates that cannot choose END, and the outcomes of nodes whose failures are handled.
func (w *wiring) findFull() {
	w.full = make([]uint64, len(w.def.Nodes))
	for v := range w.flow.Nodes {
		if n := len(w.flow.Nodes[v].Targets); n > 0 && n < mostTargets {
			if w.full[v] = 1<<n - 1; !w.def.Nodes[v].Gate() {
				w.full[v] |= 1 << n // it succeeds
			}
		}
	}
	for _, e := range w.def.Edges {
		if e.To == node.End {
			w.full[w.index[e.From]] = 0
		}
	}
}

// guardAll computes all guards once, in forward order, and reports whether any has changed. Guards only become
// weaker, so repeating it ends.
func (w *wiring) guardAll() (changed bool) {
	for _, v := range w.flow.order {
		if g := w.shortest(w.guardOf(v)); !slices.Equal(g, w.guards[v]) {
			w.guards[v], changed = g, true
		}
	}
	return changed
}

// guardOf returns the guard of a node, from the known guards of others. An input may be from an earlier round,
// in which gates had chosen otherwise. For gates that decide again, only their choice of the node counts.
func (w *wiring) guardOf(v int) guard {
	var values guard
	for k, name := range w.flow.Nodes[v].In {
		if w.need[v][k] {
			values = values.and(w.byValue(v, name))
		}
	}
	if over := w.above(v, nil); len(over) > 0 {
		values = slices.DeleteFunc(slices.Clone(values), func(c condition) bool {
			return slices.Contains(over, c.gate) && w.again[c.gate]
		})
	}
	return w.byGates(v).and(values)
}

// above adds the gates that control a node along forward edges, those that control them, and so on.
func (w *wiring) above(v int, gates []int) []int {
	for _, i := range w.origin[v] {
		if from := w.arcs[i].from; w.carries[i] < 0 && !w.backward[i] && !slices.Contains(gates, from) {
			gates = w.above(from, append(gates, from))
		}
	}
	return gates
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
		if w.carries[i] < 0 && w.backward[i] {
			some = some.or(w.guards[w.arcs[i].from])
		}
	}
	return some
}

// chosen is what has to be chosen for a gate to choose a target.
func (w *wiring) chosen(gate, target int) guard { return w.guards[gate].and(w.choice(gate, target)) }

// choice is that a gate chooses a target, where that keeps it from choosing others.
func (w *wiring) choice(gate, target int) guard {
	if w.def.Nodes[gate].RouteMany != nil || len(w.flow.Nodes[gate].Targets) >= mostTargets {
		return nil
	}
	for k, t := range w.flow.Nodes[gate].Targets {
		if t.To == target {
			return guard{{gate, 1 << k}}
		}
	}
	return nil
}

// byValue is what has to be chosen for a required value to be there. One that a run is given is always there, or may be.
func (w *wiring) byValue(v, name int) guard {
	if w.given[name] {
		return nil
	}
	some := impossible
	for _, i := range w.origin[v] {
		if w.carries[i] == name {
			if w.flow.closed[w.arcs[i].from] {
				return nil
			}
			some = some.or(w.brings(w.arcs[i].from))
		}
	}
	return some
}

// sole reports nodes that write the same value and may both run.
func (w *wiring) sole(r *rounds, name int, writers []int) {
	for i, p := range writers {
		for _, q := range writers[:i] {
			var why string
			if !w.brings(p).excludes(w.brings(q)) {
				why = w.whyBoth(p, q)
			} else if is, head, v := r.apart(p, q); !is {
				why = r.whyTogether(head, v)
			} else {
				continue
			}
			w.at(p, Conflict, "it writes %q, and so does %q: two nodes may write one value only when a gate chooses between them%s",
				w.flow.Names[name], w.def.Nodes[q].Name, why)
			w.last().Port = w.flow.Names[name]
			return
		}
	}
}

// whyBoth says what the gates of two nodes have to do with each other.
func (w *wiring) whyBoth(p, q int) string {
	for _, v := range []int{p, q} {
		if text := w.handlesMany(v); text != "" {
			return text
		}
	}
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
