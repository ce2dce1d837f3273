package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// Where several values were said for one, the user was asked which one is meant. The answer may call one by its place ("the second
// one"), or none of them ("neither"). The place is that among the values that were named, and no day, number or text.

// pointed is an answer that calls one of the things that were named by its place.
func (u *utterance) pointed() []Command {
	if u.Pending == nil || u.Pending.Slot == "" || asksFlow(u.Pending) || len(u.text) > 100 {
		return nil
	}
	sl := u.slotOf(u.Pending.Slot)
	if sl == nil || sl.isVerdict() || sl.traits().many {
		return nil
	}
	offers, asked := u.offersFor(sl)
	if len(offers) == 0 {
		return nil
	}
	if asked && u.locale.None(u.text) && !sl.Optional && !sl.traits().choices {
		return []Command{{Type: Repeat, Confidence: surely}}
	}
	v, ok := u.placeAmong(len(offers))
	switch {
	case !ok:
		return nil
	case v < 0: // there is no such place
		if !asked {
			return nil
		}
		return []Command{{Type: Repeat, Confidence: surely}}
	}
	return []Command{{Type: SetSlot, Slot: sl.name, Value: offers[v], Confidence: surely}}
}

// placeAmong is the place that a message names among some things, from 0; below 0 for one that there is not. Digits alone are no place.
func (u *utterance) placeAmong(things int) (at int, ok bool) {
	s := phrase.Slot{Kind: phrase.Single}
	for i := range things {
		s.Choices = append(s.Choices, phrase.Choice{Value: strings.Repeat("·", i+1)}) // called by its place alone
	}
	in, _ := u.opened()
	v, ok := u.locale.Read(s, in.text, u.Now)
	if !ok || v.Left != "" || v.Score < certain && v.Reason == "" || strings.Trim(v.Text, "0123456789.") == "" {
		return 0, false
	}
	if v.Reason != "" {
		return -1, true
	}
	name, _ := v.Value.(string)
	return slices.IndexFunc(s.Choices, func(c phrase.Choice) bool { return c.Value == name }), v.Place
}

// offersFor are the values of which the user was asked which one is meant for a slot, and otherwise what the question offers: its choices or
// quick replies.
func (u *utterance) offersFor(sl *slot) (offers []any, asked bool) {
	for at, line := range slices.Backward(u.Lines) {
		if line.By != byUser || line.Text == u.Text && at == len(u.Lines)-1 {
			continue
		}
		if offers := u.namedIn(sl, line.Text, u.Lines[at+1:]); len(offers) > 1 {
			return offers, true
		}
		if len(u.Lines)-at > pointedBack {
			break
		}
	}
	if sl.traits().choices && u.collects() {
		for _, c := range sl.Choices {
			offers = append(offers, c.Value)
		}
	}
	return offers, false
}

// pointedBack is how many lines back the things may have been named that a place is one of.
const pointedBack = 6

// namedIn are the values of which one is meant in what a user has said, where the bot has asked which.
func (u *utterance) namedIn(sl *slot, text string, since []Line) []any {
	var answer []string
	for _, line := range since {
		if line.By == byUser {
			break
		}
		answer = append(answer, line.Text)
	}
	said := strings.Join(answer, "\n")
	s := spoken(sl)
	if sl.Type.kind().anyWords(sl.Slot) {
		var all []any
		if parts := u.locale.EitherOf(text); len(parts) > 1 && strings.Contains(said, text) {
			for _, part := range parts {
				all = append(all, part)
			}
		}
		return all
	}
	locale := u.localeOf(sl)
	if which, _, ok := locale.Rivals(s, text, u.Now); ok && strings.Contains(said, which.Reason) {
		return which.Among
	}
	if v, ok := locale.Read(s, text, u.Now); ok && v.Reason != "" && strings.Contains(said, v.Reason) {
		return v.Among
	}
	return nil
}

// onlyPlace reports whether a text only says which of several: "the second one". Where nothing was named it may be a text.
func (u *utterance) onlyPlace(text string) bool {
	const any = 9 // things
	if strings.ContainsAny(text, "0123456789") || !u.locale.IsNumber(text) || len(phrase.Words(text)) < 2 {
		return false
	}
	_, ok := u.within(text).placeAmong(any)
	return ok
}

// pointsNowhere reports whether a message only says which of several, perhaps as a correction: "yes, rather the first". Of what is not said:
// it is no value of a slot that was not asked for.
func (u *utterance) pointsNowhere() bool {
	said, ok := u.locale.Common(u.text)
	return u.onlyPlace(u.text) || ok && u.onlyPlace(said.Rest)
}
