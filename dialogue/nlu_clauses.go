package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A message may tell several things in parts of its own: "book a table, my name is Ada", "2, and I need insurance", "yes, and my email is
// a@b.com". A part that says which slot it is for is taken wherever it stands. Behind the trigger of a flow a part may also answer what the
// flow asks first. Of a part that may be meant so the user is asked.

// answersAndTells is an answer to what was asked, and behind it a part that says which other slot it is for.
func (u *utterance) answersAndTells() []Command {
	sl := u.asked()
	if sl == nil {
		return nil
	}
	for _, p := range u.bothSides() {
		in := u.within(p.behind)
		more := in.tells()
		if len(more) == 0 && sl.isVerdict() {
			more = in.tellsOnly()
		}
		if len(more) == 0 || setsSlot(more, sl.name) {
			continue
		}
		all := u.alone(p.before)
		if len(all) > 0 && !slices.ContainsFunc(all, func(c Command) bool {
			return c.Type != SetSlot || c.Left != "" || c.Confidence < certain || setsSlot(more, c.Slot)
		}) && setsSlot(all, sl.name) {
			return append(all, more...)
		}
	}
	return nil
}

// tells is what a part of a message gives the slots that it calls by their names: "my email is a@b.com", "I need insurance".
func (u *utterance) tells() []Command {
	if all := u.calledByName(); len(all) > 0 {
		return all
	}
	if all := u.tagged(); len(all) > 0 {
		return all
	}
	return u.wanted()
}

// tellsOnly is a part of a message that is nothing but values of other slots: "large, please".
func (u *utterance) tellsOnly() []Command {
	values := u.beside(u.askedName(), u.text)
	var names []string
	for _, v := range values {
		sl := u.slotOf(v.slot)
		names = append(append(names, spoken(sl).Names...), u.calledKind(sl)...)
	}
	if u.locale.Negated(u.text) || u.locale.Hedged(u.text) || u.locale.Question(u.text) || u.locale.Turns(u.text) || u.onlyPlace(u.text) || u.locale.Beyond(names, without(u.text, values)) != "" {
		return nil
	}
	all := u.commands(values)
	if slices.ContainsFunc(all, func(c Command) bool { return c.Type == CorrectSlot }) { // "no, make it small" is no answer
		return nil
	}
	return all
}

// tagged is a value in digits right behind the name of its slot: "meter number 12345678".
func (u *utterance) tagged() []Command {
	at := strings.LastIndexByte(strings.TrimSpace(u.text), ' ')
	if at < 0 {
		return nil
	}
	label, said := strings.Trim(u.text[:at], marksAround), strings.Trim(u.text[at:], marksAround)
	slot := u.named(label)
	if slot == "" || !u.locale.Names(spoken(u.slotOf(slot)), label) {
		slot = u.endsName(label)
	}
	sl := u.slotOf(slot)
	if sl == nil || slot == u.askedName() || !strings.ContainsAny(said, "0123456789") || len(u.locale.Content(label)) > len(phrase.Words(spoken(sl).Names[len(spoken(sl).Names)-1])) {
		return nil
	}
	v, ok := u.read(sl, said)
	if !ok || v.Reason != "" || v.Left != "" || v.Place {
		return nil
	}
	return u.commands([]found{{v, slot}})
}

// introduced is the name that a part of a message introduces for the only slot of names of the flow.
func (u *utterance) introduced(sl *slot) (name string, ok bool) {
	if !sl.inWords() || !u.locale.AsksWho(spoken(sl)) || sl.validate != nil {
		return "", false
	}
	for _, other := range u.places() {
		if other != sl && other.inWords() && u.locale.AsksWho(spoken(other)) {
			return "", false
		}
	}
	if name, ok = u.locale.Introduced(u.text); !ok || u.locale.Name(u.text, name) != phrase.SurelyIs {
		return "", false
	}
	return name, true
}

// withParts are commands that begin one flow with what the parts of the message behind its trigger say.
func (u *utterance) withParts(all []Command) []Command {
	flow := begunBy(all)
	starts := 0
	for _, c := range all {
		if c.Type == StartFlow {
			starts++
		}
	}
	f := u.dialogue.flows[flow]
	answers := u.flow != "" && slices.ContainsFunc(all, func(c Command) bool { return c.Flow == u.flow }) // the parts are parted already
	if f == nil || starts != 1 || answers || slices.Contains(u.Active, flow) {
		return all
	}
	in := *u
	in.flow, in.Turn = flow, &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
	for _, part := range u.partsBehind(flow) {
		more := in.within(part).tells()
		if len(more) == 0 && !in.explains(all, part) {
			more = in.firstAnswer(f, part, all)
		}
		if len(more) == 0 {
			more = in.nameAlone(part, all)
		}
		for _, c := range more {
			if c.Type == CorrectSlot {
				c.Type = SetSlot
			}
			if c.Type == SetSlot && !setsSlot(all, c.Slot) {
				all = append(all, c)
			}
		}
	}
	return append(all, in.led(all)...)
}

// led are the values of slots that nothing has found, but that words of the triggers lead to: "for 4".
func (u *utterance) led(known []Command) (all []Command) {
	best := u.claims(known).bySlot()
	for _, sl := range u.places() {
		one, ok := u.only(sl, best[sl])
		if ok && one.Mark >= phrase.Led && !one.Half && one.Reason == "" && one.Left == "" && !setsSlot(known, sl.name) {
			all = append(all, u.given(one))
		}
	}
	return all
}

// partsBehind are the parts of a message behind the trigger of a flow, and its end that introduces a name without a mark before it.
func (u *utterance) partsBehind(flow string) (parts []string) {
	cuts := u.locale.Joints(u.text)
	from := -1
	for i, cut := range cuts {
		left, _ := u.within(strings.Trim(u.text[:cut[0]], marksAround)).opened()
		if begunBy(left.begins()) == flow {
			from = i
			break
		}
	}
	if from < 0 {
		return u.endOf(flow)
	}
	for i := from; i < len(cuts); i++ {
		end := len(u.text)
		if i+1 < len(cuts) {
			end = cuts[i+1][0]
		}
		if part := strings.Trim(u.text[cuts[i][1]:end], marksAround); part != "" {
			parts = append(parts, part)
		}
	}
	return append(parts, u.endOf(flow)...)
}

// endOf is the end of a message that introduces a name ("under the name Ada"), or a number right behind the trigger of the flow.
func (u *utterance) endOf(flow string) []string {
	for _, at := range u.locale.Begins(u.text) {
		end := u.text[at:]
		number := strings.Trim(end, "0123456789.") == "" && begunBy(u.within(u.text[:at]).begins()) == flow
		if _, names := u.locale.Introduced(end); names || number {
			return []string{end}
		}
	}
	return nil
}

// explains reports whether a part of a message holds a value that was taken.
func (u *utterance) explains(taken []Command, part string) bool {
	for _, c := range taken {
		sl := u.slotOf(c.Slot)
		if c.Type != SetSlot || sl == nil {
			continue
		}
		if text, ok := c.Value.(string); ok && strings.Contains(text, part) {
			return true
		}
		if !sl.inWords() && slices.ContainsFunc(u.localeOf(sl).Find(u.spoken(sl), part, u.Now), func(v phrase.Value) bool { return u.gives(sl, c, v) }) {
			return true
		}
	}
	return false
}

// nameAlone is a part of a message that is plainly a name, for the only slot of names of a flow that does not ask for it first. The user is asked.
func (u *utterance) nameAlone(part string, known []Command) []Command {
	for _, sl := range u.places() {
		if sl.inWords() && sl.validate == nil && u.locale.AsksWho(spoken(sl)) && !setsSlot(known, sl.name) && !u.explains(known, part) &&
			u.locale.Name(part, part) == phrase.SurelyIs && u.locale.Act(part) == 0 && len(u.takers(part)) == 0 {
			return []Command{{Type: SetSlot, Slot: sl.name, Value: part, Left: part, Confidence: surely}}
		}
	}
	return nil
}

// firstAnswer is a part of a message as the answer to what a flow asks first, where no value that is known explains it. Only a value that no
// other slot of the flow could take is plain.
func (u *utterance) firstAnswer(f *flow, part string, known []Command) []Command {
	if len(u.locale.Content(part)) == 0 && !strings.ContainsAny(part, "0123456789") || u.locale.Question(part) || u.locale.Act(part) != 0 || u.locale.Negated(part) {
		return nil
	}
	for _, st := range f.list {
		sl := u.slotOf(st.Slot)
		if st.Type != CollectStep || sl == nil || setsSlot(known, st.Slot) {
			continue
		}
		task := NewCollect(st.Message, st.Slot)
		in := u.within(part)
		in.Turn = &Turn{Dialogue: u.dialogue, Now: u.Now, Active: []string{f.Name}, Filled: map[string]any{}, Pending: &task}
		all := in.alone(part)
		if len(all) != 1 || all[0].Type != SetSlot || all[0].Slot != sl.name || all[0].Left != "" || all[0].Confidence < certain {
			return nil
		}
		if sl.inWords() || len(u.takers(part)) != 1 {
			all[0].Left = part
		}
		return all
	}
	return nil
}

// takers are the slots of the flow that know their values by their form and could take a text.
func (u *utterance) takers(text string) (all []*slot) {
	for _, sl := range u.places() {
		if sl.inWords() || sl.isVerdict() {
			continue
		}
		if v, ok := u.read(sl, text); ok && v.Reason == "" && v.Left == "" {
			all = append(all, sl)
		}
	}
	return all
}

// beginsPlainly reports whether a part of a message is plainly the trigger of a flow, and none is the trigger of another one.
func (u *utterance) beginsPlainly(flow string) bool {
	in := u.plainPart()
	return in != nil && begunBy(in.begin()) == flow
}

// headed is a flow that a message begins before an end that introduces a name: what it says without that end.
func (u *utterance) headed() []Command {
	if u.flow != "" {
		return nil
	}
	for _, at := range u.locale.Begins(u.text) {
		if _, names := u.locale.Introduced(u.text[at:]); !names {
			continue
		}
		turn := *u.Turn
		turn.Text = strings.TrimRight(u.text[:at], " ,;.:-–")
		if all, err := u.phrases.understand(&turn); err == nil && begunBy(all) != "" {
			return all
		}
		return nil
	}
	return nil
}

// plainPart is the part of a message that is plainly the trigger of a flow, where none is the trigger of another one; nil for none.
func (u *utterance) plainPart() (plain *utterance) {
	from, cuts := 0, u.locale.Joints(u.text)
	if len(cuts) == 0 {
		return nil
	}
	for _, cut := range append(cuts, [2]int{len(u.text), len(u.text)}) {
		part, _ := u.within(strings.Trim(u.text[from:cut[0]], marksAround)).opened()
		from = cut[1]
		flow := begunBy(part.begins())
		switch {
		case flow == "" || part.match()[0].Score < surely || plain != nil && flow == begunBy(plain.begins()):
		case plain != nil:
			return nil
		default:
			plain = part
		}
	}
	return plain
}

// begunInPart is the flow that a part of a message plainly begins, with all that was said.
func (u *utterance) begunInPart() []Command {
	if u.flow != "" {
		return nil
	}
	part := u.plainPart()
	if part == nil {
		return nil
	}
	best, flow := part.match()[0], begunBy(part.begin())
	in := *u
	in.flow, in.Turn = flow, &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
	return append([]Command{{Type: StartFlow, Flow: flow, Confidence: best.Score}}, in.withOwn(in.with(best.Values, best.Phrase))...)
}
