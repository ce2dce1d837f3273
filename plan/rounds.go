package plan

import (
	"fmt"
	"slices"
)

// rounds finds nodes that may run in the same round of a loop. Earlier choices say little about that: values of
// earlier rounds are still there, so a node also runs because one of its inputs is new (law D5). A choice
// separates two nodes in every round only if each follows from its own target of the gate alone.
type rounds struct {
	*wiring
	heads  []int
	guards [][]guard // by head, nil for those not asked for yet: what has to be chosen for a node to run in its rounds
	within [][]bool  // by head: the nodes that may run in its rounds
	sure   []bool    // nodes that have run before any round begins
	kept   []guard   // by gate: what holds of the last choices as long as it has a decision that nothing was begun for
	before [][]bool  // by gate, nil for those not asked for yet: the nodes that must have run when it runs
}

func (w *wiring) newRounds() *rounds {
	n := len(w.def.Nodes)
	r := &rounds{wiring: w, sure: make([]bool, n), kept: make([]guard, n), before: make([][]bool, n)}
	w.flow.heads(w.flow.loops, func(l *loop, _ int) { r.heads = append(r.heads, l.heads[0]) }, 0)
	w.again = w.forward.reachable(r.heads)
	for _, v := range w.flow.order {
		r.sure[v] = !w.gated(v) && !w.flow.closed[v] && !slices.ContainsFunc(w.flow.Nodes[v].Needs, func(name int) bool {
			return r.mayLack(v, name, func(from int) bool { return r.sure[from] })
		})
		r.kept[v] = r.keeps(v)
	}
	r.guards, r.within = make([][]guard, len(r.heads)), make([][]bool, len(r.heads))
	return r
}

// mayLack reports whether a node's required value may be missing, given nodes that have run.
func (r *rounds) mayLack(v, name int, ran func(from int) bool) bool {
	comes := false
	for _, i := range r.origin[v] {
		if from := r.arcs[i].from; r.carries[i] == name && !r.backward[i] {
			if ran(from) && r.def.Nodes[from].Sub == nil && !r.fallible[from] { // what is in a subgraph may bring no value, nor what fails
				return false
			}
			comes = true
		}
	}
	return comes // else it is given to the run
}

// gated reports whether a forward gate controls a node.
func (w *wiring) gated(v int) bool {
	return slices.ContainsFunc(w.origin[v], func(i int) bool { return w.carries[i] < 0 && !w.backward[i] })
}

// apart reports whether two nodes never run in one round. If they may, it names the head of the loop, and which
// of them runs in any case.
func (r *rounds) apart(p, q int) (is bool, head, any int) {
	if r.chosenByOne(p, q) {
		return true, 0, 0
	}
	for k, h := range r.heads {
		if r.guards[k] == nil {
			r.guards[k], r.within[k] = r.inRounds(h)
		}
		if !r.within[k][p] || !r.within[k][q] {
			continue
		}
		a, b := r.guards[k][p].and(r.forGood(p)).and(r.succeeds(p)), r.guards[k][q].and(r.forGood(q)).and(r.succeeds(q))
		switch {
		case a.excludes(b):
		case a.excludes(r.brings(q)):
			return false, h, q
		default:
			return false, h, p
		}
	}
	return true, 0, 0
}

// chosenByOne reports whether one gate alone chooses between two nodes: its last choice cannot be both.
func (r *rounds) chosenByOne(p, q int) bool {
	a, b := r.over(p), r.over(q)
	return len(a) == 1 && slices.Equal(a, b) && r.gated(p) && r.gated(q) && r.choice(a[0], p) != nil
}

// forGood is what must have been chosen by the gates that decide once, for a node ever to run.
func (r *rounds) forGood(v int) guard {
	return slices.DeleteFunc(slices.Clone(r.wiring.guards[v]), func(c condition) bool { return c.gate >= 0 && r.again[c.gate] })
}

// inRounds finds what has to be chosen for each node to run in a round that begins at a head.
func (r *rounds) inRounds(head int) (guards []guard, within []bool) {
	within = r.forward.reachable([]int{head})
	guards = make([]guard, len(r.def.Nodes))
	for v := range guards {
		guards[v] = impossible
	}
	guards[head] = nil
	for again := true; again; {
		again = false
		for _, v := range r.flow.order {
			if v == head || !within[v] {
				continue
			}
			if g := r.shortest(r.begins(guards, v)); !slices.Equal(g, guards[v]) {
				guards[v], again = g, true
			}
		}
	}
	return guards, within
}

// begins is what has to be chosen for a node to run, as far as those of others are known.
func (r *rounds) begins(guards []guard, v int) guard {
	some := impossible
	for _, i := range r.origin[v] {
		from, name := r.arcs[i].from, r.carries[i]
		switch {
		case name < 0 && !r.backward[i]:
			some = some.or(r.byGate(guards, from, v))
		case name < 0 || r.gated(v):
		case !r.backward[i] || slices.Contains(r.flow.Nodes[v].Needs, name):
			some = some.or(guards[from].and(r.succeeds(from)))
		}
	}
	return some
}

// byGate is what has to be chosen for a node to run that a gate chooses. It runs once the gate has decided, or later, once a
// value comes that it lacked.
func (r *rounds) byGate(guards []guard, gate, v int) guard {
	if r.before[gate] == nil {
		r.before[gate] = r.findBefore(gate)
	}
	some, ran := guards[gate], r.before[gate]
	for _, name := range r.flow.Nodes[v].Needs {
		if !r.mayLack(v, name, func(from int) bool { return ran[from] || r.sure[from] }) {
			continue
		}
		for _, i := range r.origin[v] {
			if r.carries[i] == name {
				from := r.arcs[i].from
				some = some.or(guards[from].and(r.succeeds(from)))
			}
		}
	}
	return some.and(r.kept[gate]).and(r.choice(gate, v))
}

// keeps is what holds of the last choices as long as a gate has a decision that nothing was begun for: it loses it when
// gates over it choose anew, and not it (law D8).
func (r *rounds) keeps(gate int) guard {
	some := impossible
	for _, i := range r.origin[gate] {
		switch from := r.arcs[i].from; {
		case r.carries[i] >= 0:
		case r.backward[i]:
			return nil
		default:
			some = some.or(r.kept[from].and(r.choice(from, gate)))
		}
	}
	if some.never() {
		return nil
	}
	return some
}

// findBefore marks the nodes that must have run when a node runs: those that alone write what it needs, the only gate over it,
// and so on.
func (r *rounds) findBefore(v int) []bool {
	ran := make([]bool, len(r.def.Nodes))
	for todo := []int{v}; len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if ran[v] {
			continue
		}
		ran[v] = true
		for _, name := range r.flow.Nodes[v].Needs {
			if from := r.producers[name]; len(from) == 1 && !r.given[name] && !r.flow.closed[from[0]] && r.comes(v, name) {
				todo = append(todo, from[0])
			}
		}
		if from := r.over(v); len(from) == 1 && r.gated(v) {
			todo = append(todo, from[0])
		}
	}
	return ran
}

// comes reports whether a value comes to a node along a forward edge.
func (r *rounds) comes(v, name int) bool {
	return slices.ContainsFunc(r.origin[v], func(i int) bool { return r.carries[i] == name && !r.backward[i] })
}

// over are the gates that choose a node, those that lead back among them.
func (r *rounds) over(v int) (gates []int) {
	for _, i := range r.origin[v] {
		if r.carries[i] < 0 {
			gates = append(gates, r.arcs[i].from)
		}
	}
	return gates
}

// whyTogether says how two nodes that a gate keeps apart at first come to run in one round.
func (r *rounds) whyTogether(head, v int) string {
	return fmt.Sprintf(". In the rounds of the loop that begins at %q, %q also runs for values that are new whatever is chosen: "+
		"let all that it reads come through what the gate chooses, or let it write another value", r.def.Nodes[head].Name, r.def.Nodes[v].Name)
}
