package phrase

import (
	"math/big"
	"strings"
)

// maxDigits is how long a number may be: more digits are no amount of anything.
const maxDigits = 30

// decimal is an exact number: digits times ten to the power of exponent.
type decimal struct {
	digits   big.Int
	exponent int
}

func newDecimal(n int64) *decimal {
	d := new(decimal)
	d.digits.SetInt64(n)
	return d
}

// parseDecimal reads digits with at most one point.
func parseDecimal(whole, fraction string) (*decimal, bool) {
	if len(whole)+len(fraction) > maxDigits {
		return nil, false
	}
	d := new(decimal)
	if _, ok := d.digits.SetString(whole+fraction, 10); !ok {
		return nil, false
	}
	d.exponent = -len(fraction)
	return d, true
}

var ten = big.NewInt(10)

func power(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// add is d + e, in d.
func (d *decimal) add(e *decimal) {
	other := new(big.Int).Set(&e.digits)
	switch gap := d.exponent - e.exponent; {
	case gap > 0:
		d.digits.Mul(&d.digits, power(gap))
		d.exponent = e.exponent
	case gap < 0:
		other.Mul(other, power(-gap))
	}
	d.digits.Add(&d.digits, other)
}

// times is d times a whole number, in d.
func (d *decimal) times(n int64) { d.digits.Mul(&d.digits, big.NewInt(n)) }

// shift is d times ten to the power of n, in d.
func (d *decimal) shift(n int) { d.exponent += n }

func (d *decimal) negate() { d.digits.Neg(&d.digits) }

// places is how many decimal places the number has, without zeros at its end.
func (d *decimal) places() int {
	_, fraction, _ := strings.Cut(d.String(), ".")
	return len(fraction)
}

// String is the number in decimal digits, without zeros that mean nothing.
func (d *decimal) String() string {
	s := new(big.Int).Abs(&d.digits).String()
	if d.exponent > 0 && s != "0" {
		s += strings.Repeat("0", d.exponent)
	}
	if d.exponent < 0 {
		if pad := -d.exponent + 1 - len(s); pad > 0 {
			s = strings.Repeat("0", pad) + s
		}
		point := len(s) + d.exponent
		s = strings.TrimRight(s[:point]+"."+s[point:], "0")
		s = strings.TrimSuffix(s, ".")
	}
	if d.digits.Sign() < 0 {
		s = "-" + s
	}
	return s
}
