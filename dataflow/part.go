package dataflow

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// prune leaves out what lies before no entry, and what no selected value needs.
func (b *builder) prune() {
	if len(b.entry) == 0 && b.selected == nil {
		return
	}
	at := make(map[string]int, len(b.nodes))
	for i, d := range b.nodes {
		at[d.Name()] = i
	}
	next, before := b.neighbours(at)
	keep := make([]bool, len(b.nodes))
	for i := range keep {
		keep[i] = true
	}
	limit := func(seeds []int, arcs [][]int) {
		for i, seen := range reach(seeds, arcs) {
			keep[i] = keep[i] && seen
		}
	}
	if len(b.entry) > 0 {
		limit(b.entries(at), next)
	}
	if b.selected != nil {
		limit(b.selectedNodes(), before)
	}
	if len(b.problems) > 0 {
		return
	}
	b.leaveHandlers(keep, at)
	var kept []*NodeDef
	gone := make(map[string]bool)
	for i, d := range b.nodes {
		if keep[i] {
			kept = append(kept, d)
		} else {
			gone[d.Name()] = true
		}
	}
	for i, d := range kept {
		kept[i] = d.without(gone)
	}
	b.nodes = kept
}

// neighbours are the nodes behind and before each node: by values, and by choices.
func (b *builder) neighbours(at map[string]int) (next, before [][]int) {
	next, before = make([][]int, len(b.nodes)), make([][]int, len(b.nodes))
	add := func(from, to int) { next[from], before[to] = append(next[from], to), append(before[to], from) }
	writers := b.writers()
	for i, d := range b.nodes {
		for _, p := range d.in.ports {
			for _, w := range writers[p.name] {
				add(w, i)
			}
		}
		for _, t := range d.targets {
			if to, ok := at[t]; ok {
				add(i, to)
			}
		}
		for _, name := range d.after {
			if from, ok := at[name]; ok {
				add(from, i)
			}
		}
	}
	for _, e := range b.onError {
		from, known := at[e.from]
		if to, ok := at[e.to]; ok && known {
			add(from, to)
			before[from] = append(before[from], to) // whoever needs a node needs what handles its failures
		}
	}
	return next, before
}

// reach marks the nodes that some nodes lead to.
func reach(from []int, arcs [][]int) []bool {
	seen := make([]bool, len(arcs))
	for todo := from; len(todo) > 0; {
		v := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !seen[v] {
			seen[v] = true
			todo = append(todo, arcs[v]...)
		}
	}
	return seen
}

// entries are the nodes that runs begin at.
func (b *builder) entries(at map[string]int) (nodes []int) {
	for _, name := range b.entry {
		if i, ok := at[name]; ok {
			nodes = append(nodes, i)
			continue
		}
		b.problem(Problem{
			Code: plan.BadEntry, Found: name, Nearest: near(name, keys(at)),
			Message: fmt.Sprintf("there is no node %q to be an entry%s", name, hint(name, keys(at))),
		})
	}
	return nodes
}

// selectedNodes are the nodes that write what was selected.
func (b *builder) selectedNodes() (nodes []int) {
	writers := b.writers()
	for _, name := range b.selected {
		if len(writers[name]) == 0 {
			b.problem(Problem{
				Code: plan.BadPort, Port: name, Found: name, Nearest: near(name, keys(writers)),
				Message: fmt.Sprintf("%q is selected, and no node writes it%s", name, hint(name, keys(writers))),
			})
		}
		nodes = append(nodes, writers[name]...)
	}
	return nodes
}

// without is a gate whose choices of nodes that were left out end the path.
func (d *NodeDef) without(gone map[string]bool) *NodeDef {
	if !slices.ContainsFunc(d.targets, func(t string) bool { return gone[t] }) {
		return d
	}
	c := *d
	c.targets, c.labels = nil, nil
	for _, t := range d.targets {
		if gone[t] {
			t = End
		}
		if !slices.Contains(c.targets, t) {
			c.targets = append(c.targets, t)
		}
	}
	if route := d.route; route != nil {
		c.route = func(ctx node.Context, v any) (string, error) {
			to, err := route(ctx, v)
			if gone[to] {
				to = End
			}
			return to, err
		}
	}
	if many := d.many; many != nil {
		c.many = func(ctx node.Context, v any) ([]string, error) {
			list, err := many(ctx, v)
			for i, to := range list {
				if gone[to] {
					list[i] = End
				}
			}
			return list, err
		}
	}
	return &c
}

// keepInside takes local values from the inputs.
func (b *builder) keepInside(flow *plan.Dataflow) *plan.Dataflow {
	if len(b.local) == 0 {
		return flow
	}
	writers := b.writers()
	for _, name := range b.local {
		switch i := slices.IndexFunc(flow.Inputs, func(p plan.Port) bool { return p.Name == name }); {
		case len(writers[name]) == 0:
			b.problem(Problem{
				Code: plan.BadPort, Port: name, Found: name, Nearest: near(name, keys(writers)),
				Message: fmt.Sprintf("%q is local, and no node writes it%s", name, hint(name, keys(writers))),
			})
		case i >= 0 && !flow.Inputs[i].Optional:
			b.problem(Problem{
				Code: plan.BadPort, Node: b.nodes[writers[name][0]].Name(), Port: name,
				Message: fmt.Sprintf("%q is local, and the node needs it before it writes it first; give it a default", name),
			})
		case slices.Contains(b.selected, name):
			b.problem(Problem{Code: plan.BadPort, Port: name, Message: fmt.Sprintf("%q is local, and selected as a result; it is one or the other", name)})
		}
	}
	return flow.Without(b.local...)
}
