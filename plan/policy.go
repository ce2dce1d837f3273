package plan

// policy is one kind of node policies, as a plan declares it: a field of Node, and how it is checked and shown. What the
// engine does about it is in internal/executor.
type policy struct {
	has      func(n *Node) bool                                    // the node has it
	check    func(n *Node, wrong func(format string, args ...any)) // says each thing that is wrong about it
	document func(n *Node, d *nodeDocument)                        // writes it into the plan's JSON
	own      func(n *Node)                                         // makes what the field points to the plan's own; nil where it is a value
}

// policies are the kinds of node policies. Each has a file of its own.
var policies = []*policy{&retryPolicy, &timeoutPolicy, &idlePolicy, &poolPolicy, &cachePolicy}

// governed reports whether the node has a policy.
func (n *Node) governed() bool {
	for _, p := range policies {
		if p.has(n) {
			return true
		}
	}
	return false
}
