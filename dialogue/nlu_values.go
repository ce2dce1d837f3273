package dialogue

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// found is a value for a slot, as it was said.
type found struct {
	phrase.Value
	slot string
}

// command is the value as a command. One that is none is refused with its reason, see fill.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (v found) command() Command {
	c := Command{Type: SetSlot, Slot: v.slot, Value: v.Value.Value, Left: v.Left, Confidence: v.Score}
	if v.Reason != "" {
		c.Value, c.Left, c.Confidence = v.Text, "", 0
	}
	return c
}

// meets reports whether another value is said with some of the same words.
func (v found) meets(o phrase.Value) bool { return v.Start < o.End && o.Start < v.End }

// commands are those for values. One for a slot that has another corrects it.
func (u *utterance) commands(values []found) []Command {
	all := make([]Command, len(values))
	for i, v := range values {
		all[i] = v.command()
		if _, filled := u.Filled[v.slot]; filled && (u.Pending == nil || u.Pending.Slot != v.slot) {
			all[i].Type = CorrectSlot
		}
	}
	return all
}

// collects reports whether the user is asked for a value.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (u *utterance) collects() bool { return u.Pending != nil && u.Pending.IsCollect() }

// asked is the slot that the user is asked for; nil for none.
func (u *utterance) asked() *slot {
	if !u.collects() {
		return nil
	}
	return u.slotOf(u.Pending.Slot)
}

// slotOf is a slot of the active flow, or of the conversation; nil for none.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (u *utterance) slotOf(name string) *slot {
	return u.dialogue.slotOf(u.dialogue.flows[u.flow], name)
}

// places are the slots that users can give a value to in the active flow: its own, and those of the conversation that it asks for.
func (u *utterance) places() []*slot {
	f := u.dialogue.flows[u.flow]
	if f == nil {
		return nil
	}
	return f.places
}

// spoken is a slot as phrases know it, with what it is called, what was asked, and what it follows.
func (u *utterance) spoken(sl *slot) phrase.Slot {
	s := spoken(sl)
	s.About = u.called[u.flow]
	if u.collects() && u.Pending.Slot == sl.name {
		s.Asked = u.Pending.Prompt
	}
	for _, other := range u.places() {
		if other != sl {
			s.Beside = append(s.Beside, spoken(other).Names...)
		}
	}
	if sl.Type.family() == times {
		s.After, _ = u.Filled[sl.name].(string)
	}
	if sl.Type.family() != days {
		return s
	}
	if s.Was, _ = u.Filled[sl.name].(string); s.Was == "" {
		s.Was = u.toldOf(sl)
	}
	if day, ok := u.Filled[sl.name].(string); ok {
		s.After = day
		return s
	}
	for _, other := range u.places() { // "a week later" is later than the day before it
		if day, ok := u.Filled[other.name].(string); ok && other.traits().day {
			s.After = day
		}
	}
	return s
}

// kept is a message without the values that were asked for and that a no behind them refuses: "Monday not, Tuesday".
func (u *utterance) kept() (text string, refused bool) {
	sl := u.asked()
	if sl == nil || sl.isVerdict() {
		return u.text, false
	}
	return u.localeOf(sl).Kept(u.spoken(sl), u.text, u.Now)
}

// read reads a text as the answer to the question for a slot. The slot's own check decides between the values that could
// be meant.
func (u *utterance) read(sl *slot, text string) (phrase.Value, bool) {
	v, ok := u.localeOf(sl).Read(u.spoken(sl), text, u.Now)
	if !ok || v.Reason != "" {
		return v, ok
	}
	return u.dayless(sl, u.past(sl, u.likelier(sl, v, text), text), text), true
}

// localeOf is how values of a slot are said.
func (d *Dialogue) localeOf(sl *slot) phrase.Locale { return localeOf(d.locale, sl) }

func (u *utterance) localeOf(sl *slot) phrase.Locale { return localeOf(u.locale, sl) }

func localeOf(locale phrase.Locale, sl *slot) phrase.Locale {
	if sl.Currency != "" {
		locale.Currency = sl.Currency
	}
	return locale
}

// unjoined is the value of a phrase. One of two choices that are said with "and" or "or" has to be asked about: "a funghi or a diavola".
func (u *utterance) unjoined(name string, v phrase.Value) phrase.Value {
	sl := u.slotOf(name)
	if sl.Type != Choice || v.Reason != "" || v.Left != "" {
		return v
	}
	l := u.locale.Spoken()
	for _, o := range u.locale.Find(u.spoken(sl), u.text, u.Now) {
		from, to := min(o.End, v.End), max(o.Start, v.Start)
		if o.Reason != "" || from > to || equal(o.Value, v.Value) {
			continue
		}
		between := u.text[from:to]
		if (strings.Contains(between, l.And) || strings.Contains(between, l.Or)) && len(strings.Fields(between)) <= 2 {
			v.Left = o.Text
		}
	}
	return v
}

// beside are values of slots other than the one asked for, in a text where they are surely that: what is counted, a
// period of two days, and values of kinds that words do not hold by chance.
func (u *utterance) beside(asked, text string) []found {
	var all []found
	add := func(name string, v phrase.Value) {
		sl := u.slotOf(name)
		if name != asked && u.bare(sl, v) {
			return
		}
		if sl.traits().loose && v.Score < 1 && !strings.ContainsAny(v.Text, "0123456789") {
			return // "the red one"
		}
		if u.namesAnother(sl, v) {
			return
		}
		free := !slices.ContainsFunc(all, func(o found) bool { return o.slot == name || o.meets(v) })
		if free && v.Reason == "" && v.Left == "" && v.Score >= certain && !v.Place {
			all = append(all, found{u.dayless(sl, u.likelier(sl, v, text), text), name})
		}
	}
	places := u.places()
	for _, sl := range places {
		if sl.name != asked && sl.traits().counts {
			if v, ok := u.locale.Counted(u.spoken(sl), text, u.Now); ok {
				add(sl.name, v)
			}
		}
	}
	for _, sl := range places {
		if v, ok := u.locale.Accompanied(u.spoken(sl), text); ok && sl.name != asked && sl.isVerdict() {
			add(sl.name, v)
		}
	}
	u.period(asked, text, add)
	u.labelled(asked, text, add)
	for _, sl := range places {
		if sl.name == asked || !u.distinct(sl, asked) {
			continue
		}
		for _, v := range u.localeOf(sl).Find(u.spoken(sl), text, u.Now) {
			add(sl.name, v)
		}
	}
	return all
}

// bare reports whether a value of a slot that was not asked for is a number and nothing else: "the first one", "03/04". It may
// be an answer to the question. At a question for a yes, a number beyond its answers is one of those that were told before.
func (u *utterance) bare(sl *slot, v phrase.Value) bool {
	if u.Pending == nil || !u.locale.IsNumber(u.text) {
		return false
	}
	n, ok := v.Value.(json.Number)
	if !ok || sl.Type.family() != numbers || !u.Pending.confirms() {
		return true
	}
	f, err := n.Float64()
	return err != nil || f <= float64(max(2, len(u.Pending.Options)))
}

// period adds two days that were said as one period to the first two slots for days that are open.
func (u *utterance) period(asked, text string, add func(string, phrase.Value)) {
	var open []string
	for _, sl := range u.places() {
		if _, filled := u.Filled[sl.name]; sl.traits().day && (!filled || sl.name == asked) {
			open = append(open, sl.name)
		}
	}
	if len(open) < 2 {
		return
	}
	if from, to, ok := u.locale.Span(text, u.Now); ok {
		add(open[0], from)
		add(open[1], to)
	}
}

// labelled adds values that stand behind the name of their slot: "back on the 10th".
func (u *utterance) labelled(asked, text string, add func(string, phrase.Value)) {
	for _, sl := range u.places() {
		if sl.name == asked || !sl.traits().labelled {
			continue
		}
		s := u.spoken(sl)
		names := phrase.Slot{Kind: phrase.Single, Choices: []phrase.Choice{{Value: sl.name, Synonyms: append(u.calledKind(sl), s.Names...)}}}
		for _, name := range u.locale.Find(names, text, u.Now) {
			for _, v := range u.localeOf(sl).Find(s, text, u.Now) {
				if !name.Place && v.Start >= name.End && u.locale.Leads(text[name.End:v.Start]) {
					add(sl.name, v)
				}
			}
		}
	}
}

// calledKind are the words for all values of a slot's kind, where they call no other slot: "my number is" tells the telephone number.
func (u *utterance) calledKind(sl *slot) []string {
	names := u.locale.Called(spoken(sl).Kind)
	for _, other := range u.places() {
		if other == sl {
			continue
		}
		if other.Type == sl.Type {
			return nil
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			return slices.ContainsFunc(spoken(other).Names, func(called string) bool { return slices.Contains(phrase.Words(called), strings.ToLower(name)) })
		})
	}
	return names
}

// whole is the score of a value beside which nothing else was said, however it was said.
const whole = 0.8

// distinct reports whether values of a slot are known when they are met: their kind is one that words do not hold by
// chance, and the slot is the only one of the kind that is open, or that there is.
func (u *utterance) distinct(sl *slot, asked string) bool {
	is := sl.traits()
	if !is.distinct {
		return false
	}
	_, filled := u.Filled[sl.name]
	for _, other := range u.places() {
		if other == sl || !other.Type.alike(sl.Type) {
			continue
		}
		_, taken := u.Filled[other.name]
		switch {
		case other.name == asked && !is.named, filled && !is.named, is.loose && !taken:
			return false
		}
	}
	return true
}

// without is a text with blanks where values are said.
func without(text string, values []found) string {
	b := []byte(text)
	for _, v := range values {
		for i := max(0, v.Start); i < min(v.End, len(b)); i++ {
			b[i] = ' '
		}
	}
	return string(b)
}

// answered is the value that was asked for, and others that were said with it.
func (u *utterance) answered() []Command {
	sl := u.asked()
	if sl == nil || u.locale.GoesOn(u.text) {
		return nil
	}
	if sl.inWords() {
		return u.textAnswered(sl)
	}
	if act := u.locale.Act(u.text); act != 0 && act != phrase.Denies && u.asksText() { // a list of texts
		return nil
	}
	others := u.beside(sl.name, u.text)
	if slices.ContainsFunc(others, func(v found) bool { return v.slot == sl.name }) { // the first or the last day of a period
		return u.commands(others)
	}
	v, ok := u.read(sl, u.text)
	if ok && v.Reason != "" && sl.Type == Phone { // a date, which might be meant for another slot: the user is asked again
		return []Command{found{v, sl.name}.command()}
	}
	if ok && v.Reason == "" && !sl.traits().many { // the number in "christmas 2031" is no amount
		others = slices.DeleteFunc(others, func(o found) bool { return o.meets(v) && o.End-o.Start < v.End-v.Start })
	}
	if rest := without(u.text, others); len(others) > 0 && !(ok && v.Reason == "" && v.Score >= whole && v.Left == "") {
		if w, ok := u.read(sl, rest); ok {
			if w.Reason != "" { // the words beside it are not explained by it
				others = u.doubted(without(rest, []found{{w, sl.name}}), others)
			}
			return append([]Command{found{w, sl.name}.command()}, u.commands(others)...)
		}
		ok = ok && v.Reason == "" && !slices.ContainsFunc(others, func(o found) bool { return o.meets(v) })
	}
	if !ok {
		return u.commands(u.doubted(u.text, u.elsewhere(sl, others)))
	}
	others = slices.DeleteFunc(others, func(o found) bool { return o.meets(v) })
	if v.Reason != "" {
		others = u.doubted(without(u.text, []found{{v, sl.name}}), others)
	}
	return append([]Command{found{v, sl.name}.command()}, u.commands(others)...)
}

// apart is a value beside which words were left over that may belong to other values: it is read again without those.
func (u *utterance) apart(sl *slot, v phrase.Value, ok bool, text string, others []found) (phrase.Value, bool) {
	others = slices.DeleteFunc(slices.Clone(others), func(o found) bool { return o.slot == sl.name || o.meets(v) })
	if ok && v.Left != "" && len(others) > 0 {
		if w, again := u.read(sl, without(text, others)); again && w.Left == "" && w.Reason == "" {
			return w, true
		}
	}
	return v, ok
}

// elsewhere are the values that were said in place of the one asked for: not those that could be one of several answers.
func (u *utterance) elsewhere(asked *slot, others []found) []found {
	if u.pointsNowhere() {
		return nil
	}
	claimed := u.locale.Find(u.spoken(asked), u.text, u.Now)
	return slices.DeleteFunc(others, func(o found) bool {
		return !asked.traits().many && slices.ContainsFunc(claimed, func(v phrase.Value) bool { return o.meets(v) && !v.Place })
	})
}

// textAnswered is the text that was asked for, without the values of other slots at its ends.
func (u *utterance) textAnswered(sl *slot) []Command {
	v, ok := u.read(sl, u.text)
	if ok && u.insteadOfText(sl, &v) {
		return []Command{found{v, sl.name}.command()}
	}
	if !ok || u.noText(u.text) {
		return nil
	}
	if v.Reason != "" {
		return []Command{found{v, sl.name}.command()}
	}
	if said, is := u.locale.Common(u.text); is && said.Command == phrase.Correct && said.About != "" && said.Rest != "" && u.locale.Negated(u.text) && u.locale.Tells(u.spoken(sl), u.text) {
		v.Value, v.Left = said.Rest, u.text // "not Ada but Ida"
		return []Command{found{v, sl.name}.command()}
	}
	if u.otherwise(sl, &v) {
		return []Command{found{v, sl.name}.command()}
	}
	raw, _ := u.localeOf(sl).Read(u.spoken(sl), u.text, u.Now)
	if text, _ := v.Value.(string); text == v.Text && v.Text == raw.Text { // the whole of it, and no word that the slot has chosen
		rest, others := u.peeled(sl.name, text)
		if rest != text {
			v.Value = rest
			v = u.likelier(sl, v, rest)
		}
		return append([]Command{found{v, sl.name}.command()}, u.commands(others)...)
	}
	return append([]Command{found{v, sl.name}.command()}, u.commands(u.beside(sl.name, u.text))...)
}

// peeled is a text without the values of other slots that were said before or behind it, and those: "Bob from my savings
// account" is Bob, and savings. A value in the middle of it belongs to it.
func (u *utterance) peeled(name, text string) (string, []found) {
	var taken []found
	for range 4 { // more is no answer
		others := slices.DeleteFunc(u.beside(name, text), func(v found) bool {
			_, filled := u.Filled[v.slot]
			return filled || v.Score < surely || slices.ContainsFunc(taken, func(o found) bool { return o.slot == v.slot })
		})
		at := slices.IndexFunc(others, func(v found) bool {
			rest, ok := u.peel(text, v)
			if ok {
				text = rest
			}
			return ok
		})
		if at < 0 {
			break
		}
		taken = append(taken, others[at])
	}
	return text, taken
}

// unlabelled is a text without the words at its end that only say what the value of a slot is: "Ada" of "Ada and my number is".
func (u *utterance) unlabelled(before, slot string) string {
	cuts := u.locale.Cuts(before)
	if len(cuts) == 0 {
		return before
	}
	cut := cuts[len(cuts)-1]
	sl := u.slotOf(slot)
	names := append(u.calledKind(sl), spoken(sl).Names...)
	label := u.locale.Content(before[cut[1]:])
	if len(label) == 0 || slices.ContainsFunc(label, func(w string) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			return slices.ContainsFunc(phrase.Words(name), func(n string) bool { return strings.HasSuffix(n, w) })
		})
	}) {
		return before
	}
	return before[:cut[0]] + ","
}

// peel takes a value from one end of a text.
func (u *utterance) peel(text string, v found) (string, bool) {
	before, behind := text[:v.Start], text[v.End:]
	before = u.unlabelled(before, v.slot)
	if strings.Trim(behind, " .,;!?") == "" || u.locale.Names(u.spoken(u.slotOf(v.slot)), behind) {
		rest, joined := u.locale.CutEnd(before)
		return rest, joined && strings.TrimSpace(rest) != ""
	}
	if u.locale.CutBegin(before) == "" {
		after := u.locale.CutBegin(behind)
		return after, after != strings.TrimSpace(behind) && after != ""
	}
	return text, false
}
