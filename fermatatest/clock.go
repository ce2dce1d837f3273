package fermatatest

import (
	"slices"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
)

// Epoch is the time at which clocks begin, unless they are told otherwise.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Clock is a clock that stands still, and goes on only by [Clock.Advance]. It implements fermata.Clock. The zero
// value stands at [Epoch]. Its methods may be called from several goroutines.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration // since Epoch
	timers []*timer      // the earliest first; of one time, in the order they were set
	armed  chan struct{} // closed when the next timer is set; nil when nobody asked
}

type timer struct {
	at time.Duration // since Epoch
	f  func()
}

var _ fermata.Clock = (*Clock)(nil)

// NewClock makes a clock that stands at the given time.
func NewClock(at time.Time) *Clock { return &Clock{offset: at.Sub(Epoch)} }

// Now is the time at which the clock stands, in UTC.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Epoch.Add(c.offset)
}

// AfterFunc calls f on its own goroutine once the clock has advanced by d, unless it is stopped. stop prevents the call
// and reports whether it was in time. Without a wait, d of 0 or less, f is called at once.
func (c *Clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	if d <= 0 {
		go f()
		return func() bool { return false }
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &timer{at: c.offset + d, f: f}
	i, _ := slices.BinarySearchFunc(c.timers, a.at, func(b *timer, at time.Duration) int {
		if b.at <= at {
			return -1
		}
		return 1
	})
	c.timers = slices.Insert(c.timers, i, a)
	if c.armed != nil {
		close(c.armed)
		c.armed = nil
	}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.timers, a)
		if i < 0 {
			return false
		}
		c.timers = slices.Delete(c.timers, i, i+1)
		return true
	}
}

// Advance moves the clock forward by d. Due timers are called in order, each at its own time and after the previous one
// has returned, so a timer that a call sets within d is called, too. Code that waits must have set its timer by then:
// see [Clock.Next].
func (c *Clock) Advance(d time.Duration) { c.AdvanceTo(c.Now().Add(d)) }

// AdvanceTo is Advance up to a time. A clock does not go back: for a time that has passed it stays where it is.
func (c *Clock) AdvanceTo(at time.Time) {
	to := at.Sub(Epoch)
	for {
		f := c.due(to)
		if f == nil {
			return
		}
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			f()
		}()
		<-returned
	}
}

// due takes the next function that is due at the given time and sets the clock to its time; nil for none.
func (c *Clock) due(to time.Duration) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 || c.timers[0].at > to {
		c.offset = max(c.offset, to)
		return nil
	}
	next := c.timers[0]
	c.timers = slices.Delete(c.timers, 0, 1)
	c.offset = max(c.offset, next.at)
	return next.f
}

// sets returns a channel that is closed when the next timer is set.
func (c *Clock) sets() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed == nil {
		c.armed = make(chan struct{})
	}
	return c.armed
}

// Next is the time at which the next function is due; false when nothing is set.
func (c *Clock) Next() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 {
		return time.Time{}, false
	}
	return Epoch.Add(c.timers[0].at), true
}
