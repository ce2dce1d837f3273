package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// parted are the values of a trigger of which no text holds the same wish once more: "send 50 to Bob and 60 to Ada" is no payee "Bob and
// 60 to Ada". The text ends before it, and the user is asked about the words that are left: they are never dropped in silence.
func (u *utterance) parted(all []Command) []Command {
	for i, c := range all {
		text, isText := c.Value.(string)
		sl := u.slotOf(c.Slot)
		if !isText || sl == nil || !sl.Type.kind().anyWords(sl.Slot) || c.Left != "" || c.Confidence == 0 || c.Type != SetSlot {
			continue
		}
		if said, ok := u.locale.Common(text); ok && said.Command == phrase.Correct {
			continue // "Bob. No wait, to Ada"
		}
		for _, cut := range u.locale.Cuts(text) {
			rest := text[cut[1]:]
			if !u.saysAgain(sl, rest) {
				continue
			}
			all[i].Value, all[i].Left = strings.TrimRight(text[:cut[0]], " ,;"), rest
			for k, o := range all { // of which the question names what is left
				if other := u.slotOf(o.Slot); u.mayClaim(o) && !other.traits().words {
					all[k].Left, all[i].Left = rest, ""
					break
				}
			}
			break
		}
	}
	return all
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
