package plan

// LoopLimit is how many tasks may start while the run never waits, 0 without such a limit (law F4). It is [DefaultTasks]
// for a plan with a loop that sets no limit of tasks. The run counts them, and each item of a map.
func (p *Plan) LoopLimit() int {
	if p.def.Limits.Tasks == 0 && p.looped {
		return DefaultTasks
	}
	return 0
}

// hasLoop reports whether the edges of a plan, or of one of its subgraphs, lead in a circle.
func hasLoop(def *Definition) bool {
	all := make([]int, len(def.Nodes))
	for v := range def.Nodes {
		if all[v] = v; def.Nodes[v].Sub != nil && def.Nodes[v].Sub.looped {
			return true
		}
	}
	return len(newSubset(newTopology(def).graph).cycles(all)) > 0
}

// amounts checks the limits on what models may take.
func (c *checker) amounts() {
	if n := c.def.Limits.Tokens; n < 0 {
		c.plan(BadPolicy, "the limit of tokens is %d; it may not be negative, and 0 is no limit", n)
	}
	if n := c.def.Limits.Cost; n < 0 {
		c.plan(BadPolicy, "the limit of cost is %d micro-dollars; it may not be negative, and 0 is no limit", n)
	}
}
