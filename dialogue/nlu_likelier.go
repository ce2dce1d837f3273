package dialogue

import (
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// past is a day, or the one that the same words mean in the past where the slot takes no other: "10 November" of a reading of the meter.
func (u *utterance) past(sl *slot, v phrase.Value, text string) phrase.Value {
	if !sl.traits().day || sl.validate == nil || u.takes(sl, v.Value) {
		return v
	}
	day, _ := v.Value.(string)
	before, err := time.Parse(time.DateOnly, day)
	switch later, ok := u.localeOf(sl).Read(u.spoken(sl), text, u.Now.AddDate(0, 0, 1)); {
	case err != nil:
		return v
	case phrase.Weekday(u.locale, text):
		before = before.AddDate(0, 0, -7)
	case ok && equal(later.Value, v.Value): // "tomorrow" is another day then
		last, ok := u.localeOf(sl).Read(u.spoken(sl), text, u.Now.AddDate(-1, 0, 0))
		day, _ = last.Value.(string)
		if before, err = time.Parse(time.DateOnly, day); !ok || err != nil {
			return v
		}
	}
	if past := before.Format(time.DateOnly); u.takes(sl, past) {
		v.Value = past
	}
	return v
}

// likelier is a value, or the one nearby that the slot takes where it does not take this one: the other half of the day,
// or of a text the one word that it takes.
func (u *utterance) likelier(s *slot, v phrase.Value, text string) phrase.Value {
	if s.validate == nil || !s.inWords() && !v.Half {
		return v
	}
	said, _ := v.Value.(string)
	if v.Half {
		if at, err := time.Parse("15:04", said); err == nil && !u.takes(s, said) {
			if other := at.Add(12 * time.Hour).Format("15:04"); u.takes(s, other) {
				v.Value = other
			}
		}
		return v
	}
	const ends = ".,;:!?\"'()"
	if word := strings.TrimRight(said, ends); word != said && u.takes(s, word) {
		v.Value = word
		return v
	}
	if u.takes(s, said) {
		return v
	}
	var good []string
	for word := range strings.FieldsSeq(text) {
		const most = 64
		if word = strings.Trim(word, ends); len(good) < most && u.takes(s, word) && !slices.Contains(good, word) {
			good = append(good, word)
		}
	}
	if len(good) == 1 {
		at := strings.Index(text, good[0])
		v.Value, v.Text, v.Start, v.End = good[0], good[0], at, at+len(good[0])
	}
	return v
}

// takes reports whether a slot takes a value, as far as the value alone decides it.
func (u *utterance) takes(s *slot, v any) bool {
	names := map[string]any{s.name: v, nameToday: u.Now.Format(time.DateOnly), nameNow: u.Now.Format(time.RFC3339)}
	for _, name := range s.validate.Names() {
		if _, ok := names[name]; !ok {
			return true
		}
	}
	good, err := s.validate.Holds(scopeOf(names))
	return good || err != nil
}
