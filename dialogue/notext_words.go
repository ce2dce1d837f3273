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
func (d *Dialogue) evades(c *Change, sl *slot, text, said string) bool {
	does, rest := d.locale.Evasion(spoken(sl), said)
	coded := d.locale.AsksCode(spoken(sl))
	switch {
	case does == 0 || does != phrase.Evades && !coded || d.ownValue(sl, text):
		return false
	case d.noText(sl, text) && (!coded || does != phrase.Rejects):
		return false
	case rest == text && text != said && strings.ContainsFunc(text, unicode.IsDigit): // "no, AB1235"
		return false
	case !coded:
		c.Left = said
	case rest == "" || d.noText(sl, rest):
		c.Confidence = min(c.Confidence, -1)
	default:
		c.Value, c.Left = rest, said
	}
	return true
}

// saidAlone is a text with the words around it, where it is the answer to the question for what is written down and nothing else is said.
func (d *Dialogue) saidAlone(s *State, m *Message, c *Change, sl *slot, text string, alone bool) string {
	if alone && m.Text != "" && s.Pending != nil && s.Pending.IsCollect() && c.Slot == s.Pending.Slot && d.locale.AsksCode(spoken(sl)) {
		return m.Text
	}
	return text
}

// insteadOfText is the value of a text that denies something, where that says what is meant: an order ("don't ring"), or what stands in
// place of what is denied ("not AB1234, AB1235"). The user is asked. It reports whether it is such.
func (u *utterance) insteadOfText(sl *slot, v *phrase.Value) bool {
	of := u.spoken(sl)
	does, rest := u.locale.Evasion(of, u.text)
	switch {
	case v.Reason == "" && u.ordersText(sl):
		v.Left = u.text
	case does == phrase.Rejects && rest != "" && u.locale.AsksCode(of) && !u.dialogue.noText(sl, rest) && !u.dialogue.ownValue(sl, u.text):
		v.Value, v.Reason, v.Left = rest, "", u.text
	default:
		return false
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
