package phrase

import (
	"fmt"
	"time"
)

// Time is the kind of times of the day: string, "15:30".
var Time = &Kind{name: "time", scan: always((*reading).timeAt), none: (*reading).noHour, bare: true, exact: true, days: true, clock: true}

// How times are meant: an hour from 1 to 12 with nothing beside it is in office hours. 1 to 6 are in the afternoon, 7 to
// 11 in the morning and 12 is noon, for "half past three" and 3:30 alike. An hour with two digits that begins with 0
// (03:00), and one above 12, is as it is said. "In the morning", "this evening", "at night", a.m. and p.m. decide before
// all that. The score of what was guessed is lower.

// clock is a time of day as it was said: with the tokens from i to before j.
type clock struct {
	hour, minute, second int

	i, j    int
	exact   bool           // a.m. or p.m., a part of the day or 24 hours say which half of the day is meant
	bare    bool           // an hour by itself, which could be any number
	part    part           // of the day
	late    bool           // it is after the midnight that ends the day
	zone    *time.Location // where it is meant; nil for the locale's
	problem *problem       // why there is no such time; nil where there is one
}

// part is a part of the day.
type part uint8

const (
	_ part = iota
	morning
	afternoon
	evening
	night
	tonight
)

// guessed is the score of a time that office hours decide.
const guessed = 0.8

// String is the time as values have it.
func (c clock) String() string { return fmt.Sprintf("%02d:%02d", c.hour, c.minute) }

// timeAt reads a time of day that begins at a token: "half past three", "in two hours".
func (r *reading) timeAt(i int) (found, bool) {
	if t, j, ok := r.ahead(i); ok {
		return r.value(t.Format("15:04"), i, j, 1), true
	}
	c, ok := r.clock(i)
	if !ok || c.bare && !r.bare {
		return found{}, false
	}
	if c.problem != nil {
		return r.refusal(c.problem, c.i, c.j), true
	}
	v := r.value(c.String(), c.i, c.j, c.score())
	v.Half = !c.exact
	return v, true
}

func (c clock) score() float64 {
	if c.exact {
		return 1
	}
	return guessed
}

// clock reads a time of day, with the part of the day before or behind it.
func (r *reading) clock(i int) (clock, bool) {
	before, at := r.partBefore(i)
	return r.clockIn(before, i, at)
}

// clockIn reads a time of day whose face begins at a token, in a part of the day that was said before; 0 for none.
func (r *reading) clockIn(before part, i, at int) (clock, bool) {
	c, ok := r.face(r.pastSharp(at))
	if !ok || c.bare && r.word(i-1) == "in" || c.minute == 0 && r.isHours(c.j) && r.awaits(i) { // "in 15" is no time: 15 minutes?
		return clock{}, false
	}
	c.i, c.part = i, before
	if before != 0 {
		c.bare = false
	}
	if r.half12(&c); c.part == 0 {
		c.part, c.j = r.partBehind(c.j)
	}
	if c.part == 0 && r.is(c.j, "noon", "midday") && (c.hour == 12 || c.hour == 1 || c.hour == 2) { // "zwölf Uhr mittags"
		c.part, c.j = afternoon, c.j+1
	}
	c.j = r.pastSharp(c.j)
	c.bare = c.bare && c.part == 0 && !r.introduced(i)
	c.decide()
	if c.part == evening && c.hour > 12 && c.hour < 16 && c.problem == nil { // this evening at 3
		c.problem = because(WhichTime, Args{"said": r.said(i, c.j)})
	}
	r.zoned(&c)
	return c, true
}

// pastSharp is the token behind a word that does not change a time: "exactly".
func (r *reading) pastSharp(i int) int {
	if r.language.is(r.folded(i), sharp) {
		i++
	}
	return i
}

// introduced reports whether a word stands before a token that times stand behind: "at 3".
func (r *reading) introduced(i int) bool {
	return r.is(i-1, "at", "by", "around", "before", "after", "until", "till", "from", "about") || r.sign(i-1) == '@'
}

// partBefore reads "in the evening at", "tonight at".
func (r *reading) partBefore(i int) (part, int) {
	p, j := r.partBehind(i)
	if n, _, ok := r.hourOrMinute(i + 2); r.word(i) == "noon" && r.word(i+1) == "at" && ok && (n == 12 || n == 1 || n == 2) { // "mittags um 12"
		p, j = afternoon, i+1
	}
	if p == 0 {
		return 0, i
	}
	for r.is(j, "at", "around", "by") || r.sign(j) == ',' || r.sign(j) == '@' {
		j++
	}
	return p, j
}

// partBehind reads "in the morning", "this afternoon", "at night", "tonight", "morning".
func (r *reading) partBehind(i int) (part, int) {
	at, ok := r.at(i, "in", "the")
	if !ok {
		at = r.past(i, "this", "at", "in", "the", "of")
	}
	at = r.past(at, "early", "late")
	if p, ok := r.language.parts[r.word(at)]; ok {
		return p, at + 1
	}
	if r.isDayPart(at) { // "Freitag Morgen"
		return morning, at + 1
	}
	if j, ok := r.at(at, "after", "noon"); ok && (r.sign(at+1) == '-' || r.language.Values.HoursNamed) { // après-midi
		return afternoon, j
	}
	return 0, i
}

// face reads what a clock shows: "half past three", "quarter to nine", "3:30", "15.30", "three thirty", "noon".
func (r *reading) face(i int) (clock, bool) {
	if c, ok := r.pastOrTo(i); ok {
		return c, true
	}
	if c, ok := r.middle(r.past(i, "12", "twelve")); ok {
		r.minutesBehind(&c)
		return c, true
	}
	var c clock
	var ok bool
	if i < len(r.tokens) && r.tokens[i].sort == digits {
		c, ok = r.digital(i)
	} else {
		c, ok = r.spelled(i)
	}
	if ok && c.minute == 0 && c.second == 0 {
		r.minutesBehind(&c)
	}
	return c, ok
}

// minutesBehind reads the minutes of languages that say them behind the hour: "3 heures et quart", "midi moins dix".
func (r *reading) minutesBehind(c *clock) {
	if !r.language.Values.HoursNamed {
		return
	}
	sign, at := 1, c.j
	switch r.word(at) {
	case "and":
	case "minus":
		sign = -1
	default:
		if n, next, ok := r.small(at); ok && r.is(at-1, "noon", "midday", "midnight") && n < 60 && !r.isGlued(next) && r.isEnd(next) { // midi quinze
			c.minute, c.j = n, next
		}
		return
	}
	at = r.past(at+1, "the")
	minutes, next, ok := r.small(at)
	switch r.word(at) {
	case "half":
		minutes, next, ok = 30, at+1, sign > 0
	case "quarter":
		minutes, next, ok = 15, at+1, true
	}
	if digits := next == at+1 && at < len(r.tokens) && r.tokens[at].sort == digits; digits && !r.is(c.j-1, "hour", "hours", "h", "noon", "midday", "midnight") {
		return // "entre 10 et 12"
	}
	if ok && minutes < 60 {
		c.minute, c.j, c.bare = sign*minutes, next, false
	}
}

// middle reads "noon", "midnight", "mid day".
func (r *reading) middle(i int) (clock, bool) {
	at := r.past(i, "mid")
	if r.sign(i-1) == '-' && r.word(i-2) == "after" || r.language.Values.HoursNamed && r.word(i-1) == "after" { // après-midi
		return clock{}, false
	}
	if r.sign(at) == '-' {
		at++
	}
	switch w := r.word(at); {
	case w == "noon" || w == "midday" || at > i && (w == "day" || w == "noon"):
		return clock{hour: 12, j: at + 1, exact: true}, true
	case w == "midnight" || at > i && w == "night":
		return clock{j: at + 1, exact: true}, true
	}
	return clock{}, false
}

// hourOrMinute reads a number below a hundred in digits or in words.
func (r *reading) hourOrMinute(i int) (n, j int, ok bool) {
	if n, j, ok := r.small(i); ok {
		if r.isGlued(j) && (r.tokens[j].sort == letters && !r.isHalf12(j) && r.word(j) != "h" || r.tokens[j].sort == mark && r.isGlued(j+1) && r.tokens[j+1].sort == digits) {
			return 0, i, false
		}
		return n, j, true
	}
	units, j, ok := r.belowHundred(i)
	return int(units), j, ok
}

func (r *reading) oclock(i int) int {
	if j, ok := r.at(i, "o", "clock"); ok {
		return j
	}
	if r.language.Values.HoursNamed {
		return r.past(i, "hour", "hours", "h")
	}
	return r.past(i, "oclock")
}

// digital reads "3:30", "15.30", "15h30", "15:30:20", "1530 hours", "3", "3 o'clock".
func (r *reading) digital(i int) (clock, bool) {
	t := r.tokens[i]
	if r.isGlued(i) && !(r.tokens[i-1].sort == mark && (r.tokens[i-1].sign == '@' || r.tokens[i-1].sign == '(')) && r.word(i-1) != "t" {
		return clock{}, false
	}
	if len(t.fold) == 4 && r.is(i+1, "hours", "hrs", "h") {
		return clock{hour: value(t.fold[:2]), minute: value(t.fold[2:]), j: i + 2, exact: true}, true
	}
	if r.isPointed(i) && i+2 < len(r.tokens) && !r.isGlued(i+2) && !r.is(i-1, "at") { // "vom 3. bis zum 5."
		return clock{}, false
	}
	if c, ok := r.together(i); ok {
		return c, true
	}
	hour, j, ok := r.small(i)
	if !ok {
		return clock{}, false
	}
	c := clock{hour: hour, j: j, exact: hour == 0 || hour > 12 || len(t.fold) == 2 && t.fold[0] == '0'}
	if s := r.sign(j); (s == ':' || s == '.' || r.word(j) == "h") && r.isGlued(j) && r.isGlued(j+1) &&
		r.tokens[j+1].sort == digits && len(r.tokens[j+1].fold) == 2 {
		c.minute, c.j = value(r.tokens[j+1].fold), j+2
		if r.sign(c.j) == s && r.isGlued(c.j) && r.isGlued(c.j+1) && r.tokens[c.j+1].sort == digits {
			if s != ':' || len(r.tokens[c.j+1].fold) != 2 {
				return clock{}, false // 15.30.2026
			}
			c.second, c.j = value(r.tokens[c.j+1].fold), c.j+2
			if r.sign(c.j) == '.' && r.isGlued(c.j) && r.isGlued(c.j+1) && r.tokens[c.j+1].sort == digits { // 17:00:00.123
				c.j += 2
			}
		}
		c.j = r.past(c.j, "hours", "hrs", "h", "oclock")
		return c, !r.isGlued(c.j) || r.tokens[c.j].sort == mark || r.isHalf12(c.j) || r.word(c.j) == "z"
	}
	if end := r.oclock(j); end > j {
		c.j = end
		if minutes, next, ok := r.small(r.past(end, "and")); ok && minutes < 60 && (!r.isSomething(next) || r.isPart(next)) { // "15 Uhr 30"
			c.minute, c.j = minutes, r.past(next, "minutes")
		}
		return c, true
	}
	if r.word(j) == "h" && r.isGlued(j) && !r.isGlued(j+1) { // 15h
		c.exact, c.j = true, j+1
		return c, true
	}
	if r.word(j) == "ish" && r.isGlued(j) { // 3ish
		c.j, c.bare = j+1, false
		return c, true
	}
	if minutes, next, ok := r.small(j); ok && (r.introduced(i) || t.spelled && r.isSpelled(j) && minutes >= 10) && !r.isGlued(j) && len(r.tokens[j].fold) == 2 && minutes < 60 && r.isEnd(next) { // at 3 15
		c.minute, c.j = minutes, next
		return c, true
	}
	if r.isGlued(j) && (r.tokens[j].sort == letters && !r.isHalf12(j) || r.sign(j) == '%' || r.isGlued(j+1) && r.tokens[j+1].sort == digits) {
		return clock{}, false
	}
	c.bare = !r.isHalf12(j)
	return c, true
}

// together reads hours and minutes without a sign between: "at 1030", "330 p.m.", "730 in the evening".
func (r *reading) together(i int) (clock, bool) {
	said := r.tokens[i].fold
	if len(said) != 3 && len(said) != 4 || r.isGlued(i+1) && !r.isHalf12(i+1) {
		return clock{}, false
	}
	c := clock{hour: value(said[:len(said)-2]), minute: value(said[len(said)-2:]), j: i + 1}
	if c.hour > 23 || c.minute > 59 || !r.isHalf12(i+1) && !r.isPart(i+1) && !(r.is(i-1, "at", "around", "by") || r.sign(i-1) == '@') {
		return clock{}, false
	}
	c.exact = c.hour == 0 || c.hour > 12 || said[0] == '0'
	c.j = r.past(c.j, "ish")
	return c, true
}

// isPart reports whether a part of the day stands at a token.
func (r *reading) isPart(i int) bool {
	p, _ := r.partBehind(i)
	return p != 0
}

// spelled reads "three thirty", "nine oh five", "three o'clock", "three".
func (r *reading) spelled(i int) (clock, bool) {
	units, j, ok := r.belowHundred(i)
	if !ok && r.word(i) == "a" && (r.language.Values.HoursNamed && r.word(i+1) == "hour" || r.oclock(i+1) > i+1) { // "une heure", "ein Uhr"
		units, j, ok = 1, i+1, true
	}
	if !ok || units > 24 {
		return clock{}, false
	}
	c := clock{hour: int(units), j: j, exact: units > 12 || units == 0}
	if end := r.oclock(j); end > j {
		c.j = end
		return c, true
	}
	at := j
	if r.sign(at) == '-' && r.isGlued(at) && r.isGlued(at+1) { // five-thirty
		at++
	}
	first, most := at, 9
	if at > j {
		most = 12 // five-ten may be from five to ten
	}
	at = r.past(at, "oh", "o")
	if r.sign(at) == '-' && at > first {
		at++
	}
	if minutes, next, ok := r.belowHundred(at); ok && minutes < 60 && (at > first && minutes < 10 || at == first && int(minutes) > most) {
		c.minute, c.j = int(minutes), next
		return c, true
	}
	c.bare = !r.isHalf12(j)
	return c, true
}

// isHalf12 reports a.m. or p.m. at a token.
func (r *reading) isHalf12(i int) bool {
	_, _, ok := r.half12At(i)
	return ok
}

func (r *reading) half12At(i int) (p, j int, ok bool) {
	at := i
	if end, ok := r.at(i, "in", "the"); ok && r.is(end, "am", "pm") {
		at = end
	}
	switch w := r.word(at); w {
	case "am":
		return 0, at + 1, true
	case "pm":
		return 12, at + 1, true
	case "a", "p":
		if w == "p" {
			p = 12
		}
		j = at + 1
		if r.sign(j) == '.' {
			j++
		}
		if r.word(j) != "m" {
			alone := r.isGlued(at) && r.tokens[at-1].sort == digits && r.isEnd(at+1) // 3p
			return p, at + 1, alone
		}
		if j++; r.sign(j) == '.' {
			j++
		}
		return p, j, true
	}
	return 0, i, false
}

// half12 reads a.m. or p.m. behind a time.
func (r *reading) half12(c *clock) {
	add, j, ok := r.half12At(c.j)
	if !ok {
		return
	}
	c.bare = false
	if c.hour > 12 || c.hour == 0 {
		if add == 0 && c.hour > 12 || add == 12 && c.hour == 0 {
			c.problem = because(NoTime, Args{"time": r.said(c.i, j)})
		}
	} else {
		c.hour = c.hour%12 + add
	}
	c.j, c.exact = j, true
}

// decide finds the half of the day, and whether there is such a time.
func (c *clock) decide() {
	if !c.exact && c.hour <= 12 {
		c.byPart()
	}
	if c.part == evening || c.part == night || c.part == tonight {
		c.late = c.hour == 0 || c.part == tonight && c.hour < 6
	}
	if c.minute < 0 {
		c.minute += 60
		c.hour = (c.hour + 23) % 24
	}
	if c.problem == nil && (c.hour > 23 || c.minute > 59 || c.second > 59) {
		c.problem = because(NoTime, Args{"time": c.String()})
	}
}

func (c *clock) byPart() {
	c.hour %= 12
	c.exact = c.part != 0
	later := c.hour <= 6 // office hours; 12 is noon
	switch c.part {
	case morning:
		later = false
	case afternoon:
		later = true
	case evening:
		later = c.hour > 0
	case night, tonight:
		later = c.hour >= 6
	}
	if later {
		c.hour += 12
	}
}
