package phrase

import "slices"

// Boolean is the kind of truth values: bool.
var Boolean = &Kind{name: "boolean", scan: always((*reading).booleanAt), answer: (*reading).booleanAnswer}

// booleanAt reads true, false, yes, no, on and off.
func (r *reading) booleanAt(i int) (found, bool) {
	if !r.language.is(r.word(i), truth|falsehood) || r.denied(i) {
		return found{}, false
	}
	return r.value(r.language.is(r.word(i), truth), i, i+1, 1), true
}

// Wanted tells whether an utterance wants what a slot is called by, or goes without it.
//
// "A helmet, please" wants it, and "no helmet" does not. It reports false where anything else is said: "I have a helmet", "not without a helmet".
// Where it was asked for, "it's urgent" and "not very urgent" say it too.
func (l Locale) Wanted(slot Slot, asked bool, text string) (wanted, ok bool) {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	if i >= len(r.says) || r.unsure() || r.asks(i) {
		return false, false
	}
	wanted = true
	for k := i; k < len(r.says); {
		word := r.wordAt(k)
		if n := r.namedAt(slot, k); n > 0 {
			k, ok = k+n, true
			continue
		}
		is := asked && (r.language.is(word, copula|pronoun) && !r.language.is(word, owner|askword) || r.isAround(k))
		article := r.filling(k) == 1 && r.language.class(word) == function
		if n := r.wanting(k); n > 0 && !ok && wanted { // "I need"
			k, asked = k+n, false
			continue
		}
		switch {
		case r.language.is(word, without|lacking) && wanted && !ok, asked && !ok && r.language.class(word) == negation && !r.language.is(word, lacking):
			wanted = false
		case !is && !article && !r.language.is(word, polite|joint):
			return false, false
		}
		k++
	}
	return wanted, ok
}

// isAround reports whether a spoken word means nothing beside a yes or a no: "very".
func (r *reading) isAround(k int) bool {
	m, n := r.mood(k)
	return m == around && n == 1
}

// Accompanied finds words that take the thing that a slot is called by, or go without it.
//
// "With a helmet" is a yes, and "without a helmet" a no. Neither is one in a question. Nothing is denied or doubted beside a yes, and
// its thing is no part of another one: "with a helmet camera".
func (l Locale) Accompanied(slot Slot, text string) (Value, bool) {
	r := l.reading(text, epoch)
	if l.Question(text) && !l.Requested(text) || r.unsure() {
		return Value{}, false
	}
	for k := range r.says {
		has := r.language.is(r.wordAt(k), having)
		if !has && !r.language.is(r.wordAt(k), without|lacking) || r.denied(r.says[k]) || has && (l.Negated(text) || l.Amiss(text)) {
			continue
		}
		at := k + 1
		for at < len(r.says) && (r.filling(at) == 1 && r.language.class(r.wordAt(at)) == function || r.language.is(r.wordAt(at), joint)) {
			at++
		}
		n := r.namedAt(slot, at)
		if next := at + n; n > 0 && !(has && next < len(r.says) && !r.parted(next) && r.language.class(r.wordAt(next)) == content && r.valueRun(next) == 0) {
			return r.value(has, r.says[k], r.says[next-1]+1, 1).Value, true
		}
	}
	return Value{}, false
}

// namedAt is how many spoken words from the k-th on are one of the names of a slot.
func (r *reading) namedAt(slot Slot, k int) int {
	for _, name := range slot.Names {
		words := foldedWords(name)
		if n := len(words); n > 0 && k+n <= len(r.says) && slices.EqualFunc(words, r.says[k:k+n], func(w string, t int) bool { return r.alike(r.tokens[t].fold, w) }) {
			return n
		}
	}
	return 0
}

// contrary reports whether words for both truth values are said: "no yes".
func (r *reading) contrary() bool {
	says := func(of role) bool {
		return slices.ContainsFunc(r.says, func(t int) bool { return r.language.is(r.word(t), of) })
	}
	return says(truth) && says(falsehood)
}

func (r *reading) booleanAnswer(Slot) (Value, bool) {
	yes, no, rest, score := r.assent()
	if yes != no && rest == "" {
		return r.value(yes, 0, len(r.tokens), score).Value, true
	}
	if yes || no || len(r.says) == 0 {
		return Value{}, false
	}
	values := r.all((*reading).booleanAt)
	if len(values) != 1 || r.contrary() {
		return Value{}, false
	}
	v := values[0]
	around, ok := r.around(v.i, v.j)
	if !ok || around < 1 || r.unsure() {
		return Value{}, false
	}
	return v.Value, true
}
