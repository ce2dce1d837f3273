package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// verdict is a yes or a no to what was asked, and what else was said with it.
func (u *utterance) verdict() []Command {
	switch {
	case u.Pending == nil:
		return nil
	case u.Pending.IsCollect():
		return u.collectVerdict()
	}
	if u.Pending.IsConfirm() {
		for i, option := range u.Pending.Options {
			if i < 2 && strings.EqualFold(strings.TrimSpace(u.text), option) && (i > 0 || !u.refuses(option)) {
				return []Command{{Type: []CommandType{Affirm, Deny}[i]}}
			}
		}
	}
	question := phrase.Question{Text: u.Pending.Prompt}
	if f := u.dialogue.flows[u.flow]; f != nil {
		question.About = f.Trigger
	}
	yes, no, rest, score := u.locale.AssentTo(question, u.text)
	switch {
	case !yes && !no:
		return nil
	case rest == "" && yes:
		return []Command{{Type: Affirm, Confidence: score}}
	case rest == "":
		return []Command{{Type: Deny, Confidence: score}}
	}
	more := u.saidBeside(rest)
	if no {
		if len(more) == 0 {
			more = u.alternative(rest)
		}
		if slot := u.named(rest); slot != "" && len(more) == 0 {
			return []Command{{Type: Deny, SlotToChange: slot, Confidence: score}}
		}
		if slices.ContainsFunc(more, func(c Command) bool { return c.Type == Deny }) {
			return more
		}
		return append([]Command{{Type: Deny, Confidence: score}}, more...)
	}
	return more // a yes to something that is not what was asked is none
}

// collectVerdict is a yes or a no to the question for a value.
func (u *utterance) collectVerdict() []Command {
	sl, ok := u.asked()
	if !ok {
		return nil
	}
	if sl.Optional && !sl.traits().many && u.locale.None(u.text) {
		return []Command{{Type: Skip, Confidence: surely}}
	}
	if sl.traits().verdict && u.locale.Enough(u.Pending.Prompt, u.text) {
		return []Command{{Type: SetSlot, Slot: sl.Name, Value: false, Confidence: surely}}
	}
	yes, no, rest, score := u.locale.Assent(u.text)
	switch {
	case !yes && !no:
		return nil
	case sl.traits().verdict:
		return u.booleanVerdict(sl, yes, rest, score)
	case sl.Optional && no && u.leavesOut(sl, rest): // "Any remarks?" "No remarks."
		return []Command{{Type: Skip, Confidence: score}}
	case no && sl.traits().zero && (rest == "" && len(u.common()) == 0 || u.locale.Names(u.spoken(sl), rest)): // "How many children?" "No children."
		return []Command{{Type: SetSlot, Slot: sl.Name, Value: 0, Confidence: score}}
	}
	return nil
}

// leavesOut reports whether what was said behind a no says no more than that there is nothing.
func (u *utterance) leavesOut(sl Slot, rest string) bool {
	if rest == "" || u.named(rest) == sl.Name {
		return true
	}
	if _, ok := u.read(sl, rest); ok || sl.traits().words || sl.traits().many {
		return false
	}
	return !strings.ContainsAny(rest, " ,;") // "no limit"
}

// booleanVerdict is a yes or a no to a question for one, and the values that were said with it.
func (u *utterance) booleanVerdict(sl Slot, yes bool, rest string, score float64) []Command {
	all := []Command{{Type: SetSlot, Slot: sl.Name, Value: yes, Confidence: score}}
	if rest == "" {
		return all
	}
	if before, _, ok := strings.Cut(u.text, rest); !ok || !strings.ContainsAny(before, ",.;!:-–") { // "no fee account": is that a no?
		return nil
	}
	beside := u.within(rest)
	if more := beside.saidBeside(rest); len(more) > 0 {
		for _, c := range more {
			if c.Type != SetSlot && c.Type != CorrectSlot || c.Slot == sl.Name {
				return more
			}
			if c.sure() >= surely {
				all = append(all, c)
			}
		}
	}
	return all
}

// within is the utterance with another text: a part of it.
func (u *utterance) within(text string) *utterance {
	in := &utterance{phrases: u.phrases, Turn: u.Turn, text: text, flow: u.flow}
	if u.triggers != nil {
		in.matches = u.triggers.Match(text, u.Now)
	}
	return in
}

// refuses reports whether a quick reply is no yes, in any place: "No, thanks", "Cancel".
func (u *utterance) refuses(option string) bool {
	yes, no, _, _ := u.locale.Assent(option)
	said, ok := u.locale.Common(option)
	return no || !yes && ok && said.Score >= certain
}

// saidBeside is what was said beside a yes or a no.
func (u *utterance) saidBeside(text string) []Command {
	beside := u.within(text)
	for _, try := range []func() []Command{beside.exactly, beside.added, beside.common, beside.corrected, beside.begun} {
		if found := try(); len(found) > 0 {
			return found
		}
	}
	return nil
}
