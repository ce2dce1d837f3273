package fermata

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// timekeeper is a Clock that wakes at a time rather than after one: it looks again whether the time has come, because
// clocks are set and machines sleep.
type timekeeper interface {
	Clock
	at(due int64, f func()) (stop func() bool)
}

// processClock tells a process the time of day, which may be set, and how much time has passed, which only grows.
type processClock func() (wall time.Time, passed time.Duration)

// newClock is the clock that a runtime's deadlines, sleeps and stamps are read from (law J12): the one that it was given,
// else that of its store, else that of the machine.
func (rt *Runtime) newClock() (Clock, error) {
	if rt.options.Clock != nil {
		return rt.options.Clock, nil
	}
	read := rt.options.processClock
	if read == nil {
		base := time.Now()
		read = func() (time.Time, time.Duration) {
			now := time.Now()
			return now, now.Sub(base)
		}
	}
	store, ok := can[journal.Clock](rt.store)
	if !ok {
		return &machineClock{read: read}, nil
	}
	c := &storeClock{store: store, log: rt.log, read: read}
	return c, c.open(rt.ctx)
}

// at calls f in a goroutine of its own once the runtime's clock shows the given time, in microseconds.
func (rt *Runtime) at(due int64, f func()) (stop func() bool) {
	if c, ok := rt.clock.(timekeeper); ok {
		return c.at(due, f)
	}
	return rt.clock.AfterFunc(time.Duration(max(due-rt.now(), 0))*time.Microsecond, f)
}

func (rt *Runtime) now() int64 { return rt.clock.Now().UnixMicro() }

// stampAfter sees to it that what somebody appends who does not fold the run is not before its last entry: that may be of
// another process, and clocks are set (law J12).
func (rt *Runtime) stampAfter(ctx context.Context, b *journal.Batch) error {
	latest := int64(0)
	for e, err := range rt.store.Read(ctx, b.Run, b.After-1) {
		if err != nil {
			return err
		}
		latest = max(latest, e.At)
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		e.At = max(e.At, latest)
	}
	for i := range b.Interrupts {
		if q := &b.Interrupts[i]; q.Resolved != 0 {
			q.Resolved = max(q.Resolved, latest)
		}
	}
	if b.Row != nil {
		b.Row.Updated = max(b.Row.Updated, latest)
	}
	return nil
}

// systemClock is the clock of the process, for what has no runtime.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// machineClock is the clock of a store that only processes of this machine use. In a process it never goes back: it is
// the machine's clock, or what that showed plus the time that has passed since, whichever is later.
type machineClock struct {
	systemClock
	read   processClock
	offset atomic.Int64 // microseconds: the most that the time of day was ever ahead of the time that has passed
}

// machineLook is how often a machineClock looks whether the machine's clock was set, or the machine slept.
const machineLook = time.Minute

func (c *machineClock) Now() time.Time {
	wall, ran := c.read()
	passed := ran.Microseconds()
	offset := wall.UnixMicro() - passed
	for {
		most := c.offset.Load()
		if offset <= most {
			return time.UnixMicro(most + passed)
		}
		if c.offset.CompareAndSwap(most, offset) {
			return time.UnixMicro(offset + passed)
		}
	}
}

func (c *machineClock) at(due int64, f func()) func() bool { return wakeAt(c, due, machineLook, f) }

// storeClock is the clock of a store's server, which several machines use (law J12). It asks the server now and then, and
// counts on by the time that passes in this process; what the process takes for the time of day is not asked.
type storeClock struct {
	systemClock
	store journal.Clock
	log   *slog.Logger
	read  processClock
	last  atomic.Pointer[sample]
}

// sample is one answer of the server.
type sample struct {
	passed time.Duration // in this process, half a round trip after the question
	offset int64         // microseconds: the server's time less passed
	doubt  time.Duration // how far off it may be: half the round trip
}

const (
	storeLook  = 5 * time.Second       // how often the server is asked
	goodTrip   = 20 * time.Millisecond // a round trip that needs no second one at the start
	startTrips = 3
	drift      = 2000 // clocks go astray by less than 1/drift
)

// open asks for the time, more than once where the answer took long: the first one makes a connection.
func (c *storeClock) open(ctx context.Context) error {
	for range startTrips {
		trip, err := c.ask(ctx)
		if err != nil {
			return err
		}
		if trip < goodTrip {
			break
		}
	}
	return nil
}

// follow asks for the time until ctx is done. While the server does not answer, the time that passes here counts.
func (c *storeClock) follow(ctx context.Context) {
	tick := time.NewTicker(storeLook)
	defer tick.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_, err := c.ask(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			c.log.Warn("the store's clock cannot be read; time is counted on from what it showed", "error", err)
		}
		failed = err != nil
	}
}

// ask asks for the time, and returns how long the answer took.
func (c *storeClock) ask(ctx context.Context) (trip time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, DefaultLease)
	defer cancel()
	before := c.passed()
	t, err := c.store.Now(ctx)
	if err != nil {
		return 0, err
	}
	trip = c.passed() - before
	s := &sample{passed: before + trip/2, doubt: trip / 2}
	s.offset = t.UnixMicro() - s.passed.Microseconds()
	was := c.last.Load()
	if was == nil {
		c.last.Store(s)
		return trip, nil
	}
	aged := was.doubt + max(s.passed-was.passed, 0)/drift
	apart := time.Duration(s.offset-was.offset) * time.Microsecond
	set := apart.Abs() > aged+s.doubt+time.Microsecond
	if set || s.doubt <= aged {
		c.last.Store(s)
	}
	if set && apart.Abs() > time.Second {
		c.log.Warn("the store's clock was set, or the machine slept", "by", apart)
	}
	return trip, nil
}

func (c *storeClock) passed() time.Duration {
	_, passed := c.read()
	return passed
}

func (c *storeClock) Now() time.Time {
	return time.UnixMicro(c.last.Load().offset + c.passed().Microseconds())
}

func (c *storeClock) at(due int64, f func()) func() bool { return wakeAt(c, due, storeLook, f) }

// wakeup calls a function when a clock shows a time.
type wakeup struct {
	clock Clock
	due   int64
	look  time.Duration
	f     func()

	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

// wakeAt calls f when c shows the given time. It looks at c at least every look.
func wakeAt(c Clock, due int64, look time.Duration, f func()) (stop func() bool) {
	w := &wakeup{clock: c, due: due, look: look, f: f}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(min(w.left(), look), w.ring)
	return w.stop
}

func (w *wakeup) left() time.Duration {
	return max(time.Duration(w.due-w.clock.Now().UnixMicro())*time.Microsecond, 0)
}

func (w *wakeup) ring() {
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		return
	}
	if left := w.left(); left > 0 {
		w.timer.Reset(min(left, w.look))
		w.mu.Unlock()
		return
	}
	w.over = true
	w.mu.Unlock()
	w.f()
}

func (w *wakeup) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.over
	w.over = true
	w.timer.Stop()
	return !was
}
