package phrase

import "time"

// dayWithin reads a day behind the month or the year that it is in: "next month on the 3rd", "next year on may 3rd", "2027 nov 25".
func (r *reading) dayWithin(i int) (dated, bool) {
	at := r.past(i, "the")
	months, j, ok := r.oneOf(at, "month")
	if !ok {
		months, j, ok = r.inMonths(i)
	}
	if ok {
		n, end, said := r.dayBehind(j)
		first := r.today()
		first.day = 1
		first = first.addMonths(months)
		return dated{day: day{first.year, first.month, n}, j: end, score: 1}, said
	}
	year, j, ok := r.oneOf(at, "year")
	if ok {
		year += r.today().year
	} else if year, j, ok = r.yearAt(i); !ok || r.tokens[i].sort != digits || r.isGlued(i) || r.isGlued(j) && r.sign(j) != ',' || i > 0 && !r.isEnd(i-1) {
		return dated{}, false
	}
	d, said := r.dayAndMonth(r.pastOn(j))
	if !said || !d.noYear {
		return dated{}, false
	}
	d.year, d.noYear = year, false
	return d, true
}

// inMonths reads "in two months" and is how many those are.
func (r *reading) inMonths(i int) (months, j int, ok bool) {
	if r.word(i) != "in" {
		return 0, i, false
	}
	e, j, ok := r.lasting(i + 1)
	return e.months, j, ok && e.months%12 > 0 && e.days == 0 && e.time == 0
}

// pastOn is the token behind what leads from a month or a year to one of its days: ", on the".
func (r *reading) pastOn(j int) int {
	if r.sign(j) == ',' {
		j++
	}
	return r.past(r.past(j, "on"), "the")
}

// dayBehind reads the number of a day behind the month that it is in: "on the 3rd".
func (r *reading) dayBehind(i int) (n, j int, ok bool) {
	at := r.pastOn(i)
	n, j, ordinal, ok := r.nth(at)
	if ok && !ordinal && r.sign(j) == '.' && r.isGlued(j) && r.dayFirst() {
		ordinal, j = true, j+1
	}
	ordinal = ordinal || at > i && r.word(at-1) == "the" && r.language.Values.Cardinals
	if !ok || !ordinal || n < 1 || r.numbers(j) {
		return 0, i, false
	}
	if _, month := r.language.months[r.word(r.past(j, "of"))]; month { // another one
		return 0, i, false
	}
	return n, j, true
}

// pastWeekday is the token behind a date and its weekday, where that agrees: "december 7 (monday)", "the 7th, a monday".
func (r *reading) pastWeekday(d dated) int {
	at := d.j
	open := r.sign(at) == '('
	if open || r.sign(at) == ',' {
		at++
	}
	w, j, ok := r.weekdayAt(r.past(at, "a"))
	if !ok || d.wrong() != nil || d.weekday() != w || r.recurs(j-1) || len(r.folded(d.j)) == 2 && !open {
		return d.j
	}
	if _, day := r.language.weekdays[r.word(d.j-1)]; day || r.saysDay(d.j-1) { // "friday, friday"
		return d.j
	}
	if open != (r.sign(j) == ')') || r.isMore(j) {
		return d.j
	}
	if open {
		j++
	}
	return j
}

// isMore reports whether what stands behind a weekday makes another day of it: "monday next week".
func (r *reading) isMore(j int) bool {
	_, end := r.whichWeek(j)
	_, _, weeks := r.weeksBehind(j)
	return weeks || end > j || r.is(j, "next", "coming", "last", "after", "before", "and")
}

// besideDay reads "after christmas" and "before the 5th" behind a weekday: the nearest such day that is another one.
func (r *reading) besideDay(w time.Weekday, i int) (dated, bool) {
	if !r.is(i, "after", "before") || r.language.is(r.folded(i), since) {
		return dated{}, false
	}
	d, ok := r.from(i + 1)
	if !ok || d.wrong() != nil {
		return dated{}, false
	}
	base := d.day
	if d.day = base.add(1).nth(1, w); r.word(i) == "before" {
		d.day = base.add(-1 - (int(base.add(-1).weekday()-w)+7)%7)
	}
	d.recent = d.recent || d.day.before(r.today()) && !base.before(r.today())
	d.again, d.name = nil, ""
	return d, true
}

// inWeeks is a weekday in so many weeks, where the same day is meant by counting from it and by counting to its week. Otherwise the
// user is asked.
func (r *reading) inWeeks(w time.Weekday, n, j int) dated {
	there := r.today().add(7 * n)
	d := dated{day: r.on(w, "").add(7 * n), j: j, score: 1}
	if other := there.add((int(w)+6)%7 - (int(there.weekday())+6)%7); other != d.day {
		d.clash = because(WhichOne, Args{"choices": r.language.Any([]string{other.shown(r.language.Language), d.shown(r.language.Language)})})
	}
	return d
}

// weeksFromNow reads "in two weeks" and "two weeks from now", and is how many those are.
func (r *reading) weeksFromNow(i int) (n, j int, ok bool) {
	in := r.word(i) == "in"
	at := i
	if in {
		at++
	}
	e, j, ok := r.lasting(at)
	if !ok || e.months != 0 || e.time != 0 || e.days <= 0 || e.days%7 != 0 || !r.is(j-1, "week", "weeks", "fortnight", "fortnights") {
		return 0, i, false
	}
	if end, now := r.at(j, "from", "now"); now && !in {
		return e.days / 7, end, true
	}
	return e.days / 7, j, in
}

// weekdayInWeeks reads "in three weeks on friday".
func (r *reading) weekdayInWeeks(i int) (dated, bool) {
	n, j, ok := r.weeksFromNow(i)
	if !ok {
		return dated{}, false
	}
	at := r.pastOn(j)
	w, end, ok := r.weekdayAt(at)
	if !ok || at == j || r.recurs(at) || r.isMore(end) {
		return dated{}, false
	}
	return r.inWeeks(w, n, end), true
}
