package plan

import (
	"maps"
	"slices"
)

// maxFlat is how many nodes a plan may have, those of all its subgraphs counted. Subgraphs are laid out once for each
// place that they are used in, so a few plans that use each other twice would fill any memory.
const maxFlat = 1 << 17

// New checks a definition and compiles it. It reports every problem at once, as an [*Error].
//
// A node's Kind defaults to Task, or to Sub where it names a subgraph; an edge's Kind defaults to Plain. The
// definition stays the caller's: its slices are copied, and changing them later changes no plan.
func New(def Definition) (*Plan, error) {
	def = copyOf(def)
	if d := def.Dataflow; d != nil && len(d.Nodes) == len(def.Nodes) {
		d.draw(&def)
	}
	if problems := check(&def); len(problems) > 0 {
		return nil, &Error{Plan: def.Name, Problems: problems}
	}
	p := &Plan{def: def, joins: findJoins(&def), looped: hasLoop(&def)}
	p.layOut()
	p.undoes = p.findUndoes()
	p.pools = poolsOf(p)
	p.outline = p.encodeOutline()
	p.fingerprint = fingerprint(p.outline)
	return p, nil
}

// copyOf copies the slices and fills in the defaults.
func copyOf(def Definition) Definition {
	def.Entry = slices.Clone(def.Entry)
	def.Nodes = slices.Clone(def.Nodes)
	def.Pools = maps.Clone(def.Pools)
	def.Edges = slices.Clone(def.Edges)
	def.Input = slices.Clone(def.Input)
	def.Output = slices.Clone(def.Output)
	for i := range def.Nodes {
		n := &def.Nodes[i]
		switch {
		case n.Kind != "":
		case n.Sub != nil:
			n.Kind = Sub
		default:
			n.Kind = Task
		}
		for _, p := range policies {
			if p.own != nil {
				p.own(n)
			}
		}
	}
	for i := range def.Edges {
		if e := &def.Edges[i]; e.Kind == "" {
			e.Kind = Plain
		}
	}
	return def
}
