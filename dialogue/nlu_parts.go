package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A wish to stop may be about a part of what goes on: "cancel the gps". It stops that part alone: a member leaves its list, a yes becomes a
// no, what may be left out is, and anything else is asked for again. What nobody knows stops nothing.

// takesOut is what a message takes out of the flow that goes on.
func (u *utterance) takesOut() []Command {
	what, stops, ok := phrase.Dropped(u.locale, u.text)
	if !ok || u.flow == "" || u.asksText() || !stops && !u.Pending.confirms() || begunBy(u.begins()) != "" {
		return nil
	}
	words, name := u.locale.Content(what), u.named(what)
	for _, sl := range u.places() {
		is := sl.traits()
		if is.counts { // "cancel one bike"
			if _, counted := u.locale.Counted(u.spoken(sl), what, u.Now); counted || name == sl.name {
				return nil
			}
		}
		if all, in := u.leavesList(sl, what); in {
			u.unheard = len(all) == 0
			return all
		}
	}
	if sl := u.slotOf(name); sl != nil && len(words) > 0 && u.locale.Beyond(spoken(sl).Names, what) == "" {
		held := u.Filled[name] != nil
		switch {
		case sl.isVerdict():
			return sure(CorrectSlot, name, false)
		case sl.Optional && held:
			return sure(CorrectSlot, name, nil)
		case stops && held && !u.callsAny(words, false):
			return u.wrong(name)
		}
	}
	if !stops || len(words) == 0 || u.callsAny(words, true) {
		return nil
	}
	return u.stopsNone(words)
}

// leavesList is a list without the members that some words name; is reports whether they name any.
func (u *utterance) leavesList(sl *slot, what string) (all []Command, is bool) {
	held, many := u.Filled[sl.name].([]any)
	if !many || sl.inWords() {
		return nil, false
	}
	v, ok := u.read(sl, what)
	named, _ := v.Value.([]any)
	if !ok || v.Reason != "" || v.Left != "" || len(named) == 0 {
		return nil, false
	}
	left := make([]any, 0, len(held))
	for _, o := range held {
		if !holds(named, o) {
			left = append(left, o)
		}
	}
	if len(left) == len(held) {
		return nil, true
	}
	return sure(CorrectSlot, sl.name, left), true
}

// inLists makes of members that were said for a list which was not asked for the list that is meant: "and skiing" is one more, "skiing
// instead of luggage" takes the place of one, "no, skiing" is all. The user is asked about others.
func (u *utterance) inLists(all []Command, said phrase.Said) {
	if _, _, out := phrase.Dropped(u.locale, u.text); out {
		return
	}
	for i, c := range all {
		sl := u.slotOf(c.Slot)
		held, many := u.Filled[c.Slot].([]any)
		members, ok := c.Value.([]any)
		if !many || !ok || c.Type != CorrectSlot || sl == nil || sl == u.asked() || sl.inWords() || c.Left != "" && !u.locale.Adds(c.Left) || c.Confidence <= 0 {
			continue
		}
		if len(strings.Fields(c.Left)) == 1 { // "also"
			all[i].Left = ""
		}
		if out, names := u.read(sl, said.About); said.About != "" && names && out.Reason == "" {
			gone, _ := out.Value.([]any)
			held = slices.DeleteFunc(slices.Clone(held), func(o any) bool { return holds(gone, o) })
		} else if !u.locale.Adds(u.text) {
			if !u.turned && said.Command != phrase.Correct {
				all[i].Left = u.text
			}
			continue
		}
		list := slices.Clone(held)
		for _, o := range members {
			if !holds(list, o) {
				list = append(list, o)
			}
		}
		all[i].Value = list
	}
}

// holds reports whether a list holds a value.
func holds(list []any, v any) bool {
	for _, o := range list {
		if equal(o, v) {
			return true
		}
	}
	return false
}

// sure is one command that nothing is doubtful about.
func sure(is CommandType, slot string, v any) []Command {
	return []Command{{Type: is, Slot: slot, Value: v, Confidence: surely}}
}

// callsAny reports whether words mean a flow that goes on; alike says that another form of a word is enough.
func (u *utterance) callsAny(words []string, alike bool) bool {
	for _, name := range u.Active {
		if u.callsFlow(name, words, alike) {
			return true
		}
	}
	return false
}

// stopsNone is a wish to stop what does not go on: another flow, or nobody knows what.
func (u *utterance) stopsNone(words []string) []Command {
	if said, ok := u.locale.Common(u.text); ok && said.Command != phrase.Cancel || !ok && u.Pending != nil && !u.Pending.confirms() {
		return nil
	}
	for _, f := range u.dialogue.order {
		if f.named() && u.callsFlow(f.Name, words, true) {
			all := sure(CancelFlow, "", nil)
			all[0].Flow = f.Name
			return all
		}
	}
	all := u.guessed()
	u.unheard = len(all) == 0
	return all
}

// ordersText reports whether a denial says what is not to be done, and may be the text that is asked for: "don't ring".
func (u *utterance) ordersText(sl *slot) bool {
	if !sl.inWords() || u.dialogue.ownValue(sl, u.text) {
		return false
	}
	of := u.spoken(sl)
	return !u.locale.AsksCode(of) && !u.locale.AsksWho(of) && u.locale.Orders(of.Names, u.text) && !slices.ContainsFunc(u.locale.Content(u.text), func(w string) bool { return u.vocab[u.flow][w] || u.locale.Thing(w) })
}

// lacksCode reports whether an answer says no more than that the number or the like that is asked for is not there: "I can't find it".
func (u *utterance) lacksCode() bool {
	sl := u.asked()
	if sl == nil || sl.Optional || !sl.inWords() || !u.locale.AsksCode(u.spoken(sl)) || u.dialogue.ownValue(sl, u.text) || u.locale.Forbids(u.text) {
		return false
	}
	does, _ := u.locale.Evasion(u.spoken(sl), u.text)
	_, common := u.locale.Common(u.text)
	return does == phrase.Evades && !common && u.locale.Act(u.text) == 0
}

// isCalled reports whether all words that mean something are those that a slot is called by: "no note".
func (u *utterance) isCalled(sl *slot, text string) bool {
	words := u.locale.Content(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !sl.isCalledBy(w) })
}

// mentions reports whether a text has a word that a slot is called by.
func (u *utterance) mentions(sl *slot, text string) bool {
	return slices.ContainsFunc(u.locale.Content(text), sl.isCalledBy)
}

// isCalledBy reports whether a word stands in a name of the slot.
func (sl *slot) isCalledBy(word string) bool {
	return slices.ContainsFunc(spoken(sl).Names, func(name string) bool { return slices.Contains(phrase.Words(name), word) })
}

// pauses is a wish for a moment: "hang on", "let me think". It answers nothing, and skips nothing: "later" does.
func (u *utterance) pauses() []Command {
	if u.lacksCode() {
		return sure(Pause, "", nil)
	}
	if !phrase.Waits(u.locale, u.text) || u.Pending != nil && u.Pending.IsInform() {
		return nil
	}
	if sl := u.asked(); sl != nil {
		if said, ok := u.locale.Common(u.text); ok && said.Command == phrase.Skip && said.Score >= certain || u.isValue() || u.dialogue.ownValue(sl, u.text) {
			return nil
		}
	}
	return sure(Pause, "", nil)
}

// takenBack is the answer behind a wish to stop that was taken back: "cancel, no wait, 50". in is the rest without the words that do so.
func (u *utterance) takenBack(in *utterance, rest string) []Command {
	opening := strings.TrimSuffix(rest, in.text)
	if !u.locale.Amiss(opening) {
		return nil
	}
	all := in.answered()
	for i := range all {
		if u.asksText() {
			all[i].Left = u.text
		}
	}
	if len(all) == 0 && u.locale.Negated(opening) {
		u.unheard = true
	}
	return all
}

// wholeText is all of a message as the text that is asked for: the user is asked whether it is meant.
func (u *utterance) wholeText() []Command {
	return []Command{{Type: SetSlot, Slot: u.Pending.Slot, Value: strings.TrimSpace(u.text), Left: u.text, Confidence: surely}}
}

// stopsOnly reports whether words that may stop something say no more than that: of a text they may be a part.
func (u *utterance) stopsOnly(text string) bool {
	return phrase.StopsOnly(u.locale, text, func(w string) bool { return u.vocab[u.flow][w] })
}

// stopsStrange reports whether words with an article are about nothing that goes on: "the helmet".
func (u *utterance) stopsStrange(what string) bool {
	words := u.locale.Content(what)
	return len(words) > 0 && u.locale.CutBegin(what) != what && !u.callsAny(words, true)
}

// answersBefore reports whether what stands before a wish to stop, at the question for a text, may be an answer that it takes back: "Ada,
// cancel". An abbreviation belongs to what follows ("M. Stop"), and so does a sentence: "I was told to cancel my account and start again".
func (u *utterance) answersBefore(before string, linked bool) bool {
	const few, letters = 3, 3
	words := strings.Fields(before)
	if len(words) > 0 && u.text[len(before)] == '.' && len(words[len(words)-1]) <= letters {
		return false
	}
	return len(words) <= few || !linked && u.locale.Negated(before)
}

// callsFlow is callsIt; alike says that another form of a word is enough: "the rental" of "rent a car".
func (u *utterance) callsFlow(flow string, words []string, alike bool) bool {
	const least = 4 // letters
	vocab := u.vocab[flow]
	for _, w := range words {
		known := vocab[w] || vocab[strings.TrimSuffix(w, "s")] || vocab[w+"s"] || u.locale.Thing(w)
		for i := least; alike && !known && i < len(w); i++ {
			known = vocab[w[:i]]
		}
		if !known {
			return false
		}
	}
	return true
}

// instead are the flows that are wanted in place of those that go on.
func (u *utterance) instead() []Command {
	in := *u
	in.Turn = &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}, Shut: u.Shut}
	in.flow, in.matched = "", false
	if all := in.several(); len(all) > 0 {
		return all
	}
	if all := in.begun(); len(all) > 0 && (all[0].Type == StartFlow || all[0].Type == Clarify) {
		return all
	}
	all := in.guessed()
	for i := range all {
		all[i].Options = slices.DeleteFunc(all[i].Options, func(name string) bool { return name == u.flow })
	}
	return slices.DeleteFunc(all, func(c Command) bool {
		return c.Type == Clarify && len(c.Options) == 0 || c.Flow != "" && c.Flow == u.flow
	})
}

// unneeded is the answer that what is asked for is not needed: a no, or nothing where it may be left out.
func (u *utterance) unneeded(sl *slot) []Command {
	const short = 80 // bytes: what is longer says more
	if len(u.text) > short || !sl.isVerdict() && !sl.Optional {
		return nil
	}
	said, ok := u.locale.Common(u.text)
	switch {
	case !ok || said.About != phrase.Unneeded || said.Score < surely:
		return nil
	case sl.isVerdict():
		return sure(SetSlot, sl.name, false)
	}
	return sure(Skip, "", nil)
}

// reverses reports whether a message says two contrary words, of which nobody knows the one that holds.
func (u *utterance) reverses() bool {
	if phrase.Reverses(u.locale, u.text) {
		yes, no, rest, _ := u.locale.Assent(u.text)
		u.unheard = !yes && !no || rest != ""
	}
	return u.unheard
}

// objects is an objection to a value that is to be confirmed, and the value that suits where one follows: "Tuesday doesn't work", "Tuesday
// doesn't work, rather Monday".
func (u *utterance) objects() []Command {
	if !u.Pending.IsConfirm() {
		return nil
	}
	for _, cut := range u.locale.Cuts(u.text) {
		sl := u.objected(u.text[:cut[0]])
		first, _, _ := strings.Cut(strings.TrimSpace(u.text), " ")
		if sl == nil || u.locale.Negated(first) { // "not at 10, at 11"
			continue
		}
		in, _ := u.within(u.text[cut[1]:]).opened()
		rest := in.text
		if said, ok := u.locale.Common(rest); ok && said.Command == phrase.Correct && said.About == "" {
			rest = said.Rest
		}
		if v, ok := u.read(sl, rest); ok && v.Reason == "" {
			return corrections([]found{{v, sl.name}})
		}
		return u.wrong(sl.name)
	}
	if sl := u.objected(u.text); sl != nil {
		return u.wrong(sl.name)
	}
	return nil
}

// objected is the slot whose value some words object to; nil for none.
func (u *utterance) objected(text string) *slot {
	what, ok := phrase.Objected(u.locale, text)
	if !ok {
		return nil
	}
	what = u.locale.CutBegin(what)
	sl := u.slotOf(u.holding(what))
	if sl == nil || sl.isVerdict() || sl.inWords() || u.saysMore(what, sl.name) {
		return nil
	}
	return sl
}
