package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// corrected is a value of another kind than the one asked for, or one where nothing was asked: it changes the slot of
// its kind, where there is one.
func (u *utterance) corrected() []Command {
	if u.Pending == nil || u.Pending.IsCollect() && u.asksText() {
		return nil
	}
	return corrections(u.fits(u.text, false))
}

// corrections are the commands for values that take the place of others.
func corrections(values []found) []Command {
	var all []Command
	for _, v := range values {
		all = append(all, Command{Type: CorrectSlot, Slot: v.slot, Value: v.Value.Value, Confidence: v.Score})
	}
	return all
}

// correction is another value, said as one, and the answer that was given before it: "savings, but make it 60".
func (u *utterance) correction(said phrase.Said) []Command {
	before := strings.TrimSpace(said.Before)
	if _, no, _, _ := u.locale.Assent(before); no && u.asksText() && said.About == "" && !strings.ContainsAny(before, " ,.;:-") {
		return nil // "no mail arrives" corrects nothing
	}
	all := u.correctionOf(said)
	for _, more := range said.More {
		all = append(all, u.correctionOf(more)...)
	}
	sl, ok := u.asked()
	if !ok || len(all) == 0 || sl.traits().words || slices.ContainsFunc(all, func(c Command) bool { return c.Slot == sl.Name }) {
		return all
	}
	if v, ok := u.read(sl, said.Before); ok && v.Reason == "" && !v.Place && v.Score >= certain {
		all = append([]Command{found{v, sl.Name}.command()}, all...)
	}
	return all
}

func (u *utterance) correctionOf(said phrase.Said) []Command {
	if said.Rest == "" {
		return nil
	}
	slot := u.named(said.About)
	rest := u.within(said.Rest)
	if said.About == "" && rest.answers(whole) {
		return rest.answered()
	}
	if m := u.parts[u.flow]; m != nil { // "actually to Grace"
		if best := m.Match(said.Rest, u.Now); len(best) > 0 && len(best[0].Values) > 0 && best[0].Score >= certain && !rest.someNumber(best[0]) {
			return rest.with(best[0].Values, best[0].Phrase)
		}
	}
	if slot == "" && said.About != "" {
		slot = u.holding(said.About)
	}
	if slot != "" {
		sl, _ := u.dialogue.Slot(u.flow, slot)
		v, ok := u.read(sl, said.Rest)
		if !ok || v.Reason != "" {
			return []Command{{Type: CorrectSlot, Slot: slot, Value: said.Rest}}
		}
		return []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Confidence: v.Score}}
	}
	if rest.answers(0) { // "50, no, 60"
		return rest.answered()
	}
	if slot := u.named(said.Rest); slot != "" { // "make it 3 adults"
		sl, _ := u.dialogue.Slot(u.flow, slot)
		if v, ok := u.read(sl, said.Rest); ok && v.Reason == "" && !sl.traits().words {
			return []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Confidence: max(v.Score, certain)}}
		}
	}
	if values := u.fits(said.Rest, true); len(values) > 0 && !(u.asksText() && values[0].Score < certain) {
		return corrections(values)
	}
	if u.Pending != nil && u.Pending.IsCollect() {
		return rest.answered()
	}
	return nil
}

// answers reports whether what was said is a value for the slot that is asked for, which is no text, as surely as that.
func (u *utterance) answers(sure float64) bool {
	sl, ok := u.asked()
	if !ok || u.asksText() {
		return false
	}
	v, ok := u.read(sl, u.text)
	return ok && v.Reason == "" && v.Score >= sure && !(v.Place && u.isNumber())
}

// wrong is a slot whose value is not right: what it should be was not said.
func (u *utterance) wrong(slot string) []Command {
	switch {
	case slot == "":
		return nil
	case u.Pending != nil && u.Pending.IsConfirm():
		return []Command{{Type: Deny, SlotToChange: slot, Confidence: surely}}
	}
	return []Command{{Type: ClearSlot, Slot: slot, Confidence: surely}}
}

// isNumber reports whether all that was said is a number.
func (u *utterance) isNumber() bool {
	v, ok := u.locale.Read(phrase.Slot{Kind: phrase.Number}, u.text, u.Now)
	return ok && v.Score > 0.8
}

// someNumber reports whether a text of a match is a number: nobody is called 60.
func (u *utterance) someNumber(m phrase.Match) bool {
	for name, v := range m.Values {
		sl, _ := u.dialogue.Slot(u.flow, name)
		if s := u.slotOf(name); sl.traits().words && (s == nil || s.validate == nil) && u.within(v.Text).isNumber() {
			return true
		}
	}
	return false
}

// alternative is what is said for the only text of the flow that takes it, behind a no: "no, to bob@example.com".
func (u *utterance) alternative(text string) []Command {
	var all []Command
	for _, sl := range u.filled() {
		s := u.slotOf(sl.Name)
		if !sl.traits().words || s == nil || s.validate == nil {
			continue
		}
		v, ok := u.read(sl, text)
		if said, isText := v.Value.(string); ok && isText && v.Reason == "" && u.takes(s, said) && !u.takes(s, "") {
			all = append(all, Command{Type: CorrectSlot, Slot: sl.Name, Value: v.Value, Confidence: certain})
		}
	}
	if len(all) != 1 {
		return nil
	}
	return all
}

// named is the slot of the active flow that some words name; "" for none.
func (u *utterance) named(words string) string {
	if strings.TrimSpace(words) == "" {
		return ""
	}
	s := phrase.Slot{Kind: phrase.Single}
	for _, sl := range u.places() {
		s.Choices = append(s.Choices, phrase.Choice{Value: sl.name, Synonyms: spoken(sl.Slot).Names})
	}
	for _, v := range u.locale.Find(s, words, u.Now) {
		if name, ok := v.Value.(string); ok && v.Reason == "" && !v.Place && u.locale.CutBegin(v.Text) != "" { // a slot may be called "at"
			return name
		}
	}
	return ""
}

// holding is the slot of the active flow that holds a value.
func (u *utterance) holding(text string) string {
	for _, sl := range u.filled() {
		v, ok := u.read(sl, text)
		if ok && v.Reason == "" && equal(v.Value, u.Filled[sl.Name]) {
			return sl.Name
		}
	}
	return ""
}

// fits are the slots of the active flow that what was said can be for: what is counted, of the filled ones that of which
// it is most surely a value, with values of other kinds beside it; of texts the only one.
func (u *utterance) fits(text string, orText bool) []found {
	beside := u.beside("", text)
	counted := slices.DeleteFunc(slices.Clone(beside), func(v found) bool {
		sl, ok := u.dialogue.Slot(u.flow, v.slot)
		return !ok || !sl.traits().counts
	})
	if len(counted) > 0 {
		return append(counted, u.others(beside, counted)...)
	}
	var best found
	var words []Slot
	for _, sl := range u.filled() {
		if sl.Type.kind().anyWords(sl) {
			words = append(words, sl)
			continue
		}
		if sl.traits().verdict && !orText {
			continue // a yes or no is said to what is asked
		}
		v, ok := u.read(sl, text)
		if best.slot != "" && u.Filled[best.slot] == nil && u.Filled[sl.Name] != nil && v.Score >= best.Score {
			best = found{}
		}
		if ok && v.Reason == "" && v.Score > best.Score && (orText || v.Score >= certain) {
			best = found{v, sl.Name}
		}
	}
	if best.slot != "" {
		return append([]found{best}, u.others(beside, []found{best})...)
	}
	if len(beside) > 0 && slices.ContainsFunc(u.filled(), func(sl Slot) bool { return sl.Name == beside[0].slot }) {
		return beside
	}
	if orText && len(words) == 1 && !u.within(text).isNumber() {
		if v, ok := u.read(words[0], text); ok {
			return []found{{v, words[0].Name}}
		}
	}
	return nil
}

// others are the values that are said elsewhere than some, and for other slots.
func (u *utterance) others(values, than []found) []found {
	return slices.DeleteFunc(slices.Clone(values), func(v found) bool {
		return slices.ContainsFunc(than, func(o found) bool { return o.slot == v.slot || v.Start < o.End && o.Start < v.End })
	})
}

// filled are the slots of the active flow that hold something, the last declared first.
func (u *utterance) filled() []Slot {
	var all []Slot
	for _, sl := range slices.Backward(u.places()) {
		if _, ok := u.Filled[sl.name]; ok {
			all = append(all, sl.Slot)
		}
	}
	return all
}
