package plan

import (
	"maps"
	"slices"
	"time"
)

// Pool is a shared pool that a plan declares, see [Definition].
type Pool struct {
	Concurrent int           // how many functions may run at the same time; 0 for no limit
	Every      time.Duration // average interval between starts; 0 for no limit
	Burst      int           // how many may start at once after a pause. Defaults to 1
}

// pools are those of a plan.
type pools struct {
	named    []string        // that nodes name, sorted
	declared map[string]Pool // that the plan declares, or one of its subgraphs
}

// Pools lists the pools that nodes of the plan and of its subgraphs name, sorted and each once.
func (p *Plan) Pools() []string { return slices.Clone(p.pools.named) }

// PoolNamed returns a pool that the plan declares, or one of its subgraphs.
func (p *Plan) PoolNamed(name string) (pool Pool, ok bool) {
	pool, ok = p.pools.declared[name]
	return pool, ok
}

func poolsOf(p *Plan) (all pools) {
	for i := range p.flat {
		if name := p.flat[i].Pool; name != "" && !slices.Contains(all.named, name) {
			all.named = append(all.named, name)
		}
	}
	slices.Sort(all.named)
	all.declared = make(map[string]Pool)
	for i := range p.def.Nodes {
		if sub := p.def.Nodes[i].Sub; sub != nil {
			maps.Copy(all.declared, sub.pools.declared)
		}
	}
	maps.Copy(all.declared, p.def.Pools)
	return all
}

var poolPolicy = policy{
	has: func(n *Node) bool { return n.Pool != "" || n.PoolKey != nil },
	check: func(n *Node, wrong func(string, ...any)) {
		if fault := nameFault(n.Pool, ""); n.Pool != "" && fault != "" {
			wrong("the name of its pool %s", fault)
		}
		if n.Sub != nil && n.Pool != "" {
			wrong("it is in pool %q, and a subgraph has no function that could wait for a pool; "+
				"name the pool at the nodes inside", n.Pool)
		}
		if n.PoolKey != nil && n.Pool == "" {
			wrong("it has a key of a pool, and no pool")
		}
	},
	document: func(n *Node, d *nodeDocument) { d.Pool, d.PoolKeyed = n.Pool, n.PoolKey != nil },
}
