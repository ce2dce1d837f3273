package recipe

import (
	"slices"

	"github.com/expr-lang/expr/types"
)

// flow is what may be on the blackboard where, found by following the edges. It is an upper bound: a name that no
// path can bring is not there, one that some path brings may be.
type flow struct {
	before map[*step]names // when the node starts
	after  map[*step]names // when it has succeeded
}

// initialNames are those of the inputs and of the state's defaults.
func (d *document) initialNames() names {
	n := newNames()
	n.open = d.inputsOpen
	for _, p := range d.inputs {
		n.add(p.name.text, p.typ())
	}
	for _, p := range d.state {
		if p.optional {
			n.add(p.name.text, p.typ())
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

// follow finds the names at every node. It goes round until nothing changes; it ends because names are only added
// and types only become unknown.
func (d *document) follow(g *wiring) flow {
	f := flow{before: make(map[*step]names), after: make(map[*step]names)}
	if g.entry == nil {
		return f
	}
	for _, n := range d.nodes {
		f.before[n] = newNames()
		f.after[n] = newNames()
	}
	start := f.before[g.entry]
	start.join(d.initialNames())
	f.before[g.entry] = start
	todo := []*step{g.entry}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		f.after[n] = f.produce(d, n)
		for _, out := range g.out[n] {
			from := f.after[n]
			if !out.success {
				from = f.before[n]
			}
			if out.failure {
				from = from.clone()
				from.types[errorName] = errorType
			}
			into := f.before[out.to]
			changed := into.join(from)
			f.before[out.to] = into
			if (changed || !g.seen[out.to]) && !slices.Contains(todo, out.to) {
				todo = append(todo, out.to)
			}
			g.seen[out.to] = true
		}
	}
	return f
}

// produce is what is on the blackboard after a node.
func (f flow) produce(d *document, n *step) names {
	out := f.before[n].clone()
	switch n.kind {
	case typeHuman:
		out.put(n.id.text, typeOfShape(n.answerSchema()))
	case typeAgent:
		d.produceAgent(n, out, &out.open)
	case "":
		out.open = true
	}
	for _, p := range d.state { // enforced: the type is known whatever wrote it
		if _, ok := out.types[p.name.text]; ok && p.shape != nil {
			out.types[p.name.text] = p.typ()
		}
	}
	return out
}

// put sets a name: what was there before is gone.
func (n names) put(name string, t types.Type) { n.types[name] = t }

func (d *document) produceAgent(n *step, out names, open *bool) {
	if n.outputs != nil {
		for _, b := range n.outputs {
			out.put(b.name.text, types.Any)
		}
		return
	}
	a := d.agents[n.ref.text]
	switch {
	case a == nil:
		*open = true
	case a.kind == kindExpr:
		for _, s := range a.set {
			out.add(s.key.text, types.Any)
		}
	case a.output == nil || a.output.doc == nil:
		*open = true
	default:
		fields, closed := fieldsOfShape(a.output.doc)
		switch kind, _ := a.output.doc["type"].(string); {
		case kind == "object":
			for name, f := range fields {
				out.put(name, typeOfShape(f))
			}
			*open = *open || !closed
		case kind == "":
			*open = true
		default:
			out.put(n.id.text, typeOfShape(a.output.doc))
		}
	}
}
