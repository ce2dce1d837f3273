package phrase

import (
	"math/big"
	"slices"
	"time"
)

// elapsed is how long something takes: months, days and a time, which are counted apart, because no month is so many days.
type elapsed struct {
	months, days int
	time         time.Duration
}

// plus is the sum of two.
func (e elapsed) plus(o elapsed) elapsed {
	return elapsed{e.months + o.months, e.days + o.days, e.time + o.time}
}

// whole reports whether it consists of days and months.
func (e elapsed) whole() bool { return e.time == 0 && (e.days != 0 || e.months != 0) }

// lasting reads how long something takes: "two hours", "an hour and a half", "2.5 hours", "1 year, 2 months and 3 days".
func (r *reading) lasting(i int) (e elapsed, j int, ok bool) {
	e, j, ok = r.oneSpan(i)
	for ok {
		at := j
		if r.sign(at) == ',' {
			at++
		}
		next, end, more := r.oneSpan(r.past(at, "and"))
		if !more || next.coarser(e) {
			break
		}
		e, j = e.plus(next), end
	}
	return e, j, ok
}

// coarser reports whether it is made of greater units than another one: of "1 hour, 2 days" the second part is no part.
func (e elapsed) coarser(o elapsed) bool {
	rank := func(e elapsed) int {
		switch {
		case e.time != 0:
			return 1
		case e.days != 0:
			return 2
		case e.months != 0:
			return 3
		}
		return 0
	}
	smallest := elapsed{time: o.time}
	if o.time == 0 {
		if smallest = (elapsed{days: o.days}); o.days == 0 {
			smallest = o
		}
	}
	return rank(e) > rank(smallest)
}

// oneSpan reads a number of one unit: "2 hours", "half an hour", "15'".
func (r *reading) oneSpan(i int) (elapsed, int, bool) {
	n, j, ok := r.quantity(i)
	if !ok && r.is(i, "quarterhour", "threequarterhour") { // "Dreiviertelstunde"
		n, j, ok = big.NewRat(1, 1), i, true
	}
	if !ok {
		return elapsed{}, i, false
	}
	unit, end, ok := r.unitAt(j)
	if !ok {
		return elapsed{}, i, false
	}
	if next, ok := r.andHalf(end); ok { // an hour and a half
		n, end = new(big.Rat).Add(n, big.NewRat(1, 2)), next
	}
	if days, ok := r.fewWeeks(i); ok && j == i+1 && unit == (span{days: 1}) && n.IsInt() { // "quinze jours"
		return elapsed{days: days}, end, true
	}
	e, ok := unit.by(n)
	return e, end, ok
}

// fewWeeks is how many days a number of them stands for in French, where eight and fifteen in words are one week and two.
func (r *reading) fewWeeks(i int) (days int, ok bool) {
	if !r.language.Values.HoursNamed || !r.isSpelled(i) {
		return 0, false
	}
	days = map[string]int{"8": 7, "15": 14}[r.word(i)]
	return days, days > 0
}

// unitAt reads a unit of time, or the sign of one behind digits: "15'" are minutes.
func (r *reading) unitAt(j int) (span, int, bool) {
	if unit, ok := r.language.spans[r.word(j)]; ok {
		if of, ok := r.at(j, "fortnight", "of", "days"); ok { // "une quinzaine de jours"
			return unit, of, true
		}
		return unit, j + 1, true
	}
	if r.folded(j) == "j" && r.language.Values.HoursNamed && j > 0 && r.tokens[j-1].sort == digits {
		return span{days: 1}, j + 1, true
	}
	if !r.isGlued(j) || r.tokens[j-1].sort != digits || r.opens(j) {
		return span{}, j, false
	}
	switch sign := r.sign(j); sign {
	case '\'', '′', '’':
		if r.tokens[j].end-r.tokens[j].start > len(string(sign)) { // 5''
			return span{time: time.Second}, j + 1, true
		}
		return span{time: time.Minute}, j + 1, true
	case '"', '″', '”':
		return span{time: time.Second}, j + 1, true
	}
	switch r.word(j) {
	case "h":
		return span{time: time.Hour}, j + 1, true
	case "m":
		return span{time: time.Minute}, j + 1, true
	case "s":
		return span{time: time.Second}, j + 1, true
	}
	return span{}, j, false
}

// by is so many of a unit. Half a month is no time that can be counted.
func (s span) by(n *big.Rat) (elapsed, bool) {
	if s.time != 0 {
		d := new(big.Rat).Mul(n, new(big.Rat).SetInt64(int64(s.time)))
		if !d.IsInt() || d.Num().BitLen() > 60 {
			return elapsed{}, false
		}
		return elapsed{time: time.Duration(d.Num().Int64())}, true
	}
	of := s.days
	if s.months != 0 {
		of = s.months
	}
	d := new(big.Rat).Mul(n, new(big.Rat).SetInt64(int64(of)))
	if !d.IsInt() {
		if s.days > 0 && d.Denom().IsInt64() && d.Denom().Int64() <= 24 { // half a day, a week and a half
			return span{time: time.Duration(s.days) * 24 * time.Hour}.by(n)
		}
		return elapsed{}, false
	}
	if !d.Num().IsInt64() || d.Num().Int64() > 12*mostSpans || d.Sign() < 0 {
		return elapsed{}, false
	}
	if s.months != 0 {
		return elapsed{months: int(d.Num().Int64())}, true
	}
	return elapsed{days: int(d.Num().Int64())}, true
}

// quantity reads how many of a unit: "3", "2.5", "a", "half a", "three quarters of an", "two and a half", "1/4".
func (r *reading) quantity(i int) (*big.Rat, int, bool) {
	if r.is(i, "three", "3") && r.is(i+1, "quarter", "quarters") && r.is(i+2, "hour", "hours") { // "drei viertel Stunden" are no 3¼ hours
		return big.NewRat(3, 4), i + 2, true
	}
	if r.namesPart(i) {
		n, j, ok := r.mixed(i) // one and a quarter of an hour
		if !ok {
			n, j, ok = r.partOf(i) // ¾ of an hour, anderthalb Stunden
		}
		if j = r.past(r.past(j, "of"), "a", "an"); ok && r.isTimeUnit(j) {
			return n, j, true
		}
	}
	if n, j, ok := r.halves(i); ok {
		return n, j, true
	}
	if w := r.word(i); (w == "a" || w == "an" || w == "one") && !r.isScale(i+1) && r.word(i+1) != "couple" && r.word(i+1) != "dozen" && r.word(i+1) != "half" && r.word(i+1) != "and" {
		return big.NewRat(1, 1), i + 1, true
	}
	if n, j, ok := r.overUnder(i); ok {
		return n, j, true
	}
	if n, j, ok := r.small(i); ok && r.isGlued(j) && r.tokens[j].sort == letters && !r.isGlued(i) { // 1h
		_, _, unit := r.unitAt(j)
		return big.NewRat(int64(n), 1), j, unit
	}
	d, ok := r.unsigned(i)
	if !ok || d.long {
		return nil, i, false
	}
	j := d.j
	if next, ok := r.at(j, "and", "an", "half"); ok {
		return new(big.Rat).Add(&d.Rat, big.NewRat(1, 2)), next, true
	}
	if r.word(j) == "half" { // zweieinhalb, in two words
		return new(big.Rat).Add(&d.Rat, big.NewRat(1, 2)), j + 1, true
	}
	return &d.Rat, r.past(j, "more", "of"), true
}

// namesPart reports whether a part of a whole is named at a token or soon behind it.
func (r *reading) namesPart(i int) bool {
	const soon = 5
	for at := i; at < min(i+soon, len(r.tokens)); at++ {
		word := r.tokens[at].fold
		_, alone := r.language.Fractions.Alone[word]
		_, part := r.language.Fractions.Parts[word]
		if sign := r.tokens[at].sign; alone || part || sign == '/' || sign >= '¼' {
			return true
		}
	}
	return false
}

// halves reads "half an", "a half", "a quarter of an", "three quarters of an".
func (r *reading) halves(i int) (*big.Rat, int, bool) {
	if r.word(i) == "half" {
		if r.sign(i+1) == '-' { // demi-heure
			i++
		}
		return big.NewRat(1, 2), r.past(i+1, "a", "an"), true
	}
	at := r.past(i, "a", "an")
	if at > i && r.word(at) == "half" {
		if r.sign(at+1) == '-' {
			at++
		}
		return big.NewRat(1, 2), at + 1, true
	}
	n, at := int64(1), r.past(i, "a", "one")
	if r.is(i, "three", "3") {
		if n, at = 3, i+1; r.sign(at) == '-' {
			at++
		}
	}
	if w := r.word(at); at > i && (w == "quarter" || w == "quarters") {
		if r.word(at+1) != "of" {
			return nil, i, false
		}
		return big.NewRat(n, 4), r.past(at+2, "a", "an"), true
	}
	return nil, i, false
}

// overUnder reads a fraction in digits: "1/4", "3/4 of an".
func (r *reading) overUnder(i int) (*big.Rat, int, bool) {
	over, at, ok := r.small(i)
	if !ok || r.isGlued(i) || r.sign(at) != '/' || !r.isGlued(at) || !r.isGlued(at+1) {
		return nil, i, false
	}
	under, j, ok := r.small(at + 1)
	if !ok || under == 0 || over >= under || under > 12 {
		return nil, i, false
	}
	if r.word(j) == "of" {
		j = r.past(j+1, "a", "an")
	}
	return big.NewRat(int64(over), int64(under)), j, true
}

// isHours reports whether the word before a token is the hours of a language that names them, which may be how many there are.
func (r *reading) isHours(j int) bool {
	return r.language.Values.HoursNamed && r.is(j-1, "hour", "hours", "h")
}

// awaits reports whether a length of time is said from a token on: "il y a 2 heures", "dans environ 2 heures", "en 2 heures".
func (r *reading) awaits(i int) bool {
	for r.is(i-1, "the", "about") {
		i--
	}
	if r.word(i-1) == "in" || r.language.is(r.folded(i-1), lasting) && r.folded(i-1) != "pour" {
		return true
	}
	k, _ := slices.BinarySearch(r.says, i)
	for n := 1; n <= min(k, r.language.ago.longest); n++ {
		if _, words := r.language.ago.at(r.line, k-n); words == n {
			return true
		}
	}
	return false
}
