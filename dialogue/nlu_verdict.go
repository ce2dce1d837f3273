package dialogue

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// verdict is a yes or a no to what was asked, and what else was said with it.
func (u *utterance) verdict() []Command {
	switch {
	case u.Pending == nil:
		return u.more()
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
	if u.reverses() {
		return nil
	}
	if all := u.objects(); len(all) > 0 {
		return all
	}
	if all := u.excepted(); len(all) > 0 {
		return all
	}
	if found := u.chooses(); len(found) > 0 {
		return found
	}
	if about, ok := u.otherOne(u.text); ok && u.Pending.IsConfirm() && len(u.common()) == 0 {
		return u.opposite(about) // "from the other one"
	}
	if in, _ := u.opened(); u.Pending.IsConfirm() { // "never mind, block my card instead" is more than a no
		if found := in.stopped(); begunBy(found) != "" {
			return found
		}
	}
	yes, no, rest, score := u.locale.AssentTo(u.question(), u.text)
	switch {
	case !yes && !no:
		if all := u.yesBut(); len(all) > 0 {
			return all
		}
		return u.choosesLast()
	case rest == "" && yes:
		return []Command{{Type: Affirm, Confidence: score}}
	case rest == "":
		if u.unheard = u.locale.BarsElse(u.question(), u.text); u.unheard { // "don't call"
			return nil
		}
		if all, bars := u.bars(); bars {
			return all
		}
		return append([]Command{{Type: Deny, Confidence: score}}, u.replaced()...)
	}
	if no {
		if said, ok := u.locale.Common(u.text); ok && said.Command == phrase.Wrong && u.holding(said.About) != "" { // "nicht am 30. November"
			return u.isWrong(said)
		}
		return u.refusal(rest, score)
	}
	return u.saidBeside(rest, false) // a yes to something that is not what was asked is none
}

// deeds is a yes or a no to a question that asks to cancel something, in its words. Of "cancel" alone nobody knows whether it is what was
// asked, or stops what goes on.
func (u *utterance) deeds() []Command {
	if !u.Pending.confirms() || slices.ContainsFunc(u.Pending.Options, func(o string) bool { return strings.EqualFold(o, strings.TrimSpace(u.text)) }) {
		return nil
	}
	yes, no, unclear := u.locale.Deed(u.question(), u.text)
	u.unheard = unclear
	switch {
	case yes:
		return []Command{{Type: Affirm, Confidence: surely}}
	case no:
		return []Command{{Type: Deny, Confidence: surely}}
	}
	return u.ordered()
}

// stopsNothing is an option that is called as people stop what goes on: "cancel" of "keep or cancel".
func (u *utterance) stopsNothing() []Command {
	sl := u.asked()
	if sl == nil || !sl.traits().choices {
		return nil
	}
	if v, ok := u.read(sl, u.text); ok && v.Left == "" && v.Reason == "" && v.Score >= surely {
		return []Command{found{v, sl.name}.command()}
	}
	for _, o := range sl.Choices {
		q := phrase.Question{Text: o.Value + " " + u.Pending.Prompt, About: []string{o.Value}}
		if yes, _, unclear := u.locale.Deed(q, u.text); yes || unclear && !u.locale.Negated(u.text) {
			return sure(SetSlot, sl.name, o.Value)
		}
	}
	return nil
}

// question is what was asked, and what it is about.
func (u *utterance) question() phrase.Question {
	if u.Pending == nil {
		return phrase.Question{}
	}
	question := phrase.Question{Text: u.Pending.Prompt}
	if f := u.dialogue.flows[u.flow]; f != nil {
		question.About = f.Trigger
	}
	for _, sl := range u.places() {
		question.Names = append(question.Names, spoken(sl).Names...)
	}
	return question
}

// refusal is a no to what was asked, and what was said behind it.
func (u *utterance) refusal(rest string, score float64) []Command {
	more := u.saidBeside(rest, score < certain)
	const few = 2
	if score < certain && len(more) == 0 && len(strings.Fields(u.text)) <= few {
		return nil // "no objection"
	}
	if slices.ContainsFunc(more, func(c Command) bool { return c.Type == Choose }) {
		return more
	}
	if len(more) == 0 {
		more = u.alternative(rest)
	}
	if slot := u.named(rest); slot != "" && len(more) == 0 {
		return []Command{{Type: Deny, SlotToChange: slot, Confidence: score}}
	}
	if slices.ContainsFunc(more, func(c Command) bool { return c.Type == Deny }) {
		return more
	}
	if lost := u.lost(rest, more); lost != "" {
		return u.doubtful(more, lost)
	}
	if u.repeats(more) {
		if u.locale.Beyond(nil, rest) != "" { // "no, the last one"
			return more
		}
		more = nil // "no, sorry"
	}
	return append([]Command{{Type: Deny, Confidence: score}}, more...)
}

// bars is what a no to a value changes, and whether it is one: "nicht am Montag". It is not an answer to what was asked. The user is asked
// again where no slot holds the value.
func (u *utterance) bars() (all []Command, ok bool) {
	in, _ := u.opened()
	what, ok := u.locale.Refuses(in.text)
	if !ok || len(u.replaced()) > 0 { // "not 50 but 55" says what holds in its place
		return nil, false
	}
	if said, ok := u.locale.Common(in.text); ok && said.Command == phrase.Wrong {
		all = in.isWrong(said)
	}
	if len(all) == 0 {
		all = in.wrong(in.about(what))
	}
	if slices.ContainsFunc(all, func(c Command) bool { // "not now" is a no, whatever else may be now or not
		sl := u.slotOf(cmp.Or(c.SlotToChange, c.Slot))
		return sl != nil && sl.isVerdict()
	}) {
		return nil, false
	}
	if len(all) > 0 {
		return all, true
	}
	return nil, slices.ContainsFunc(u.filled(), func(sl *slot) bool {
		is := sl.traits()
		return !is.words && !is.verdict && len(u.localeOf(sl).Find(u.spoken(sl), what, u.Now)) > 0
	})
}

// yesBut is what is wrong behind a yes: "yes but not in Paris". It is no yes.
func (u *utterance) yesBut() []Command {
	for _, cut := range u.locale.Cuts(u.text) {
		yes, _, rest, _ := u.locale.Assent(u.text[:cut[0]])
		said, ok := u.locale.Common(u.text[cut[1]:])
		if yes && rest == "" && ok && (said.Command == phrase.Wrong || said.Command == phrase.Correct && said.Rest == "") {
			return u.isWrong(said)
		}
	}
	return nil
}

// wanted is a yes or a no that calls the thing it is about: "no helmet". At a confirmation it changes the slot.
func (u *utterance) wanted() []Command {
	if u.Pending == nil {
		return nil
	}
	for _, sl := range u.places() {
		if !sl.isVerdict() {
			continue
		}
		if yes, ok := u.locale.Wanted(spoken(sl), u.collects() && u.Pending.Slot == sl.name, u.text); ok {
			return u.commands([]found{{phrase.Value{Value: yes, Score: surely}, sl.name}})
		}
	}
	return nil
}

// more is the answer to the question whether there is more, which waits for nothing: "Is there anything else?" "No, thanks."
func (u *utterance) more() []Command {
	at := len(u.Lines) - 1
	for at >= 0 && u.Lines[at].By != string(byBot) {
		at--
	}
	if len(u.Active) > 0 || at < 0 || !u.locale.AsksMore(u.Lines[at].Text) {
		return nil
	}
	if _, no, rest, score := u.locale.Assent(u.text); no && rest == "" || u.locale.Enough(u.Lines[at].Text, u.text) {
		return []Command{{Type: Deny, Confidence: max(score, certain)}}
	}
	return nil
}

// replaced is a value that is said for another one: "not 50 but 55".
func (u *utterance) replaced() []Command {
	in, _ := u.opened()
	said, ok := u.locale.Common(in.text)
	if !ok || said.Command != phrase.Correct || said.About == "" || said.Rest == "" || in.about(said.About) == "" {
		return nil
	}
	return in.correctionOf(said)
}

// collectVerdict is a yes or a no to the question for a value.
func (u *utterance) collectVerdict() []Command {
	sl := u.asked()
	if sl == nil {
		return nil
	}
	if sl.Optional && !sl.traits().many && u.locale.None(u.text) {
		return []Command{{Type: Skip, Confidence: surely}}
	}
	if does, _ := u.locale.Evasion(u.spoken(sl), u.text); sl.Optional && sl.inWords() && does == phrase.Evades && u.isCalled(sl, u.text) { // "kein Hinweis"
		return []Command{{Type: Skip, Confidence: surely}}
	}
	if all := u.unneeded(sl); len(all) > 0 {
		return all
	}
	if sl.Optional && !sl.isVerdict() && u.locale.Onward(u.text) && !u.dialogue.ownValue(sl, u.text) {
		return []Command{{Type: Skip, Confidence: surely}}
	}
	if sl.isVerdict() && u.reverses() {
		return nil
	}
	if sl.isVerdict() && u.locale.Enough(u.Pending.Prompt, u.text) {
		return []Command{{Type: SetSlot, Slot: sl.name, Value: false, Confidence: surely}}
	}
	yes, no, rest, score := u.locale.Assent(u.text)
	switch {
	case !yes && !no:
		return nil
	case sl.isVerdict():
		return u.booleanVerdict(sl, yes, rest, score)
	case sl.Optional && no && !(sl.inWords() && u.locale.Orders(spoken(sl).Names, u.text)) && u.leavesOut(sl, rest, score): // "Any remarks?" "No remarks."
		return []Command{{Type: Skip, Confidence: score}}
	case no && sl.traits().zero && (rest == "" && len(u.common()) == 0 || u.locale.Names(u.spoken(sl), rest)): // "How many children?" "No children."
		return []Command{{Type: SetSlot, Slot: sl.name, Value: 0, Confidence: score}}
	}
	return nil
}

// leavesOut reports whether what was said behind a no says no more than that there is nothing. A word that a mark parts from the no is
// something else: "no limit" is none, "no, Friday" is one.
func (u *utterance) leavesOut(sl *slot, rest string, score float64) bool {
	if rest == "" || u.named(rest) == sl.name || u.locale.Beyond(nil, rest) == "" {
		return true
	}
	if score > certain {
		return false
	}
	if _, ok := u.read(sl, rest); ok || sl.inWords() || sl.traits().many {
		return false
	}
	return !strings.ContainsAny(rest, " ,;") // "no limit"
}

// booleanVerdict is a yes or a no to a question for one, and the values that were said with it.
func (u *utterance) booleanVerdict(sl *slot, yes bool, rest string, score float64) []Command {
	all := []Command{{Type: SetSlot, Slot: sl.name, Value: yes, Confidence: score}}
	if rest == "" {
		return all
	}
	if before, _, ok := strings.Cut(u.text, rest); !ok || !strings.ContainsAny(before, ",.;!:-–") { // "no fee account": is that a no?
		return nil
	}
	if u.saysOther(rest) { // no other one of a yes and a no
		other := u.within(rest).opposite("")
		if len(other) == 1 && other[0].Type == CorrectSlot && other[0].Left == "" && other[0].Slot != sl.name && !u.slotOf(other[0].Slot).isVerdict() {
			return append(all, other...)
		}
		all[0].Left = rest
		return all
	}
	var took []Command
	more := u.within(rest).saidBeside(rest, false)
	for _, c := range more {
		switch {
		case c.Type == Chitchat, c.Type == Repeat && u.locale.Beyond(nil, rest) == "": // "no, sorry"
		case c.Type != SetSlot && c.Type != CorrectSlot || c.Slot == sl.name:
			return more
		case c.sure() >= surely:
			took = append(took, c)
		}
	}
	all[0].Left = u.lost(rest, took)
	return append(all, took...)
}

// within is the utterance with another text: a part of it.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (u *utterance) within(text string) *utterance {
	return &utterance{phrases: u.phrases, locale: u.locale, Turn: u.Turn, text: text, flow: u.flow}
}

// refuses reports whether a quick reply is no yes, in any place: "No, thanks", "Cancel".
func (u *utterance) refuses(option string) bool {
	yes, no, _, _ := u.locale.Assent(option)
	said, ok := u.locale.Common(option)
	return no || !yes && ok && said.Score >= certain
}

// saidBeside is what was said beside a yes or a no. A value right behind a no is denied: "no Tuesdays".
func (u *utterance) saidBeside(text string, denied bool) []Command {
	beside := u.within(text)
	tries := []func() []Command{beside.choosesBeside, beside.exactly, beside.calledByName, beside.added, beside.common, beside.corrected, beside.begun}
	if denied {
		tries = []func() []Command{beside.choosesBeside, beside.common}
	}
	for _, try := range tries {
		if found := try(); len(found) > 0 {
			return found
		}
	}
	return nil
}
