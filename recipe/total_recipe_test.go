package recipe_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// drawn is a recipe that was drawn, and what is outside of it.
type drawn struct {
	text      string
	files     map[string]string // that it names: recipes within it, and what its models say
	inputs    *kind
	url       string           // of the services
	services  map[string]*kind // what services and Go functions give
	functions map[string]bool  // those that are Go functions
	features  map[string]bool
	count     int // of files
}

// sketch is the recipe that is being drawn: slots, each with a node or a fork, that lead on to the next.
type sketch struct {
	id                   string // what the names of its nodes and agents begin with
	parallel             bool
	agents, nodes, edges strings.Builder
	state                map[string]any
	arrivals             []ways // what is there at each slot
	ends                 *ways  // what is there wherever a path ends
}

// ways are the names that are there on every way and on some way to a place.
type ways struct{ sure, maybe map[string]bool }

func (g *generator) ways() ways { return ways{maps.Clone(g.sure), maps.Clone(g.maybe)} }

// meet adds a way that leads to a place.
func (w *ways) meet(o ways) {
	if w.sure == nil {
		w.sure, w.maybe = maps.Clone(o.sure), maps.Clone(o.maybe)
		return
	}
	maps.DeleteFunc(w.sure, func(name string, _ bool) bool { return !o.sure[name] })
	maps.Copy(w.maybe, o.maybe)
}

func (g *generator) arrive(slot int, w ways) { g.arrivals[slot].meet(w) }

func (g *generator) end(w ways) {
	if g.ends == nil {
		g.ends = new(ways)
	}
	g.ends.meet(w)
}

func (g *generator) feature(name string) { g.d.features[name] = true }

// newGenerator draws a recipe that lies in no other.
func (g *generator) drawAll(url string) *drawn {
	g.d = &drawn{files: make(map[string]string), services: make(map[string]*kind), functions: make(map[string]bool), features: make(map[string]bool), url: url}
	g.kinds = make(map[string]*kind)
	for _, name := range boardNames {
		g.kinds[name] = g.kind(0)
	}
	g.careless = g.often(40)
	g.d.text, g.d.inputs, _ = g.draw(nil)
	return g.d
}

// draw draws a recipe, whose inputs are among some names; nil for any. It gives its text and its interface.
func (g *generator) draw(among []string) (text string, inputs, outputs *kind) {
	g.names, g.letters = slices.Clone(boardNames), boardNames
	g.sure, g.maybe = make(map[string]bool), make(map[string]bool)
	g.parallel = g.often(35)
	inputs = g.inputs(among)
	g.drawState()
	n := 1 + g.below(5-2*min(g.depth, 1))
	g.arrivals = make([]ways, n)
	g.arrivals[0] = g.ways()
	for i := range n {
		g.sure, g.maybe = maps.Clone(g.arrivals[i].sure), maps.Clone(g.arrivals[i].maybe)
		g.slot(i, n)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "interface:\n  inputs: %s\n", inline(properties(inputs)))
	outputs = g.outputs()
	if len(outputs.members) > 0 {
		fmt.Fprintf(&b, "  outputs: %s\n", inline(properties(outputs)))
	}
	if len(g.state) > 0 {
		fmt.Fprintf(&b, "state: {properties: %s}\n", inline(g.state))
	}
	mode := "sequential"
	if g.parallel {
		mode = "parallel"
		g.feature("parallel")
	}
	fmt.Fprintf(&b, "policy: {max_steps: 40, execution_mode: %s}\n", mode)
	if g.agents.Len() > 0 {
		fmt.Fprintf(&b, "agents:\n%s", g.agents.String())
	}
	fmt.Fprintf(&b, "entry_point: %sn0\nnodes:\n%s", g.id, g.nodes.String())
	if g.edges.Len() > 0 {
		fmt.Fprintf(&b, "edges:\n%s", g.edges.String())
	}
	return b.String(), inputs, outputs
}

// properties are the schemas of an interface. A name that is not required has a default.
func properties(o *kind) map[string]any {
	all := make(map[string]any)
	for i, name := range o.members {
		s := o.types[i].schema()
		if !o.required[i] {
			s["default"] = o.types[i].value(rand.New(rand.NewPCG(1, 2)))
		}
		all[name] = s
	}
	return all
}

func (g *generator) inputs(among []string) *kind {
	o := &kind{word: "object", closed: true}
	for _, name := range boardNames {
		if among != nil && !slices.Contains(among, name) || !g.often(45) {
			continue
		}
		o.members, o.types = append(o.members, name), append(o.types, g.kinds[name])
		o.required = append(o.required, g.often(75))
		g.sure[name], g.maybe[name] = true, true
	}
	return o
}

// drawState declares some names, with a default or a rule for what several branches wrote.
func (g *generator) drawState() {
	g.state = make(map[string]any)
	for _, name := range boardNames {
		if !g.often(30) {
			continue
		}
		s := g.kinds[name].schema()
		if g.often(50) {
			s["default"] = g.kinds[name].value(rand.New(rand.NewPCG(1, 2)))
			g.sure[name], g.maybe[name] = true, true
		}
		if g.parallel && g.often(70) {
			s["merge"] = oneOfList(g, g.rules(g.kinds[name]))
			g.feature("merge rules")
		}
		g.state[name] = s
	}
}

// rules are those for what several branches wrote that fit a kind, and never fail.
func (g *generator) rules(k *kind) []string {
	all := []string{"first", "last"}
	switch {
	case g.slip(4):
		return []string{"append", "sum", "max", "union"}
	case k.word == "integer" || k.word == "number":
		all = append(all, "sum", "max", "min")
	case k.word == "string":
		all = append(all, "max", "min")
	case k.word == "array" && k.least < 2: // what is the same is there once
		all = append(all, "union")
	}
	return all
}

func (g *generator) ruled(name string) bool {
	s, _ := g.state[name].(map[string]any)
	return s["merge"] != nil
}

func (g *generator) outputs() *kind {
	o := &kind{word: "object", closed: true}
	if g.depth == 0 && g.often(25) {
		return o // all of the blackboard
	}
	at := g.ends
	for _, name := range g.names {
		switch k := g.kinds[name]; {
		case at.sure[name] && g.often(60):
			o.members, o.types, o.required = append(o.members, name), append(o.types, k), append(o.required, true)
		case at.maybe[name] && g.often(30) || g.slip(5):
			o.members, o.types, o.required = append(o.members, name), append(o.types, k), append(o.required, g.slip(30))
		}
	}
	return o
}

// some is an object of some of the names that agents give here.
func (g *generator) some(least int) *kind {
	o := &kind{word: "object", closed: true}
	for _, name := range g.letters {
		if g.often(40) || len(o.members) < least {
			o.members, o.types, o.required = append(o.members, name), append(o.types, g.kinds[name]), append(o.required, g.often(80))
		}
	}
	return o
}

// brings notes what is there from now on.
func (g *generator) brings(out *kind) {
	for i, name := range out.members {
		g.sure[name] = g.sure[name] || out.required[i]
		g.maybe[name] = true
	}
}

// leaves notes a name of its own that a node leaves.
func (g *generator) leaves(name string, k *kind) {
	if !slices.Contains(g.names, name) {
		g.names = append(g.names, name)
	}
	g.kinds[name], g.sure[name], g.maybe[name] = k, true, true
}

// slot draws a node and where it leads.
func (g *generator) slot(i, n int) {
	id := fmt.Sprintf("%sn%d", g.id, i)
	before := g.ways()
	last := i == n-1
	if g.slip(15) && !last {
		g.router(id, i, n)
		return
	}
	review := g.node(id, i, n)
	if g.parallel && !last && !review && g.often(60) {
		g.fork(id, i)
		return
	}
	conditions := !g.right && g.often(25) || g.right && !g.parallel && !last && g.often(25)
	if conditions {
		g.maybeTo(id, i, n)
	}
	switch {
	case last:
		g.end(g.ways())
		return
	case g.often(30):
		g.onFailure(id, i, n, before)
	}
	if g.often(8) && !(g.right && (g.parallel || conditions)) {
		g.feature("may end")
		fmt.Fprintf(&g.edges, "  - {source: %s, target: %sn%d, when: %q}\n", id, g.id, i+1, g.condition(1))
		g.end(g.ways())
	} else {
		fmt.Fprintf(&g.edges, "  - {source: %s, target: %sn%d}\n", id, g.id, i+1)
	}
	g.arrive(i+1, g.ways())
}

// maybeTo draws an edge with a condition, ahead or back.
func (g *generator) maybeTo(id string, i, n int) {
	to := g.below(n)
	if g.right {
		to = i + 1 + g.below(n-i-1)
	}
	g.feature("conditions")
	if to <= i {
		g.feature("loops")
	}
	fmt.Fprintf(&g.edges, "  - {source: %s, target: %sn%d, when: %q}\n", id, g.id, to, g.condition(1))
	g.arrive(to, g.ways())
}

// onFailure draws an edge for failures: to a slot, or to a node that reads what went wrong.
func (g *generator) onFailure(id string, i, n int, before ways) {
	g.feature("on_failure")
	if g.often(50) {
		to := i + 1 + g.below(n-i-1)
		fmt.Fprintf(&g.edges, "  - {source: %s, target: %sn%d, condition: on_failure}\n", id, g.id, to)
		g.arrive(to, before)
		return
	}
	after := g.ways()
	g.sure, g.maybe, g.failed = maps.Clone(before.sure), maps.Clone(before.maybe), true
	handler := id + "x"
	g.calculates(handler, "")
	g.failed = false
	fmt.Fprintf(&g.edges, "  - {source: %s, target: %s, condition: on_failure}\n  - {source: %s, target: %sn%d}\n", id, handler, handler, g.id, i+1)
	g.arrive(i+1, g.ways())
	g.sure, g.maybe = after.sure, after.maybe
}

// fork draws branches from a node to the next slot. Each brings names of its own, and those that have a rule.
func (g *generator) fork(id string, i int) {
	g.feature("forks")
	shared := make([]string, 0, len(boardNames))
	own := make([][]string, 2+g.below(2))
	for _, name := range boardNames {
		if g.ruled(name) {
			shared = append(shared, name)
			continue
		}
		b := g.below(len(own))
		own[b] = append(own[b], name)
	}
	before, together := g.ways(), g.ways()
	for b := range own {
		g.sure, g.maybe = maps.Clone(before.sure), maps.Clone(before.maybe)
		g.letters = slices.Concat(shared, own[b])
		if g.slip(10) {
			g.letters = boardNames
		}
		from := id
		for j := range 1 + g.below(2) {
			to := fmt.Sprintf("%sb%d%d", id, b, j)
			fmt.Fprintf(&g.edges, "  - {source: %s, target: %s}\n", from, to)
			g.branchNode(to)
			if j == 0 && g.often(15) && !g.right {
				fmt.Fprintf(&g.edges, "  - {source: %s, target: %sn%d, condition: on_failure}\n", to, g.id, i+1)
				g.sure = maps.Clone(before.sure)
			}
			from = to
		}
		fmt.Fprintf(&g.edges, "  - {source: %s, target: %sn%d}\n", from, g.id, i+1)
		maps.Copy(together.sure, g.sure)
		maps.Copy(together.maybe, g.maybe)
	}
	g.letters = boardNames
	g.arrive(i+1, together)
}

// branchNode draws a node in a branch. Where it can give nothing that no other branch gives, it asks.
func (g *generator) branchNode(id string) {
	if len(g.letters) == 0 {
		g.asks(id, 0, 0)
		return
	}
	g.node(id, 0, 0)
}

func (g *generator) router(id string, i, n int) {
	g.feature("routers")
	name := oneOfList(g, g.names)
	for tries := 0; tries < 3 && !g.maybe[name]; tries++ {
		name = oneOfList(g, g.names)
	}
	k := g.kinds[name]
	for j, m := range k.members {
		if g.often(80) {
			name, k = name+"."+m, k.types[j]
			break
		}
	}
	if g.often(30) {
		name += "?"
	}
	values := []string{"x", "y"}
	switch k.word {
	case "boolean":
		values = []string{"true", "false"}
	case "integer":
		values = []string{"0", "1"}
	}
	if !g.often(85) {
		values = values[:1]
	}
	fmt.Fprintf(&g.nodes, "  - {type: router, id: %s, input_key: %q, routes: {", id, name)
	for j, v := range values {
		to := i + 1
		if j > 0 {
			to += g.below(n - i - 1)
		}
		fmt.Fprintf(&g.nodes, "%q: %sn%d, ", v, g.id, to)
		g.arrive(to, g.ways())
	}
	g.nodes.WriteString("}")
	if g.often(60) {
		fmt.Fprintf(&g.nodes, ", default_route: %sn%d", g.id, i+1)
	}
	g.nodes.WriteString("}\n")
}
