package plan

// Bounded reports whether the time of the node's attempts is bounded (law N11).
func (n *Node) Bounded() bool { return n.Timeout > 0 || n.Idle > 0 }

var timeoutPolicy = policy{
	has: func(n *Node) bool { return n.Timeout > 0 },
	check: func(n *Node, wrong func(string, ...any)) {
		if n.Timeout < 0 {
			wrong("its timeout is %s; it may not be negative, and 0 is none", n.Timeout)
		}
		if n.Timeout > 0 && n.Sub != nil { // law N11
			wrong("a timeout (%s) bounds one call of a function, and a subgraph or map has none; give it to the nodes inside", n.Timeout)
		}
	},
	document: func(n *Node, d *nodeDocument) { d.TimeoutMS = n.Timeout.Milliseconds() },
}
