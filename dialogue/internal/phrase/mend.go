package phrase

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// Values are read with words as they are meant: one that is nearly a word of a number, a date, a time or a currency, and
// no word of its own, is taken for it: a day with two letters swapped, a number with one left out.

// mend finds what the words of an utterance mean in values. But is what else they may be.
func (r *reading) mend(but func(word string) bool) {
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.sort != letters || !misspellable(t.fold) || r.language.known[t.fold] || but != nil && but(t.fold) {
			continue
		}
		if word, ok := r.language.nearestValueWord(t.fold); ok {
			t.means = word
		}
	}
}

// findValueWords collects the words that values are said with.
func (l *language) findValueWords() {
	l.days.mended, l.feasts.mended = true, true
	words := map[string]bool{"quarter": true, "half": true, "hundred": true, "dozen": true, "midnight": true, "midday": true}
	for _, add := range []iter.Seq[string]{
		maps.Keys(l.units), maps.Keys(l.scales), maps.Keys(l.ordinals), maps.Keys(l.lateOrdinals), maps.Keys(l.currencies), maps.Keys(l.months),
		maps.Keys(l.weekdays), maps.Keys(l.spans), maps.Keys(l.parts), maps.Keys(l.days.of), maps.Keys(l.feasts.of),
	} {
		for saying := range add {
			for w := range strings.FieldsSeq(saying) {
				words[w] = true
			}
		}
	}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		l.known[w] = true
		if misspellable(w) {
			l.valueWords = append(l.valueWords, vocable{w, shape(w)})
		}
	}
}

// nearestValueWord is the one word of values that a word is the smallest slip for.
func (l *language) nearestValueWord(said string) (string, bool) {
	best, found, twice := 3, "", false
	form := shape(said)
	for _, w := range l.valueWords {
		if w.text[0] != said[0] {
			continue // "sonday" is no Monday
		}
		d, ok := slipped(said, form, w.text, w.shape)
		if !ok || d > best {
			continue
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
