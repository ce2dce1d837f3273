package dialogue

import (
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// found is a value for a slot, as it was said.
type found struct {
	phrase.Value
	slot string
}

// command is the value as a command. One that is none is refused with its reason, see fill.
func (v found) command() Command {
	c := Command{Type: SetSlot, Slot: v.slot, Value: v.Value.Value, Confidence: v.Score}
	if v.Reason != "" {
		c.Value, c.Confidence = v.Text, 0
	}
	return c
}

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

// asked is the slot that the user is asked for.
func (u *utterance) asked() (Slot, bool) {
	if u.Pending == nil || !u.Pending.IsCollect() {
		return Slot{}, false
	}
	return u.dialogue.Slot(u.flow, u.Pending.Slot)
}

// slotOf is a slot of the active flow, or of the conversation; nil for none.
func (u *utterance) slotOf(name string) *slot {
	if f := u.dialogue.flows[u.flow]; f != nil && f.slots[name] != nil {
		return f.slots[name]
	}
	return u.dialogue.slots[name]
}

// places are the slots of the active flow that users can give a value to, and the one that is asked for.
func (u *utterance) places() []*slot {
	f := u.dialogue.flows[u.flow]
	if f == nil {
		return nil
	}
	var all []*slot
	for _, sl := range f.order {
		if sl.asked {
			all = append(all, sl)
		}
	}
	if sl, ok := u.asked(); ok && f.slots[sl.Name] == nil && u.dialogue.slots[sl.Name] != nil {
		all = append(all, u.dialogue.slots[sl.Name])
	}
	return all
}

// spoken is a slot as phrases know it, with what it is called, what was asked, and what it follows.
func (u *utterance) spoken(sl Slot) phrase.Slot {
	s := spoken(sl)
	if u.Pending != nil && u.Pending.IsCollect() && u.Pending.Slot == sl.Name {
		s.Asked = u.Pending.Prompt
	}
	if sl.Type.family() != days {
		return s
	}
	if day, ok := u.Filled[sl.Name].(string); ok {
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

// read reads a text as the answer to the question for a slot. The slot's own check decides between the values that could
// be meant.
func (u *utterance) read(sl Slot, text string) (phrase.Value, bool) {
	v, ok := u.dialogue.localeOf(sl).Read(u.spoken(sl), text, u.Now)
	if !ok || v.Reason != "" {
		return v, ok
	}
	return u.likelier(sl, v, text), true
}

// likelier is a value, or the one nearby that the slot takes where it does not take this one: the other half of the day,
// or of a text the one word that it takes.
func (u *utterance) likelier(sl Slot, v phrase.Value, text string) phrase.Value {
	s := u.slotOf(sl.Name)
	if s == nil || s.validate == nil || !sl.traits().words && !v.Half {
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
	for _, name := range s.validate.reads() {
		if _, ok := names[name]; !ok {
			return true
		}
	}
	good, err := s.validate.holds(names)
	return good || err != nil
}

// localeOf is how values of a slot are said.
func (d *Dialogue) localeOf(sl Slot) phrase.Locale {
	locale := d.locale
	if sl.Currency != "" {
		locale.Currency = sl.Currency
	}
	return locale
}

// beside are values of slots other than the one asked for, in a text where they are surely that: what is counted, a
// period of two days, and values of kinds that words do not hold by chance.
func (u *utterance) beside(asked, text string) []found {
	var all []found
	add := func(name string, v phrase.Value) {
		if sl := u.slotOf(name); sl != nil && sl.traits().loose && v.Score < 1 && !strings.ContainsAny(v.Text, "0123456789") {
			return // "the red one"
		}
		free := !slices.ContainsFunc(all, func(o found) bool { return o.slot == name || v.Start < o.End && o.Start < v.End })
		if free && v.Reason == "" && v.Score >= certain && !v.Place {
			if sl := u.slotOf(name); sl != nil {
				v = u.likelier(sl.Slot, v, text)
			}
			all = append(all, found{v, name})
		}
	}
	places := u.places()
	for _, sl := range places {
		if sl.name != asked && sl.traits().counts {
			if v, ok := u.locale.Counted(u.spoken(sl.Slot), text, u.Now); ok {
				add(sl.name, v)
			}
		}
	}
	u.period(asked, text, add)
	u.labelled(asked, text, add)
	for _, sl := range places {
		if sl.name == asked || !u.distinct(sl, asked) {
			continue
		}
		for _, v := range u.dialogue.localeOf(sl.Slot).Find(u.spoken(sl.Slot), text, u.Now) {
			add(sl.name, v)
		}
	}
	return all
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
		s := u.spoken(sl.Slot)
		names := phrase.Slot{Kind: phrase.Single, Choices: []phrase.Choice{{Value: sl.name, Synonyms: s.Names}}}
		for _, name := range u.locale.Find(names, text, u.Now) {
			for _, v := range u.dialogue.localeOf(sl.Slot).Find(s, text, u.Now) {
				if !name.Place && v.Start >= name.End && (v.Start == name.End || u.locale.CutBegin(text[name.End:v.Start]) == "") {
					add(sl.name, v)
				}
			}
		}
	}
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
	sl, ok := u.asked()
	if !ok || u.locale.GoesOn(u.text) {
		return nil
	}
	if sl.traits().words {
		return u.textAnswered(sl)
	}
	others := u.beside(sl.Name, u.text)
	own := slices.IndexFunc(others, func(v found) bool { return v.slot == sl.Name })
	if own >= 0 { // the first or the last day of a period
		return u.commands(others)
	}
	v, ok := u.read(sl, u.text)
	if rest := without(u.text, others); len(others) > 0 && !(ok && v.Reason == "" && v.Score >= whole) {
		if w, ok := u.read(sl, rest); ok {
			return append([]Command{found{w, sl.Name}.command()}, u.commands(others)...)
		}
		ok = ok && v.Reason == "" && !slices.ContainsFunc(others, func(o found) bool { return v.Start < o.End && o.Start < v.End })
	}
	if !ok {
		return u.commands(u.elsewhere(sl, others))
	}
	others = slices.DeleteFunc(others, func(o found) bool { return v.Start < o.End && o.Start < v.End })
	return append([]Command{found{v, sl.Name}.command()}, u.commands(others)...)
}

// elsewhere are the values that were said in place of the one asked for: not those that could be one of several answers.
func (u *utterance) elsewhere(asked Slot, others []found) []found {
	claimed := u.locale.Find(u.spoken(asked), u.text, u.Now)
	return slices.DeleteFunc(others, func(o found) bool {
		return !asked.traits().many && slices.ContainsFunc(claimed, func(v phrase.Value) bool { return v.Start < o.End && o.Start < v.End && !v.Place })
	})
}

// textAnswered is the text that was asked for, without the values of other slots at its ends.
func (u *utterance) textAnswered(sl Slot) []Command {
	v, ok := u.read(sl, u.text)
	if !ok {
		return nil
	}
	if v.Reason != "" {
		return []Command{found{v, sl.Name}.command()}
	}
	raw, _ := u.dialogue.localeOf(sl).Read(u.spoken(sl), u.text, u.Now)
	if text, _ := v.Value.(string); text == v.Text && v.Text == raw.Text { // the whole of it, and no word that the slot has chosen
		rest, others := u.peeled(sl.Name, text)
		if s := u.slotOf(sl.Name); rest != text {
			v.Value = rest
			if s != nil && s.validate != nil {
				v = u.likelier(sl, v, rest)
			}
		}
		return append([]Command{found{v, sl.Name}.command()}, u.commands(others)...)
	}
	return append([]Command{found{v, sl.Name}.command()}, u.commands(u.beside(sl.Name, u.text))...)
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

// peel takes a value from one end of a text.
func (u *utterance) peel(text string, v found) (string, bool) {
	before, behind := text[:v.Start], text[v.End:]
	sl, _ := u.dialogue.Slot(u.flow, v.slot)
	if strings.Trim(behind, " .,;!?") == "" || u.locale.Names(u.spoken(sl), behind) {
		rest, joined := u.locale.CutEnd(before)
		return rest, joined && strings.TrimSpace(rest) != ""
	}
	if u.locale.CutBegin(before) == "" {
		after := u.locale.CutBegin(behind)
		return after, after != strings.TrimSpace(behind) && after != ""
	}
	return text, false
}
