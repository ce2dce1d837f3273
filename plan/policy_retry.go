package plan

import (
	"math"
	"time"
)

// Retry says how often a node is tried and how long the engine waits in between. The zero value tries once.
type Retry struct {
	Attempts int           `json:"attempts,omitempty"` // in all; 0 and 1 are a single try
	Backoff  time.Duration `json:"backoff,omitempty"`  // before the second try. Defaults to 100ms
	Factor   float64       `json:"factor,omitempty"`   // by which the wait before each further try is longer, at least 1. Defaults to 2
	Max      time.Duration `json:"max,omitempty"`      // the longest wait. Defaults to 1 minute
	// Jitter lengthens each wait by up to this share of it, from 0 to 1, so that what failed together does not come
	// back together. The wait that is taken is recorded: a crash does not change it.
	Jitter float64 `json:"jitter,omitempty"`
	// Retryable says whether an error is worth another try; nil retries all but those that cannot get better
	// (a diverged journal, an unknown outcome, an expired question, an invalid route). It is not asked about errors that
	// are marked with node.Terminal, which are never retried, or with node.RetryAfter, which say when.
	Retryable func(error) bool `json:"-"`
}

// Wait is the backoff after the given attempt (from 1) has failed.
func (r Retry) Wait(attempt int) time.Duration {
	wait, longest := r.Backoff, r.Max
	if wait <= 0 {
		wait = 100 * time.Millisecond
	}
	if longest <= 0 {
		longest = time.Minute
	}
	factor := r.Factor
	if factor <= 0 {
		factor = 2
	}
	if grown := float64(wait) * math.Pow(factor, float64(attempt-1)); grown < float64(longest) {
		return time.Duration(grown)
	}
	return longest
}

type retryDocument struct {
	Attempts  int     `json:"attempts,omitempty"`
	BackoffMS int64   `json:"backoff_ms,omitempty"`
	Factor    float64 `json:"factor,omitempty"`
	MaxMS     int64   `json:"max_ms,omitempty"`
	Jitter    float64 `json:"jitter,omitempty"`
}

var retryPolicy = policy{
	has: func(n *Node) bool { return n.Retry.Attempts > 1 },
	check: func(n *Node, wrong func(string, ...any)) {
		if n.Retry.Attempts < 0 {
			wrong("it is tried %d times; that may not be negative, and 0 and 1 are a single try", n.Retry.Attempts)
		}
		if n.Retry.Backoff < 0 {
			wrong("its backoff is %s; it may not be negative, and 0 is the default", n.Retry.Backoff)
		}
		if n.Retry.Max < 0 {
			wrong("its longest backoff is %s; it may not be negative, and 0 is the default", n.Retry.Max)
		}
		if j := n.Retry.Jitter; !(j >= 0 && j <= 1) { // which is also how NaN is found
			wrong("its jitter is %v; it is a share of the wait, from 0 to 1", j)
		}
		if f := n.Retry.Factor; f != 0 && !(f >= 1 && f <= math.MaxFloat64) {
			wrong("the factor of its backoff is %v; it is at least 1, and 0 is the default", f)
		}
	},
	document: func(n *Node, d *nodeDocument) {
		r := n.Retry
		d.Retry = retryDocument{r.Attempts, r.Backoff.Milliseconds(), r.Factor, r.Max.Milliseconds(), r.Jitter}
	},
}
