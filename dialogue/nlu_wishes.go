package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A message may answer what was asked and wish for something else: "Ada, and order a pizza". The words of a wish belong to no slot.
// Where it is plain which words are which, both are done: the answer is what it would be alone, and the flow begins. Where it is not,
// the user is asked, see holdsWish.

// together is an answer and a wish for another flow in one message, in either order. A trigger is sought everywhere before words that
// are only near to a flow.
func (u *utterance) together() []Command {
	if u.flow == "" || u.Pending == nil || !u.Pending.IsCollect() && !u.Pending.IsConfirm() {
		return nil
	}
	parts := u.bothSides()
	for _, way := range []func(before, behind string) []Command{u.answerThenWish, u.wishThenAnswer, u.answerThenNear} {
		for _, p := range parts {
			if all := way(p.before, p.behind); len(all) > 0 {
				return all
			}
		}
	}
	return nil
}

// sides are a message in two parts, without what joins them.
type sides struct{ before, behind string }

// bothSides are the ways to part a message where an answer and a wish may be joined.
func (u *utterance) bothSides() (all []sides) {
	for _, cut := range u.locale.Joints(u.text) {
		p := sides{strings.Trim(u.text[:cut[0]], marksAround), strings.TrimSpace(u.text[cut[1]:])}
		if p.before != "" && p.behind != "" {
			all = append(all, p)
		}
	}
	return all
}

// marksAround are the marks that part an answer from a wish.
const marksAround = " ,;.!:&+-–—/|("

// answerThenWish is "Ada, and order a pizza".
func (u *utterance) answerThenWish(before, behind string) []Command {
	right, _ := u.within(behind).opened()
	return u.answerThen(before, behind, right.begins())
}

// answerThenNear is "Ada, and I'd also like a pizza". A single word is no wish: "Salt and Pizza".
func (u *utterance) answerThenNear(before, behind string) []Command {
	right, _ := u.within(behind).opened()
	if len(phrase.Words(right.text)) < 2 || u.locale.Question(right.text) {
		return nil
	}
	for _, cut := range u.locale.Joints(right.text) { // "60, and I'd like a pizza" holds the answer
		if before := strings.Trim(right.text[:cut[0]], marksAround); before != "" && len(u.alone(before)) > 0 && len(u.within(before).near("")) == 0 && !u.asksText() {
			return nil
		}
	}
	return u.answerThen(before, behind, right.near(before))
}

// answerThen is an answer, and the wish that was said behind it.
func (u *utterance) answerThen(before, behind string, wish []Command) []Command {
	if begunBy(wish) == "" || u.spans(begunBy(wish)) {
		return nil
	}
	all := u.alone(before)
	if len(all) == 0 || slices.ContainsFunc(all, func(c Command) bool { return c.Type == Affirm }) && u.wishBehindYes(before, behind) == "" {
		return nil
	}
	return append(all, u.owning(begunBy(wish), wish)...)
}

// wishThenAnswer is "order a pizza, my name is Ada". A value that may be meant for the flow that begins is asked about.
func (u *utterance) wishThenAnswer(before, behind string) []Command {
	left, _ := u.within(before).opened()
	wish := left.begins()
	if begunBy(wish) == "" || u.spans(begunBy(wish)) {
		return nil
	}
	all := u.alone(behind)
	begun := u.dialogue.flows[begunBy(wish)]
	right, _ := u.within(behind).opened()
	for i, c := range all {
		sl := u.slotOf(c.Slot)
		if c.Type != SetSlot && c.Type != CorrectSlot || sl == nil {
			return nil
		}
		if v, _ := u.read(sl, right.text); v.Text == right.text && slices.ContainsFunc(begun.order, func(o *slot) bool { return o.asked && o.Type.alike(sl.Type) }) {
			all[i].Left = u.text
		}
	}
	if len(all) == 0 {
		return nil
	}
	return append(u.owning(begunBy(wish), wish), all...)
}

// spans reports whether the whole message is a trigger, and not one of a flow.
func (u *utterance) spans(flow string) bool {
	best := u.match()
	return len(best) > 0 && best[0].Score >= surely && u.meant[best[0].ID].flow != flow
}

// owning are commands of which each value says that it is one of a flow.
func (u *utterance) owning(flow string, all []Command) []Command {
	for i, c := range all {
		if (c.Type == SetSlot || c.Type == CorrectSlot) && c.Flow == "" {
			all[i].Flow = flow
		}
	}
	return all
}

// alone is what a part of a message says by itself to what was asked: values, a yes or a no. It is nothing where it says anything else
// besides, or a text that holds a wish itself.
func (u *utterance) alone(part string) []Command {
	if act := u.locale.Act(part); act != 0 && act != phrase.Affirms && act != phrase.Denies {
		return nil
	}
	if said, ok := u.locale.Common(part); ok && said.Command == phrase.Cancel && said.Score >= certain {
		return nil // "never mind" is more than a no
	}
	turn := *u.Turn
	turn.Text = part
	all, err := u.phrases.understand(&turn)
	if err != nil {
		return nil
	}
	for i, c := range all {
		switch c.Type {
		case SetSlot, CorrectSlot:
			text, isText := c.Value.(string)
			sl := u.slotOf(c.Slot)
			if isText && sl != nil && sl.Type.kind().anyWords(sl.Slot) && !u.dialogue.ownValue(sl, text) && (u.saysNothing(text) || u.holdsWish(text) || u.locale.Act(text) != 0 || u.within(part).mayBeNoText(sl, part)) {
				return nil
			}
			if c.Flow == "" {
				all[i].Flow = u.flow
			}
		case Affirm, Deny, ClearSlot, Choose, Skip:
		default:
			return nil
		}
	}
	return all
}

// saysNothing reports whether words are only such as lead to others: "I want to".
func (u *utterance) saysNothing(text string) bool {
	return len(u.locale.Content(text)) == 0 && !strings.ContainsAny(text, "0123456789") || u.locale.Wishes(text)
}

// near is a flow that words behind an answer are about, though they are no trigger: "and I'd also like a pizza". Behind a long text they may
// belong to it: "I was ill, and the pizza was cold".
func (u *utterance) near(before string) []Command {
	const short = 3 // words of an answer
	if len(u.locale.Content(before)) > short || u.locale.Act(u.text) == phrase.Cancels {
		return nil
	}
	all := u.instead()
	if begunBy(all) == "" || slices.Contains(u.Active, begunBy(all)) {
		return nil
	}
	return all
}

// wishBehindYes is the flow of a message that is a plain yes and behind it the flow's trigger, of which every word is understood:
// "yes, and order a pizza"; "" for none. Words that say in which order, that stop or deny make the yes none.
func (u *utterance) wishBehindYes(before, behind string) (flow string) {
	yes, no, rest, score := u.locale.Assent(before)
	if !yes || no || rest != "" || score < 1 || !u.Pending.confirms() || u.Pending.Slot != "" || u.locale.InOrder(behind) || u.locale.Turned(u.text) || u.locale.Negated(u.text) {
		return ""
	}
	right, _ := u.within(behind).opened()
	if _, stops := u.locale.CancelsWhat(right.text); stops || u.locale.Act(right.text) != 0 || u.locale.Amiss(behind) {
		return ""
	}
	if flow = begunBy(right.begins()); !u.dialogue.flows[flow].asks() {
		return ""
	}
	return flow
}

// asks reports whether a flow asks something of the user. What one that asks nothing tells may change their mind: "yes, and show my
// balance".
func (f *flow) asks() bool {
	return f != nil && slices.ContainsFunc(f.list, func(st *step) bool { return st.Type == CollectStep || st.Type == ConfirmStep })
}

// yesAndWish is the flow that begins behind a plain yes in a message; "" for none.
func (u *utterance) yesAndWish() string {
	for _, p := range slices.Backward(u.bothSides()) {
		if flow := u.wishBehindYes(p.before, p.behind); flow != "" {
			return flow
		}
	}
	return ""
}

// afterYes lets flows wait that were wished for behind a plain yes: it counts for what was asked, and they begin when that has been done.
// Whatever has understood the message, its words decide.
func (d *Dialogue) afterYes(s *State, m *Message, deltas []Delta) {
	if !s.Pending.confirms() || len(m.Commands) > 0 || !slices.ContainsFunc(deltas, func(o Delta) bool { return o.Yes }) {
		return
	}
	u := d.heardBy(s, m.Text)
	for _, f := range s.Stack {
		u.Active = append(u.Active, f.Flow)
	}
	flow := u.yesAndWish()
	for i := range deltas {
		for k, st := range deltas[i].Start {
			deltas[i].Start[k].After = flow != "" && st.Flow == flow
		}
	}
}

// holdsWish reports whether a text that is to be a value holds a wish: a trigger of a flow that begins or ends with it, whatever joins
// the two, or a part that is about a flow and stands behind a word such as "and".
func (u *utterance) holdsWish(text string) bool {
	const least = 2 // words: "balance" alone is a word of many texts
	is := func(part string, least int) bool {
		if len(phrase.Words(part)) < least {
			return false
		}
		best := u.triggers.Match(part, u.Now)
		return len(best) > 0 && best[0].Score >= surely && u.meant[best[0].ID].flow != ""
	}
	if u.triggers == nil {
		return false
	}
	for _, at := range u.locale.Begins(text) {
		if is(text[at:], least) || is(strings.Trim(text[:at], marksAround), least) {
			return true
		}
	}
	for _, cut := range u.locale.Cuts(text) {
		right, _ := u.within(text[cut[1]:]).opened()
		act := u.locale.Act(right.text)
		if act == phrase.Cancels || act == phrase.Commands || act == phrase.Asks || is(right.text, 1) {
			return true
		}
		if begunBy(right.near(text[:cut[0]])) != "" || u.locale.Wishes(right.text) && len(right.instead()) > 0 {
			return true
		}
	}
	return false
}

// either are two flows of which one is meant: "rent a car or take a test drive". The user is asked which.
func (u *utterance) either() []Command {
	before, behind, ok := strings.Cut(u.text, u.locale.Spoken().Or)
	if !ok {
		return nil
	}
	left, _ := u.within(strings.TrimRight(before, " ,;")).opened()
	right, _ := u.within(behind).opened()
	a, b := begunBy(left.begins()), begunBy(right.begins())
	if a == "" || b == "" || a == b {
		return nil
	}
	return []Command{{Type: Clarify, Options: []string{a, b}}}
}
