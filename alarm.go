package fermata

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// alarm wakes runs whose time has come. It holds one timer, for the earliest; the rest is in the store (law N1).
type alarm struct {
	rt *Runtime

	mu      sync.Mutex
	next    int64 // microseconds; 0 for none
	cancel  func() bool
	behind  bool // runs that are due wait until the worker has room
	stopped bool
}

// load finds the earliest timer in the store.
func (a *alarm) load(ctx context.Context) error {
	timers, err := a.rt.store.Timers(ctx, math.MaxInt64, 1)
	if err == nil && len(timers) > 0 {
		a.set(timers[0].Due)
	}
	return err
}

// set makes sure that the alarm goes off at the given time, or earlier.
func (a *alarm) set(due int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped || a.next != 0 && a.next <= due {
		return
	}
	if a.cancel != nil {
		a.cancel()
	}
	a.next = due
	ahead := due > a.rt.now()
	a.cancel = a.rt.at(due, a.ring)
	if ahead && a.rt.now() >= due && a.cancel() { // the clock went on meanwhile
		a.cancel = a.rt.clock.AfterFunc(0, a.ring)
	}
}

func (a *alarm) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	if a.cancel != nil {
		a.cancel()
	}
}

// patience is how long the alarm waits before it tries again what a store has refused, in microseconds.
const patience = int64(time.Second / time.Microsecond)

// again sets the alarm for a run that could not be woken.
func (a *alarm) again(run string, now int64) {
	a.rt.mu.Lock()
	failed := a.rt.trouble[run] != nil
	a.rt.mu.Unlock()
	if failed {
		a.set(now + patience)
	}
}

// glance is how many due timers are looked at first, where there may not be room for all their runs.
const glance = 64

// wake wakes the runs that are due, the earliest first, while there is room for them: a runtime without a worker has room
// for all. It returns how many timers it has seen, and whether it has left some.
func (a *alarm) wake(now int64) (seen int, left bool, err error) {
	rt, limit := a.rt, 0
	rt.mu.Lock()
	w := rt.worker
	rt.mu.Unlock()
	if w != nil {
		limit = glance
	}
	woken := make(map[string]bool)
	for {
		due, err := rt.store.Timers(rt.ctx, now, limit)
		if err != nil {
			return 0, false, err
		}
		for _, t := range due {
			key := wakeKey(t)
			if woken[key] {
				continue
			}
			woken[key] = true
			if !w.admit(t.Run, func() { a.wakeOne(t, now) }) {
				return len(due), true, nil
			}
		}
		if limit == 0 || len(due) < limit {
			return len(due), false, nil
		}
		limit *= 2 // some cannot be driven here, and their timers stay
	}
}

// wakeKey is what timers have in common that wake a run once. That of a block stands alone: the others wait for it.
func wakeKey(t journal.Timer) string {
	if t.ID == blockTimer {
		return t.Run + " " + blockTimer
	}
	return t.Run
}

func (a *alarm) wakeOne(t journal.Timer, now int64) {
	if wait := a.rt.wakeDue(t.Run, t.ID); wait > 0 {
		a.set(now + wait.Microseconds())
	}
	a.again(t.Run, now)
}

// fallBehind notes whether runs that are due wait for room. Whoever makes some looks after them: the worker or, where that has
// gone meanwhile, the alarm itself.
func (a *alarm) fallBehind(is bool) {
	a.mu.Lock()
	a.behind = is
	a.mu.Unlock()
	a.rt.mu.Lock()
	alone := a.rt.worker == nil
	a.rt.mu.Unlock()
	if alone {
		a.resume()
	}
}

func (a *alarm) isBehind() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.behind
}

// resume goes on where runs that are due have waited for the room of a worker that has gone.
func (a *alarm) resume() {
	if a.isBehind() {
		a.set(a.rt.now())
	}
}

// catchUp is for a worker that may have room: it wakes runs that have waited for it, and otherwise finds the earliest timer in
// the store.
func (a *alarm) catchUp(ctx context.Context) error {
	if !a.isBehind() {
		return a.load(ctx)
	}
	a.ring()
	return nil
}

// ring wakes the runs that are due, and sets the alarm for the next one.
func (a *alarm) ring() {
	rt := a.rt
	rt.mu.Lock()
	if rt.closed {
		rt.mu.Unlock()
		return
	}
	rt.wg.Add(1)
	rt.mu.Unlock()
	defer rt.wg.Done()
	a.mu.Lock()
	if a.cancel != nil {
		a.cancel() // where it is not the timer that rings
	}
	a.next, a.cancel = 0, nil
	a.mu.Unlock()
	now := rt.now()
	seen, left, err := a.wake(now)
	if err != nil {
		rt.log.Error("due timers could not be read", "error", err)
		a.set(now + patience)
		return
	}
	if a.fallBehind(left); left {
		return
	}
	// Timers of runs that this runtime cannot drive stay behind; they must not keep it ringing.
	timers, err := rt.store.Timers(rt.ctx, math.MaxInt64, seen+1)
	if err != nil {
		a.set(now + patience)
		return
	}
	for _, t := range timers {
		if t.Due > now {
			a.set(t.Due)
			return
		}
	}
}
