// Package contest measures several ways to do one thing, in one process and alternately. The load of the machine then
// affects all of them. It reports the best time of each, its allocations, and its ratio to the first one, the floor.
package contest

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"
)

// Contestant is one way to do it.
type Contestant struct {
	Name string
	// Run does all of it once.
	Run func() error
	// Check runs it once and judges the result, before anything is measured. Nil: Run alone.
	Check func() error
	// Ready prepares a turn, and Over ends it, outside the measurement. Nil: nothing is done.
	Ready, Over func() error
	// Window is measured instead of the whole of Run. Nil: all of Run is.
	Window *Window
}

// turn is how long a contestant is measured at a time.
const turn = 4 * time.Millisecond

// long is how long a run takes that is measured only once.
const long = 300 * time.Millisecond

// Between lets contestants take turns, the floor first, until the benchmark has run for long enough. The units are how
// many of what is counted (nodes, children, commits) one run of any of them does. Reported are, for a contestant x, x-ns/unit
// in its best turn, x-cpu/unit (nanoseconds of processors, all of the process), x-allocs/unit, x-B/unit, and x-ratio: its
// best time by the floor's best.
//
// The environment variable FERMATA_WAYS is a regular expression: the floor and the contestants whose names it matches are
// measured. A contestant that takes longer than 0.3 s has one turn. With -short each has one run, and figures mean nothing.
func Between(b *testing.B, unit string, units int, contestants ...Contestant) {
	b.Helper()
	all := chosen(b, units, contestants)
	take(b, all)
	for i, r := range all {
		r.report(b, r.Name, unit)
		if i > 0 {
			b.ReportMetric(r.wall/max(all[0].wall, 1e-3), r.Name+"-ratio")
		}
	}
}

// chosen are the records of the contestants that are measured.
func chosen(b *testing.B, units int, contestants []Contestant) []*record {
	b.Helper()
	ways, err := regexp.Compile(os.Getenv("FERMATA_WAYS"))
	if err != nil {
		b.Fatalf("read FERMATA_WAYS: %v", err)
	}
	var all []*record
	for i, c := range contestants {
		if i == 0 || ways.MatchString(c.Name) {
			all = append(all, &record{Contestant: c, units: units})
		}
	}
	return all
}

// take prepares all records and lets them take turns.
func take(b *testing.B, all []*record) {
	b.Helper()
	for _, r := range all {
		r.prepare(b)
	}
	for b.Loop() {
		for _, r := range all {
			r.take(b)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// record is what is known of a contestant.
type record struct {
	Contestant
	units int     // how many units one run does
	times int     // how often it runs in a turn
	slow  bool    // its first turn is its only one
	wall  float64 // nanoseconds a run, in the best turn
	cpu   float64 // nanoseconds of processors a run, in the best turn
	alloc float64 // objects a run, in the first turn
	bytes float64 // a run, likewise
}

// prepare checks a contestant, counts what it allocates, and sees how often it fits into a turn.
func (r *record) prepare(b *testing.B) {
	b.Helper()
	r.call(b, r.Ready)
	began := time.Now()
	if r.Check != nil {
		r.call(b, r.Check)
	} else {
		r.once(b)
	}
	r.slow = time.Since(began) > long
	r.call(b, r.Over)
	r.warm(b)
	runs := 0
	began = time.Now()
	c := r.measured(func() {
		for runs == 0 || time.Since(began) < turn && !testing.Short() {
			r.once(b)
			runs++
		}
	})
	spent := max(time.Since(began), 1)
	r.times = max(1, int(turn*time.Duration(runs)/spent))
	r.wall, r.cpu = perRun(c.wall, runs), perRun(c.cpu, runs)
	r.alloc, r.bytes = float64(c.objects)/float64(runs), float64(c.bytes)/float64(runs)
	r.call(b, r.Over)
}

// take is one turn. The garbage of others is collected before it.
func (r *record) take(b *testing.B) {
	b.Helper()
	if testing.Short() || r.slow {
		return
	}
	r.warm(b)
	c := r.measured(func() {
		for range r.times {
			r.once(b)
		}
	})
	r.wall, r.cpu = min(r.wall, perRun(c.wall, r.times)), min(r.cpu, perRun(c.cpu, r.times))
	r.call(b, r.Over)
}

// warm makes a turn ready. After one run, caches are warm, and a store that is new has compiled its statements.
func (r *record) warm(b *testing.B) {
	b.Helper()
	r.call(b, r.Ready)
	runtime.GC()
	if !r.slow && !testing.Short() {
		r.once(b)
	}
}

// measured is what some runs cost, or the window in them.
func (r *record) measured(runs func()) cost {
	r.Window.reset()
	began := read()
	runs()
	c := began.until()
	if r.Window != nil {
		return r.Window.spent
	}
	return c
}

func perRun(d time.Duration, runs int) float64 { return float64(d.Nanoseconds()) / float64(runs) }

func (r *record) report(b *testing.B, name, unit string) {
	b.Helper()
	units := float64(r.units)
	b.ReportMetric(r.wall/units, name+"-ns/"+unit)
	b.ReportMetric(r.cpu/units, name+"-cpu/"+unit)
	if r.Window == nil || !r.Window.foreign {
		b.ReportMetric(r.alloc/units, name+"-allocs/"+unit)
		b.ReportMetric(r.bytes/units, name+"-B/"+unit)
	}
}

// call calls a function that may be absent.
func (r *record) call(b *testing.B, f func() error) {
	b.Helper()
	if f != nil {
		if err := f(); err != nil {
			b.Fatal(fmt.Errorf("%s: %w", r.Name, err))
		}
	}
}

func (r *record) once(b *testing.B) {
	b.Helper()
	r.call(b, r.Run)
}
