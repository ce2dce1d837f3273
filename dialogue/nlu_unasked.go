package dialogue

import (
	"cmp"
	"slices"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// A value may be said for a slot that was not asked for and that has one already, without its name: "no, rather 20". It takes the place
// of the other only where it is plain which slot is meant: no other slot of the flow could take it, and it is all that was said, or the
// message corrects the value that was told last. Words that only a time can stand behind ("no, at 11") make it plain, too. The
// user is asked about any other such value.

// unasked has the user asked about such values. corrects says that the message puts something right.
func (u *utterance) unasked(all []Command, corrects bool) []Command {
	plain := u.plainClaims()
	asked := u.asked()
	answers := !corrects && asked != nil && !asked.traits().verdict && slices.ContainsFunc(all, func(c Command) bool { return c.Slot == asked.name })
	last := slices.IndexFunc(u.Told, func(name string) bool { return !u.slotOf(name).traits().verdict })
	for i, c := range all {
		sl := u.slotOf(c.Slot)
		if u.namesOther(plain, &all[i]) {
			continue
		}
		if v := u.Filled[c.Slot]; !u.mayClaim(c) || v == nil || c.Slot == u.askedName() || equal(v, c.Value) {
			continue
		}
		owner, ok := plain.owner(c)
		switch {
		case u.locale.AsksMore(u.text) && !sl.isWhen(): // "two more days"
			all[i].Left = u.text
		case corrects && last >= 0 && u.Told[last] == sl.name && (owner == nil || owner.slot == sl):
		case owner != nil && owner.slot != sl && !slices.ContainsFunc(all, func(o Command) bool { return o.Slot == owner.slot.name }):
			all[i] = u.given(owner)
			if !ok {
				all[i].Left = u.text
			}
		case !ok, answers && (owner == nil || owner.Mark == phrase.Unmarked):
			all[i].Left = u.text
		}
	}
	for i := len(all) - 1; i > 0; i-- {
		if c := all[i]; c.Slot != "" && slices.ContainsFunc(all[:i], func(o Command) bool { return o.Slot == c.Slot && o.Flow == c.Flow && equal(o.Value, c.Value) }) {
			all = slices.Delete(all, i, i+1)
		}
	}
	return all
}

// given is the value of a claim as a command.
func (u *utterance) given(c *claim) Command {
	return u.commands([]found{{u.likelier(c.slot, c.Value, u.text), c.slot.name}})[0]
}

// namesOther gives a value to the slot whose name stands beside it, where a command that asks about it has it for another one.
func (u *utterance) namesOther(plain claims, c *Command) bool {
	sl := u.slotOf(c.Slot)
	if c.Type != CorrectSlot || c.Left == "" || sl == nil || !sl.claims() {
		return false
	}
	called := u.named(c.Left)
	for _, mine := range plain.by(*c) {
		at := slices.IndexFunc(plain, func(o *claim) bool {
			return o.rivals(mine) && (o.Mark >= phrase.Named || o.slot.name == called || o.plainer(mine)) && o.slot.name != u.askedName()
		})
		if at < 0 {
			continue
		}
		o := plain[at]
		*c = u.given(o)
		c.Left = cmp.Or(o.Left, u.unexplained(without(u.text, []found{{o.Value, c.Slot}})))
		return true
	}
	return false
}

// plainClaims are the claims to what was said, as if nothing were asked and nothing had been understood.
func (u *utterance) plainClaims() claims {
	all := u.claims(nil)
	asked := u.askedName()
	for _, c := range all {
		c.given, c.asked, c.lost, c.left = false, c.slot.name == asked, false, false
	}
	return all
}

// owner is the claim of the slot that the value of a command belongs to by its words alone, whatever is asked.
func (all claims) owner(c Command) (*claim, bool) {
	by := all.by(c)
	if len(by) == 0 {
		return nil, true // it is not found by its form
	}
	mine := by[len(by)-1]
	best := mine
	for _, o := range all {
		if !o.rivals(mine) {
			continue
		}
		if o.asked && mine.Mark == phrase.Unmarked {
			return nil, false
		}
		if o.plainer(best) {
			best = o
		}
	}
	return best, best.Mark > mine.Mark || !slices.ContainsFunc(all, func(o *claim) bool { return o != best && o.rivals(best) && !best.plainer(o) })
}

// plainer reports whether a claim is stronger than another one by the words around it and by its form alone.
func (c *claim) plainer(o *claim) bool {
	if c.slot.Type == o.slot.Type && c.Mark == o.Mark {
		return false
	}
	if c.form() == o.form() && c.Mark == o.Mark && c.within(o) && o.within(c) && c.Typed != o.Typed {
		return c.Typed
	}
	a, b := *c, *o
	a.asked, b.asked = false, false
	claims{&a, &b}.ranked()
	return a.beats(&b) && !b.beats(&a)
}
