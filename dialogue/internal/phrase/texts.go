package phrase

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
	tags "golang.org/x/text/language"
)

// Key names a message of the catalogue. The keys of slot types ("type.money") and patterns ("pattern.cancel") are texts
// that the package dialogue makes of their names.
type Key string

// Keys of messages. The comment names the arguments of each.
const (
	Quoted Key = "quoted" // said
	Yes    Key = "yes"
	No     Key = "no"
	Empty  Key = "empty" // a list without elements

	NotOfType       Key = "not_of_type"      // value, type
	Impossible      Key = "impossible"       // value
	WrongForm       Key = "wrong_form"       // said
	WrongList       Key = "wrong_list"       // said
	WrongMember     Key = "wrong_member"     // place, reason: a member of a list
	SeveralMeanings Key = "several_meanings" // said, choices
	NoSuchChoice    Key = "no_such_choice"   // count, said
	NoneTaken       Key = "none_taken"
	AnyTaken        Key = "any_taken"
	AllTaken        Key = "all_taken"
	SeveralTaken    Key = "several_taken"  // said
	LongNumber      Key = "long_number"    // digits: the most there may be
	NotWhole        Key = "not_whole"      // value
	LongAmount      Key = "long_amount"    // digits: the most there may be
	NoMoney         Key = "no_money"       // said
	OtherCurrency   Key = "other_currency" // said, currency
	TwoCurrencies   Key = "two_currencies" // said
	SmallAmount     Key = "small_amount"   // currency, count (of decimal places), value
	NoMonth         Key = "no_month"       // month: its number
	NoDay           Key = "no_day"         // month, day
	NoLeapDay       Key = "no_leap_day"    // month, year, day
	FarAway         Key = "far_away"
	OtherWeekday    Key = "other_weekday"  // date, weekday, said: the weekday that was said
	NoWeekday       Key = "no_weekday"     // weekday: a month has no fifth one
	WhichDay        Key = "which_day"      // said
	WhichTime       Key = "which_time"     // said
	WhichOne        Key = "which_one"      // choices: what was said for one value
	NoTime          Key = "no_time"        // time
	ClocksForward   Key = "clocks_forward" // time, date
	TimeMissing     Key = "time_missing"
	OneEnd          Key = "one_end"     // said: one of the two ends of a range
	Backwards       Key = "backwards"   // said: a range that ends before it begins
	NoZone          Key = "no_zone"     // said
	NoHoliday       Key = "no_holiday"  // said
	RangeBoth       Key = "range_both"  // from, to
	RangeLeast      Key = "range_least" // from: of numbers
	RangeMost       Key = "range_most"  // to
	RangeSince      Key = "range_since" // from: of days
	RangeUntil      Key = "range_until" // to
)

// A message with the argument count has a text for each plural form: the key and one of these. The Unicode plural rules
// of the language say which numbers take which form.
const (
	Zero  Key = ".zero"
	One   Key = ".one"
	Two   Key = ".two"
	Few   Key = ".few"
	Many  Key = ".many"
	Other Key = ".other"
)

// Texts are the messages of a language. "{name}" in one stands for an argument.
type Texts map[Key]string

// Args are the arguments of a message, by name: texts, numbers, months, weekdays and lists of texts.
type Args map[string]any

// Has reports whether the language has a message.
func (l *Language) Has(key Key) bool {
	_, ok := l.Texts[key]
	return ok
}

// Say returns a message with its arguments inserted. It never changes an argument.
func (l *Language) Say(key Key, args Args) string {
	text := l.Texts[key]
	if n, counted := args["count"].(int); counted {
		text = l.Texts[key+l.PluralOf(n)]
	}
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(text, "{")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		name, behind, _ := strings.Cut(rest, "}")
		b.WriteString(l.show(args[name]))
		text = behind
	}
}

// PluralOf returns the plural form that a number takes in the language.
func (l *Language) PluralOf(n int) Key {
	forms := map[plural.Form]Key{plural.Zero: Zero, plural.One: One, plural.Two: Two, plural.Few: Few, plural.Many: Many, plural.Other: Other}
	return forms[plural.Cardinal.MatchPlural(tags.Make(l.Tag), n, 0, 0, 0, 0)]
}

// show is an argument as the language has it.
func (l *Language) show(arg any) string {
	switch arg := arg.(type) {
	case string:
		return arg
	case int:
		return strconv.Itoa(arg)
	case time.Month:
		return strings.Fields(l.Months)[arg-1]
	case time.Weekday:
		return strings.Fields(l.Weekdays)[arg]
	}
	return ""
}

// Quote returns a user's words in the quotation marks of the language. Several blanks become one.
func (l *Language) Quote(said string) string {
	return l.Say(Quoted, Args{"said": strings.Join(strings.Fields(said), " ")})
}

// All returns the elements of a list: "A, B and C", or a word for none.
func (l *Language) All(elements []string) string {
	if len(elements) == 0 {
		return l.Say(Empty, nil)
	}
	return enumerated(elements, l.And)
}

// Any returns the alternatives of a list: "A, B or C".
func (l *Language) Any(elements []string) string { return enumerated(elements, l.Or) }

func enumerated(elements []string, last string) string {
	n := len(elements)
	if n < 2 {
		return strings.Join(elements, "")
	}
	return strings.Join(elements[:n-1], ", ") + last + elements[n-1]
}
