package dialogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"
)

// place is where a slot is kept: in a frame, or (frame nil) in the conversation.
type place struct {
	frame *Frame
	slot  *slot
}

// find is where a name belongs, seen from a frame: to the frame's flow, else to the conversation.
func (d *Dialogue) find(f *Frame, name string) (place, bool) {
	if f != nil {
		if sl := d.flows[f.Flow].slots[name]; sl != nil {
			return place{frame: f, slot: sl}, true
		}
	}
	sl := d.slots[name]
	return place{slot: sl}, sl != nil
}

// findOrMake is find for what steps write: a name of no slot is a variable of the flow.
func (d *Dialogue) findOrMake(f *Frame, name string) place {
	p, ok := d.find(f, name)
	if !ok {
		p = place{frame: f, slot: &slot{name: name}}
	}
	return p
}

// owner is the uppermost flow that has a slot, or the conversation; of a flow's name, where it is not "", that flow.
func (d *Dialogue) owner(s *State, flow, name string) (place, bool) {
	for i := len(s.Stack) - 1; i >= 0; i-- {
		f := &s.Stack[i]
		if flow != "" && f.Flow != flow {
			continue
		}
		if sl := d.flows[f.Flow].slots[name]; sl != nil && f.End == "" {
			return place{frame: f, slot: sl}, true
		}
	}
	return d.find(nil, name)
}

// values are where the slot's value is kept.
func (p place) values(s *State) map[string]any {
	if p.frame != nil {
		if p.frame.Slots == nil {
			p.frame.Slots = make(map[string]any)
		}
		return p.frame.Slots
	}
	if s.Slots == nil {
		s.Slots = make(map[string]any)
	}
	return s.Slots
}

// get is a slot's value, and whether it has one.
func (p place) get(s *State) (any, bool) {
	in := s.Slots
	if p.frame != nil {
		in = p.frame.Slots
	}
	v, ok := in[p.slot.name]
	return v, ok
}

// Names that expressions know everywhere.
const (
	nameToday = "today"    // "2026-11-25", in the dialogue's time zone
	nameNow   = "time_now" // "2026-11-25T15:30:00+01:00"
)

// scope are the names that expressions read in a frame, or outside of all.
func (d *Dialogue) scope(s *State, f *Frame) map[string]any {
	names := make(map[string]any, len(s.Context)+len(s.Slots)+8)
	maps.Copy(names, s.Context)
	for _, sl := range d.slots {
		sl.begun(names)
	}
	maps.Copy(names, s.Slots)
	if f != nil {
		for _, sl := range d.flows[f.Flow].order {
			sl.begun(names)
		}
		maps.Copy(names, f.Slots)
	}
	at := d.clock(s.At)
	names[nameToday] = at.Format(time.DateOnly)
	names[nameNow] = at.Format(time.RFC3339)
	return names
}

// begun makes the value known that the slot began with: one that users have emptied has it until they are asked again.
func (s *slot) begun(names map[string]any) {
	if s.always != nil {
		names[s.name] = s.always
	} else {
		delete(names, s.name) // one of the conversation that has the same name
	}
}

// now is when the last message came.
func (s *State) now() time.Time { return time.UnixMicro(s.At).UTC() }

// clock is a time of the state as the dialogue's users have it.
func (d *Dialogue) clock(micro int64) time.Time { return time.UnixMicro(micro).In(d.zone) }

// rejection says why a value is not good for a slot.
type rejection struct {
	reason  string
	checked bool // the value could be read, and the slot's Validate or Schema refuses it
}

func (r *rejection) Error() string { return r.reason }

// fill gives a slot a value: the one way by which any slot gets one, wherever the value comes from. A value that is not
// good changes nothing and is a *rejection, whose reason is a sentence for the user; any other error is a mistake in
// the dialogue.
func (d *Dialogue) fill(s *State, p place, raw any) error {
	v, err := d.check(s, p, raw)
	if err != nil {
		return err
	}
	p.values(s)[p.slot.name] = v
	return nil
}

// check reads a value for a slot, and says why it is not good.
func (d *Dialogue) check(s *State, p place, raw any) (any, error) {
	v, err := d.read(p.slot, raw, s.now())
	if err != nil {
		return nil, d.refused(s, p, v, err)
	}
	return v, d.valid(s, p, v)
}

// valid checks a value that has the slot's type already.
func (d *Dialogue) valid(s *State, p place, v any) error {
	if p.slot.validate == nil || v == nil {
		return nil
	}
	names := d.scope(s, p.frame)
	names[p.slot.name] = v
	for _, name := range p.slot.validate.Names() {
		if _, has := names[name]; !has && d.isSlot(p.frame, name) {
			return nil // the step that asks for the slot comes back to it
		}
	}
	good, err := p.slot.validate.Holds(scopeOf(names))
	if err != nil {
		return fmt.Errorf("slot %q: %w", p.slot.name, err)
	}
	if good {
		return nil
	}
	return d.refused(s, p, v, &rejection{reason: d.impossible(d.shown(s, p.slot, v)), checked: true})
}

// isSlot reports whether a name is one of a slot.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (d *Dialogue) isSlot(f *Frame, name string) bool {
	_, ok := d.find(f, name)
	return ok
}

// refused puts the slot's own words in the place of a reason. Where the slot checks its values, they are about the check: a
// value that could not be read keeps the reason why.
func (d *Dialogue) refused(s *State, p place, v any, why error) error {
	words := p.slot.failure
	if r, ok := errors.AsType[*rejection](why); ok && r.checked {
		words = p.slot.refusal
	}
	if words == nil {
		return why
	}
	names := d.scope(s, p.frame)
	names[p.slot.name] = v
	text, err := d.render(words, p.frame, names)
	if err != nil {
		return fmt.Errorf("slot %q: error: %w", p.slot.name, err)
	}
	return &rejection{reason: text}
}

// equal compares two values of slots.
func equal(a, b any) bool { return bytes.Equal(encoded(a), encoded(b)) }

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error()) // values of slots always encode
	}
	return data
}

// sum names a value: equal values have equal sums.
func sum(v any) string {
	h := sha256.Sum256(encoded(v))
	return hex.EncodeToString(h[:8])
}
