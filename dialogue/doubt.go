package dialogue

import "github.com/fermata-go/fermata/node"

// A value beside which words were left over is not taken: the user is asked whether it is meant, and so is a text that may be
// something else. A yes gives it to the slot, a no leaves the slot as it was, and anything else is an answer to the question that
// was asked before.

// doubt is a value of which the user was asked whether it is meant.
type doubt struct {
	Slot    string `json:"slot"`
	Value   any    `json:"value"`
	Correct bool   `json:"correct,omitempty"`
	Left    string `json:"left,omitempty"` // words beside it that were not understood
}

// doubts asks whether a value is meant, unless it is not good anyway. Of several in one message it asks about the first.
func (d *Dialogue) doubts(ctx node.Context, s *State, p place, c Change) error {
	if s.Doubt != nil {
		return nil
	}
	v, err := d.check(s, p, c.Value)
	if err != nil {
		return d.reject(ctx, s, p, c.Value, err)
	}
	known := map[string]any{"slot": p.slot.title(), "value": d.shown(s, p.slot, v), "left": d.language.Quote(c.Left)}
	if pattern, _ := d.patternOf(OnDoubt, p.frame); pattern.flow != "" {
		return d.pattern(ctx, s, OnDoubt, p.frame, known)
	}
	text, err := d.words(ctx, s, OnDoubt, p.frame, known)
	if _, own := d.patternOf(OnDoubt, p.frame); !own && (c.Left == "" || p.slot.Type.kind().anyWords(p.slot.Slot)) { // not the words beside it are strange
		text = d.language.Say("pattern.doubt.text", known)
	}
	if err != nil {
		return err
	}
	task := NewConfirm(text, d.replies(nil)...)
	task.Slot = c.Slot
	s.Doubt, s.Pending, s.Asked = &doubt{c.Slot, v, c.Correct, c.Left}, &task, nil
	return nil
}

// answerDoubt takes a yes to the question whether a value is meant, which the next message answers or passes over.
func (s *State) answerDoubt(delta Delta) Delta {
	asked := s.Doubt
	if s.Doubt = nil; asked != nil && delta.Yes {
		return MergeDeltas(delta, Delta{Set: []Change{{Slot: asked.Slot, Value: asked.Value, Confidence: 1, Correct: asked.Correct}}})
	}
	return delta
}

// doubted understands the answer to the question whether a value is meant: a yes, a no, or another value.
func (p *phrases) doubted(t *Turn) ([]Command, error) {
	yes, no, rest, score := p.locale.Assent(t.Text)
	switch {
	case yes && rest == "":
		return []Command{{Type: Affirm, Confidence: score}}, nil
	case no && rest == "":
		return []Command{{Type: Deny, Confidence: score}}, nil
	}
	if in := (&utterance{phrases: p, Turn: t, text: t.Text, flow: activeOf(t)}); !yes && !no {
		if found := in.pointed(); len(found) > 0 {
			return found, nil
		}
	}
	again, task := *t, NewCollect(t.Pending.Prompt, t.Pending.Slot)
	again.Pending = &task
	if sl := p.dialogue.slotOf(p.dialogue.flows[activeOf(t)], t.Pending.Slot); sl != nil && sl.Type.kind().anyWords(sl.Slot) && t.Filled[sl.name] != nil {
		again.Pending = nil // something else was asked
	}
	if no {
		again.Text = rest
	}
	found, err := p.understand(&again)
	if len(found) == 0 && no {
		found = []Command{{Type: Deny, Confidence: score}}
	}
	return found, err
}
