package fermata

import (
	"context"
	"math"
	"sync"
	"time"
)

// alarm wakes runs whose time has come. It holds one timer, for the earliest; the rest is in the store (law N1).
type alarm struct {
	rt *Runtime

	mu      sync.Mutex
	next    int64 // microseconds; 0 for none
	cancel  func() bool
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
	wait := max(time.Duration(due-a.rt.now())*time.Microsecond, 0)
	a.cancel = a.rt.clock.AfterFunc(wait, a.ring)
	if wait > 0 && a.rt.now() >= due && a.cancel() { // the clock went on meanwhile
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

// ring wakes every run that is due, and sets the alarm for the next one.
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
	a.next, a.cancel = 0, nil
	a.mu.Unlock()
	now := rt.now()
	due, err := rt.store.Timers(rt.ctx, now, 0)
	if err != nil {
		rt.log.Error("due timers could not be read", "error", err)
		a.set(now + patience)
		return
	}
	woken := make(map[string]bool, len(due))
	for _, t := range due {
		if !woken[t.Run] {
			woken[t.Run] = true
			if wait := rt.wakeDue(t.Run); wait > 0 {
				a.set(now + wait.Microseconds())
			}
			a.again(t.Run, now)
		}
	}
	// Timers of runs that this runtime cannot drive stay behind; they must not keep it ringing.
	timers, err := rt.store.Timers(rt.ctx, math.MaxInt64, len(due)+1)
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
