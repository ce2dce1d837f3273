package journal

import (
	"math"
	"strconv"
	"strings"
)

// Usage is what calls of models took: of one step, or the sum of many.
type Usage struct {
	Calls     int64 `json:"calls,omitempty"`
	Input     int64 `json:"in,omitempty"`        // tokens that were read, the cached ones among them
	Output    int64 `json:"out,omitempty"`       // tokens that were said, those of the reasoning among them
	Cached    int64 `json:"cached,omitempty"`    // of Input: those that the provider had read before
	Reasoning int64 `json:"reasoning,omitempty"` // of Output: those of the reasoning
	Cost      int64 `json:"cost,omitempty"`      // micro-dollars, of the calls whose cost is known
	Unpriced  int64 `json:"unpriced,omitempty"`  // of Calls: those whose cost is not known
	Uncounted int64 `json:"uncounted,omitempty"` // of Calls: those whose tokens are not known
}

// Tokens are all tokens, read and said.
func (u Usage) Tokens() int64 { return plus(u.Input, u.Output) }

// Add is the sum of both. A sum that is too large for its type stays at the largest.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Calls: plus(u.Calls, v.Calls), Input: plus(u.Input, v.Input), Output: plus(u.Output, v.Output),
		Cached: plus(u.Cached, v.Cached), Reasoning: plus(u.Reasoning, v.Reasoning), Cost: plus(u.Cost, v.Cost),
		Unpriced: plus(u.Unpriced, v.Unpriced), Uncounted: plus(u.Uncounted, v.Uncounted),
	}
}

func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Sound reports whether no amount is below zero.
func (u Usage) Sound() bool {
	return min(u.Calls, u.Input, u.Output, u.Cached, u.Reasoning, u.Cost, u.Unpriced, u.Uncounted) >= 0
}

// Dollars writes an amount of micro-dollars, with two decimals at least: "$0.25", "$0.000031".
func Dollars(micros int64) string {
	sign := ""
	if micros < 0 {
		sign, micros = "-", -micros
	}
	fraction := strconv.FormatInt(1_000_000+micros%1_000_000, 10)[1:]
	whole, cents, rest := strconv.FormatInt(micros/1_000_000, 10), fraction[:2], strings.TrimRight(fraction[2:], "0")
	return sign + "$" + whole + "." + cents + rest
}
