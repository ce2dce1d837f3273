package dialogue

import (
	"slices"
	"strings"
	"time"

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
	if f == nil || starts != 1 || answers || slices.Contains(u.Active, flow) || slices.Contains(u.Shut, flow) {
		return all
	}
	in := *u
	in.flow, in.Turn = flow, &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
	parts, marked := u.partsBehind(flow)
	for i, part := range parts {
		more := in.within(part).tells()
		if len(more) == 0 && !in.explains(all, part) {
			more = in.firstAnswer(f, part, i < marked, all)
		}
		if len(more) == 0 {
			more = in.nameAlone(part, i < marked, all)
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
	claims := u.claims(known)
	best := claims.bySlot()
	for _, sl := range u.places() {
		one, ok := u.only(sl, best[sl])
		inner := ok && slices.ContainsFunc(claims, func(o *claim) bool {
			return o.slot != sl && o.Start < one.End && one.Start < o.End && o.End-o.Start > one.End-one.Start
		})
		if ok && !inner && one.Mark >= phrase.Led && !one.Half && one.Reason == "" && one.Left == "" && !setsSlot(known, sl.name) {
			all = append(all, u.given(one))
		}
	}
	return all
}

// partsBehind are the parts of a message behind the trigger of a flow, of which marks part the first ones, and its ends without a mark before them.
func (u *utterance) partsBehind(flow string) (parts []string, marked int) {
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
		return u.endsOf(flow), 0
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
	return append(parts, u.endsOf(flow)...), len(parts)
}

// endsOf are the end of a message right behind the trigger of a flow ("at 10"), and one that introduces a name ("under the name Ada").
func (u *utterance) endsOf(flow string) (ends []string) {
	behind := false
	for _, at := range u.locale.Begins(u.text) {
		end := u.text[at:]
		if _, names := u.locale.Introduced(end); names {
			return append(ends, end)
		}
		if !behind && begunBy(u.within(strings.Trim(u.text[:at], marksAround)).begins()) == flow {
			behind, ends = true, append(ends, end)
		}
	}
	return ends
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
func (u *utterance) nameAlone(part string, marked bool, known []Command) []Command {
	if !marked {
		return nil
	}
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
func (u *utterance) firstAnswer(f *flow, part string, marked bool, known []Command) []Command {
	if !marked && len(known) > 1 { // a value was understood: nothing else is plain without a mark
		return nil
	}
	if len(u.locale.Content(part)) == 0 && !strings.ContainsAny(part, "0123456789") || u.locale.Question(part) || u.locale.Act(part) != 0 || u.locale.Negated(part) {
		return nil
	}
	for _, st := range f.list {
		sl := u.slotOf(st.Slot)
		if st.Type != CollectStep || sl == nil || setsSlot(known, st.Slot) {
			continue
		}
		takers := u.takers(part)
		if sl.inWords() && len(takers) == 1 && !setsSlot(known, takers[0].name) {
			v, _ := u.read(takers[0], part)
			return []Command{found{v, takers[0].name}.command()}
		}
		if sl.inWords() && (len(takers) > 0 || !marked) {
			return nil
		}
		task := NewCollect(st.Message, st.Slot)
		in := u.within(part)
		in.Turn = &Turn{Dialogue: u.dialogue, Now: u.Now, Active: []string{f.Name}, Filled: map[string]any{}, Pending: &task}
		all := in.alone(part)
		if len(all) != 1 || all[0].Type != SetSlot || all[0].Slot != sl.name || all[0].Left != "" || all[0].Confidence < certain {
			return nil
		}
		if sl.inWords() || len(takers) != 1 {
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
		if v, ok := u.read(sl, text); ok && v.Reason == "" && (v.Left == "" || v.Left == v.Text) {
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

// excepted is the slot of which a message says that it alone is not right: "everything is correct except the time".
func (u *utterance) excepted() []Command {
	what, ok := u.locale.Excepted(u.text)
	what = phrase.Unelided(what)
	slot := u.named(what)
	if !ok || slot == "" || u.locale.Beyond(spoken(u.slotOf(slot)).Names, what) != "" {
		return nil
	}
	return u.wrong(slot)
}

// otherwise puts right a text that says what it is ("the number is 12345678"), and has the user asked about one that is a value of
// another kind: "at 8pm" as a special wish. It reports whether it has.
func (u *utterance) otherwise(sl *slot, v *phrase.Value) bool {
	if v.Left != "" || sl.validate != nil || spoken(sl).Pattern != nil {
		return false
	}
	if u.locale.AsksCode(u.spoken(sl)) {
		code, ok := u.locale.BareCode(u.spoken(sl), u.text)
		if ok {
			v.Value = code
		}
		return ok
	}
	if !slices.ContainsFunc(u.takers(u.text), (*slot).isWhen) {
		return false
	}
	v.Left = u.text
	return true
}

// secondThoughts is the value behind a no that takes the place of the one before it: "80, no 90".
func (u *utterance) secondThoughts() []Command {
	sl := u.asked()
	if sl == nil || sl.inWords() || sl.isVerdict() || sl.traits().many {
		return nil
	}
	for _, cut := range u.locale.Cuts(u.text) {
		first, ok := u.read(sl, u.text[:cut[0]])
		if !ok || first.Reason != "" || first.Left != "" {
			continue
		}
		_, no, rest, _ := u.locale.Assent(u.text[cut[1]:])
		v, ok := u.read(sl, rest)
		if no && ok && v.Reason == "" && v.Left == "" && !equal(v.Value, first.Value) && !v.Place {
			return []Command{found{v, sl.name}.command()}
		}
	}
	return nil
}

// questioned reports whether a message ends with a question about the value before it: "80 euros, is that ok?"
func (u *utterance) questioned() bool {
	for _, cut := range u.locale.Cuts(u.text) {
		const few = 4 // words
		behind := u.text[cut[1]:]
		if u.locale.Question(behind) && len(phrase.Words(behind)) <= few && strings.ContainsAny(behind, "?？") {
			return true
		}
	}
	return false
}

// atOnce has the user asked about a moment that is only how soon something is wanted: "book it now". One that begins a flow is left out.
func (u *utterance) atOnce(all []Command) []Command {
	begins := begunBy(all)
	in := *u
	if in.flow = u.flow; begins != "" {
		in.flow = begins
	}
	now, vocab := u.Now.Format(time.RFC3339), u.vocab[in.flow]
	says := slices.ContainsFunc(u.locale.Content(u.text), func(w string) bool { return vocab[w] })
	return slices.DeleteFunc(all, func(c Command) bool {
		sl := in.slotOf(c.Slot)
		return says && c.Value == now && sl != nil && sl.traits().moment && (begins != "" || c.Type == SetSlot)
	})
}
