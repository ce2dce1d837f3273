package phrase

import "strings"

// Dropped returns what an utterance takes out of something.
//
// It is "the gps" of "please cancel the gps" and of "I don't want the gps".
// stops reports whether a word such as "cancel" says so, and not a denial. There is nothing in what says more, asks or denies twice.
func Dropped(l Locale, text string) (what string, stops, ok bool) {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	if r.unsure() || r.asks(i) {
		return "", false, false
	}
	var words []string
	denies := false
	for k := i; k < len(r.says); k++ {
		word, of := r.wordAt(k), r.language
		switch {
		case k > i && r.parted(k) && !of.is(word, polite):
			return "", false, false
		case of.is(word, dropper|canceller) || of.is(word, final) && k > i:
			if stops || denies {
				return "", false, false
			}
			stops = true
		case of.class(word) == negation || of.is(word, without|lacking):
			if stops || denies && of.is(word, lacking) {
				return "", false, false
			}
			denies = true
		case of.is(word, spare|polite), len(words) == 0 && of.class(word) != content && of.class(word) != function:
		default:
			t := r.tokens[r.says[k]]
			words = append(words, Unelided(text[t.start:t.end]))
		}
	}
	return strings.Join(words, " "), stops, (stops || denies) && len(words) > 0
}

// Objected returns what an utterance says is not possible.
//
// It is "on Tuesday" of "I can't on Tuesday" and of "on Tuesday I can't".
func Objected(l Locale, text string) (what string, ok bool) {
	r := l.reading(text, epoch)
	if r.unsure() || r.asks(0) || len(r.says) < 2 {
		return "", false
	}
	if m, n := r.mood(0); m == saysNo && (n == len(r.says) || r.parted(n)) || m == saysYes { // "no, Tuesday"
		return "", false
	}
	from, to := -1, 0
	for k, t := range r.says {
		word, of := r.wordAt(k), r.language
		switch {
		case of.class(word) == negation:
			ok = true
		case of.is(word, suiting|polite|pronoun|asking) && r.valueRun(k) == 0, of.class(word) == filler, of.class(word) == hum:
		case from < 0:
			from, to = t, t+1
		case of.class(word) == function: // it belongs to what follows, if to anything
		default:
			to = t + 1
		}
	}
	if from < 0 || !ok {
		return "", false
	}
	start, end := r.wide(from, to)
	return text[start:end], true
}

// Weekday reports whether all that an utterance says is a weekday: "on Tuesday".
func Weekday(l Locale, text string) bool {
	r := l.reading(text, epoch)
	for k, t := range r.says {
		if _, is := r.language.weekdays[r.word(t)]; !is && r.language.class(r.wordAt(k)) != function && !r.language.is(r.wordAt(k), joint|owner) {
			return false
		}
	}
	return r.weekdays() == 1
}

// ComesFirst reports whether an utterance begins as "first your prices" does.
func ComesFirst(l Locale, text string) bool {
	r := l.reading(text, epoch)
	i := r.links(0)
	for i < len(r.says) && r.language.class(r.wordAt(i)) == filler {
		i++
	}
	return i < len(r.says) && r.language.is(r.wordAt(i), foremost)
}

// Unelided is a word without an article that it swallows: of "l'assurance" it leaves "assurance".
func Unelided(text string) string {
	for _, mark := range []string{"'", "’"} {
		if before, word, ok := strings.Cut(text, mark); ok && len(before) == 1 {
			return word
		}
	}
	return text
}

// Reverses reports whether an utterance says a yes and a no, or puts one right, and nothing else.
//
// "Yes, sorry, no" and "actually no" do.
func Reverses(l Locale, text string) bool {
	r := l.reading(text, epoch)
	yes, no, turned := false, false, false
	for k := 0; k < len(r.says); {
		word := r.wordAt(k)
		m, n := r.mood(k)
		if to, long := r.language.moods.at(r.line, k); to == turns {
			m, n = to, long
		}
		does, opened := r.language.openers.at(r.line, k)
		switch {
		case m == saysYes:
			yes = true
		case m == saysNo, m == bars, m == weakNo, r.language.class(word) == negation:
			no = true
		case m == turns, does == turning:
			turned, n = turned || does == turning, max(n, opened)
		case m == around, does != 0:
			n = max(n, opened)
		case r.valueRun(k) > 0, r.language.class(word) == content && !r.language.is(word, polite):
			return false
		}
		k += max(n, 1)
	}
	return yes && no || turned && (yes || no)
}

// StopsOnly reports whether an utterance that has a word such as "cancel" says no more than that.
//
// Other words that mean something belong to what is said: "I was told to cancel my account". Those of known are none.
func StopsOnly(l Locale, text string, known func(word string) bool) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	if i+1 < len(r.says) && r.language.is(r.wordAt(i), asking) && !r.language.is(r.wordAt(i+1), pronoun) { // "Will Stop"
		return false
	}
	for k := i; k < len(r.says); k++ {
		word := r.wordAt(k)
		if r.language.class(word) == content && !r.language.is(word, polite|owner|pronoun|canceller|final|thing) && !r.language.stopping[word] && !known(word) {
			return false
		}
	}
	return true
}

// SaysCancel reports whether an utterance has a verb such as "cancel", which may be a name.
//
// "Never mind" has none.
func SaysCancel(l Locale, text string) bool {
	r := l.reading(text, epoch)
	for k := range r.says {
		if r.language.is(r.wordAt(k), canceller|final) {
			return true
		}
	}
	return false
}

// stopWords are the words of the sayings that stop something.
func (l *Language) stopWords() map[string]bool {
	all := make(map[string]bool)
	for _, c := range l.Commands {
		if c.Command == Cancel {
			for _, w := range foldedWords(strings.Join(c.Phrases, " ")) {
				all[w] = true
			}
		}
	}
	return all
}
