package dialogue

import (
	"slices"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// Who puts a part of a value right keeps the rest of it: at "Friday 4 December at 15:00?" a "no, at 17:00" is that Friday, "on Monday"
// is at 15:00, and "until Monday" is a period that begins when it did. The same holds of an answer of which a part was missing.

// toldOf is the day of a moment that is asked for again, since the last message had a day and no time; "" for none. The lines have it,
// so that a replay knows it, too.
func (u *utterance) toldOf(sl *slot) string {
	if !sl.traits().moment || u.asked() != sl {
		return ""
	}
	at := len(u.Lines) - 1
	if at >= 0 && u.Lines[at].By == byUser {
		at--
	}
	asked := 0 // how often, around the last message
	for ; at >= 0 && u.Lines[at].By == byBot; at-- {
		if u.Lines[at].Text == u.Pending.Prompt {
			asked++
		}
	}
	if asked == 0 || at < 1 || u.Lines[at].By != byUser || !u.askedBefore(at) {
		return ""
	}
	s := spoken(sl)
	if v, ok := u.locale.Read(s, u.Lines[at].Text, u.Now); !ok || v.Reason == "" {
		return ""
	}
	s.Kind = phrase.Date
	v, ok := u.locale.Read(s, u.Lines[at].Text, u.Now)
	day, _ := v.Value.(string)
	if !ok || v.Reason != "" || v.Left != "" {
		return ""
	}
	return day
}

// askedBefore reports whether a line answers the question that stands.
func (u *utterance) askedBefore(at int) bool {
	for at--; at >= 0 && u.Lines[at].By == byBot; at-- {
		if u.Lines[at].Text == u.Pending.Prompt {
			return true
		}
	}
	return false
}

// completed are commands of which each period that takes the place of another one keeps the end that was not said. Where the two ends
// do not fit, and where they are no days, the user is asked.
func (u *utterance) completed(all []Command) {
	for i, c := range all {
		was, _ := u.Filled[c.Slot].(map[string]any)
		is, _ := c.Value.(map[string]any)
		sl := u.slotOf(c.Slot)
		if c.Type != SetSlot && c.Type != CorrectSlot || sl == nil || sl.Type != Range || c.Slot == u.askedName() || c.Left != "" || len(is) != 1 || len(was) == 0 {
			continue
		}
		both := map[string]any{}
		for _, end := range []string{"from", "to"} {
			if both[end] = is[end]; is[end] == nil {
				both[end] = was[end]
			}
		}
		from, isDay := both["from"].(string)
		to, _ := both["to"].(string)
		switch {
		case slices.Contains([]any{both["from"], both["to"]}, nil):
		case isDay && from <= to:
			all[i].Value = both
		default:
			all[i].Left = u.text
		}
	}
}

// dayless is a moment of which the user is asked whether it is meant where only its time of day was said, and no day is known: "at 10".
func (u *utterance) dayless(sl *slot, v phrase.Value, text string) phrase.Value {
	if !sl.traits().moment || v.Left != "" || u.spoken(sl).Was != "" {
		return v
	}
	at, ok := u.locale.Read(phrase.Slot{Kind: phrase.Time}, v.Text, u.Now)
	if !ok || at.Reason != "" || len(u.locale.Find(phrase.Slot{Kind: phrase.Date}, text, u.Now)) > 0 {
		return v
	}
	if again, ok := u.locale.Read(u.spoken(sl), text, u.Now.Add(time.Minute)); ok && equal(again.Value, v.Value) { // "in two hours" counts from now
		v.Left = v.Text
	}
	return v
}
