package phrase

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Phone is the kind of telephone numbers: string of digits, with + before the code of a country. A date in digits is none. Where
// the country of the slot is known, a national number is read with the code of that country: "+4930123456" for "030 123456".
var Phone = &Kind{
	name: "phone", none: (*reading).noPhone, exact: true,
	scan: func(s Slot, _ *language) scan {
		return func(r *reading, i int) (found, bool) { return r.phoneAt(i, s.Country) }
	},
}

var phoneForm = regexp.MustCompile(`^(\+|00)?[0-9(][0-9()/. \x{a0}-]{4,24}[0-9]`)

// numbering is how a country writes telephone numbers.
type numbering struct {
	code  string // the country's: "49"
	trunk string // the digit before national numbers, which no caller from abroad dials; "" for none
	least int    // how many digits a national number of a household or a mobile has behind it at least
	most  int    // and at most
	exit  string // what is dialled before the code of another country; "" for 00
}

// numberings are those of countries, by their ISO 3166 codes, as the metadata of google/libphonenumber has them.
var numberings = map[string]numbering{
	"AT": {"43", "0", 4, 13, ""}, "AU": {"61", "0", 9, 9, "0011"}, "BE": {"32", "0", 8, 9, ""}, "CA": {"1", "1", 10, 10, "011"}, "CH": {"41", "0", 9, 9, ""}, "CZ": {"420", "", 9, 9, ""},
	"DE": {"49", "0", 5, 15, ""}, "DK": {"45", "", 8, 8, ""}, "ES": {"34", "", 9, 9, ""}, "FI": {"358", "0", 5, 10, ""}, "FR": {"33", "0", 9, 9, ""}, "GB": {"44", "0", 9, 10, ""},
	"GR": {"30", "", 10, 10, ""}, "IE": {"353", "0", 7, 10, ""}, "IN": {"91", "0", 10, 10, ""}, "IT": {"39", "", 6, 12, ""}, "LU": {"352", "", 4, 11, ""}, "NL": {"31", "0", 9, 9, ""}, "NO": {"47", "", 8, 8, ""},
	"NZ": {"64", "0", 8, 10, ""}, "PL": {"48", "", 9, 9, ""}, "PT": {"351", "", 9, 9, ""}, "SE": {"46", "0", 7, 9, ""}, "US": {"1", "1", 10, 10, "011"},
}

// PhoneCountries returns the countries whose national numbers are read, as ISO 3166 codes in order.
func PhoneCountries() []string { return slices.Sorted(maps.Keys(numberings)) }

// international is a national number with the code of its country, and any other as it is. It reports false for a number without
// its area, or with too many digits.
func (n numbering) international(number string) (string, bool) {
	switch {
	case n.code == "":
		return number, true
	case strings.HasPrefix(number, cmp.Or(n.exit, "00")):
		number = "+" + number[len(cmp.Or(n.exit, "00")):]
	}
	if strings.HasPrefix(number, "+") {
		return number, true
	}
	national, dialled := strings.CutPrefix(number, n.trunk)
	if len(national) < n.least || len(national) > n.most || !dialled && n.least != 10 {
		return "", false
	}
	const most = 15 // of E.164
	return "+" + n.code + national, len(n.code+national) <= most
}

func (r *reading) phoneAt(i int, country string) (found, bool) {
	j, said, ok := r.formed(i, phoneForm)
	if !ok || isMinus(r.sign(i-1)) || r.isGlued(i) {
		return found{}, false
	}
	if at, dated := r.wholeDate(i); dated && at == j { // "27.11.2026"
		return found{}, false
	}
	var b strings.Builder
	for n, c := range withoutTrunk(said) {
		if c >= '0' && c <= '9' || c == '+' && n == 0 {
			b.WriteRune(c)
		}
	}
	number := b.String()
	if n := len(strings.TrimPrefix(number, "+")); n < 6 || n > 15 || strings.Count(said, "(") != strings.Count(said, ")") {
		return found{}, false
	}
	number, ok = numberings[country].international(number)
	if !ok {
		return r.refusal(because(WrongForm, Args{"said": r.said(i, j)}), i, j), true
	}
	return r.value(number, i, j, 1), true
}

// withoutTrunk is a number with the code of its country, without the digit that only callers from inside dial: "+44 (0)20". Numbers of
// Italy have it from abroad, too.
func withoutTrunk(said string) string {
	before, behind, ok := strings.Cut(said, "(0)")
	if code := strings.TrimRight(before, " "); ok && (strings.HasPrefix(code, "+") || strings.HasPrefix(code, "00")) && !strings.HasSuffix(code, "39") {
		return before + behind
	}
	return said
}

// wholeDate is the token behind a date in digits that has its year.
func (r *reading) wholeDate(i int) (j int, ok bool) {
	d, ok := r.inDigitsOnly(i)
	return d.j, ok && !d.noYear && d.day.wrong() == nil
}

// noPhone is an answer that is a date in digits, which is no telephone number.
func (r *reading) noPhone(Slot) (Value, bool) {
	const little = 0.7
	for _, i := range r.says {
		if j, ok := r.wholeDate(i); ok {
			score, ok := r.around(i, j)
			return r.refusal(because(WrongForm, Args{"said": r.said(i, j)}), i, j).Value, ok && score >= little
		}
	}
	return Value{}, false
}
