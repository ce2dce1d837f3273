package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Wire finds the edges of a dataflow, from writers of values to their readers (law D1). It also computes what follows
// from them. It needs of the definition its Name, the Nodes with their Flow, the choice edges of gates, the failure edges,
// and in Entry the nodes that a run begins at; without entries it begins wherever there is something to do. It reports every problem
// at once, as an [*Error].
//
// Set the result as Definition.Dataflow, which makes the definition one of a dataflow.
func Wire(def Definition) (*Dataflow, error) {
	w := &wiring{checker: &checker{def: &def, index: make(map[string]int, len(def.Nodes))}, names: make(map[string]int)}
	for i := range def.Nodes {
		w.checker.names = append(w.checker.names, def.Nodes[i].Name)
		w.name(i)
	}
	w.ports()
	w.choices()
	if len(w.problems) == 0 {
		w.connect()
		w.findLoops()
	}
	if len(w.problems) == 0 {
		w.sortForward()
	}
	if len(w.problems) == 0 {
		w.close()
		w.inputs()
		w.exclusive()
	}
	if len(w.problems) == 0 {
		w.lateHeads()
		w.finish()
	}
	if len(w.problems) > 0 {
		sortProblems(w.problems)
		return nil, &Error{Plan: def.Name, Problems: w.problems}
	}
	if w.flow.Concurrency = def.Concurrency; def.Concurrency == 0 {
		w.flow.Concurrency = DefaultConcurrency
	}
	return &w.flow, nil
}

// wiring is the analysis of one dataflow.
type wiring struct {
	*checker
	flow  Dataflow       // the result
	names map[string]int // by name: its number
	portTable
	arcTable
	guardTable
	first   []int     // nodes that a run begins at, by Definition.Entry
	forward *digraph  // graph without backward arcs
	read    []carried // values that are accumulated and read without waiting (law D2)
	late    []carried // values that lead back to a node from its successors
	again   []bool    // by node: it may run in several rounds
}

// portTable numbers the values of a dataflow.
type portTable struct {
	producers [][]int  // by name: the nodes that write it
	consumers [][]int  // by name: the nodes that read it, each once
	need      [][]bool // by node: which of its inputs are required
	given     []bool   // by name: a run may be given it
}

// arcTable holds the arcs between nodes: values and decisions.
type arcTable struct {
	arcs     []arc    // by index
	carries  []int    // by arc: the value that it carries, aChoice or aFailure
	graph    *digraph // of all arcs
	origin   [][]int  // by node: the arcs that lead to it
	backward []bool   // by arc: it leads to a later round
	level    []int    // by backward arc: how many loops are around its loop
}

// guardTable says which choices of gates lead to each node.
type guardTable struct {
	guards []guard        // by node
	ways   map[string]int // by gate: how many choices it has
	full   []uint64       // by gate: all its targets, if it has to choose one of them

	fallible []bool // by node: its failure does not fail the run (law D14)
}

// last is the problem that was found last.
func (w *wiring) last() *Problem { return &w.problems[len(w.problems)-1] }

// ports numbers the values, and notes who reads and writes them.
func (w *wiring) ports() {
	w.flow.Nodes = make([]Wired, len(w.def.Nodes))
	w.need = make([][]bool, len(w.def.Nodes))
	for i := range w.def.Nodes {
		f, at := w.def.Nodes[i].Flow, &w.flow.Nodes[i]
		if f == nil {
			w.at(i, BadNode, "it has no ports, and the plan is a dataflow")
			continue
		}
		for _, p := range f.Inputs {
			n := w.number(i, p)
			if slices.Contains(at.In, n) {
				w.at(i, BadPort, "it reads %q twice", p.Name)
				w.last().Port = p.Name
			}
			at.In = append(at.In, n)
			w.need[i] = append(w.need[i], !p.Optional)
			if !p.Optional {
				at.Needs = append(at.Needs, n)
			}
			w.consumers[n] = append(w.consumers[n], i)
		}
		for _, p := range f.Outputs {
			n := w.number(i, p)
			if slices.Contains(at.Out, n) {
				w.at(i, BadPort, "it writes %q twice", p.Name)
				w.last().Port = p.Name
			}
			at.Out = append(at.Out, n)
			w.producers[n] = append(w.producers[n], i)
		}
		at.Region = -1
	}
}

func (w *wiring) number(node int, p Port) int {
	if fault := nameFault(p.Name, "/#."); fault != "" {
		w.at(node, BadPort, "the name of a value that it reads or writes %s", fault)
		w.last().Port = p.Name
	}
	n, ok := w.names[p.Name]
	if !ok {
		n = len(w.flow.Names)
		w.names[p.Name] = n
		w.flow.Names = append(w.flow.Names, p.Name)
		w.producers, w.consumers = append(w.producers, nil), append(w.consumers, nil)
	}
	return n
}

// choices notes where decisions lead.
func (w *wiring) choices() {
	for i, e := range w.def.Edges {
		switch e.Kind {
		case Choice:
		case Failure:
			continue // see handlers
		default:
			w.on(i, BadEdge, "its kind is %q; the edges of a dataflow follow from what its nodes read and write, and only choices and failures are declared", e.Kind)
			continue
		}
		before := len(w.problems)
		w.ends(i)
		if len(w.problems) > before {
			continue
		}
		from := w.index[e.From]
		if !w.def.Nodes[from].Gate() {
			w.on(i, BadGate, "nobody takes this choice: the node has no Route")
		}
		if to, ok := w.index[e.To]; ok {
			g := &w.flow.Nodes[from]
			if slices.ContainsFunc(g.Targets, func(a Aimed) bool { return a.To == to }) {
				w.on(i, DuplicateEdge, "the gate declares this target twice; once is enough")
				continue
			}
			g.Targets = append(g.Targets, Aimed{Name: e.To, To: to})
		}
	}
	w.handlers()
	for i, name := range w.def.Entry {
		at, ok := w.index[name]
		switch {
		case !ok:
			w.plan(BadEntry, "the entry is not known: %s", w.unknown(name))
			w.meant(name)
		case slices.Contains(w.def.Entry[:i], name):
			w.plan(BadEntry, "the entry %q is named twice; once is enough", name)
		default:
			w.first = append(w.first, at)
		}
	}
}

// connect makes the edges: values first, then decisions. A value that a node reads and writes itself is read, not
// waited for (law D2).
func (w *wiring) connect() {
	w.origin = make([][]int, len(w.def.Nodes))
	add := func(from, to, name int) {
		w.origin[to] = append(w.origin[to], len(w.arcs))
		w.arcs, w.carries = append(w.arcs, arc{from, to}), append(w.carries, name)
	}
	for v := range w.flow.Nodes {
		for _, name := range w.flow.Nodes[v].In {
			for _, from := range w.producers[name] {
				if from != v {
					add(from, v, name)
				}
			}
		}
	}
	for v := range w.flow.Nodes {
		for _, t := range w.flow.Nodes[v].Targets {
			if t.Failure {
				add(v, t.To, aFailure)
			} else {
				add(v, t.To, aChoice)
			}
		}
	}
	w.layOutArcs()
}

func (w *wiring) layOutArcs() {
	w.graph = newDigraph(len(w.def.Nodes), w.arcs)
	w.backward, w.level = make([]bool, len(w.arcs)), make([]int, len(w.arcs))
}

// seeded reports whether a value is read before it is written first: who writes it also reads it.
func (w *wiring) seeded(name int) bool {
	return slices.ContainsFunc(w.producers[name], func(v int) bool { return slices.Contains(w.flow.Nodes[v].In, name) })
}

// mustGive reports whether a run must be given a value that is accumulated: who writes it cannot do without it.
func (w *wiring) mustGive(name int) bool {
	return slices.ContainsFunc(w.producers[name], func(v int) bool {
		k := slices.Index(w.flow.Nodes[v].In, name)
		return k >= 0 && w.need[v][k]
	})
}

// findLoops finds where the rounds of loops begin (law D4).
func (w *wiring) findLoops() {
	w.flow.loops = w.graph.loops(w.headsOf)
	for w.readBack() {
		w.flow.loops = w.graph.loops(w.headsOf)
	}
	w.flow.heads(w.flow.loops, func(l *loop, depth int) {
		w.loop(l)
		for _, i := range l.back {
			if w.backward[i], w.level[i] = true, depth; w.carries[i] == aFailure {
				w.handledBefore(i)
			}
		}
	}, 0)
}

// headsOf is the rule for heads of law D4: targets of gates in the loop which can start without it. An entry that is one
// of the targets is the head.
func (w *wiring) headsOf(part []int, inside func(v int) bool) []int {
	var heads []int
	for _, v := range part {
		if !w.aimedAt(v, inside) {
			continue
		}
		if slices.Contains(w.first, v) {
			return []int{v}
		}
		if w.lacks(v, inside) < 0 {
			heads = append(heads, v)
		}
	}
	return heads
}

// aimedAt reports whether a gate among some nodes can choose a node.
func (w *wiring) aimedAt(v int, inside func(v int) bool) bool {
	return slices.ContainsFunc(w.origin[v], func(i int) bool { return w.carries[i] == aChoice && inside(w.arcs[i].from) })
}

// lacks is a required value that a node can only get from some nodes, -1 for none.
func (w *wiring) lacks(v int, inside func(v int) bool) int {
	for k, name := range w.flow.Nodes[v].In {
		if !w.need[v][k] || w.mustGive(name) || len(w.producers[name]) == 0 {
			continue
		}
		if !slices.ContainsFunc(w.producers[name], func(p int) bool { return !inside(p) }) {
			return name
		}
	}
	return -1
}

// loop reports a loop that cannot begin, or end, or that could begin in several ways.
func (w *wiring) loop(l *loop) {
	if len(l.heads) == 1 {
		w.mustEnd(l)
		return
	}
	ring := w.ring(l.nodes[0], l.holds)
	if len(l.heads) > 1 {
		w.at(l.nodes[0], AmbiguousHead, "the loop %s can begin at %s: each is chosen by a gate in it and can start without it; "+
			"name the one that it begins at as an entry", ring, list(w.def.names(l.heads)))
		return
	}
	var targets []int
	for _, v := range l.nodes {
		if w.aimedAt(v, l.holds) {
			targets = append(targets, v)
		}
	}
	if len(targets) == 0 {
		w.at(l.nodes[0], Endless, "the loop %s never ends: no gate is in it that chooses whether it goes round again%s", ring, w.throughFailure(l))
		return
	}
	var why []string
	for _, v := range targets {
		why = append(why, fmt.Sprintf("%q needs %q", w.def.Nodes[v].Name, w.flow.Names[w.lacks(v, l.holds)]))
	}
	w.at(l.nodes[0], NoHead, "the loop %s cannot begin: of the nodes that its gates choose, %s, which only the loop itself writes; "+
		"give it a default, or name the node that the loop begins at as an entry and give a run the value", ring, strings.Join(why, " and "))
	w.last().Port = w.flow.Names[w.lacks(targets[0], l.holds)]
}

// ring is the shortest way from a node round a loop, in words.
func (w *wiring) ring(head int, inside func(v int) bool) string {
	t := &topology{graph: w.graph}
	return w.round(t, head, func(name string) bool { return inside(w.index[name]) })
}

// close finds the nodes that lie before the entries: they do not open by themselves (law D10).
func (w *wiring) close() {
	w.flow.closed = make([]bool, len(w.def.Nodes))
	if len(w.first) == 0 {
		return
	}
	behind, ever := w.forward.reachable(w.first), w.graph.reachable(w.first)
	for v := range w.def.Nodes {
		w.flow.closed[v] = !behind[v]
		if !ever[v] {
			w.at(v, Unreachable, "no entry leads to it; leave it out, or name it as an entry")
		}
	}
}

// finish makes what the engine needs.
func (w *wiring) finish() {
	w.flow.writers, w.flow.gates = w.producers, make([][]int, len(w.def.Nodes))
	w.flow.Wanted = make([][]int, len(w.flow.Names))
	for v := range w.flow.Nodes {
		for _, name := range w.flow.Nodes[v].Needs {
			w.flow.Wanted[name] = append(w.flow.Wanted[name], v)
		}
	}
	for i, a := range w.arcs {
		to := &w.flow.Nodes[a.to]
		switch {
		case w.backward[i]:
		case w.carries[i] < 0:
			to.Gated = true
			w.flow.gates[a.to] = append(w.flow.gates[a.to], a.from)
		case !slices.Contains(w.flow.Nodes[a.from].Readers, a.to):
			w.flow.Nodes[a.from].Readers = append(w.flow.Nodes[a.from].Readers, a.to)
		}
	}
	w.flow.arcs, w.flow.carries = w.arcs, w.carries
	for i, a := range w.arcs {
		if !w.backward[i] {
			continue
		}
		g := &w.flow.Nodes[a.from]
		for k := range g.Targets {
			if t := &g.Targets[k]; w.carries[i] < 0 && t.To == a.to {
				t.Back, t.Depth = true, w.level[i]
			}
		}
	}
	mark := make([]int, len(w.def.Nodes))
	for v := range w.flow.Nodes {
		at := &w.flow.Nodes[v]
		at.Closed = w.flow.closed[v]
		for _, i := range w.forward.out(v) {
			if to := w.forward.arcs[i].to; mark[to] != v+1 {
				mark[to] = v + 1
				at.Next = append(at.Next, to)
			}
		}
	}
	w.regions()
}

// regions finds what keeps the rounds of loops from being over: all that can still reach a loop's body, or anything that
// follows from it. Regions that touch are one (law D7).
func (w *wiring) regions() {
	reversed := make([]arc, len(w.forward.arcs))
	for i, a := range w.forward.arcs {
		reversed[i] = arc{a.to, a.from}
	}
	before := newDigraph(w.forward.n, reversed)
	var merged []int // region -> the region that it has become a part of
	find := func(r int) int {
		for merged[r] != r {
			r = merged[r]
		}
		return r
	}
	w.flow.heads(w.flow.loops, func(l *loop, depth int) {
		if depth > 0 {
			return // it touches the loop around it
		}
		var follows []int
		for v, in := range w.forward.reachable(l.nodes) {
			if in {
				follows = append(follows, v)
			}
		}
		r := len(merged)
		merged = append(merged, r)
		for v, in := range before.reachable(follows) {
			if !in {
				continue
			}
			if at := &w.flow.Nodes[v]; at.Region < 0 {
				at.Region = r
			} else if other := find(at.Region); other != find(r) {
				merged[find(r)] = other
			}
		}
	}, 0)
	number := make(map[int]int)
	for v := range w.flow.Nodes {
		at := &w.flow.Nodes[v]
		if at.Region < 0 {
			continue
		}
		r := find(at.Region)
		n, ok := number[r]
		if !ok {
			n = len(number)
			number[r] = n
		}
		at.Region = n
	}
	w.flow.Regions = len(number)
}

// inputs finds what a run can be given, and what it must be (law D10): values that no node writes before they are read.
func (w *wiring) inputs() {
	forward := make(map[[2]int]bool) // from whom a node gets values before it runs first
	for i, a := range w.arcs {
		if !w.backward[i] && w.carries[i] >= 0 && !w.flow.closed[a.from] {
			forward[[2]int{a.from, a.to}] = true
		}
	}
	w.given = make([]bool, len(w.flow.Names))
	for name := range w.flow.Names {
		required := false
		var port Port
		for _, c := range w.consumers[name] {
			k := slices.Index(w.flow.Nodes[c].In, name)
			if port.Name == "" {
				port = w.def.Nodes[c].Flow.Inputs[k]
			}
			comes := slices.ContainsFunc(w.producers[name], func(p int) bool { return forward[[2]int{p, c}] })
			if w.need[c][k] && !w.flow.closed[c] && !comes {
				required = true
			}
		}
		written := slices.ContainsFunc(w.producers[name], func(p int) bool { return !w.flow.closed[p] })
		if port.Name == "" || !required && written && !w.seeded(name) {
			continue
		}
		port.Optional, w.given[name] = !required, true
		w.flow.Inputs, w.flow.given = append(w.flow.Inputs, port), append(w.flow.given, name)
	}
}
