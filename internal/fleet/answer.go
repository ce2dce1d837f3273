package fleet

import (
	"context"
	"errors"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// AnswerPaused records changes of questions of a paused run and resumes it, in one append.
// The run is kept in memory, or read once. The function is given its open questions and returns the changes. AnswerPaused
// is not done if this process does not know the run's plan, if the function returns none, or if another process has
// written to the run: then nothing is recorded, and the caller records the answer first.
func (f *Fleet) AnswerPaused(ctx context.Context, run string, answers func(open []journal.Interrupt) []question.Change) (done bool, err error) {
	kept, reserved := f.reservePaused(run)
	if !reserved {
		return false, nil
	}
	defer f.loaded(run)
	d := kept
	if kept == nil {
		if d = f.openPaused(ctx, run); d == nil {
			return false, nil
		}
	}
	var changes []question.Change
	if !d.Machine.IsLate(f.Now()) { // the caller finds out what is late, and says so (law F9)
		changes = answers(d.Machine.Interrupts())
	}
	if len(changes) == 0 {
		if d.Stop(); kept != nil { // one that was opened here has come to no rest that others could find
			f.mu.Lock()
			f.paused.put(kept)
			f.mu.Unlock()
		}
		return false, nil
	}
	if kept != nil {
		d = &owned{}
		f.env.Reopen(&d.Execution, &kept.Execution)
	}
	head := d.Row.Head
	if err = d.Answer(ctx, changes); err == nil {
		if f.launch(d) != nil { // the runtime is closed: the answer is stored, and others go on
			f.lease.ReturnLater(run)
			d.Stop()
		}
		return true, nil
	}
	d.Stop()
	if errors.Is(err, runtype.ErrConflict) {
		return false, nil
	}
	f.lease.ReturnLater(run) // it may be stored
	err = f.StoreError(run, err)
	f.adopt(ctx, run, err, setback{plan: d.Plan, head: head})
	return true, err
}

// reservePaused reserves a run until loaded is called, and takes its execution out of the cache; nil if it is not there.
// A run that is busy, has ended or is blocked is not reserved.
func (f *Fleet) reservePaused(run string) (d *owned, reserved bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d = f.paused.executions[run]
	if f.closed || !f.isIdleLocked(run) || d != nil && d.Outcome.Status != runtype.Paused {
		return nil, false
	}
	f.loading[run] = nil
	return f.paused.take(run), true
}

// openPaused reads a paused run that nobody owns, and whose plan this process has executed before; nil otherwise.
func (f *Fleet) openPaused(ctx context.Context, run string) *owned {
	info, err := f.Info(ctx, run)
	if err != nil || info.Status != string(runtype.Paused) || info.Driver != "" || f.isLeft(&info) {
		return nil
	}
	p := f.knownPlan(&info)
	if p == nil || f.policies.Covers(run, p) != nil {
		return nil
	}
	s := f.stateEnv.NewState(run, p, runtype.Sync)
	d := f.open(&s)
	err = guard.OnOwnGoroutine(func() error { return d.Open(ctx, &info) }) // it may run code of the program
	if err != nil || d.Machine.Status() != string(runtype.Paused) {
		d.Stop()
		return nil
	}
	return d
}

// knownPlan returns the plan of a run if this process has executed it; nil otherwise.
func (f *Fleet) knownPlan(info *runtype.RunInfo) *plan.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.moved[info.ID]; p != nil {
		return p
	}
	return f.plans.known[planID{info.Plan, info.Fingerprint, info.Definition}].plan
}
