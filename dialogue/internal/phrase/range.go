package phrase

import (
	"encoding/json"
	"errors"
	"math/big"
	"time"
)

// Range is the kind of ranges: map[string]any with "from" and "to", of which one may be missing. The ends are values of the
// slot's Items, and belong to the range.
var Range = &Kind{
	name: "range", scan: newRanger, none: (*reading).oneEnd, exact: true,
	check: func(s Slot) error {
		if kind := s.ends().kind(); kind != Number && kind != Integer && kind != Money && kind != Percent && kind != Date {
			return errors.New("a range has numbers, amounts, percentages or days as its ends")
		}
		return nil
	},
}

// Ranges are the sayings that make a range of values.
type Ranges struct {
	Between, And string // "between" 50 "and" 100
	From, To     string // "from" 50 "to" 100
	Least, Most  string // before an end that belongs to the range: "at least", "until"
	Above, Below string // before one that does not: "more than", "before"
	More, Less   string // behind an end that belongs to it: "or more", "or earlier"
}

// rangeWords are the sayings of Ranges, ready to be looked up.
type rangeWords struct{ between, and, from, to, least, most, above, below, more, less phrases[bool] }

func (l *Language) rangeWords() (w rangeWords) {
	r := &l.Ranges
	for p, list := range map[*phrases[bool]]string{
		&w.between: r.Between, &w.and: r.And, &w.from: r.From, &w.to: r.To, &w.least: r.Least, &w.most: r.Most, &w.above: r.Above, &w.below: r.Below, &w.more: r.More, &w.less: r.Less,
	} {
		p.add(true, list)
	}
	return w
}

// The ends of a range.
const (
	lower = "from"
	upper = "to"
)

// ends is what the ends of a range are.
func (s Slot) ends() Slot {
	if s.Items == nil {
		return Slot{Kind: Number}
	}
	return *s.Items
}

// ranger reads ranges of values of one kind.
type ranger struct {
	member Slot
	one    scan
}

func newRanger(s Slot, of *language) scan {
	member := s.ends()
	return (&ranger{member, member.scanner(of)}).at
}

// stretch is a range of a range that was said: with the tokens from i to before j.
type stretch struct {
	ends   map[string]any
	i, j   int
	left   string // what makes it doubtful
	reason string // why it is none
}

// at reads a range that begins at a token: "between 50 and 100", "from monday to friday", "at least 50", "50-100", "next week".
func (g *ranger) at(r *reading, i int) (found, bool) {
	bare := r.bare
	r.bare = g.member.kind() == Percent // 5 to 10 percent
	s, ok := g.read(r, i)
	r.bare = bare
	if !ok || g.member.kind() != Date && r.oclock(s.j) > s.j { // "not before 2 o'clock" is a time
		return found{}, false
	}
	f := r.value(any(s.ends), i, s.j, 1)
	if f.Left = s.left; s.reason != "" {
		f.Value.Value, f.Left, f.Reason, f.Score = nil, "", s.reason, 0.5
	}
	return f, true
}

func (g *ranger) read(r *reading, i int) (stretch, bool) {
	w := &r.language.ranges
	if at := r.saying(&w.between, i); at > i {
		return g.both(r, i, at, &w.and)
	}
	if at := r.saying(&w.from, i); at > i {
		if s, ok := g.both(r, i, at, &w.to); ok {
			return s, true
		}
	}
	if s, ok := g.bounded(r, i); ok {
		return s, true
	}
	if s, ok := g.both(r, i, i, &w.to); ok {
		return s, true
	}
	return g.alone(r, i)
}

// saying is the token behind one of some sayings that stands at a token, or that token.
func (r *reading) saying(p *phrases[bool], i int) int {
	k, ok := r.spokenIndex(i)
	if !ok {
		return i
	}
	if _, n := p.at(r.line, k); n > 0 {
		return r.says[k+n-1] + 1
	}
	return i
}

// both reads the two ends of a range, the first of which begins at a token.
func (g *ranger) both(r *reading, i, at int, between *phrases[bool]) (stretch, bool) {
	if g.member.kind() == Date {
		return r.days(i, at, between)
	}
	a, ok := g.one(r, at)
	if !ok {
		return stretch{}, false
	}
	next, ok := r.toEnd(a.j, between)
	if !ok {
		return stretch{}, false
	}
	b, ok := g.one(r, next)
	if !ok {
		return stretch{}, false
	}
	s := stretch{ends: map[string]any{lower: a.Value.Value, upper: b.Value.Value}, i: i, j: b.j, left: a.Left + b.Left}
	for _, end := range []found{a, b} {
		if end.Reason != "" && s.reason == "" {
			s.reason = end.Reason
		}
	}
	if s.reason != "" {
		return s, true
	}
	switch {
	case less(b.Value.Value, a.Value.Value):
		s.reason = r.language.Say(Backwards, Args{"said": r.said(i, s.j)})
	case r.sharesUnit(a, b):
		s.left = b.Text
	}
	return s, true
}

// toEnd is the token behind a word or a dash that leads to the second end of a range.
func (r *reading) toEnd(i int, between *phrases[bool]) (int, bool) {
	if at := r.saying(between, i); at > i {
		return at, true
	}
	if isMinus(r.sign(i)) && between == &r.language.ranges.to {
		return i + 1, true
	}
	return i, false
}

// less compares two numbers.
func less(a, b any) bool {
	x, y := ratOf(a), ratOf(b)
	return x != nil && y != nil && x.Cmp(y) < 0
}

func ratOf(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	x, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return nil
	}
	return x
}

// sharesUnit reports whether a scale or a small coin that was said behind the second end may belong to the first one, too: "5
// to 10 thousand", "10 to 2000 cents".
func (r *reading) sharesUnit(a, b found) bool {
	scale := r.scaleIn(b)
	if scale == nil || r.scaleIn(a) != nil {
		return false
	}
	x, y := ratOf(a.Value.Value), ratOf(b.Value.Value)
	return x != nil && y != nil && new(big.Rat).Mul(x, scale).Cmp(y) < 0
}

// scaleIn is what a word within a number multiplies it with: a thousand in "10 thousand" and in "zehntausend". Nil for none.
func (r *reading) scaleIn(v found) *big.Rat {
	for t := v.i; t < v.j; t++ {
		if c, ok := r.coin(t); ok && c.minor {
			return big.NewRat(1, 100)
		}
		if t > v.i && r.word(t) == "hundred" {
			return big.NewRat(100, 1)
		}
		if n, ok := r.scale(t, r.isGlued(t)); ok && t > v.i {
			d := newDecimal(1)
			d.shift(n)
			return &d.Rat
		}
		if x := ratOf(json.Number(r.word(t))); r.isSpelled(t) && x != nil && x.IsInt() {
			for _, n := range []int64{1_000_000, 1000, 100} {
				if q := new(big.Rat).Quo(x, big.NewRat(n, 1)); q.IsInt() && q.Sign() > 0 {
					return big.NewRat(n, 1)
				}
			}
		}
	}
	return nil
}

// bounded reads ends of which each has words of its own: "at least 50", "more than 5 and at most 10", "50 or more", "until friday".
func (g *ranger) bounded(r *reading, i int) (stretch, bool) {
	s, which, ok := g.bound(r, i)
	if !ok || s.reason != "" {
		return s, ok
	}
	if g.member.kind() == Date && which == lower && r.forDays(&s) {
		return s, true
	}
	at := s.j
	for r.sign(at) == ',' || r.language.is(r.folded(at), ands) || r.word(at) == "but" {
		at++
	}
	other, second, ok := g.bound(r, at)
	if !ok || which == second || other.reason != "" {
		return s, true
	}
	s.ends[second], s.j = other.ends[second], other.j
	s.left += other.left
	if less(s.ends[upper], s.ends[lower]) || laterDay(s.ends[lower], s.ends[upper]) {
		s.reason = r.language.Say(Backwards, Args{"said": r.said(i, s.j)})
	}
	return s, true
}

// forDays ends a range of days by how long it lasts: "from 4 January for two weeks". Whether its last day belongs to it is asked.
func (r *reading) forDays(s *stretch) bool {
	from, _ := s.ends[lower].(string)
	first, err := time.Parse(time.DateOnly, from)
	e, j, ok := r.lasting(s.j + 1)
	if err != nil || !ok || !e.whole() || !r.language.is(r.folded(s.j), lasting) {
		return false
	}
	s.ends[upper] = dayOf(first).addMonths(e.months).add(e.days).String()
	s.left, s.j = r.text[r.tokens[s.j].start:r.tokens[j-1].end], j
	return true
}

func laterDay(a, b any) bool {
	x, xOk := a.(string)
	y, yOk := b.(string)
	return xOk && yOk && x > y
}

// bound reads one end with the words that say which one it is.
func (g *ranger) bound(r *reading, i int) (s stretch, which string, ok bool) {
	w := &r.language.ranges
	for _, b := range []struct {
		words *phrases[bool]
		which string
		step  int // of an end that does not belong to the range: which way the nearest value is that does
	}{{&w.least, lower, 0}, {&w.most, upper, 0}, {&w.above, lower, 1}, {&w.below, upper, -1}} {
		at := r.saying(b.words, i)
		if at == i {
			continue
		}
		if s, ok = g.end(r, i, at, b.which, b.step); ok {
			if end := r.saying(&w.more, s.j); b.which == lower { // from monday on
				s.j = end
			}
			return s, b.which, true
		}
	}
	if s, ok = g.end(r, i, i, lower, 0); !ok || s.reason != "" {
		return s, lower, false
	}
	if r.sign(s.j) == '+' && r.isGlued(s.j) {
		s.j++
		return s, lower, true
	}
	if at := r.saying(&w.more, s.j); at > s.j {
		s.j = at
		return s, lower, true
	}
	if at := r.saying(&w.less, s.j); at > s.j {
		s.j, s.ends = at, map[string]any{upper: s.ends[lower]}
		return s, upper, true
	}
	return s, lower, false
}

// end reads one end. Of one that does not belong to the range, the next whole number or day does; where there is no next one,
// the words that say so are left over.
func (g *ranger) end(r *reading, i, at int, which string, step int) (stretch, bool) {
	if g.member.kind() == Date {
		first, last, d, ok := r.someDays(at)
		if !ok {
			return stretch{}, false
		}
		if why := d.wrong(); why != nil {
			return stretch{i: i, j: d.j, reason: r.language.Say(why.key, why.args)}, true
		}
		day := first
		if which == upper && step == 0 || step > 0 {
			day = last
		}
		s := stretch{ends: map[string]any{which: day.add(step).String()}, i: i, j: d.j, left: d.left}
		if first != last && which == upper && step == 0 { // until may: does may belong to it?
			s.left = r.text[r.tokens[at].start:r.tokens[d.j-1].end]
		}
		return s, true
	}
	v, ok := g.one(r, at)
	if !ok {
		return stretch{}, false
	}
	s := stretch{ends: map[string]any{which: v.Value.Value}, i: i, j: v.j, left: v.Left, reason: v.Reason}
	if step == 0 || v.Reason != "" {
		return s, true
	}
	if n := ratOf(v.Value.Value); g.member.kind() == Integer && n != nil {
		d := decimal{*n}
		d.add(newDecimal(int64(step)))
		s.ends[which] = json.Number(d.String())
		return s, true
	}
	s.left = r.text[r.tokens[i].start:r.tokens[at-1].end]
	return s, true
}

// alone reads days that are a range by themselves: "next week", "may 2027".
func (g *ranger) alone(r *reading, i int) (stretch, bool) {
	if g.member.kind() != Date {
		return stretch{}, false
	}
	first, last, d, ok := r.someDays(i)
	if !ok || first == last || d.wrong() != nil {
		return stretch{}, false
	}
	return stretch{ends: map[string]any{lower: first.String(), upper: last.String()}, i: i, j: d.j, left: d.left}, true
}

// oneEnd is an answer with one value and nothing that says which end of the range it is.
func (r *reading) oneEnd(s Slot) (Value, bool) {
	values := r.all(s.ends().scanner(r.language))
	if len(values) != 1 {
		return Value{}, false
	}
	v := values[0]
	if v.Reason != "" {
		return v.Value, true
	}
	return r.refusal(because(OneEnd, Args{"said": r.said(v.i, v.j)}), v.i, v.j).Value, true
}

// days reads the two ends of a range of days. What is left out of one is that of the other: "from 3 to 10 december".
func (r *reading) days(i, at int, between *phrases[bool]) (stretch, bool) {
	if a, b, j, ok := r.ofOneMonth(at, between); ok {
		return stretch{ends: map[string]any{lower: a.String(), upper: b.String()}, i: i, j: j}, true
	}
	first, _, a, ok := r.someDays(at)
	if !ok {
		return stretch{}, false
	}
	next, ok := r.toEnd(a.j, between)
	if !ok {
		return stretch{}, false
	}
	start, last, b, ok := r.someDays(next)
	if !ok {
		return stretch{}, false
	}
	s := stretch{i: i, j: b.j, left: a.left + b.left}
	for _, d := range []dated{a.dated, b.dated} {
		if why := d.wrong(); why != nil && s.reason == "" {
			s.reason = r.language.Say(why.key, why.args)
		}
	}
	if s.reason != "" {
		return s, true
	}
	switch _, end, weekday := r.weekdayAt(next); {
	case a.noYear && !b.noYear && b.yearSaid(r):
		for first.year = b.year; last.before(first); first.year-- {
		}
	case b.noYear && (last.before(first) || !a.noYear):
		for year := first.year; year <= first.year+8; year++ { // the first one that is not before the beginning
			if moved := (day{year, last.month, last.day}); moved.wrong() == nil && !moved.before(first) {
				last = moved
				break
			}
		}
	case b.again != nil && last.before(first):
		if last = b.again(first.year); last.before(first) {
			last = b.again(first.year + 1)
		}
	case weekday && end == b.j && start == last && !first.before(r.today().add(-7)): // the first such day behind the beginning
		last = first.add((int(last.weekday()-first.weekday())+6)%7 + 1)
	}
	s.ends = map[string]any{lower: first.String(), upper: last.String()}
	if last.before(first) {
		s.reason = r.language.Say(Backwards, Args{"said": r.said(i, s.j)})
	}
	return s, true
}

// ofOneMonth reads two days of which the second alone has a month: "3 to 10 december".
func (r *reading) ofOneMonth(i int, between *phrases[bool]) (a, b day, j int, ok bool) {
	at := r.past(i, "the")
	n, j, _, ok := r.nth(at)
	if ok && r.sign(j) == '.' && r.isGlued(j) {
		j++
	}
	if !ok || r.isGlued(at) && r.tokens[at-1].sort == mark {
		return a, b, i, false
	}
	next, ok := r.toEnd(j, between)
	if !ok {
		return a, b, i, false
	}
	d, ok := r.date(next)
	if !ok || d.wrong() != nil || n > d.day.day {
		return a, b, i, false
	}
	a = day{d.year, d.month, n}
	return a, d.day, d.j, a.wrong() == nil
}

// datedDays is a day or several that were said.
type datedDays struct {
	dated
	left string // what makes it doubtful
}

// yearSaid reports whether the year of a day was said, and is not a guess.
func (d datedDays) yearSaid(r *reading) bool {
	year, _, ok := r.yearAt(d.j - 1)
	return ok && year == d.year
}

// someDays reads a day, or days that follow each other: "next week", "may", "may 2027", "this year", "2027".
func (r *reading) someDays(i int) (first, last day, d datedDays, ok bool) {
	one, ok := r.date(i)
	if ok && one.wrong() == nil {
		d := datedDays{dated: one}
		if one.recent {
			d.left = r.text[r.tokens[i].start:r.tokens[one.j-1].end]
		}
		return one.day, one.day, d, true
	}
	first, last, j, several := r.calendarSpan(i)
	if several {
		return first, last, datedDays{dated: dated{day: last, j: j, score: 1}}, true
	}
	return one.day, one.day, datedDays{dated: one}, ok
}

// calendarSpan reads a week, a month or a year.
func (r *reading) calendarSpan(i int) (first, last day, j int, ok bool) {
	at := r.past(i, "the")
	if month, named := r.language.months[r.word(at)]; named {
		j = at + 1
		year, end, said := r.year(j)
		if first = (day{r.today().year, month, 1}); said {
			first.year, j = year, end
		} else if first.addMonths(1).add(-1).before(r.today()) {
			first.year++
		}
		return first, first.addMonths(1).add(-1), j, true
	}
	if years, j, ok := r.oneOf(at, "year"); ok {
		first = day{r.today().year + years, time.January, 1}
		return first, day{first.year, time.December, 31}, j, true
	}
	if months, j, ok := r.oneOf(at, "month"); ok {
		first = day{r.today().year, r.today().month, 1}.addMonths(months)
		return first, first.addMonths(1).add(-1), j, true
	}
	if weeks, j, ok := r.oneOf(at, "week"); ok {
		first = r.today().add(7*weeks - (int(r.today().weekday())+6)%7)
		return first, first.add(6), j, true
	}
	if year, j, ok := r.yearAt(i); ok && r.tokens[i].sort == digits && year >= 1900 && year < 2200 && !r.isGlued(j) {
		return day{year, time.January, 1}, day{year, time.December, 31}, j, true
	}
	return first, last, i, false
}
