package phrase

import "time"

// weekday reads "friday", "next friday", "this coming friday", "friday next week", "friday, 27 November".
func (r *reading) weekday(i int) (dated, bool) {
	at, which := i, ""
	if r.word(at) == "the" && (r.word(at+1) == "next" || r.word(at+1) == "coming") {
		at++
	}
	switch w := r.word(at); w {
	case "this", "next", "coming", "last", "previous", "past":
		at, which = at+1, w
		if w == "this" && (r.word(at) == "coming" || r.word(at) == "next") {
			at, which = at+1, "coming"
		}
		if w == "next" && r.word(at) == "week" {
			if at++; r.word(at) == "on" || r.sign(at) == ',' {
				at++
			}
		}
	}
	day, ok := r.language.weekdays[r.word(at)]
	if !ok || len(r.word(at)) <= 3 && r.word(at-1) == "the" {
		return dated{}, false
	}
	j := at + 1
	if r.sign(j) == '.' && r.isGlued(j) && len(r.word(at)) <= 4 {
		j++
	}
	if which == "" {
		if d, ok := r.withDate(j, day); ok {
			return d, true
		}
		which, j = r.whichWeek(j)
	}
	d := dated{day: r.on(day, which), j: j, score: 1}
	if which != "" {
		return d, true
	}
	if j, ok := r.at(j, "after", "next"); ok {
		d.day, d.j = r.on(day, "next").add(7), j
	} else if days, j, ok := r.weeksBehind(j); ok {
		d.day, d.j = d.day.add(days), j
	}
	return d, true
}

// whichWeek reads "next week", "of next week", "this week", "week" behind a weekday.
func (r *reading) whichWeek(i int) (which string, j int) {
	at := i
	if r.word(at) == "of" {
		at++
	}
	for _, which := range []string{"next", "this"} {
		if j, ok := r.at(at, which, "week"); ok {
			return which, j
		}
	}
	return "", i
}

// on is the weekday that is meant.
func (r *reading) on(w time.Weekday, which string) day {
	today := r.today()
	ahead := (int(w-today.weekday()) + 7) % 7
	switch which {
	case "this":
		return today.add(ahead)
	case "next":
		monday := today.add(7 - (int(today.weekday())+6)%7)
		return monday.add((int(w) + 6) % 7)
	case "last", "previous", "past":
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
	for _, read := range []func(*reading, int) (dated, bool){(*reading).inDigitsOnly, (*reading).dayAndMonth, (*reading).dayOfMonth} {
		d, ok := read(r, i)
		if !ok {
			continue
		}
		if d.noYear {
			d.day = r.nextYear(d.day)
		}
		d.noYear = false
		if d.wrong() == nil && d.weekday() != w {
			d.clash = because(OtherWeekday, Args{"date": d.String(), "weekday": d.weekday(), "said": w})
		}
		return d, true
	}
	return dated{}, false
}

// endOf reads "the end of the month", "the first day of next month", "end of May", "the end of the year".
func (r *reading) endOf(i int) (dated, bool) {
	at := i
	if r.word(at) == "the" {
		at++
	}
	end := false
	switch r.word(at) {
	case "end":
		end = true
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
	default:
		return dated{}, false
	}
	at++
	if r.word(at) == "of" {
		at++
	}
	if at == i+1 && r.word(at) != "month" && r.word(at) != "year" {
		return dated{}, false
	}
	return r.edge(at, end)
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
	switch r.word(i) {
	case "the", "this":
		i++
	case "next":
		i, ahead = i+1, 1
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

// away reads "in 3 days", "in a fortnight", "two weeks from tomorrow", "3 days ago".
func (r *reading) away(i int) (dated, bool) {
	at, in, after := i, false, r.word(i) == "after"
	if after {
		at++
	}
	if r.word(at) == "in" {
		at, in = at+1, true
		if r.word(at) == "about" {
			at++
		}
	}
	n, j, ok := r.count(at)
	if !ok {
		return dated{}, false
	}
	unit, ok := r.language.spans[r.word(j)]
	if !ok || unit.days == 0 && unit.months == 0 {
		return dated{}, false
	}
	j++
	d := dated{day: r.today(), score: 1}
	switch {
	case r.word(j) == "ago":
		d.j, n = j+1, -n
	case r.word(j) == "from" || r.word(j) == "after":
		base, ok := r.from(j + 1)
		if !ok {
			return dated{}, false
		}
		d.day, d.j = base.day, base.j
	case r.word(j) == "later" || r.word(j) == "hence" || in && r.word(j) == "time":
		if r.word(j) == "later" {
			d.day = r.base()
		}
		d.j = j + 1
	case after:
		d.day, d.j = r.base(), j
	case in:
		d.j = j
	default:
		return dated{}, false
	}
	d.day = d.day.addMonths(n * unit.months).add(n * unit.days)
	return d, true
}

// base is the day that "two days later" is counted from.
func (r *reading) base() day {
	if t, err := time.Parse(time.DateOnly, r.after); err == nil {
		return dayOf(t)
	}
	return r.today()
}

// from is the day that others are counted from.
func (r *reading) from(i int) (dated, bool) {
	if r.word(i) == "now" {
		return dated{day: r.today(), j: i + 1}, true
	}
	if d, ok := r.spoken(i); ok && !d.noYear {
		return d, true
	}
	if i < len(r.tokens) {
		return r.weekday(i)
	}
	return dated{}, false
}

// mostSpans is the greatest number of days, months or hours that are counted.
const mostSpans = 100_000

// count reads a whole number of days and the like: "3", "two", "a", "a couple of".
func (r *reading) count(i int) (n, j int, ok bool) {
	if w := r.word(i); (w == "a" || w == "an" || w == "one") && !r.isScale(i+1) && r.word(i+1) != "couple" && r.word(i+1) != "dozen" {
		return 1, i + 1, true
	}
	d, ok := r.unsigned(i)
	if !ok || d.long || d.places() > 0 || !d.digits.IsInt64() || d.exponent > 6 {
		return 0, i, false
	}
	d.digits.Mul(&d.digits, power(max(0, d.exponent)))
	if d.exponent < 0 {
		d.digits.Quo(&d.digits, power(-d.exponent))
	}
	if !d.digits.IsInt64() || d.digits.Int64() > mostSpans {
		return 0, i, false
	}
	return int(d.digits.Int64()), d.j, true
}
