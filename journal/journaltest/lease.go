package journaltest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// aLongTime is longer than any test takes.
const aLongTime = time.Hour

// leasing is a test of stores that know who lives.
func leasing(test func(t *testing.T, s journal.Store, l journal.Leaser)) func(t *testing.T, s journal.Store) {
	return func(t *testing.T, s journal.Store) {
		l, ok := journal.As[journal.Leaser](s)
		if !ok {
			t.Skip("the store knows no leases")
		}
		test(t, s, l)
	}
}

func beat(t *testing.T, l journal.Leaser, driver string, ttl time.Duration) {
	t.Helper()
	if err := l.Beat(t.Context(), driver, ttl); err != nil {
		t.Fatal(err)
	}
}

func left(t *testing.T, l journal.Leaser, driver string) time.Duration {
	t.Helper()
	d, err := l.Left(t.Context(), driver)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func testBeat(t *testing.T, s journal.Store, l journal.Leaser) {
	if d := left(t, l, "nobody"); d != 0 {
		t.Errorf("a driver that never was lives for %v", d)
	}
	beat(t, l, "a", aLongTime)
	beat(t, l, "b", time.Minute)
	if a, b := left(t, l, "a"), left(t, l, "b"); a > aLongTime || a < aLongTime/2 || b > time.Minute || b < time.Minute/2 {
		t.Errorf("left are %v and %v; expected nearly %v and %v", a, b, aLongTime, time.Minute)
	}
	if lister, ok := journal.As[journal.DriverLister](s); ok {
		found, err := lister.Drivers(t.Context())
		if slices.Sort(found); err != nil || !slices.Equal(found, []string{"a", "b"}) {
			t.Errorf("the drivers that live are %q, %v; expected a and b", found, err)
		}
	}
	beat(t, l, "a", time.Minute) // what was said last holds
	if d := left(t, l, "a"); d > time.Minute {
		t.Errorf("left are %v after a shorter beat", d)
	}
	for range 2 {
		beat(t, l, "a", 0)
		if d := left(t, l, "a"); d != 0 {
			t.Errorf("left are %v after it was withdrawn", d)
		}
	}
	beat(t, l, "c", 2*time.Millisecond)
	for began := time.Now(); left(t, l, "c") > 0; {
		if time.Since(began) > time.Minute {
			t.Fatal("a beat does not end")
		}
	}
	if d := left(t, l, "b"); d == 0 {
		t.Error("the end of one is that of another")
	}
}

// driverBatch is the batch that creates a run with a driver and a status.
func driverBatch(run, driver, status string, ready bool) journal.Batch {
	b := first(run, 1)
	b.Row.Driver, b.Row.Status, b.Row.Ready = driver, status, ready
	return b
}

// deserted are the ids of what nobody drives, in order.
func deserted(t *testing.T, l journal.Leaser, limit int) (ids []string) {
	t.Helper()
	rows, err := l.Deserted(t.Context(), journal.WantedQuery{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		ids = append(ids, rows[i].ID)
	}
	return ids
}

func testDeserted(t *testing.T, s journal.Store, l journal.Leaser) {
	beat(t, l, "alive", aLongTime)
	definition := driverBatch("text", "", "running", false)
	definition.Row.Status = "completed"
	definition.Row.Kind = journal.KindDefinition
	appendAll(
		t, s, driverBatch("queued", "", "running", false), driverBatch("left", "dead", "running", false), driverBatch("at work", "alive", "running", false),
		driverBatch("asks", "", "paused", false), driverBatch("answered", "", "paused", true), driverBatch("answered, at work", "alive", "paused", true),
		driverBatch("done", "", "completed", false), driverBatch("failed", "dead", "failed", true), driverBatch("again", "dead", "running", true), definition,
	)
	same(t, "nobody drives", []string{"queued", "left", "answered", "again"}, deserted(t, l, 0))
	same(t, "the first two", []string{"queued", "left"}, deserted(t, l, 2))
	same(t, "of ten", []string{"queued", "left", "answered", "again"}, deserted(t, l, 10))
	rows, err := l.Deserted(t.Context(), journal.WantedQuery{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := *driverBatch("left", "dead", "running", false).Row
	want.Head = 1
	same(t, "a row", want, rows[1])

	beat(t, l, "alive", 0)
	beat(t, l, "dead", aLongTime)
	same(t, "the other way round", []string{"queued", "at work", "answered", "answered, at work"}, deserted(t, l, 0))

	// A run that is driven on is not ready any more; runs that have ended or are gone do not count.
	taken := driverBatch("answered", "dead", "running", false)
	ended := driverBatch("queued", "", "cancelled", false)
	for _, b := range []*journal.Batch{&taken, &ended} {
		b.After, b.Entries = 1, entries(1, 1)
	}
	appendAll(t, s, taken, ended)
	if err := s.Delete(t.Context(), "answered, at work"); err != nil {
		t.Fatal(err)
	}
	same(t, "later", []string{"at work"}, deserted(t, l, 0))
}

func claim(t *testing.T, l journal.Leaser, driver, run string, want bool) {
	t.Helper()
	got, err := l.Claim(t.Context(), driver, run)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%s claims %s: %v, expected %v", driver, run, got, want)
	}
}

func testClaim(t *testing.T, s journal.Store, l journal.Leaser) {
	for i := range 8 {
		beat(t, l, fmt.Sprint("d", i), aLongTime)
	}
	beat(t, l, "alive", aLongTime)
	appendAll(
		t, s, driverBatch("asks", "", "paused", false), driverBatch("left", "dead", "running", false), driverBatch("at work", "alive", "running", false),
		driverBatch("done", "", "completed", false),
	)
	for _, run := range []string{"asks", "left"} {
		var won atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if ok, err := l.Claim(t.Context(), fmt.Sprint("d", i), run); err != nil {
					t.Error(err)
				} else if ok {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if n := won.Load(); n != 1 {
			t.Errorf("%d drivers have claimed %s, expected one", n, run)
		}
	}
	claim(t, l, "d1", "at work", false)
	claim(t, l, "alive", "at work", true) // what one has, one may claim
	claim(t, l, "d1", "done", false)
	claim(t, l, "d1", "nowhere", false)
	beat(t, l, "alive", 0)
	claim(t, l, "d1", "at work", true)
	rows, err := s.Runs(t.Context(), journal.RunFilter{ID: "at work"})
	if err != nil {
		t.Fatal(err)
	}
	want := *driverBatch("at work", "d1", "running", false).Row
	want.Head = 1
	same(t, "a claimed run", []journal.RunRow{want}, rows)
	same(t, "nobody drives", 0, len(deserted(t, l, 0)))
}

// testClaimBlocked shows that a blocked run is open and not wanted: nobody is offered it, and one of those that its timer
// wakes, or that retry it, gets it. Its row stays as it is, and a reason may be written on the row alone.
func testClaimBlocked(t *testing.T, s journal.Store, l journal.Leaser) {
	for _, driver := range []string{"a", "b", "alive"} {
		beat(t, l, driver, aLongTime)
	}
	why := func(run, driver string) journal.Batch {
		b := driverBatch(run, driver, "blocked", false)
		b.Row.Error = "the code asked for another step"
		return b
	}
	appendAll(t, s, why("free", ""), why("left", "dead"), why("taken", "alive"))
	same(t, "what is blocked is not wanted", 0, len(deserted(t, l, 0)))
	for _, run := range []string{"free", "left"} {
		var won atomic.Int32
		var wg sync.WaitGroup
		for _, driver := range []string{"a", "b"} {
			wg.Go(func() {
				if ok, err := l.Claim(t.Context(), driver, run); err != nil {
					t.Error(err)
				} else if ok {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if n := won.Load(); n != 1 {
			t.Errorf("%d drivers have claimed the blocked run %s, expected one", n, run)
		}
	}
	claim(t, l, "a", "taken", false)
	beat(t, l, "alive", 0)
	claim(t, l, "a", "taken", true)
	want := *why("taken", "a").Row
	want.Head = 1
	same(t, "a claimed run that is blocked", []journal.RunRow{want}, rowsOf(t, s, "taken"))

	want.Error, want.Driver = "worker ann: no folder /data", ""
	row := want
	appendAll(t, s, journal.Batch{Run: "taken", After: 1, Row: &row})
	same(t, "a run whose row alone was written", []journal.RunRow{want}, rowsOf(t, s, "taken"))
	claim(t, l, "b", "taken", true)
}

func rowsOf(t *testing.T, s journal.Store, run string) []journal.RunRow {
	t.Helper()
	rows, err := s.Runs(t.Context(), journal.RunFilter{ID: run})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// testClaimFence shows that a claim is no entry: an append behind the head succeeds, without regard to claims.
func testClaimFence(t *testing.T, s journal.Store, l journal.Leaser) {
	beat(t, l, "b", aLongTime)
	appendAll(t, s, driverBatch("run_a", "a", "running", false))
	claim(t, l, "b", "run_a", true)
	appendAll(t, s, journal.Batch{Run: "run_a", After: 1, Entries: entries(1, 1)})
	same(t, "the journal", entries(0, 2), read(t, s, "run_a", 0))
	fails(t, "append behind an old head", s.Append(t.Context(), journal.Batch{Run: "run_a", After: 1, Entries: entries(1, 1)}), journal.ErrConflict, "run_a")
	given := driverBatch("run_a", "", "running", false)
	given.After, given.Entries = 2, nil
	appendAll(t, s, given) // a row alone gives the run back
	same(t, "nobody drives", []string{"run_a"}, deserted(t, l, 0))
}

func testLeaseClosed(t *testing.T, s journal.Store, l journal.Leaser) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, claimed := l.Claim(ctx, "a", "run_a")
	fails(t, "claim with a done context", claimed, context.Canceled, "run_a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, claimed = l.Claim(t.Context(), "a", "run_a")
	fails(t, "claim", claimed, journal.ErrClosed, "run_a")
	fails(t, "beat", l.Beat(t.Context(), "a", time.Second), journal.ErrClosed, "")
	_, lives := l.Left(t.Context(), "a")
	_, lists := l.Deserted(t.Context(), journal.WantedQuery{})
	for _, err := range []error{lives, lists} {
		fails(t, "look", err, journal.ErrClosed, "")
	}
}

func testLeaseSecond(t *testing.T, o Options) {
	one := open(t, o)
	a, ok := journal.As[journal.Leaser](one)
	if !ok {
		t.Skip("the store knows no leases")
	}
	two := o.Second(t, one)
	t.Cleanup(func() { _ = two.Close() })
	b := two.(journal.Leaser)
	beat(t, a, "a", aLongTime)
	appendAll(t, one, driverBatch("run_a", "a", "running", false), driverBatch("run_b", "gone", "running", false))
	same(t, "nobody drives", []string{"run_b"}, deserted(t, b, 0))
	claim(t, b, "b", "run_a", false)
	beat(t, b, "b", aLongTime)
	claim(t, b, "b", "run_b", true)
	claim(t, a, "a", "run_b", false)
	same(t, "nobody drives now", 0, len(deserted(t, a, 0)))
	beat(t, a, "a", 0)
	claim(t, b, "b", "run_a", true)
}

func testLeaseReopen(t *testing.T, o Options) {
	s := o.Open(t)
	l, ok := journal.As[journal.Leaser](s)
	if !ok {
		t.Skip("the store knows no leases")
	}
	beat(t, l, "alive", aLongTime)
	appendAll(t, s, driverBatch("run_a", "alive", "running", false), driverBatch("run_b", "dead", "running", false))
	s = o.Reopen(t, s)
	same(t, "nobody drives", []string{"run_b"}, deserted(t, s.(journal.Leaser), 0))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// testClaimKept shows that who changes a row without driving undoes no claim: it says whom it takes for the driver.
func testClaimKept(t *testing.T, s journal.Store, l journal.Leaser) {
	beat(t, l, "b", aLongTime)
	appendAll(t, s, driverBatch("run_a", "", "paused", false))
	claim(t, l, "b", "run_a", true)
	nobody, b := "", "b"
	stale := driverBatch("run_a", "", "paused", true)
	stale.After, stale.Driver = 1, &nobody
	stale.Entries = entries(1, 1)
	fails(t, "a row that does not know of the claim", s.Append(t.Context(), stale), journal.ErrConflict, "run_a")
	stale.Entries, stale.Timers = nil, []journal.Timer{{Run: "run_a", ID: "t", Due: 1}}
	fails(t, "a row alone that does not", s.Append(t.Context(), stale), journal.ErrConflict, "run_a")
	same(t, "the journal", entries(0, 1), read(t, s, "run_a", 0))
	timers, err := s.Timers(t.Context(), 10, 0)
	if err != nil || len(timers) > 0 {
		t.Errorf("the refused append has left %v, %v", timers, err)
	}
	knows := driverBatch("run_a", "b", "paused", true)
	knows.After, knows.Driver, knows.Entries = 1, &b, entries(1, 1)
	appendAll(t, s, knows)
	given := driverBatch("run_a", "", "paused", true)
	given.After, given.Driver, given.Entries = 2, &b, nil
	appendAll(t, s, given)
	fails(t, "the same again", s.Append(t.Context(), given), journal.ErrConflict, "run_a")
	same(t, "nobody drives", []string{"run_a"}, deserted(t, l, 0))
	lost := journal.Batch{Run: "run_a", After: 2, Entries: entries(2, 1), Driver: &b}
	if err := s.Append(t.Context(), lost); err == nil {
		t.Error("a batch that expects a driver and has no row is taken")
	}
}
