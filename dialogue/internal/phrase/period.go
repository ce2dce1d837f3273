package phrase

import "time"

// nthWeekday reads "the first monday in december", "the last friday of next month".
func (r *reading) nthWeekday(i int) (dated, bool) {
	at := i
	if r.word(at) == "the" {
		at++
	}
	n, ok := r.language.Values.Ordinals[r.word(at)]
	if !ok || n > 5 {
		return dated{}, false
	}
	weekday, ok := r.language.weekdays[r.word(at+1)]
	if at += 2; !ok || r.word(at) != "of" && r.word(at) != "in" {
		return dated{}, false
	}
	first, ok := r.edge(at+1, false)
	if !ok {
		return dated{}, false
	}
	if w := r.word(at + 1); w == "the" || w == "this" { // the beginning of this month is over, its last friday need not be
		now := r.today()
		first.day = day{now.year, now.month, 1}
	}
	if r.language.months[r.word(at+1)] != 0 { // of which year depends on the day itself
		first.year = r.today().year
	}
	d := first
	if d.day = first.nth(n, weekday); d.before(r.today()) && r.language.months[r.word(at+1)] != 0 {
		first.year++
		d.day = first.nth(n, weekday)
	}
	if d.month != first.month {
		d.clash = because(NoWeekday, Args{"weekday": weekday})
	}
	return d, true
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
	if r.word(i) != "in" {
		return 0, i, false
	}
	n, j, ok := r.count(i + 1)
	if unit := r.language.spans[r.word(j)]; ok && unit.days > 0 && unit.days%7 == 0 {
		return n * unit.days, j + 1, true
	}
	return 0, i, false
}

// weeksOn reads "a week on monday", "two weeks on friday".
func (r *reading) weeksOn(i int) (dated, bool) {
	n, j, ok := r.count(i)
	unit := r.language.spans[r.word(j)]
	if !ok || unit.days == 0 || unit.days%7 != 0 || r.word(j+1) != "on" {
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
	w := r.word(at)
	if weekend := r.language.weekends[w]; !weekend && (ahead == "" || ahead == "the" || r.language.spans[w].days < 7 && r.language.spans[w].months == 0) {
		return dated{}, false
	}
	d := dated{day: r.today(), j: at + 1, score: 1}
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
	at := i
	if w := r.word(at); w == "from" || w == "between" {
		at++
	}
	var a dated
	dayOnly := false
	n, j, _, ok := r.nth(r.behindThe(at))
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
	return r.value(a.String(), at, a.j, a.score), r.value(b.String(), a.j+1, b.j, b.score), true
}

func (r *reading) behindThe(i int) int {
	if r.word(i) == "the" {
		return i + 1
	}
	return i
}

// isUntil reports whether a word or a dash that leads to the end of a period stands at a token.
func (r *reading) isUntil(i int) bool {
	switch r.word(i) {
	case "to", "until", "till", "til", "through", "and":
		return true
	}
	return isMinus(r.sign(i))
}
