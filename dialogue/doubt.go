package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/node"
)

// A value beside which words were left over is not taken: the user is asked whether it is meant, and so is a text that may be
// something else. A yes gives it to the slot, a no leaves the slot as it was, and anything else is an answer to the question that
// was asked before. Several such values of one message are asked about one after the other.

// doubt is a value of which the user was asked whether it is meant.
type doubt struct {
	Slot    string `json:"slot"`
	Value   any    `json:"value"`
	Correct bool   `json:"correct,omitempty"`
	Left    string `json:"left,omitempty"` // words beside it that were not understood

	Then []doubt `json:"then,omitempty"` // others of the same message, which are asked about when this one is answered
}

// doubtOf is the doubt whether a change is meant.
func doubtOf(c Change) doubt {
	return doubt{Slot: c.Slot, Value: c.Value, Correct: c.Correct, Left: c.Left}
}

func (o doubt) change() Change {
	return Change{Slot: o.Slot, Value: o.Value, Confidence: 1, Correct: o.Correct, Left: o.Left}
}

// doubts asks whether a value is meant, unless it is not good anyway. Of several in one message it asks about the first, and
// keeps the others.
func (d *Dialogue) doubts(ctx node.Context, s *State, p place, c Change) error {
	if s.Doubt != nil {
		s.Doubt.Then = append(s.Doubt.Then, doubtOf(c))
		return nil
	}
	v, err := d.check(s, p, c.Value)
	if err != nil {
		return d.reject(ctx, s, p, c.Value, err)
	}
	var text string
	if pattern, own := d.patternOf(OnDoubt, p.frame); own {
		known := map[string]any{"slot": p.slot.title(), "value": d.shown(s, p.slot, v), "left": d.language.Quote(c.Left)}
		if pattern.flow != "" {
			return d.pattern(ctx, s, OnDoubt, p.frame, known)
		}
		if text, err = d.words(ctx, s, OnDoubt, p.frame, known); err != nil {
			return err
		}
	} else {
		text = d.doubtQuestion(s, p.slot, c, v)
	}
	task := NewConfirm(text, d.replies(nil)...)
	task.Slot = c.Slot
	asked := doubtOf(c)
	asked.Value = v // as the slot keeps it
	s.Doubt, s.Pending, s.Asked = &asked, &task, nil
	return nil
}

// doubtQuestion is the question whether a value is meant, where the dialogue has no words of its own. A text is quoted.
func (d *Dialogue) doubtQuestion(s *State, sl *slot, c Change, v any) string {
	isText := sl.Type.kind().anyWords(sl.Slot)
	key, value := patternKey(OnDoubt), d.shown(s, sl, v)
	if isText || c.Left == "" || d.says(s, sl, c.Left, v) { // not the words beside it are strange
		key = "pattern.doubt.text"
	}
	if _, words := v.(string); isText && words {
		value = d.language.Quote(value)
	}
	return d.language.Say(key, phrase.Args{"slot": sl.title(), "value": value, "left": d.language.Quote(c.Left)})
}

// says reports whether words that were not understood are the value itself, or all that the user has said.
func (d *Dialogue) says(s *State, sl *slot, left string, v any) bool {
	for _, l := range slices.Backward(s.Lines) {
		if l.By == byUser {
			if slices.Equal(strings.Fields(l.Text), strings.Fields(left)) {
				return true
			}
			break
		}
	}
	got, ok := d.localeOf(sl).Read(spoken(sl), left, d.clock(s.At))
	return ok && equal(got.Value, v) || strings.EqualFold(strings.TrimSpace(left), d.shown(s, sl, v))
}

// answerDoubt takes a yes to the question whether a value is meant, which the next message answers or passes over. Where it goes on
// with the same flow, the values that wait behind that question are asked about next.
func (d *Dialogue) answerDoubt(s *State, delta Delta) Delta {
	asked := s.Doubt
	if s.Doubt = nil; asked == nil {
		return delta
	}
	if delta.Yes {
		delta = MergeDeltas(delta, Delta{Set: []Change{{Slot: asked.Slot, Value: asked.Value, Confidence: 1, Correct: asked.Correct}}})
	}
	if !delta.acts() || delta.Handoff || delta.Cancel || len(delta.Start) > 0 {
		return delta
	}
	for _, o := range asked.Then {
		sl := d.meant(s, o.change(), nil)
		if sl == nil || slices.ContainsFunc(delta.Set, func(c Change) bool { return c.Slot == o.Slot }) {
			continue
		}
		o.Left = d.shown(s, sl, o.Value) // the words beside it were shown already
		delta.Set = append(delta.Set, o.change())
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
	in := &utterance{phrases: p, locale: p.locale.Hearing(), Turn: t, text: t.Text, flow: activeOf(t)}
	if !yes && !no {
		if found := in.pointed(); len(found) > 0 {
			return found, nil
		}
	}
	if no {
		if found, ok := in.insteadOf(rest, score); ok {
			return found, nil
		}
	}
	again, task := *t, NewCollect(t.Pending.Prompt, t.Pending.Slot)
	again.Pending = &task
	sl := in.slotOf(t.Pending.Slot)
	isText := sl != nil && sl.Type.kind().anyWords(sl.Slot)
	if isText && t.Filled[sl.name] != nil {
		again.Pending = nil // something else was asked
	}
	if no || yes {
		again.Text = rest
	}
	found, err := p.understand(&again)
	if no && !isText {
		found = in.doubtedAgain(sl, rest, found)
	}
	if sl != nil && (yes || isText && (no && in.isNoOther(sl, rest) || !no && in.beginsWithVerdict())) {
		for i, c := range found {
			if c.Slot == sl.name && c.Value != nil && c.Left == "" {
				found[i].Left = t.Text
			}
		}
	}
	return found, err
}

// insteadOf is what stands behind a no to the question whether a value is meant, where that is nothing new or the other one of two
// things. ok is false for anything else.
func (u *utterance) insteadOf(rest string, score float64) (all []Command, ok bool) {
	sl := u.slotOf(u.Pending.Slot)
	switch {
	case sl == nil:
		return nil, false
	case u.saysOther(rest):
		pair := u.pair(sl)
		at := slices.IndexFunc(pair, func(o any) bool { return equal(o, u.unsure) })
		if at < 0 || len(pair) != 2 {
			return nil, true // nobody knows which: the question is asked again
		}
		return []Command{{Type: SetSlot, Slot: sl.name, Value: pair[1-at], Confidence: surely}}, true
	case u.onlyPlace(rest):
		return u.within(rest).pointed(), true
	case u.locale.Beyond(nil, rest) == "":
		return []Command{{Type: Deny, Confidence: score}}, true
	case u.locale.Act(rest) == phrase.Points, u.locale.None(rest), u.locale.Names(u.spoken(sl), rest): // "no, something else"
		if u.Filled[sl.name] != nil {
			return nil, true
		}
		return []Command{{Type: Deny, Confidence: score}}, true // the question is asked again
	}
	return nil, false
}

// isNoOther reports whether words behind a no may be something else than another text: they turn to something else, name another slot
// or hold a value of one.
func (u *utterance) isNoOther(sl *slot, rest string) bool {
	if before, _, _ := strings.Cut(u.text, rest); u.locale.Turns(before) {
		return true
	}
	if named := u.named(rest); named != "" && named != sl.name {
		return true
	}
	return slices.ContainsFunc(u.places(), func(other *slot) bool {
		return other != sl && other.traits().distinct && u.locale.Holds(spoken(other), rest, u.Now)
	})
}

// beginsWithVerdict reports whether the first of several things that were said is a yes or a no: "oui, mais seulement deux".
func (u *utterance) beginsWithVerdict() bool {
	cuts := u.locale.Cuts(u.text)
	if len(cuts) == 0 {
		return false
	}
	yes, no, rest, _ := u.locale.Assent(u.text[:cuts[0][0]])
	return (yes || no) && rest == ""
}

// doubtedAgain has the user asked about a value behind a no beside which words were lost: "no, the small one" is no amount of 1.
func (u *utterance) doubtedAgain(sl *slot, rest string, found []Command) []Command {
	lost := u.lost(rest, found)
	for _, c := range found {
		if sl != nil && c.Slot == sl.name && c.Left == "" && sl.traits().loose && c.sure() < 1 && !strings.ContainsAny(rest, "0123456789") {
			lost = rest
		}
	}
	if lost == "" {
		return found
	}
	return u.doubtful(found, lost)
}
