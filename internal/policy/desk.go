package policy

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/place"
)

const (
	// shown is how many waiting tasks of a process are in a ledger. The others come after them in any case.
	shown = 32
	// collisions is how often a ledger is written again at once where other processes are faster.
	collisions = 4
	// firstAgain and lastAgain are the waits after a failure of the store: they double from the first to the last.
	firstAgain = 100 * time.Millisecond
	lastAgain  = 5 * time.Second
	// knownAlive is how long a process is taken to be alive without a question to the store.
	knownAlive = 200 * time.Millisecond
)

// desk gives the places of one cell to tasks of this process. The lock of its room guards its fields, except those of its
// goroutine.
type desk struct {
	room    *Shared                // that it belongs to
	name    string                 // of the cell
	limits  place.Limits           // as the last task has asked for them
	waiting []*waiter              // tasks without a place, the next first
	held    map[uint64]place.Entry // tasks with a place, by number
	dirty   bool                   // the ledger does not say this
	stale   bool                   // another process may have changed the cell
	working bool                   // its goroutine runs
	news    chan struct{}          // holds one when something has changed

	value []byte               // of its goroutine: of the cell, as it was seen last; nil for none
	alive map[string]time.Time // of its goroutine: until when processes are taken to be alive
	stop  func() bool          // of its goroutine: stops the timer of the next start that the rate lets begin
}

// serve has the goroutine see to a change. The lock is held.
func (d *desk) serve() {
	d.dirty = true
	if !d.working {
		d.working = true
		d.room.wg.Go(d.work)
		return
	}
	select {
	case d.news <- struct{}{}:
	default:
	}
}

// leave ends a task's wait, or gives its place back.
func (d *desk) leave(n uint64) {
	d.room.mu.Lock()
	defer d.room.mu.Unlock()
	_, had := d.held[n]
	delete(d.held, n)
	at := slices.IndexFunc(d.waiting, func(w *waiter) bool { return w.N == n })
	if at >= 0 {
		d.waiting = slices.Delete(d.waiting, at, at+1)
	}
	if had || at >= 0 {
		d.serve()
	}
}

// work writes the ledger until nobody waits and it says what is so.
func (d *desk) work() {
	watching, again := func() {}, firstAgain
	defer func() { watching() }()
	for joined := false; ; {
		part, limits, stale, over := d.part()
		if over {
			return
		}
		look, err := d.assign(part, limits, stale)
		if err != nil {
			if d.room.ctx.Err() != nil {
				return
			}
			if again == firstAgain {
				d.room.env.Log.Warn("the store does not say who has the places of a pool; tasks wait for it", "cell", d.name, "error", err)
			}
			look, again = again, min(2*again, lastAgain)
		} else {
			again = firstAgain
		}
		if err == nil && !joined && d.waits() { // it watches before it looks for the last time
			joined, watching = true, d.room.env.Join(d.name)
			d.lookAgain()
			continue
		}
		if !d.sleep(look, err != nil) {
			return
		}
	}
}

// waits reports whether a task waits.
func (d *desk) waits() bool {
	d.room.mu.Lock()
	defer d.room.mu.Unlock()
	return len(d.waiting) > 0
}

// lookAgain has the cell read and written again.
func (d *desk) lookAgain() {
	d.room.mu.Lock()
	defer d.room.mu.Unlock()
	d.dirty, d.stale = true, true
}

// part is what this process has at the desk. over says that there is nothing to do; then the desk is gone.
func (d *desk) part() (part place.Part, limits place.Limits, stale, over bool) {
	s := d.room
	s.mu.Lock()
	defer s.mu.Unlock()
	if !d.dirty && len(d.waiting) == 0 {
		d.working = false
		if len(d.held) == 0 {
			delete(s.desks, d.name)
		}
		return part, limits, false, true
	}
	part.Driver = s.env.Driver
	for _, e := range d.held {
		part.Held = append(part.Held, e)
	}
	slices.SortFunc(part.Held, func(a, b place.Entry) int { return int(a.Got - b.Got) })
	for _, w := range d.waiting[:min(shown, len(d.waiting))] {
		part.Waiting = append(part.Waiting, w.Entry)
	}
	stale, d.dirty, d.stale = d.stale, false, false
	return part, d.limits, stale, false
}

// sleep waits for news, or as long as it is told to; 0 is for ever. It returns at once where there is something to do. After
// a failure of the store it sleeps in any case. It is false once the room is closed.
func (d *desk) sleep(look time.Duration, failed bool) bool {
	news := d.news
	if failed {
		news = nil
		defer d.lookAgain()
	} else if !d.waits() {
		return true
	}
	var tick <-chan time.Time
	if look > 0 {
		timer := time.NewTimer(look)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-d.room.ctx.Done():
		return false
	case <-news:
	case <-tick:
		d.lookAgain()
	}
	return true
}

// assign writes the ledger with this process's part, and tells the tasks that got a place. It returns after how long it
// should be looked at again, 0 for never.
func (d *desk) assign(part place.Part, limits place.Limits, stale bool) (look time.Duration, err error) {
	ctx, cancel := context.WithTimeout(d.room.ctx, 2*d.room.env.Lease)
	defer cancel()
	d.room.env.KeepAlive(ctx)
	if stale {
		if d.value, err = d.room.env.Store.Cell(ctx, d.name); err != nil {
			return 0, err
		}
	}
	for n := 0; ; n++ {
		ledger, err := place.Decode(d.value)
		if err != nil { // nothing depends on it: it is written anew
			d.room.env.Log.Warn("the places of a pool cannot be read, and are written anew", "cell", d.name, "error", err)
		}
		next := d.next(ctx, &ledger, part, limits)
		swapped := next.Same(&ledger) && err == nil
		if !swapped {
			if swapped, err = d.swap(ctx, &next); err != nil {
				return 0, err
			}
		}
		if swapped {
			d.tell(&next)
			return d.look(ctx, &next, part, limits), nil
		}
		if n >= collisions {
			time.Sleep(rand.N(time.Duration(n) * time.Millisecond)) //nolint:gosec // processes that collided need not collide again
		}
	}
}

// next is the ledger that follows. The others are asked for signs of life only where a task would have to wait for them.
func (d *desk) next(ctx context.Context, l *place.Ledger, part place.Part, limits place.Limits) place.Ledger {
	now := d.room.env.Now()
	next := l.Assign(part, limits, now, func(string) bool { return true })
	if !slices.ContainsFunc(next.Waiting, func(e place.Entry) bool { return e.Driver == part.Driver }) {
		return next
	}
	return l.Assign(part, limits, now, func(driver string) bool { return d.lives(ctx, driver) })
}

// lives reports whether another process lives.
func (d *desk) lives(ctx context.Context, driver string) bool {
	if time.Now().Before(d.alive[driver]) {
		return true
	}
	left := d.room.env.Left(ctx, driver)
	if left <= 0 {
		delete(d.alive, driver)
		return false
	}
	if d.alive == nil {
		d.alive = make(map[string]time.Time)
	}
	d.alive[driver] = time.Now().Add(min(left, knownAlive))
	return true
}

// swap writes a ledger, and reports whether it is there now.
func (d *desk) swap(ctx context.Context, next *place.Ledger) (bool, error) {
	s := d.room
	s.mu.Lock()
	s.wrote++
	next.By, next.Written = s.env.Driver, s.wrote
	s.mu.Unlock()
	text := next.Encode()
	now, swapped, err := s.env.Store.Swap(ctx, d.name, d.value, text)
	if err != nil {
		return false, err
	}
	d.value = now
	return swapped || (now == nil) == (text == nil) && bytes.Equal(now, text), nil // the answer to an earlier attempt may be lost
}

// tell tells the tasks that have a place.
func (d *desk) tell(l *place.Ledger) {
	s := d.room
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range l.Held {
		if e.Driver != s.env.Driver {
			continue
		}
		at := slices.IndexFunc(d.waiting, func(w *waiter) bool { return w.N == e.N })
		switch _, has := d.held[e.N]; {
		case at >= 0:
			w := d.waiting[at]
			d.waiting = slices.Delete(d.waiting, at, at+1)
			if d.limits.Most > 0 {
				d.held[e.N] = e
			}
			close(w.got)
			d.dirty = d.dirty || len(d.waiting) >= shown // the next ones are to be shown
		case !has && d.limits.Most > 0: // it has left meanwhile
			d.dirty = true
		}
	}
}

// look is after how long the ledger is to be looked at, though nobody says so: when the rate lets the next task start, or
// when a process has lost its lease that the tasks wait for.
func (d *desk) look(ctx context.Context, l *place.Ledger, part place.Part, limits place.Limits) time.Duration {
	own := slices.IndexFunc(l.Waiting, func(e place.Entry) bool { return e.Driver == part.Driver })
	if own < 0 {
		return 0
	}
	if full := limits.Most > 0 && len(l.Held) >= limits.Most; own == 0 && !full {
		d.stop()
		d.stop = d.room.env.At(limits.Due(l.Next), d.ring)
		return 0
	}
	wait := d.room.env.Lease
	seen := map[string]bool{part.Driver: true}
	for _, e := range slices.Concat(l.Held, l.Waiting[:own]) {
		if seen[e.Driver] {
			continue
		}
		seen[e.Driver] = true
		wait = min(wait, d.room.env.Left(ctx, e.Driver))
	}
	if len(seen) == 1 && own == 0 {
		return 0 // they wait for tasks of this process
	}
	return max(wait, 0) + leaseGrace
}

// leaseGrace is how long after the end of a lease a process is taken to be lost.
const leaseGrace = 20 * time.Millisecond

// ring has the desk look.
func (d *desk) ring() {
	d.room.mu.Lock()
	defer d.room.mu.Unlock()
	if len(d.waiting) > 0 {
		d.serve()
	}
}
