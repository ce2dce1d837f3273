package dialogue

import (
	"errors"
	"slices"

	"github.com/fermata-go/fermata/node"
)

// reject tells the user why a value is not good. One that cannot be checked is not good either: an operator is told why.
func (d *Dialogue) reject(ctx node.Context, s *State, p place, v any, err error) error {
	if _, ok := errors.AsType[*rejection](err); !ok {
		if err := d.tell(ctx, s, "%v", err); err != nil {
			return err
		}
	}
	return d.pattern(ctx, s, OnRejection, p.frame, map[string]any{"slot": p.slot.title(), "value": d.shown(s, p.slot, v), "reason": d.reasonOf(err, d.shown(s, p.slot, v))})
}

// reasonOf is why a value is not good, as it is said.
func (d *Dialogue) reasonOf(err error, value string) string {
	if r, ok := errors.AsType[*rejection](err); ok {
		return r.reason
	}
	return d.impossible(value)
}

// change gives a slot a value that the user has said. Where the slot has another one already, what was made with it is
// made again.
func (d *Dialogue) change(ctx node.Context, s *State, c Change) error {
	p, ok := d.owner(s, c.Flow, c.Slot)
	if !ok {
		if d.isLate(s, c.Slot) {
			return d.pattern(ctx, s, OnTooLate, s.top(), map[string]any{"slot": d.slotNamed(c.Slot).title(), "value": d.shown(s, d.slotNamed(c.Slot), c.Value)})
		}
		return d.tell(ctx, s, "a value for %q was dropped: no flow that is going on has the slot", c.Slot)
	}
	if !p.slot.asked {
		return d.tell(ctx, s, "a value for %q was dropped: users are not asked for it", c.Slot)
	}
	if c.Left != "" {
		return d.doubts(ctx, s, p, c)
	}
	if c.Confidence < d.settings.MinConfidence {
		return d.pattern(ctx, s, OnUnsure, p.frame, map[string]any{"slot": p.slot.title(), "value": d.shown(s, p.slot, c.Value)})
	}
	old, had := p.get(s)
	if err := d.fill(s, p, c.Value); err != nil {
		return d.reject(ctx, s, p, c.Value, err)
	}
	v, _ := p.get(s)
	answer := d.refresh(s, p)
	if !had || answer || equal(old, v) {
		return nil
	}
	if late := d.late(s, p); late {
		p.values(s)[p.slot.name] = old
		return d.pattern(ctx, s, OnTooLate, p.frame, map[string]any{"slot": p.slot.title(), "value": d.shown(s, p.slot, v)})
	}
	d.rewind(s, p)
	return d.pattern(ctx, s, OnCorrection, p.frame, map[string]any{"slot": p.slot.title(), "value": d.shown(s, p.slot, v)})
}

// clear empties a slot, so that the user is asked for it again.
func (d *Dialogue) clear(ctx node.Context, s *State, name string) error {
	p, ok := d.owner(s, "", name)
	if !ok {
		if d.isLate(s, name) {
			return d.pattern(ctx, s, OnTooLate, s.top(), map[string]any{"slot": d.slotNamed(name).title()})
		}
		return d.tell(ctx, s, "the slot %q was not cleared: no flow that is going on has it", name)
	}
	if _, had := p.get(s); !had || !p.slot.asked {
		return nil
	}
	if d.late(s, p) {
		return d.pattern(ctx, s, OnTooLate, p.frame, map[string]any{"slot": p.slot.title()})
	}
	delete(p.values(s), name)
	if p.frame != nil {
		p.frame.taken(name)
	}
	if !d.rewind(s, p) && p.slot.initial != nil { // nobody has been asked for it yet, and what follows may count on it
		p.values(s)[name] = p.slot.initial
		return nil
	}
	return d.pattern(ctx, s, OnCleared, p.frame, map[string]any{"slot": p.slot.title()})
}

// frames are those that a slot's value matters to.
func (p place) frames(s *State) []*Frame {
	if p.frame != nil {
		return []*Frame{p.frame}
	}
	all := make([]*Frame, len(s.Stack))
	for i := range s.Stack {
		all[i] = &s.Stack[i]
	}
	return all
}

// late reports whether something that cannot be taken back was made with the slot.
func (d *Dialogue) late(s *State, p place) bool {
	return slices.ContainsFunc(p.frames(s), func(f *Frame) bool {
		return slices.Contains(f.Late, p.slot.name) || d.lateIn(s, f, p.slot.name)
	})
}

// isLate is late for a slot of a flow whose place another one has taken.
func (d *Dialogue) isLate(s *State, name string) bool {
	return slices.ContainsFunc(s.Stack, func(f Frame) bool { return slices.Contains(f.Late, name) })
}

// slotNamed is the slot of a name in any flow; without a type where none has it.
func (d *Dialogue) slotNamed(name string) *slot {
	for _, f := range d.order {
		if sl := f.slots[name]; sl != nil {
			return sl
		}
	}
	return &slot{name: name}
}

// lateIn is late for a flow by itself.
func (d *Dialogue) lateIn(s *State, f *Frame, slot string) bool {
	tainted, chosen, back := []string{slot}, false, false
	from, _ := d.flows[f.Flow].round(f, slot)
	for _, m := range f.Trail[from:] {
		st := d.flows[f.Flow].steps[m.Step]
		touched := st.readsAny(tainted) || chosen
		if back = back || touched; back && m.Final && (touched || st.Type == CallStep) { // a flow reads what it likes
			return true
		}
		if !touched {
			continue
		}
		chosen = chosen || st.Type == BranchStep || st.Type == WhileStep // all that follows hangs on it
		tainted = append(tainted, keysOf(m.Out)...)
	}
	return back && slices.ContainsFunc(s.Stack, func(o Frame) bool {
		return d.partOf(s, o, f.ID) && slices.ContainsFunc(o.Trail, func(m mark) bool { return m.Final })
	})
}

// lateBehind are the slots that are late for a flow which takes the place of another one: those of the other that it has
// not itself, and those that it was given of them.
func (d *Dialogue) lateBehind(s *State, f *Frame, link *step) (late []string) {
	before := slices.Clone(f.Late)
	for _, name := range slices.Concat(keysOf(d.flows[f.Flow].slots), keysOf(d.slots)) {
		if d.lateIn(s, f, name) {
			before = append(before, name)
		}
	}
	for _, name := range before {
		if d.flows[link.Flow].slots[name] == nil {
			late = append(late, name)
		}
	}
	for _, in := range link.inputs {
		if slices.ContainsFunc(in.code.Names(), func(name string) bool { return slices.Contains(before, name) }) {
			late = append(late, in.name)
		}
	}
	slices.Sort(late)
	return slices.Compact(late)
}

// rewind takes flows back to the first step that was made with the slot. Actions that lie behind it are not made again
// where they would be given the same. It reports whether there was one. An empty slot that began with a value is asked
// for again where it was: what was made with it before was made with the value that it began with.
func (d *Dialogue) rewind(s *State, p place) bool {
	var again []int
	_, filled := p.get(s)
	for _, f := range p.frames(s) {
		steps := d.flows[f.Flow].steps
		from, _ := d.flows[f.Flow].round(f, p.slot.name)
		first := slices.IndexFunc(f.Trail[from:], func(m mark) bool {
			st := steps[m.Step]
			if _, wrote := m.Out[p.slot.name]; wrote && !filled { // what follows counts on it
				return true
			}
			if filled && slices.Contains(m.Knew, p.slot.name) && d.flows[f.Flow].hangsOn(f.Step, p.slot.name) {
				return true // the yes was to another value
			}
			return st.readsAny([]string{p.slot.name}) && (filled || p.slot.initial == nil || st.Type == CollectStep && st.Slot == p.slot.name)
		})
		if first < 0 {
			continue
		}
		first += from
		for i := len(f.Trail) - 1; i >= first; i-- {
			d.undo(s, f, f.Trail[i])
		}
		for _, m := range f.Trail[first:] {
			if t := steps[m.Step].Type; t == ActionStep || t == InformStep {
				m.Was, m.New = nil, nil
				f.Made = append(f.Made, m)
			}
			if st := steps[m.Step]; st.Again && st.Slot != p.slot.name {
				d.refreshed(f, st.Slot) // what was said for it holds on
			}
		}
		f.Step, f.Trail = f.Trail[first].Step, f.Trail[:first:first]
		f.Yes, f.No, f.Read, f.Choice = nil, "", "", ""
		again = append(again, f.ID)
	}
	s.Stack = slices.DeleteFunc(slices.Clone(s.Stack), func(f Frame) bool { // the flows that they wait for are called again
		return slices.ContainsFunc(again, func(id int) bool { return d.partOf(s, f, id) })
	})
	return len(again) > 0
}

// hangsOn reports whether something that is still to be done hangs on a slot.
func (f *flow) hangsOn(from, slot string) bool {
	return slices.ContainsFunc(f.list, func(st *step) bool {
		does := st.Type != CollectStep && st.Type != ConfirmStep && st.Type != InformStep
		return does && st.readsAny([]string{slot}) && (st.ID == from || f.leads(from, st.ID))
	})
}

// undo takes back what a step has written, where nobody has changed it since.
func (d *Dialogue) undo(s *State, f *Frame, m mark) {
	for _, name := range keysOf(m.Out) {
		p := d.findOrMake(f, name)
		if v, has := p.get(s); !has || !equal(v, m.Out[name]) {
			continue
		}
		if slices.Contains(m.New, name) {
			delete(p.values(s), name)
		} else if was, ok := m.Was[name]; ok {
			p.values(s)[name] = was
		}
	}
}
