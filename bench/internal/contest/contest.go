// Package contest measures several ways to do one thing, in one process and alternately. The load of the machine then
// affects all of them. It reports the best time of each, and its ratio to the first one, the floor.
package contest

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// Contestant is one way to do it. Run does all of it once.
type Contestant struct {
	Name string
	Run  func() error
}

// turn is how long a contestant is measured at a time.
const turn = 4 * time.Millisecond

// Between lets contestants take turns, the floor first, until the benchmark has run for long enough. The units are how
// many of what is counted (nodes, children, commits) one run of any of them does. Reported are, for a contestant x, x-ns/unit
// in its best turn, x-allocs/unit, and x-ratio: its best by the floor's best.
func Between(b *testing.B, unit string, units int, contestants ...Contestant) {
	b.Helper()
	all := make([]record, len(contestants))
	for i := range contestants {
		all[i].prepare(b, contestants[i])
	}
	for b.Loop() {
		for i := range all {
			all[i].take(b)
		}
	}
	b.ReportMetric(0, "ns/op")
	for i := range all {
		r := &all[i]
		b.ReportMetric(r.best/float64(units), r.Name+"-ns/"+unit)
		b.ReportMetric(r.allocs/float64(units), r.Name+"-allocs/"+unit)
		if i > 0 {
			b.ReportMetric(r.best/all[0].best, r.Name+"-ratio")
		}
	}
}

// record is what is known of a contestant.
type record struct {
	Contestant
	times  int // how often it runs in a turn
	best   float64
	allocs float64
}

// prepare runs a contestant until it is warm, counts what it allocates, and sees how often it fits into a turn.
func (r *record) prepare(b *testing.B, c Contestant) {
	b.Helper()
	r.Contestant = c
	r.once(b)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	runs := 0
	for runs == 0 || time.Since(began) < turn {
		r.once(b)
		runs++
	}
	spent := time.Since(began)
	runtime.ReadMemStats(&after)
	r.allocs = float64(after.Mallocs-before.Mallocs) / float64(runs)
	r.times = max(1, int(turn*time.Duration(runs)/max(spent, 1)))
	r.best = float64(spent.Nanoseconds()) / float64(runs)
}

// take is one turn. The garbage of others is collected before it.
func (r *record) take(b *testing.B) {
	b.Helper()
	runtime.GC()
	r.once(b)
	began := time.Now()
	for range r.times {
		r.once(b)
	}
	r.best = min(r.best, float64(time.Since(began).Nanoseconds())/float64(r.times))
}

func (r *record) once(b *testing.B) {
	if err := r.Run(); err != nil {
		b.Helper()
		b.Fatal(fmt.Errorf("%s: %w", r.Name, err))
	}
}
