package phrase

import (
	"slices"
	"strings"
)

// Evasions are the words of answers that give none: "I don't have the number here", "I lost it".
type Evasions struct {
	Near  string // of knowing, having and telling, beside a no: "find", "here"
	Gone  string // that say by themselves that nobody has it: "lost"
	Codes string // in names of what is written down, and in German at their end: "number", "code"
}

// Evasion is how an answer in words gives none, or one that is in doubt. The zero value is none of it.
type Evasion uint8

// The evasions.
const (
	_         Evasion = iota
	Evades            // "I don't have it here": it says no more
	Hesitates         // "maybe AB1234": a doubt stands before a value
	Rejects           // "not AB1234": a denial does
)

// Evasion tells how an answer begins with a denial or a doubt, and what it says behind that.
//
// Of "maybe AB1234" the rest is "AB1234". Of a denial it is what stands in place of what is denied: "AB1235" of "not AB1234, AB1235",
// and "" where nothing does.
func (l Locale) Evasion(slot Slot, text string) (does Evasion, rest string) {
	r := l.reading(text, epoch)
	coded := l.AsksCode(slot)
	k, denies, doubts := r.evading(slot, coded)
	if !denies && !doubts && coded && (r.turnsLater() || r.tellsOf()) {
		return Hesitates, strings.TrimSpace(text)
	}
	switch {
	case r.cut || r.inQuotes() || !denies && !doubts:
		return 0, ""
	case k >= len(r.says):
		return Evades, ""
	case !denies:
		start, _ := r.wide(r.says[k], r.says[k]+1)
		return Hesitates, l.BareName(strings.TrimSpace(text[start:]))
	}
	for j := len(r.says) - 1; j > k; j-- {
		if m, n := r.language.moods.at(r.line, j); r.parted(j) || m == turns && j+n < len(r.says) {
			start, _ := r.wide(r.says[j], r.says[j]+1)
			rest, _ = l.Opened(text[start:])
			if m == turns {
				start, _ = r.wide(r.says[j+n], r.says[j+n]+1)
				rest = text[start:]
			}
			if again, behind := l.Evasion(slot, rest); again != 0 {
				rest = behind
			}
			break
		}
	}
	return Rejects, strings.Trim(rest, " .,;!")
}

// turnsLater reports whether a denial begins a later clause: "Rose Street 5, not 7".
func (r *reading) turnsLater() bool {
	for k := range r.says {
		if k > 0 && r.parted(k) && r.language.class(r.wordAt(k)) == negation {
			return true
		}
	}
	return false
}

// tellsOf reports whether an answer without a digit is a sentence that tells something else: "my wife has it".
func (r *reading) tellsOf() bool {
	const least = 3 // words
	if len(r.says) < least || r.language.class(r.wordAt(0)) == content || slices.ContainsFunc(r.says, func(t int) bool { return r.tokens[t].sort == digits }) {
		return false
	}
	for k := range r.says {
		if word := r.wordAt(k); k == 0 && r.language.is(word, pronoun) || r.language.class(word) == negation || r.language.is(word, gone|done) || k > 0 && r.language.is(word, asking|askword) {
			return true
		}
	}
	return false
}

// evading is the first spoken word that says something beside a denial or a doubt before it.
func (r *reading) evading(slot Slot, coded bool) (k int, denies, doubting bool) {
	of, lost := r.language, false
	for k < len(r.says) {
		word := r.wordAt(k)
		m, n := of.moods.at(r.line, k)
		switch {
		case r.tokens[r.says[k]].sort == digits:
			return k, denies, doubting
		case m == doubts:
			doubting = true
		case m == saysNo || m == weakNo || m == bars || of.class(word) == negation:
			if n <= 1 && of.is(word, without) && k+1 < len(r.says) && r.tokens[r.says[k+1]].sort == digits && !r.commaBefore(k+1) {
				return k, denies, doubting // "No. 10"
			}
			denies = true
		case coded && (of.is(word, gone) || r.none(k)):
			lost = true
		case of.class(word) != content || of.is(word, polite|owner|pronoun|copula|about):
		case m == around:
		case coded && r.isCalledCode(word) || r.calls(slot, word):
		default:
			return k, denies, doubting
		}
		k += max(n, 1)
	}
	return k, denies || lost, doubting
}

// calls reports whether a word is one of those that a slot is called by. A name with a denial is none of them.
func (r *reading) calls(slot Slot, word string) bool {
	return slices.ContainsFunc(slot.Names, func(name string) bool {
		words := foldedWords(name)
		return !slices.ContainsFunc(words, func(w string) bool { return r.language.class(w) == negation }) &&
			slices.ContainsFunc(words, func(w string) bool { return r.alike(w, word) || "d"+w == word || "l"+w == word })
	})
}

// none reports whether a word for none of some things is the k-th spoken word: "there is none".
func (r *reading) none(k int) bool {
	why, n := r.language.skips.at(r.line, k)
	return n > 0 && why == NoneTaken
}

// commaBefore reports whether a comma stands before a spoken word.
func (r *reading) commaBefore(k int) bool {
	for t := r.says[k-1] + 1; t < r.says[k]; t++ {
		if r.tokens[t].sign == ',' {
			return true
		}
	}
	return false
}

// isCalledCode reports whether a word is one for what is written down, or ends with one: "Paketnummer".
func (r *reading) isCalledCode(word string) bool {
	const least = 5 // letters, of an end
	return slices.ContainsFunc(strings.Fields(r.language.Evasions.Codes), func(code string) bool {
		return word == code || len(code) >= least && strings.HasSuffix(word, code)
	})
}

// AsksCode reports whether a slot is called as what is written down: a number, a code, an address.
func (l Locale) AsksCode(slot Slot) bool {
	r := l.reading("", epoch)
	return slices.ContainsFunc(slot.Names, func(name string) bool {
		for i, w := range foldedWords(name) {
			if i > 0 && r.language.class(w) == function { // "note for the address"
				return false
			}
			if r.isCalledCode(w) || r.language.is(w, site) {
				return true
			}
		}
		return false
	})
}

// Open reports whether an utterance leaves open what is meant: "ibuprofen or aspirin", "maybe".
func (l Locale) Open(text string) bool {
	r := l.reading(text, epoch)
	for k := range r.says {
		if m, _ := r.language.moods.at(r.line, k); k > 0 && r.isOr(k) || m == doubts {
			return true
		}
	}
	return r.cut
}

// Orders reports whether a denial says what is not to be done: "don't ring". It may be a text.
func (l Locale) Orders(names []string, text string) bool {
	r := l.reading(text, epoch)
	said := false
	for k := 0; k < len(r.says); {
		word := r.wordAt(k)
		m, n := r.language.moods.at(r.line, k)
		if m == saysYes && k > 0 && !r.parted(k) { // "book it" of "don't book it"
			m, n = 0, 1
		}
		if m == 0 && r.language.class(word) == content && !r.language.is(word, polite|owner|pronoun|about) {
			if said = true; slices.ContainsFunc(names, func(name string) bool {
				return slices.ContainsFunc(foldedWords(name), func(w string) bool { return r.alike(w, word) })
			}) {
				return false
			}
		}
		k += max(n, 1)
	}
	return said && l.Act(text) == Denies && !r.parted(1)
}

// Declines reports whether an utterance has a sentence that denies something.
//
// "It is not needed" and "I'm not home" do.
func (l Locale) Declines(text string) bool {
	r := l.reading(text, epoch)
	const near = 2 // words
	for k := range r.says {
		if word := r.wordAt(k); r.language.class(word) != negation || r.language.is(word, without) {
			continue
		}
		if m, _ := r.mood(k); m == saysNo && !r.language.is(r.wordAt(k), asking) && k == 0 {
			continue
		}
		if r.language.is(r.wordAt(k), asking) { // "isn't"
			return true
		}
		for j := max(0, k-near); j < k; j++ {
			if r.language.is(r.wordAt(j), asking|copula) && !r.parted(j+1) {
				return true
			}
		}
	}
	return false
}
