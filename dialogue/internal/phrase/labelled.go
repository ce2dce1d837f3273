package phrase

import (
	"slices"
	"strings"
	"time"
)

// Labelled returns what an utterance gives a slot by its name.
//
// It is "0151" of "my phone number is 0151" and of "phone: 0151".
func (l Locale) Labelled(slot Slot, text string) (rest string, ok bool) {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	if r.cut || i >= len(r.says) {
		return "", false
	}
	n := r.called(i, len(r.says), slot.Names)
	for _, name := range slot.Names {
		n = max(n, r.marked(i, foldedWords(name)))
	}
	if n == 0 || i+n >= len(r.says) {
		return "", false
	}
	return r.toVerb(i + n), true
}

// marked is how many spoken words from i on are a name with a colon behind it: "the reason:".
func (r *reading) marked(i int, name []string) int {
	at := i
	if r.language.is(r.wordAt(at), owner) {
		at++
	}
	for _, word := range name {
		if at >= len(r.says) || !r.alike(r.wordAt(at), word) {
			return 0
		}
		at++
	}
	if len(name) == 0 || r.sign(r.says[at-1]+1) != ':' && r.sign(r.says[at-1]+1) != '=' {
		return 0
	}
	return at - i
}

// Turned reports whether an utterance has words that put something right: "but", "better".
func (l Locale) Turned(text string) bool {
	r := l.reading(text, epoch)
	for k := range r.says {
		if m, _ := r.language.moods.at(r.line, k); m == turns && !r.language.is(r.wordAt(k), ands) {
			return true
		}
	}
	return false
}

// MayAsk reports whether an utterance begins like a question.
//
// It begins with a word of questions, or with a verb before its subject: "nehmen Sie auch Kinder".
func (l Locale) MayAsk(text string) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	if i+1 >= len(r.says) || r.parted(i+1) {
		return false
	}
	first, second := r.wordAt(i), r.wordAt(i+1)
	if r.language.is(first, askword) || r.language.is(first, asking) && r.language.is(second, owner|pronoun) {
		return true
	}
	for ending := range strings.FieldsSeq(r.language.Asides.Inverted[second]) {
		if strings.HasSuffix(first, ending) && len(first) > len(ending) && r.language.class(first) != negation {
			return true
		}
	}
	return false
}

// Led tells how some words lead to those behind them.
//
// They end with an opener ("sorry", "actually"), or with a denial ("no", "I have no").
func (l Locale) Led(before string) (opens, denies bool) {
	r := l.reading(before, epoch)
	end := len(r.says)
	if r.cut || end == 0 {
		return false, false
	}
	if m, _ := r.mood(end - 1); m == saysNo || r.language.class(r.wordAt(end-1)) == negation {
		return false, true
	}
	for k := max(0, end-r.language.openers.longest); k < end; k++ {
		if _, n := r.language.openers.at(r.line, k); n == end-k {
			return true, false
		}
	}
	return false, false
}

// Affirms reports whether a word that is always a yes stands in an utterance.
func (l Locale) Affirms(text string) bool {
	r := l.reading(text, epoch)
	for k := range r.says {
		if m, _ := r.mood(k); m == saysYes && r.language.is(squeezed(r.wordAt(k)), plain) {
			return true
		}
	}
	return false
}

// IsNumber reports whether an utterance says a number and nothing else: "2", "the first one", "03/04". A date with its year and
// a time such as 10:30 say more.
func (l Locale) IsNumber(text string) bool {
	r := l.reading(text, epoch)
	if r.cut {
		return false
	}
	numbers := 0
	for t := range r.tokens {
		word := r.tokens[t].fold
		_, ordinal := r.language.Values.Ordinals[r.word(t)]
		_, nth := r.language.Values.DayOrdinals[r.word(t)]
		switch {
		case r.tokens[t].sort == mark:
			if r.tokens[t].sign == ':' || r.tokens[t].sign > 0x7f {
				return false
			}
		case r.tokens[t].sort == digits || r.isNumberWord(t) || ordinal || nth:
			if numbers++; len(word) > 2 && r.tokens[t].sort == digits {
				return false
			}
		case r.language.endings[word] && r.isGlued(t), r.language.is(word, owner|polite|plain), r.language.class(word) == hum:
		default:
			return false
		}
	}
	return numbers > 0 && numbers < 3
}

// Another reports whether some words call for another thing of a kind: "a new one", "another one".
func (l Locale) Another(text string) bool {
	of := l.language()
	return slices.ContainsFunc(foldedWords(text), func(w string) bool { return of.is(w, further|afresh) })
}

// Adds reports whether an utterance says something besides what there is.
//
// "And skiing", "yes, and skiing" and "also skiing" do.
func (l Locale) Adds(text string) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	for i < len(r.says) && r.isPlain(i) {
		i++
	}
	for k := 0; k <= i && k < len(r.says); k++ {
		if r.language.is(r.wordAt(k), ands|link) {
			return true
		}
	}
	for k := range r.says {
		if r.language.is(r.wordAt(k), further) {
			return true
		}
	}
	return false
}

// isPlain reports whether a word is a yes by itself.
func (r *reading) isPlain(k int) bool { return r.language.is(squeezed(r.wordAt(k)), plain) }

// Wishes reports whether an utterance begins as a wish does: "I would like to".
func (l Locale) Wishes(text string) bool {
	const words = 2
	r := l.reading(text, epoch)
	i, _ := r.opened()
	return i < len(r.says) && r.filling(i) >= words
}

// Called are the words that a language has for the values of a kind: "number" for those of telephones.
func (l Locale) Called(k *Kind) (names []string) {
	for name := range strings.SplitSeq(l.language().Values.Called[k.name], "|") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// InOrder reports whether an utterance says in which order things are wanted.
//
// Such is "my balance first, then block my card".
func (l Locale) InOrder(text string) bool {
	of := l.language()
	return slices.ContainsFunc(foldedWords(text), func(w string) bool { return of.is(w, orders) })
}

// AsksMore reports whether a question is whether there is more: "Is there anything else?"
func (l Locale) AsksMore(question string) bool {
	return slices.ContainsFunc(foldedWords(question), func(w string) bool { return l.language().is(w, further) })
}

// Holds reports whether an utterance holds a value of a slot, meant or denied.
func (l Locale) Holds(slot Slot, text string, now time.Time) bool {
	r := l.reading(text, now)
	return len(r.all(slot.scanner(r.language))) > 0
}

// Denied returns the first of some words that an utterance denies; "" for none.
//
// It is "absagen" of "nicht absagen". The end of a verb behind a denial is one, too: "ab" of "sagen Sie nicht ab".
func (l Locale) Denied(text string, words map[string]bool) string {
	r := l.reading(text, epoch)
	for k := range r.says {
		if r.language.class(r.wordAt(k)) != negation {
			continue
		}
		next := k + 1
		for next < len(r.says) && r.language.class(r.wordAt(next)) != content && r.language.Asides.Parts[r.wordAt(next)] == "" {
			next++
		}
		if next < len(r.says) && (words[r.wordAt(next)] || r.language.Asides.Parts[r.wordAt(next)] != "") {
			return r.wordAt(next)
		}
	}
	return ""
}
