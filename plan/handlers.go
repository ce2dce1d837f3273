package plan

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/node"
)

// What an arc of a dataflow carries that carries no value.
const (
	aChoice  = -1 // the decision of a gate
	aFailure = -2 // the failure of a node, to its handler (law D14)
)

// handlers notes where the failures of nodes lead (law D14). For all that follows, a node whose failure is handled is a gate that
// chooses the handler when it fails, and nothing when it succeeds.
func (w *wiring) handlers() {
	w.fallible = make([]bool, len(w.def.Nodes))
	for i, e := range w.def.Edges {
		if e.Kind != Failure {
			continue
		}
		before := len(w.problems)
		if w.ends(i); e.To == node.Stop {
			w.on(i, BadEdge, "a failure cannot stop the run of a dataflow; without an error edge it fails it")
		}
		if len(w.problems) > before {
			continue
		}
		from := w.index[e.From]
		w.fallible[from] = true
		to, ok := w.index[e.To]
		if !ok {
			continue // to the end: nothing handles it, and what waits is skipped
		}
		g := &w.flow.Nodes[from]
		k := slices.IndexFunc(g.Targets, func(a Aimed) bool { return a.To == to })
		switch {
		case to == from:
			w.on(i, BadEdge, "a node cannot handle its own failure; let it retry, or name another node")
		case k >= 0 && g.Targets[k].Failure:
			w.on(i, DuplicateEdge, "the failure leads there already; once is enough")
		case k >= 0:
			w.on(i, BadEdge, "the gate also chooses this node, which could not tell a choice from a failure; name another node as the handler")
		default:
			g.Targets = append(g.Targets, Aimed{Name: e.To, To: to, Failure: true})
		}
	}
}

// handledBefore reports an error edge that leads back.
func (w *wiring) handledBefore(i int) {
	a := w.arcs[i]
	w.at(a.from, BadEdge, "its failure leads back to %q, at which the rounds of a loop begin; let a gate that handles the failure lead back",
		w.def.Nodes[a.to].Name)
}

// throughFailure adds to what is said of a loop without a gate that failures are no way round.
func (w *wiring) throughFailure(l *loop) string {
	for i, a := range w.arcs {
		if w.carries[i] == aFailure && l.holds(a.from) && l.holds(a.to) {
			return fmt.Sprintf("; %q handles the failure of %q and comes before it, so let a gate that handles it lead back",
				w.def.Nodes[a.to].Name, w.def.Nodes[a.from].Name)
		}
	}
	return ""
}

// decidedOn reports whether a gate among some nodes can choose a node, or the failure of one of them leads to it.
func (w *wiring) decidedOn(v int, inside func(v int) bool) bool {
	return slices.ContainsFunc(w.origin[v], func(i int) bool { return w.carries[i] < 0 && inside(w.arcs[i].from) })
}

// brings is what has to be chosen for a node to bring its values: it runs, and does not fail.
func (w *wiring) brings(v int) guard { return w.guards[v].and(w.succeeds(v)) }

// succeeds is that a node does not fail, where that keeps its handlers from running.
func (w *wiring) succeeds(v int) guard {
	targets := w.flow.Nodes[v].Targets
	if !w.fallible[v] || w.def.Nodes[v].RouteMany != nil || len(targets) >= mostTargets {
		return nil
	}
	bits := uint64(1) << len(targets) // it chooses nothing
	for k, t := range targets {
		if !t.Failure {
			bits |= 1 << k
		}
	}
	return guard{{v, bits}}
}

// outcomes says what cannot happen at once.
func (w *wiring) outcomes(v int) string {
	if w.fallible[v] {
		return fmt.Sprintf("outcomes of %q bring, which succeeds or fails", w.def.Nodes[v].Name)
	}
	return fmt.Sprintf("choices of gate %q bring", w.def.Nodes[v].Name)
}

// handlesMany says that a node handles the failures of several nodes, "" if it does not: each of the others may succeed.
func (w *wiring) handlesMany(v int) string {
	var of []string
	for _, i := range w.origin[v] {
		if w.carries[i] == aFailure {
			of = append(of, w.def.Nodes[w.arcs[i].from].Name)
		}
	}
	if len(of) < 2 {
		return ""
	}
	return fmt.Sprintf("; %q handles the failures of %s, and one of them may fail where another one does not: give each a handler of its own",
		w.def.Nodes[v].Name, list(of))
}

// handles reports whether a node handles the failure of another one.
func (d *Dataflow) handles(v, of int) bool {
	return slices.ContainsFunc(d.Nodes[of].Targets, func(t Aimed) bool { return t.To == v && t.Failure })
}
