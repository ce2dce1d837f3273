package phrase

import (
	"strings"
	"time"
)

// named reads a date with the name of a month between signs: "2019-aug-1", "23/sep/2020", "sep-23-2020".
func (r *reading) named(i int) (dated, bool) {
	sign := r.sign(i + 1)
	if sign != '-' && sign != '/' && sign != '.' || r.isGlued(i) && r.tokens[i-1].sort != mark {
		return dated{}, false
	}
	var month time.Month
	var numbers []string
	j := i
	for n := range 3 {
		if n > 0 {
			if r.sign(j) != sign || !r.isGlued(j) || !r.isGlued(j+1) {
				return dated{}, false
			}
			j++
		}
		if m, ok := r.language.months[r.word(j)]; ok && month == 0 {
			month = m
		} else if j < len(r.tokens) && r.tokens[j].sort == digits {
			numbers = append(numbers, r.tokens[j].fold)
		} else {
			return dated{}, false
		}
		j++
	}
	if month == 0 || len(numbers) != 2 || r.isGlued(j) && r.tokens[j].sort != mark {
		return dated{}, false
	}
	year, of := numbers[1], numbers[0]
	if len(of) == 4 {
		year, of = of, year
	}
	if len(year) != 4 || len(of) > 2 {
		return dated{}, false
	}
	return dated{day: day{value(year), month, value(of)}, j: j, score: 1}, true
}

// inOrdinals reads a day and a month that are both counted, as some languages do: "7. vierter", "siebter 4.", "27. 11.".
func (r *reading) inOrdinals(i int) (dated, bool) {
	if !r.language.Values.DayFirst {
		return dated{}, false
	}
	d, j, ok := r.counted(r.past(i, "the"))
	if !ok {
		return dated{}, false
	}
	if r.sign(j) == '/' {
		j++
	}
	m, j, ok := r.counted(r.past(j, "the"))
	if !ok || m > 12 || d > 31 {
		return dated{}, false
	}
	all := dated{day: day{month: time.Month(m), day: d}, j: j, score: 1, noYear: true}
	if short, end, two := r.small(j); !r.withYear(&all, j) && two && r.isPointed(i) && len(r.tokens[j].fold) == 2 && !r.isGlued(j) && r.isEnd(end) && !r.goesOnBehind(end) && r.oclock(end) == end && !r.isPart(end) { // 3. 5. 27
		all.year, all.j, all.noYear = century(short), end, false
	}
	return all, true
}

// counted reads an ordinal: in words, or in digits before a point that ends no sentence.
func (r *reading) counted(i int) (n, j int, ok bool) {
	n, j, ordinal, ok := r.nth(i)
	switch {
	case !ok || n < 1:
		return 0, i, false
	case ordinal:
	case r.sign(j) == '.' && r.isGlued(j) && !r.isSpelled(i):
		j++
	default:
		return 0, i, false
	}
	return n, j, true
}

// bareDigits reads digits that are a day only where a day is asked for: "2-15", "2 / 15", "10.10", "20161016", "10 31 1974".
func (r *reading) bareDigits(i int) (dated, bool) {
	if !r.bare || r.tokens[i].sort != digits || r.isGlued(i) {
		return dated{}, false
	}
	first := r.tokens[i].fold
	if len(first) == 8 && (i+1 >= len(r.tokens) || !r.isGlued(i+1)) {
		d := day{value(first[:4]), time.Month(value(first[4:6])), value(first[6:])}
		return dated{day: d, j: i + 1, score: 1}, d.year >= 1900 && d.year < 2100 && d.wrong() == nil
	}
	parts := []int{value(first)}
	if len(first) > 2 && len(first) != 4 {
		return dated{}, false
	}
	j, sign := i+1, r.sign(i+1)
	for len(parts) < 3 {
		at := j
		if s := r.sign(at); s == sign && (s == '-' || s == '/' || s == '.') {
			at++
		} else if sign != 0 {
			break
		}
		if at >= len(r.tokens) || r.tokens[at].sort != digits || len(r.tokens[at].fold) > 4 {
			break
		}
		parts, j = append(parts, value(r.tokens[at].fold)), at+1
	}
	d := dated{j: j, score: 1}
	switch {
	case len(parts) == 2 && sign != 0 && len(first) <= 2:
		d.noYear = true
		r.ordered(&d, parts[0], parts[1])
	case len(parts) == 3 && len(first) == 4:
		d.day = day{parts[0], time.Month(parts[1]), parts[2]}
	case len(parts) == 3 && parts[2] > 1000:
		d.year = parts[2]
		r.ordered(&d, parts[0], parts[1])
	default:
		return dated{}, false
	}
	d.score = 1
	if known := d.day; known.year == 0 { // of any year
		known.year = 2000
		return d, known.wrong() == nil
	}
	return d, d.day.wrong() == nil
}

// pointed asks which day is meant by a date with points of which both orders are days. Those who write points put the day first, mostly,
// also where the locale does not.
func (r *reading) pointed(d *dated, sign rune, a, b int) {
	if sign != '.' || r.dayFirst() || a == b || min(a, b) < 1 || max(a, b) > 12 {
		return
	}
	said := func(of, month int) string {
		args := Args{"day": r.language.dayOfMonth(of), "month": time.Month(month)}
		if !d.noYear {
			args["year"] = d.year
		}
		return strings.TrimSpace(r.language.Say(DayShown, args))
	}
	d.clash = because(WhichOne, Args{"choices": r.language.Any([]string{said(a, b), said(b, a)})})
}

// beside reads "the day before christmas", "the day after may 3".
func (r *reading) beside(i int) (dated, bool) {
	at := r.past(i, "the", "a")
	if r.word(at) != "day" || !r.is(at+1, "before", "after", "from") {
		return dated{}, false
	}
	if _, said := r.spoken(i); said {
		return dated{}, false
	}
	d, ok := r.from(at + 2)
	if !ok {
		return dated{}, false
	}
	days := 1
	if r.word(at+1) == "before" {
		days = -1
	}
	d.day = d.day.add(days)
	return d, true
}
