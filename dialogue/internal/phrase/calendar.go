package phrase

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Calendars returns the names of all calendars of holidays, sorted. A locale declares those that its users keep.
func Calendars() []string { return slices.Sorted(maps.Keys(calendars)) }

// holiday is a day that has a name, and that comes once a year: when, and its sayings by language.
type holiday struct {
	in    func(year int) day
	names map[string]string
	lands string // where it is a public holiday, see lands
}

// fromPascha is so many days after Easter Sunday of the eastern churches.
func fromPascha(days int) func(int) day {
	return func(year int) day { return pascha(year).add(days) }
}

// pascha is Easter Sunday in the Julian calendar, as a day of the Gregorian one.
func pascha(year int) day {
	moon := (19*(year%19) + 15) % 30
	sunday := (2*(year%4) + 4*(year%7) - moon + 34) % 7
	n := moon + sunday + 114 // month and day of the Julian calendar
	behind := year/100 - year/400 - 2
	return day{year, time.Month(n / 31), n%31 + 1}.add(behind)
}

// onDay is a day of the calendar.
//
//go:noinline // called two hundred times, see called
func onDay(month time.Month, of int) func(int) day {
	return func(year int) day { return day{year, month, of} }
}

// onNth is the n-th weekday of a month, the last one for -1, and so many days later.
//
//go:noinline
func onNth(n int, w time.Weekday, month time.Month, later int) func(int) day {
	return func(year int) day { return day{year, month, 1}.nth(n, w).add(later) }
}

// fromEaster is so many days after Easter Sunday of the western churches.
//
//go:noinline
func fromEaster(days int) func(int) day {
	return func(year int) day { return easter(year).add(days) }
}

// fromAdvent is so many days after the first Sunday of Advent.
//
//go:noinline
func fromAdvent(days int) func(int) day {
	return func(year int) day {
		eve := day{year, time.December, 24}
		return eve.add(-int(eve.weekday()) - 21 + days)
	}
}

// easter is Easter Sunday in the Gregorian calendar.
func easter(year int) day {
	golden, century := year%19, year/100
	moon := (century - century/4 - (8*century+13)/25 + 19*golden + 15) % 30
	moon -= moon / 28 * (1 - moon/28*(29/(moon+1))*((21-golden)/11))
	sunday := moon - (year+year/4+moon+2-century+century/4)%7
	return day{year, time.March, 28}.add(sunday)
}

// feast is a holiday as it is found in what was said.
type feast struct {
	in   func(year int) day
	name string // as the language calls it
}

// kept is the sayings of the holidays of a calendar in a language: made once.
var kept sync.Map

func keptBy(calendar string, l *language) *phrases[feast] {
	key := [2]string{calendar, l.Tag}
	if p, ok := kept.Load(key); ok {
		return p.(*phrases[feast])
	}
	p := &phrases[feast]{}
	for _, h := range calendars[calendar] {
		name, _, _ := strings.Cut(h.names[l.Tag], " | ")
		for saying := range strings.SplitSeq(h.names[l.Tag], "|") {
			for _, words := range variants(l, foldedWords(saying)) {
				p.add(feast{h.in, name}, strings.Join(words, " "))
			}
		}
	}
	kept.Store(key, p)
	return p
}

// variants are the ways to write the name of a holiday: "st" and "saint", "mothers day" and "mother day", "monday" and "mon".
func variants(l *language, name []string) [][]string {
	all := [][]string{name}
	if l.meant != nil {
		spelled := slices.Clone(name)
		for i, w := range name { // as they are read: "drei" is 3
			if l.Values.Number == nil {
				break
			}
			if n, ok := l.Values.Number(w); ok {
				spelled[i] = n
			}
		}
		return append(all, spelled)
	}
	add := func(i int, word string) {
		for _, words := range slices.Clip(all) {
			other := slices.Clone(words)
			other[i] = word
			all = append(all, other)
		}
	}
	last := len(name) - 1
	for i, w := range name {
		switch short, plural := strings.CutSuffix(w, "s"); {
		case w == "st":
			add(i, "saint")
		case i == last-1 && (name[last] == "day" || name[last] == "birthday") && plural:
			add(i, short)
		case i == last-1 && (name[last] == "day" || name[last] == "birthday") && i > 0 || i == 0 && last == 1 && name[last] == "day" && len(w) > 4:
			add(i, w+"s")
		case last > 0 && strings.HasSuffix(w, "day") && len(w) > 5 && l.weekdays[w] == l.weekdays[w[:3]]:
			add(i, w[:3])
		}
	}
	return all
}

// holidaysAt are the holidays that begin at a spoken word, of the declared calendars and of those that one day in all years
// has, and how many words say them. Two calendars may have different days of one name.
func (r *reading) holidaysAt(k int) (all []feast, n int) {
	add := func(f feast, words int) {
		if words > n {
			all, n = nil, words
		}
		if words == n && words > 0 {
			all = append(all, f)
		}
	}
	for _, calendar := range r.locale.Calendars {
		f, words := keptBy(calendar, r.language).at(r.line, k)
		add(f, words)
	}
	if of, words := r.language.feasts.at(r.line, k); words > n || len(all) == 0 {
		add(feast{in: onDay(of.month, of.day)}, words)
	}
	return all, n
}

// justOver is how many days after a holiday its name may mean the last or the next one.
const justOver = 14

// holiday reads "easter", "good friday 2027", "last thanksgiving", "next easter", "easter of last year", "christmas in two years".
func (r *reading) holiday(i int) (dated, bool) {
	at := r.past(i, "the")
	ahead, asked := whichOne[r.word(at)]
	k, found := r.spokenIndex(at)
	if !found {
		return dated{}, false
	}
	all, n := r.holidaysAt(k)
	if n > 0 || !asked {
		asked = false
	} else {
		k++
		all, n = r.holidaysAt(k)
	}
	if n == 0 {
		return dated{}, false
	}
	d := dated{j: r.says[k+n-1] + 1, score: 1}
	year, j, said := r.yearOf(d.j)
	if said && !asked {
		d.j = j
	}
	days := make([]string, 0, len(all))
	for _, f := range all {
		d.name = f.name
		switch {
		case said && !asked:
			d.day = f.in(year)
		default:
			d.day, d.again = f.on(r.today(), asked, ahead), f.in
			d.recent = !asked && !f.in(r.today().year).before(r.today().add(-justOver)) && f.in(r.today().year).before(r.today())
			if last := f.in(r.today().year - 1); !asked && !last.before(r.today().add(-justOver)) {
				d.recent = true
			}
		}
		if !slices.Contains(days, d.String()) {
			days = append(days, d.String())
		}
	}
	if len(days) > 1 {
		d.clash = because(SeveralMeanings, Args{"said": r.said(i, d.j), "choices": r.language.Any(days)})
	}
	return d, true
}

// on is the day that a holiday without a year means: the next one, today included, or the last one.
func (f feast) on(today day, asked bool, ahead int) day {
	d := f.in(today.year)
	switch {
	case asked && ahead < 0:
		if !d.before(today) {
			return f.in(today.year - 1)
		}
	case d.before(today):
		return f.in(today.year + 1)
	}
	return d
}

// yearOf reads the year of a holiday: "2027", "in 2027", "of last year", "next year", "two years ago", "in 4 years".
func (r *reading) yearOf(i int) (year, j int, ok bool) {
	if year, j, ok = r.year(i); ok {
		return year, j, true
	}
	of := r.past(i, "of", "in")
	if years, j, ok := r.oneOf(r.past(of, "the"), "year"); ok {
		return r.today().year + years, j, true
	}
	at, in := i, r.word(i) == "in"
	behind, ago := r.agoBefore(i)
	switch {
	case ago:
		at = behind
	case in:
		at++
	}
	e, j, ok := r.lasting(at)
	if !ok || e.time != 0 || e.days != 0 || e.months%12 != 0 || e.months > 12*200 {
		return 0, i, false
	}
	switch {
	case ago:
		return r.today().year - e.months/12, j, true
	case r.word(j) == "ago":
		return r.today().year - e.months/12, j + 1, true
	case r.is(j, "hence", "later"), in && !r.is(j, "hence", "later"):
		return r.today().year + e.months/12, r.past(j, "hence", "later"), true
	}
	return 0, i, false
}
