package fleet

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// timers wakes runs whose time has come. It holds one timer, for the earliest; the others are in the store (law
// N1).
type timers struct {
	rt *Fleet // whose runs it wakes

	mu      sync.Mutex  // guards what follows
	next    int64       // when the timer fires, in microseconds; 0 for none
	cancel  func() bool // stops the timer; nil for none
	behind  bool        // due runs wait until the worker has room
	stopped bool        // closed: no timer follows
}

// load reads the earliest timer from the store.
func (a *timers) load(ctx context.Context) error {
	timers, err := a.rt.Store.Timers(ctx, math.MaxInt64, 1)
	if err == nil && len(timers) > 0 {
		a.set(timers[0].Due)
	}
	return err
}

// set makes the timer fire at due or earlier.
func (a *timers) set(due int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped || a.next != 0 && a.next <= due {
		return
	}
	if a.cancel != nil {
		a.cancel()
	}
	a.next = due
	ahead := due > a.rt.Now()
	a.cancel = a.rt.At(due, a.ring)
	if ahead && a.rt.Now() >= due && a.cancel() { // the clock went on meanwhile
		a.cancel = a.rt.Clock.AfterFunc(0, a.ring)
	}
}

func (a *timers) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	if a.cancel != nil {
		a.cancel()
	}
}

// patience is the wait before a retry after an error of the store, in microseconds.
const patience = int64(time.Second / time.Microsecond)

// again sets the timer for a run that could not be woken.
func (a *timers) again(run string, now int64) {
	a.rt.mu.Lock()
	failed := a.rt.trouble[run] != nil
	a.rt.mu.Unlock()
	if failed {
		a.set(now + patience)
	}
}

// glance is how many due timers are read first, if there may not be room for all their runs.
const glance = 64

// wake wakes due runs, the earliest first, while there is room; without a worker there is room for all. It
// returns how many timers it has read, and whether it has left some.
func (a *timers) wake(now int64) (seen int, left bool, err error) {
	rt, limit := a.rt, 0
	rt.mu.Lock()
	w := rt.worker
	rt.mu.Unlock()
	if w != nil {
		limit = glance
	}
	woken := make(map[string]bool)
	for {
		due, err := rt.Store.Timers(rt.ctx, now, limit)
		if err != nil {
			return 0, false, err
		}
		for _, t := range due {
			key := wakeKey(t)
			if woken[key] {
				continue
			}
			woken[key] = true
			if t.ID == storage.UntilTimer { // it needs neither a plan nor room
				a.expireOne(t, now)
				continue
			}
			if !w.admit(t.Run, func() { a.wakeOne(t, now) }) {
				return len(due), true, nil
			}
		}
		if limit == 0 || len(due) < limit {
			return len(due), false, nil
		}
		limit *= 2 // some runs cannot be executed here, and their timers stay
	}
}

// wakeKey is equal for timers that wake a run once. A block's timer stands alone: the others wait for it. So does a deadline.
func wakeKey(t journal.Timer) string {
	if t.ID == storage.BlockTimer || t.ID == storage.UntilTimer {
		return t.Run + " " + t.ID
	}
	return t.Run
}

// expireOne ends a run at its deadline.
func (a *timers) expireOne(t journal.Timer, now int64) {
	if err := a.rt.expire(a.rt.ctx, t.Run); err != nil {
		a.rt.Log.Error("ending a run at its deadline failed", "run", t.Run, "error", err)
		a.set(now + patience)
	}
}

func (a *timers) wakeOne(t journal.Timer, now int64) {
	if wait := a.rt.wakeDue(t.Run, t.ID); wait > 0 {
		a.set(now + wait.Microseconds())
	}
	a.again(t.Run, now)
}

// fallBehind records whether due runs wait for room. The worker wakes them when there is room, or the timers
// themselves if the worker has gone.
func (a *timers) fallBehind(is bool) {
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

func (a *timers) isBehind() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.behind
}

// resume wakes due runs that waited for a worker that has gone.
func (a *timers) resume() {
	if a.isBehind() {
		a.set(a.rt.Now())
	}
}

// catchUp wakes due runs that waited for the worker's room. Otherwise it reads the earliest timer from the
// store.
func (a *timers) catchUp(ctx context.Context) error {
	if !a.isBehind() {
		return a.load(ctx)
	}
	a.ring()
	return nil
}

// ring wakes the due runs, and sets the timer for the next one.
func (a *timers) ring() {
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
		a.cancel() // if it is not the timer that fired
	}
	a.next, a.cancel = 0, nil
	a.mu.Unlock()
	now := rt.Now()
	seen, left, err := a.wake(now)
	if err != nil {
		rt.Log.Error("reading due timers failed", "error", err)
		a.set(now + patience)
		return
	}
	if a.fallBehind(left); left {
		return
	}
	// Timers of runs that cannot be executed here stay in the store; they must not fire again and again.
	timers, err := rt.Store.Timers(rt.ctx, math.MaxInt64, seen+1)
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
