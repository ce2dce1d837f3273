package phrase

import "time"

// nthWeekday reads "the first monday in december", "the last friday of next month", "third tuesday after christmas",
// "3 fridays from now".
func (r *reading) nthWeekday(i int) (dated, bool) {
	if d, ok := r.weekdaysAway(i); ok {
		return d, true
	}
	at := r.past(i, "the")
	n, ok := r.language.Values.Ordinals[r.word(at)]
	if digit, j, ordinal, is := r.nth(at); is && ordinal && !ok {
		n, ok, at = digit, true, j-1
	}
	if !ok || n > 5 {
		return dated{}, false
	}
	weekday, ok := r.language.weekdays[r.word(at+1)]
	if at += 2; !ok || n == 0 {
		return dated{}, false
	}
	if r.word(at) == "after" && n > 0 {
		d, ok := r.from(at + 1)
		d.day = d.day.add(1).nth(n, weekday)
		return d, ok
	}
	if !r.is(at, "of", "in") {
		return dated{}, false
	}
	month, given := r.language.months[r.word(r.past(at+1, "the"))]
	if given {
		return r.nthIn(n, weekday, month, r.past(at+1, "the")+1), true
	}
	months, j, ok := r.whichMonth(at)
	if !ok {
		return r.nthInYear(n, weekday, at+1)
	}
	first := r.today()
	first.day = 1
	first = first.addMonths(months)
	d := dated{day: first.nth(n, weekday), j: j, score: 1}
	if d.month != first.month {
		d.clash = because(NoWeekday, Args{"weekday": weekday})
	}
	return d, true
}

// nthInYear is the n-th weekday of a year that stands at a token: "of the year", "of next year". One that is over is asked about.
func (r *reading) nthInYear(n int, w time.Weekday, at int) (dated, bool) {
	at = r.past(at, "the")
	years, j, ok := r.oneOf(at, "year")
	if r.word(at) == "year" && !ok {
		j, ok = at+1, true
	}
	month := time.January
	if n < 0 {
		month = time.December
	}
	d := dated{day: day{r.today().year + years, month, 1}.nth(n, w), j: j, score: 1}
	d.recent = d.before(r.today())
	return d, ok
}

// nthIn is the n-th weekday of a month, of the year that stands at a token, or else of the first in which it is not past.
func (r *reading) nthIn(n int, w time.Weekday, month time.Month, i int) dated {
	if r.sign(i) == '.' && r.isGlued(i) && len(r.folded(i-1)) <= 5 {
		i++
	}
	first := day{r.today().year, month, 1}
	year, j, said := r.year(i)
	if said {
		first.year = year
	} else {
		j = i
	}
	d := dated{day: first.nth(n, w), j: j, score: 1}
	if !said && d.before(r.today()) {
		first.year++
		d.day = first.nth(n, w)
	}
	if d.month != month {
		d.clash = because(NoWeekday, Args{"weekday": w})
	}
	return d
}

// weekdaysAway reads "3 fridays from now", "two mondays ago".
func (r *reading) weekdaysAway(i int) (dated, bool) {
	n, j, ok := r.count(i)
	weekday, is := r.language.weekdays[r.word(j)]
	if !ok || !is || n < 1 || n > 100 {
		return dated{}, false
	}
	end, ahead := r.at(j+1, "from", "now")
	if ahead {
		return dated{day: r.today().add(1).nth(n, weekday), j: end, score: 1}, true
	}
	if r.is(j+1, "ago", "back") {
		last := r.today().add(-1)
		return dated{day: last.add(-((int(last.weekday()-weekday)+7)%7 + 7*(n-1))), j: j + 2, score: 1}, true
	}
	return dated{}, false
}

// nth is the n-th such weekday from the first day of a month on; the last one for -1.
func (d day) nth(n int, w time.Weekday) day {
	if n < 0 {
		last := day{d.year, d.month, daysIn(d.year, d.month)}
		return last.add(-((int(last.weekday()-w) + 7) % 7))
	}
	return d.add((int(w-d.weekday())+7)%7 + 7*(n-1))
}

// weeksBehind reads "in two weeks" and "week" behind a weekday, and is how many days later that is.
func (r *reading) weeksBehind(i int) (days, j int, ok bool) {
	if r.word(i) == "week" && r.word(i+1) != "after" {
		return 7, i + 1, true
	}
	if days, ok := r.fewWeeks(i + 1); ok && r.folded(i) == "en" { // "mardi en huit"
		return days, i + 2, true
	}
	from, back := r.agoBefore(i)
	if r.word(i) != "in" && !back {
		return 0, i, false
	}
	if !back {
		from = i + 1
	}
	n, j, ok := r.count(from)
	if unit := r.language.spans[r.word(j)]; ok && unit.days > 0 && unit.days%7 == 0 {
		if back {
			n = -n
		}
		return n * unit.days, j + 1, true
	}
	return 0, i, false
}

// weeksOn reads "a week on monday", "two weeks on friday".
func (r *reading) weeksOn(i int) (dated, bool) {
	n, j, ok := r.count(i)
	unit := r.language.spans[r.word(j)]
	if !ok || unit.days == 0 || unit.days%7 != 0 {
		return dated{}, false
	}
	if d, said := r.spoken(j + 1); said && d.name == "" && !d.before(r.today()) && r.language.meant == nil && !r.language.is(r.folded(i-1), lasting) { // a week tomorrow
		d.day = d.day.add(n * unit.days)
		return d, true
	}
	if r.word(j+1) != "on" {
		return dated{}, false
	}
	d, ok := r.weekday(j + 2)
	d.day = d.day.add(n * unit.days)
	return d, ok
}

// vague reads days that are not said: "next week", "this month", "at the weekend". Which one is a question.
func (r *reading) vague(i int) (dated, bool) {
	at, ahead := i, ""
	if w := r.word(at); w == "the" || w == "this" || w == "next" || w == "coming" || w == "following" {
		at, ahead = at+1, w
	}
	if behind := r.word(at + 1); (ahead == "" || ahead == "the") && (behind == "next" || behind == "coming") {
		ahead = behind
	}
	w := r.word(at)
	if weekend := r.language.weekends[w]; !weekend && (ahead == "" || ahead == "the" || r.language.spans[w].days < 7 && r.language.spans[w].months == 0) {
		return dated{}, false
	}
	d := dated{day: r.today(), j: r.past(at+1, "next", "coming", "last"), score: 1}
	d.clash = because(WhichDay, Args{"said": r.said(i, d.j)})
	return d, true
}

// Span finds two days that are said as a period: "from 3 to 10 december", "monday to friday".
func (l Locale) Span(text string, now time.Time) (from, to Value, ok bool) {
	r := l.reading(text, now)
	for i := range r.tokens {
		if from, to, ok := r.period(i); ok {
			return from, to, true
		}
	}
	return Value{}, Value{}, false
}

func (r *reading) period(i int) (from, to Value, ok bool) {
	at := r.past(i, "from", "between", "of")
	var a dated
	dayOnly := false
	n, j, _, ok := r.nth(r.past(at, "the"))
	if ok && r.sign(j) == '.' && r.isGlued(j) {
		j++
	}
	if ok && r.isUntil(j) && !(r.isGlued(at) && r.tokens[at-1].sort == mark) {
		a, dayOnly = dated{day: day{day: n}, j: j, score: 1}, true
	} else if a, ok = r.date(at); !ok || !r.isUntil(a.j) {
		return Value{}, Value{}, false
	}
	b, ok := r.date(a.j + 1)
	if !ok || b.wrong() != nil {
		return Value{}, Value{}, false
	}
	if dayOnly {
		if a.day = (day{b.year, b.month, n}); a.wrong() == nil && b.before(a.day) {
			return Value{}, Value{}, false
		}
	}
	if a.wrong() != nil || b.before(a.day) {
		return Value{}, Value{}, false
	}
	return r.value(a.String(), at, a.j, a.score).Value, r.value(b.String(), a.j+1, b.j, b.score).Value, true
}

// isUntil reports whether a word or a dash that leads to the end of a period stands at a token.
func (r *reading) isUntil(i int) bool {
	return r.is(i, "to", "until", "till", "til", "through", "and") || isMinus(r.sign(i))
}
