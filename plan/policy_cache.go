package plan

import "time"

// Cache allows a node to reuse its outcome for an equal input, in any run of a runtime (law D13).
//
// The key is the name of the plan that declares the node, the node's name, this Version, and the input. Nodes
// before it do not count, nor does anything else that its function reads; encode such data in the Version.
// Failures and outcomes that a person took part in are not cached.
type Cache struct {
	Version string        `json:"version"`       // of the node's code and of all that it depends on; required
	TTL     time.Duration `json:"ttl,omitempty"` // how old an outcome may be; 0 for any age
}

type cacheDocument struct {
	Version string `json:"version,omitempty"`
	TTLMS   int64  `json:"ttl_ms,omitempty"`
}

var cachePolicy = policy{
	has: func(n *Node) bool { return n.Cache != nil },
	check: func(n *Node, wrong func(string, ...any)) {
		if n.Cache == nil {
			return
		}
		if n.Sub != nil {
			wrong("it has a cache, and a subgraph has no function whose outcome could be kept; " +
				"cache the nodes inside")
		}
		if n.Cache.Version == "" {
			wrong("its cache has no version; give it one, and a new one whenever what the node does changes, " +
				"or old outcomes stand for the new code")
		}
		if n.Cache.TTL < 0 {
			wrong("the TTL of its cache is %s; it may not be negative, and 0 is for ever", n.Cache.TTL)
		}
	},
	document: func(n *Node, d *nodeDocument) {
		if n.Cache != nil {
			d.Cache = cacheDocument{n.Cache.Version, n.Cache.TTL.Milliseconds()}
		}
	},
	own: func(n *Node) {
		if n.Cache != nil {
			kept := *n.Cache
			n.Cache = &kept
		}
	},
}
