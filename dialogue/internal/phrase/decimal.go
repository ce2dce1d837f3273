package phrase

import "math/big"

// maxDigits is how long a number may be: more digits are no amount of anything.
const maxDigits = 30

// decimal is an exact number.
type decimal struct{ big.Rat }

func newDecimal(n int64) *decimal {
	d := new(decimal)
	d.SetInt64(n)
	return d
}

// parseDecimal reads the digits before and behind a point.
func parseDecimal(whole, fraction string) (*decimal, bool) {
	if len(whole)+len(fraction) > maxDigits {
		return nil, false
	}
	d := new(decimal)
	_, ok := d.SetString(whole + "." + fraction)
	return d, ok
}

// add is d + e, in d.
func (d *decimal) add(e *decimal) { d.Add(&d.Rat, &e.Rat) }

// times is d times a whole number, in d.
func (d *decimal) times(n int64) { d.Mul(&d.Rat, new(big.Rat).SetInt64(n)) }

// shift is d times ten to the power of n, in d.
func (d *decimal) shift(n int) {
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		power.Inv(power)
	}
	d.Mul(&d.Rat, power)
}

func (d *decimal) negate() { d.Neg(&d.Rat) }

// places is how many decimal places the number has, without zeros at its end.
func (d *decimal) places() int {
	n, _ := d.FloatPrec()
	return n
}

// String is the number in decimal digits, without zeros that mean nothing.
func (d *decimal) String() string { return d.FloatString(d.places()) }
