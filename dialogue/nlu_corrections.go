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
	if slot, v, ok := u.fits(u.text, false); ok {
		return []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Confidence: v.Score}}
	}
	return nil
}

// correction is another value, said as one.
func (u *utterance) correction(said phrase.Said) []Command {
	if said.Rest == "" {
		return nil
	}
	if m := u.parts[u.flow]; m != nil { // "actually to Grace"
		if found := m.Match(said.Rest, u.Now); len(found) > 0 && len(found[0].Values) > 0 && found[0].Score >= certain {
			return set(found[0].Values)
		}
	}
	slot := u.named(said.About)
	if slot == "" && said.About != "" {
		slot = u.holding(said.About)
	}
	if slot != "" {
		sl, _ := u.dialogue.Slot(u.flow, slot)
		v, ok := u.locale.Read(spoken(sl), said.Rest, u.Now)
		if !ok || v.Reason != "" {
			return []Command{{Type: CorrectSlot, Slot: slot, Value: said.Rest}}
		}
		return []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Confidence: v.Score}}
	}
	if slot := u.named(said.Rest); slot != "" { // "make it 3 adults"
		sl, _ := u.dialogue.Slot(u.flow, slot)
		if v, ok := u.locale.Read(spoken(sl), said.Rest, u.Now); ok && v.Reason == "" && sl.Type != Text {
			return []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Confidence: max(v.Score, certain)}}
		}
	}
	if slot, v, ok := u.fits(said.Rest, true); ok {
		return []Command{{Type: CorrectSlot, Slot: slot, Value: v.Value, Confidence: v.Score}}
	}
	if u.Pending != nil && u.Pending.IsCollect() {
		u.text = said.Rest
		return u.answered()
	}
	return nil
}

// named is the slot of the active flow that some words name; "" for none.
func (u *utterance) named(words string) string {
	f := u.dialogue.flows[u.flow]
	if f == nil || strings.TrimSpace(words) == "" {
		return ""
	}
	s := phrase.Slot{Kind: phrase.Single}
	for _, sl := range f.order {
		if !sl.asked {
			continue
		}
		names := []string{strings.ReplaceAll(sl.name, "_", " ")}
		if sl.Description != "" {
			names = append(names, sl.Description)
		}
		s.Choices = append(s.Choices, phrase.Choice{Value: sl.name, Synonyms: names})
	}
	for _, v := range u.locale.Find(s, words, u.Now) {
		if _, number := u.locale.Read(phrase.Slot{Kind: phrase.Integer}, v.Text, u.Now); number {
			continue // a number names no slot by its place
		}
		if name, ok := v.Value.(string); ok && v.Reason == "" {
			return name
		}
	}
	return ""
}

// holding is the slot of the active flow that holds a value.
func (u *utterance) holding(text string) string {
	for _, sl := range u.filled() {
		v, ok := u.locale.Read(spoken(sl), text, u.Now)
		if ok && v.Reason == "" && equal(v.Value, u.Filled[sl.Name]) {
			return sl.Name
		}
	}
	return ""
}

// fits is the slot of the active flow that a value can be for: of the filled ones the last of its kind, of texts the only
// one.
func (u *utterance) fits(text string, orText bool) (slot string, value phrase.Value, ok bool) {
	var words []Slot
	for _, sl := range u.filled() {
		if sl.Type == Text || sl.Type == List && sl.Items == Text { // any words are one
			words = append(words, sl)
			continue
		}
		if sl.Type == Boolean && !orText {
			continue // a yes or no is said to what is asked
		}
		if v, ok := u.locale.Read(spoken(sl), text, u.Now); ok && v.Reason == "" {
			return sl.Name, v, true
		}
	}
	if orText && len(words) == 1 {
		v, ok := u.locale.Read(spoken(words[0]), text, u.Now)
		return words[0].Name, v, ok
	}
	return "", phrase.Value{}, false
}

// filled are the slots of the active flow that hold something, the last declared first.
func (u *utterance) filled() []Slot {
	f := u.dialogue.flows[u.flow]
	if f == nil {
		return nil
	}
	var all []Slot
	for _, sl := range slices.Backward(f.order) {
		if _, ok := u.Filled[sl.name]; ok && sl.asked {
			all = append(all, sl.Slot)
		}
	}
	return all
}
