package dialogue

import (
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// At a question for a reason, a description or another text of one's own, words that stop what goes on elsewhere tell something: "Why?" "I
// don't need it any more." Only a plain wish to stop stops there.

// recounts reports whether the user is asked for a reason, a description or the like.
func (u *utterance) recounts() bool {
	return u.asksText() && phrase.Recounts(u.locale, u.spoken(u.asked()))
}

// told is the answer to such a question in words that stop or skip something elsewhere, as it was given.
func (u *utterance) told() []Command {
	if !u.recounts() || u.asked().traits().many || !u.dialogue.retold(u.Pending, u.asked(), u.text) {
		return nil
	}
	sl := u.asked()
	said, ok := u.locale.Common(u.text)
	unneeded := ok && said.About == phrase.Unneeded
	orders := u.locale.Orders(spoken(sl).Names, u.text) && !phrase.Reports(u.locale, u.text)
	if orders && !unneeded || sl.Optional && u.mentions(sl, u.text) { // "don't ring", "no note"
		return nil
	}
	switch {
	case ok && said.Command == phrase.Skip && sl.Optional: // "no need"
		return nil
	case ok && said.About == phrase.Telling: // "I changed my mind" may stop what goes on
		return u.wholeText()
	}
	v, ok := u.read(sl, u.text)
	if !ok || v.Reason != "" {
		return nil
	}
	if sl.validate == nil && spoken(sl).Pattern == nil {
		v.Value = strings.TrimSpace(u.text)
	}
	return []Command{found{v, sl.name}.command()}
}

// tellsMore reports whether words at a question for a text that name another slot, or a value of one, say more than what to do with it:
// "the other car braked suddenly", and not "the car is wrong".
func (u *utterance) tellsMore(said phrase.Said) bool {
	switch said.Command {
	case phrase.Opposite, phrase.Wrong, phrase.Clear:
	case phrase.Correct:
		if !u.recounts() || said.About == "" {
			return false
		}
	default:
		return false
	}
	if slot := u.holding(said.About); !u.asksText() || slot != "" && !u.saysMore(said.About, slot) {
		return false
	}
	var names []string
	for _, sl := range u.places() {
		names = append(names, spoken(sl).Names...)
	}
	return u.locale.Beyond(names, said.About) != ""
}

// orTells has the user asked where words at such a question may be a text as well as a wish for another value: "another car". A question
// wishes for none: "how much do others give?"
func (u *utterance) orTells(said phrase.Said, all []Command) []Command {
	if said.Command == phrase.Opposite && phrase.Inquires(u.locale, u.text) {
		return nil
	}
	if len(all) > 0 && u.recounts() && (said.Command == phrase.Opposite || u.locale.AsksMore(u.text)) {
		return u.wholeText()
	}
	return all
}

// retold reports whether words that are no text elsewhere are one for a slot that is asked for: see told.
func (d *Dialogue) retold(t *PendingTask, sl *slot, text string) bool {
	if t == nil || !t.IsCollect() || t.Slot != sl.name {
		return false
	}
	s := spoken(sl)
	s.Asked = t.Prompt
	if does, _ := d.locale.Evasion(s, text); does == phrase.Evades && phrase.Recounts(d.locale, phrase.Slot{Names: []string{text}}) { // "I don't want to describe it"
		return false
	}
	return phrase.Recounts(d.locale, s) && (phrase.Excuse(d.locale, text) || phrase.Reports(d.locale, text)) && strings.TrimSpace(text) != ""
}

// ordered is a yes or a no in the verb of the question itself: "Submit?" "Submit it." Words that do something else by themselves are none.
func (u *utterance) ordered() []Command {
	yes, no := u.locale.Ordered(u.question(), u.text)
	if !yes && !no || u.holding(u.text) != "" || begunBy(u.begins()) != "" {
		return nil
	}
	if said, ok := u.locale.Common(u.text); yes && ok && said.Score >= certain && said.Command != phrase.Clear {
		return nil
	}
	if yes {
		return []Command{{Type: Affirm, Confidence: surely}}
	}
	return []Command{{Type: Deny, Confidence: surely}}
}
