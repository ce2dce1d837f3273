package value

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// wide is an integer of 128 bits, in which the sum of any number of branches' integers has room.
type wide struct{ hi, lo uint64 }

func (w *wide) add(x wide) {
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, x.lo, 0)
	w.hi, _ = bits.Add64(w.hi, x.hi, carry)
}

func (w *wide) subtract(x wide) {
	var borrow uint64
	w.lo, borrow = bits.Sub64(w.lo, x.lo, 0)
	w.hi, _ = bits.Sub64(w.hi, x.hi, borrow)
}

// sumOf is the rule sum for a type of numbers: the base and all that the branches added to it, which is all that they
// have, less the base once for each branch but one.
func sumOf(t reflect.Type) rule {
	read := func(v reflect.Value) wide { return wide{lo: v.Uint()} }
	write := func(v reflect.Value, w wide) bool {
		v.SetUint(w.lo)
		return w.hi == 0 && v.Uint() == w.lo
	}
	switch k := t.Kind(); {
	case k == reflect.Float32 || k == reflect.Float64:
		return sumFloats
	case k <= reflect.Int64:
		read = func(v reflect.Value) wide { return wide{uint64(v.Int() >> 63), uint64(v.Int())} }
		write = func(v reflect.Value, w wide) bool {
			v.SetInt(int64(w.lo))
			return uint64(int64(w.lo)>>63) == w.hi && v.Int() == int64(w.lo)
		}
	}
	return func(m *merge, c *contest) {
		var base, sum wide
		if c.base != nil {
			base = read(reflect.NewAt(t, c.base).Elem())
		}
		sum.add(base)
		for _, s := range c.sides {
			if s.at != nil {
				sum.add(read(reflect.NewAt(t, s.at).Elem()))
			}
			sum.subtract(base)
		}
		if !write(reflect.NewAt(t, c.into).Elem(), sum) {
			m.conflict(c.sides, fmt.Sprintf(`merge:"sum" gives a number that does not fit the type %s: use a larger one`, t))
		}
	}
}

func sumFloats(m *merge, c *contest) {
	read := func(at unsafe.Pointer) float64 {
		if at == nil {
			return 0
		}
		return reflect.NewAt(c.typ, at).Elem().Float()
	}
	base := read(c.base)
	sum := base
	for _, s := range c.sides {
		sum += read(s.at) - base
	}
	into := reflect.NewAt(c.typ, c.into).Elem()
	if !isFinite(sum) || into.OverflowFloat(sum) {
		m.conflict(c.sides, fmt.Sprintf(`merge:"sum" gives a number that does not fit the type %s`, c.typ))
		return
	}
	into.SetFloat(sum)
}

// extreme returns the rule max or min for an ordered type. Missing values do not count.
func extreme(name string, t reflect.Type) rule {
	compare := func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) }
	switch k := t.Kind(); {
	case k == reflect.Struct: // time.Time
		compare = func(a, b reflect.Value) int {
			return (*time.Time)(address(a)).Compare(*(*time.Time)(address(b)))
		}
	case k == reflect.String:
		compare = func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }
	case k == reflect.Float32 || k == reflect.Float64:
		compare = func(a, b reflect.Value) int { return cmp.Compare(a.Float(), b.Float()) }
	case k <= reflect.Int64:
		compare = func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) }
	}
	wanted := sign(name)
	return func(_ *merge, c *contest) {
		var best reflect.Value
		for _, s := range c.sides {
			if s.at == nil {
				continue
			}
			if v := reflect.NewAt(t, s.at).Elem(); !best.IsValid() || compare(v, best) == wanted {
				best = v
			}
		}
		reflect.NewAt(t, c.into).Elem().Set(best)
	}
}

// sign is how a better value compares with the best so far.
func sign(rule string) int {
	if rule == ruleMax {
		return 1
	}
	return -1
}

// mostDigits bounds the integers that are calculated with exactly.
const mostDigits = 1000

// integer reads a JSON number without fraction and exponent.
func integer(n json.Number) (*big.Int, bool) {
	text, _ := numeralText(n)
	if len(text) > mostDigits || strings.ContainsAny(text, ".eE") {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

// sumNumerals adds JSON numbers: exactly if all are integers, else as float64. It reports false for what is too large.
func sumNumerals(base json.Number, of []json.Number) (json.Number, bool) {
	start, exact := integer(base)
	sum := new(big.Int)
	if exact {
		sum.Set(start)
	}
	for _, n := range of {
		if x, ok := integer(n); ok && exact {
			sum.Add(sum, x.Sub(x, start))
		} else {
			exact = false
		}
	}
	if exact {
		return json.Number(sum.String()), true
	}
	first := float(base)
	total := first
	for _, n := range of {
		total += float(n) - first
	}
	if !isFinite(total) {
		return "", false
	}
	return json.Number(canonical.AppendFloat(nil, total, 64)), true
}

// float reads a JSON number; one that is too large is infinite.
func float(n json.Number) float64 {
	text, _ := numeralText(n)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// compareNumerals compares JSON numbers: exactly if both are integers, else as float64.
func compareNumerals(a, b json.Number) int {
	x, ok := integer(a)
	if y, both := integer(b); ok && both {
		return x.Cmp(y)
	}
	return cmp.Compare(float(a), float(b))
}
