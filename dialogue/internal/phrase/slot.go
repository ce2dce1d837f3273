package phrase

import (
	"regexp"
	"time"
)

// Kind is a kind of values: how people say them, and how they answer when one is asked for. Each stands at the top of the
// file that reads its values.
type Kind struct {
	name string
	// scan finds values that begin at a token. Nil where any words may be a value.
	scan func(s Slot, of *language) scan
	// answer reads an utterance as an answer. Nil where it is the one value that scan finds.
	answer func(r *reading, s Slot) (Value, bool)
	// none reads an answer without a value, and several one with different ones. Nil where those are no answers.
	none    func(r *reading, s Slot) (Value, bool)
	several func(r *reading, values []found) (Value, bool)
	// check says what is wrong with a slot of the kind. Nil for nothing.
	check func(s Slot) error

	counts bool // a value is a number, behind which what is counted may stand
	money  bool // a number of things is no value: "fifty bananas"
	bare   bool // a number by itself is a value where it is asked for: 3 is 3 o'clock
	exact  bool // words beside a value may change it: it is certain only when all of them are explained
	days   bool // a value is a day or a time, which other words count from: "before", "ago"
	many   bool // a value is several ones, with "and" between them
	clock  bool // a value is a time of day alone, beside which a day may stand
}

// String is the kind's name.
func (k *Kind) String() string { return k.name }

// always is the scan of a kind that depends on no slot.
func always(one scan) func(Slot, *language) scan {
	return func(Slot, *language) scan { return one }
}

// Slot is what is asked for. The zero value is a text.
type Slot struct {
	Name    string
	Kind    *Kind          // defaults to Text
	Choices []Choice       // of a choice: what there is to choose from, in the order in which it was offered
	Items   *Slot          // of a list: its members; defaults to texts. Of a range: its ends; defaults to numbers
	Pattern *regexp.Regexp // of a text: what it has to match, as a whole; optional
	Country string         // of a telephone number: the ISO 3166 code of the country whose national numbers are read; optional
	Names   []string       // what it is called, in words: "adults" may stand behind its number, "the recipient is" before its text
	Beside  []string       // what other slots are called: those words change no value
	Asked   string         // the question that is answered
	About   []string       // the words that what goes on is called by, folded: "rent"
	Was     string         // of a date or a moment: the one that is put right, or as much as is known of it; "2026-11-25" or RFC 3339
	After   string         // of a date: the day that "two days later" is counted from, "2026-11-25"; defaults to today
}

// Choice is one of several things to choose from.
type Choice struct {
	Value    string
	Synonyms []string
}

// Value is a value in an utterance.
type Value struct {
	// Value is what was meant, as encoding/json makes it: see the kinds. It is nil when Reason is given.
	Value any
	// Text is how it was said, and Start and End are where: bytes of the utterance.
	Text       string
	Start, End int
	// Score is how sure that is, from 0 to 1.
	Score float64
	// Place says that a choice was called by its place in the order: "the second one".
	Place bool
	// Half says that the half of the day of a time was guessed: 7 may be 19:00 too.
	Half bool
	// Left is the words beside it that were not understood: "2 weeks before". The user has to be asked whether the value is
	// meant. Empty when every word that means something belongs to it.
	Left string
	// Reason is why something that was said for a value is none: "February has no day 31.". Empty when it is one.
	Reason string
	// Among are the values of which one is meant, in the order in which they are named, where the Reason is that.
	Among []any
}

func (s Slot) kind() *Kind {
	if s.Kind == nil {
		return Text
	}
	return s.Kind
}

// inWords reports whether any words may be a value: a text, or a list, whose members are looked for in it.
func (s Slot) inWords() bool { return s.kind().scan == nil }

// check says what is wrong with a slot.
func (s Slot) check() error {
	if check := s.kind().check; check != nil {
		return check(s)
	}
	return nil
}

// reading is an utterance while values are looked for in it.
type reading struct {
	*line
	locale   Locale
	language *language
	now      time.Time
	question map[string]bool // the words of what was asked
	verbs    map[string]bool // those that say what it is about
	titles   map[string]bool // the words of the names of its values
	asked    *reading        // the question itself, where it is known
	after    string          // the day or the time that others are counted from
	was      string          // the day or the moment that is put right
	priced   int             // the token right behind the currency of an amount; 0 for none
	nested   int             // how many days are counted from the one that is read
	bare     bool            // a number by itself may be a time: that is what is asked for
}

func (l Locale) reading(text string, now time.Time) *reading {
	r := &reading{locale: l, language: l.language(), now: now.In(l.zone())}
	if r.line = l.memo.line(r.language, text); r.line == nil {
		r.line = newLine(text)
		r.mend(nil)
		l.memo.keep(r.language, text, r.line)
	}
	return r
}

// value is a value said with the tokens from i to before j.
func (r *reading) value(v any, i, j int, score float64) found {
	start, end := r.span(i, j)
	if j > i+1 && r.isPointed(j-2) || j > i+3 && r.sign(j-1) == '.' && r.isGlued(j-1) && r.sign(j-3) == '.' && r.tokens[j-2].sort == digits { // "den 3.", "3.12."
		end = r.tokens[j-1].end
	}
	return found{Value{Value: v, Text: r.text[start:end], Start: start, End: end, Score: score}, i, j}
}

// refusal is what was said for a value that is none.
func (r *reading) refusal(why *problem, i, j int) found {
	v := r.value(nil, i, j, 0.5)
	v.Reason = r.language.Say(why.key, why.args)
	return v
}

// problem is why something that was said is no value: a message that has not been put into words yet.
type problem struct {
	key  Key
	args Args
}

func because(key Key, args Args) *problem { return &problem{key, args} }

// found is a value with the tokens that say it: from i to before j.
type found struct {
	Value
	i, j int
}

// scan reads one value of a kind that begins at a token.
type scan func(r *reading, i int) (v found, ok bool)

// all is every value that a scan finds, from left to right. The words of one value belong to no other.
func (r *reading) all(one scan) []found {
	if one == nil {
		return nil
	}
	var values []found
	for i := 0; i < len(r.tokens); {
		v, ok := one(r, i)
		if !ok || v.j <= i {
			i++
			continue
		}
		values = append(values, v)
		i = v.j
	}
	return values
}

// scanner finds values of a slot's kind; nil for texts and lists, which have no beginning of their own.
func (s Slot) scanner(of *language) scan {
	if s.inWords() {
		return nil
	}
	return s.kind().scan(s, of)
}

// Find is every value of a slot's kind that an utterance holds, from left to right, with its place. A text is the
// whole utterance, and a list all its members. Values that cannot be have a Reason, and those that a word beside them
// changes have it in Left. A number of things is no money,
// and a value that is denied is none: "not on Tuesday".
func (l Locale) Find(slot Slot, text string, now time.Time) []Value {
	r := l.reading(text, now)
	r.after, r.was = slot.After, slot.Was
	if slot.Asked != "" {
		r.question = foldedSet(slot.Asked)
	}
	if slot.inWords() {
		if v, ok := r.answer(slot); ok {
			return []Value{v}
		}
		return nil
	}
	var values []Value
	for _, v := range r.all(slot.scanner(r.language)) {
		if slot.kind().money && v.Reason == "" && r.isThing(v) || r.refused(v) {
			continue
		}
		values = append(values, r.touched(slot, v).Value)
	}
	return values
}
