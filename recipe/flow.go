package recipe

import (
	"slices"

	"github.com/expr-lang/expr/types"
)

// flow is what may be on the blackboard where, found by following the edges. It is an upper bound: a name that no
// path can bring is not there, one that some path brings may be.
type flow struct {
	vocabulary *vocabulary
	makes      map[*step]names // what a node puts there
	before     map[*step]names // what is there when the node starts
}

// follow finds the names at every node. It goes round until nothing changes; it ends because names are only added.
func (d *document) follow(g *wiring) *flow {
	f := &flow{vocabulary: newVocabulary(), makes: make(map[*step]names), before: make(map[*step]names)}
	initial := d.initialNames(f.vocabulary)
	for _, n := range d.nodes {
		f.makes[n] = d.made(n, f.vocabulary)
		f.before[n] = names{vocabulary: f.vocabulary}
	}
	if g.entry == nil {
		return f
	}
	start := f.before[g.entry]
	start.join(initial)
	f.before[g.entry] = start
	g.seen[g.entry] = true
	for todo := []*step{g.entry}; len(todo) > 0; {
		n := todo[0]
		todo = todo[1:]
		for _, out := range g.out[n] {
			from := f.before[n]
			if out.success {
				from = f.after(n)
			}
			from.failed = out.failure
			into := f.before[out.to]
			changed := into.join(from)
			f.before[out.to] = into
			if (changed || !g.seen[out.to]) && !slices.Contains(todo, out.to) {
				todo = append(todo, out.to)
			}
			g.seen[out.to] = true
		}
	}
	f.calculate(d)
	return f
}

// after is what is there when a node has succeeded.
func (f *flow) after(n *step) names {
	out := f.before[n]
	out.bits = slices.Clone(out.bits)
	out.failed = f.before[n].failed
	out.join(f.makes[n])
	return out
}

// initialNames are those of the inputs and of the state's defaults. What the state says of a name is enforced.
func (d *document) initialNames(v *vocabulary) names {
	n := names{vocabulary: v, open: d.inputsOpen}
	for _, p := range d.inputs {
		n.add(p.name.text, p.typ())
	}
	for _, p := range d.state {
		if p.optional {
			n.add(p.name.text, p.typ())
		}
		if p.shape != nil {
			v.fix(p.name.text, p.typ())
		}
	}
	return n
}

func (p port) typ() types.Type {
	if p.shape == nil {
		return types.Any
	}
	return typeOfShape(p.shape.doc)
}

// made is what a node puts on the blackboard.
func (d *document) made(n *step, v *vocabulary) names {
	out := names{vocabulary: v}
	a := d.agents[n.ref.text]
	switch {
	case n.kind == typeRouter:
	case n.kind == typeHuman:
		out.add(n.id.text, typeOfShape(n.leaves()))
	case n.outputs != nil:
		for _, b := range n.outputs {
			out.add(b.name.text, types.Any)
		}
	case n.each != nil:
		out.add(n.id.text, types.Array(types.Any))
	case a == nil:
		out.open = true
	case a.kind == kindExpr:
		for _, s := range a.set {
			out.set(v.reserve(s.key.text))
		}
	case a.kind == kindRecipe:
		a.nested.makes(&out)
	default:
		a.makes(n.id.text, &out)
	}
	return out
}

// makes is what an agent of a declared output puts on the blackboard.
func (a *agent) makes(id string, out *names) {
	if a.output == nil && a.kind == kindModel {
		out.add(id, types.String)
		return
	}
	if a.output == nil || a.output.doc == nil {
		out.open = true
		return
	}
	switch kind, _ := a.output.doc["type"].(string); kind {
	case "object":
		fields, closed := fieldsOfShape(a.output.doc)
		for name, f := range fields {
			out.add(name, typeOfShape(f))
		}
		out.open = !closed
	case "":
		out.open = true
	default:
		out.add(id, typeOfShape(a.output.doc))
	}
}

// arguments are the names that an agent's expressions know.
func (f *flow) arguments(n *step) names {
	before := f.before[n]
	if n.each != nil {
		before = n.each.names(before)
	}
	if n.wholeBoard {
		return names{vocabulary: newVocabulary(), under: &before}
	}
	args := newNames()
	args.failed = before.failed
	for _, b := range n.inputs {
		t := types.Type(types.Any)
		if len(b.path.segments) == 1 && before.has(b.path.segments[0]) {
			t = before.typ(b.path.segments[0])
		}
		args.add(b.name.text, t)
	}
	return args
}

// calculate finds the types of what expressions make, as far as they follow from what is not made by expressions.
func (f *flow) calculate(d *document) {
	found := make(map[string]types.Type)
	for _, n := range d.nodes {
		a := d.agents[n.ref.text]
		if a == nil || a.kind != kindExpr || n.outputs != nil || n.each != nil {
			continue
		}
		args := f.arguments(n)
		for _, s := range a.set {
			t := types.Type(types.Any)
			if s.code != nil {
				t, _ = s.code.check(args, &report{hints: maxHints})
			}
			args.overwrite(s.key.text, t)
			if before, ok := found[s.key.text]; ok && !sameType(before, t) {
				t = types.Any
			}
			found[s.key.text] = t
		}
	}
	for name, t := range found {
		f.vocabulary.settle(name, t)
	}
}
