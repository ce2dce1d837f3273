package phrase

import "slices"

// Beyond returns the words of an utterance that mean something of their own; "" for none.
//
// Politeness, words that every sentence has, a no, words that turn to something else ("but") and the given names mean nothing
// beside a no. A number, a day and an unknown word do, and so does a command such as "the other one" or "forget it".
func (l Locale) Beyond(names []string, text string) string {
	r := l.reading(text, epoch)
	if said, ok := l.Common(text); r.cut || ok && said.Command != Chitchat && said.Command != Repeat && said.Command != Correct && said.Command != Wrong {
		return text
	}
	var over []int
	for k := 0; k < len(r.says); {
		n := r.saysNothing(k)
		if subject, long := r.language.carriers.at(r.line, k); subject && long == n { // it may be what is said
			n = 0
		}
		if n == 0 && !slices.ContainsFunc(names, func(name string) bool {
			return slices.ContainsFunc(foldedWords(name), func(w string) bool { return r.alike(r.wordAt(k), w) })
		}) {
			over = append(over, r.says[k])
		}
		k += max(n, 1)
	}
	return r.quoted(over)
}

// saysNothing is how many spoken words from the k-th on mean nothing beside a no; 0 for a word that does.
func (r *reading) saysNothing(k int) int {
	if m, n := r.mood(k); n > 0 && m != saysYes && m != doubts && !(m == around && k > 0 && r.language.is(r.wordAt(k-1), owner)) { // "my friend" is nobody who is spoken to
		return n
	}
	if m, n := r.language.moods.at(r.line, k); m == turns {
		return n
	}
	if _, n := r.language.kept.at(r.line, k); n > 0 {
		return n
	}
	if n := max(r.filling(k), r.carrying(Slot{}, k)); n > 0 && !r.changes(k, n) {
		return n
	}
	t, word := r.says[k], r.wordAt(k)
	if _, place := r.language.Values.Ordinals[word]; place || r.tokens[t].sort == digits || r.saysDay(t) || r.isValueWord(t) {
		return 0
	}
	if r.language.class(word) != content || r.language.is(word, polite|owner|pronoun|link) {
		return 1
	}
	return 0
}

// Turns reports whether an utterance has a word that turns to something else: "but", "rather".
func (l Locale) Turns(text string) bool {
	r := l.reading(text, epoch)
	for k := range r.says {
		if m, _ := r.language.moods.at(r.line, k); m == turns {
			return true
		}
	}
	return false
}
