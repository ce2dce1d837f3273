package phrase

import (
	"slices"
	"strings"
)

// Asides are what people say around what they mean, and in place of an answer.
//
// One struct: each field is a list of words that a language has for one thing that people do beside an answer.
type Asides struct {
	Openers  string // before what is meant: "ah", "by the way"
	Soft     string // the same, where a mark follows: "great,"; without one they may belong to a name
	Turning  string // openers with which something is put right or stopped: "sorry", "wait", "no wait"
	Asks     string // words that begin a question: "what"
	Asking   string // verbs behind them, and before a pronoun: "is"
	Modals   string // those of them that ask for something, and not what is: "can"
	Pronouns string // behind a verb that begins a question: "is there"
	Requests string // sayings that begin a question by themselves: "tell me"
	Cancels  string // verbs that ask to stop, when something of a conversation follows: "cancel my"
	Drops    string // other verbs that take something out: "remove"
	Spares   string // words beside such a wish: "anymore"
	Things   string // words for anything that a conversation is about: "order"
	Finals   string // verbs that ask to stop and stand at the end: "absagen"
	// Parts are verbs that ask to stop with a word at the end: "ab": "sagen".
	Parts map[string]string
	// Inverted is how verbs end before a pronoun that is their subject, as in questions: "sie": "en".
	Inverted map[string]string
	You      string // the one who is spoken to: "you"
	Firsts   string // words for what comes before anything else: "first"
	Links    string // between two things that are said: "and", "then"
	Joins    string // sayings between two things that are said: "as well as", "on top of that"
	Vague    string // words that name nobody and nothing: "anybody"
	Pauses   string // sayings of who needs a moment: "hang on", "let me think"
	Names    string // words of yes that are names, too, when nothing but a text was asked for: "roger"
}

// opener is what an opener does.
type opener uint8

const (
	_ opener = iota
	opens
	softly // only before a mark
	turning
)

// Act is what people do with words in place of giving a text. The zero value is none of it.
type Act uint8

// The acts.
const (
	_        Act = iota
	Affirms      // "yes"
	Denies       // "no, thanks"
	Doubts       // "maybe"
	Cancels      // "cancel the order"
	Asks         // "how much is it?"
	Commands     // "say that again", "let me talk to a human"
	Pauses       // "one moment", "hm"
	Points       // "anybody", "for it": it says nothing by itself
)

// Opened cuts off words that people say before what they mean: of "oh wait, 50" it leaves 50.
//
// turned reports whether some of them put right or stop what was said before. The rest is "" where nothing follows.
func (l Locale) Opened(text string) (rest string, turned bool) {
	r := l.reading(text, epoch)
	i, turned := r.opened()
	switch {
	case i == 0:
		return text, false
	case i >= len(r.says):
		return "", turned
	}
	start, _ := r.wide(r.says[i], r.says[i]+1)
	return text[start:], turned
}

// opened is how many spoken words only open an utterance.
func (r *reading) opened() (n int, turned bool) {
	for n < len(r.says) {
		does, k := r.language.openers.at(r.line, n)
		if k == 0 && r.language.class(r.wordAt(n)) == hum {
			does, k = opens, 1
		}
		if k == 0 || does == softly && !r.parted(n+k) {
			break
		}
		n, turned = n+k, turned || does == turning
	}
	return n, turned
}

// Act tells what an utterance does in place of being a text, such as to ask or to cancel.
//
// It is the zero Act for one that may be a text. A text in quotation marks always is one.
func (l Locale) Act(text string) Act {
	r := l.reading(text, epoch)
	if r.cut || r.inQuotes() {
		return 0
	}
	i, _ := r.opened()
	if i == len(r.says) {
		if i == 0 {
			return r.signal()
		}
		if act := r.verdictOf(); act != 0 {
			return act
		}
		return Pauses
	}
	if r.asks(0) || r.asks(i) {
		return Asks
	}
	if act := r.verdictOf(); act != 0 {
		return act
	}
	if r.points(i) {
		return Points
	}
	rest := text
	if i > 0 {
		rest, _ = l.Opened(text)
		r = l.reading(rest, epoch)
		if act := r.verdictOf(); act != 0 {
			return act
		}
	}
	return l.commands(r, rest)
}

// Waits reports whether an utterance says no more than that its speaker needs a moment.
func Waits(l Locale, text string) bool {
	r := l.reading(text, epoch)
	return !r.unsure() && r.pauses()
}

func (r *reading) pauses() (found bool) {
	for k := 0; k < len(r.says); {
		word := r.wordAt(k)
		_, n := r.language.pauses.at(r.line, k)
		if found = found || n > 0; n == 0 {
			if m, _ := r.mood(k); m == saysNo || r.language.class(word) == negation {
				return false
			}
			if _, n = r.language.openers.at(r.line, k); n == 0 {
				m, long := r.mood(k)
				if m != around && !r.language.is(word, polite) && r.language.class(word) != hum {
					return false
				}
				n = max(long, 1)
			}
		}
		k += n
	}
	return found
}

// points reports whether all that is said from a spoken word on names nothing: one such word, perhaps behind another one.
func (r *reading) points(i int) bool {
	n := len(r.says) - i
	return n > 0 && n <= 2 && r.language.is(r.wordAt(len(r.says)-1), vague)
}

// signal is Act for signs and emoji alone. Those that nobody gives as an answer may be a text.
func (r *reading) signal() Act {
	switch thumbs := r.thumbs(); {
	case thumbs > 0:
		return Affirms
	case thumbs < 0:
		return Denies
	}
	for i := range r.tokens {
		if r.tokens[i].sign > 0x2190 { // no mark of a sentence
			return 0
		}
	}
	if len(r.tokens) == 0 {
		return 0
	}
	return Pauses
}

// commands is Act for commands.
func (l Locale) commands(r *reading, text string) Act {
	const surely = 0.9
	said, ok := l.Common(text)
	switch {
	case r.cancels(0) && StopsOnly(l, text, func(w string) bool { return len(r.says) > 1 && !r.language.is(r.wordAt(0), asking) }):
		return Cancels
	case !ok || said.Score < surely:
		return 0
	case said.Command == Cancel && StopsOnly(l, text, func(string) bool { return false }):
		return Cancels
	case said.Command == Repeat, said.Command == Handoff, said.Command == Help, said.Command == Back, said.Command == Skip:
		return Commands
	}
	return 0
}

// verdictOf is Act for a yes, a no and a doubt that say nothing else.
func (r *reading) verdictOf() Act {
	if len(r.says) == 1 && r.language.is(r.wordAt(0), named) {
		return 0
	}
	a := r.moods()
	if a.end < len(r.says) {
		if a.no && a.end > 0 && r.parted(a.end) && !a.goesOn && r.tokens[r.says[a.end]].sort == letters { // "no, I do not like it"; "No. 10" is none
			return Denies
		}
		return 0
	}
	switch {
	case a.doubt && (a.yes || a.no || a.end > 0):
		return Doubts
	case a.no:
		return Denies
	case a.yes:
		return Affirms
	}
	return 0
}

// inQuotes reports whether an utterance is one text in quotation marks.
func (r *reading) inQuotes() bool {
	if len(r.tokens) < 3 {
		return false
	}
	first, last := r.tokens[0].sign, r.tokens[len(r.tokens)-1].sign
	return strings.ContainsRune(quotes, first) && first != 0 && strings.ContainsRune(quotes, last) && last != 0
}

// quotes are the marks that texts stand in.
const quotes = "\"“”„‟«»‹›"

// Quoted is the text of an utterance that is one text in quotation marks: it is meant as it stands.
func (l Locale) Quoted(text string) (string, bool) {
	r := l.reading(text, epoch)
	if r.cut || !r.inQuotes() {
		return "", false
	}
	inner := strings.TrimSpace(text[r.tokens[0].end:r.tokens[len(r.tokens)-1].start])
	return inner, inner != "" && !strings.ContainsAny(inner, quotes)
}

// Question reports whether an utterance asks something.
func (l Locale) Question(text string) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	return !r.cut && (r.asks(i) || i > 0 && r.asks(0))
}

// Requested reports whether a question asks the one who is spoken to for something.
//
// "Can you cancel it?" does, and "can I cancel it?" does not.
func (l Locale) Requested(text string) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	return i+1 < len(r.says) && r.language.is(r.wordAt(i), asking) && r.language.is(r.wordAt(i+1), you)
}

// asks reports whether the words from one on are a question: by its mark, where it is the only sentence, or by the order
// of its words.
func (r *reading) asks(i int) bool {
	if i >= len(r.says) {
		return false
	}
	sentences, marked := 1, false
	for t := r.says[i]; t < len(r.tokens); t++ {
		switch r.tokens[t].sign {
		case '?', '¿', '؟', '？':
			marked = marked || t+1 == len(r.tokens) || !r.isGlued(t+1)
		case '.', '!', ';', '\n', '…':
			if t+1 < len(r.tokens) && !r.isGlued(t+1) {
				sentences++
			}
		}
	}
	if marked && sentences == 1 {
		return true
	}
	if _, n := r.language.requests.at(r.line, i); n > 0 {
		return true
	}
	word := r.wordAt(i)
	switch {
	case r.language.is(word, asking):
		return i+1 < len(r.says) && !r.parted(i+1) && r.language.is(r.wordAt(i+1), pronoun)
	case r.language.is(word, askword):
		if i+1 == len(r.says) {
			return true
		}
		for k := i + 1; k < min(i+4, len(r.says)) && !r.parted(k); k++ {
			if r.language.is(r.wordAt(k), asking) {
				return true
			}
		}
	}
	return false
}

// cancels reports whether the words from one on ask to stop something of the conversation: "cancel my order", "I have to
// cancel", "Termin absagen".
func (r *reading) cancels(i int) bool {
	const longest = 7
	if i >= len(r.says) || len(r.says)-i > longest {
		return false
	}
	last := r.wordAt(len(r.says) - 1)
	verbs := strings.Fields(r.language.Asides.Parts[last])
	for k := i; k < len(r.says); k++ {
		if slices.Contains(verbs, r.wordAt(k)) {
			return true
		}
	}
	if r.language.is(last, final) {
		return true
	}
	for i+1 < len(r.says) && !r.language.is(r.wordAt(i), canceller) && slices.Contains([]class{filler, function, hum}, r.language.class(r.wordAt(i))) {
		i++
	}
	if !r.language.is(r.wordAt(i), canceller) {
		return false
	}
	if i+1 >= len(r.says) || r.parted(i+1) {
		return true
	}
	return r.language.is(r.wordAt(i+1), owner|pronoun|polite|canceller)
}

// CancelsWhat returns what an utterance asks to stop: of "cancel the transfer" it is "the transfer".
func (l Locale) CancelsWhat(text string) (what string, ok bool) {
	r := l.reading(text, epoch)
	if len(r.says) == 0 || !r.language.is(r.wordAt(0), canceller) {
		return "", false
	}
	return Unelided(r.restFrom(1)), true
}

// Indefinite reports whether words begin with an article that stands for any one of several: "a bike".
func (l Locale) Indefinite(text string) bool {
	r := l.reading(text, epoch)
	return len(r.says) > 1 && r.language.class(r.wordAt(0)) == function && !r.language.is(r.wordAt(0), owner|joint)
}

// Refuses returns what an utterance does not want: of "I don't want to send money" it is "send money".
func (l Locale) Refuses(text string) (what string, ok bool) {
	r := l.reading(text, epoch)
	if r.unsure() || len(r.says) == 0 {
		return "", false
	}
	m, n := r.language.moods.at(r.line, 0)
	if m != bars && m != saysNo || n == len(r.says) {
		return "", false
	}
	return r.restFrom(n), true
}

// Negated reports whether an utterance denies something: "my income is not that high".
func (l Locale) Negated(text string) bool {
	r := l.reading(text, epoch)
	for k := range r.says {
		if r.language.class(r.wordAt(k)) == negation {
			return true
		}
	}
	return false
}

// Content are the words of an utterance that mean something by themselves, folded.
func (l Locale) Content(text string) (words []string) {
	r := l.reading(text, epoch)
	for k := range r.says {
		if w := r.wordAt(k); r.language.class(w) == content && !r.language.is(w, polite|owner|pronoun) {
			words = append(words, w)
		}
	}
	return words
}

// Thing reports whether a folded word stands for anything that a conversation is about.
func (l Locale) Thing(word string) bool { return l.language().is(word, thing) }

// Words are the words of a text, folded as they are compared.
func Words(text string) []string { return foldedWords(text) }

// Cuts returns the places that part an utterance into things that are said one after another.
//
// They are behind a mark that ends a clause, and at a word such as "and". Each is the end of what is said before and the
// beginning of what follows. There are none in an utterance that has more than a few.
func (l Locale) Cuts(text string) [][2]int {
	r := l.reading(text, epoch)
	const most = 6 // of what says more, nothing is plain
	all := r.cuts(func(k int) bool { return r.parted(k) })
	if r.cut || len(all) > most {
		return nil
	}
	return all
}

// Denials returns the places before words that deny what follows, in the form of [Locale.Cuts].
//
// "To Bob not to Ada" has one.
func (l Locale) Denials(text string) [][2]int {
	r := l.reading(text, epoch)
	if r.cut {
		return nil
	}
	return r.cuts(func(k int) bool { return r.language.class(r.wordAt(k)) == negation })
}

// Joints returns the cuts of an utterance, and the places where a new thing may begin without one.
//
// Such are words that open what is said ("please", "oh"), and marks between things ("&", "-"). A place says little by itself:
// "Jean - Luc" has one.
func (l Locale) Joints(text string) [][2]int {
	r := l.reading(text, epoch)
	if r.cut {
		return nil
	}
	return r.cuts(func(k int) bool {
		if does, _ := r.language.openers.at(r.line, k); does != 0 || r.parted(k) || r.language.is(r.wordAt(k), polite) {
			return true
		}
		for t := r.says[k-1] + 1; t < r.says[k]; t++ {
			if sign := r.tokens[t].sign; sign != 0 && strings.ContainsRune("&+/|", sign) || isMinus(sign) && !r.isGlued(t) {
				return true
			}
		}
		return false
	})
}

// cuts are the places where words stand that link what is said, and those before the spoken words that begin something anew.
func (r *reading) cuts(begins func(k int) bool) (all [][2]int) {
	for k := 1; k < len(r.says); k++ {
		from := k + r.links(k)
		if from == len(r.says) || from == k && !begins(k) {
			continue
		}
		start, _ := r.wide(r.says[from], r.says[from]+1)
		all = append(all, [2]int{r.tokens[r.says[k-1]].end, start})
		k = from
	}
	return all
}

// links is how many spoken words from one on link what is said before them to what follows.
func (r *reading) links(k int) (n int) {
	for k+n < len(r.says) {
		_, joins := r.language.joins.at(r.line, k+n)
		if joins == 0 && r.language.is(r.wordAt(k+n), link) {
			joins = 1
		}
		if joins == 0 {
			break
		}
		n += joins
	}
	return n
}

// Begins returns the places where the spoken words of an utterance begin, but for the first.
//
// There are none in an utterance that is longer than a few sentences.
func (l Locale) Begins(text string) (all []int) {
	const most = 30
	r := l.reading(text, epoch)
	if r.cut || len(r.says) > most {
		return nil
	}
	for k := 1; k < len(r.says); k++ {
		start, _ := r.wide(r.says[k], r.says[k]+1)
		all = append(all, start)
	}
	return all
}
