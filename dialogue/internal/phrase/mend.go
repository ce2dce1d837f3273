package phrase

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// Values are read with words as they are meant: one that is nearly a word of a number, a date, a time or a currency, and
// no word of its own, is taken for it: a day with two letters swapped, a number with one left out.

// Their grammar is written with English words: other languages say which of theirs stand for those, and numbers that they
// write as one word are read as digits.

// mend finds what the words of an utterance mean in values. But is what else they may be.
func (r *reading) mend(but func(word string) bool) {
	l := r.language
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.sort != letters || but != nil && but(t.fold) {
			continue
		}
		if l.isValueWord(t.fold) || !l.known[t.fold] && l.respelled(t) {
			l.mean(t)
			continue
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
	l.days.mended, l.feasts.mended = true, true
	words := map[string]bool{}
	if l.meant == nil {
		words = set(fixedTerms)
	}
	for _, add := range []iter.Seq[string]{
		maps.Keys(l.Values.Units), maps.Keys(l.scales), maps.Keys(l.currencies), maps.Keys(l.months),
		maps.Keys(l.weekdays), maps.Keys(l.spans), maps.Keys(l.parts), maps.Keys(l.days.of), maps.Keys(l.feasts.of),
	} {
		for saying := range add {
			for w := range strings.FieldsSeq(saying) {
				words[w] = true
			}
		}
	}
	for w := range l.meant {
		words[w] = true
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
	l.valueWords, l.ordinalWords, l.politeWords = l.vocables(words), l.vocables(ordinals), l.vocables(l.polite)
}

// vocables are the words of a set that may be misspelt, and all of them known.
func (l *language) vocables(words map[string]bool) []vocable {
	var all []vocable
	for _, w := range slices.Sorted(maps.Keys(words)) {
		l.known[w] = true
		if misspellable(w) {
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

// word is the word at a token as values are read with it, or "" where none is.
func (r *reading) word(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.tokens[i].means
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
