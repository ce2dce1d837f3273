package fermata

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

const (
	// firstRecovery passes between a failure of the store and the attempt to take the run up again. The waits double from
	// there while the run makes no progress, up to lastRecovery.
	firstRecovery = time.Second
	lastRecovery  = 30 * time.Second
	// patientRecoveries is how often in a row a run is taken up in vain before Wait says so. The attempts go on.
	patientRecoveries = 5
)

// recovery takes runs up again that a failing store took from this runtime. The journal holds all that counts (law J2),
// so a run is read anew and driven on. Until then the runtime keeps its name on it (law J10).
type recovery struct {
	first, last time.Duration
	runs        map[string]*setback // guarded by the runtime's lock
}

// setback is a run that was lost to the store, and what is remembered of it until it has come to a rest.
type setback struct {
	plan    *plan.Plan  // nil: it is looked up
	created int64       // when the run was created, where it is not known to be there; else 0
	head    uint64      // of the journal, when the run was lost
	tries   int         // attempts in a row without progress
	err     error       // the last failure
	timer   *time.Timer // of the next attempt; nil while the run is driven
}

// isLoud reports whether the run's followers are told of the failure, although attempts go on: it has lasted, or
// somebody has to do something.
func (s *setback) isLoud() bool {
	return s.tries >= patientRecoveries || errors.Is(s.err, journal.ErrNoSpace) || errors.Is(s.err, journal.ErrReadOnly)
}

// mends reports whether err is a failure of the store that may be over at the next attempt.
func mends(err error) bool {
	at, ok := errors.AsType[*journal.StoreError](err)
	if !ok || at.Op == "replay" { // what was read does not fit
		return false
	}
	final := []error{
		journal.ErrConflict, journal.ErrNotFound, journal.ErrCorrupt, journal.ErrNewer, journal.ErrClosed, journal.ErrRefused,
		context.Canceled,
	}
	return !slices.ContainsFunc(final, func(is error) bool { return errors.Is(err, is) })
}

// setBack has a run taken up again later, if err is a failure of the store. It reports whether it is. The runtime's lock
// is held.
func (rt *Runtime) setBack(id string, err error, s setback) bool {
	r := &rt.recovery
	if rt.closed || !mends(err) {
		delete(r.runs, id)
		return false
	}
	was := r.runs[id]
	switch {
	case was == nil:
		was = &s
		r.runs[id] = was
	case was.timer != nil: // it is waited for already
		return true
	case s.head > was.head:
		was.head, was.tries = s.head, 0
	default:
		was.tries++
	}
	was.err = err
	rt.trouble[id] = err
	rt.arm(id, was)
	rt.log.Warn("the store failed; the run is taken up again", "run", id, "error", err)
	return true
}

// arm sets the timer of the next attempt. The runtime's lock is held.
func (rt *Runtime) arm(id string, s *setback) {
	wait := min(rt.recovery.first<<min(s.tries, 16), rt.recovery.last)
	wait += rand.N(wait/4 + 1) //nolint:gosec // runs that were lost together need not come back together
	s.timer = time.AfterFunc(wait, func() { rt.tryAgain(id) })
}

// isRecovering reports whether a run waits to be taken up again. The runtime's lock is held.
func (rt *Runtime) isRecovering(id string) bool {
	s := rt.recovery.runs[id]
	return s != nil && s.timer != nil && !rt.closed
}

// isQuiet reports whether a run waits to be taken up again, and nobody is to be told yet. The runtime's lock is held.
func (rt *Runtime) isQuiet(id string) bool {
	return rt.isRecovering(id) && !rt.recovery.runs[id].isLoud()
}

// isSetBack reports whether a drive was lost to the store, and its run is being taken up again without anybody being told.
func (rt *Runtime) isSetBack(d *drive) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return d.setBack && (rt.isQuiet(d.id) || rt.drives[d.id] != nil)
}

// since is the drive that has brought a run to its rest after d was lost to the store, where it is remembered; else d.
func (rt *Runtime) since(d *drive) *drive {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if next := rt.parked.drives[d.id]; d.setBack && next != nil {
		return next
	}
	return d
}

// recovered notes that a run is driven again. The runtime's lock is held.
func (rt *Runtime) recovered(id string) {
	if s := rt.recovery.runs[id]; s != nil && s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// forsake ends the attempts to take a run up again, and reports whether there were any: somebody has stopped it.
func (rt *Runtime) forsake(id string) bool {
	rt.mu.Lock()
	recovering := rt.isRecovering(id)
	rt.recovered(id)
	delete(rt.recovery.runs, id)
	rt.ringLocked(id)
	rt.mu.Unlock()
	if recovering {
		rt.lease.doubt(id)
	}
	return recovering
}

// adopt has a run taken up later whose start, or whose resumption, the store may have kept and not acknowledged.
func (rt *Runtime) adopt(ctx context.Context, id string, err error, s setback) {
	if ctx.Err() != nil || errors.Is(err, journal.ErrReadOnly) {
		return
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.drives[id] == nil {
		rt.setBack(id, err, s)
	}
}

// tryAgain takes a run up again.
func (rt *Runtime) tryAgain(id string) {
	rt.mu.Lock()
	if !rt.isRecovering(id) {
		rt.mu.Unlock()
		return
	}
	s := rt.recovery.runs[id]
	rt.wg.Add(1)
	rt.mu.Unlock()
	defer rt.wg.Done()
	err := rt.cutShort(id, rt.driveAgain(id, s))
	if errors.Is(err, errDriven) { // somebody was first: the run is driven
		err = nil
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.recovery.runs[id] != s || s.timer == nil { // it is driven, or was stopped
		return
	}
	if err != nil && mends(err) && !rt.closed {
		s.tries, s.err = s.tries+1, err
		rt.trouble[id] = err
		rt.arm(id, s)
		rt.log.Warn("the store still fails", "run", id, "attempt", s.tries, "error", err)
	} else {
		delete(rt.recovery.runs, id)
		delete(rt.trouble, id)
		if err != nil {
			rt.trouble[id] = err
		}
		if err != nil && !errors.Is(err, ErrClosed) {
			rt.log.Error("a run could not be taken up again", "run", id, "error", err)
		}
	}
	rt.ringLocked(id)
}

// driveAgain drives a run on. It is nil, too, where there is nothing to drive: the run never began, or has ended.
func (rt *Runtime) driveAgain(id string, s *setback) error {
	info, err := rt.Info(rt.ctx, id)
	switch {
	case errors.Is(err, ErrNotFound) && s.created != 0:
		return nil
	case err != nil:
		return err
	case s.created != 0 && s.created != info.Created: // another one has this id
		return nil
	}
	p := s.plan
	if p == nil {
		if p, err = rt.planFor(rt.ctx, info); err != nil || p == nil {
			return err
		}
	}
	if _, err := rt.lease.claim(rt.ctx, id); err != nil {
		return err
	}
	if err = rt.takeUp(rt.ctx, id, p, info.Driver); errors.Is(err, ErrPlanChanged) && rt.lease.store != nil {
		err = rt.blockFor(rt.ctx, id, err)
	}
	return err
}

// stoppedBy is why a wait ended before the run did: the context, and what kept the run from going on.
func stoppedBy(ctx context.Context, run string, trouble error) error {
	err := ctx.Err()
	if trouble != nil {
		err = fmt.Errorf("%w; the run waits for its store: %w", err, trouble)
	}
	return &Error{Code: CodeStopped, Run: run, Err: err}
}
