package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// namedWith is the value that stands behind the name of a slot and a mark: "deposit: 90".
func (u *utterance) namedWith(words string) []Command {
	name, said, ok := strings.Cut(words, ":")
	slot := u.named(name)
	if !ok || slot == "" {
		return nil
	}
	return u.correctionFor(slot, phrase.Said{Command: phrase.Correct, About: name, Rest: strings.TrimSpace(said)})
}

// about is the slot that some words name, or whose value they are.
func (u *utterance) about(words string) string {
	if slot := u.named(words); slot != "" {
		return slot
	}
	for _, value := range []string{words, u.locale.CutBegin(words)} { // "not to John"
		if u.holding(value) == "" {
			continue
		}
		if slot := u.heldOnly(value); slot != "" && !u.saysMore(value, slot) {
			return slot
		}
		return ""
	}
	return u.endsName(words)
}

// heldOnly is the slot that holds a value which is none of what is asked.
func (u *utterance) heldOnly(value string) string {
	slot := u.holding(value)
	if slot == "" || u.answersAsked(value, slot) {
		return ""
	}
	return slot
}

// answersAsked reports whether words that may be the value of a slot are one of what is asked, too: "not at 3" at the question for a time.
func (u *utterance) answersAsked(words, slot string) bool {
	sl := u.asked()
	if sl == nil || sl.name == slot || u.asksText() {
		return false
	}
	_, ok := u.read(sl, words)
	return ok
}

// saysMore reports whether words that hold the value of a slot say more than that: "call me".
func (u *utterance) saysMore(words, slot string) bool {
	sl := u.slotOf(slot)
	if sl.inWords() {
		return false
	}
	v, _ := u.read(sl, words)
	rest := without(words, []found{{v, slot}})
	return u.locale.Beyond(append(spoken(sl).Names, u.neutral()...), rest) != ""
}

// endsName is the only slot whose name ends with a word: "the number" is the phone number, "Nummer" the Telefonnummer.
func (u *utterance) endsName(words string) string {
	const least = 4 // letters
	said := u.locale.Content(words)
	if len(said) != 1 || len(said[0]) < least {
		return ""
	}
	slot := ""
	for _, sl := range u.places() {
		if !slices.ContainsFunc(spoken(sl).Names, func(name string) bool {
			return strings.HasSuffix(strings.Join(phrase.Words(name), " "), said[0])
		}) {
			continue
		}
		if slot != "" {
			return ""
		}
		slot = sl.name
	}
	return slot
}

// severalNamed empties the slots that some words name, where they name several: "the date and the time".
func (u *utterance) severalNamed(words string) (all []Command) {
	from := 0
	for _, cut := range append(u.locale.Cuts(words), [2]int{len(words), len(words)}) {
		slot := u.named(words[from:cut[0]])
		if slot == "" {
			return nil
		}
		all, from = append(all, Command{Type: ClearSlot, Slot: slot, Confidence: surely}), cut[1]
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
		s.Choices = append(s.Choices, phrase.Choice{Value: sl.name, Synonyms: spoken(sl).Names})
	}
	for _, v := range u.locale.Find(s, phrase.Unelided(words), u.Now) {
		if name, ok := v.Value.(string); ok && v.Reason == "" && !v.Place && !u.shortens(v, name) && u.locale.CutBegin(v.Text) != "" { // a slot may be called "at"
			return name
		}
	}
	return ""
}

// shortens reports whether what was said is only the beginning of a slot's name, and too short for it: "Tim" is no "time".
func (u *utterance) shortens(v phrase.Value, slot string) bool {
	const short = 3 // letters
	return len(v.Text) <= short && !u.slotOf(slot).isCalledBy(strings.ToLower(v.Text))
}

// namesAnother reports whether a choice that was not said by its name is the name of another slot: "1 Person" is no slip of "Perso".
func (u *utterance) namesAnother(sl *slot, v phrase.Value) bool {
	if len(sl.Choices) == 0 || v.Score >= 1 {
		return false
	}
	for word := range strings.FieldsSeq(v.Text) {
		if other := u.named(word); other != "" && other != sl.name {
			return true
		}
	}
	return false
}

// holding is the slot of the active flow that holds a value.
func (u *utterance) holding(text string) string {
	for _, sl := range u.filled() {
		v, ok := u.read(sl, text)
		if !ok || v.Reason != "" || v.Place || !equal(v.Value, u.Filled[sl.name]) {
			continue
		}
		day := sl.traits().day
		weekday := day && phrase.Weekday(u.locale, u.locale.CutBegin(text)) // "Tuesday", where the day that was shown is one
		if weekday && !u.Pending.confirms() || day && v.Left != "" {
			continue
		}
		return sl.name
	}
	return ""
}
