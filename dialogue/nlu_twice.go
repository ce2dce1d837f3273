package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// parted are the values of a trigger of which no text holds the same wish once more: "send 50 to Bob and 60 to Ada" is no payee "Bob and
// 60 to Ada", nor is one "Bob not to Ada". The text ends before it, and the user is asked about the words that are left: they are
// never dropped in silence.
func (u *utterance) parted(all []Command) []Command {
	for i, c := range all {
		text, isText := c.Value.(string)
		sl := u.slotOf(c.Slot)
		if !isText || sl == nil || !sl.Type.kind().anyWords(sl.Slot) || c.Left != "" || c.Confidence == 0 || c.Type != SetSlot {
			continue
		}
		cut, says := u.onceMore(sl, text)
		if !says {
			continue
		}
		rest := text[cut[1]:]
		all[i].Value, all[i].Left = strings.TrimRight(text[:cut[0]], " ,;"), rest
		for k, o := range all { // of which the question names what is left
			if other := u.slotOf(o.Slot); u.mayClaim(o) && !other.traits().words {
				all[k].Left, all[i].Left = rest, ""
				break
			}
		}
	}
	return all
}

// onceMore is where a text says the values of a trigger once more: the end of what is said before, and the beginning of the rest.
func (u *utterance) onceMore(sl *slot, text string) (cut [2]int, ok bool) {
	for _, cut := range u.locale.Denials(text) {
		if _, behind, _ := strings.Cut(text[cut[1]:], " "); u.saysAgain(sl, behind) { // "Bob not to Ada"
			return cut, true
		}
	}
	if said, ok := u.locale.Common(text); ok && said.Command == phrase.Correct {
		return cut, false // "Bob. No wait, to Ada"
	}
	for _, cut := range u.locale.Cuts(text) {
		if u.saysAgain(sl, text[cut[1]:]) {
			return cut, true
		}
	}
	return cut, false
}

// saysAgain reports whether words behind a text are the values of a trigger once more: one behind the word that leads to the text, or
// one of another slot.
func (u *utterance) saysAgain(sl *slot, rest string) bool {
	first, _, _ := strings.Cut(rest, " ")
	words := phrase.Words(first)
	if len(words) == 1 && slices.Contains(u.signs[u.flow][sl.name].Before, words[0]) {
		return true
	}
	return slices.ContainsFunc(u.places(), func(o *slot) bool {
		return o.claims() && len(u.localeOf(o).Find(u.spoken(o), rest, u.Now)) > 0
	})
}
