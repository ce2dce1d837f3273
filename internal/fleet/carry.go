package fleet

import (
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
)

// This file has the life of an execution: it is launched, carried by a goroutine, and has landed.

// launch starts an execution on a goroutine of its own.
func (f *Fleet) launch(d *owned) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return &runtype.Error{Code: runtype.CodeStopped, Run: d.ID, Err: runtype.ErrClosed}
	}
	if f.executions[d.ID] != nil {
		return errExecuted
	}
	f.executions[d.ID] = d
	f.recovered(d.ID)
	delete(f.trouble, d.ID)
	if d.Plan.Fingerprint() != d.Machine.Started().Fingerprint {
		f.moved[d.ID] = d.Plan
	}
	f.plans.put(planID{d.Row.Plan, d.Machine.Started().Fingerprint, d.Machine.Started().Definition}, d.Plan)
	select {
	case f.spare <- d:
	default:
		f.wg.Go(func() { f.carryAll(d) })
	}
	f.notifyLocked(d.ID)
	return nil
}

// spareCarrier is how long a goroutine without a run waits for the next one. A new one would have to start, and to grow its
// stack, which takes longer than a node that does little.
const spareCarrier = 100 * time.Millisecond

// carryAll carries a run, and then others that are launched meanwhile.
func (f *Fleet) carryAll(d *owned) {
	f.carry(d)
	over := time.NewTimer(spareCarrier)
	defer over.Stop()
	for {
		select {
		case d = <-f.spare:
			f.carry(d)
			over.Reset(spareCarrier)
		case <-over.C:
			return
		case <-f.ctx.Done():
			return
		}
	}
}

// carry executes a run, and starts another goroutine if a node ends this one (law N7).
func (f *Fleet) carry(d *owned) {
	if d.release == nil {
		d.release = d.LimitTime()
	}
	defer func() {
		if d.Gone {
			f.wg.Go(func() { f.carryAll(d) })
			return
		}
		d.release()
		f.landed(d)
	}()
	d.Work()
}

// landed removes an execution from the table, and starts it again if there is new work.
func (f *Fleet) landed(d *owned) {
	f.checkpoint(d) // while nobody else has it
	f.mu.Lock()
	kept := storage.IsTransient(d.Lost) && !d.stopRequested && !f.closed
	f.mu.Unlock()
	if !kept { // a run lost to the store is resumed later
		f.lease.giveBack(d)
	}
	if d.Due != 0 {
		f.timers.set(d.Due)
	}
	if !d.Outcome.Status.Ended() {
		f.watchDeadline(&d.State)
	}
	seen := f.caughtUp(d)
	f.mu.Lock()
	delete(f.executions, d.ID)
	f.paused.put(d)
	if d.Lost != nil && !d.Unstored {
		f.trouble[d.ID] = d.Outcome.Err
	}
	lost := d.Lost != nil && !d.Unstored && !d.stopRequested && f.setBack(d.ID, d.Outcome.Err, setback{plan: d.Plan, head: d.Row.Head})
	d.setBack = lost
	if !lost {
		delete(f.recovery.runs, d.ID)
	}
	if d.Outcome.Status.Ended() {
		delete(f.moved, d.ID)
	}
	again := d.again > seen && !f.closed && !d.stopRequested && !lost && !d.Unstored
	if again {
		f.waking[d.ID]++
	}
	d.Stream.Close()
	close(d.Done)
	if b := f.notifiers[d.ID]; b != nil {
		b.last = d
	}
	f.notifyLocked(d.ID)
	w := f.worker
	f.mu.Unlock()
	if again {
		f.Wake(d.ID)
		f.woken(d.ID)
	}
	f.forgetPlans()
	if lost {
		w.notice() // its place is free
		return
	}
	if kept { // it was stopped meanwhile
		f.lease.ReturnLater(d.ID)
	}
	w.rested(d)
}

// caughtUp returns how many of the requests to execute a run once more have no cause that the execution has not seen: nobody
// has written to the paused run since, and it has no timer, which may be what asks.
func (f *Fleet) caughtUp(d *owned) (seen int) {
	f.mu.Lock()
	asked := d.again
	f.mu.Unlock()
	if asked == 0 || d.Due != 0 || d.Lost != nil || d.Unstored || d.Outcome.Status != runtype.Paused {
		return 0
	}
	if info, err := f.Info(f.ctx, d.ID); err != nil || info.Head != d.Head {
		return 0
	}
	return asked
}
