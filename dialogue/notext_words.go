package dialogue

import (
	"strings"
	"unicode"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// ownValue reports whether a slot's own check takes a text and no other words. A check that takes other words of the same length and
// case, such as one of the length alone, does not tell them apart.
func (d *Dialogue) ownValue(sl *slot, text string) bool {
	const any = "Xyzzy"
	if sl.validate == nil {
		return false
	}
	u := &utterance{Turn: &Turn{Dialogue: d}, locale: d.locale, phrases: &phrases{dialogue: d, locale: d.locale}}
	other := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsUpper(r):
			return 'X'
		}
		return 'x'
	}, text)
	return u.takes(sl, text) && !u.takes(sl, any) && (other == text || !u.takes(sl, other))
}

// evades makes a text doubtful that gives no value, or one behind a denial or a doubt: "I don't have the number here", "maybe AB1234".
// It reports whether it is such. Of what is told in words, only an answer that says nothing else is one: "no hot water" says what is wrong.
func (d *Dialogue) evades(c *Change, sl *slot, text string) bool {
	does, rest := d.locale.Evasion(spoken(sl), text)
	coded := d.locale.AsksCode(spoken(sl))
	switch {
	case does == 0 || does != phrase.Evades && !coded || d.ownValue(sl, text):
		return false
	case !coded:
		c.Left = text
	case rest == "" || d.noText(sl, rest):
		c.Confidence = min(c.Confidence, -1)
	default:
		c.Value, c.Left = rest, text
	}
	return true
}

// guardMembers is guard for a list of texts, of which no member may be a yes, a no, a question, a denial or a doubt.
func (d *Dialogue) guardMembers(s *State, m *Message, c *Change, members []any, alone bool) {
	sl := d.meant(s, *c, nil)
	if sl == nil || !sl.traits().many || !sl.Type.kind().anyWords(sl.Slot) || len(members) == 0 {
		return
	}
	of := spoken(sl)
	for _, member := range members {
		text, ok := member.(string)
		if !ok {
			continue
		}
		does, _ := d.locale.Evasion(of, text)
		_, took := d.locale.TakenBack(text)
		switch {
		case d.noText(sl, text), does == phrase.Evades, does == phrase.Rejects:
			c.Confidence = min(c.Confidence, -1)
		case does != 0, took, d.locale.Open(text), d.heardBy(s, text).mayBeNoText(sl, text):
			c.Left = m.Text
		}
		if d.locale.Negated(text) && d.locale.Turns(text) { // "ibuprofen but not aspirin"
			c.Left = m.Text
		}
	}
	if alone && c.Left == "" && c.Confidence >= 0 && (d.locale.Open(m.Text) || d.heardBy(s, m.Text).mayBeNoText(sl, m.Text)) {
		c.Left = m.Text
	}
}
