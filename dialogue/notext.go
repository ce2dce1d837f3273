package dialogue

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/node"
)

// guard makes doubtful what an NLU takes for a text and what is none by itself, such as a cancel or a question: the user is
// asked. A button means what it says.
func (d *Dialogue) guard(s *State, m *Message, delta *Delta) {
	if len(m.Commands) > 0 {
		return
	}
	alone := len(delta.Set) == 1 && len(delta.Start) == 0 && !delta.Cancel
	tells := ""
	for i := range delta.Set {
		c := &delta.Set[i]
		text, ok := c.Value.(string)
		if members, many := c.Value.([]any); many {
			d.guardMembers(s, m, c, members, alone)
		}
		sl := d.meant(s, *c, delta.Start)
		if ok && sl != nil && !sl.Type.kind().anyWords(sl.Slot) && c.Left == "" {
			c.Left = d.leftOf(s, sl, text)
		}
		if !ok || sl == nil || !sl.Type.kind().anyWords(sl.Slot) {
			continue
		}
		if said, quoted := d.locale.Quoted(m.Text); quoted && said == text || slices.Contains(d.offers(s), text) {
			continue
		}
		last, took := d.locale.TakenBack(text)
		switch {
		case d.heardBy(s, text).ordersText(sl):
			c.Left = text
		case d.evades(c, sl, text, d.saidAlone(s, m, c, sl, text, alone)):
		case d.noText(sl, text) && !d.retold(s.Pending, sl, text):
			c.Confidence = min(c.Confidence, -1)
		case d.holdsPrivate(s, sl, text):
			c.Confidence = min(c.Confidence, -1)
		case took && !d.ownValue(sl, text):
			if c.Left = m.Text; last != "" && !d.noText(sl, last) {
				c.Value = last
			}
		case c.Left == "" && s.Pending != nil && s.Pending.IsCollect() && c.Slot == s.Pending.Slot:
			said := text
			if alone { // the words around it may say what it is
				said = m.Text
			}
			if d.heardBy(s, said).mayBeNoText(sl, said) || d.mayWish(said) && !d.ownValue(sl, text) {
				c.Left = said
			}
		}
		if c.Left == "" && c.Confidence >= 0 && !d.ownValue(sl, text) {
			tells = cmp.Or(d.doubtText(s, m, c, sl, len(delta.Start) > 0), tells)
		}
		if sl := d.meant(s, *c, delta.Start); c.Left == "" && c.Confidence >= 0 && !d.ownValue(sl, text) && d.heardBy(s, text).holdsWish(text) {
			c.Left = text
		}
	}
	for i := range delta.Set { // in a sentence about something else no value is plain
		if c := &delta.Set[i]; tells != "" && c.Left == "" && c.Confidence > 0 {
			c.Left = tells
		}
	}
}

// doubtText makes doubtful a text for a slot of names that is not plainly one. One that was not asked for, and that nobody called by
// its name, is not taken at all. It returns the text where it is a sentence about something else.
func (d *Dialogue) doubtText(s *State, m *Message, c *Change, sl *slot, begins bool) (tells string) {
	text, _ := c.Value.(string)
	named := spoken(sl)
	asked := s.Pending != nil && s.Pending.IsCollect() && c.Slot == s.Pending.Slot
	if asked {
		named.Asked = s.Pending.Prompt
	}
	if !d.locale.AsksWho(named) {
		return ""
	}
	text = d.locale.BareName(text)
	if asked {
		text, _ = d.locale.Routed(text)
	}
	c.Value = text
	is := d.locale.Name(m.Text, text)
	switch {
	case d.locale.Tells(named, text):
		c.Left, tells = m.Text, text
	case is == phrase.SurelyIs:
	case is == phrase.NoName && !asked && !begins && !d.heardBy(s, m.Text).calls(sl, text):
		c.Confidence = min(c.Confidence, -1)
	default:
		c.Left = m.Text
	}
	return tells
}

// calls reports whether a message calls a text by the name of its slot, or puts it in the place of the one that the slot holds.
func (u *utterance) calls(sl *slot, text string) bool {
	before, behind, _ := strings.Cut(u.text, text)
	if said, ok := u.locale.Common(u.text); ok && said.Command == phrase.Correct && said.About != "" && u.holding(said.About) == sl.name {
		return true
	}
	return u.named(before+" "+behind) == sl.name
}

// leftOf is the words beside a value in words that were not understood, whoever gives it to a slot: "half of 50".
func (d *Dialogue) leftOf(s *State, sl *slot, text string) string {
	if sl.check != nil && sl.check.Check(encoded(text)) == nil {
		return ""
	}
	v, ok := d.localeOf(sl).Read(spoken(sl), text, d.clock(s.At))
	if !ok || v.Reason != "" {
		return ""
	}
	return v.Left
}

// unsure reports whether there is nothing in a delta but values that are too doubtful to be taken.
func (d *Dialogue) unsure(delta *Delta) bool {
	only := *delta
	only.Set = nil
	return !only.acts() && len(delta.Set) > 0 && !slices.ContainsFunc(delta.Set, func(c Change) bool { return c.Confidence >= d.settings.MinConfidence })
}

// meant is the slot that a value is for, once flows have begun; nil for none.
func (d *Dialogue) meant(s *State, c Change, starts []Start) *slot {
	for _, st := range starts {
		if f := d.flows[st.Flow]; f != nil && (c.Flow == "" || c.Flow == f.Name) && f.slots[c.Slot] != nil {
			return f.slots[c.Slot]
		}
	}
	p, ok := d.owner(s, c.Flow, c.Slot)
	if !ok {
		return nil
	}
	return p.slot
}

// offers are the quick replies of what is asked.
func (d *Dialogue) offers(s *State) []string {
	if s.Pending == nil {
		return nil
	}
	return s.Pending.Options
}

// noText reports whether words that were said for a slot of texts do something else: they are a yes, a no, a question, or
// ask to stop. A slot whose own check takes them and no other words has them as its values.
func (d *Dialogue) noText(sl *slot, text string) bool {
	return sl != nil && d.locale.Act(text) != 0 && !d.ownValue(sl, text)
}

// heardBy is a message at the flow that is going on.
func (d *Dialogue) heardBy(s *State, text string) *utterance {
	u := &utterance{phrases: d.phrases, locale: d.locale.Hearing(), Turn: &Turn{Dialogue: d, Now: d.clock(s.At), Pending: s.Pending}, text: text}
	if f := s.top(); f != nil {
		u.flow, u.Filled = f.Flow, f.Slots
	}
	return u
}

// mayBeNoText reports whether words that are to be a text may be something else: what begins a flow, a question without its
// mark, or words that put another slot right.
func (u *utterance) mayBeNoText(sl *slot, text string) bool {
	if _, ok := u.locale.Labelled(spoken(sl), text); ok || u.dialogue.ownValue(sl, text) {
		return false
	}
	if u.locale.MayAsk(text) || u.onlyPlace(text) || u.locale.Points(spoken(sl), text) {
		return true
	}
	if m := u.triggers; m != nil {
		if best := m.Match(text, u.Now); len(best) > 0 && best[0].Score >= likely && u.meant[best[0].ID].flow != "" {
			_, holds := best[0].Values[sl.name] // "send it to Bob" tells the payee
			return !holds || u.meant[best[0].ID].flow != u.flow
		}
	}
	if words := slices.DeleteFunc(u.locale.Content(text), u.locale.AsksMore); len(words) > 1 { // "book another appointment"
		for _, f := range u.dialogue.order {
			if f.named() && u.callsIt(f.Name, words) {
				return true
			}
		}
	}
	if len(u.locale.Content(text)) > 0 && u.locale.Wishes(text) { // "I want to see my balance first", "I want a refund"
		if found := u.instead(); begunBy(found) != "" || len(found) == 1 && len(found[0].Options) == 1 {
			return true
		}
	}
	said, ok := u.locale.Common(text)
	corrects := ok && (said.Command == phrase.Correct || said.Command == phrase.Wrong || said.Command == phrase.Opposite)
	if !corrects && !u.locale.Turned(text) {
		return false
	}
	if named := u.named(text); named != "" && named != sl.name && !(ok && u.recounts() && u.tellsMore(said)) {
		return true
	}
	return slices.ContainsFunc(u.places(), func(other *slot) bool {
		return other != sl && other.traits().distinct && u.locale.Holds(spoken(other), text, u.Now)
	})
}

// holdsPrivate reports whether a text for a slot holds a value of another one that is private, such as a phone number.
func (d *Dialogue) holdsPrivate(s *State, sl *slot, text string) bool {
	const least = 5 // digits: fewer say any number
	u := d.heardBy(s, text)
	return !sl.Private && slices.ContainsFunc(u.places(), func(other *slot) bool {
		if !other.Private || other.traits().words {
			return false
		}
		return slices.ContainsFunc(d.localeOf(other).Find(spoken(other), text, u.Now), func(v phrase.Value) bool {
			return v.Reason == "" && (other.traits().distinct || strings.IndexFunc(v.Text, unicode.IsDigit) >= 0 && len(v.Text) >= least)
		})
	})
}

// noChoice is missed where one of a slot's choices was asked for, and the slot has words of its own for what is none: a few
// words that nothing else explains are an answer that is not good.
func (d *Dialogue) noChoice(ctx node.Context, s *State, m *Message, pending *PendingTask) error {
	const few = 3
	f := s.top()
	if pending == nil || !pending.IsCollect() || f == nil || len(m.Commands) > 0 {
		return d.missed(ctx, s)
	}
	p, ok := d.find(f, pending.Slot)
	words := d.locale.Content(m.Text)
	if !ok || !p.slot.traits().choices || p.slot.failure == nil || len(words) == 0 || len(words) > few || d.locale.Act(m.Text) != 0 {
		return d.missed(ctx, s)
	}
	if s.Misses++; d.settings.Misses > 0 && s.Misses >= d.settings.Misses {
		return d.handOff(ctx, s, Delta{})
	}
	return d.reject(ctx, s, p, m.Text, d.refused(s, p, m.Text, &rejection{}))
}
