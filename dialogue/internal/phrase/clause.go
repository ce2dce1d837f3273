package phrase

import "strings"

// Clauses are the words by which a part of a message says whose value it holds, or how sure it is.
//
// One struct: each field is a list of sayings.
type Clauses struct {
	Names  string // before a name, also where nobody asked for one: "my name is", "I'm called"
	Wants  string // before what is wanted: "I need"
	Hedges string // beside a value that may not be meant: "maybe"
	Alls   string // words for all that was shown: "everything"
	Except string // before what is not right of it: "except"
	Alone  string // answers to how many people there are that say one: "just me"
	Nobody string // that say none: "nobody"
	People string // in names of how many people there are: "guests"
	Onward string // at a question that may be left out: "that's all", "next"
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

// Excepted returns what an utterance excepts from all that is right.
//
// It is "the time" of "everything is correct except the time" and of "yes, but not the time".
func (l Locale) Excepted(text string) (what string, ok bool) {
	r := l.reading(text, epoch)
	if r.unsure() {
		return "", false
	}
	for k, all := 0, false; k < len(r.says); {
		if _, n := r.language.excepts.at(r.line, k); all && n > 0 && k+n < len(r.says) {
			return r.restFrom(k + n), true
		}
		word := r.wordAt(k)
		m, n := r.mood(k)
		_, every := r.language.alls.at(r.line, k)
		switch {
		case every > 0, m == saysYes, m == pleased:
			all = true
		case m == around, n == 0 && r.language.class(word) != content && r.language.class(word) != negation:
		default:
			return "", false
		}
		k += max(n, every, 1)
	}
	return "", false
}

// Onward reports whether an utterance says no more than that there is nothing to add.
//
// "That's all, thanks" and "next" do.
func (l Locale) Onward(text string) (onward bool) {
	r := l.reading(text, epoch)
	for k := 0; k < len(r.says); {
		_, n := r.language.onwards.at(r.line, k)
		if onward = onward || n > 0; n == 0 {
			m, long := r.mood(k)
			if m != saysNo && m != around && !r.language.is(r.wordAt(k), polite) {
				return false
			}
			n = max(long, 1)
		}
		k += n
	}
	return onward && !r.unsure()
}

// BareCode returns what is written down, without the words before it that only say what it is.
//
// It is "12345678" of "the number is 12345678".
func (l Locale) BareCode(slot Slot, text string) (code string, ok bool) {
	r := l.reading(text, epoch)
	called := false
	for k, t := range r.says {
		word := r.wordAt(k)
		switch {
		case r.tokens[t].sort == digits || strings.ContainsAny(word, "0123456789"):
			if !called || r.cut {
				return "", false
			}
			start, _ := r.wide(t, t+1)
			return strings.Trim(r.text[start:], " .,;!"), true
		case r.isCalledCode(word) || r.calls(slot, word), r.language.is(word, copula):
			called = true
		case r.language.class(word) == negation || r.language.class(word) == content && !r.language.is(word, polite|owner|pronoun):
			return "", false
		}
	}
	return "", false
}
