package phrase

import "time"

// DateTime is the kind of moments: string, RFC 3339 in the locale's zone.
var DateTime = &Kind{name: "datetime", scan: always((*reading).dateTimeAt), bare: true}

// How moments are meant: a day with a time of day, in the locale's zone. A time by itself is the next such time, today or
// tomorrow; with "today" it is today's, past or not. "Tonight at 1" is after midnight. A time that the clocks jump over
// when they go forward is none; of two that are shown twice when they go back, the first is meant.

// dateTimeAt reads a moment that begins at a token: "tomorrow at 3pm", "15:30 on friday", "in two hours", "now".
func (r *reading) dateTimeAt(i int) (found, bool) {
	if f, ok := r.fromNow(i); ok {
		return f, true
	}
	if d, ok := r.date(i); ok {
		return r.withTime(i, d)
	}
	c, ok := r.clock(i)
	if !ok || c.bare && !r.bare {
		return found{}, false
	}
	at := c.j
	for r.word(at) == "on" || r.sign(at) == ',' {
		at++
	}
	if d, ok := r.date(at); ok {
		return r.moment(d, c, i, d.j), true
	}
	d := dated{day: r.today(), score: 1}
	if c.problem == nil {
		if t, why := r.resolve(d.day, c); why == nil && !t.After(r.now) {
			d.day = d.day.add(1)
		}
	}
	return r.moment(d, c, i, c.j), true
}

// withTime reads the time of day behind a date.
func (r *reading) withTime(i int, d dated) (found, bool) {
	at := d.j
	for w := r.word(at); w == "at" || w == "around" || w == "by" || w == "t" && r.isGlued(at) || r.sign(at) == ',' || r.sign(at) == '@'; w = r.word(at) {
		at++
	}
	if c, ok := r.clock(at); ok && (!c.bare || at > d.j) {
		if r.word(d.j) == "t" {
			c.bare, c.exact = false, true
		}
		if p := r.language.parts[r.word(d.j-1)]; p != 0 && c.part == 0 {
			c = r.again(at, p)
		}
		if t, j, ok := r.offset(d, c); ok {
			return found{r.value(t, i, j, 1), i, j}, true
		}
		return r.moment(d, c, i, c.j), true
	}
	if why := d.wrong(); why != nil {
		return found{r.refusal(why, i, d.j), i, d.j}, true
	}
	return found{r.refusal(because(TimeMissing, nil), i, d.j), i, d.j}, true
}

// again reads a time that is in a part of the day which was said with the date.
func (r *reading) again(i int, p part) clock {
	c, _ := r.face(i)
	c.i = i
	r.half12(&c)
	c.part = p
	c.decide()
	return c
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
		if c.part == tonight && c.hour < 6 {
			day = day.add(1)
		}
		t, why = r.resolve(day, c)
	}
	if why != nil {
		return found{r.refusal(why, i, j), i, j}
	}
	return found{r.value(t.Format(time.RFC3339), i, j, min(d.score, c.score())), i, j}
}

// resolve is when a clock in the locale's zone shows a time on a day, or why it never does.
func (r *reading) resolve(d day, c clock) (time.Time, *problem) {
	t := time.Date(d.year, d.month, d.day, c.hour, c.minute, c.second, 0, r.locale.zone())
	if t.Hour() != c.hour || t.Minute() != c.minute || dayOf(t) != d {
		return t, because(ClocksForward, Args{"time": c.String(), "date": d.String()})
	}
	for _, earlier := range []time.Duration{3 * time.Hour, 2 * time.Hour, time.Hour, 30 * time.Minute} {
		if u := t.Add(-earlier); u.Hour() == c.hour && u.Minute() == c.minute && dayOf(u) == d {
			return u, nil
		}
	}
	return t, nil
}

// offset reads Z or +02:00 behind a date and a time of ISO 8601.
func (r *reading) offset(d dated, c clock) (string, int, bool) {
	if d.wrong() != nil || c.problem != nil || !r.isGlued(c.j) {
		return "", 0, false
	}
	seconds, j := 0, c.j
	switch s := r.sign(j); {
	case r.word(j) == "z":
		j++
	case s == '+' || isMinus(s):
		hours, next, ok := r.small(j + 1)
		if !ok || hours > 14 || r.sign(next) != ':' {
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
	if r.word(i) == "now" || r.word(i) == "immediately" {
		return found{r.value(r.now.Format(time.RFC3339), i, i+1, 0.9), i, i + 1}, true
	}
	t, j, ok := r.ahead(i)
	if !ok {
		return found{}, false
	}
	return found{r.value(t.Format(time.RFC3339), i, j, 1), i, j}, true
}

// ahead reads "in two hours", "20 minutes from now".
func (r *reading) ahead(i int) (t time.Time, j int, ok bool) {
	at, in := i, r.word(i) == "in"
	if in {
		at++
	}
	ahead, j, ok := r.duration(at)
	if !ok {
		return t, i, false
	}
	switch {
	case in:
		if r.word(j) == "time" {
			j++
		}
	case r.word(j) == "from" && r.word(j+1) == "now":
		j += 2
	default:
		return t, i, false
	}
	return r.now.Add(ahead), j, true
}

// duration reads "half an hour", "two hours", "an hour and a half".
func (r *reading) duration(i int) (time.Duration, int, bool) {
	if j, ok := r.at(i, "half", "an", "hour"); ok {
		return 30 * time.Minute, j, true
	}
	if j, ok := r.at(i, "a", "half", "hour"); ok {
		return 30 * time.Minute, j, true
	}
	n, j, ok := r.count(i)
	if !ok {
		return 0, i, false
	}
	unit := r.language.spans[r.word(j)].time
	if unit == 0 {
		return 0, i, false
	}
	d := time.Duration(n) * unit
	if next, ok := r.at(j+1, "and", "a", "half"); ok {
		return d + unit/2, next, true
	}
	return d, j + 1, true
}
