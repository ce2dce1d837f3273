package dialogue

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// corrected is a value of another kind than the one asked for, or one where nothing was asked: it changes the slot of
// its kind, where there is one.
func (u *utterance) corrected() []Command {
	act := u.locale.Act(u.text)
	if u.Pending == nil || u.asksText() || u.pointsNowhere() || act == phrase.Doubts || act == phrase.Pauses { // "in a minute"
		return nil
	}
	if all := u.routed(); len(all) > 0 {
		return all
	}
	return corrections(slices.DeleteFunc(u.fits(u.text, false), func(v found) bool {
		return u.bare(u.slotOf(v.slot), v.Value) || v.Place && u.Pending.confirms() // "the second one": of what?
	}))
}

// routed is the one to whom something goes, said where the flow knows of another: "it's for Tim".
func (u *utterance) routed() []Command {
	to, ok := u.locale.Routed(u.text)
	if !ok || !u.Pending.confirms() || u.locale.Act(to) != 0 {
		return nil
	}
	whom := slices.DeleteFunc(u.filled(), func(sl *slot) bool {
		return !sl.Type.kind().anyWords(sl.Slot) || !u.locale.Receives(spoken(sl))
	})
	if len(whom) != 1 {
		return nil
	}
	return []Command{{Type: CorrectSlot, Slot: whom[0].name, Value: to, Confidence: certain}}
}

// corrections are the commands for values that take the place of others.
func corrections(values []found) []Command {
	var all []Command
	for _, v := range values {
		all = append(all, Command{Type: CorrectSlot, Slot: v.slot, Value: v.Value.Value, Left: v.Left, Confidence: v.Score})
	}
	return all
}

// correction is another value, said as one, and the answer that was given before it: "savings, but make it 60".
func (u *utterance) correction(said phrase.Said) []Command {
	if u.asksText() && said.About == "" && !u.correctsText(said) {
		return nil
	}
	if _, denies := u.locale.Led(said.Before); denies && said.About == "" && !u.marked(said) { // "no Tuesdays"
		return u.wrong(u.heldOnly(said.Rest))
	}
	all := u.correctionOf(said)
	for _, more := range said.More {
		further := u.correctionOf(more)
		if len(further) == 0 && len(all) > 0 && all[0].Left == "" { // nothing of it is lost
			all[0].Left = more.About + " " + more.Rest
		}
		all = append(all, further...)
	}
	sl := u.asked()
	if sl == nil || len(all) == 0 || sl.inWords() || slices.ContainsFunc(all, func(c Command) bool { return c.Slot == sl.name }) {
		return all
	}
	if v, ok := u.read(sl, said.Before); ok && v.Reason == "" && !v.Place && v.Score >= certain {
		all = append([]Command{found{v, sl.name}.command()}, all...)
	}
	return all
}

// correctionOf is what a correction changes. The user is asked where it takes back and gives one value: "not this Friday, next
// Friday".
func (u *utterance) correctionOf(said phrase.Said) []Command {
	all := u.correctionIn(said)
	for i, c := range all {
		if sl := u.slotOf(c.Slot); said.About != "" && said.Rest != "" && sl != nil && !sl.inWords() && c.Value != nil {
			if v, ok := u.read(sl, said.About); ok && v.Reason == "" && equal(v.Value, c.Value) {
				all[i].Left = u.text
			}
		}
	}
	return all
}

func (u *utterance) correctionIn(said phrase.Said) []Command {
	if said.Rest == "" {
		if several := u.severalNamed(said.About); len(several) > 1 {
			return several
		}
		if all := u.namedWith(said.About); len(all) > 0 {
			return all
		}
	}
	if cuts := u.locale.Cuts(said.About); said.Rest == "" && len(cuts) > 0 { // "pas à Bob, à Paul"
		said.About, said.Rest = said.About[:cuts[0][0]], said.About[cuts[0][1]:]
	}
	if said.Rest == "" {
		return u.wrong(cmp.Or(u.named(said.About), u.holding(said.About)))
	}
	if said.About == "" {
		for _, cut := range u.locale.Cuts(said.Rest) { // "Jimmy, not John"
			if not, ok := u.locale.Common(said.Rest[cut[1]:]); ok && not.Command == phrase.Wrong && u.about(not.About) != "" {
				said.Rest, said.About = said.Rest[:cut[0]], not.About
				break
			}
		}
	}
	if said.About != "" && len(u.locale.Content(said.About)) == 0 { // "not on Tuesday at 10, on Wednesday at 11"
		cuts := u.locale.Cuts(said.Rest)
		if len(cuts) == 0 {
			return nil
		}
		said.About, said.Rest = said.About+" "+said.Rest[:cuts[0][0]], said.Rest[cuts[0][1]:]
	}
	slot := u.named(said.About)
	if slot == "" && said.About != "" && u.asksText() && u.holding(said.About) == "" && !u.turned {
		return nil // "Do not disturb" is a text, too
	}
	rest, _ := u.within(said.Rest).opened()
	said.Rest = rest.text
	if said.About == "" && rest.answers(whole) {
		return rest.answered()
	}
	if all := rest.routed(); len(all) > 0 {
		return all
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
		return u.correctionFor(slot, said)
	}
	if rest.answers(0) { // "50, no, 60"
		return rest.answered()
	}
	return u.correctionAnywhere(said, rest)
}

// correctionFor is what a correction gives the slot that it names.
func (u *utterance) correctionFor(slot string, said phrase.Said) []Command {
	v, ok := u.read(u.slotOf(slot), said.Rest)
	if !ok || v.Reason != "" {
		return []Command{{Type: CorrectSlot, Slot: slot, Value: said.Rest}}
	}
	all := []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Left: v.Left, Confidence: v.Score}}
	if sl := u.asked(); sl != nil && sl.name != slot && !sl.inWords() { // "move the date to Wednesday, 6pm"
		left := without(said.Rest, []found{{v, slot}})
		if w, ok := u.read(sl, left); ok && w.Reason == "" && w.Left == "" && w.Score >= whole {
			if v, ok = u.read(u.slotOf(slot), without(said.Rest, []found{{w, sl.name}})); ok && v.Reason == "" {
				all[0].Value, all[0].Left = v.Value, v.Left
			}
			all = append(all, found{w, sl.name}.command())
		}
	}
	return all
}

// correctionAnywhere is what a correction gives the slot that its value fits. rest is what it says.
func (u *utterance) correctionAnywhere(said phrase.Said, rest *utterance) []Command {
	if u.onlyPlace(said.Rest) { // among what is asked, or among what?
		return slices.DeleteFunc(rest.answered(), func(c Command) bool { return c.Slot != u.Pending.Slot })
	}
	if slot := u.named(said.Rest); slot != "" { // "make it 3 adults"
		sl := u.slotOf(slot)
		if v, ok := u.read(sl, said.Rest); ok && v.Reason == "" && !sl.inWords() {
			return []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Left: v.Left, Confidence: max(v.Score, certain)}}
		}
	}
	if values := u.fits(said.Rest, true); len(values) > 0 && !(u.asksText() && values[0].Score < certain) {
		if sl := u.slotOf(values[0].slot); sl.Type.kind().anyWords(sl.Slot) {
			return u.textCorrected(sl, said, values)
		}
		return corrections(values)
	}
	if u.collects() {
		return rest.answered()
	}
	return nil
}

// answers reports whether what was said is a value for the slot that is asked for, which is no text, as surely as that.
func (u *utterance) answers(sure float64) bool {
	sl := u.asked()
	if sl == nil || u.asksText() {
		return false
	}
	v, ok := u.read(sl, u.text)
	return ok && v.Reason == "" && v.Score >= sure && !(v.Place && u.isNumber())
}

// putRight is a value behind words that put something right: "oh wait, Joe".
func (u *utterance) putRight() []Command {
	if !u.turned || u.locale.Act(u.text) != 0 {
		return nil
	}
	return u.correctionOf(phrase.Said{Command: phrase.Correct, Rest: u.text})
}

// isWrong is what is not right, and the right value where that follows: "not Monday, Tuesday".
func (u *utterance) isWrong(said phrase.Said) []Command {
	if sl := u.slotOf(u.named(said.About)); sl != nil && sl.traits().counts && u.locale.AsksMore(u.text) { // "another parcel": one more, or other ones?
		return nil
	}
	if several := u.severalNamed(said.About); len(several) > 1 {
		return several
	}
	if all := u.namedWith(said.About); len(all) > 0 {
		return all
	}
	if all := u.wrong(u.about(said.About)); len(all) > 0 {
		return all
	}
	if cuts := u.locale.Cuts(said.About); len(cuts) > 0 {
		return u.correctionOf(phrase.Said{Command: phrase.Correct, About: said.About[:cuts[0][0]], Rest: said.About[cuts[0][1]:]})
	}
	return nil
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
		if s := u.slotOf(name); s.inWords() && s.validate == nil && u.within(v.Text).isNumber() {
			return true
		}
	}
	return false
}

// alternative is what is said for the only text of the flow that takes it, behind a no: "no, to bob@example.com".
func (u *utterance) alternative(text string) []Command {
	var all []Command
	for _, sl := range u.filled() {
		if !sl.inWords() || sl.validate == nil {
			continue
		}
		v, ok := u.read(sl, text)
		if said, isText := v.Value.(string); ok && isText && v.Reason == "" && u.takes(sl, said) && !u.takes(sl, "") {
			all = append(all, Command{Type: CorrectSlot, Slot: sl.name, Value: v.Value, Confidence: certain})
		}
	}
	if len(all) != 1 {
		return nil
	}
	return all
}

// fits are the slots of the active flow that what was said can be for: what is counted, of the filled ones that of which
// it is most surely a value, with values of other kinds beside it; of texts the only one.
func (u *utterance) fits(text string, orText bool) []found {
	beside := slices.DeleteFunc(u.beside("", text), func(v found) bool { // a yes at a question for one is no value
		return u.Pending.confirms() && u.slotOf(v.slot).isVerdict() && u.named(text) != v.slot
	})
	counted := slices.DeleteFunc(slices.Clone(beside), func(v found) bool {
		return !u.slotOf(v.slot).traits().counts
	})
	if len(counted) > 0 {
		return u.doubted(text, append(counted, u.others(beside, counted)...))
	}
	var best found
	var words []*slot
	for _, sl := range u.filled() {
		if sl.Type.kind().anyWords(sl.Slot) {
			words = append(words, sl)
			continue
		}
		if sl.traits().many && u.asked() != sl && u.within(text).isNumber() {
			continue // a place in what list?
		}
		if sl.isVerdict() && !orText {
			continue // a yes or no is said to what is asked
		}
		v, ok := u.read(sl, text)
		if ok && u.asked() != sl && (u.locale.None(v.Text) || u.namesAnother(sl, v)) {
			continue // "something else" is no 0
		}
		if best.slot != "" && u.Filled[best.slot] == nil && u.Filled[sl.name] != nil && v.Score >= best.Score {
			best = found{}
		}
		if v, ok = u.apart(sl, v, ok, text, beside); ok && v.Reason == "" && v.Score > best.Score && (orText || v.Score >= certain) {
			best = found{v, sl.name}
		}
	}
	if best.slot != "" {
		return append([]found{best}, u.others(beside, []found{best})...)
	}
	if len(beside) > 0 && slices.ContainsFunc(u.filled(), func(sl *slot) bool { return sl.name == beside[0].slot }) {
		return u.doubted(text, beside)
	}
	if orText && len(words) == 1 && !u.within(text).isNumber() {
		if v, ok := u.read(words[0], text); ok {
			return []found{{v, words[0].name}}
		}
	}
	return nil
}

// textCorrected is a text in the place of another one that was not called by its name. Words that plainly put something right
// are enough ("I meant Bob"); behind others ("actually Bob") the user is asked. A yes, a no, a trigger and the like are none.
func (u *utterance) textCorrected(sl *slot, said phrase.Said, values []found) []Command {
	text, _ := values[0].Value.Value.(string)
	opens, denies := u.locale.Led(said.Before)
	switch {
	case u.dialogue.ownValue(sl, text):
	case said.About != "", denies && !u.marked(said), u.locale.Act(u.text) != 0 && !denies, u.dialogue.noText(sl, text), u.locale.Affirms(said.Before), u.mayBeNoText(sl, text):
		return nil
	case opens, denies, u.orders(said), said.About == "" && strings.ToLower(text) == text: // "make it snappy"
		values[0].Left = u.text
	}
	return corrections(values)
}

// orders reports whether the words of a correction are a verb alone, which orders other things as well: "make tea".
func (u *utterance) orders(said phrase.Said) bool {
	before := strings.Fields(said.Before)
	if len(before) == 0 {
		return false
	}
	alone, ok := u.locale.Common(before[len(before)-1] + " " + said.Rest)
	return ok && alone.Command == phrase.Correct
}

// marked reports whether a mark stands between the words of a correction and what follows them.
func (u *utterance) marked(said phrase.Said) bool {
	before := strings.TrimSpace(said.Before)
	return before == "" || strings.ContainsAny(before[len(before)-1:], ",.;:-–—…!")
}

// correctsText reports whether words at a question for a text put another one right: a mark stands before what follows, and the
// words as a whole do nothing else. "No mail arrives" and "wait a minute" correct nothing.
func (u *utterance) correctsText(said phrase.Said) bool {
	opens, denies := u.locale.Led(said.Before)
	act := u.locale.Act(u.text)
	return (u.marked(said) || !opens && !denies) && (act == 0 || act == phrase.Denies) && u.locale.Act(said.Rest) == 0
}

// calledByName are values of slots that are called by their names, other than the one asked for: "my phone is 0151".
func (u *utterance) calledByName() []Command {
	if said, ok := u.locale.Common(u.text); ok && (said.Command == phrase.Wrong || said.Command == phrase.Clear) && said.Score >= certain {
		return nil
	}
	for _, sl := range u.places() {
		rest, ok := u.locale.Labelled(spoken(sl), u.text)
		if !ok {
			rest, ok = u.introduced(sl)
		}
		if !ok || u.collects() && sl.name == u.Pending.Slot {
			continue
		}
		var more []Command
		for _, cut := range u.locale.Cuts(rest) { // "and the time is 11"
			if more = u.within(rest[cut[1]:]).calledByName(); len(more) > 0 {
				rest = rest[:cut[0]]
				break
			}
		}
		v, ok := u.read(sl, rest)
		if !ok || v.Reason != "" || v.Left != "" || v.Score < certain || sl.inWords() && u.dialogue.noText(sl, rest) {
			continue
		}
		if sl.inWords() && sl.validate == nil && u.within(rest).isNumber() { // nobody is called 31
			v.Left = u.text
		}
		return append(u.commands([]found{{v, sl.name}}), more...)
	}
	if yes, no, rest, _ := u.locale.Assent(u.text); no && !yes && rest != "" && rest != u.text { // "no, the name is Ida"
		return u.within(rest).calledByName()
	}
	return nil
}

// others are the values that are said elsewhere than some, and for other slots.
func (u *utterance) others(values, than []found) []found {
	return slices.DeleteFunc(slices.Clone(values), func(v found) bool {
		return slices.ContainsFunc(than, func(o found) bool { return o.slot == v.slot || o.meets(v.Value) })
	})
}

// filled are the slots of the active flow that hold something, the last declared first.
func (u *utterance) filled() []*slot {
	var all []*slot
	for _, sl := range slices.Backward(u.places()) {
		if _, ok := u.Filled[sl.name]; ok {
			all = append(all, sl)
		}
	}
	return all
}
