package phrase

// minutesBefore reads the minutes that stand before "past" or "to": "half", "a quarter", "ten", "3 minutes". Those that have no name
// are no round ones.
func (r *reading) minutesBefore(i int) (minutes, j int, named, ok bool) {
	at := r.past(i, "a")
	if n, j, ok := r.small(i); ok && n == 3 && r.word(j) == "quarter" { // "drei viertel acht"
		return 45, j + 1, true, true
	}
	for n, word := range []string{"quarter", "half", "threequarters"} {
		if r.word(at) == word {
			return 15 * (n + 1), at + 1, true, true
		}
	}
	n, at, ok := r.hourOrMinute(i)
	if !ok || n > 59 {
		return 0, i, false, false
	}
	if r.is(at, "minutes", "minute", "mins", "min") {
		return n, at + 1, true, true
	}
	return n, at, n%5 == 0 && n > 0 && n < 30, true
}

// pastOrTo reads "half past three", "half three", "quarter to nine", "ten past four", "3 minutes to six", and in German "dreiviertel acht"
// and "fünf vor halb neun".
func (r *reading) pastOrTo(i int) (clock, bool) {
	minutes, at, named, ok := r.minutesBefore(i)
	if !ok {
		return clock{}, false
	}
	sign := 1
	switch r.word(at) {
	case "past", "after":
		if at++; minutes == 45 {
			return clock{}, false
		}
	case "from":
		if r.is(at-1, "quarter", "half") {
			return clock{}, false
		}
		at++
	case "to", "before", "til", "till":
		if minutes == 30 || minutes == 45 && named {
			return clock{}, false
		}
		span := r.isSpan(i, at)
		if sign, at = -1, at+1; span { // "from 10 to 12"
			if _, j, ok := r.hourOrMinute(at); ok {
				return clock{hour: minutes, j: j, problem: because(WhichTime, Args{"said": r.said(i, j)})}, true
			}
		}
	default:
		toHour := r.language.Values.HalfTo && r.is(at-1, "quarter", "threequarters") // "viertel acht", "dreiviertel acht"
		if !toHour && (minutes != 30 || r.word(i) != "half") || r.sign(at) != 0 {
			return clock{}, false
		}
		if r.language.Values.HalfTo {
			minutes = 60 - minutes
			sign = -1
		}
	}
	before := r.language.Values.HalfTo && minutes < 30 && r.word(at) == "half" // "fünf vor halb neun"
	if before {
		minutes, sign, at = 30-sign*minutes, -1, at+1
	}
	if base, ok := r.middle(at); ok {
		base.minute = sign * minutes
		return base, true
	}
	hour, j, ok := r.hourOrMinute(at)
	if !ok || !named || hour > 23 {
		return clock{}, false
	}
	if r.word(j) == "h" {
		return clock{hour: hour, minute: sign * minutes, j: j + 1, exact: true}, true
	}
	c := clock{hour: hour, minute: sign * minutes, j: r.oclock(j)}
	if hour == 0 || hour > 12 {
		c.exact = true
	}
	return c, true
}
