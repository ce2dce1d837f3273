package fleet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

const (
	// firstRecovery is the wait between a failure of the store and the first attempt to resume the run. It
	// doubles while the run makes no progress, up to lastRecovery.
	firstRecovery = time.Second
	lastRecovery  = 30 * time.Second
	// patientRecoveries is the number of failed attempts after which Wait returns the error. The attempts go
	// on.
	patientRecoveries = 5
)

// recovery resumes runs that a failing store has ended. The journal is complete (law J2), so the run is read
// again. Until then this process keeps its ownership (law J10).
type recovery struct {
	first, last time.Duration       // waits between attempts
	runs        map[string]*setback // by run; the fleet's lock guards it
}

// setback is a run that was lost to the store, until it has come to rest.
type setback struct {
	plan    *plan.Plan  // nil: it is looked up
	created int64       // when the run was created, in microseconds, if it may not be stored; else 0
	head    uint64      // of the journal, when the run was lost
	tries   int         // attempts in a row without progress
	err     error       // the last failure
	timer   *time.Timer // of the next attempt; nil while the run is executed
}

// isLoud reports whether Wait returns the failure while attempts go on: it has lasted, or an operator has to
// act.
func (s *setback) isLoud() bool {
	return s.tries >= patientRecoveries || errors.Is(s.err, journal.ErrNoSpace) || errors.Is(s.err, journal.ErrReadOnly)
}

// setBack schedules a resumption if err is a failure of the store, and reports whether it is. The fleet's lock
// is held.
func (f *Fleet) setBack(id string, err error, s setback) bool {
	r := &f.recovery
	if f.closed || !storage.IsTransient(err) {
		delete(r.runs, id)
		return false
	}
	was := r.runs[id]
	switch {
	case was == nil:
		was = &s
		r.runs[id] = was
	case was.timer != nil: // scheduled already
		return true
	case s.head > was.head:
		was.head, was.tries = s.head, 0
	default:
		was.tries++
	}
	was.err = err
	f.trouble[id] = err
	f.arm(id, was)
	f.Log.Warn("the store failed; resuming the run later", "run", id, "error", err)
	return true
}

// arm sets the timer of the next attempt. The fleet's lock is held.
func (f *Fleet) arm(id string, s *setback) {
	wait := min(f.recovery.first<<min(s.tries, 16), f.recovery.last)
	wait += rand.N(wait/4 + 1) //nolint:gosec // runs that were lost together need not come back together
	s.timer = time.AfterFunc(wait, func() { f.tryAgain(id) })
}

// isRecovering reports whether a run waits to be resumed. The fleet's lock is held.
func (f *Fleet) isRecovering(id string) bool {
	s := f.recovery.runs[id]
	return s != nil && s.timer != nil && !f.closed
}

// isQuiet reports whether a run waits to be resumed and Wait does not return yet. The fleet's lock is held.
func (f *Fleet) isQuiet(id string) bool {
	return f.isRecovering(id) && !f.recovery.runs[id].isLoud()
}

// isSetBack reports whether an execution was lost to the store and its run is being resumed quietly.
func (f *Fleet) isSetBack(d *owned) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return d.setBack && (f.isQuiet(d.ID) || f.executions[d.ID] != nil)
}

// since returns the run's last execution here if it is known and ended after d: d was lost to the store, or the run
// was resumed meanwhile and has come to rest again. Else it returns d.
func (f *Fleet) since(d *owned) *owned {
	f.mu.Lock()
	defer f.mu.Unlock()
	if next := f.paused.executions[d.ID]; next != nil && (d.setBack || next.Head > d.Head) {
		return next
	}
	return d
}

// recovered records that a run is executed again. The fleet's lock is held.
func (f *Fleet) recovered(id string) {
	if s := f.recovery.runs[id]; s != nil && s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// forsake ends the attempts to resume a stopped run, and reports whether there were any.
func (f *Fleet) forsake(id string) bool {
	f.mu.Lock()
	recovering := f.isRecovering(id)
	f.recovered(id)
	delete(f.recovery.runs, id)
	f.notifyLocked(id)
	f.mu.Unlock()
	if recovering {
		f.lease.ReturnLater(id)
	}
	return recovering
}

// adopt schedules a resumption of a run whose start or resumption the store may have kept without acknowledging
// it.
func (f *Fleet) adopt(ctx context.Context, id string, err error, s setback) {
	if ctx.Err() != nil || errors.Is(err, journal.ErrReadOnly) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.executions[id] == nil {
		f.setBack(id, err, s)
	}
}

// tryAgain resumes a run.
func (f *Fleet) tryAgain(id string) {
	f.mu.Lock()
	if !f.isRecovering(id) {
		f.mu.Unlock()
		return
	}
	s := f.recovery.runs[id]
	f.wg.Add(1)
	f.mu.Unlock()
	defer f.wg.Done()
	err := f.cutShort(id, f.executeAgain(id, s))
	if errors.Is(err, errExecuted) { // another goroutine was first: the run is executed
		err = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recovery.runs[id] != s || s.timer == nil { // it is executed, or was stopped
		return
	}
	if err != nil && storage.IsTransient(err) && !f.closed {
		s.tries, s.err = s.tries+1, err
		f.trouble[id] = err
		f.arm(id, s)
		f.Log.Warn("the store still fails", "run", id, "attempt", s.tries, "error", err)
	} else {
		delete(f.recovery.runs, id)
		delete(f.trouble, id)
		if err != nil {
			f.trouble[id] = err
		}
		if err != nil && !errors.Is(err, runtype.ErrClosed) {
			f.Log.Error("resuming a run after a store failure failed", "run", id, "error", err)
		}
	}
	f.notifyLocked(id)
}

// executeAgain resumes a run. It returns nil, too, if the run never began or has ended.
func (f *Fleet) executeAgain(id string, s *setback) error {
	info, err := f.Info(f.ctx, id)
	switch {
	case errors.Is(err, runtype.ErrNotFound) && s.created != 0:
		return nil
	case err != nil:
		return err
	case s.created != 0 && s.created != info.Created: // another run has this id
		return nil
	}
	p := s.plan
	if p == nil {
		if p, err = f.PlanFor(f.ctx, info); err != nil || p == nil {
			return err
		}
	}
	if _, err := f.lease.claim(f.ctx, id); err != nil {
		return err
	}
	if err = f.takeUp(f.ctx, id, p, info.Driver); errors.Is(err, runtype.ErrPlanChanged) && f.lease.store != nil {
		err = f.blockFor(f.ctx, id, err)
	}
	return err
}

// stoppedBy returns why a wait ended before the run did: the context, and the trouble of the run.
func stoppedBy(ctx context.Context, run string, trouble error) error {
	err := ctx.Err()
	if trouble != nil {
		err = fmt.Errorf("%w; the run waits for its store: %w", err, trouble)
	}
	return &runtype.Error{Code: runtype.CodeStopped, Run: run, Err: err}
}
