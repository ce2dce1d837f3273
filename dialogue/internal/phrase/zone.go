package phrase

import "time"

// zones are the abbreviations of time zones that mean one offset everywhere. IST, BST, CST and others that several countries
// use for different times are not among them.
var zones = map[string]*time.Location{
	"utc": time.UTC, "gmt": hoursEast("GMT", 0), "z": time.UTC, "wet": hoursEast("WET", 0), "west": hoursEast("WEST", 1),
	"cet": hoursEast("CET", 1), "cest": hoursEast("CEST", 2), "mez": hoursEast("MEZ", 1), "mesz": hoursEast("MESZ", 2),
	"eet": hoursEast("EET", 2), "eest": hoursEast("EEST", 3), "msk": hoursEast("MSK", 3), "jst": hoursEast("JST", 9), "kst": hoursEast("KST", 9),
	"est": hoursEast("EST", -5), "edt": hoursEast("EDT", -4), "cdt": hoursEast("CDT", -5), "mst": hoursEast("MST", -7), "mdt": hoursEast("MDT", -6),
	"pst": hoursEast("PST", -8), "pdt": hoursEast("PDT", -7), "akst": hoursEast("AKST", -9), "akdt": hoursEast("AKDT", -8), "hst": hoursEast("HST", -10),
	"aest": hoursEast("AEST", 10), "aedt": hoursEast("AEDT", 11), "nzst": hoursEast("NZST", 12), "nzdt": hoursEast("NZDT", 13),
}

//go:noinline // it is called in a table
func hoursEast(name string, hours int) *time.Location {
	return time.FixedZone(name, hours*int(time.Hour/time.Second))
}

// zoned reads a time zone behind a time: "4pm CET".
func (r *reading) zoned(c *clock) {
	j := c.j
	if r.sign(j) == '(' {
		j++
	}
	zone, ok := zones[r.folded(j)]
	if !ok {
		return
	}
	c.zone, j = zone, j+1
	if s := r.sign(j); (s == '+' || isMinus(s)) && r.isGlued(j) { // GMT+1
		if hours, end, ok := r.small(j + 1); ok && hours <= 14 && r.isEnd(end) && !r.goesOnBehind(end) && r.is(j-1, "utc", "gmt") {
			if s != '+' {
				hours = -hours
			}
			c.zone, j = hoursEast("", hours), end
		}
	}
	if r.sign(j) == ')' {
		j++
	}
	c.j, c.bare = j, false
}
