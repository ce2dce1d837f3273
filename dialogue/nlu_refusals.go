package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// More may be said behind a yes or a no: "no, on Friday", "no, Ida", "no, the other one". It takes effect, or it is politeness. Else
// the yes or the no is not taken: nobody knows what the rest says, and the user is asked.

// lost are the words behind a no that mean something, and that no command holds; "" for none.
func (u *utterance) lost(rest string, more []Command) string {
	if said, ok := u.locale.Common(strings.Trim(rest, marksAround)); ok && said.Command == phrase.Correct && len(more) > 0 {
		return "" // "no, change the dish to lasagne" says all that it says
	}
	neutral := u.neutral()
	for _, c := range more {
		switch c.Type {
		case SetSlot, CorrectSlot:
			if c.Left != "" || c.Confidence == 0 { // the user is asked
				return ""
			}
			rest = u.without(rest, c)
			if sl := u.slotOf(c.Slot); sl != nil { // "the name is Ida"
				neutral = append(neutral, spoken(sl).Names...)
			}
		case StartFlow:
			for _, p := range u.within(rest).bothSides() {
				if begunBy(u.within(p.behind).begins()) != "" {
					return u.locale.Beyond(neutral, p.before)
				}
			}
			return ""
		default:
			return ""
		}
	}
	if u.locale.Beyond(neutral, rest) == "" {
		return ""
	}
	return strings.Trim(rest, marksAround)
}

// without is a text without the value of a command; "" where it cannot be told what else it says.
func (u *utterance) without(text string, c Command) string {
	sl := u.slotOf(c.Slot)
	if sl == nil {
		return ""
	}
	if said, isText := c.Value.(string); isText && sl.inWords() {
		before, behind, _ := strings.Cut(text, said)
		return before + " " + behind
	}
	for _, v := range u.localeOf(sl).Find(u.spoken(sl), text, u.Now) {
		if u.gives(sl, c, v) {
			return text[:v.Start] + " " + text[v.End:]
		}
	}
	return ""
}

// neutral are the words that say nothing new: those that the flow is called by, and those of the question for a yes or a no.
func (u *utterance) neutral() []string {
	words := slices.Clone(u.called[u.flow])
	if sl := u.asked(); sl != nil && sl.isVerdict() {
		words = append(append(words, spoken(sl).Names...), u.Pending.Prompt)
	}
	return words
}

// doubtful has the user asked about the first value beside which words were lost. Without any command nothing is understood: no other
// reading of the words is better than that of the no.
func (u *utterance) doubtful(more []Command, lost string) []Command {
	if at := slices.IndexFunc(more, func(c Command) bool { return c.Type == SetSlot || c.Type == CorrectSlot }); at >= 0 {
		more[at].Left = lost
	}
	u.unheard = len(more) == 0
	return more
}

// doubted are values for slots that were not asked for. The user is asked about the first where words beside them all mean something
// that none of them explains: "my friend has 3 bikes".
func (u *utterance) doubted(text string, values []found) []found {
	if len(values) > 0 && !slices.ContainsFunc(values, func(v found) bool { return v.Left != "" }) {
		values[0].Left = u.unexplained(without(text, values))
	}
	return values
}

// unexplained are the words of a text, beside its values, that mean something and do not say what a value is for.
func (u *utterance) unexplained(text string) string {
	known := u.neutral()
	if u.Pending != nil {
		known = append(known, u.Pending.Prompt)
	}
	for _, sl := range u.places() {
		known = append(known, spoken(sl).Names...)
	}
	return u.locale.Beyond(known, text)
}

// saysOther reports whether words only say that the other one of some things is meant.
func (u *utterance) saysOther(text string) bool {
	said, ok := u.locale.Common(text)
	return ok && said.Command == phrase.Opposite
}

// otherOne is what an utterance says behind words for the other one of two things, with a word such as "from" before them or without.
func (u *utterance) otherOne(text string) (about string, ok bool) {
	if phrase.Inquires(u.locale, text) {
		return "", false
	}
	for _, words := range []string{text, u.locale.CutBegin(text)} {
		if said, is := u.locale.Common(words); is && said.Command == phrase.Opposite {
			return said.About, true
		}
	}
	return "", false
}

// pair are the things of which one is the value of a slot: the two of which the user was asked which one is meant, else its only choices.
func (u *utterance) pair(sl *slot) []any {
	if offers, asked := u.offersFor(sl); asked && len(offers) == 2 {
		return offers
	}
	return sl.few()
}

// repeats reports whether one of some commands asks again.
func (u *utterance) repeats(all []Command) bool {
	return slices.ContainsFunc(all, func(c Command) bool { return c.Type == Repeat })
}
