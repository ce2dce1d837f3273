package phrase

import (
	"slices"
	"strings"
	"time"
)

// Holiday is the kind of holidays of the declared calendars: map[string]any with "date" and "name".
var Holiday = &Kind{name: "holiday", scan: always((*reading).holidayNamed), exact: true, days: true}

// The members of a holiday.
const (
	holidayDate = "date"
	holidayName = "name"
)

// Holidays returns the names of the holidays on a day, in the language, by the locale's calendars.
func (l Locale) Holidays(date string) []string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil
	}
	return l.holidaysOn(dayOf(t))
}

func (l Locale) holidaysOn(d day) []string {
	var names []string
	for _, calendar := range l.Calendars {
		for _, h := range calendars[calendar] {
			name, _, _ := strings.Cut(h.names[l.language().Tag], " | ")
			if name != "" && h.in(d.year) == d && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// holidayNamed reads a holiday by its name or its day: "easter monday", "the last thanksgiving", "the day after christmas", "25
// december", and one with its day behind it: "Easter Monday (2027-03-29)".
func (r *reading) holidayNamed(i int) (found, bool) {
	d, ok := r.holiday(i)
	if ok && d.again != nil {
		r.withDay(&d)
	}
	if !ok {
		d, ok = r.date(i)
	}
	if !ok {
		return found{}, false
	}
	if _, j, weekday := r.weekdayAt(i); weekday && j == d.j && i > 0 && r.isContent(i-1) { // "Whit Monday" where no calendar has one
		return r.refusal(because(NoHoliday, Args{"said": r.said(i-1, j)}), i-1, j), true
	}
	if why := d.wrong(); why != nil {
		return r.refusal(why, i, d.j), true
	}
	names := r.locale.holidaysOn(d.day)
	if len(names) == 0 {
		return r.refusal(because(NoHoliday, Args{"said": r.said(i, d.j)}), i, d.j), true
	}
	if !slices.Contains(names, d.name) {
		d.name = names[0]
	}
	f := r.value(map[string]any{holidayDate: d.String(), holidayName: d.name}, i, d.j, d.score)
	if d.recent {
		f.Left = f.Text
	}
	return f, true
}

// withDay reads the day behind the name of a holiday, which says the year: "Easter Monday (2027-03-29)".
func (r *reading) withDay(d *dated) {
	if sign := r.sign(d.j); sign != '(' && sign != ',' {
		return
	}
	on, ok := r.date(d.j + 1)
	if !ok || on.wrong() != nil || d.again(on.year) != on.day {
		return
	}
	d.day, d.recent = on.day, false
	if d.j = on.j; r.sign(on.j) == ')' {
		d.j++
	}
}
