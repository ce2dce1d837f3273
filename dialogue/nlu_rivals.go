package dialogue

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// unambiguous are commands of which no value is one of several that were said for one thing: "on Tuesday at 10 or Wednesday at
// 11". Whatever has found such a value, the user is asked which one is meant. So is whether a value is meant that was said as
// a question: "10?".
func (u *utterance) unambiguous(all []Command) []Command {
	if !slices.ContainsFunc(all, func(c Command) bool {
		return c.Type == StartFlow || c.Type == SetSlot || c.Type == CorrectSlot
	}) {
		return all
	}
	text := u.text
	said, ok := u.locale.Common(u.text)
	u.denied(all, said)
	if ok && said.Command == phrase.Correct && said.About != "" && said.Score >= certain {
		if text = said.Rest; u.locale.Negated(u.text) { // "not on Tuesday, on Wednesday"
			return all
		}
	}
	// of what is taken back and what takes its place, whatever has understood it has seen which is which
	corrects := ok && (said.Command == phrase.Correct || said.Command == phrase.Wrong) || u.turned
	flows := u.flowsOf(all)
	for _, flow := range flows {
		in := *u
		in.text = text
		if in.flow = flow; flow != u.flow {
			in.Turn = &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
		}
		claims := in.claims(all)
		if len(flows) == 1 && begunBy(all) != "" {
			all = in.withRest(all, claims)
		}
		all = in.withoutRivals(all, claims)
		if len(flows) == 1 && !corrects {
			all = in.ownedBy(claims, all, false)
		}
		if begunBy(all) == "" {
			doubtAll(all, claims)
			in.keepNamed(all, claims)
			all = u.unasked(all, corrects)
			u.completed(all)
		}
	}
	if begunBy(all) == "" {
		u.inLists(all, said)
		all = u.anotherRound(all)
		u.unaskedTexts(all)
	}
	all = u.atOnce(all)
	if begunBy(all) == "" && (u.locale.Proposes(u.text) || u.locale.Inquires(u.text) || u.questioned()) {
		u.proposed(all)
	}
	if u.locale.Hedged(u.text) {
		in := *u
		in.flow = cmp.Or(begunBy(all), u.flow)
		in.proposed(all)
	}
	return u.withParts(all)
}

// anotherRound is a yes to the question whether there is more, where the answer is the next thing itself: "And a small margherita."
func (u *utterance) anotherRound(all []Command) []Command {
	sl, f := u.asked(), u.dialogue.flows[u.flow]
	if sl == nil || f == nil || !sl.isVerdict() || !u.locale.AsksMore(u.Pending.Prompt) || u.turned {
		return all
	}
	if said, ok := u.locale.Common(u.text); ok && (said.Command == phrase.Correct || said.Command == phrase.Wrong) {
		return all
	}
	first := slices.IndexFunc(f.list, func(st *step) bool { return st.Type == CollectStep && st.Again })
	if first < 0 {
		return all
	}
	next := false
	for i, c := range all {
		if c.Slot == sl.name {
			return all
		}
		if next = next || c.Slot == f.list[first].Slot; c.Type == CorrectSlot {
			all[i].Type = SetSlot
		}
	}
	if !next {
		return all
	}
	return append([]Command{{Type: SetSlot, Slot: sl.name, Value: true, Confidence: certain}}, all...)
}

// unaskedTexts has the user asked about texts that were not asked for and that nobody called by the name of their slot: "next week
// instead" is no reason for a visit. Of names the orchestrator decides, whoever understood them.
func (u *utterance) unaskedTexts(all []Command) {
	for i, c := range all {
		text, isText := c.Value.(string)
		sl := u.slotOf(c.Slot)
		if (c.Type == SetSlot || c.Type == CorrectSlot) && isText && sl != nil && sl != u.asked() && sl.Type.kind().anyWords(sl.Slot) && c.Left == "" && c.Confidence > 0 &&
			!u.locale.AsksWho(u.spoken(sl)) && !u.dialogue.ownValue(sl, text) && !u.calls(sl, text) {
			all[i].Left = u.text
		}
	}
}

// doubtAll has the user asked about all values of a message of which some words were not understood, but for those that stand
// beside the name of their slot: "is there a good film on tonight? 3 bikes" says nothing of a day.
func doubtAll(all []Command, claims claims) {
	at := slices.IndexFunc(all, func(c Command) bool { return c.Left != "" })
	for i, c := range all {
		sets := c.Type == SetSlot || c.Type == CorrectSlot
		if at < 0 || !sets || c.Left != "" || c.Confidence == 0 || slices.ContainsFunc(claims.by(c), func(o *claim) bool { return o.Mark >= phrase.Named }) {
			continue
		}
		all[i].Left = all[at].Left
	}
}

// denied has the user asked about values beside a denial that takes nothing back: "large is not needed", "Friday at 3 I'm not home".
func (u *utterance) denied(all []Command, said phrase.Said) {
	if u.turned || !u.collects() || begunBy(all) != "" || !u.locale.Declines(u.text) || u.takesBack(said) {
		return
	}
	rest := without(u.text, u.claims(all).said(all))
	for i, c := range all {
		sl := u.slotOf(c.Slot)
		if (c.Type == SetSlot || c.Type == CorrectSlot) && c.Left == "" && c.Confidence > 0 && sl != nil && !sl.inWords() && !sl.isVerdict() && u.locale.Declines(rest) {
			all[i].Left = u.text
		}
	}
}

// takesBack reports whether a denial is about a slot, about a value that was given, or about another one for what was asked.
func (u *utterance) takesBack(said phrase.Said) bool {
	if said.About == "" {
		return false
	}
	if u.about(said.About) != "" {
		return true
	}
	sl := u.asked()
	if sl == nil || sl.inWords() {
		return false
	}
	v, ok := u.read(sl, said.About)
	return ok && v.Left == ""
}

// keepNamed takes a value that only words in another clause doubt, where the user is asked about another value: "lovely weather today, 3
// bikes" is asked about today. Its own clause says it whole, with the name of its slot.
func (u *utterance) keepNamed(all []Command, claims claims) {
	if u.locale.Negated(u.text) || u.locale.Question(u.text) {
		return
	}
	for i, c := range all {
		named := slices.ContainsFunc(claims.by(c), func(o *claim) bool { return o.Mark >= phrase.Named })
		other := slices.ContainsFunc(all, func(o Command) bool { return o.Slot != c.Slot && o.Left != "" })
		if c.Left != "" && named && other && slices.ContainsFunc(u.bothSides(), func(p sides) bool {
			return u.saysOnly(p.before, c) || u.saysOnly(p.behind, c)
		}) {
			all[i].Left = ""
		}
	}
}

// saysOnly reports whether a part of a message is the value of a command, beside the name of its slot.
func (u *utterance) saysOnly(part string, c Command) bool {
	sl := u.slotOf(c.Slot)
	v, ok := u.read(sl, part)
	return ok && v.Reason == "" && v.Left == "" && v.Score >= certain && equal(v.Value, c.Value) &&
		u.locale.Beyond(spoken(sl).Names, without(part, []found{{v, sl.name}})) == ""
}

// flowsOf are the flows whose slots commands may give values to.
func (u *utterance) flowsOf(commands []Command) (flows []string) {
	for _, c := range commands {
		if c.Type == StartFlow {
			flows = append(flows, c.Flow)
		}
	}
	if len(flows) == 0 && u.flow != "" {
		flows = append(flows, u.flow)
	}
	return flows
}

// withoutRivals has the user asked about the first slot of the flow for which several values were said. The other values of
// such slots go nowhere: they belong to one of the two.
func (u *utterance) withoutRivals(all []Command, claims claims) []Command {
	asked := false
	for _, sl := range u.inOrder() {
		which, several, ok := u.localeOf(sl).Rivals(u.spoken(sl), u.text, u.Now)
		at := slices.IndexFunc(all, func(c Command) bool {
			return (c.Type == SetSlot || c.Type == CorrectSlot) && c.Slot == sl.name && (c.Flow == "" || c.Flow == u.flow)
		})
		several = slices.DeleteFunc(several, func(v phrase.Value) bool { return claims.isLost(sl.name, v) })
		if !ok || len(several) < 2 || u.allTaken(all, sl, several) || at < 0 && (asked || !u.mayAsk(sl, all)) {
			continue
		}
		ask := Command{Type: SetSlot, Slot: sl.name, Value: which.Text}
		switch {
		case at < 0:
			all = append(all, ask)
		case !u.isRival(sl, all[at], several):
			continue
		case asked:
			all = slices.Delete(all, at, at+1)
			continue
		default:
			ask.Type, ask.Flow = all[at].Type, all[at].Flow
			all[at] = ask
		}
		asked = true
		all = slices.DeleteFunc(all, func(c Command) bool { return c.Slot != sl.name && u.isPartOf(c, which) })
	}
	return all
}

// withRest has the user asked about a day or a time of a flow that begins, where all that was said is another one or holds one
// more: "Tuesday, the 3rd", which is a Thursday, or "move it to Friday and make another one on Monday".
func (u *utterance) withRest(all []Command, claims claims) []Command {
	for i, c := range all {
		sl := u.slotOf(c.Slot)
		if c.Type != SetSlot || sl == nil || !sl.isWhen() || c.Left != "" || c.Confidence == 0 {
			continue
		}
		values := slices.DeleteFunc(u.localeOf(sl).Find(u.spoken(sl), u.text, u.Now), func(v phrase.Value) bool { return claims.isLost(sl.name, v) })
		if len(values) == 1 && values[0].Reason != "" {
			all[i].Value, all[i].Confidence = values[0].Text, 0
			return slices.DeleteFunc(all, func(c Command) bool { return c.Slot != sl.name && u.isPartOf(c, values[0]) })
		}
		if slices.ContainsFunc(values, func(v phrase.Value) bool {
			return v.Reason == "" && !slices.ContainsFunc(all, func(o Command) bool { return u.gives(sl, o, v) })
		}) {
			all[i].Left = u.text
		}
	}
	return all
}

// isPartOf reports whether the value of a command is a text or a refused value that was said with words of some values of which
// one is meant: "or 60 to Bob".
func (u *utterance) isPartOf(c Command, which phrase.Value) bool {
	text, ok := c.Value.(string)
	at := strings.Index(u.text, text)
	if sl := u.slotOf(c.Slot); !ok || at < 0 || sl == nil || c.Confidence != 0 && !sl.inWords() {
		return false
	}
	return at < which.End && which.Start < at+len(text)
}

// inOrder are the slots of the flow that users can give a value to: the one that is asked for, days, moments, times, and the
// others.
func (u *utterance) inOrder() []*slot {
	all := slices.Clone(u.places())
	rank := func(sl *slot) int {
		switch is := sl.traits(); {
		case u.collects() && u.Pending.Slot == sl.name:
			return 0
		case is.day:
			return 1
		case is.moment:
			return 2
		case sl.Type.family() == times:
			return 3
		}
		return 4
	}
	slices.SortStableFunc(all, func(a, b *slot) int { return rank(a) - rank(b) })
	return all
}

// isWhen reports whether values of a slot are days or times.
func (sl *slot) isWhen() bool {
	is := sl.traits()
	return is.day || is.moment || sl.Type.family() == times
}

// mayAsk reports whether several values for a slot that nothing else has found are asked about: those for days and times, which
// no other value that was said holds.
func (u *utterance) mayAsk(sl *slot, all []Command) bool {
	return sl.isWhen() && !slices.ContainsFunc(all, func(c Command) bool {
		other := u.slotOf(c.Slot)
		return c.Slot != "" && (other == nil || other.isWhen() || other.traits().many || other.Type == Range)
	})
}

// allTaken reports whether commands give each of several values to a slot of its own: "from Monday to Friday".
func (u *utterance) allTaken(all []Command, sl *slot, several []phrase.Value) bool {
	for _, v := range several {
		if !slices.ContainsFunc(all, func(c Command) bool {
			other := u.slotOf(c.Slot)
			return c.Slot != "" && other != nil && other.Type.alike(sl.Type) && u.gives(other, c, v)
		}) {
			return false
		}
	}
	return true
}

// gives reports whether a command gives a value that was said, at whatever half of the day.
func (u *utterance) gives(sl *slot, c Command, v phrase.Value) bool {
	return equal(v.Value, c.Value) || v.Half && equal(u.likelier(sl, v, v.Text).Value, c.Value)
}

// isRival reports whether the value of a command is one of several that were said for its slot. Numbers are such only with a
// word between them that lets choose: "50 or 60".
func (u *utterance) isRival(sl *slot, c Command, several []phrase.Value) bool {
	if sl.isWhen() {
		return c.Confidence == 0 || slices.ContainsFunc(several, func(v phrase.Value) bool { return u.gives(sl, c, v) })
	}
	for k, v := range several {
		near := k > 0 && u.locale.Either(u.text[several[k-1].End:v.Start]) || k+1 < len(several) && u.locale.Either(u.text[v.End:several[k+1].Start])
		if near && equal(v.Value, c.Value) {
			return true
		}
	}
	return false
}

// proposed has the user asked whether values are meant that were said as a question.
func (u *utterance) proposed(all []Command) {
	for i, c := range all {
		sl := u.slotOf(c.Slot)
		if c.Type != SetSlot && c.Type != CorrectSlot || sl == nil || sl.inWords() || sl.isVerdict() || c.Left != "" || c.Confidence == 0 {
			continue
		}
		all[i].Left = u.text
	}
}
