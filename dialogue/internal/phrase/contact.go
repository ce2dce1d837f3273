package phrase

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Email is the kind of e-mail addresses: string, as it was said.
var Email = &Kind{name: "email", scan: always((*reading).emailAt), exact: true}

// Percent is the kind of percentages: json.Number, 50 for "50%". A number by itself is one where it is asked for.
var Percent = &Kind{name: "percent", scan: always((*reading).percentAt), bare: true, exact: true}

// Duration is the kind of lengths of time: string, ISO 8601, "PT1H30M".
var Duration = &Kind{name: "duration", scan: always((*reading).durationAt), exact: true, days: true}

var (
	emailForm    = regexp.MustCompile(`^[\pL\pN_%+'-]+(\.[\pL\pN_%+'-]+)*@[\pL\pN-]+(\.[\pL\pN-]+)+`)
	durationForm = regexp.MustCompile(`^P([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?`)
)

// formed reads what has a form and begins at a token. It stands apart from what is before and behind it.
func (r *reading) formed(i int, form *regexp.Regexp) (j int, said string, ok bool) {
	start := r.tokens[i].start
	if r.isGlued(i) && r.tokens[i-1].sort != mark {
		return i, "", false
	}
	said = form.FindString(r.seen[start:])
	for j = i; j < len(r.tokens) && r.tokens[j].end <= start+len(said); j++ {
	}
	whole := said != "" && j > i && r.tokens[j-1].end == start+len(said)
	if !whole || j < len(r.tokens) && r.isGlued(j) && (r.tokens[j].sort != mark || r.isGlued(j+1) && r.tokens[j+1].sort != mark) {
		return i, "", false
	}
	return j, said, true
}

func (r *reading) emailAt(i int) (found, bool) {
	j, said, ok := r.formed(i, emailForm)
	if !ok || r.isGlued(i) && strings.ContainsRune("._%+'-@", r.sign(i-1)) { // the end of something longer: "dots..twice@example.com"
		return found{}, false
	}
	return r.value(said, i, j, 1), true
}

func (r *reading) percentAt(i int) (found, bool) {
	n, ok := r.number(i)
	if !ok || n.long {
		return found{}, false
	}
	j := r.percent(n.j)
	if j == n.j && (!r.bare || n.words && !n.IsInt()) {
		return found{}, false
	}
	return r.value(json.Number(n.String()), n.i, j, 1), true
}

func (r *reading) durationAt(i int) (found, bool) {
	if j, said, ok := r.formed(i, durationForm); ok && len(said) > 2 {
		return r.value(said, i, j, 1), true
	}
	e, j, ok := r.lasting(i)
	if !ok || e == (elapsed{}) || e.time%time.Second != 0 {
		return found{}, false
	}
	f := r.value(e.String(), i, j, 1)
	if _, few := r.fewWeeks(i); few && e.days > 0 { // "quinze jours" may be fifteen
		f.Left = f.Text
	}
	return f, true
}

// String is the time as ISO 8601 writes it: "P1Y2M3DT4H5M6S".
func (e elapsed) String() string {
	date, clock := "", ""
	add := func(to *string, n int, unit string) {
		if n > 0 {
			*to += fmt.Sprint(n) + unit
		}
	}
	add(&date, e.months/12, "Y")
	add(&date, e.months%12, "M")
	add(&date, e.days, "D")
	add(&clock, int(e.time/time.Hour), "H")
	add(&clock, int(e.time/time.Minute%60), "M")
	add(&clock, int(e.time/time.Second%60), "S")
	if clock != "" {
		clock = "T" + clock
	}
	return "P" + date + clock
}
