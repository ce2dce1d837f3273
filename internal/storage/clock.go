package storage

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
)

// GuardOptions wraps the logger and clock of options so that they can do no harm (laws H9 and N7).
func GuardOptions(o runtype.Options) runtype.Options {
	log := slog.New(slog.DiscardHandler)
	if o.Logger != nil {
		log = printable.Logger(o.Logger)
		o.Logger = log
	}
	if o.Clock != nil {
		o.Clock = guardedClock{o.Clock, log}
	}
	return o
}

// guardedClock is a clock of the program. If a call does not return, it uses the machine's time (law N7).
type guardedClock struct {
	runtype.Clock              // timers of the system's clock
	log           *slog.Logger // for failures
}

func (g guardedClock) Now() time.Time {
	now, ok := time.Time{}, false
	guard.CallLogged(g.log, "Options.Clock.Now", "", func() { now, ok = g.Clock.Now(), true })
	if !ok {
		return time.Now()
	}
	return now
}

func (g guardedClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	var cancel func() bool
	guard.CallLogged(g.log, "Options.Clock.AfterFunc", "", func() { cancel = g.Clock.AfterFunc(d, f) })
	if cancel == nil {
		return runtype.SystemClock{}.AfterFunc(d, f)
	}
	return func() (before bool) {
		guard.CallLogged(g.log, "a stop of Options.Clock.AfterFunc", "", func() { before = cancel() })
		return before
	}
}

// timekeeper is a Clock with timers for a time instead of a duration. They check the clock again, since clocks
// are set and machines sleep.
type timekeeper interface {
	runtype.Clock
	at(due int64, f func()) (stop func() bool)
}

// NewClock returns the clock of a runtime (law J12). It is its own option, else the store's, else the machine's.
func (s *Storage) NewClock(ctx context.Context) (runtype.Clock, error) {
	if s.Options.Clock != nil {
		return s.Options.Clock, nil
	}
	read := runtype.ProcessClockOf(&s.Options)
	if read == nil {
		base := time.Now()
		read = func() (time.Time, time.Duration) {
			now := time.Now()
			return now, now.Sub(base)
		}
	}
	store, ok := Capability[journal.Clock](s.Store)
	if !ok {
		return &machineClock{read: read}, nil
	}
	c := &StoreClock{store: store, log: s.Log, read: read}
	return c, c.open(ctx)
}

// At calls f on a goroutine of its own once the runtime's clock shows due, in microseconds.
func (s *Storage) At(due int64, f func()) (stop func() bool) {
	if c, ok := s.Clock.(timekeeper); ok {
		return c.at(due, f)
	}
	return s.Clock.AfterFunc(time.Duration(max(due-s.Now(), 0))*time.Microsecond, f)
}

// Now returns the time of the runtime's clock in microseconds since 1970.
func (s *Storage) Now() int64 { return s.Clock.Now().UnixMicro() }

// StampAfter keeps the times of a batch behind the run's last entry. That entry may be another process's, and
// clocks are set (law J12).
func (s *Storage) StampAfter(ctx context.Context, b *journal.Batch) error {
	latest := int64(0)
	for e, err := range s.Store.Read(ctx, b.Run, b.After-1) {
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

// machineClock is the clock of a store that is used on one machine only. It never goes back within a process:
// it is the later of the machine's clock and the last reading plus the time passed.
type machineClock struct {
	runtype.SystemClock                      // timers
	read                runtype.ProcessClock // time of day, and time passed
	offset              atomic.Int64         // in microseconds: the most that the time of day was ahead of the time passed
}

// MachineLook is the interval at which a machineClock checks for a set clock or a machine that slept.
const MachineLook = time.Minute

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

func (c *machineClock) at(due int64, f func()) func() bool { return wakeAt(c, due, MachineLook, f) }

// StoreClock is the clock of a store's server, shared by several machines (law J12). It polls the server and
// counts on by the time passed in this process. It ignores the process's time of day.
type StoreClock struct {
	runtype.SystemClock                        // timers
	store               journal.Clock          // the server
	log                 *slog.Logger           // for failures
	read                runtype.ProcessClock   // for the time passed
	last                atomic.Pointer[sample] // the best answer of the server so far
}

// sample is one answer of the server.
type sample struct {
	passed time.Duration // in this process, half a round trip after the question
	offset int64         // in microseconds: the server's time less passed
	doubt  time.Duration // largest error of offset: half the round trip
}

const (
	storeLook  = 5 * time.Second       // how often the server is polled
	goodTrip   = 20 * time.Millisecond // a round trip that needs no second one at the start
	startTrips = 3
	drift      = 2000 // clocks drift by less than 1/drift
)

// open polls the time at the start. It does so again after a slow answer, since the first one includes the
// connection.
func (c *StoreClock) open(ctx context.Context) error {
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

// Follow polls the time until ctx is done. If the server does not answer, time passed counts.
func (c *StoreClock) Follow(ctx context.Context) {
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

// ask polls the time, and returns the round trip.
func (c *StoreClock) ask(ctx context.Context) (trip time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, runtype.DefaultLease)
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

func (c *StoreClock) passed() time.Duration {
	_, passed := c.read()
	return passed
}

// Now returns the time of the store: the time it was last asked for, plus what has passed here since.
func (c *StoreClock) Now() time.Time {
	return time.UnixMicro(c.last.Load().offset + c.passed().Microseconds())
}

func (c *StoreClock) at(due int64, f func()) func() bool { return wakeAt(c, due, storeLook, f) }

// wakeup calls a function when a clock shows a time.
type wakeup struct {
	clock runtype.Clock // that is looked at
	due   int64         // in microseconds
	look  time.Duration // the longest time between two checks
	f     func()        // to call, on a goroutine of its own

	mu    sync.Mutex  // guards timer and over
	timer *time.Timer // of the next check
	over  bool        // called or stopped
}

// wakeAt calls f when c shows due. It checks c at least every look.
func wakeAt(c runtype.Clock, due int64, look time.Duration, f func()) (stop func() bool) {
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
