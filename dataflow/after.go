package dataflow

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/plan"
)

// After lets a node run after others without reading what they write. These are names of nodes, or the nodes. It follows them
// like a reader of a value that they write (laws D5 and D9): it waits until each has run, runs again when one of them has
// run again, and is skipped where one is skipped. A gate is not waited for: name the node among its targets.
func After[T Target](nodes ...T) NodeOption {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = targetName(n)
	}
	return func(d *NodeDef) {
		if len(names) == 0 {
			d.errs = append(d.errs, errors.New("After names no node"))
		}
		d.after = append(slices.Clip(d.after), names...)
	}
}

// orderOf is the name of the value by which others know that a node has run. It is written with what the node writes.
func orderOf(node string) string { return "after " + node }

// checkOrder reports nodes that others cannot run after.
func (b *builder) checkOrder() {
	at := make(map[string]*NodeDef, len(b.nodes))
	for _, d := range b.nodes {
		at[d.Name()] = d
	}
	for _, d := range b.nodes {
		for i, name := range d.after {
			wrong := func(format string, args ...any) {
				b.problem(Problem{Code: plan.BadEdge, Node: d.Name(), Found: name, Nearest: near(name, keys(at)), Message: fmt.Sprintf(format, args...)})
			}
			switch before := at[name]; {
			case before == nil:
				wrong("it runs after %q, and there is no such node%s", name, hint(name, keys(at)))
			case before == d:
				wrong("it runs after itself")
			case before.route != nil || before.many != nil:
				wrong("it runs after %q, which is a gate; let the gate choose it, or name the node that the gate follows", name)
			case slices.Contains(d.after[:i], name):
				wrong("it runs after %q twice; once is enough", name)
			}
		}
	}
}

// order adds to a node's ports what says that it follows others, and that others follow it. Nodes that were left out are
// not waited for.
func (b *builder) order(d *NodeDef, f *plan.Flow) {
	for _, name := range d.after {
		if slices.ContainsFunc(b.nodes, func(o *NodeDef) bool { return o.Name() == name }) {
			f.Inputs = append(f.Inputs, plan.Port{Name: orderOf(name)})
		}
	}
	if slices.ContainsFunc(b.nodes, func(o *NodeDef) bool { return slices.Contains(o.after, d.Name()) }) {
		f.Outputs = append(f.Outputs, plan.Port{Name: orderOf(d.Name())})
	}
}
