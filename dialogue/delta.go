package dialogue

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// Delta is what a command changes. The deltas of a message's commands are merged, and then made in one order, which
// does not depend on the order of the commands:
//
//  1. Handoff wins over everything else.
//  2. Cancel ends a flow; what is set, affirmed or denied goes to what is left.
//  3. Start begins flows, the first on top.
//  4. Clear and Set change slots, each in the topmost flow that has the slot. Of several values for one slot the surest
//     is taken, of equally sure ones the last; a slot that is set is neither cleared nor skipped. Slots are changed in the
//     order of their names; a value that another one does not go with is tried again when the others have been changed.
//  5. No wins over Yes, and Choose over both. A Yes and a Choose are none beside a change of a slot, the start of a flow, Skip or Repeat: what was to
//     be confirmed is not what is asked any more, or not all that was said, and the user is asked again. A flow that starts After
//     the one that goes on, and its slots, leave a Yes as it is.
//  6. Skip, Repeat, Say and Clarify; the last only where nothing else was said.
//
// One struct: each field is a thing that a command can change.
type Delta struct {
	Handoff bool     // a person is asked to take over
	Cancel  bool     // a flow ends
	Flow    string   // the flow that Cancel ends. Defaults to the active one
	Start   []Start  // flows that begin
	Set     []Change // slots that get a value
	Clear   []string // slots that are emptied
	Yes     bool     // the question is confirmed
	No      bool     // the question is denied
	Wrong   string   // the slot that a No is about
	Choose  string   // the answer to a confirm step that is neither
	Skip    bool     // the slot that is asked for is left out
	Repeat  bool     // the question is asked again
	Help    bool     // what can be said is told
	Pause   bool     // the user needs a moment
	Say     []string // texts for the user
	Chat    bool     // small talk without an answer of its own
	Clarify []string // the flows that may be meant
	Silence bool     // nobody has said anything
	Close   bool     // ends the conversation
}

// Start begins a flow.
type Start struct {
	Flow  string
	Slots map[string]any
	After bool // it begins when the flow that goes on has come to its end: a yes beside it counts
}

// Change gives a slot a value.
type Change struct {
	Slot       string
	Flow       string // whose slot it is. Defaults to the topmost one that has the slot
	Value      any
	Confidence float64 // above 0, at most 1; 0 for not said, which counts as sure; below 0 for not at all
	Correct    bool    // the user says that it is another value than before
	Left       string  // words beside it that were not understood: the user is asked whether it is meant
}

// Handler says what a command changes. It is told the conversation as it is, and must not change it; what it calls
// outside belongs in a node.Step.
type Handler func(ctx node.Context, c Command, s *State) (Delta, error)

// own says what the commands change that every dialogue knows.
var own = map[CommandType]func(c Command) Delta{
	StartFlow:   func(c Command) Delta { return Delta{Start: []Start{{Flow: c.Flow}}} },
	CancelFlow:  func(c Command) Delta { return Delta{Cancel: true, Flow: c.Flow} },
	SetSlot:     setSlot,
	CorrectSlot: setSlot,
	ClearSlot:   func(c Command) Delta { return Delta{Clear: []string{c.Slot}} },
	Affirm:      func(Command) Delta { return Delta{Yes: true} },
	Deny:        func(c Command) Delta { return Delta{No: true, Wrong: c.SlotToChange} },
	Choose:      func(c Command) Delta { return Delta{Choose: c.Choice} },
	Clarify:     func(c Command) Delta { return Delta{Clarify: c.Options} },
	Chitchat: func(c Command) Delta {
		if c.Text == "" {
			return Delta{Chat: true}
		}
		return Delta{Say: []string{c.Text}}
	},
	Handoff: func(Command) Delta { return Delta{Handoff: true} },
	Repeat:  func(Command) Delta { return Delta{Repeat: true} },
	Skip:    func(Command) Delta { return Delta{Skip: true} },
	Help:    func(Command) Delta { return Delta{Help: true} },
	Pause:   func(Command) Delta { return Delta{Pause: true} },
	Silence: func(Command) Delta { return Delta{Silence: true} },
}

func setSlot(c Command) Delta {
	return Delta{Set: []Change{{Slot: c.Slot, Flow: c.Flow, Value: c.Value, Confidence: c.sure(), Correct: c.Type == CorrectSlot, Left: c.Left}}}
}

// MergeDeltas joins what the commands of one message change, by the rule of Delta.
func MergeDeltas(deltas ...Delta) Delta {
	var all Delta
	for _, d := range deltas {
		all.Handoff = all.Handoff || d.Handoff
		all.Cancel = all.Cancel || d.Cancel
		all.Flow = max(all.Flow, d.Flow)
		for _, s := range d.Start {
			if !slices.ContainsFunc(all.Start, func(o Start) bool { return o.Flow == s.Flow }) {
				all.Start = append(all.Start, s)
			}
		}
		for _, c := range d.Set {
			all.set(c)
		}
		all.Clear = append(all.Clear, d.Clear...)
		all.Yes, all.No = all.Yes || d.Yes, all.No || d.No
		all.Wrong, all.Choose = max(all.Wrong, d.Wrong), cmp.Or(all.Choose, d.Choose)
		all.Skip, all.Repeat, all.Chat, all.Help = all.Skip || d.Skip, all.Repeat || d.Repeat, all.Chat || d.Chat, all.Help || d.Help
		all.Pause = all.Pause || d.Pause
		all.Silence, all.Close = all.Silence || d.Silence, all.Close || d.Close
		all.Say = append(all.Say, d.Say...)
		for _, flow := range d.Clarify {
			if !slices.Contains(all.Clarify, flow) {
				all.Clarify = append(all.Clarify, flow)
			}
		}
	}
	return all.consistent()
}

func (d *Delta) set(c Change) {
	if c.Confidence == 0 {
		c.Confidence = 1
	}
	for i, o := range d.Set {
		if o.Slot == c.Slot && o.Flow == c.Flow {
			c.Correct, d.Set[i].Correct = c.Correct || o.Correct, c.Correct || o.Correct
			if c.Confidence >= o.Confidence {
				d.Set[i] = c
			}
			return
		}
	}
	d.Set = append(d.Set, c)
}

// consistent leaves of what contradicts each other what holds.
func (d Delta) consistent() Delta {
	if d.Handoff {
		return Delta{Handoff: true, Say: d.Say}
	}
	d.Clear = slices.DeleteFunc(d.Clear, func(slot string) bool {
		return slices.ContainsFunc(d.Set, func(c Change) bool { return c.Slot == slot })
	})
	sort.Slice(d.Set, func(i, j int) bool { // slices.SortFunc would be compiled for the type (ADR 060)
		a, b := &d.Set[i], &d.Set[j]
		return cmp.Or(strings.Compare(a.Slot, b.Slot), strings.Compare(a.Flow, b.Flow)) < 0
	})
	slices.Sort(d.Clear)
	d.Clear = slices.Compact(d.Clear)
	now := slices.ContainsFunc(d.Start, func(s Start) bool { return !s.After })
	here := slices.ContainsFunc(d.Set, func(c Change) bool {
		return !slices.ContainsFunc(d.Start, func(s Start) bool { return s.After && s.Flow == c.Flow })
	})
	if other := d.Cancel || d.Skip || d.Repeat || d.Help || d.Pause || now || here || len(d.Clear) > 0; other {
		d.Yes, d.Choose = false, ""
	}
	if d.Choose != "" { // more than a no, and no yes
		d.Yes, d.No, d.Wrong = false, false, ""
	}
	d.Yes = d.Yes && !d.No
	others := d
	if others.Cancel = false; others.acts() { // "stop that, I want …" asks what is wanted
		d.Clarify = nil
	}
	return d
}

// acts reports whether there is more in it than a question which flow is meant.
func (d Delta) acts() bool {
	return d.Handoff || d.Cancel || len(d.Start)+len(d.Set)+len(d.Clear)+len(d.Say) > 0 ||
		d.Yes || d.No || d.Choose != "" || d.Skip || d.Repeat || d.Help || d.Pause || d.Chat || d.Silence || d.Close
}
