package plan

import (
	"math"
	"slices"
	"time"
)

// Cache says that a node's outcome may be reused for an equal input, in any run of a runtime (law D13).
//
// The key is the name of the plan that declares the node, the node's name, this Version, and the input. Nodes
// before it do not count, nor does anything else that its function reads; encode such data in the Version.
// Failures and outcomes that a person took part in are not cached.
type Cache struct {
	Version string        `json:"version"`       // of the node's code and of all that it depends on; required
	TTL     time.Duration `json:"ttl,omitempty"` // how old an outcome may be; 0 for any age
}

// Pools lists the pools that nodes of the plan and of its subgraphs name, each once, in the order of the alphabet.
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

// shared checks a node's policies for what it shares with other runs, and how its waits are spread.
func (c *checker) shared(i int) {
	n := &c.def.Nodes[i]
	if j := n.Retry.Jitter; !(j >= 0 && j <= 1) { // which is also how NaN is found
		c.at(i, BadPolicy, "its jitter is %v; it is a share of the wait, from 0 to 1", j)
	}
	if f := n.Retry.Factor; f != 0 && !(f >= 1 && f <= math.MaxFloat64) {
		c.at(i, BadPolicy, "the factor of its backoff is %v; it is at least 1, and 0 is the default", f)
	}
	if fault := nameFault(n.Pool, ""); n.Pool != "" && fault != "" {
		c.at(i, BadPolicy, "the name of its pool %s", fault)
	}
	if n.Sub != nil && n.Pool != "" {
		c.at(i, BadPolicy, "it is in pool %q, and a subgraph has no function that could wait for a pool; "+
			"name the pool at the nodes inside", n.Pool)
	}
	if n.Cache == nil {
		return
	}
	if n.Sub != nil {
		c.at(i, BadPolicy, "it has a cache, and a subgraph has no function whose outcome could be kept; "+
			"cache the nodes inside")
	}
	if n.Cache.Version == "" {
		c.at(i, BadPolicy, "its cache has no version; give it one, and a new one whenever what the node does changes, "+
			"or old outcomes stand for the new code")
	}
	if n.Cache.TTL < 0 {
		c.at(i, BadPolicy, "the TTL of its cache is %s; it may not be negative, and 0 is for ever", n.Cache.TTL)
	}
}
