package plan

import "slices"

// Pools lists the pools that nodes of the plan and of its subgraphs name, sorted and each once.
func (p *Plan) Pools() []string { return slices.Clone(p.pools) }

func poolsOf(flat []Flat) []string {
	var names []string
	for i := range flat {
		if name := flat[i].Pool; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var poolPolicy = policy{
	has: func(n *Node) bool { return n.Pool != "" },
	check: func(n *Node, wrong func(string, ...any)) {
		if fault := nameFault(n.Pool, ""); n.Pool != "" && fault != "" {
			wrong("the name of its pool %s", fault)
		}
		if n.Sub != nil && n.Pool != "" {
			wrong("it is in pool %q, and a subgraph has no function that could wait for a pool; "+
				"name the pool at the nodes inside", n.Pool)
		}
	},
	document: func(n *Node, d *nodeDocument) { d.Pool = n.Pool },
}
