package executor

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// Load reads a run's journal and prepares its execution.
func (x *Execution) Load(ctx context.Context, why journal.ResumedBody) error {
	if x.Machine.Head() == 0 {
		if err := x.readAdmitted(ctx); err != nil {
			return err
		}
	}
	if why.Reason == machine.ReasonRetry {
		if err := x.notUndone(); err != nil {
			return err
		}
	}
	x.env.Leases.KeepAlive(ctx)
	now, breaks := x.Now(), why.Breaks
	why, err := x.FitsDeclared(ctx, why)
	if err != nil {
		return err
	}
	if err := runstate.CheckBreaks(x.Plan, breaks); err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: err}
	}
	why.Breaks = breaks
	if why.Fingerprint != "" { // the next plan is compared with this one
		if err := x.KeepOutline(ctx); err != nil {
			return err
		}
	}
	switch status := x.Machine.Status(); {
	case why.Reason == machine.ReasonRetry:
		if !runstate.CanRetry(status) {
			return &runtype.Error{
				Code: runtype.CodeConflict, Run: x.ID,
				Err: runtype.Conflict(fmt.Sprintf("the run is %s; only a failed or blocked run can be retried", status)),
			}
		}
		if err := x.deadlineAhead(why.Until, now); err != nil {
			return err
		}
		x.add(func(m *machine.Machine) error { return x.Replan(m, now, why) })
	case runtype.Status(status).Ended():
		return x.found(ctx)
	case why.Reason == machine.ReasonReplan:
		x.add(func(m *machine.Machine) error { return x.Replan(m, now, why) })
	case status == machine.Blocked && x.isHeld():
		x.idle = true
		return nil
	case status == machine.Blocked:
		if err := x.unblock(ctx, now); err != nil || x.idle {
			return err
		}
	case status == machine.Running && x.Machine.Underway():
		x.takeOver(now)
	}
	if breaks != nil && why.Reason == "" {
		x.add(func(m *machine.Machine) error {
			return m.Resume(now, journal.ResumedBody{Reason: machine.ReasonBreaks, By: x.Options.Name, Breaks: breaks})
		})
	}
	if x.Machine.Due() <= now && x.TakeUp.block == nil {
		x.add(func(m *machine.Machine) error { return m.Fire(now) })
	}
	err = x.commit(ctx, nil)
	if errors.Is(err, errOver) { // another writer ended the run meanwhile
		return x.found(ctx)
	}
	if err != nil {
		x.env.Leases.ReturnLater(x.ID)
		return x.StoreError(x.ID, err)
	}
	return nil
}

// readAdmitted reads the journal of a run that no other process owns. If it was written after its row was read,
// the owner is checked again, since a row names the owner for its own head only (law J10).
func (x *Execution) readAdmitted(ctx context.Context) error {
	for {
		info, err := x.Info(ctx, x.ID)
		if err != nil {
			return err
		}
		if done, err := x.readAt(ctx, info); done || err != nil {
			return err
		}
	}
}

// readAt is readAdmitted with the run's row. It is not done if the journal was written after the row was read.
func (x *Execution) readAt(ctx context.Context, info runtype.RunInfo) (done bool, err error) {
	if err := x.env.Leases.Admit(ctx, &info); err != nil {
		return false, err
	}
	if info.Driver != "" && info.Driver == x.Owner {
		x.env.Leases.Read(x.ID)
	}
	if x.Row = info; x.TakeUp.Was == "" {
		x.TakeUp.Was = info.Driver
	}
	x.follow()
	if _, err := x.Read(ctx, math.MaxUint64); err != nil {
		return false, err
	}
	head := x.Machine.Head()
	if head < info.Head {
		return false, x.StoreError(x.ID, &journal.StoreError{
			Op: "replay", Run: x.ID, Seq: head + 1,
			Err: fmt.Errorf("%w: the journal ends here, its head is %d", journal.ErrCorrupt, info.Head),
		})
	}
	return head == info.Head, nil
}

// found loads the result of a run that has ended.
func (x *Execution) found(ctx context.Context) (err error) {
	x.idle = true
	x.queue.clear()
	x.Outcome, err = x.Result(ctx, x.ID, x.Plan)
	return err
}

// reload decodes a value that is no longer in memory.
func (x *Execution) reload(ref uint64) error {
	var stored runstate.Values
	for e, err := range x.Store.Read(context.WithoutCancel(x.ctx), x.ID, 0) {
		if err != nil {
			return err
		}
		stored.Note(&e)
	}
	for i := range x.postponed {
		stored.Note(&x.postponed[i])
	}
	data, err := stored.Whole(ref)
	if err != nil {
		return err
	}
	x.Values.Put(ref, nil, nil)
	x.Values.Find(ref).Data = data
	return nil
}

// rebase reads entries that others stored since this execution's last write. It folds answers, claims, messages
// and cancellation. If another process owns the run, this one has lost it (law J3).
func (x *Execution) rebase(ctx context.Context, busy []machine.Handed) error {
	ctx = context.WithoutCancel(ctx) // a stop request or time limit is no failure of the store
	head, kept := x.Row.Head, x.Values
	if len(x.postponed) > 0 { // lost entries may hold values that others need
		clear(x.postponed)
		x.postponed, kept = x.postponed[:0], runstate.Values{}
	}
	news, err := x.Read(ctx, head)
	if err != nil {
		return err
	}
	if len(news) == 0 {
		return fmt.Errorf("%w, and nothing was written", runtype.ErrConflict)
	}
	if err := notOwners(news); err != nil {
		return err
	}
	for i := range x.Values.Cells {
		if c := kept.Find(x.Values.Cells[i].Ref); c != nil {
			x.Values.Cells[i] = *c
		}
	}
	if err := x.tookIn(ctx, news); err != nil {
		return err
	}
	if err := x.holdBackAgain(); err != nil {
		return err
	}
	x.Machine.SetBusy(busy)
	var left []machine.Start
	for _, s := range x.queue.list[x.queue.at:] {
		if s.Task != nil {
			s.Task = x.Machine.ByID(s.Task.ID)
		}
		if s.Leaf != nil {
			s.Leaf = x.Machine.ByID(s.Leaf.ID)
		}
		if s.Task == nil && s.Join == nil || s.Do == machine.Fail && s.Leaf == nil {
			continue // it no longer exists
		}
		left = append(left, s)
	}
	x.queue.clear()
	x.queue.push(left)
	return nil
}

// notOwners checks that others' entries are not an owner's (law J3).
func notOwners(news []journal.Entry) error {
	for i := range news {
		k := news[i].Kind
		if k == journal.RunPaused && i > 0 && news[i-1].Kind == journal.RunHeld { // who holds a run saw no owner of it
			continue
		}
		if k == journal.RunResumed && storage.BodyOf[journal.ResumedBody](&news[i]).Reason == machine.ReasonReplaced { // nor who has replaced its input
			continue
		}
		if !machine.FromOutside(k) && k != journal.RunFinished && k != journal.RunUndoing {
			return fmt.Errorf("%w: another process owns the run (%s, seq %d)", runtype.ErrConflict, news[i].Kind, news[i].Seq)
		}
	}
	return nil
}

// catchUpLive folds others' entries while tasks run: an answer lets another branch go on (law H3).
func (x *Execution) catchUpLive() error {
	x.workers.writeSignalled = false
	ctx := context.WithoutCancel(x.ctx) // a stop request or time limit is no failure of the store
	var news []journal.Entry
	for e, err := range x.Store.Read(ctx, x.ID, x.Row.Head) {
		if err != nil {
			return x.StoreError(x.ID, err)
		}
		news = append(news, e)
	}
	if len(news) == 0 {
		return nil
	}
	if err := notOwners(news); err != nil {
		return err
	}
	if len(x.TakeUp.heldBack) > 0 { // the machine is ahead of the store
		if err := x.rebase(ctx, x.busy(nil)); err != nil {
			return err
		}
		return x.commit(ctx, nil)
	}
	for i := range news {
		if err := x.Machine.Apply(&news[i]); err != nil {
			return x.ReplayError(x.ID, news[i].Seq, err)
		}
		x.recall(&news[i])
	}
	x.Machine.Closed()
	if err := x.tookIn(ctx, news); err != nil {
		return err
	}
	return x.commit(ctx, nil)
}

// tookIn shows others' entries that the machine has folded. It returns errOver if they end the run.
func (x *Execution) tookIn(ctx context.Context, news []journal.Entry) error {
	x.Stream.Publish(x.ID, news)
	if info, err := x.Info(ctx, x.ID); err == nil {
		x.Row = info
	}
	x.Row.Head = x.Machine.Head()
	if runtype.Status(x.Machine.Status()).Ended() {
		return errOver
	}
	x.endWork()
	return nil
}
