package patch

import (
	"math/big"
	"strings"
)

// sameNumber reports whether two texts are numbers of one value: 1, 1.0, 10e-1. It never writes a number out, for
// 1e999999999 is a short text.
func sameNumber(a, b string) bool {
	x, ok := normal(a)
	if !ok {
		return false
	}
	y, ok := normal(b)
	return ok && x.negative == y.negative && x.digits == y.digits && x.exponent.Cmp(y.exponent) == 0
}

// number is ±0.digits times ten to the exponent, the digits without zeros at either end.
type number struct {
	negative bool
	digits   string
	exponent *big.Int
}

// longestExponent is the most digits of an exponent that are looked at: others are compared as texts.
const longestExponent = 1000

func normal(text string) (n number, ok bool) {
	if text == "" || strings.Trim(text[:1], "-0123456789") != "" {
		return n, false // true, false, null
	}
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	if len(power) > longestExponent {
		return n, false
	}
	n.exponent = new(big.Int)
	if power != "" {
		n.exponent.SetString(strings.TrimPrefix(power, "+"), 10)
	}
	mantissa, n.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	leading := len(whole) + len(fraction) - len(all)
	n.digits = strings.TrimRight(all, "0")
	if n.digits == "" {
		return number{exponent: new(big.Int)}, true
	}
	n.exponent.Add(n.exponent, big.NewInt(int64(len(whole)-leading)))
	return n, true
}
