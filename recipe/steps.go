package recipe

import (
	"slices"
)

// checkSteps reports a max_steps that even the shortest way to an end does not keep to: no run of it completes.
func (c *checked) checkSteps() {
	if c.maxSteps == 0 || c.wiring.dangling || c.wiring.entry == nil {
		return
	}
	way := c.flow.shortest()
	if len(way) <= c.maxSteps {
		return
	}
	c.report.Add(c.stepsAt, "no run can end: max_steps is %d, and the shortest way to an end has %d nodes, %s; expected at least that many",
		c.maxSteps, len(way), wayOf(way))
}

// shortest are the ids of the nodes of the shortest way to where a path may end; none where there is no end.
func (f *flow) shortest() []string {
	entry := f.wiring.entry
	before := map[*step]*step{entry: nil}
	for todo := []*step{entry}; len(todo) > 0; todo = todo[1:] {
		n := todo[0]
		if f.mayEnd(n) {
			var ids []string
			for ; n != nil; n = before[n] {
				ids = append(ids, n.id.Text)
			}
			slices.Reverse(ids)
			return ids
		}
		for _, l := range f.wiring.out[n] {
			if _, seen := before[l.to]; !seen {
				before[l.to] = n
				todo = append(todo, l.to)
			}
		}
	}
	return nil
}

// mayEnd reports whether a path may end at a node.
func (f *flow) mayEnd(n *step) bool {
	return n.kind != typeRouter && (n.review != nil || !f.goesOn(n))
}
