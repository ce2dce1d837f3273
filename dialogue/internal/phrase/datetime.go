package phrase

import (
	"slices"
	"time"
)

// DateTime is the kind of moments: string, RFC 3339 in the locale's zone.
var DateTime = &Kind{name: "datetime", scan: always((*reading).dateTimeAt), bare: true, exact: true, days: true}

// How moments are meant: a day with a time of day, in the locale's zone. A time by itself is the next such time, today or
// tomorrow; with "today" it is today's, past or not. "Tonight at 1" is after midnight. A time that the clocks jump over
// when they go forward is none; of two that are shown twice when they go back, the first is meant.

// dateTimeAt reads a moment that begins at a token: "tomorrow at 3pm", "15:30 on friday", "in two hours", "now".
func (r *reading) dateTimeAt(i int) (found, bool) {
	if f, ok := r.fromNow(i); ok {
		return f, true
	}
	if d, ok := r.date(i); ok {
		return r.withTime(i, d, 0)
	}
	if p, at := r.partBehind(i); p != 0 && r.word(at) == "of" { // the afternoon of the 5th at 3
		if d, ok := r.date(at + 1); ok {
			return r.withTime(i, d, p)
		}
	}
	c, ok := r.clock(i)
	if !ok {
		return found{}, false
	}
	at := c.j
	for r.word(at) == "on" || r.sign(at) == ',' {
		at++
	}
	if _, _, day := r.weekdayAt(at + 1); r.language.meant != nil && r.word(at) == "the" && day && (c.exact || len(r.folded(at+1)) > 2) { // "am Freitag"
		at++
	}
	if d, ok := r.date(at); ok && (!c.bare || r.bare || r.saysDay(at)) {
		p, j := r.partBehind(d.j)
		if p == 0 {
			p, j = r.language.parts[r.word(d.j-1)], d.j
		}
		if p != 0 && c.part == 0 && c.zone == nil { // 9 tomorrow morning
			before := r.bare
			r.bare = true
			c, _ = r.clockIn(p, i, i)
			r.bare = before
			return r.moment(d, c, i, j), true
		}
		return r.moment(d, c, i, d.j), true
	}
	if c.bare && !r.bare {
		return found{}, false
	}
	d := dated{day: r.today(), score: 1}
	if day, _, ok := r.known(); ok { // "no, at 5": the day is known
		d.day = day
	} else if c.problem == nil {
		if t, why := r.resolve(d.day, c); why == nil && !t.After(r.now) {
			d.day = d.day.add(1)
		}
	}
	return r.moment(d, c, i, c.j), true
}

// withTime reads the time of day behind a date, in a part of the day that was said before it; 0 for none.
func (r *reading) withTime(i int, d dated, before part) (found, bool) {
	at := d.j
	open := r.sign(at) == '('
	if open || isMinus(r.sign(at)) && r.isFace(at+1) {
		at++
	}
	for (r.folded(at) == "so" || r.language.is(r.folded(at), sharp)) && r.word(at+1) == "at" || r.is(at, "at", "around", "by", "about") || r.folded(at) == "for" || r.word(at) == "t" && r.isGlued(at) || r.sign(at) == ',' || r.sign(at) == '@' {
		at++
	}
	if c, ok := r.clock(at); ok && (!c.bare || at > d.j) && (!open || r.sign(c.j) == ')') {
		if r.word(d.j) == "t" {
			c.bare, c.exact = false, true
		}
		p := r.language.parts[r.word(d.j-1)]
		if p == 0 {
			p = before
		}
		switch {
		case p != 0 && c.part == 0:
			c, _ = r.clockIn(p, at, at)
		case p == evening && c.part == morning: // ce soir à 1 h du matin
			c.late = c.hour < 6
		}
		if t, j, ok := r.offset(d, c); ok {
			return r.value(t, i, j, 1), true
		}
		if year, said := r.yearBehindTime(d.j); said && year == d.year { // Feb 1 17:00:00 2027
			c.j++
		}
		if open {
			c.j++
		}
		return r.moment(d, c, i, c.j), true
	}
	if why := d.wrong(); why != nil {
		return r.refusal(why, i, d.j), true
	}
	if _, at, ok := r.known(); ok && at != (clock{}) {
		return r.moment(d, at, i, d.j), true
	}
	return r.refusal(because(TimeMissing, nil), i, d.j), true
}

// known is the day that is put right, and its time of day where that is known.
func (r *reading) known() (d day, at clock, ok bool) {
	if t, err := time.Parse(time.RFC3339, r.was); err == nil {
		t = t.In(r.locale.zone())
		return dayOf(t), clock{hour: t.Hour(), minute: t.Minute(), exact: true}, true
	}
	t, err := time.Parse(time.DateOnly, r.was)
	return dayOf(t), clock{}, err == nil
}

// moment is a day with a time, said with the tokens from i to before j.
func (r *reading) moment(d dated, c clock, i, j int) found {
	why := d.wrong()
	if why == nil {
		why = c.problem
	}
	var t time.Time
	if why == nil {
		day := d.day
		if c.late {
			day = day.add(1)
		}
		t, why = r.resolve(day, c)
	}
	if why != nil {
		return r.refusal(why, i, j)
	}
	f := r.value(t.Format(time.RFC3339), i, j, min(d.score, c.score()))
	if d.recent {
		f.Left = f.Text
	}
	return f
}

// resolve is when a clock in the locale's zone shows a time on a day, or why it never does.
func (r *reading) resolve(d day, c clock) (time.Time, *problem) {
	if c.zone != nil {
		return time.Date(d.year, d.month, d.day, c.hour, c.minute, c.second, 0, c.zone).In(r.locale.zone()), nil
	}
	t := time.Date(d.year, d.month, d.day, c.hour, c.minute, c.second, 0, r.locale.zone())
	if t.Hour() != c.hour || t.Minute() != c.minute || dayOf(t) != d {
		return t, because(ClocksForward, Args{"time": r.locale.ShowTime(c.String()), "date": d.shown(r.language.Language)})
	}
	for _, earlier := range []time.Duration{3 * time.Hour, 2 * time.Hour, time.Hour, 30 * time.Minute} {
		if u := t.Add(-earlier); u.Hour() == c.hour && u.Minute() == c.minute && dayOf(u) == d {
			return u, nil
		}
	}
	return t, nil
}

// isFace reports whether hours and minutes stand at a token.
func (r *reading) isFace(i int) bool {
	c, ok := r.clock(i)
	return ok && !c.bare && c.problem == nil
}

// yearBehindTime reads the year of a date that stands behind its time of day: "Feb 1 17:00:00 2027".
func (r *reading) yearBehindTime(i int) (int, bool) {
	c, ok := r.clock(r.past(i, "at"))
	if !ok || c.bare || c.j >= len(r.tokens) || r.tokens[c.j].sort != digits || r.isGlued(c.j) || r.isGlued(c.j+1) {
		return 0, false
	}
	marks := 0
	for t := i; t < c.j; t++ {
		if r.sign(t) == ':' {
			marks++
		}
	}
	year, j, ok := r.yearAt(c.j)
	return year, ok && marks == 2 && year >= 1900 && year < 2100 && r.isEnd(j)
}

// offset reads Z or +02:00 behind a date and a time of ISO 8601.
func (r *reading) offset(d dated, c clock) (string, int, bool) {
	full := r.sign(c.j-2) == ':' // 17:00:00 +0100
	if d.wrong() != nil || c.problem != nil || !r.isGlued(c.j) && !(full && r.isGlued(c.j+1)) {
		return "", 0, false
	}
	full = full && r.sign(c.j-4) == ':' || r.word(c.i-1) == "t"
	seconds, j := 0, c.j
	switch s := r.sign(j); {
	case (s == '+' || isMinus(s) && full) && j+1 < len(r.tokens) && r.tokens[j+1].sort == digits && len(r.tokens[j+1].fold) == 4 && r.isEnd(j+2):
		zone := value(r.tokens[j+1].fold)
		if seconds, j = zone/100*3600+zone%100*60, j+2; zone > 1459 || zone%100 > 59 {
			return "", 0, false
		}
		if s != '+' {
			seconds = -seconds
		}
	case !r.isGlued(j):
		return "", 0, false
	case r.word(j) == "z":
		j++
	case s == '+' || isMinus(s):
		hours, next, ok := r.small(j + 1)
		if !ok || isMinus(s) && !full || hours > 14 || r.sign(next) != ':' {
			return "", 0, false
		}
		minutes, end, ok := r.small(next + 1)
		if !ok || minutes > 59 {
			return "", 0, false
		}
		seconds, j = hours*3600+minutes*60, end
		if s != '+' {
			seconds = -seconds
		}
	default:
		return "", 0, false
	}
	t := time.Date(d.year, d.month, d.day.day, c.hour, c.minute, c.second, 0, time.FixedZone("", seconds))
	return t.In(r.locale.zone()).Format(time.RFC3339), j, true
}

// fromNow reads "now", "in two hours", "in half an hour", "20 minutes from now".
func (r *reading) fromNow(i int) (found, bool) {
	if k, at := slices.BinarySearch(r.says, i); at {
		if _, n := r.language.nows.at(r.line, k); n > 0 {
			return r.value(r.now.Format(time.RFC3339), i, r.says[k+n-1]+1, 0.9), true
		}
	}
	if r.is(i, "now", "immediately") {
		return r.value(r.now.Format(time.RFC3339), i, i+1, 0.9), true
	}
	t, j, ok := r.ahead(i)
	if !ok {
		return found{}, false
	}
	return r.value(t.Format(time.RFC3339), i, j, 1), true
}

// way reads whether "later" or "earlier" stands at a token: 1 or -1, and where it ends. In French it takes two words.
func (r *reading) way(j int) (way, end int) {
	switch {
	case r.word(j) == "earlier", r.word(j+1) == "early":
		way = -1
	default:
		way = 1
	}
	return way, r.past(j+1, "early", "late")
}

// ahead reads "in two hours", "20 minutes from now", "half an hour later". "Later" and "earlier" count from a time that is known.
func (r *reading) ahead(i int) (t time.Time, j int, ok bool) {
	at, in := i, r.word(i) == "in"
	if in {
		at = r.past(i+1, "about", "around", "approximately", "another")
		at = r.pastSharp(at)
	}
	behind, ago := r.agoBefore(i)
	if ago {
		at = r.past(behind, "about")
	}
	e, j, ok := r.lasting(at)
	if !ok || e.time == 0 {
		return t, i, false
	}
	switch {
	case ago:
		return r.now.AddDate(0, -e.months, -e.days).Add(-e.time), j, true
	case in:
		j = r.past(j, "time")
	case r.word(j) == "from" && r.word(r.past(j+1, "right")) == "now":
		j = r.past(j+1, "right") + 1
	case r.is(j, "later", "earlier"):
		base, known := r.now, false
		if at, err := time.Parse("15:04", r.after); err == nil {
			base, known = time.Date(2000, 1, 1, at.Hour(), at.Minute(), 0, 0, time.UTC), true
		} else if at, err := time.Parse(time.RFC3339, r.was); err == nil {
			base, known = at.In(r.locale.zone()), true
		}
		way, end := r.way(j)
		if way < 0 && !known {
			return t, i, false
		}
		return base.AddDate(0, way*e.months, way*e.days).Add(time.Duration(way) * e.time), end, true
	case r.word(j) == "hence":
		j++
	case r.word(j) == "ago":
		return r.now.AddDate(0, -e.months, -e.days).Add(-e.time), j + 1, true
	default:
		return t, i, false
	}
	return r.now.AddDate(0, e.months, e.days).Add(e.time), j, true
}
