package dialogue

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// Words of the user belong to one slot at most. Every slot of the flow claims all values that it could take, and of two claims
// to the same words the one that the words around it speak for wins: "for 3" is a number of people, "at 8" is a time. Where
// nothing decides, neither slot has them, and the user is asked.

// claim is a value that a slot could take.
type claim struct {
	phrase.Claim
	slot  *slot
	at    int      // of the slot in the flow
	asked bool     // the user is asked for the slot
	codes []string // its value, and that at the other half of the day, encoded
	given bool     // a command gives the slot this value
	rank  int      // how plainly the words around it speak for it
	lost  bool     // the words belong to another slot, or to one of two
	left  bool     // the slot has a plain claim to other words
}

// ranked says how plainly the words around each claim speak for it, from the phrases' marks down to that it is asked for.
func (all claims) ranked() {
	const unmarked, asked, marked = 1, 2, 2
	for _, c := range all {
		switch {
		case c.Mark > phrase.Unmarked:
			c.rank = marked + int(c.Mark)
		case c.asked:
			c.rank = asked
		default:
			c.rank = unmarked
		}
	}
}

// form is how much a value says of its kind: more than a number, a word before a number, nothing.
func (c *claim) form() int {
	switch {
	case !c.Number:
		return 2
	case c.Typed:
		return 1
	}
	return 0
}

// claims are those of all slots of a flow.
type claims []*claim

// claims are those that the slots of the active flow make to what was said, as they are decided.
func (u *utterance) claims(commands []Command) claims {
	var all claims
	var slots []phrase.Slot
	var of []*slot
	for _, sl := range u.places() {
		if sl.claims() {
			slots, of = append(slots, u.spoken(sl)), append(of, sl)
		}
	}
	for k, found := range u.locale.Claims(slots, u.signs[u.flow], u.text, u.Now) {
		for _, c := range found {
			codes := []string{string(encoded(c.Value.Value))}
			if c.Half {
				codes = append(codes, string(encoded(u.likelier(of[k], c.Value, c.Text).Value)))
			}
			all = append(all, &claim{Claim: c, slot: of[k], at: k, asked: u.asked() == of[k], codes: codes})
		}
	}
	all = u.withPeriod(all)
	for _, c := range commands {
		if u.mayClaim(c) {
			for _, by := range all.by(c) {
				by.given = true
			}
		}
	}
	all.ranked()
	for all.decide() {
	}
	return all
}

// by are the claims of which a command gives the value.
func (all claims) by(c Command) (of []*claim) {
	code := string(encoded(c.Value))
	for _, o := range all {
		if o.slot.name == c.Slot && slices.Contains(o.codes, code) {
			of = append(of, o)
		}
	}
	return of
}

// said are the words of the values that some commands give.
func (all claims) said(commands []Command) (values []found) {
	for _, c := range commands {
		for _, o := range all.by(c) {
			if !o.lost {
				values = append(values, found{o.Value, c.Slot})
			}
		}
	}
	return values
}

// decide takes from each slot the claims to words that another one has a better claim to, and from a slot with one claim that is left all
// others. It reports whether that has changed a claim.
func (all claims) decide() (changed bool) {
	for _, c := range all {
		c.lost = c.left || slices.ContainsFunc(all, func(o *claim) bool {
			return !o.left && c.rivals(o) && !c.beats(o)
		})
	}
	for _, best := range all.bySlot() {
		if len(best) != 1 {
			continue
		}
		for _, c := range all {
			if c.slot == best[0].slot && c != best[0] && !c.left {
				c.left, changed = true, true
			}
		}
	}
	return changed
}

// withPeriod are claims with those to the two days that were said as one period, for the two slots of days that are open.
func (u *utterance) withPeriod(all claims) claims {
	u.period(u.askedName(), u.text, func(name string, v phrase.Value) {
		said := false
		for _, c := range all {
			if c.slot.name == name && c.Start < v.End && v.Start < c.End {
				c.Mark, said = max(c.Mark, phrase.Led), true
			}
		}
		if !said { // "3" in "3 until 5 December"
			isNumber := strings.Trim(v.Text, "0123456789") == ""
			all = append(all, &claim{Claim: phrase.Claim{Value: v, Number: isNumber, Mark: phrase.Led}, slot: u.slotOf(name), codes: []string{string(encoded(v.Value))}})
		}
	})
	return all
}

func (u *utterance) askedName() string {
	if sl := u.asked(); sl != nil {
		return sl.name
	}
	return ""
}

// rivals reports whether two slots claim some of the same words. "Tonight" is a day and part of a time.
func (c *claim) rivals(o *claim) bool {
	both := c.form() == 2 && o.form() == 2 && c.slot.isWhen() && o.slot.isWhen() && !c.slot.Type.alike(o.slot.Type)
	return o.slot != c.slot && o.Start < c.End && c.Start < o.End && !both
}

// beats reports whether a claim is stronger than another one to some of the same words.
func (c *claim) beats(o *claim) bool {
	if c.Bounds != o.Bounds && c.Mark == o.Mark && (c.slot.isWhen() || o.slot.isWhen()) {
		return o.Bounds
	}
	if c.within(o) != o.within(c) { // "19:00" is no 19, but 2 in "2 nights" may count
		inner, outer := c, o
		if o.within(c) {
			inner, outer = o, c
		}
		plain := inner.Typed && inner.Mark > phrase.Unmarked // "on {day} at {time}"
		switch {
		case outer.form() == 2 && inner.form() < 2 && !plain:
			return (inner.Mark == phrase.Counted) == (c == inner)
		case outer.form() == 2 && (outer.given && !inner.given || outer.asked || outer.rank >= inner.rank): // a day and a time are a moment
			return c == outer
		}
	}
	rank, form := cmp.Compare(c.rank, o.rank), cmp.Compare(c.form(), o.form())
	if rank == 0 && form == 0 && c.form() == 2 && c.Mark == phrase.Unmarked && c.slot.Type == o.slot.Type { // a day by itself is the first one
		return c.at < o.at
	}
	return cmp.Or(rank, form) > 0
}

// within reports whether all words of a claim are words of another one.
func (c *claim) within(o *claim) bool { return o.Start <= c.Start && c.End <= o.End }

// bySlot are the claims that nothing takes away, of each slot the plainest.
func (all claims) bySlot() map[*slot][]*claim {
	of := make(map[*slot][]*claim)
	for _, c := range all {
		switch best := of[c.slot]; {
		case c.lost, len(best) > 0 && c.rank < best[0].rank:
		case len(best) > 0 && c.rank > best[0].rank:
			of[c.slot] = []*claim{c}
		default:
			of[c.slot] = append(best, c)
		}
	}
	return of
}

// isLost reports whether another slot has the better claim to the words of a value, and not only the same one.
func (all claims) isLost(name string, v phrase.Value) bool {
	return slices.ContainsFunc(all, func(c *claim) bool {
		return c.slot.name == name && c.Start < v.End && v.Start < c.End && all.isTaken(c)
	})
}

// isTaken reports whether words beside a claim, or the form of its words, give them to another slot.
func (all claims) isTaken(c *claim) bool {
	return slices.ContainsFunc(all, func(o *claim) bool {
		return !o.left && c.rivals(o) && (o.Mark > phrase.Unmarked || o.form() > c.form()) && o.beats(c)
	})
}

// owned are commands of which each value belongs to its slot. One that another slot has a better claim to is replaced by the value
// that the slot has a plain claim to. Without one it is left out where the flow asks for the slot anyway, and the user is
// asked whether it is meant elsewhere. Plainly leaves those alone that no other slot has a better claim to.
func (u *utterance) owned(all []Command, plainly bool) []Command {
	if !slices.ContainsFunc(all, u.mayClaim) {
		return all
	}
	return u.ownedBy(u.claims(all), all, plainly)
}

// ownedIn is owned for commands that begin a flow; "" for the active one.
func (u *utterance) ownedIn(flow string, all []Command) []Command {
	in := *u
	if flow != "" && flow != u.flow {
		in.flow, in.Turn = flow, &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
	}
	return in.owned(all, false)
}

// mayClaim reports whether a command gives a slot a value that another slot could claim.
func (u *utterance) mayClaim(c Command) bool {
	sl := u.slotOf(c.Slot)
	return (c.Type == SetSlot || c.Type == CorrectSlot) && sl != nil && sl.claims() && c.Left == "" && c.Confidence != 0 && (c.Flow == "" || c.Flow == u.flow)
}

// claims reports whether values of a slot are found in what was said by their form.
func (sl *slot) claims() bool {
	is := sl.traits()
	return !is.words && !is.many && !is.named && !is.verdict
}

func (u *utterance) ownedBy(claims claims, all []Command, plainly bool) []Command {
	var kept []Command
	var freed []*claim
	best := claims.bySlot()
	for _, c := range all {
		sl := u.slotOf(c.Slot)
		if !u.mayClaim(c) {
			if u.refusesElsewhere(c, claims) {
				continue
			}
			kept = append(kept, c)
			continue
		}
		by := claims.by(c)
		switch one, ok := u.only(sl, best[sl]); {
		case len(by) == 0, ok && slices.Contains(by, one), plainly && slices.ContainsFunc(by, func(o *claim) bool { return !claims.isTaken(o) }):
			kept = append(kept, c)
			continue
		case ok && one.Mark > phrase.Unmarked:
			v := u.likelier(sl, one.Value, u.text)
			c.Value, c.Left, c.Confidence = v.Value, v.Left, v.Score
			kept = append(kept, c)
		case c.Type == CorrectSlot || u.asked() == sl:
			c.Left = u.text
			kept = append(kept, c)
		}
		freed = append(freed, by...)
	}
	return u.withFreed(kept, freed, claims)
}

// refusesElsewhere reports whether a command tells why words are no value of its slot that belong to another slot.
func (u *utterance) refusesElsewhere(c Command, claims claims) bool {
	text, isText := c.Value.(string)
	at := strings.Index(u.text, text)
	if c.Type != SetSlot || c.Confidence != 0 || !isText || text == "" || at < 0 {
		return false
	}
	return claims.isLost(c.Slot, phrase.Value{Start: at, End: at + len(text)})
}

// only is the claim that stands for all of a slot's plainest ones: they give the same value.
func (u *utterance) only(sl *slot, best []*claim) (*claim, bool) {
	if len(best) == 0 {
		return nil, false
	}
	for _, c := range best[1:] {
		if !equal(u.likelier(sl, c.Value, c.Text).Value, u.likelier(sl, best[0].Value, best[0].Text).Value) {
			return nil, false
		}
	}
	return best[0], true
}

// withFreed gives words that one slot has lost to the slot that has the plain claim to them.
func (u *utterance) withFreed(all []Command, freed []*claim, claims claims) []Command {
	best := claims.bySlot()
	for _, c := range claims {
		_, filled := u.Filled[c.slot.name]
		has := slices.ContainsFunc(all, func(o Command) bool { return o.Slot == c.slot.name })
		if filled || has || c.lost || c.Mark < phrase.Led || c.Reason != "" || c.Left != "" ||
			!slices.ContainsFunc(freed, func(o *claim) bool { return o.Start < c.End && c.Start < o.End }) {
			continue
		}
		if one, ok := u.only(c.slot, best[c.slot]); ok {
			all = append(all, found{u.likelier(c.slot, one.Value, u.text), c.slot.name}.command())
		}
	}
	return all
}
