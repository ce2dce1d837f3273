package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Run is a handle on a run. It may be dropped at any time: the run does not depend on it.
type Run struct {
	rt   *Fleet                // that started or resumed it
	id   string                // of the run
	plan *plan.Plan            // that it was started or resumed on
	last atomic.Pointer[owned] // its last known execution; nil for none

	replaced bool // a debounced start has given its input to this run, which waited
}

func (f *Fleet) handle(id string, p *plan.Plan, d *owned) *Run {
	r := &Run{rt: f, id: id, plan: p}
	r.last.Store(d)
	return r
}

// ID returns the run's id.
func (r *Run) ID() string { return r.id }

// Replaced reports whether the start has replaced the input of this run, which waited (law J21).
func (r *Run) Replaced() bool { return r.replaced }

// Wait waits until the run has ended or waits for people. In the second case the status is Paused, with the
// open interrupts. Sleeps and backoffs are waited for. A run that ended without success is no error of Wait:
// see Result.Err. Wait fails when ctx is done, and with ErrStopped if this process no longer executes the run
// (law F3).
//
// A failing store does not end Wait at once: the runtime resumes the run by itself (law J2). If that fails for
// about half a minute, or the store is full or read-only, Wait fails with CodeStore. The runtime keeps trying,
// and Wait may be called again.
func (r *Run) Wait(ctx context.Context) (runtype.Result, error) { return r.wait(ctx, false) }

// Rest is Wait, but returns also when the run waits for a message. A run that waits for a time beside it is waited for. It is
// for programs that stay no longer than the run has something to do.
func (r *Run) Rest(ctx context.Context) (runtype.Result, error) { return r.wait(ctx, true) }

// wait is Wait, or Rest: then a run rests as well that waits for messages.
func (r *Run) wait(ctx context.Context, onMail bool) (runtype.Result, error) {
	if result, ok := r.rested(ctx, onMail); ok {
		return result, nil
	}
	var changed *notifier
	defer func() { r.rt.forgo(r.id, changed) }()
	for {
		changed = r.rt.changes(r.id, changed)
		if r.last.Load() == nil && r.rt.Deserted(r.id) { // known only once nobody here loads it any more
			return r.elsewhere(ctx)
		}
		r.rt.mu.Lock()
		d, closed, trouble, quiet := r.rt.executions[r.id], r.rt.closed, r.rt.trouble[r.id], r.rt.isQuiet(r.id)
		r.rt.mu.Unlock()
		if trouble != nil && d == nil && !quiet {
			return r.troubled(ctx, trouble)
		}
		if d == nil && !quiet {
			d = r.last.Load()
		}
		if d != nil {
			r.last.Store(d)
			select {
			case <-d.Done:
			case <-ctx.Done():
				return runtype.Result{Run: r.id}, &runtype.Error{Code: runtype.CodeStopped, Run: r.id, Err: ctx.Err()}
			}
			if r.rt.isSetBack(d) {
				continue
			}
			d = r.rt.since(d)
			result, rested, err := r.standing(ctx, d, onMail)
			if errors.Is(err, errDeserted) {
				if changed.hasFired() { // it was resumed meanwhile
					continue
				}
				err = &runtype.Error{Code: runtype.CodeStopped, Run: r.id, Err: err}
			}
			if rested || err != nil {
				return result, err
			}
			if closed {
				return result, &runtype.Error{Code: runtype.CodeStopped, Run: r.id, Err: runtype.ErrClosed}
			}
		}
		select {
		case <-changed.fired:
			if changed.last != nil {
				r.last.Store(changed.last)
			}
		case <-ctx.Done():
			return runtype.Result{Run: r.id}, stoppedBy(ctx, r.id, trouble)
		}
	}
}

// rested waits for the execution that this process has of the run, and returns its result if nothing can have changed
// since: the run has ended, or it came to rest while Wait looked and nobody here is about to go on with it. Then the store
// need not be asked. Otherwise ok is false, and nothing is known.
func (r *Run) rested(ctx context.Context, onMail bool) (result runtype.Result, ok bool) {
	f := r.rt
	f.mu.Lock()
	d := f.executions[r.id]
	running := d != nil
	if d == nil {
		d = f.paused.executions[r.id]
	}
	f.mu.Unlock()
	if d == nil || d.Unstored {
		return result, false
	}
	select {
	case <-d.Done:
	case <-ctx.Done():
		return result, false
	}
	r.last.Store(d)
	if d.Lost != nil {
		return result, false
	}
	if d.Outcome.Status.Ended() {
		return d.ResultCopy(), true
	}
	f.mu.Lock()
	still := f.paused.executions[r.id] == d && f.isIdleLocked(r.id) && f.waking[r.id] == 0
	f.mu.Unlock()
	return d.Outcome, running && still && d.Outcome.Status == runtype.Paused && (len(d.Outcome.Interrupts) > 0 || onMail && d.OnMail)
}

// troubled returns the state of a run whose execution was lost: as another process has ended it, or why it was
// lost.
func (r *Run) troubled(ctx context.Context, trouble error) (runtype.Result, error) {
	info, err := r.rt.Info(ctx, r.id)
	if err == nil && runtype.Status(info.Status).Ended() {
		return r.rt.stateEnv.Result(ctx, r.id, r.plan)
	}
	return runtype.Result{Run: r.id, Status: runtype.Status(info.Status), Err: trouble}, trouble
}

// standing reports the result of the run after its last execution here; false when it will go on by itself.
func (r *Run) standing(ctx context.Context, d *owned, onMail bool) (runtype.Result, bool, error) {
	if d.Unstored || d.Outcome.Status.Ended() && !d.setBack {
		return d.ResultCopy(), true, executionError(d)
	}
	lost := d.Lost != nil && !d.setBack // runs lost to the store have been resumed since
	onTimers := !lost && len(d.Outcome.Interrupts) == 0 && d.Outcome.Hold == nil && d.Outcome.Status != runtype.Blocked && !(onMail && d.OnMail)
	info, err := r.rt.Info(ctx, r.id)
	if err != nil {
		return d.Outcome, true, err
	}
	if info.Head == d.Head && !d.setBack {
		return d.Outcome, !onTimers, executionError(d)
	}
	if ended, _ := r.rt.ended(r.id); ended != nil && ended.Head == info.Head {
		return ended.ResultCopy(), true, executionError(ended)
	}
	result, err := r.rt.stateEnv.Result(ctx, r.id, r.plan) // somebody has written since: an answer, a timer, a cancellation
	if err == nil && lost && !result.Status.Ended() {
		return d.Outcome, true, executionError(d)
	}
	switch ended, executing := r.rt.ended(r.id); {
	case executing: // its owner knows the result
		return runtype.Result{}, false, nil
	case ended != nil && err == nil && ended.Head >= info.Head && ended.Outcome.Status == result.Status:
		return ended.ResultCopy(), true, executionError(ended) // meanwhile
	}
	rested := result.Rests()
	if err == nil && !rested && r.rt.Deserted(r.id) && !r.rt.hasTimer(ctx, r.id) {
		return result, true, errDeserted
	}
	return result, rested, err
}

// ended returns a run's last execution if it ended or blocked the run lately, and whether the run is executed
// now.
func (f *Fleet) ended(id string) (last *owned, executing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.paused.executions[id]; d != nil && (d.Outcome.Status.Ended() || d.Outcome.Status == runtype.Blocked) {
		last = d
	}
	return last, f.executions[id] != nil
}

// errDeserted says that a run could go on, but this process is not about to execute it.
var errDeserted = fmt.Errorf("%w: it was answered elsewhere, and this process does not resume it", runtype.ErrStopped)

// hasTimer reports whether a timer will wake the run.
func (f *Fleet) hasTimer(ctx context.Context, id string) bool {
	timers, err := f.Store.Timers(ctx, math.MaxInt64, 0)
	return err != nil || slices.ContainsFunc(timers, func(t journal.Timer) bool { return t.Run == id && t.ID != storage.UntilTimer })
}

// executionError returns why an execution ended before its run; nil if it did not.
func executionError(d *owned) error {
	if d.Lost == nil {
		return nil
	}
	return d.Outcome.Err
}

// State returns the run's state at its last entry, whatever its status; see Runtime.State. A run that is not stored has none.
func (r *Run) State(ctx context.Context) (json.RawMessage, error) {
	if d := r.last.Load(); d != nil && d.Unstored {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: r.id, Err: errUnstored}
	}
	return r.rt.stateEnv.RecordedState(ctx, r.id, 0)
}

var errUnstored = errors.New("the run is not stored, so no state of it is recorded; start it with another durability")

// Events yields the run's events after the given seq, until the run has ended or ctx is done. It waits for new ones.
func (r *Run) Events(ctx context.Context, after uint64) iter.Seq2[runtype.Event, error] {
	d := r.last.Load()
	if d == nil || !d.Unstored {
		return r.rt.Events(ctx, r.id, after, true)
	}
	return func(yield func(runtype.Event, error) bool) {
		reader := d.Stream.Attach()
		defer d.Stream.Detach(reader)
		s := &eventSource{rt: r.rt, id: r.id, cursor: after, yield: yield}
		s.follow(ctx, &d.Execution, reader)
	}
}
