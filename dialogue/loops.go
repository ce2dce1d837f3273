package dialogue

import (
	"maps"
	"slices"
)

// endless reports loops that never end once they have begun: nothing in them waits for the user, and nothing in them
// changes what decides whether they are left.
func (c *compiler) endless(f *flow) {
	if f.lost || f.steps[End] != nil || f.steps[Stop] != nil {
		return // what was meant is not known
	}
	told := make(map[string]bool)
	for _, st := range f.list {
		loop := f.around(st.ID)
		if !slices.Contains(loop, st.ID) || slices.ContainsFunc(loop, func(id string) bool { return told[id] }) {
			continue
		}
		if c.endlessLoop(f, st, loop) {
			for _, id := range loop {
				told[id] = true
			}
		}
	}
}

// endlessLoop reports a loop that never ends, at the step that should end it.
func (c *compiler) endlessLoop(f *flow, st *step, loop []string) bool {
	var exits []*step
	var changes []string
	for _, id := range loop {
		in := f.steps[id]
		if in.asks() && (in.Type != CollectStep || in.Again) || in.Type == CallStep {
			return false // users can change things, or end it
		}
		changes = append(changes, in.writes...)
		if slices.ContainsFunc(in.ways(), func(to string) bool { return !slices.Contains(loop, to) }) {
			exits = append(exits, in)
		}
	}
	switch {
	case len(exits) == 0:
		c.fault(st.path, "the loop never ends: no way leads out of it, and nothing in it asks the user")
	case len(exits) > 1 || exits[0].OnError != "" || exits[0].Type != BranchStep && exits[0].Type != WhileStep || exits[0].readsAny(changes):
		return false
	case slices.ContainsFunc(loop, func(id string) bool {
		return f.steps[id].Type == CollectStep && exits[0].readsAny([]string{f.steps[id].Slot})
	}):
		if !c.staysIn(f, exits[0], loop) {
			return false
		}
		c.fault(exits[0].path, "the loop may never end once its slots are filled: a collect step asks once; again: true asks in each round")
	default:
		c.fault(exits[0].path, "the loop never ends once it has begun: nothing in it changes what it depends on, and nothing in it asks the user")
	}
	return true
}

// staysIn reports whether a step leads back into a loop with some of the values that its slots may have; false where
// they are too many to tell.
func (c *compiler) staysIn(f *flow, st *step, loop []string) bool {
	all := []map[string]any{{}}
	for _, name := range st.reads {
		var more []map[string]any
		for _, v := range c.d.slotOf(f, name).few() {
			for _, names := range all {
				with := maps.Clone(names)
				with[name] = v
				more = append(more, with)
			}
		}
		if all = more; len(all) > 100 {
			return false
		}
	}
	return slices.ContainsFunc(all, func(names map[string]any) bool {
		for _, k := range st.cases {
			if holds, err := k.when.Holds(scopeOf(names)); err != nil {
				return false
			} else if holds {
				return slices.Contains(loop, k.next)
			}
		}
		return slices.Contains(loop, st.otherwise)
	})
}

// few are the values of a slot that has few.
func (s *slot) few() []any {
	if s == nil {
		return nil
	}
	return s.Type.kind().few(s.Slot)
}

// around are the steps of the loops that a step is in: those that it leads to and that lead back to it.
func (f *flow) around(id string) []string {
	var loop []string
	for _, st := range f.list {
		if f.leads(id, st.ID) && f.leads(st.ID, id) {
			loop = append(loop, st.ID)
		}
	}
	return loop
}

// leads reports whether a way leads from a step to another one, or back to itself.
func (f *flow) leads(from, to string) (found bool) {
	if st := f.steps[from]; st != nil {
		f.walk(st.ways(), func(id string) bool {
			found = found || id == to
			return !found
		})
	}
	return found
}

// walk visits each step and each end that ways lead to, once. It goes on behind those for which visit says so.
func (f *flow) walk(work []string, visit func(id string) bool) {
	seen := make(map[string]bool)
	for len(work) > 0 {
		id := work[0]
		work = work[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		if visit(id) && f.steps[id] != nil {
			work = append(work, f.steps[id].ways()...)
		}
	}
}
