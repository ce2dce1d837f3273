package canonical

import (
	"cmp"
	"strconv"
	"strings"
)

// Integer writes an integral JSON number without fraction and exponent: 1.50e1 as 15, -0 as 0. The length of the text
// grows with the exponent: bound the exponents of untrusted numbers first.
func Integer(number string) (text string, ok bool) {
	d, ok := decimalOf(number)
	if !ok || d.exponent < 0 {
		return "", false
	}
	return d.sign + cmp.Or(d.digits, "0") + strings.Repeat("0", d.exponent), true
}

// SameNumber reports whether two JSON numbers are equal, to the last digit: 1, 1.0, 10e-1. It never writes a number out,
// for 1e999999999 is a short text. Those whose exponents no integer holds are equal if they are written alike.
func SameNumber(a, b string) bool {
	x, okX := decimalOf(a)
	y, okY := decimalOf(b)
	return a == b || okX && okY && x == y
}

// decimal is a number that each spelling has the same of: sign, digits, and how many zeros follow them.
type decimal struct {
	sign, digits string // the digits neither begin nor end with 0, and are none for 0
	exponent     int
}

func decimalOf(number string) (d decimal, ok bool) {
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		d.sign, number = "-", rest
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return decimal{}, true
	}
	n, err := strconv.ParseInt(cmp.Or(exponent, "0"), 10, strconv.IntSize-2) // the sum below is an int, too
	if err != nil {
		return d, false
	}
	d.digits = strings.TrimRight(digits, "0")
	d.exponent = int(n) - len(fraction) + len(digits) - len(d.digits)
	return d, true
}
