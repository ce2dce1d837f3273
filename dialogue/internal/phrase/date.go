package phrase

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Date is the kind of days: string, "2026-11-25".
var Date = &Kind{name: "date", scan: always((*reading).dateAt), none: (*reading).noDay, bare: true, exact: true, days: true}

// How days are meant:
//
//   - A weekday by itself is the first such day after today: said on a Friday, "friday" is in a week. "This friday" may
//     be today; "coming" is as by itself; "last" is the latest such day before today.
//   - "Next friday" is the Friday of the next week, and weeks begin on Monday: said on a Wednesday it is nine days away,
//     said on a Sunday five.
//   - A day of the month by itself ("the 3rd") is the next such day, today included; months that do not have it are
//     passed over. A day without a year ("3 May") is never in the past either, and 29 February waits for a leap year.
//   - A day with its year is what was said, in the past or not. Of two digits, 69 to 99 are of the last century.
//   - "In a month" is the same day of the next month, or its last day when it has no such day.
//   - 3/5 is in the order of the locale, unless only the other order is a day at all.

// day is a day of the calendar.
type day struct {
	year  int
	month time.Month
	day   int
}

func dayOf(t time.Time) day { return day{t.Year(), t.Month(), t.Day()} }

func (d day) noon() time.Time { return time.Date(d.year, d.month, d.day, 12, 0, 0, 0, time.UTC) }

func (d day) add(days int) day { return dayOf(d.noon().AddDate(0, 0, days)) }

func (d day) before(e day) bool { return d.noon().Before(e.noon()) }

func (d day) weekday() time.Weekday { return d.noon().Weekday() }

// String is the day as values have it.
func (d day) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, int(d.month), d.day) }

// daysIn is how many days a month has; of February in a leap year, when the year is 0.
func daysIn(year int, month time.Month) int {
	if year == 0 {
		year = 2000
	}
	return time.Date(year, month+1, 0, 12, 0, 0, 0, time.UTC).Day()
}

// addMonths is the same day of another month, or its last.
func (d day) addMonths(n int) day {
	first := time.Date(d.year, d.month+time.Month(n), 1, 12, 0, 0, 0, time.UTC)
	return day{first.Year(), first.Month(), min(d.day, daysIn(first.Year(), first.Month()))}
}

// wrong says why there is no such day; nil where there is one.
func (d day) wrong() *problem {
	switch {
	case d.month < 1 || d.month > 12:
		return because(NoMonth, Args{"month": int(d.month)})
	case d.year < 0 || d.year > 9999:
		return because(FarAway, nil)
	case d.day < 1 || d.day > daysIn(d.year, d.month):
		if d.day == 29 && d.month == time.February {
			return because(NoLeapDay, Args{"month": d.month, "year": d.year, "day": d.day})
		}
		return because(NoDay, Args{"month": d.month, "day": d.day})
	}
	return nil
}

// dated is a day as it was said: up to before a token.
type dated struct {
	day
	j      int
	score  float64
	noYear bool     // the year was not said
	clash  *problem // why it is no date, besides that there is no such day

	again  func(year int) day // of a holiday without a year: when it is in another one
	name   string             // of that holiday
	recent bool               // another one may be meant, such as the last one of a holiday that is just over: the user is asked
}

// wrong says why it is no date; nil where it is one.
func (d dated) wrong() *problem {
	if why := d.day.wrong(); why != nil {
		return why
	}
	return d.clash
}

// dateAt reads a date that begins at a token.
func (r *reading) dateAt(i int) (found, bool) {
	d, ok := r.date(i)
	if !ok {
		return found{}, false
	}
	if why := d.wrong(); why != nil {
		return r.refusal(why, i, d.j), true
	}
	f := r.value(d.String(), i, d.j, d.score)
	if d.recent {
		f.Left = f.Text
	}
	return f, true
}

// date reads a date, which may be one that does not exist.
func (r *reading) date(i int) (dated, bool) {
	if i >= len(r.tokens) {
		return dated{}, false
	}
	for _, read := range []func(*reading, int) (dated, bool){
		(*reading).beside, (*reading).holiday, (*reading).spoken, (*reading).dayWithin, (*reading).weekdayInWeeks, (*reading).away, (*reading).named, (*reading).inDigitsOnly, (*reading).nthWeekday, (*reading).weekday, (*reading).weeksOn,
		(*reading).endOf, (*reading).dayAndMonth, (*reading).inOrdinals, (*reading).dayOfMonth, (*reading).bareDigits, (*reading).vague,
	} {
		if d, ok := read(r, i); ok {
			if year, said := r.yearBehindTime(d.j); d.noYear && said {
				d.year, d.noYear = year, false
			} else if d.noYear {
				d.day = r.nextYear(d.day)
				d.recent = d.recent || r.waits(d.day)
			}
			d.j = r.pastWeekday(d)
			return d, true
		}
	}
	return dated{}, false
}

// waits reports whether 29 February without a year is in a later one than other days of its month would be: the next
// February has no such day.
func (r *reading) waits(d day) bool {
	return d.month == time.February && d.day == 29 && d.wrong() == nil && r.nextYear(day{month: time.February, day: 28}).year < d.year
}

func (r *reading) today() day { return dayOf(r.now) }

// nextYear gives a day without a year the first one in which it is not in the past.
func (r *reading) nextYear(d day) day {
	d.year = 0
	if d.wrong() != nil {
		return d
	}
	today := r.today()
	for d.year = today.year; d.wrong() != nil || d.before(today); d.year++ {
		if d.year > today.year+8 {
			break
		}
	}
	return d
}

// spoken reads "tomorrow", "the day after tomorrow".
func (r *reading) spoken(i int) (dated, bool) {
	k, at := slices.BinarySearch(r.says, i)
	if !at {
		return dated{}, false
	}
	if days, n := r.language.days.at(r.line, k); n > 0 && !(n == 1 && r.isDayPart(i)) {
		d := dated{day: r.today().add(days), j: r.says[k+n-1] + 1, score: 1}
		if more, j, ok := r.weeksBehind(d.j); ok { // "heute in drei Wochen"
			d.day, d.j = d.day.add(more), j
		} else if e, j, ok := r.lasting(d.j + 1); ok && r.word(d.j) == "in" && e.months == 0 && e.time == 0 && e.days != 8 && e.days != 15 { // "heute in 14 Tagen"
			d.day, d.j = d.day.add(e.days), j
		}
		return d, true
	}
	return dated{}, false
}

// withYear reads a year behind a date at a token.
func (r *reading) withYear(d *dated, i int) bool {
	year, j, ok := r.year(i)
	if ok {
		d.year, d.j, d.noYear = year, j, false
	}
	return ok
}

// small is a number of one or two digits at a token, with the token behind it.
func (r *reading) small(i int) (n, j int, ok bool) {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].sort != digits || len(r.tokens[i].fold) > 2 {
		return 0, i, false
	}
	return value(r.tokens[i].fold), i + 1, true
}

// value is a run of few digits.
func value(s string) int {
	n := 0
	for _, b := range []byte(s) {
		n = n*10 + int(b-'0')
	}
	return n
}

// inDigitsOnly reads 2026-05-03, 3/5, 3/5/26, 3.5.2026.
func (r *reading) inDigitsOnly(i int) (dated, bool) {
	if r.tokens[i].sort != digits || r.isGlued(i) && (r.tokens[i-1].sort != mark || r.isGlued(i-1) && r.tokens[i-2].sort == digits) {
		return dated{}, false
	}
	var parts []int
	var first, last string
	sign := r.sign(i + 1)
	j := i
	for n := 0; n < 3 && j < len(r.tokens) && r.tokens[j].sort == digits && len(r.tokens[j].fold) <= 4; n++ {
		if n > 0 && !r.isGlued(j) {
			return dated{}, false
		}
		if n == 0 {
			first = r.tokens[j].fold
		}
		last = r.tokens[j].fold
		parts = append(parts, value(last))
		j++
		if n == 2 || r.sign(j) != sign || !r.isGlued(j) || !r.isGlued(j+1) {
			break
		}
		j++
	}
	if sign != '/' && sign != '.' && sign != '-' || r.isGlued(j) && r.sign(j) == sign && r.isGlued(j+1) && r.tokens[j+1].sort == digits {
		return dated{}, false
	}
	d := dated{j: j, score: 1}
	switch {
	case len(parts) == 3 && len(first) == 4:
		d.day = day{parts[0], time.Month(parts[1]), parts[2]}
		return d, true
	case len(parts) == 3 && (len(last) == 2 || len(last) == 4) && len(first) <= 2:
		year := parts[2]
		if len(last) == 2 {
			year = century(year)
		}
		d.day = day{year: year}
	case len(parts) == 2 && sign == '/' && len(first) <= 2 && len(last) <= 2:
		d.noYear = true
	case len(parts) == 2 && sign == '.' && len(first) <= 2 && len(last) <= 2 && r.sign(j) == '.' && r.isGlued(j): // 3.12.
		d.noYear, d.j = true, j+1
	default:
		return dated{}, false
	}
	r.ordered(&d, parts[0], parts[1])
	r.pointed(&d, sign, parts[0], parts[1])
	return d, true
}

// dayFirst reports whether days stand before months.
func (r *reading) dayFirst() bool { return r.locale.DayFirst || r.language.Values.DayFirst }

func century(year int) int {
	if year >= 69 {
		return 1900 + year
	}
	return 2000 + year
}

// ordered takes two numbers for a day and a month in the locale's order.
func (r *reading) ordered(d *dated, a, b int) {
	if !r.dayFirst() {
		a, b = b, a
	}
	if b > 12 && a <= 12 { // only the other order is a day
		a, b = b, a
		d.score = 0.8
	}
	d.day.day, d.month = a, time.Month(b)
}

// year reads a year behind a date: "2027", ", 2027", "of 1995", "in the year 2020", "nineteen eighty six", "of 87", "next year".
func (r *reading) year(i int) (year, j int, ok bool) {
	at := i
	if r.sign(at) == ',' {
		at++
	}
	of := r.past(at, "of", "in")
	if of > at {
		of = r.past(r.past(of, "the"), "year")
	}
	if year, j, ok = r.yearAt(of); ok {
		return year, j, true
	}
	if years, j, ok := r.oneOf(r.past(of, "the"), "year"); ok {
		return r.today().year + years, j, true
	}
	if isApostrophe(r.sign(of)) && r.isGlued(of+1) {
		of++
	}
	if short, end, two := r.small(of); two && (of > at || short > 31) && len(r.tokens[of].fold) == 2 && r.isEnd(end) && !r.goesOnBehind(end) { // 3 Feb 82
		return century(short), end, true
	}
	return 0, i, false
}

// yearAt reads four digits, or a year in words.
func (r *reading) yearAt(i int) (year, j int, ok bool) {
	if i < len(r.tokens) && r.tokens[i].sort == digits && len(r.tokens[i].fold) == 4 && !(r.isGlued(i+1) && r.tokens[i+1].sort != mark) {
		return value(r.tokens[i].fold), i + 1, true
	}
	if i >= len(r.tokens) || r.tokens[i].sort != letters {
		return 0, i, false
	}
	if n, ok := r.inWords(i); ok && n.IsInt() && n.Cmp(&newDecimal(1000).Rat) >= 0 && n.Cmp(&newDecimal(3000).Rat) < 0 {
		return int(n.Num().Int64()), n.j, true
	}
	hundreds, j, ok := r.belowHundred(i)
	if !ok || hundreds < 17 || hundreds > 20 {
		return 0, i, false
	}
	rest, j, ok := r.belowHundred(j)
	return int(hundreds*100 + rest), j, ok && rest >= 10
}

// nth reads the number of a day: "3", "3rd", "third", "twenty-first".
func (r *reading) nth(i int) (n, j int, ordinal, ok bool) {
	if n, j, ok := r.small(i); ok {
		if r.isGlued(j) && r.tokens[j].sort == letters {
			if r.language.endings[r.tokens[j].fold] {
				return n, j + 1, true, true
			}
			_, month := r.language.months[r.word(j)]
			return n, j, false, month // 14april
		}
		return n, j, false, true
	}
	if n, ok := r.language.Values.Ordinals[r.word(i)]; ok && n > 0 {
		return n, i + 1, true, true
	}
	if n, ok := r.language.Values.DayOrdinals[r.word(i)]; ok {
		return n, i + 1, true, true
	}
	if tens, ok := r.language.Values.Units[r.word(i)]; ok && tens == 20 || tens == 30 {
		at := i + 1
		if r.sign(at) == '-' {
			at++
		}
		if ones, ok := r.language.Values.Ordinals[r.word(at)]; ok && ones > 0 && ones < 10 {
			return int(tens) + ones, at + 1, true, true
		}
	}
	return 0, i, false, false
}

// dayAndMonth reads "3 May", "the 3rd of May 2027", "May 3rd", "may the third".
func (r *reading) dayAndMonth(i int) (dated, bool) {
	at := i
	month, leads := r.language.months[r.word(at)]
	if leads {
		if at++; r.sign(at) == '.' && r.isGlued(at) {
			at++
		}
		if r.sign(at) == '/' && r.isGlued(at) && r.isGlued(at+1) { // oct/2
			at++
		}
	}
	n, j, ordinal, ok := r.nth(r.past(at, "the"))
	if !ok && leads && r.sign(at) == ',' { // october, 1st
		n, j, ordinal, ok = r.nth(r.past(at+1, "the"))
		ok = ok && ordinal
	}
	if !ok {
		n, j, ok = r.dayInWords(at)
	}
	if !ok || leads && r.sign(j) == ':' && r.isGlued(j) {
		return dated{}, false
	}
	if !leads {
		if end, named := r.at(j, "day", "of"); named && ordinal {
			j = end
		} else if r.word(j) == "of" || r.sign(j) == '.' || r.sign(j) == '-' && r.isGlued(j) {
			j++
		}
		if month, ok = r.language.months[r.word(j)]; !ok {
			return dated{}, false
		}
		j++
	}
	if r.sign(j) == '.' && r.isGlued(j) && !r.isGlued(j+1) && len(r.folded(j-1)) <= 5 {
		j++ // Sept., janv.
	}
	d := dated{day: day{month: month, day: n}, j: j, score: 1, noYear: true}
	if !leads && r.sign(j) == '-' && r.isGlued(j) && r.withYear(&d, j+1) {
		return d, true
	}
	r.withYear(&d, j)
	return d, true
}

// dayOfMonth reads "the 3rd", "3rd", "the third", "the 3rd of next month".
func (r *reading) dayOfMonth(i int) (dated, bool) {
	at := r.past(i, "the")
	n, j, ordinal, ok := r.nth(at)
	end := r.past(j, "day")
	pointed := ok && !ordinal && r.dayFirst() && r.sign(j) == '.' && r.isGlued(j)
	if pointed { // "am 3. nächsten Monats"
		end = j + 1
	}
	if ok && (ordinal || pointed || r.word(end) == "of") {
		if months, end, of := r.whichMonth(end); of && n >= 1 && n <= 31 { // of this month
			first := r.today()
			first.day = 1
			first = first.addMonths(months)
			return dated{day: day{first.year, first.month, n}, j: end, score: 0.9}, true
		}
	}
	if r.language.Values.Cardinals && at > i && ok && !r.isSomething(j) {
		ordinal = true
	}
	if ok && !ordinal && r.isPointed(at) && (at > i || r.is(i-1, "until", "of") || r.language.is(r.folded(i-1), joint)) { // "am 3.", "zum 5."
		ordinal, j = true, j+1
	}
	if !ok || !ordinal || at == i && r.tokens[at].sort == letters || r.numbers(j) || r.sign(j) == '/' && r.isGlued(j) && r.isGlued(j+1) { // "le 2/3"
		return dated{}, false
	}
	d := dated{day: r.today(), j: j, score: 0.9}
	if n < 1 || n > 31 {
		d.day = day{month: d.month, day: n}
		return d, true
	}
	first := r.today()
	if day, _, ok := r.known(); ok { // "on the 6th instead"
		first = day
	}
	for month := range 12 {
		c := day{first.year, first.month, 1}.addMonths(month)
		c.day = n
		if c.wrong() == nil && !c.before(r.today()) {
			d.day = c
			break
		}
	}
	return d, true
}

// numbers reports whether a noun that is no word of a date stands behind an ordinal, at a token: "the 3rd floor", "my 3rd time here".
func (r *reading) numbers(j int) bool {
	if j >= len(r.tokens) || r.tokens[j].sort != letters || r.parted(r.spokenAt(j)) {
		return false
	}
	if word := r.folded(j); slices.Contains(strings.Fields(r.language.Values.Times), word) {
		return true
	} else if r.language.is(word, suiting|asking|polite) || r.carrying(Slot{}, r.spokenAt(j)) > 0 || r.isValueTerm(j) || r.saysDay(j) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(r.text[r.tokens[j].start:])
	return r.isSomething(j) && (!r.language.Values.Capitals || unicode.IsUpper(first))
}

// whichMonth reads "of this month", "of the next month", "in the previous month".
func (r *reading) whichMonth(i int) (months, j int, ok bool) {
	at := r.past(i, "of", "in")
	if r.word(r.past(at, "the")) != "month" {
		at = r.past(at, "the")
	}
	if months, j, ok = r.oneOf(at, "month"); ok {
		return months, j, true
	}
	if months, j, ok = r.inMonths(i); ok {
		return months, j, true
	}
	return 0, at + 2, r.word(at) == "the" && r.word(at+1) == "month"
}

// oneOf reads "next week", or "week next" as some languages have it, and is how many such units ahead that is.
func (r *reading) oneOf(i int, unit string) (n, j int, ok bool) {
	if end, ok := r.at(i, unit, "after", "next"); ok {
		return 2, end, true
	}
	switch {
	case r.word(i+1) == unit:
		n, ok = whichOne[r.word(i)]
	case r.word(i) == unit:
		n, ok = whichOne[r.word(i+1)]
	}
	return n, i + 2, ok
}

// whichOne is how many weeks, months or years ahead one is: "next week".
var whichOne = map[string]int{
	"this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1, "following": 1, "overnext": 2, "last": -1, "previous": -1, "past": -1,
}

// dayInWords reads the number of a day that is no ordinal: "may twenty nine".
func (r *reading) dayInWords(i int) (n, j int, ok bool) {
	if i >= len(r.tokens) || r.tokens[i].sort != letters {
		return 0, i, false
	}
	units, j, ok := r.belowHundred(i)
	return int(units), j, ok && units >= 1 && units <= 31
}
