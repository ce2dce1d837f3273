package dialogue

import (
	"slices"

	"github.com/fermata-go/fermata/node"
)

// finished takes an ended flow off the stack.
func (d *Dialogue) finished(ctx node.Context, s *State) error {
	f := *s.top()
	d.conceal(s)
	s.drop(f.ID)
	s.Done = s.Done || f.End == ended && f.For == "" && f.Out == nil
	s.For, s.Owes = f.For, s.Owes || f.For != ""
	if to := f.link(); to != nil && d.shut(s, d.flows[to.Flow]) {
		if err := d.unavailable(ctx, s, d.flows[to.Flow]); err != nil {
			return err
		}
		f.End = refused
	} else if to != nil {
		next := d.begin(s, to.Flow, to.Slots)
		next.Out, next.For, next.Late = f.Out, f.For, to.Late
		return nil
	}
	caller := d.caller(s, &f)
	if caller != nil && f.End == ended {
		return d.returned(s, caller, &f)
	}
	for caller != nil { // those that wait for it are not gone on with either
		gone := *caller
		s.drop(gone.ID)
		caller = d.caller(s, &gone)
	}
	switch f.End {
	case cancelled:
		if err := d.pattern(ctx, s, OnDenied, &f, nil); err != nil {
			return err
		}
	case broken:
		s.Steps = 0 // what lies below has not made them
		if err := d.failed(ctx, s, &f); err != nil {
			return err
		}
	}
	return d.resumed(ctx, s, true)
}

// failed says that a flow could not go on.
func (d *Dialogue) failed(ctx node.Context, s *State, f *Frame) error {
	r := f.Refused
	if r == nil {
		return d.pattern(ctx, s, OnFailure, f, nil)
	}
	if err := d.tell(ctx, s, "flow %s: %v", f.Flow, r); err != nil {
		return err
	}
	return d.pattern(ctx, s, OnRefused, f, map[string]any{"slot": r.Slot, "value": r.Value, "reason": r.Reason})
}

// caller is the frame that waits for another one; nil for none.
func (d *Dialogue) caller(s *State, f *Frame) *Frame {
	if f.Out == nil {
		return nil
	}
	return s.frame(f.Out.Frame)
}

// returned gives a flow that has called another one what came of it.
func (d *Dialogue) returned(s *State, caller, f *Frame) error {
	fl := d.flows[caller.Flow]
	st := fl.steps[f.Out.Step]
	m := mark{Step: st.ID, Out: make(map[string]any)}
	for _, a := range st.outs {
		if v, ok := f.Slots[a.path]; ok {
			m.Out[a.name] = v
		}
	}
	if slices.ContainsFunc(f.Trail, func(m mark) bool { return m.Final }) {
		m.Final = true
	}
	return fl.wrote(s, st, m)
}

// resumed says that the flow below goes on, where the user may have lost sight of it.
func (d *Dialogue) resumed(ctx node.Context, s *State, aloud bool) error {
	if f := s.top(); f != nil && aloud && f.End == "" && (f.For == "" || f.Step != "") { // one that has just begun speaks for itself
		return d.pattern(ctx, s, OnResume, f, nil)
	}
	return nil
}

// idle waits for the next thing that the user wants.
func (d *Dialogue) idle(ctx node.Context, s *State) error {
	if s.Pending != nil {
		return d.ask(ctx, s)
	}
	if s.Done {
		s.Done = false
		if err := d.pattern(ctx, s, OnCompleted, nil, nil); err != nil || len(s.Stack) > 0 {
			return err
		}
	}
	if s.Owes && s.Said == 0 && s.Silences == 0 { // nobody is left without a word
		return sayFor(ctx, s, NewInform(d.defaultWords(OnCompleted, nil, nil)), byBot, OnCompleted)
	}
	return nil
}

// unanswered answers a message that has led to nothing that is said: slots of the conversation that were filled, a command
// that a handler of the program has acted on, or what does not fit, such as a yes to nothing or a value for no flow.
func (d *Dialogue) unanswered(ctx node.Context, s *State, known map[string]any, misses int, handled bool) error {
	for _, name := range keysOf(s.Slots) {
		if sl := d.slots[name]; sl != nil && !equal(known[name], s.Slots[name]) {
			if err := d.pattern(ctx, s, OnCorrection, nil, map[string]any{"slot": sl.title(), "value": d.shown(s, sl, s.Slots[name])}); err != nil {
				return err
			}
			handled = true
		}
	}
	if handled {
		s.Owes = true
		return nil
	}
	s.Misses = misses
	return d.missed(ctx, s)
}
