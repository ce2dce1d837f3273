package plan

var idlePolicy = policy{
	has: func(n *Node) bool { return n.Idle > 0 },
	check: func(n *Node, wrong func(string, ...any)) {
		if n.Idle < 0 {
			wrong("its idle time is %s; it may not be negative, and 0 is none", n.Idle)
		}
		if n.Idle > 0 && n.Sub != nil { // law N11
			wrong("an idle time (%s) bounds one call of a function, and a subgraph or map has none; give it to the nodes inside", n.Idle)
		}
	},
	document: func(n *Node, d *nodeDocument) { d.IdleMS = n.Idle.Milliseconds() },
}
