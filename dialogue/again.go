package dialogue

import "slices"

// Steps that ask again stand in loops. In each round they take a value of their own: one that the user has said since the
// round began, perhaps before the question, and else the answer to it. Values of earlier rounds do not matter to a later
// one.

// repeats is the step of a flow that asks for a slot again and again; nil for none.
func (f *flow) repeats(slot string) *step {
	i := slices.IndexFunc(f.list, func(st *step) bool { return st.Type == CollectStep && st.Again && st.Slot == slot })
	if i < 0 {
		return nil
	}
	return f.list[i]
}

// round is where in the trail the value that a slot has now was taken, and whether it is of an earlier round. Slots
// that are asked for once have had one round only.
func (f *flow) round(frame *Frame, slot string) (from int, past bool) {
	st := f.repeats(slot)
	if st == nil {
		return 0, false
	}
	for i, m := range frame.Trail {
		if m.Step == st.ID {
			from = i
		}
	}
	if len(frame.Trail) == 0 || frame.Trail[from].Step != st.ID {
		return 0, false
	}
	past = frame.Step == st.ID || slices.ContainsFunc(frame.Trail[from+1:], func(m mark) bool {
		return m.Sum != left && holdsStep(f.steps[m.Step].Steps, st.ID)
	})
	return from, past
}

// left is in the mark of a loop that was left: what follows it is no other round.
const left = "left"

// holdsStep reports whether a step is one of a loop's, however deep.
func holdsStep(list []Step, id string) bool {
	return slices.ContainsFunc(list, func(st Step) bool { return st.ID == id || holdsStep(st.Steps, id) })
}

// asksAgain reports whether a step asks though its slot is filled: nobody has said the value in this round.
func (f *flow) asksAgain(frame *Frame, st *step, p place) bool {
	if !st.Again || slices.Contains(frame.Fresh, st.Slot) {
		return false
	}
	_, past := f.round(frame, st.Slot)
	return past || p.slot.Initial != nil || p.frame == nil
}

// refresh notes that the user has said a value, and reports whether it is the answer to a question, or the first one of a
// new round: then the value before was not wrong.
func (d *Dialogue) refresh(s *State, p place) (answer bool) {
	for _, f := range p.frames(s) {
		fl := d.flows[f.Flow]
		if p.frame != nil || f == s.top() {
			_, past := fl.round(f, p.slot.name)
			st := fl.steps[f.Step]
			answer = past && !slices.Contains(f.Fresh, p.slot.name) || st != nil && st.Type == CollectStep && st.Slot == p.slot.name || fl.anotherRound(f, p.slot.name)
		}
		d.refreshed(f, p.slot.name)
	}
	return answer
}

// anotherRound reports whether the user has just said yes to the question whether there is another round, and a slot of the loop has its
// value of that round: "Anything else?" "Yes, a small margherita." The round before keeps what it has.
func (f *flow) anotherRound(frame *Frame, slot string) bool {
	st := f.steps[frame.Step]
	if st == nil || st.Type != CollectStep || !st.Again || frame.Slots[st.Slot] != true || !slices.Contains(frame.Fresh, st.Slot) {
		return false
	}
	asks := f.repeats(slot)
	return asks != nil && slices.ContainsFunc(f.list, func(loop *step) bool {
		return loop.Type == WhileStep && len(loop.Steps) > 0 && loop.Steps[len(loop.Steps)-1].ID == st.ID && holdsStep(loop.Steps, asks.ID) && asks.ID != st.ID
	})
}

// inTurn are values in the order in which they count: the answer to a question that a loop asks in each round comes before others, for a yes
// may open the round that they belong to.
func (d *Dialogue) inTurn(s *State, set []Change) []Change {
	f := s.top()
	if f == nil {
		return set
	}
	st := d.flows[f.Flow].steps[f.Step]
	at := slices.IndexFunc(set, func(c Change) bool { return st != nil && st.Type == CollectStep && st.Again && c.Slot == st.Slot })
	if at < 0 {
		return set
	}
	return append([]Change{set[at]}, slices.Delete(slices.Clone(set), at, at+1)...)
}

// refreshed notes that the user has said something for a slot that is asked for again and again.
func (d *Dialogue) refreshed(f *Frame, slot string) {
	if f != nil && d.flows[f.Flow].repeats(slot) != nil && !slices.Contains(f.Fresh, slot) {
		f.Fresh = append(f.Fresh, slot)
	}
}

// taken is the opposite of refreshed: a step has taken the value.
func (f *Frame) taken(slot string) {
	f.Fresh = slices.DeleteFunc(f.Fresh, func(name string) bool { return name == slot })
}

// forgets leaves out of what is known values of earlier rounds, and those that a slot began with and that it has not now.
func (d *Dialogue) forgets(f *Frame, names map[string]any) map[string]any {
	if f != nil {
		fl := d.flows[f.Flow]
		for _, sl := range fl.order {
			_, past := fl.round(f, sl.name)
			if _, has := f.Slots[sl.name]; !has || past && !slices.Contains(f.Fresh, sl.name) {
				delete(names, sl.name)
			}
		}
	}
	return names
}
