package machine

import (
	"slices"

	"github.com/fermata-go/fermata/plan"
)

// task is one open task. Its scopes are known.
func (c *coder) task(i int) {
	t := c.m.tasks[i]
	if c.err != nil {
		return
	}
	number(c, &t.ID)
	c.node(&t.Node, 0)
	number(c, &t.Visit)
	number(c, &t.Attempt)
	number(c, &t.State)
	number(c, &t.Ref)
	number(c, &t.Result)
	number(c, &t.nth)
	number(c, &t.inARow)
	c.flags(&t.Own, &t.failed, &t.atWork)
	record(c, &t.Cause)
	list(c, &t.Ops, c.op)
	c.text(&t.WaitFor)
	c.text(&t.LastWait)
	c.bytes(&t.Beat)
	number(c, &t.RetryAt)
	record(c, &t.Error)
	c.text(&t.Began)
	record(c, &t.unplaced)
	c.leaves(&t.leaves)
	c.arrivals(&t.taken)
	c.slots(&t.slots)
	list(c, &t.items, c.item)
	number(c, &t.of)
	number(c, &t.begun)
	undoes := t.undo != nil
	if c.flags(&undoes); undoes {
		if c.reading {
			t.undo = &undo{}
		}
		c.undo(t.undo)
	}
	c.within("state", int(t.State), 0, int(Broken)+1)
	c.within("item", t.begun, 0, len(t.items)+1)
	c.within("item", len(t.items), 0, t.of+1)
	if t.ID == 0 || t.ID > c.m.head || i > 0 && t.ID <= c.m.tasks[i-1].ID {
		c.fail("task %d of %d", t.ID, c.m.head)
	}
}

func (c *coder) op(op *Op) {
	c.text(&op.ID)
	text(c, &op.Kind)
	c.flags(&op.Done, &op.Begun, &op.Terminal, &op.Apart)
	number(c, &op.Tries)
	c.bytes(&op.Value)
	c.text(&op.Failure)
	number(c, &op.After)
	record(c, &op.Marks)
	number(c, &op.Attempt)
	number(c, &op.Place)
	number(c, &op.Due)
	c.text(&op.Interrupt)
	c.text(&op.Digest)
	c.text(&op.Shape)
	c.text(&op.By)
	number(c, &op.At)
	c.text(&op.Name)
	number(c, &op.Message)
	c.text(&op.Letter)
	record(c, &op.Usage)
}

func (c *coder) item(it *item) {
	number(c, &it.ref)
	c.arrivals(&it.ends)
	c.slots(&it.slots)
	record(c, &it.failure)
}

// slots are values of a dataflow. Which nodes may be in them is looked at where the dataflow is known.
func (c *coder) slots(slots *[]slot) {
	list(c, slots, func(s *slot) {
		number(c, &s.from)
		number(c, &s.ref)
	})
}

// scope is the rest of a scope whose task is known: the paths that have ended, and how its dataflow stands.
func (c *coder) scope(s *scope) {
	c.arrivals(&s.ends)
	has := s.flow != nil
	if c.flags(&has); c.err != nil {
		return
	}
	m, d, at := c.m, c.m.plan.Dataflow(), c.m.plan.Inside()
	if t := s.parent; t != nil {
		d, at = nil, nil
		if t.Node < len(m.flat) && m.flat[t.Node].Sub != nil {
			d, at = m.flat[t.Node].Sub.Dataflow(), m.flat[t.Node].Inside
		}
		if s.item > 0 {
			c.enter(s, t)
		}
	}
	switch {
	case has && d == nil:
		c.fail("a dataflow where the plan has none")
	case has && c.reading:
		s.flow = newFlow(d, at, 0, func(int) bool { return false })
	case has && s.flow.d != d:
		c.fail("a dataflow of another plan")
	}
	if has && c.err == nil {
		c.flow(s.flow)
	}
	for _, t := range m.tasks {
		if t.scope == s && c.err == nil {
			c.given(s, t)
		}
	}
}

// enter puts a scope at the item that it is of.
func (c *coder) enter(s *scope, t *Task) {
	if !c.within("item", s.item, 1, t.begun+1) || !c.reading {
		return
	}
	it := &t.items[s.item-1]
	if it.scope != nil || c.m.scopes[s.space.prefix] != nil || t.Node >= len(c.m.flat) {
		c.fail("an item is at work twice")
		return
	}
	it.scope = s
	if c.m.scopes == nil {
		c.m.scopes = make(map[string]*scope)
	}
	c.m.scopes[s.space.prefix] = s
	t.active++
}

// flow is how a dataflow stands. Its counts follow from the rest.
func (c *coder) flow(f *flow) {
	number(c, &f.input)
	for v := range f.nodes {
		n := &f.nodes[v]
		number(c, &n.ref)
		number(c, &n.ended)
		c.flags(&n.ran, &n.visited, &n.running, &n.fresh, &n.failed)
	}
	for name := range f.latest {
		number(c, &f.latest[name])
		c.within("writer", f.latest[name], nobody, len(f.nodes))
	}
	decision := func(d *choice) {
		number(c, &d.seq)
		number(c, &d.gate)
		number(c, &d.to)
		number(c, &d.depth)
		record(c, &d.cause)
		c.within("gate", d.gate, 0, len(f.nodes))
		if c.within("target", d.to, 0, len(f.nodes)) && !slices.ContainsFunc(f.d.Nodes[d.gate].Targets, func(a plan.Aimed) bool { return a.To == d.to }) {
			c.fail("a gate has chosen what it cannot")
		}
	}
	list(c, &f.chosen, decision)
	list(c, &f.pending, decision)
	list(c, &f.strays, c.text)
	list(c, &f.ghosts, func(g *ghost) {
		c.node(&g.at, 0)
		number(c, &g.ref)
		number(c, &g.began)
	})
	list(c, &f.skips, func(skipped *bool) { c.flags(skipped) })
	list(c, &f.brought, func(slots *[]slot) { c.slots(slots) })
	c.flags(&f.over)
	if f.skips != nil {
		c.within("node", len(f.skips), len(f.nodes), len(f.nodes)+1)
	}
	if f.brought != nil {
		c.within("node", len(f.brought), len(f.nodes), len(f.nodes)+1)
	}
	if c.reading && c.err == nil {
		f.count()
	}
}

// given looks whether a task can lie in a scope, and whether the values are there that it was given.
func (c *coder) given(s *scope, t *Task) {
	m := c.m
	if s.flow == nil {
		c.within("slot", len(t.slots), 0, 1)
	} else if v := m.local(t); v >= 0 {
		if v >= len(s.flow.at) || s.flow.at[v] != t.Node {
			c.fail("a task of another dataflow")
			return
		}
		c.within("slot", len(t.slots), 0, len(s.flow.d.Nodes[v].In)+1)
	}
	for _, from := range t.slots {
		c.within("writer", from.from, nobody, len(s.flow.nodes))
	}
	if t.Node >= len(m.flat) || m.flat[t.Node].Sub == nil {
		return
	}
	d := m.flat[t.Node].Sub.Dataflow()
	for i := range t.items {
		for _, from := range t.items[i].slots {
			c.within("writer", from.from, nobody, nodesOf(d))
		}
	}
}

func nodesOf(d *plan.Dataflow) int {
	if d == nil {
		return 0
	}
	return len(d.Nodes)
}
