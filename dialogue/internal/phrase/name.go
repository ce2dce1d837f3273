package phrase

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plainness says how plainly a text is what a person or a firm is called.
type Plainness int

// How plainly a text is a name.
const (
	NoName   Plainness = iota // a sentence, or words that everybody uses: "let me look it up", "him"
	MayBe                     // words that may be a name: "the landlord", "ill" of "I am ill"
	SurelyIs                  // "Ada", "de Gaulle", "my mother", "Blue Sky Travel"
)

// Names are the words by which names are known. A name that has none of them is made of words that the language does not know, or
// of words that all begin with a capital letter.
type Names struct {
	Particles string // inside names: "de", "van"
	Titles    string // before them: "Mrs"
	Given     string // names that are other words as well, or stand in Common: "mark"
	Others    string // words that are none, and are no others' slips: "nobody", "complicated"
	Selves    string // sayings about a person, behind which anything may stand: "I am"
}

// Name says how plainly a text that was said in a message is a name.
//
// Behind "I am" an unknown word may be anything, unless it begins with a capital letter: "I am ill".
func (l Locale) Name(message, text string) Plainness {
	if one, other, both := strings.Cut(text, ","); both { // "Ada Lovelace, Countess"
		return min(l.Name(message, strings.TrimSpace(one)), l.Name(message, strings.TrimSpace(other)))
	}
	r := l.reading(strings.Trim(text, " .!"), epoch)
	const most = 7 // words
	if r.cut || len(r.says) == 0 || len(r.says) > most {
		return NoName
	}
	for t, token := range r.tokens {
		if token.sort == mark && !strings.ContainsRune(".-–'’&/", token.sign) || token.sort == digits && t == 0 {
			return NoName
		}
	}
	if k := r.whose(); k > 0 {
		return r.kin(k)
	}
	return min(r.wordsOfName(), l.presented(message, text))
}

// presented says how plain a name can be behind the words of a message before it.
func (l Locale) presented(message, text string) Plainness {
	before, _, ok := strings.Cut(message, text)
	first, _ := utf8.DecodeRuneInString(text)
	if !ok || unicode.IsUpper(first) || unicode.IsTitle(first) {
		return SurelyIs
	}
	r := l.reading(before, epoch)
	for k := range r.says {
		if _, n := r.language.presents.at(r.line, k); n > 0 && k+n == len(r.says) {
			return MayBe
		}
	}
	return SurelyIs
}

// whose is how many spoken words at the beginning say whose or which: "my", "the".
func (r *reading) whose() int {
	k := 0
	for k < len(r.says) && r.language.is(r.wordAt(k), owner) {
		k++
	}
	return k
}

// kin says how plainly words behind "my" or "the", from the k-th on, call somebody: "my mother", "the landlord".
func (r *reading) kin(k int) Plainness {
	const most = 2 // words
	if left := len(r.says) - k; left == 0 || left > most {
		return NoName
	}
	for ; k < len(r.says); k++ {
		if w := r.wordAt(k); r.language.class(w) != content || r.language.is(w, noName|askword|pronoun|stops|canceller) || r.isValueTerm(r.says[k]) {
			return NoName
		}
	}
	if r.is(r.says[0], "the") {
		return MayBe
	}
	return SurelyIs
}

// wordsOfName says how plainly all words are those of a name.
func (r *reading) wordsOfName() Plainness {
	free, capital, mixed, others := 0, 0, false, 0
	for k := range r.says {
		w, last := r.wordAt(k), k == len(r.says)-1
		upper := r.isUpper(k)
		class := r.language.class(w)
		switch {
		case !last && r.language.is(w, particle|title), r.initial(k), r.tokens[r.says[k]].sort == digits:
			continue
		case upper && len(r.says) > 1 && !r.language.is(w, pronoun): // "Will Young", "Stop & Shop"
			if r.language.is(w, stops|canceller) || class != content {
				others++
			}
		case r.language.is(w, stops|canceller|askword|noName|pronoun|polite), class != content && len(w) > 1:
			return NoName
		case !upper && len(w) > 1 && (r.isOrdinary(k) || r.saysMood(k)):
			if k != 1 || !last || !r.language.is(r.wordAt(0), title|given) && r.isOrdinary(0) { // "lisa green", "mr brown"
				return NoName
			}
		}
		if free++; upper {
			capital++
			mixed = mixed || capital < free // "the guest is Ada"
		}
	}
	switch all := capital == free && len(r.says) > 1; {
	case free == others, others > 0 && (!all || strings.IndexFunc(r.text, unicode.IsLower) < 0):
		return NoName
	case mixed:
		return MayBe
	case all, capital == 0, !r.anyOrdinary():
		return SurelyIs
	}
	return MayBe
}

// saysMood reports whether a spoken word begins a yes, a no or the like.
func (r *reading) saysMood(k int) bool {
	m, n := r.language.moods.at(r.line, k)
	return n > 0 && m != turns
}

// isUpper reports whether a spoken word begins with a capital letter.
func (r *reading) isUpper(k int) bool {
	first, _ := utf8.DecodeRuneInString(r.text[r.tokens[r.says[k]].start:])
	return unicode.IsUpper(first) || unicode.IsTitle(first)
}

// Initial reports whether a text begins with the first letter of a name: "A. Dupont".
func (l Locale) Initial(text string) bool {
	r := l.reading(text, epoch)
	return len(r.says) > 0 && r.initial(0)
}

// initial reports whether a spoken word is the first letter of a name: "A."
func (r *reading) initial(k int) bool {
	first, size := utf8.DecodeRuneInString(r.text[r.tokens[r.says[k]].start:])
	return r.tokens[r.says[k]].end-r.tokens[r.says[k]].start == size && unicode.IsUpper(first) && r.sign(r.says[k]+1) == '.'
}

// isOrdinary reports whether a spoken word is one that everybody uses.
func (r *reading) isOrdinary(k int) bool {
	w, t := r.wordAt(k), r.says[k]
	term := cmp.Or(r.language.meant[w], w)
	return !r.language.is(w, given) && (r.language.known[w] || r.isValueTerm(t) && r.word(t) == term) // "Stevan" is no slip for seven
}

func (r *reading) anyOrdinary() bool {
	for k := range r.says {
		if w := r.wordAt(k); r.isOrdinary(k) && !r.language.is(w, particle|title) {
			return true
		}
	}
	return false
}
