package phrase

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fraction is the kind of parts of a whole: json.Number, 0.75 for "three quarters". A whole number other than 0 and 1 is none:
// nobody knows whether 3 is a third.
var Fraction = &Kind{name: "fraction", scan: always((*reading).fractionAt), none: (*reading).noneAtAll, exact: true}

// Fractions are the words for parts of a whole.
type Fractions struct {
	Parts  map[string]int64    // "third": 3, behind a number
	Alone  map[string][2]int64 // words that are a fraction by themselves: "half": {1, 2}
	Over   string              // words between the one and the number of parts: "one in three"
	Wholes string              // sayings of all of it: "everything"
}

// fractionAt reads a fraction that begins at a token: "three quarters", "3/4", "1 1/2", "one and a half", "½", "50%", "0.5".
func (r *reading) fractionAt(i int) (found, bool) {
	if k, said := r.spokenIndex(i); said {
		if _, n := r.language.wholes.at(r.line, k); n > 0 {
			return r.value(json.Number("1"), i, r.says[k+n-1]+1, 0.9), true
		}
	}
	n, j, ok := r.partOf(i)
	if !ok {
		n, j, ok = r.mixed(i)
	}
	if ok {
		return r.part(n, i, j), true
	}
	d, ok := r.number(i)
	if !ok || d.long || d.Sign() < 0 {
		return found{}, false
	}
	if j := r.percent(d.j); j > d.j {
		d.shift(-2)
		return r.part(&d.Rat, i, j), true
	}
	if d.IsInt() && d.Cmp(big.NewRat(1, 1)) > 0 || r.isGlued(d.j) && r.sign(d.j) == '/' {
		return found{}, false
	}
	return r.part(&d.Rat, i, d.j), true
}

// part is a fraction as a value, with the "of" behind it. A sign belongs to it: "1½".
func (r *reading) part(n *big.Rat, i, j int) found {
	f := r.value(quotient(n), i, r.past(j, "of"), 1)
	f.Start, f.End = r.tokens[i].start, r.tokens[f.j-1].end
	f.Text = r.text[f.Start:f.End]
	return f
}

// mixed reads a whole number with a fraction behind it: "1 1/2", "one and three quarters", "1½".
func (r *reading) mixed(i int) (*big.Rat, int, bool) {
	d, ok := r.unsigned(i)
	if r.word(i) == "a" && r.word(i+1) == "and" { // un et demi
		d, ok = number{decimal: newDecimal(1), j: i + 1}, true
	}
	if !ok || d.long || !d.IsInt() || d.Cmp(big.NewRat(1000, 1)) > 0 {
		return nil, i, false
	}
	part, j, ok := r.partOf(r.past(d.j, "and"))
	if !ok || part.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, i, false
	}
	return new(big.Rat).Add(&d.Rat, part), j, true
}

// partOf reads a part of one: "3/4", "½", "half", "a third", "two-thirds".
func (r *reading) partOf(i int) (*big.Rat, int, bool) {
	if over, under, ok := vulgar(r.sign(i)); ok {
		return big.NewRat(over, under), i + 1, true
	}
	if over, at, ok := r.small(i); ok && r.sign(at) == '/' && r.isGlued(at) && r.isGlued(at+1) && !(r.isGlued(i) && r.sign(i-1) == '/') {
		under, j, ok := r.small(at + 1)
		if !ok || under == 0 || over > under || r.isGlued(j) && (r.sign(j) == '/' || r.tokens[j].sort != mark) {
			return nil, i, false
		}
		return big.NewRat(int64(over), int64(under)), j, true
	}
	at := r.past(i, "a", "the")
	if ratio, ok := r.language.Fractions.Alone[r.folded(at)]; ok {
		return big.NewRat(ratio[0], ratio[1]), at + 1, true
	}
	over, at := int64(1), r.past(i, "a", "an", "one")
	if at == i {
		d, ok := r.unsigned(i)
		if !ok || d.long || !d.IsInt() || d.Sign() <= 0 || d.Cmp(big.NewRat(1000, 1)) > 0 {
			return nil, i, false
		}
		over, at = d.Num().Int64(), d.j
	}
	if r.sign(at) == '-' {
		at++
	}
	if ratio, ok := r.language.Fractions.Alone[r.folded(at)]; ok && ratio[0] == 1 && over == 1 { // one half
		return big.NewRat(1, ratio[1]), at + 1, true
	}
	under, ok := r.language.Fractions.Parts[r.folded(at)]
	if !ok {
		return nil, i, false
	}
	return big.NewRat(over, under), at + 1, true
}

// vulgar is the fraction that one character is: '¾' is 3/4.
func vulgar(sign rune) (over, under int64, ok bool) {
	if sign < '¼' {
		return 0, 0, false
	}
	a, b, ok := strings.Cut(norm.NFKD.String(string(sign)), "\u2044")
	if !ok || a == "" || b == "" {
		return 0, 0, false
	}
	return int64(value(a)), int64(value(b)), true
}

// quotient is a number as values have it: exact where its decimals end, and otherwise the nearest one that 64 bits hold.
func quotient(n *big.Rat) json.Number {
	d := decimal{*n}
	if _, exact := n.FloatPrec(); exact {
		return json.Number(d.String())
	}
	f, _ := n.Float64()
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}

// mostParts is how many parts a whole has, at most, where a number is shown as a fraction.
const mostParts = 100

// Part shows a number as a fraction, as people write it: 0.75 is 3/4, and 1.5 is 1 1/2. One that is no fraction of few parts
// stays a number.
func (l Locale) Part(digits string) string {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || f < 0 || f > 1000 {
		return l.language().digits(digits)
	}
	for under := 1.0; under <= mostParts; under++ {
		over := math.Round(f * under)
		if over/under != f {
			continue
		}
		whole, rest := math.Floor(over/under), math.Mod(over, under)
		switch {
		case rest == 0:
			return strconv.FormatFloat(whole, 'f', -1, 64)
		case whole == 0:
			return strconv.FormatFloat(rest, 'f', -1, 64) + "/" + strconv.FormatFloat(under, 'f', -1, 64)
		}
		return strconv.FormatFloat(whole, 'f', -1, 64) + " " + strconv.FormatFloat(rest, 'f', -1, 64) + "/" + strconv.FormatFloat(under, 'f', -1, 64)
	}
	return l.language().digits(digits)
}
