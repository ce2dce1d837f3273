package phrase

import (
	"slices"
	sorting "sort"
	"strings"
	"time"
)

// Of two values for one thing none is taken: "on Tuesday or Wednesday", "from the 3rd to the 5th", "50 or 60". The user is
// asked which one is meant, and both are named. Words that take one back ("the 3rd, no, the 5th") and values that are denied
// ("not the 3rd") make no rivals.

// Rivals returns the values of a slot's kind in an utterance where several were said for one.
//
// The first value spans all of them, and its Reason asks which one is meant; all are the single ones. It reports false where
// there are none, or where other words stand between them.
func (l Locale) Rivals(slot Slot, text string, now time.Time) (which Value, all []Value, ok bool) {
	if slot.inWords() || slot.kind().several != nil || slot.kind().many || slot.kind().answer != nil {
		return Value{}, nil, false
	}
	r := l.reading(text, now)
	r.after, r.was = slot.After, slot.Was
	values := r.all(slot.scanner(r.language))
	if len(values) == 0 || r.cut {
		return Value{}, nil, false
	}
	run, ok := r.rivals(slot, values)
	if !ok {
		return Value{}, nil, false
	}
	for _, v := range run {
		all = append(all, v.Value)
	}
	return r.whichOf(run), all, true
}

// rivals are values that stand beside each other, as one that asks which of them is meant. A number by itself beside a value is
// one of the same kind where the kind has such: "at 10 or 11".
func (r *reading) rivals(s Slot, values []found) (run []found, ok bool) {
	if s.kind().bare && !r.bare {
		r.bare = true
		values = r.joined(values, r.all(s.scanner(r.language)))
		r.bare = false
	}
	for _, v := range values {
		if r.refused(v) {
			continue
		}
		if n := len(run); n > 0 && !r.betweenRivals(s.kind(), run[n-1].j, v.i) {
			if differ(run) {
				break
			}
			run = nil
		}
		run = append(run, v)
	}
	return run, differ(run)
}

// joined adds to some values the numbers by themselves that only a word such as "or" parts from them.
func (r *reading) joined(values, wide []found) []found {
	all := slices.Clone(values)
	add := func(v found) {
		if !slices.ContainsFunc(all, func(o found) bool { return v.i < o.j && o.i < v.j }) {
			all = append(all, v)
		}
	}
	for k, v := range wide {
		beside := func(o found) bool {
			return o.i < v.i && r.parts(o.j, v.i) || v.i < o.i && r.parts(v.j, o.i)
		}
		if v.Reason == "" && !slices.ContainsFunc(all, func(o found) bool { return o.i == v.i }) && (slices.ContainsFunc(all, beside) || k > 0 && len(values) == 0 && beside(wide[k-1])) {
			add(v)
		}
	}
	sorting.Slice(all, func(i, j int) bool { return all[i].i < all[j].i }) // slices.SortFunc would be compiled for the type (ADR 060)
	return all
}

// differ reports whether some values are not all the same.
func differ(values []found) bool {
	const most = 5 // of more, nothing is plain
	return len(values) > 1 && len(values) <= most && slices.ContainsFunc(values[1:], func(v found) bool {
		return !sameValue(v.Value, values[0].Value) && v.Text != values[0].Text
	})
}

// whichOf asks which of some values is meant.
func (r *reading) whichOf(values []found) Value {
	var said []string
	for k, v := range values {
		if !slices.ContainsFunc(values[:k], func(o found) bool { return sameValue(o.Value, v.Value) || o.Text == v.Text }) {
			said = append(said, clip(v.Text))
		}
	}
	last := values[len(values)-1].j
	first := values[0].i
	if r.introduced(first) { // "at 10 or Wednesday at 11": behind the word, 10 is a time
		first--
	}
	which := r.refusal(because(WhichOne, Args{"choices": r.language.Any(said)}), first, last).Value
	which.Among = distinctValues(values)
	return which
}

// betweenRivals reports whether the tokens from i to before j part two values of which one is meant. Beside days and times other
// words for days and times may stand there: "Tuesday at 10 or Wednesday".
func (r *reading) betweenRivals(k *Kind, i, j int) bool {
	for t := i; t < j; t++ {
		token := r.tokens[t]
		if r.isParting(t) && (k.days || r.partsNumbers(t)) {
			continue
		}
		switch {
		case !k.days:
			return false
		case token.sort == mark, token.sort == digits, r.isValueTerm(t), r.isGlued(t) && r.language.endings[token.fold], r.surrounds(t):
		case token.sort == letters && r.language.class(token.fold) != content && r.language.class(token.fold) != negation && !r.takesBackAt(t):
		default:
			return false
		}
	}
	return i < j
}

// partsNumbers reports whether what parts two values is no part of a number: "1/2", "1,3", "three hundred and one".
func (r *reading) partsNumbers(t int) bool {
	switch token := r.tokens[t]; {
	case token.sign == '/':
		return false
	case token.sort == mark:
		return !r.isGlued(t) || !r.isGlued(t+1)
	case r.language.is(token.fold, ands):
		return slices.ContainsFunc(r.tokens[:t], r.opensPair)
	}
	return true
}

// opensPair reports whether a token is a word before two values: "between 50 and 60".
func (r *reading) opensPair(t token) bool {
	return t.sort == letters && slices.Contains(foldedWords(r.language.Ranges.Between), t.fold)
}

// parts reports whether the tokens from i to before j are only such as part two values: "or", "to", a comma.
func (r *reading) parts(i, j int) bool {
	for t := i; t < j; t++ {
		if !r.isParting(t) && !(r.tokens[t].sort == letters && r.language.is(r.tokens[t].fold, joint|owner)) {
			return false
		}
	}
	return i < j
}

// isParting reports whether a token parts two values of one kind.
func (r *reading) isParting(t int) bool {
	token := r.tokens[t]
	if token.sort == mark {
		return token.sign == ',' || token.sign == '/' || isMinus(token.sign) || token.sign == ';'
	}
	return r.language.is(token.fold, ands) || token.fold == strings.TrimSpace(r.language.Or) || r.is(t, "to", "until", "till", "through")
}

// surrounds reports whether a word at a token is one of a saying around values, or of a doubt: "or perhaps".
func (r *reading) surrounds(t int) bool {
	k, ok := r.spokenIndex(t)
	if !ok {
		return false
	}
	m, n := r.language.moods.at(r.line, k)
	return m == doubts && n > 0 || r.filling(k) > 0 && !r.takesBackAt(t) && r.language.class(r.wordAt(k)) != negation
}

// takesBackAt reports whether a word at a token puts right what stands before it: "wait", "sorry".
func (r *reading) takesBackAt(t int) bool {
	does, _ := r.language.openers.at(r.line, r.spokenAt(t))
	m, _ := r.language.moods.at(r.line, r.spokenAt(t))
	return does == turning || m == saysNo || m == weakNo || m == bars
}

// noDay is an answer that says about when and no day: "in December", "in the morning".
func (r *reading) noDay(Slot) (Value, bool) {
	return r.about(WhichDay, func(t int) bool {
		span := r.language.spans[r.word(t)]
		return r.isDayWord(t) || r.isPartWord(t) || span.days+span.months > 0
	})
}

// noHour is an answer that says about when and no time of day: "in the morning".
func (r *reading) noHour(Slot) (Value, bool) { return r.about(WhichTime, r.isPartWord) }

// about asks what is meant by words for days or times that are no value, where little else is said.
func (r *reading) about(which Key, is func(int) bool) (Value, bool) {
	const little = 0.7
	i, j := -1, 0
	for _, t := range r.says {
		if is(t) {
			if i < 0 {
				i = t
			}
			j = t + 1
		}
	}
	if i < 0 {
		return Value{}, false
	}
	if r.denied(i) || r.deniedBehind(j) > 0 {
		return Value{}, false
	}
	if r.isContent(i-1) || r.isDayPart(i) && !r.parted(r.spokenAt(i)) { // "mid December", "am Morgen": without its word it would be tomorrow
		i = r.says[r.spokenAt(i)-1]
	}
	if score, ok := r.around(i, j); !ok || score < little {
		return Value{}, false
	}
	return r.refusal(because(which, Args{"said": r.said(i, j)}), i, j).Value, true
}

// isPartWord reports whether a part of the day stands at a token that is no greeting.
func (r *reading) isPartWord(t int) bool {
	if r.isDayPart(t) {
		return true
	}
	_, part := r.language.parts[r.word(t)]
	return part && !(r.language.class(r.folded(t)) == filler && r.greets(t))
}

// isDayPart reports whether a word that is a day, too, stands at a token as a part of one: "am Morgen", "Freitag Morgen", but not "geht das morgen".
func (r *reading) isDayPart(t int) bool {
	k, ok := r.spokenIndex(t)
	if !ok || k == 0 || !r.language.is(r.folded(t), dayPart) || r.parted(k) {
		return false
	}
	before := r.says[k-1]
	_, weekday := r.language.weekdays[r.word(before)]
	return weekday || r.is(before, "the", "this") && !r.language.is(r.folded(before), pronoun) || r.language.is(r.folded(before), changer|greeting)
}

// Proposes reports whether an utterance asks whether something suits: "10?", "is Friday ok?".
//
// So does one that asks what is: "is that Friday?", "did I say Friday?". "How about Friday?" and "can we make it Friday?" ask for it.
func (l Locale) Proposes(text string) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	if r.cut || !r.asks(i) || r.language.is(r.wordAt(i), askword) {
		return false
	}
	for k := i; k+1 < len(r.says); k++ {
		if r.language.is(r.wordAt(k), asking) && r.language.is(r.wordAt(k+1), pronoun) {
			return !r.language.is(r.wordAt(k), modal) // "did I say Friday"
		}
	}
	return strings.ContainsAny(text, "?¿？")
}

// Inquires reports whether an utterance asks with a word of questions: "how much are 3 bikes".
func (l Locale) Inquires(text string) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	return !r.cut && i < len(r.says) && r.language.is(r.wordAt(i), askword) && r.filling(i) == 0 && r.asks(i)
}

// Either reports whether an utterance is only the word between two values of which one is meant: "or".
func (l Locale) Either(text string) bool {
	r := l.reading(text, epoch)
	return len(r.says) == 1 && r.isOr(0)
}

// isSpan reports whether "10 to 12", whose first number stands at a token and "to" at another one, may be the time from one
// hour to another: both are hours in digits, or "from" stands before them.
func (r *reading) isSpan(i, to int) bool {
	if r.word(to) == "before" || to != i+1 {
		return false
	}
	first, _, digits := r.small(i)
	last, _, both := r.small(to + 1)
	return r.is(i-1, "from", "between") || digits && both && first <= 24 && last <= 24
}

// isPointed reports whether digits at a token are an ordinal with its point, in languages that write ordinals so: "3.".
func (r *reading) isPointed(i int) bool {
	v := r.language.Values
	return v.DayFirst && !v.Cardinals && i < len(r.tokens) && r.tokens[i].sort == digits && len(r.tokens[i].fold) <= 2 && r.sign(i+1) == '.' && r.isGlued(i+1) &&
		!(r.isGlued(i+2) && r.tokens[i+2].sort == digits)
}
