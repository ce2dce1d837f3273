package place_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // how rapid draws
	"github.com/fermata-go/fermata/internal/place"
	"github.com/fermata-go/fermata/journal"
)

// world is a number of processes that share a pool, and what is true of them whatever they write. It is the oracle: a task
// that may start is found by looking at all of them.
type world struct {
	limits place.Limits
	now    int64
	n      uint64
	cell   []byte
	procs  []*proc
	starts []int64 // times of all starts
}

// proc is a process.
type proc struct {
	name    string
	dead    bool // its lease has run out
	waiting []place.Entry
	held    []place.Entry
}

func (w *world) lives(name string) bool {
	for _, p := range w.procs {
		if p.name == name {
			return !p.dead
		}
	}
	return false
}

// settle has a process look at the cell.
func (w *world) settle(r *rapid.T, p *proc) {
	before, err := place.Decode(w.cell)
	if err != nil {
		r.Fatal(err)
	}
	part := place.Part{Driver: p.name, Held: p.held, Waiting: p.waiting[:min(2, len(p.waiting))]}
	after := before.Assign(part, w.limits, w.now, w.lives)
	w.check(r, p, before, after)
	w.cell = after.Encode()
	for _, e := range after.Held {
		at := slices.IndexFunc(p.waiting, func(q place.Entry) bool { return q.N == e.N })
		if e.Driver == p.name && at >= 0 {
			p.waiting = slices.Delete(p.waiting, at, at+1)
			if w.limits.Most > 0 {
				p.held = append(p.held, e)
			}
		}
	}
}

// check compares what a process writes with what law J20 says.
func (w *world) check(r *rapid.T, p *proc, before, after place.Ledger) {
	known := func(all []place.Entry, e place.Entry) bool {
		return slices.ContainsFunc(all, func(o place.Entry) bool { return o.Driver == e.Driver && o.N == e.N })
	}
	var begun []place.Entry
	for _, e := range after.Held {
		switch {
		case known(p.held, e), known(before.Held, e):
		default:
			begun = append(begun, e)
		}
	}
	// No more places than there are, unless they were held beyond the limit before.
	held := 0
	for _, e := range after.Held {
		if !w.lives(e.Driver) && e.Driver != p.name {
			r.Fatalf("a dead process holds a place: %+v", e)
		}
		held++
	}
	if w.limits.Most > 0 && held > w.limits.Most && len(begun) > 0 {
		r.Fatalf("%d places are held of %d, and %v begin", held, w.limits.Most, begun)
	}
	// The first of those who wait, and nobody else.
	var wait []place.Entry
	for _, e := range before.Waiting {
		if e.Driver != p.name && w.lives(e.Driver) {
			wait = append(wait, e)
		}
	}
	for _, e := range p.waiting[:min(2, len(p.waiting))] {
		if !known(before.Held, e) {
			wait = append(wait, e)
		}
	}
	slices.SortFunc(wait, func(a, b place.Entry) int {
		return cmp.Or(-cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Since, b.Since), cmp.Compare(a.Driver, b.Driver), cmp.Compare(a.N, b.N))
	})
	for i, e := range wait {
		if first := i < len(begun); first != known(begun, e) {
			r.Fatalf("of those who wait, %v, begin %v", wait, begun)
		}
	}
	if len(after.Waiting)+len(begun) != len(wait) {
		r.Fatalf("%v wait, %v begin, and then %v wait", wait, begun, after.Waiting)
	}
	// The rate holds in every stretch of time, and nobody waits without a reason.
	w.starts = append(w.starts, slices.Repeat([]int64{w.now}, len(begun))...)
	every, burst := w.limits.Every.Microseconds(), max(w.limits.Burst, 1)
	due := true
	if every > 0 {
		for i, from := range w.starts {
			if n := len(w.starts) - i; int64(n-burst)*every > w.now-from {
				r.Fatalf("%d start in %d, with one in %d and a burst of %d", n, w.now-from, every, burst)
			}
		}
		for i, from := range w.starts { // would another one be within it?
			due = due && int64(len(w.starts)-i+1-burst)*every <= w.now-from
		}
	}
	if (w.limits.Most == 0 || held < w.limits.Most) && due && len(after.Waiting) > 0 {
		r.Fatalf("%d places of %d are held, and %v wait", held, w.limits.Most, after.Waiting)
	}
}

// TestJ20_PlacesAreGivenAsAnOracleSays has processes come, wait, work, leave, die and come back, and compares each ledger that
// they write with what is true of them.
func TestJ20_PlacesAreGivenAsAnOracleSays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := &world{now: 1_000_000, limits: place.Limits{
			Most: rapid.IntRange(0, 3).Draw(r, "most"), Every: rapid.SampledFrom([]time.Duration{0, 0, 1000, 7000}).Draw(r, "every"),
			Burst: rapid.IntRange(0, 3).Draw(r, "burst"),
		}}
		for i := range 3 {
			w.procs = append(w.procs, &proc{name: fmt.Sprint("p", i)})
		}
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			p := rapid.SampledFrom(w.procs).Draw(r, "process")
			switch rapid.SampledFrom([]string{"wait", "wait", "settle", "settle", "leave", "give up", "die", "time"}).Draw(r, "what") {
			case "wait":
				w.n++
				e := place.Entry{Driver: p.name, N: w.n, Run: "run", Task: "a#1", Priority: rapid.IntRange(0, 1).Draw(r, "priority"), Since: w.now}
				p.waiting = append(p.waiting, e)
				slices.SortFunc(p.waiting, place.Entry.Before)
			case "settle":
				if !p.dead {
					w.settle(r, p)
				}
			case "leave":
				if len(p.held) > 0 {
					p.held = slices.Delete(p.held, 0, 1)
				}
			case "give up":
				if len(p.waiting) > 0 {
					p.waiting = slices.Delete(p.waiting, 0, 1)
				}
			case "die": // or come back: what it has begun goes on
				p.dead = !p.dead
			case "time":
				w.now += int64(rapid.SampledFrom([]int{1, 5, 20}).Draw(r, "time"))
			}
		}
	})
}

// TestJ20_AClockThatWasSetBackStopsNobody: a rate counts no turn beyond a burst from now.
func TestJ20_AClockThatWasSetBackStopsNobody(t *testing.T) {
	limits := place.Limits{Every: time.Second, Burst: 2}
	ahead := place.Ledger{Next: time.Hour.Microseconds()}
	got := ahead.Assign(place.Part{Driver: "a", Waiting: []place.Entry{{Driver: "a", N: 1}}}, limits, 0, nil)
	if due := limits.Due(got.Next); due != time.Second.Microseconds() {
		t.Errorf("the next start is in %d µs, expected a second", due)
	}
}

// TestJ20_ALedgerIsReadAsItWasWritten also shows that what is damaged is an error, and nothing is no cell.
func TestJ20_ALedgerIsReadAsItWasWritten(t *testing.T) {
	l := place.Ledger{
		Held:    []place.Entry{{Driver: "p/1", N: 1, Run: "run_1", Task: "a#1", Priority: -1, Since: 5, Got: 6}},
		Waiting: []place.Entry{{Driver: "q", N: 2, Run: "run_2", Task: "b/a#2", Since: 7}}, Next: 8, By: "q", Written: 9,
	}
	got, err := place.Decode(l.Encode())
	if diff := gocmp.Diff(l, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if empty := (&place.Ledger{By: "q", Written: 9}).Encode(); empty != nil {
		t.Errorf("an empty ledger is %q", empty)
	}
	if _, err := place.Decode([]byte(`{"held": 1}`)); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("a damaged ledger: %v", err)
	}
}

func TestJ20_NamesOfCells(t *testing.T) {
	for _, pool := range []string{"api", "a/b", "ü %", ""} {
		for _, key := range []string{"", "customer-7", "a/b", "ü"} {
			name := place.Name(pool, key)
			gotPool, gotKey, ok := place.Split(name)
			if !ok || gotPool != pool || gotKey != key || journal.CheckCell(name) != nil {
				t.Errorf("pool %q, key %q: the cell %q is of %q and %q, %t, %v", pool, key, name, gotPool, gotKey, ok, journal.CheckCell(name))
			}
		}
	}
	for _, name := range []string{"api", "pool:api", "pool:%zz/a"} {
		if pool, key, ok := place.Split(name); ok {
			t.Errorf("%q is the cell of %q and %q", name, pool, key)
		}
	}
}
