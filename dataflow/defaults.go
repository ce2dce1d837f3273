package dataflow

import "github.com/fermata-go/fermata/plan"

// Defaults gives every node of the graph policies. They are [Retry], [RetryIf], [Timeout], [Idle], [Pool] and [Cache], the last
// one gates aside. An option of a node takes the place of that default, so that Retry(1, 0), Timeout(0) or NoCache() is none.
// Graphs that are nodes are not meant: the nodes inside have the defaults of their own graph.
func Defaults(opts ...NodeOption) Option {
	return func(b *builder) {
		var probe NodeDef
		for _, opt := range opts {
			opt(&probe)
		}
		if n := &probe.node; len(probe.errs) > 0 || n.Name != "" || n.Doc != "" || n.Version != "" {
			b.problem(Problem{
				Code:    plan.BadNode,
				Message: "Defaults has an option that is about one node; expected Retry, RetryIf, Timeout, Idle, Pool, Cache or NoCache",
			})
			return
		}
		b.defaults = append(b.defaults, opts...)
	}
}

// governed is a definition's node with the policies of the graph's defaults, and then those of its own options. never says
// that the graph's cache is not for it.
func (b *builder) governed(d *NodeDef) (n plan.Node, never bool) {
	n, never = d.node, d.never
	if len(b.defaults) == 0 || d.sub != nil {
		return n, never
	}
	var policies NodeDef // what other options do to it is not looked at
	for _, opt := range b.defaults {
		opt(&policies)
	}
	if gate := d.route != nil || d.many != nil; gate {
		policies.node.Cache, policies.never = nil, true
	}
	for _, opt := range d.options {
		opt(&policies)
	}
	of := &policies.node
	n.Retry, n.Timeout, n.Idle, n.Pool, n.Cache = of.Retry, of.Timeout, of.Idle, of.Pool, of.Cache
	return n, policies.never
}
