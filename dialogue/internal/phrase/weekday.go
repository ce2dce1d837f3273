package phrase

import (
	"slices"
	"strings"
	"time"
)

// weekday reads "friday", "next friday", "this coming friday", "friday next week", "last week's friday", "friday, 27 November".
func (r *reading) weekday(i int) (dated, bool) {
	at, which := r.whichDay(i)
	day, j, ok := r.weekdayAt(at)
	if !ok || len(r.word(at)) <= 3 && r.word(at-1) == "the" && r.language.meant == nil {
		return dated{}, false
	}
	if which == "" {
		if d, ok := r.withDate(j, day); ok {
			return d, true
		}
		if which, j = r.whichWeek(j); which == "" && r.is(j, "next", "coming", "last") && r.language.spans[r.word(j+1)] == (span{}) && r.word(j+1) != "week" {
			which, j = r.word(j), j+1
		}
	}
	d := dated{day: r.on(day, which), j: j, score: 1}
	if other := r.on(day, "").add(7); which == "overnext" && other != d.day { // "übernächsten Freitag", said on a Wednesday
		d.clash = because(WhichOne, Args{"choices": r.language.Any([]string{other.shown(r.language.Language), d.shown(r.language.Language)})})
	}
	if r.recurs(at) {
		d.clash = because(WhichDay, Args{"said": r.said(i, j)})
		return d, true
	}
	if which != "" {
		return d, true
	}
	if beside, ok := r.besideDay(day, j); ok && (at == 0 || r.is(at-1, "the", "on") || r.tokens[at-1].sort == mark) {
		return beside, true
	}
	if j, ok := r.at(j, "after", "next"); ok {
		d.day, d.j = r.on(day, "next").add(7), j
	} else if n, end, ok := r.weeksFromNow(r.pastOn(j)); ok && r.word(end-1) == "now" {
		return r.inWeeks(day, n, end), true
	} else if days, j, ok := r.weeksBehind(j); ok {
		d.day, d.j = d.day.add(days), j
	} else if known, _, ok := r.known(); ok && known.weekday() == day && !known.before(r.today()) && r.weekdays() == 1 { // "yes, Thursday", of a day that is one
		d.day = known
	}
	return d, true
}

// weekdays is how many weekdays were said.
func (r *reading) weekdays() (n int) {
	for _, t := range r.says {
		if _, is := r.language.weekdays[r.word(t)]; is {
			n++
		}
	}
	return n
}

// recurs reports whether a weekday at a token is one that comes again and again: "Fridays", "freitags". "Friday's" is one day.
func (r *reading) recurs(i int) bool {
	t := r.tokens[i]
	return t.fold == t.right+"s" && !strings.ContainsFunc(r.text[t.start:t.end], isApostrophe)
}

// weekdayAt reads the name of a weekday. A short one that is another word, too, has to stand before a point, before a comma,
// or where a day is asked for.
func (r *reading) weekdayAt(i int) (w time.Weekday, j int, ok bool) {
	j = i + 1
	point := r.sign(j) == '.' && r.isGlued(j) && len(r.word(i)) <= 5
	if w, ok = r.language.weekdays[r.word(i)]; !ok {
		n := slices.Index(strings.Fields(r.language.Values.ShortWeekdays), r.folded(i))
		if n < 0 || !(point || r.isDayOfMonth(j) || r.sign(j) == ',' && j+1 < len(r.tokens) && r.tokens[j+1].sort == digits || r.bare && len(r.says) == 1) {
			return 0, i, false
		}
		w, ok = time.Weekday(n), true
	}
	if point {
		j++
	}
	return w, j, ok
}

// isDayOfMonth reports whether a day and its month stand at a token: "7.12.".
func (r *reading) isDayOfMonth(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].sort != digits {
		return false
	}
	d, ok := r.inDigitsOnly(i)
	if !ok {
		d, ok = r.dayAndMonth(i)
	}
	return ok && r.nextYear(d.day).wrong() == nil
}

// whichDay reads what stands before a weekday and says which one is meant: "next", "this coming", "last week's".
func (r *reading) whichDay(i int) (at int, said string) {
	at = i
	if r.word(at) == "the" && r.is(at+1, "next", "coming", "following", "upcoming", "last", "previous") {
		at++
	}
	w := r.word(at)
	if end, ok := r.at(r.past(at, "the"), "week", "after", "next"); ok {
		return r.onDay(end), "overnext week"
	}
	if _, known := whichOne[w]; !known || w == "current" {
		return i, ""
	}
	if r.is(at+1, "week", "weeks") { // next week on friday, last week's friday
		return r.onDay(at + 2), w + " week"
	}
	if at, said = at+1, w; w == "this" && r.is(at, "coming", "next", "upcoming", "past", "following") {
		if said = "coming"; r.word(at) == "past" {
			said = "last"
		}
		at++
	}
	return at, said
}

// onDay is the token behind what leads from a week to one of its days: "on".
func (r *reading) onDay(at int) int {
	for r.is(at, "on", "the") || r.sign(at) == ',' || isMinus(r.sign(at)) {
		at++
	}
	return at
}

// whichWeek reads "next week", "of next week", "from last week", "week" behind a weekday.
func (r *reading) whichWeek(i int) (said string, j int) {
	at := r.past(r.past(i, "of", "from", "in"), "the")
	if end, ok := r.at(at, "week", "after", "next"); ok {
		return "overnext week", end
	}
	if _, end, ok := r.oneOf(at, "week"); ok {
		if r.word(at) == "week" { // as some languages have it
			at++
		}
		return r.word(at) + " week", end
	}
	return "", i
}

// on is the weekday that is meant.
func (r *reading) on(w time.Weekday, said string) day {
	today := r.today()
	ahead := (int(w-today.weekday()) + 7) % 7
	word, week := strings.CutSuffix(said, " week")
	switch {
	case week || word == "next" || word == "overnext":
		monday := today.add(7*whichOne[word] - (int(today.weekday())+6)%7)
		return monday.add((int(w) + 6) % 7)
	case word == "this":
		return today.add(ahead)
	case whichOne[word] < 0:
		if ahead == 0 {
			return today.add(-7)
		}
		return today.add(ahead - 7)
	}
	if ahead == 0 {
		ahead = 7
	}
	return today.add(ahead)
}

// withDate reads a date behind a weekday, which has to be one.
func (r *reading) withDate(i int, w time.Weekday) (dated, bool) {
	for r.sign(i) == ',' || r.word(i) == "on" {
		i++
	}
	if i >= len(r.tokens) {
		return dated{}, false
	}
	if d, ok := r.withDayOf(i, w); ok {
		return d, true
	}
	for _, read := range []func(*reading, int) (dated, bool){(*reading).named, (*reading).inDigitsOnly, (*reading).dayAndMonth, (*reading).inOrdinals, (*reading).dayOfMonth} {
		at := i
		d, ok := read(r, at)
		if !ok && r.word(i) == "the" && i+1 < len(r.tokens) {
			d, ok = read(r, i+1)
		}
		if !ok {
			continue
		}
		if year, said := r.yearBehindTime(d.j); said && d.noYear {
			d.year = year
		} else if d.noYear {
			d.day = r.nextYear(d.day)
			r.shortYear(&d, w)
		}
		d.noYear = false
		if d.wrong() == nil && d.weekday() != w {
			d.clash = because(OtherWeekday, Args{"date": d.shown(r.language.Language), "weekday": d.weekday(), "said": w})
		}
		return d, true
	}
	return dated{}, false
}

// shortYear reads two digits of a year behind a date, where the weekday of the date says that they are one: "monday, 7 dec 26".
func (r *reading) shortYear(d *dated, w time.Weekday) {
	n, j, ok := r.small(d.j)
	if !ok || len(r.tokens[d.j].fold) != 2 || r.isGlued(d.j) || !r.isEnd(j) || r.isGlued(j) && r.goesOnBehind(j) || r.oclock(j) > j || r.isPart(j) || n < 25 && d.weekday() == w {
		return
	}
	other := day{century(n), d.month, d.day.day}
	if other.wrong() == nil && other.weekday() == w {
		d.day, d.j = other, j
	}
}

// withDayOf reads the number of a day behind its weekday: "friday the 13th", "monday 21". It is in this month or one of the
// next two; one that is further away is rather a mistake.
func (r *reading) withDayOf(i int, w time.Weekday) (dated, bool) {
	at := r.past(i, "the")
	n, j, ordinal, ok := r.nth(at)
	if !ok || n > 31 || !ordinal && at == i && n < 13 && !r.language.Values.Cardinals || r.tokens[at].sort == letters && at == i || r.goesOnAsDate(j) {
		return dated{}, false
	}
	for month := range 3 {
		d := day{r.today().year, r.today().month, 1}.addMonths(month)
		if d.day = n; d.wrong() == nil && !d.before(r.today()) && d.weekday() == w {
			return dated{day: d, j: j, score: 0.9}, true
		}
	}
	return dated{}, false
}

// goesOnAsDate reports whether what stands behind a number makes more of it than the number of a day.
func (r *reading) goesOnAsDate(j int) bool {
	_, month := r.language.months[r.word(j)]
	_, unit := r.language.spans[r.word(j)]
	sign := r.sign(j)
	more := r.isGlued(j) && (r.isGlued(j+1) && r.tokens[j].sort == mark && r.tokens[j+1].sort != mark || r.tokens[j].sort == letters)
	return month || unit || more || sign == '.' && !r.isEnd(j+1) || r.isHalf12(j) || r.is(j, "oclock", "of", "h") || r.oclock(j) > j
}

// endOf reads "the end of the month", "the first day of next month", "end of May", "the end of the year".
func (r *reading) endOf(i int) (dated, bool) {
	at := r.past(i, "the")
	end, about := false, false
	switch r.word(at) {
	case "end":
		end, about = true, true
	case "last":
		if r.word(at+1) != "day" {
			return dated{}, false
		}
		at, end = at+1, true
	case "first":
		if r.word(at+1) == "day" {
			at++
		}
	case "beginning", "start":
		about = true
	default:
		return dated{}, false
	}
	at++
	at = r.past(at, "of", "in")
	if _, month := r.language.months[r.word(at)]; at == i+1 && !month && r.word(at) != "month" && r.word(at) != "year" {
		return dated{}, false
	}
	d, ok := r.edge(at, end)
	d.recent = about // any of the last days may be meant, or of the first
	return d, ok
}

// edge is the first or the last day of a month or a year.
func (r *reading) edge(i int, end bool) (dated, bool) {
	first, ahead := r.today(), 0
	first.day = 1
	if month, ok := r.language.months[r.word(i)]; ok {
		d := dated{day: day{month: month, day: 1}, j: i + 1, score: 1}
		if year, j, ok := r.year(d.j); ok {
			d.year, d.j = year, j
		} else {
			d.day = r.nextYear(day{month: month, day: daysIn(first.year, month)})
			d.day.day = 1
		}
		return d.last(end, daysIn(d.year, d.month)), true
	}
	i = r.past(i, "the")
	if months, ok := whichOne[r.word(i)]; ok {
		i, ahead = i+1, months
	}
	switch r.word(i) {
	case "month":
		if !end && ahead == 0 {
			ahead = 1 // the beginning of the month is over
		}
		d := dated{day: first.addMonths(ahead), j: i + 1, score: 1}
		return d.last(end, daysIn(d.year, d.month)), true
	case "year":
		if !end && ahead == 0 {
			ahead = 1
		}
		d := dated{day: day{first.year + ahead, time.January, 1}, j: i + 1, score: 1}
		if end {
			d.month = time.December
		}
		return d.last(end, 31), true
	}
	return dated{}, false
}

func (d dated) last(end bool, of int) dated {
	if end {
		d.day.day = of
	}
	return d
}

// away reads "in 3 days", "in a fortnight", "two weeks from tomorrow", "3 days ago", "2 weeks before christmas".
func (r *reading) away(i int) (dated, bool) {
	at, in, after := i, false, r.word(i) == "after"
	if after {
		at++
	}
	if r.word(at) == "in" {
		at, in = at+1, true
		at = r.pastSharp(r.past(at, "about"))
	}
	behind, ago := r.agoBefore(i)
	if ago = ago && !in && !after; ago {
		at = behind
	}
	e, j, ok := r.lasting(at)
	if !ok || !e.whole() {
		return dated{}, false
	}
	if isApostrophe(r.sign(j)) && r.word(j+1) == "time" { // in two weeks' time
		j++
	}
	d, way := dated{day: r.today(), score: 1}, 1
	switch {
	case ago:
		d.j, way = j, -1
	case r.is(j, "ago", "back"):
		d.j, way = j+1, -1
	case r.word(j) == "from" && r.lasts(i, j): // "for 3 days from Monday"
		return dated{}, false
	case r.is(j, "before", "from", "after", "since", "past", "to"):
		if r.is(j, "before", "to") {
			way = -1
		}
		base, ok := r.from(j + 1)
		if !ok || (base.noYear || base.again != nil) && e.months >= 12 { // a year after which Christmas?
			return dated{}, false
		}
		d.day, d.j, d.clash, d.recent = base.day, base.j, base.clash, base.recent
	case r.is(j, "later", "earlier"):
		way, d.j = r.way(j)
		if d.day = r.base(); way < 0 && r.after == "" {
			return dated{}, false
		}
	case r.word(j) == "hence" || in && r.word(j) == "time":
		d.j = j + 1
	case after:
		d.day, d.j = r.base(), j
	case in:
		d.j = j
	default:
		return dated{}, false
	}
	d.day = d.day.addMonths(way * e.months).add(way * e.days)
	return d, true
}

// lasts reports whether a time that begins at a token, with "from" behind it at another one, is how long something takes and no way to
// count from a day: "for 3 days from Monday", "3 Tage ab Montag".
func (r *reading) lasts(i, from int) bool {
	return r.language.is(r.folded(from), since) || r.language.is(r.folded(i-1), lasting) || i > 1 && r.tokens[i-1].sort == letters && r.language.is(r.folded(i-2), lasting)
}

// agoBefore reads words before a time that has passed since, in languages that have such: "vor", "il y a".
func (r *reading) agoBefore(i int) (j int, ok bool) {
	k, found := slices.BinarySearch(r.says, i)
	if !found || len(r.language.ago.of) == 0 {
		return i, false
	}
	if _, n := r.language.ago.at(r.line, k); n > 0 {
		return r.says[k+n-1] + 1, true
	}
	return i, false
}

// base is the day that "two days later" is counted from.
func (r *reading) base() day {
	if t, err := time.Parse(time.DateOnly, r.after); err == nil {
		return dayOf(t)
	}
	if day, _, ok := r.known(); ok {
		return day
	}
	return r.today()
}

// from is the day that others are counted from.
func (r *reading) from(i int) (dated, bool) {
	if at := r.past(i, "right"); r.word(at) == "now" {
		return dated{day: r.today(), j: at + 1}, true
	}
	if r.nested > 0 { // "a day after a day after a day after"
		return dated{}, false
	}
	r.nested++
	d, ok := r.date(i)
	r.nested--
	return d, ok
}

// mostSpans is the greatest number of days, months or hours that are counted.
const mostSpans = 100_000

// count reads a whole number of days and the like: "3", "two", "a", "a couple of".
func (r *reading) count(i int) (n, j int, ok bool) {
	if w := r.word(i); (w == "a" || w == "an" || w == "one") && !r.isScale(i+1) && r.word(i+1) != "couple" && r.word(i+1) != "dozen" {
		return 1, i + 1, true
	}
	d, ok := r.unsigned(i)
	if !ok || d.long || !d.IsInt() || !d.Num().IsInt64() || d.Num().Int64() > mostSpans {
		return 0, i, false
	}
	return int(d.Num().Int64()), d.j, true
}
