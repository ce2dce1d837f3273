package dialogue

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/node"
)

// orchestrate acts on what the user has said, and on what flows have come to. It owns the stack of flows: nothing else
// begins, ends or orders them.
func (d *Dialogue) orchestrate(ctx node.Context, s *State) error {
	var given []string
	if s.Message != nil {
		given = d.given(s, s.Commands)
		if given != nil {
			s.hideLast()
		}
		if err := d.heard(ctx, s); err != nil {
			return err
		}
	}
	defer func() { d.conceal(s, given...) }()
	for {
		f := s.top()
		switch {
		case s.Closed, s.Human:
			return nil
		case f == nil:
			return d.idle(ctx, s)
		case f.Call != nil && f.End == "":
			c := f.Call
			f.Call = nil
			if to := d.flows[c.Flow]; d.shut(s, to) {
				if err := d.unavailable(ctx, s, to); err != nil {
					return err
				}
				f.Step, f.End = End, refused
				continue
			}
			if len(s.Stack) >= maxStack {
				if err := d.tell(ctx, s, "flow %s: step %s: %d flows are going on, and no more can begin", f.Flow, c.Step, len(s.Stack)); err != nil {
					return err
				}
				f.Step, f.End = End, broken
				continue
			}
			d.begin(s, c.Flow, c.Slots).Out = &outputs{Frame: f.ID, Step: c.Step}
		case f.End != "":
			if err := d.finished(ctx, s); err != nil {
				return err
			}
		case s.Pending != nil:
			if err := d.later(ctx, s); err != nil {
				return err
			}
			return d.ask(ctx, s)
		default:
			return nil // the flow goes on
		}
	}
}

// later says which flows the user has named at once, and has to wait for while the first one asks something.
func (d *Dialogue) later(ctx node.Context, s *State) error {
	var titles []string
	for _, f := range slices.Backward(s.Stack) {
		if slices.Contains(s.Later, f.ID) && f.ID != s.top().ID && f.Step == "" {
			titles = append(titles, d.flows[f.Flow].title())
		}
	}
	if s.Later = nil; len(titles) == 0 {
		return nil
	}
	return d.pattern(ctx, s, OnLater, nil, map[string]any{"flow": d.language.All(titles)})
}

// maxStack is how many flows may be going on at once.
const maxStack = 100

// next is the node that follows the orchestrator.
func (d *Dialogue) next(s *State) string {
	switch f := s.top(); {
	case s.Closed:
		return node.End
	case s.Human, s.Pending != nil, f == nil:
		return gateNode
	default:
		return f.Flow
	}
}

// heard acts on a message.
func (d *Dialogue) heard(ctx node.Context, s *State) error {
	m := s.Message
	s.Message, s.Done, s.Owes, s.Said, s.Later = nil, false, false, 0, nil
	if s.Human || m.Event != "" { // nothing of it is for the flows
		return d.relay(ctx, s, m)
	}
	if done, err := d.aside(ctx, s); done || err != nil {
		return err
	}
	if s.isOld(m) {
		kept := independent(s.Commands)
		if len(kept) < len(s.Commands) || len(kept) == 0 {
			if err := d.pattern(ctx, s, OnStale, s.top(), nil); err != nil {
				return err
			}
		}
		if s.Commands = kept; len(kept) == 0 {
			s.Commands = nil
			return nil // what stands is asked again
		}
	}
	s.Commands = d.withoutShut(s, s.Commands)
	deltas, handled := make([]Delta, 0, len(s.Commands)), false
	s.dropYes()
	for _, c := range s.Commands {
		if c.Type == Affirm && !(c.sure() >= d.settings.MinConfidence) {
			continue // a doubtful yes is none
		}
		delta, err := d.handle(ctx, c, s)
		if errors.Is(err, node.ErrSuspended) || ctx.Err() != nil {
			return err
		}
		if err != nil { // as if it had not been said: the conversation goes on
			if err := d.tell(ctx, s, "%v", err); err != nil {
				return err
			}
			continue
		}
		deltas, handled = append(deltas, delta), handled || d.services(ctx).Handlers[c.Type] != nil
	}
	d.afterYes(s, m, deltas)
	delta := MergeDeltas(deltas...)
	d.guard(s, m, &delta)
	s.Commands = nil
	pending, by := s.Pending, s.Asked
	s.Pending, s.Asked, s.Clarify = nil, nil, nil
	delta = d.answerDoubt(s, delta)
	if !delta.Silence {
		s.Silences = 0
	}
	if !delta.acts() && len(delta.Clarify) == 0 && !acknowledged(pending) && !handled {
		return d.noChoice(ctx, s, m, pending)
	}
	misses, frames, known := s.Misses, s.Frames, maps.Clone(s.Slots)
	if s.Misses = 0; !delta.acts() && len(delta.Clarify) > 0 {
		s.Misses = misses // none of the flows may be known
	}
	if d.unsure(&delta) {
		if s.Misses = misses + 1; d.settings.Misses > 0 && s.Misses >= d.settings.Misses {
			return d.handOff(ctx, s, Delta{})
		}
	}
	if err := d.act(ctx, s, delta, pending, by); err != nil {
		return err
	}
	if s.Said == 0 && s.Frames == frames && len(s.Stack) == 0 && s.Pending == nil && !s.Human && !s.Closed {
		return d.unanswered(ctx, s, known, misses, handled)
	}
	return nil
}

// acknowledged reports whether any word at all is an answer.
func acknowledged(pending *PendingTask) bool {
	return pending != nil && pending.IsInform() && pending.WaitForAck
}

// handle asks the handler of a command what it changes. A command without a handler changes nothing.
func (d *Dialogue) handle(ctx node.Context, c Command, s *State) (Delta, error) {
	h := d.services(ctx).Handlers[c.Type]
	if h == nil {
		if changes := own[c.Type]; changes != nil {
			return changes(c), nil
		}
		return Delta{}, d.tell(ctx, s, "nothing handles the command %q", c.Type)
	}
	if err := node.Sync(ctx); err != nil { // it may do anything
		return Delta{}, err
	}
	delta, err := h(ctx, c, s)
	if err != nil {
		return Delta{}, fmt.Errorf("command %q: %w", c.Type, err)
	}
	return delta, nil
}

// act makes what the commands of a message change, in the order that Delta says.
func (d *Dialogue) act(ctx node.Context, s *State, delta Delta, pending *PendingTask, by *asked) error {
	if delta.Handoff {
		return d.handOff(ctx, s, delta)
	}
	acts := []func() error{
		func() error { return d.cancel(ctx, s, delta) },
		func() error { return d.start(ctx, s, delta.Start) },
		func() error { return d.changes(ctx, s, delta) },
		func() error { return d.verdict(ctx, s, delta, pending, by) },
		func() error { return d.rest(ctx, s, delta, pending, by) },
	}
	for _, act := range acts {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dialogue) cancel(ctx node.Context, s *State, delta Delta) error {
	if !delta.Cancel {
		return nil
	}
	f := s.top()
	if delta.Flow != "" {
		f = nil
		for i := range s.Stack {
			if s.Stack[i].Flow == delta.Flow {
				f = &s.Stack[i]
			}
		}
	}
	for f != nil && d.caller(s, f) != nil {
		f = d.caller(s, f) // a flow that another one waits for is a part of it
	}
	if f == nil {
		return d.pattern(ctx, s, OnNothing, nil, nil)
	}
	gone := *f
	d.drop(s, gone.ID)
	if err := d.pattern(ctx, s, OnCancel, &gone, nil); err != nil {
		return err
	}
	return d.resumed(ctx, s, len(delta.Start)+len(delta.Clarify) == 0)
}

// drop ends a frame, and those that it waits for.
func (d *Dialogue) drop(s *State, id int) {
	gone := []int{id}
	for _, f := range s.Stack {
		if d.partOf(s, f, id) {
			gone = append(gone, f.ID)
		}
	}
	s.Stack = slices.DeleteFunc(s.Stack, func(f Frame) bool { return slices.Contains(gone, f.ID) })
}

// partOf reports whether a frame was called by another one, or by one that was.
func (d *Dialogue) partOf(s *State, f Frame, id int) bool {
	for up := &f; up != nil; up = d.caller(s, up) {
		if up.Out != nil && up.Out.Frame == id {
			return true
		}
	}
	return false
}

// start begins flows, the first on top. One that is going on already comes to the top.
func (d *Dialogue) start(ctx node.Context, s *State, starts []Start) error {
	d.leavePatterns(s, starts)
	for _, st := range slices.Backward(starts) {
		f := d.flows[st.Flow]
		if f == nil || f.Hidden {
			if err := d.tell(ctx, s, "no flow %q was begun: there is none", st.Flow); err != nil {
				return err
			}
			continue
		}
		at := slices.IndexFunc(s.Stack, func(o Frame) bool { return o.Flow == st.Flow && o.Out == nil })
		if st.After && at < 0 && s.top() != nil && !d.shut(s, f) {
			d.beginBelow(s, st.Flow)
			continue
		}
		if at < 0 && d.shut(s, f) {
			if err := d.unavailable(ctx, s, f); err != nil {
				return err
			}
			continue
		}
		if before := s.top(); before != nil && before.Flow != st.Flow {
			if err := d.pattern(ctx, s, OnDigression, before, map[string]any{"flow": d.flows[before.Flow].title()}); err != nil {
				return err
			}
		}
		switch {
		case at >= 0 && s.top().Flow != st.Flow && !d.calls(s, s.Stack[at].ID):
			again := s.Stack[at]
			s.Stack = append(slices.Delete(s.Stack, at, at+1), again)
		case at < 0:
			d.begin(s, st.Flow, nil)
		}
		if st.Flow != starts[0].Flow {
			s.Later = append(s.Later, s.top().ID)
		}
		for _, name := range keysOf(st.Slots) {
			if err := d.change(ctx, s, Change{Slot: name, Value: st.Slots[name], Confidence: 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

// leavePatterns ends flows that patterns have begun, where the user names another one: they were an answer to a turn, and
// the next one has come. One that has done something for good goes on afterwards.
func (d *Dialogue) leavePatterns(s *State, starts []Start) {
	for f := s.top(); f != nil; f = s.top() {
		for d.caller(s, f) != nil {
			f = d.caller(s, f)
		}
		done := slices.ContainsFunc(s.Stack, func(o Frame) bool {
			return (o.ID == f.ID || d.partOf(s, o, f.ID)) && slices.ContainsFunc(o.Trail, func(m mark) bool { return m.Final })
		})
		named := slices.ContainsFunc(starts, func(st Start) bool {
			fl := d.flows[st.Flow]
			return fl != nil && !fl.Hidden && !d.shut(s, fl) && st.Flow != f.Flow
		})
		if f.For == "" || done || !named {
			return
		}
		d.drop(s, f.ID)
	}
}

// calls reports whether a frame waits for another one.
func (d *Dialogue) calls(s *State, id int) bool {
	return slices.ContainsFunc(s.Stack, func(o Frame) bool { return o.Out != nil && o.Out.Frame == id })
}

// begin puts a flow on the stack.
func (d *Dialogue) begin(s *State, name string, given map[string]any) *Frame {
	f := d.flows[name]
	frame := s.push(name, make(map[string]any))
	for _, sl := range f.order {
		if sl.Initial != nil {
			_ = d.fill(s, place{frame: frame, slot: sl}, sl.initial) // one that is not good here leaves it empty
		}
	}
	for _, name := range keysOf(given) {
		if p, ok := d.find(frame, name); ok && given[name] != nil {
			_ = d.fill(s, p, given[name]) // where it is not good, the flow asks for it
		}
	}
	return frame
}

// beginBelow puts a flow on the stack below the one that goes on, which comes to its end first.
func (d *Dialogue) beginBelow(s *State, name string) {
	at := len(s.Stack) - 1
	for f := s.top(); f != nil; f = d.caller(s, f) {
		at = slices.IndexFunc(s.Stack, func(o Frame) bool { return o.ID == f.ID })
	}
	d.begin(s, name, nil)
	last := len(s.Stack) - 1
	below := s.Stack[last]
	s.Stack = slices.Insert(slices.Delete(s.Stack, last, last+1), at, below)
	s.Later = append(s.Later, below.ID)
}

func (d *Dialogue) changes(ctx node.Context, s *State, delta Delta) error {
	for _, name := range delta.Clear {
		if err := d.clear(ctx, s, name); err != nil {
			return err
		}
	}
	left := d.inTurn(s, delta.Set)
	for len(left) > 0 {
		var now, later []Change
		for _, c := range left {
			if d.refuses(s, c) {
				later = append(later, c)
			} else {
				now = append(now, c)
			}
		}
		if len(now) == 0 {
			now, later = left, nil
		}
		for _, c := range now {
			if err := d.change(ctx, s, c); err != nil {
				return err
			}
		}
		left = later
	}
	return nil
}

// refuses reports whether a value does not go with what is known now.
func (d *Dialogue) refuses(s *State, c Change) bool {
	p, ok := d.owner(s, c.Flow, c.Slot)
	if !ok || !p.slot.asked {
		return false
	}
	_, err := d.check(s, p, c.Value)
	return err != nil
}

// verdict takes a yes or no to what was asked. A yes counts only for the question that the user has seen.
func (d *Dialogue) verdict(ctx node.Context, s *State, delta Delta, pending *PendingTask, by *asked) error {
	if by == nil || pending == nil {
		if delta.No && len(s.Stack) == 0 && !asksFlow(pending) {
			return d.pattern(ctx, s, OnClose, nil, nil)
		}
		return nil
	}
	f := s.frame(by.Frame)
	if f == nil || f.Step != by.Step {
		return nil
	}
	switch {
	case pending.IsConfirm() && delta.Choose != "":
		return d.choose(ctx, s, f, delta.Choose)
	case pending.IsConfirm() && delta.No:
		if delta.Wrong != "" && len(delta.Set) == 0 {
			return d.clear(ctx, s, delta.Wrong)
		}
		if len(delta.Set)+len(delta.Clear) == 0 {
			f.No = by.Step
		}
	case pending.IsConfirm() && delta.Yes:
		f.Yes = by
	case acknowledged(pending) && len(delta.Start) == 0 && !delta.Cancel && !delta.Repeat && !delta.Silence:
		f.Read = by.Step
	}
	return nil
}

// rest makes what changes no flow.
func (d *Dialogue) rest(ctx node.Context, s *State, delta Delta, pending *PendingTask, by *asked) error {
	for _, text := range delta.Say {
		if err := say(ctx, s, NewInform(text), byBot); err != nil {
			return err
		}
	}
	switch {
	case delta.Close:
		return d.close(ctx, s)
	case delta.Silence:
		return d.silent(ctx, s)
	case delta.Skip && pending != nil && slices.ContainsFunc(delta.Set, func(c Change) bool { return c.Slot == pending.Slot }):
		return nil
	case delta.Skip:
		return d.skip(ctx, s, pending, by)
	case delta.Help:
		return d.pattern(ctx, s, OnHelp, s.top(), map[string]any{"flows": d.language.All(d.titles(s))})
	case delta.Pause:
		return d.pattern(ctx, s, OnPause, s.top(), nil)
	case delta.Repeat && len(s.Stack) == 0:
		return d.pattern(ctx, s, OnRepeat, nil, nil)
	case delta.Chat:
		return d.pattern(ctx, s, OnChitchat, s.top(), nil)
	case len(delta.Clarify) > 0:
		return d.clarify(ctx, s, delta.Clarify)
	}
	return nil
}

func (d *Dialogue) skip(ctx node.Context, s *State, pending *PendingTask, by *asked) error {
	f := s.top()
	if pending == nil || !pending.IsCollect() || by == nil || f == nil || f.ID != by.Frame {
		return d.pattern(ctx, s, OnSkipRefused, f, nil)
	}
	p, ok := d.find(f, pending.Slot)
	if !ok || !p.slot.Optional {
		return d.pattern(ctx, s, OnSkipRefused, f, map[string]any{"slot": pending.Slot})
	}
	p.values(s)[p.slot.name] = nil
	d.refreshed(f, p.slot.name)
	return d.pattern(ctx, s, OnSkip, f, map[string]any{"slot": p.slot.title()})
}

// missed answers what was not understood.
func (d *Dialogue) missed(ctx node.Context, s *State) error {
	s.Misses++
	if most := d.settings.Misses; most > 0 && s.Misses >= most {
		return d.handOff(ctx, s, Delta{})
	}
	return d.pattern(ctx, s, OnCannotHandle, s.top(), nil)
}

func (d *Dialogue) silent(ctx node.Context, s *State) error {
	s.Silences++
	if most := d.settings.Silences; most > 0 && s.Silences >= most {
		return d.close(ctx, s)
	}
	if most := d.settings.SilentHandoff; most > 0 && s.Silences >= most {
		s.Silences = 0
		return d.handOff(ctx, s, Delta{})
	}
	return d.pattern(ctx, s, OnSilence, s.top(), nil)
}

func (d *Dialogue) close(ctx node.Context, s *State) error {
	s.Closed = true
	return d.pattern(ctx, s, OnClose, nil, nil)
}
