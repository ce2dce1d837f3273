package phrase

import (
	"slices"
	"strings"
)

// mood is what a saying does to a yes or a no.
type mood uint8

const (
	_       mood = iota
	saysYes      // "go ahead"
	pleased      // "all good": a yes to what is to be done, and elsewhere neither
	saysNo       // "not really"
	bars         // "don't": a no to what is said behind it, up to the next clause
	weakNo       // "I guess not"
	doubts       // "not sure": neither
	around       // "well", "please": nothing
	turns        // "but": what follows is something else
)

// Assent tells whether an utterance is a yes or a no, and what else was said with it.
//
// "Yep, go ahead" is a yes, "no, make it 60" a no with the rest "make it 60", "yes but to Bob" a yes with the rest "to
// Bob". A yes that has a rest is none
// to what was asked, but to something near it. The score is how plainly it was said.
//
// It fails closed: an uncertain answer is no yes. Doubt ("I guess so", "maybe"), a condition ("if it is free"), a
// question ("yes?", "ok, what does it cost"), a no or a call to wait anywhere beside the yes, irony ("yeah right"), and
// an utterance that is too long to be looked at as a whole are neither. A no may be guessed: "I guess not" is one.
func (l Locale) Assent(text string) (yes, no bool, rest string, score float64) {
	return l.AssentTo(Question{}, text)
}

// Question is what an utterance is a yes or a no to.
type Question struct {
	Text string // as it was asked: "Cancel A24?"
	// About is what it is about, in other words: "cancel my appointment". To a question of that, "yes, cancel it" is a yes
	// and "don't cancel it" a no.
	About []string
	// Names are what the values of the question are called: "yes, the date" is about one of them, and no plain yes.
	Names []string
}

// AssentTo is Assent where the question is known. A plain yes whose rest only repeats the question has no rest.
func (l Locale) AssentTo(q Question, text string) (yes, no bool, rest string, score float64) {
	return l.readingTo(q, text).assent()
}

// readingTo is the reading of an answer to a question.
func (l Locale) readingTo(q Question, text string) *reading {
	r := l.reading(text, epoch)
	if q.Text != "" {
		r.question, r.verbs, r.asked = foldedSet(q.Text), make(map[string]bool), l.reading(q.Text, epoch)
		r.titles = foldedSet(strings.Join(q.Names, " "))
		for _, about := range q.About {
			for _, w := range foldedWords(about) {
				r.verbs[w] = r.question[w]
			}
		}
	}
	return r
}

// pays reports whether a token is a currency that the question names, in words or with a sign: "euros" of "€50".
func (r *reading) pays(at int) bool {
	said, ok := r.coin(at)
	for i := range r.asked.tokens {
		if c, is := r.asked.coin(i); ok && is && slices.Equal(c.codes, said.codes) {
			return true
		}
	}
	return false
}

// echoes reports whether the spoken words from i on say nothing but the question: words of it that name no value, and around
// them words of every sentence. A value has to stand in the question as it does here: "at 10" is not in "at 10:30".
func (r *reading) echoes(i int) bool {
	if r.asked == nil {
		return false
	}
	repeats := false
	for i < len(r.says) {
		word := r.wordAt(i)
		if m, _ := r.language.moods.at(r.line, i); m == turns {
			return false
		}
		if does, _ := r.language.openers.at(r.line, i); does == turning {
			return false
		}
		if n := r.valueRun(i); n > 0 {
			if !r.asked.holds(r.line, i, n) {
				return false
			}
			repeats, i = repeats || n > 1, i+n // one number may be that of an answer: "yes, 2"
			continue
		}
		switch k := r.language.class(word); {
		case r.question[word] && !r.language.is(word, owner|pronoun|polite) && (k == content || k == filler):
			repeats = repeats || !r.titled(word)
		case k == function, k == filler, k == hum, r.language.is(word, polite), r.pays(r.says[i]):
		default:
			return false
		}
		i++
	}
	return repeats
}

// titled reports whether a word calls a value of the question by its name, or by an end of it: "Telefon" is the Telefonnummer.
func (r *reading) titled(word string) bool {
	const least = 4 // letters
	for name := range r.titles {
		if name == word || len(word) >= least && (strings.HasPrefix(name, word) || strings.HasSuffix(name, word)) {
			return true
		}
	}
	return false
}

// valueRun is how many spoken words from i on are such as values are made of.
func (r *reading) valueRun(i int) (n int) {
	for i+n < len(r.says) {
		t := r.says[i+n]
		if r.tokens[t].sort != digits && !r.tokens[t].spelled && !r.saysDay(t) && (r.language.class(r.tokens[t].fold) == function || !r.isValueTerm(t)) {
			break
		}
		n++
	}
	return n
}

// holds reports whether n spoken words of another line stand here in their order, and no more of a value on their sides.
func (r *reading) holds(of *line, i, n int) bool {
	for k := 0; k+n <= len(r.says); k++ {
		same := k == 0 || r.valueRun(k-1) == 0
		for at := 0; at < n && same; at++ {
			same = r.wordAt(k+at) == of.wordAt(i+at)
		}
		if same && r.valueRun(k) == n {
			return true
		}
	}
	return false
}

// GoesOn reports whether an utterance asks not to stop, and nothing else: "don't cancel".
func (l Locale) GoesOn(text string) bool {
	r := l.reading(text, epoch)
	if r.unsure() || len(r.says) == 0 {
		return false
	}
	a := r.moods()
	return a.goesOn && a.end == len(r.says)
}

// assenting is what was heard so far.
type assenting struct {
	yes, no, weak bool
	doubt         bool
	plain         bool // one of the words that are always a yes
	goesOn        bool // "don't stop"
	end           int  // spoken words that are accounted for
}

func (r *reading) assent() (yes, no bool, rest string, score float64) {
	if r.unsure() {
		return false, false, "", 0
	}
	a := r.moods()
	thumbs := r.thumbs()
	a.yes, a.no = a.yes || thumbs > 0, a.no || thumbs < 0
	from := r.afterTurn(a.end)
	rest = r.restFrom(from)
	if rest != "" && a.yes && a.plain && !a.no && !a.doubt && from == a.end && r.echoes(from) && !r.amiss(from) {
		return true, false, "", 1
	}
	switch {
	case a.doubt, a.yes == a.no, a.yes && r.amiss(a.end), a.yes && rest == "" && from > a.end: // "yes, but"
		return false, false, "", 0
	case a.yes && !a.plain && rest != "" && from == a.end && !r.parted(a.end): // "it is 60"
		return false, false, "", 0
	case a.no && r.takesBack(a.end):
		return false, false, "", 0
	}
	score = 1
	if a.weak {
		score = 0.6
	}
	if rest != "" {
		score *= 0.9
		if a.no && from == a.end && !r.parted(a.end) {
			score *= 0.7 // "no fee account": is that a no?
		}
	}
	return a.yes, a.no, rest, score
}

// unsure reports an utterance that is no answer: a question, or one that is too long to be looked at.
func (r *reading) unsure() bool {
	if r.cut {
		return true
	}
	for i := range r.tokens {
		switch r.tokens[i].sign {
		case '?', '¿', '؟', '？':
			return true
		}
	}
	return false
}

// moods reads sayings from the beginning up to the first word that is none.
func (r *reading) moods() assenting {
	var a assenting
	for i := 0; i < len(r.says); {
		m, n := r.mood(i)
		switch m {
		case saysYes:
			a.yes = true
			a.plain = a.plain || r.language.is(squeezed(r.wordAt(i)), plain)
		case pleased:
			a.yes, a.doubt = a.yes || r.asked != nil, a.doubt || r.asked == nil || r.asksCancel()
		case saysNo:
			a.no = true
		case weakNo:
			a.no, a.weak = true, true
		case doubts:
			a.doubt = true
		case bars:
			a.no = true
			for i+n < len(r.says) && !r.parted(i+n) {
				a.doubt = a.doubt || r.language.is(r.wordAt(i+n), lacking|plain) // "auf keinen Fall ohne", "nicht ja"
				n++
			}
			a.goesOn = a.goesOn || r.stops(i, i+n)
			a.doubt = a.doubt || a.goesOn // "don't stop"
		case around:
			a.doubt = a.doubt || a.yes && r.language.class(r.wordAt(i)) == hum // "yes, hm"
		default:
			return a
		}
		i += n
		a.end = i
	}
	return a
}

// mood is the saying that begins at a spoken word, and how many words it has; 0 if there is none.
func (r *reading) mood(i int) (mood, int) {
	if m, n := r.language.moods.at(r.line, i); n > 0 {
		if m == turns {
			return 0, 0
		}
		return m, n
	}
	word := squeezed(r.wordAt(i))
	if m, ok := r.language.moods.of[word]; ok && m != turns {
		return m, 1
	}
	if len(word) < 6 || !misspellable(word) || r.language.known[word] {
		return 0, 0
	}
	form := shape(word)
	for _, w := range r.language.longYes {
		if d, ok := slipped(word, form, w.text, w.shape); ok && d == 1 {
			return saysYes, 1
		}
	}
	return 0, 0
}

// squeezed is a word with each letter that stands three times or more once: "yesss", "nooo"; and at its end twice or
// more.
func squeezed(w string) string {
	plain := true
	for i := 1; i < len(w) && plain; i++ {
		plain = w[i] != w[i-1]
	}
	if plain || len(w) > maxFold {
		return w
	}
	var b strings.Builder
	for i := 0; i < len(w); {
		j := i
		for j < len(w) && w[j] == w[i] {
			j++
		}
		n := j - i
		if n > 2 || n == 2 && j == len(w) {
			n = 1
		}
		b.WriteString(w[i : i+n])
		i = j
	}
	return b.String()
}

// stops reports whether some spoken words ask to stop: not to do that is to go on.
func (r *reading) stops(i, j int) bool {
	for ; i < j; i++ {
		if word := r.wordAt(i); r.language.is(word, stops) && !r.verbs[word] {
			return true
		}
	}
	return false
}

// thumbs is 1 when a thumb or its like is up, -1 when one is down, 0 when there is none.
func (r *reading) thumbs() int {
	up, down := 0, 0
	for i := range r.tokens {
		switch r.tokens[i].sign {
		case '👍', '✅', '✔', '👌', '🆗':
			up = 1
		case '👎', '❌', '✖', '🚫', '🙅':
			down = 1
		case '🤔', '🤷', '😕':
			return 0
		}
	}
	return up - down
}

// besideYes are the signs that leave a yes as it is. Of any other nobody knows what it says.
const besideYes = ".,!;:-–—…'\"’‘“”„«»()[]*~_\n" + "👍✅✔👌🆗☑💯🙂😀😃😄😁😊☺😉🙏💪🎉❤💚💙👏🤝😍🥰🤗" + "🏻🏼🏽🏾🏿"

// amiss reports whether there is anything beside a yes that makes it uncertain: in what was understood of it, or in the
// rest from a spoken word on.
func (r *reading) amiss(rest int) bool {
	for i, t := range r.tokens {
		sad := t.sign == '(' && t.glued && strings.ContainsRune(":;=-", r.sign(i-1)) && r.sign(i-1) != 0
		if t.sort == mark && (sad || !strings.ContainsRune(besideYes, t.sign)) {
			return true
		}
	}
	for i := rest; i < len(r.says); i++ {
		word := r.wordAt(i)
		if r.verbs[word] { // "yes, cancel it"
			continue
		}
		if r.language.is(word, amiss) || r.language.class(word) == negation {
			return true
		}
		if m, _ := r.language.moods.at(r.line, i); m == saysNo || m == weakNo || m == doubts || m == bars {
			return true
		}
		if m, ok := r.language.moods.of[squeezed(word)]; ok && (m == saysNo || m == doubts) {
			return true
		}
	}
	return false
}

// takesBack reports whether a yes stands in the rest behind a no: "no, I mean yes".
func (r *reading) takesBack(rest int) bool {
	for i := rest; i < len(r.says); i++ {
		if m, n := r.language.moods.at(r.line, i); m == saysYes && i+n == len(r.says) {
			return true
		}
	}
	return false
}

// afterTurn skips "but", "and", "so" and what people say before what they go on to say.
func (r *reading) afterTurn(i int) int {
	for i < len(r.says) {
		m, n := r.language.moods.at(r.line, i)
		if m != turns && m != around {
			break
		}
		i += n
	}
	return i
}

// restFrom is what was said from a spoken word on.
func (r *reading) restFrom(i int) string {
	if i >= len(r.says) {
		return ""
	}
	start, end := r.wide(r.says[i], len(r.tokens))
	return r.text[start:end]
}

// Amiss reports whether an utterance has words that make a yes beside them uncertain.
//
// Such are "if", "wait" and "not".
func (l Locale) Amiss(text string) bool {
	r := l.reading(text, epoch)
	return r.cut || r.amiss(0)
}
