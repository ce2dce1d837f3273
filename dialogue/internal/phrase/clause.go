package phrase

import "strings"

// Clauses are the words by which a part of a message says whose value it holds, or how sure it is.
//
// One struct: each field is a list of sayings.
type Clauses struct {
	Names  string // before a name, also where nobody asked for one: "my name is", "I'm called"
	Wants  string // before what is wanted: "I need"
	Hedges string // beside a value that may not be meant: "maybe"
}

// Introduced returns the name that a part of an utterance introduces, whatever was asked.
//
// It is "Ada" of "I'm called Ada", "under the name Ada" and "name Ada". Behind "I am" it begins with a capital letter.
func (l Locale) Introduced(text string) (name string, ok bool) {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	if r.cut || i >= len(r.says) {
		return "", false
	}
	_, n := r.language.introduces.at(r.line, i)
	if first := r.wordAt(i); n == 0 && !r.language.is(first, owner|pronoun) && r.language.class(first) != filler { // "ich möchte den Namen ändern"
		n = r.under(i, len(r.says), nil)
	}
	if n == 0 && len(r.says) > i+1 && r.language.is(r.wordAt(i), asksName) && !r.parted(i+1) { // "Name Ada"
		n = 1
	}
	at := i + n
	if n == 0 {
		_, n = r.language.selves.at(r.line, i)
		if at = i + n; n == 0 || at >= len(r.says) || !r.isUpper(at) {
			return "", false
		}
	}
	if at >= len(r.says) || r.parted(at) {
		return "", false
	}
	return strings.Trim(r.toVerb(at), " .,;!"), true
}

// wanting is how many spoken words from the k-th on say that something is wanted: "I need a".
func (r *reading) wanting(k int) int {
	_, n := r.language.wants.at(r.line, k)
	return n
}

// Hedged reports whether an utterance says that what it holds may not be meant: "maybe Friday".
func (l Locale) Hedged(text string) bool {
	r := l.reading(text, epoch)
	for k := range r.says {
		if _, n := r.language.hedges.at(r.line, k); n > 0 {
			return true
		}
	}
	return false
}
