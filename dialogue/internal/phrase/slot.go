package phrase

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/nearest"
)

// Kind is what sort of value is asked for.
type Kind string

// The kinds of values, and what a [Value] of each holds.
const (
	Text     Kind = "text"     // string: the words as they were said
	Number   Kind = "number"   // json.Number in decimal digits, no exponent
	Integer  Kind = "integer"  // json.Number without a fraction
	Money    Kind = "money"    // json.Number, in the locale's currency
	Date     Kind = "date"     // string, "2026-11-25"
	Time     Kind = "time"     // string, "15:30"
	DateTime Kind = "datetime" // string, RFC 3339 in the locale's zone
	Single   Kind = "choice"   // string, the Value of a Choice
	Boolean  Kind = "boolean"  // bool
	List     Kind = "list"     // []any of the values of Items
)

// Kinds are all kinds, in the order in which they are documented.
func Kinds() []Kind {
	return []Kind{Text, Number, Integer, Money, Date, Time, DateTime, Single, Boolean, List}
}

// Slot is what is asked for. The zero value is a text.
type Slot struct {
	Name    string
	Kind    Kind           // defaults to Text
	Choices []Choice       // of a choice: what there is to choose from, in the order in which it was offered
	Items   *Slot          // of a list: its members; defaults to texts
	Pattern *regexp.Regexp // of a text: what it has to match, as a whole; optional
	Names   []string       // what it is called, in words: "adults" may stand behind its number, "the recipient is" before its text
	Asked   string         // the question that is answered
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
	// Reason is why something that was said for a value is none: "February has no day 31". Empty when it is one.
	Reason string
}

func (s Slot) kind() Kind {
	if s.Kind == "" {
		return Text
	}
	return s.Kind
}

// inWords reports whether any words may be a value: a text, or a list, whose members are looked for in it.
func (s Slot) inWords() bool { return s.kind() == Text || s.kind() == List }

// check is what is wrong with a slot.
func (s Slot) check() error {
	switch s.kind() {
	case Single:
		if len(s.Choices) == 0 {
			return fmt.Errorf("a choice needs choices")
		}
	case List:
		if s.Items != nil && s.Items.kind() == List {
			return fmt.Errorf("a list of lists cannot be said")
		}
		if s.Items != nil {
			return s.Items.check()
		}
	case Text, Number, Integer, Money, Date, Time, DateTime, Boolean:
	default:
		var names []string
		for _, k := range Kinds() {
			names = append(names, string(k))
		}
		return fmt.Errorf("no kind %q%s; there are %s", s.Kind, nearest.Hint(string(s.Kind), names), strings.Join(names, ", "))
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
	after    string          // the day that others are counted from
	bare     bool            // a number by itself may be a time: that is what is asked for
}

func (l Locale) reading(text string, now time.Time) *reading {
	r := &reading{line: newLine(text), locale: l, language: l.language(), now: now.In(l.zone())}
	r.mend(nil)
	return r
}

// value is a value said with the tokens from i to before j.
func (r *reading) value(v any, i, j int, score float64) Value {
	start, end := r.span(i, j)
	return Value{Value: v, Text: r.text[start:end], Start: start, End: end, Score: score}
}

// refusal is what was said for a value that is none.
func (r *reading) refusal(reason string, i, j int) Value {
	v := r.value(nil, i, j, 0.5)
	v.Reason = r.language.reason(reason)
	return v
}

// reason says why a value is none in the language.
func (l *language) reason(english string) string {
	for _, rule := range l.reasons {
		if rule.of.MatchString(english) {
			return l.names.Replace(rule.of.ReplaceAllString(english, rule.as))
		}
	}
	return english
}

// found is a value with the tokens that say it: from i to before j.
type found struct {
	Value
	i, j int
}

// scan reads one value of a kind that begins at a token.
type scan func(r *reading, i int) (v found, ok bool)

// all is every value that a scan finds, from left to right. What one value is said with belongs to no other.
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

// scanner is what finds values of a slot's kind; nil for texts and lists, which have no beginning of their own.
func (s Slot) scanner(of *language) scan {
	switch s.kind() {
	case Number:
		return (*reading).numberAt
	case Integer:
		return (*reading).integerAt
	case Money:
		return (*reading).moneyAt
	case Date:
		return (*reading).dateAt
	case Time:
		return (*reading).timeAt
	case DateTime:
		return (*reading).dateTimeAt
	case Single:
		return newChooser(s.Choices, of).at
	case Boolean:
		return (*reading).booleanAt
	}
	return nil
}

// Find is every value of a slot's kind that an utterance holds, from left to right, with its place. A text is the
// whole utterance, and a list all its members. Values that cannot be have a Reason. A number of things is no money.
func (l Locale) Find(slot Slot, text string, now time.Time) []Value {
	r := l.reading(text, now)
	r.after = slot.After
	switch slot.kind() {
	case Text, List:
		if v, ok := r.answer(slot); ok {
			return []Value{v}
		}
		return nil
	}
	var values []Value
	for _, v := range r.all(slot.scanner(r.language)) {
		if slot.kind() == Money && v.Reason == "" && r.isThing(v) {
			continue
		}
		values = append(values, v.Value)
	}
	return values
}
