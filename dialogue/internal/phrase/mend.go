package phrase

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Values are read with words as they are meant: one that is nearly a word of a number, a date, a time or a currency, and
// no word of its own, is taken for it: a day with two letters swapped, a number with one left out.

// Their grammar is written with English words: other languages say which of theirs stand for those, and numbers that they
// write as one word are read as digits.

// mend finds what the words of an utterance mean in values. But is what else they may be.
func (r *reading) mend(but func(word string) bool) {
	l := r.language
	r.partDays(but)
	r.compound(but)
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.sort != letters || but != nil && but(t.fold) {
			continue
		}
		if l.isValueWord(t.fold) || !l.known[t.fold] && l.respelled(t) {
			l.mean(t)
			continue
		}
		if _, weekday := l.weekdays[t.fold]; weekday && l.meant != nil && l.class(t.fold) != content {
			t.means = "" // "mon" is no Monday in French
		}
		if !misspellable(t.fold) || l.known[t.fold] {
			continue
		}
		if word, ok := nearestWord(l.politeWords, t.fold); ok {
			t.fold, t.right, t.means = word, word, word
		} else if word, ok := nearestWord(l.valueWords, t.fold); ok {
			t.right = word
			l.mean(t)
		} else if word, ok := nearestWord(l.ordinalWords, t.fold); ok { // "tenty" is rather twenty than tenth
			t.right = word
			l.mean(t)
		}
	}
}

// partDays makes two tokens of a weekday and a part of it that the language writes as one word: "Freitagabend".
func (r *reading) partDays(but func(word string) bool) {
	of := r.language.Values.PartsOfDays
	for i := 0; of != "" && i < len(r.tokens); i++ {
		t := r.tokens[i]
		day, _, _ := strings.Cut(t.fold, "tag")
		if day += "tag"; r.language.weekdays[r.language.meant[day]] == 0 && day != "sonntag" || but != nil && but(t.fold) {
			continue
		}
		for part := range strings.FieldsSeq(of) {
			if t.fold == day+part {
				second := token{start: t.start + len(day), end: t.end, sort: letters, fold: part, right: part, means: part}
				t.end, t.fold, t.right, t.means = second.start, day, day, day
				r.tokens[i] = t
				r.tokens = slices.Insert(r.tokens, i+1, second)
				r.findWords()
			}
		}
	}
}

// compound makes one token of each number that the language says in several words: "quatre-vingt-dix-sept" is 97.
func (r *reading) compound(but func(word string) bool) {
	read := r.language.Values.Compound
	if read == nil {
		return
	}
	alone := len(r.says) == 1
	for i := 0; i < len(r.tokens); i++ {
		n, words := read(func(k int) string {
			t, ok := r.wordOf(i, k)
			if !ok || but != nil && but(t.fold) {
				return ""
			}
			return t.fold
		})
		digit := i > 0 && r.language.meant[r.tokens[i-1].fold] == "point"
		if words == 0 || words == 1 && n == 1 && !alone && !digit || words == 1 && n == 1000 && i > 0 && r.tokens[i-1].sort == digits { // an article, "10 mille"
			continue
		}
		first, last := &r.tokens[i], i
		for ; words > 1; last++ {
			if r.tokens[last+1].sort != mark {
				words--
			}
		}
		said := strconv.Itoa(n)
		first.end, first.sort, first.fold, first.right, first.means, first.spelled = r.tokens[last].end, digits, said, said, said, true
		r.tokens = slices.Delete(r.tokens, i+1, last+1)
	}
	r.findWords()
}

// wordOf is the k-th word from a token on, where nothing but hyphens and blanks stand between.
func (r *reading) wordOf(i, k int) (token, bool) {
	for ; i < len(r.tokens); i++ {
		switch t := r.tokens[i]; {
		case t.sort == letters && k == 0:
			return t, true
		case t.sort == letters:
			k--
		case t.sort != mark || t.sign != '-' || !t.glued || !r.isGlued(i+1):
			return token{}, false
		}
	}
	return token{}, false
}

// isValueWord reports whether a language that is not the grammar's says something in values with a word.
func (l *language) isValueWord(word string) bool {
	if l.meant == nil {
		return false
	}
	_, ok := l.meant[word]
	if !ok && l.Values.Number != nil {
		_, ok = l.Values.Number(word)
	}
	return ok
}

// respelled tries the other way to write a word.
func (l *language) respelled(t *token) bool {
	if l.Values.Respell == nil {
		return false
	}
	word := l.Values.Respell(t.fold)
	if word == t.fold || !l.isValueWord(word) && !l.known[word] {
		return false
	}
	t.right = word
	return true
}

// mean is what a word that is rightly written means in values.
func (l *language) mean(t *token) {
	t.means = t.right
	if word, ok := l.meant[t.right]; ok {
		t.means = word
	} else if l.Values.Number != nil {
		if digitsOf, ok := l.Values.Number(t.right); ok {
			t.sort, t.means, t.fold, t.spelled = digits, digitsOf, digitsOf, true
		}
	}
}

// findValueWords collects the words that values are said with.
func (l *language) findValueWords() {
	words := map[string]bool{}
	if l.meant == nil {
		words = set(fixedTerms)
	}
	for _, add := range []iter.Seq[string]{
		maps.Keys(l.Values.Units), maps.Keys(l.scales), maps.Keys(set(fixedCoins)), maps.Keys(l.months),
		maps.Keys(l.weekdays), maps.Keys(l.spans), maps.Keys(l.parts), maps.Keys(l.days.of), maps.Keys(l.feasts.of),
	} {
		for saying := range add {
			for w := range strings.FieldsSeq(saying) {
				words[w] = true
			}
		}
	}
	for w, term := range l.meant {
		if term != "" {
			words[w] = true
		}
	}
	for _, w := range l.Values.NumberWords {
		words[w] = true
	}
	ordinals := make(map[string]bool)
	for _, of := range []map[string]int{l.Values.Ordinals, l.Values.DayOrdinals} {
		for w := range of {
			ordinals[w] = true
		}
	}
	for w := range l.scales { // "millionth" is no slip for "million"
		l.known[w+"th"], l.known[w+"ths"] = true, true
	}
	l.known["hundredth"], l.known["hundredths"] = true, true
	for w := range l.currencies {
		l.known[w] = true
	}
	maps.Copy(l.known, words)
	for w := range set(short) {
		words[w] = false
	}
	maps.Copy(l.known, ordinals)
	l.valueWords, l.ordinalWords = vocables(words), vocables(ordinals)
	l.politeWords, l.longYes = vocables(set(l.Answers.Polite)), vocables(set(l.Verdicts.Long))
}

// vocables are the words of a set that may be misspelt.
func vocables(words map[string]bool) []vocable {
	var all []vocable
	for _, w := range slices.Sorted(maps.Keys(words)) {
		if words[w] && misspellable(w) {
			all = append(all, vocable{w, shape(w)})
		}
	}
	return all
}

// nearestWord is the one word of some that a word is the smallest slip for.
func nearestWord(words []vocable, said string) (string, bool) {
	best, found, twice := 3, "", false
	form := shape(said)
	for _, w := range words {
		if w.text[0] != said[0] {
			continue // "sonday" is no Monday
		}
		d, ok := slipped(said, form, w.text, w.shape)
		if !ok || d > best {
			continue
		}
		if d == best && (w.text == found+"s" || found == w.text+"s") {
			continue // euro or euros: it is all one
		}
		twice = d == best
		best, found = d, w.text
	}
	return found, found != "" && !twice
}

// word is the word at a token as values are read with it, or "" where none is. It and those below are called in so many places that their
// copies would be 64 kB of the command.
//
//go:noinline
func (r *reading) word(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.tokens[i].means
}

// is reports whether one of some words stands at a token.
//
//go:noinline
func (r *reading) is(i int, words ...string) bool { return slices.Contains(words, r.word(i)) }

// past is the token behind one of some words, where one stands at a token, and that token otherwise.
//
//go:noinline
func (r *reading) past(i int, words ...string) int {
	if r.is(i, words...) {
		i++
	}
	return i
}

// at reports whether these words, and nothing between them but hyphens, stand at a token, and where they end.
func (r *reading) at(i int, words ...string) (int, bool) {
	for n, w := range words {
		if n > 0 && r.sign(i) == '-' {
			i++
		}
		if r.word(i) != w {
			return i, false
		}
		i++
	}
	return i, true
}
