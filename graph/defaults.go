package graph

import (
	"reflect"
	"slices"

	"github.com/fermata-go/fermata/plan"
)

// Defaults gives every node of the graph policies. They are [Retry], [RetryIf], [Jitter], [Timeout], [Idle], [Pool], [Cache]
// and [Pure]. An option of a node takes the place of that default, so that Retry(1, 0) or Timeout(0) is none. Subgraphs and
// maps are not meant: the nodes inside have the defaults of their own graph. Of several calls the later options count.
func (b *Builder[S]) Defaults(opts ...NodeOption) *Builder[S] {
	var probe plan.Node
	for _, opt := range opts {
		opt(&probe)
	}
	if withoutPolicies(&probe); !reflect.DeepEqual(probe, plan.Node{}) {
		b.problem("Defaults has an option that is about one node; expected Retry, RetryIf, Jitter, Timeout, Idle, Pool, Cache or Pure")
		return b
	}
	b.defaults = append(b.defaults, opts...)
	return b
}

func withoutPolicies(n *plan.Node) {
	n.Retry, n.Timeout, n.Idle, n.Pool, n.Cache, n.Pure = plan.Retry{}, 0, 0, "", nil, false
}

// configured returns the nodes with their options, behind the defaults.
func (b *Builder[S]) configured() []plan.Node {
	nodes := slices.Clone(b.def.Nodes)
	for i := range nodes {
		n := &nodes[i]
		if n.Map != nil {
			own := *n.Map // options change it
			n.Map = &own
		}
		if n.Sub == nil {
			for _, opt := range b.defaults {
				opt(n)
			}
		}
		for _, opt := range b.options[i] {
			opt(n)
		}
	}
	return nodes
}
