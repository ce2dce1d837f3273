package schema

import (
	"math/bits"
	"slices"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// Alternatives that the kind of a value does not settle are settled by its parts while they arrive: an object keeps the
// options that are left, and each part takes away those that it does not fit. What differs between them (the value of
// "type", say) decides. Until then a part has to fit one of the options that are left; what it has to be for each of
// them are its possibilities. A part that is refused takes nothing away, for it is not shown.

// possibility is what a part of an object or array has to be for some of the options.
type possibility struct {
	rules []*rule
	reach *reach // for the kind of value that came
	of    uint64 // bits of the options
}

// ones is a word with the first n bits set.
func ones(n int) uint64 { return ^uint64(0) >> (64 - n) }

func several(set uint64) bool { return set&(set-1) != 0 }

// undecided reports whether several options are left.
func (f *frame) undecided() bool { return several(f.remain) }

// undecided reports whether several possibilities are left.
func (p *place) undecided() bool { return several(p.left) }

// each goes through the bits of a set.
func each(set uint64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

// decide leaves the options of a set. Where it is one, its rules are those of the frame from here on.
func (f *frame) decide(left uint64) {
	f.remain, f.reach = left, nil
	if !several(left) {
		f.reach = f.options[bits.TrailingZeros64(left)].reach
	}
}

// decide leaves the possibilities of a set, which are those of the parts of f.
func (p *place) decide(f *frame, left uint64) {
	p.left, p.rules, p.reach = left, nil, nil
	if !several(left) {
		only := &f.parts[bits.TrailingZeros64(left)]
		p.rules, p.reach = only.rules, only.reach
	}
}

// weigh finds the options of an object or array that begins.
func (st *Stream) weigh(f *frame) {
	f.base = f.reach
	switch {
	case f.hidden:
		return
	case !f.place.undecided():
		if f.reach != nil && len(f.reach.options) > 0 {
			f.options = f.reach.options
			f.decideOptions()
		}
		return
	}
	up := &st.frames[len(st.frames)-2]
	total := 0
	for i := range each(f.place.left) {
		total += len(st.reachIn(up, i).options)
	}
	for i := range each(f.place.left) {
		x := st.reachIn(up, i)
		if len(x.options) == 0 || total+bits.OnesCount64(f.place.left) > mostOptions {
			f.mine = append(f.mine, option{x, i})
			continue
		}
		for _, o := range x.options {
			f.mine = append(f.mine, option{o.reach, i})
		}
	}
	f.options = f.mine
	f.decideOptions()
}

func (f *frame) decideOptions() { f.decide(ones(len(f.options))) }

// reachIn is what applies by a possibility.
func (st *Stream) reachIn(f *frame, i int) *reach {
	if x := f.parts[i].reach; x != nil {
		return x
	}
	return st.outline.free
}

// memberOf finds what the member has to be that was just named: its place, its name without memory of its own where a
// rule knows it, and the rules that do not allow it, if nothing allows it.
func (st *Stream) memberOf(f *frame) (p place, known string, against []*rule) {
	if !f.undecided() {
		rules, known, no := f.reach.member(st.name)
		if no != nil {
			return place{}, known, no.alone
		}
		return place{rules: rules}, known, nil
	}
	f.parts = f.parts[:0]
	for i := range each(f.remain) {
		o := f.options[i]
		rules, name, no := o.member(st.name)
		if name != "" {
			known = name
		}
		if no != nil {
			against = with(against, no)
		} else if _, wrong := st.wrongNameFor(o.reach); !wrong {
			f.mayBe(rules, i)
		}
	}
	if len(f.parts) == 0 {
		return place{}, known, against
	}
	return f.part(), known, nil
}

// itemOfEach finds what the next item has to be. Where there may be none for any option, it returns how many there may
// be; else a negative number.
func (f *frame) itemOfEach() int {
	f.parts = f.parts[:0]
	most := -1
	for i := range each(f.remain) {
		if o := f.options[i]; o.maxItems >= 0 && f.count >= o.maxItems {
			most = max(most, o.maxItems)
		} else {
			f.mayBe(o.item(f.count), i)
		}
	}
	if len(f.parts) > 0 {
		return -1
	}
	return most
}

// mayBe notes what a part has to be for an option.
func (f *frame) mayBe(rules []*rule, option int) {
	for i := range f.parts {
		if slices.Equal(f.parts[i].rules, rules) {
			f.parts[i].of |= 1 << option
			return
		}
	}
	f.parts = append(f.parts, possibility{rules: rules, of: 1 << option})
}

// part is the place of a part whose possibilities were noted.
func (f *frame) part() place {
	if len(f.parts) == 1 && f.parts[0].of == f.remain {
		return place{rules: f.parts[0].rules}
	}
	return place{left: ones(len(f.parts))}
}

// beginOneOf finds out which possibilities are left for a value of kind k that begins in f.
func (st *Stream) beginOneOf(f *frame, k kinds) {
	p := &st.open
	var left uint64
	for i := range f.parts {
		part := &f.parts[i]
		part.reach = st.reachOf(part.rules, k)
		if part.reach == nil || !part.reach.never {
			left |= 1 << i
		}
	}
	switch {
	case left != 0:
		p.decide(f, left)
	case k&(aString|anArray|anObject) != 0:
		st.refuse(p, st.wrongKindOfAll(f, k)...)
		p.hidden = true
	}
}

// putOneOf takes characters of an open string with several possibilities.
func (st *Stream) putOneOf(text string) {
	p, f := &st.open, st.top()
	free, watched := true, false
	for i := range each(p.left) {
		x := st.reachIn(f, i)
		free = free && (x.free || f.parts[i].reach == nil)
		watched = watched || x.watched
	}
	if !free && !watched {
		st.said = append(st.said, text...)
	}
	if free || !watched {
		st.out = jsontext.AppendInside(st.out, text)
		return
	}
	for at, r := range text {
		c := text[at : at+len(string(r))]
		st.said = append(st.said, c...)
		p.length++
		left := p.left
		for i := range each(p.left) {
			if _, ok := st.reachIn(f, i).begun(st.said, p.length); !ok {
				left &^= 1 << i
			}
		}
		if left == 0 {
			st.refuse(p, st.beginsNone(f))
			st.hideString()
			return
		}
		st.out = jsontext.AppendInside(st.out, c)
		if left != p.left {
			p.decide(f, left)
			st.put(text[at+len(c):])
			return
		}
	}
}

// fitsNone tells what is wrong with a scalar that is complete and fits none of the possibilities. It takes away those
// that it does not fit.
func (st *Stream) fitsNone(k kinds) []Problem {
	p, f := &st.open, st.top()
	var left uint64
	for i := range each(p.left) {
		part := &f.parts[i]
		if part.reach != nil && part.reach.excludes(k, st.scalarText(k)) {
			continue
		}
		if len(st.scalarAgainst(part.rules, part.reach, k)) == 0 {
			left |= 1 << i
		}
	}
	if left != 0 {
		p.decide(f, left)
		return nil
	}
	v := st.scalarValue(k)
	if p := f.wrongMark(v, found(v)); p != nil {
		return p
	}
	var wrong [][]Problem
	for i := range each(p.left) {
		wrong = append(wrong, st.scalarAgainst(f.parts[i].rules, f.parts[i].reach, k))
	}
	return fitsNoneOf(wrong)
}

// fits notes that a value is shown which is complete: the options of what is around it that it does not fit are out.
func (st *Stream) fits(p *place) {
	if p.left == 0 {
		return
	}
	f := st.top()
	var left uint64
	for i := range each(p.left) {
		left |= f.parts[i].of
	}
	f.decide(left)
}

// sift takes from an object or array that ends the possibilities of which no option is left.
func (st *Stream) sift(f *frame) {
	if !f.place.undecided() {
		return
	}
	var left uint64
	for i := range each(f.remain) {
		left |= 1 << f.options[i].of
	}
	f.place.left &= left
}

// tuple is how many items have rules of their own.
func (f *frame) tuple() (n int) {
	if f.reach != nil {
		return f.reach.tuple
	}
	for i := range each(f.remain) {
		n = max(n, f.options[i].tuple)
	}
	return n
}

// undecidedProblems tells what is wrong with an object or array of which several options are left at its end. It leaves
// those that fit.
func (st *Stream) undecidedProblems(f *frame) []Problem {
	var left uint64
	var lacking [][]Problem
	for i := range each(f.remain) {
		if missing := st.lacks(f, f.options[i].reach); len(missing) > 0 {
			lacking = append(lacking, missing)
		} else {
			left |= 1 << i
		}
	}
	if left == 0 {
		return st.noneLeft(f, lacking)
	}
	f.decide(left)
	if !f.undecided() {
		if problems := st.ask(f, f.reach.whole); len(problems) > 0 {
			return st.noneLeft(f, append(lacking, problems))
		}
		return nil
	}
	if !f.place.undecided() {
		return st.whole(f, f.base, left)
	}
	var wrong [][]Problem
	up := &st.frames[len(st.frames)-2]
	for i := range each(f.place.left) {
		var mine uint64
		for j := range each(left) {
			if f.options[j].of == i {
				mine |= 1 << j
			}
		}
		if mine == 0 {
			continue
		}
		if problems := st.whole(f, st.reachIn(up, i), mine); len(problems) > 0 {
			wrong = append(wrong, problems)
			f.remain &^= mine
		}
	}
	if f.remain != 0 {
		return nil
	}
	f.remain = left
	return st.noneLeft(f, append(lacking, wrong...))
}

// whole tells what is wrong with an object or array by a reach of which some options are left. Where just one may fit,
// or any will do, that is known; else the library says it.
func (st *Stream) whole(f *frame, x *reach, left uint64) []Problem {
	if !several(left) {
		return st.ask(f, f.options[bits.TrailingZeros64(left)].whole)
	}
	if !x.alone {
		for i := range each(left) {
			if len(f.options[i].whole) == 0 {
				return nil
			}
		}
	}
	return st.ask(f, x.whole)
}
