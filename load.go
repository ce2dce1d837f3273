package fermata

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// load reads the journal of a run and makes ready to drive it on.
func (d *drive) load(ctx context.Context, why journal.ResumedBody) error {
	if d.m.Head() == 0 {
		if err := d.readAdmitted(ctx); err != nil {
			return err
		}
	}
	d.rt.lease.live(ctx)
	now := d.now()
	why, err := d.fitsDeclared(why)
	if err != nil {
		return err
	}
	if why.Fingerprint != "" { // the next plan is compared with this one
		if err := d.keepOutline(ctx); err != nil {
			return err
		}
	}
	switch status := d.m.Status(); {
	case why.Reason == machine.ReasonRetry:
		if !canRetry(status) {
			return &Error{
				Code: CodeConflict, Run: d.id,
				Err: conflict(fmt.Sprintf("the run is %s; only a failed or blocked run can be retried", status)),
			}
		}
		d.add(func(m *machine.Machine) error { return d.replan(m, now, why) })
	case Status(status).Ended():
		return d.found(ctx)
	case why.Reason == machine.ReasonReplan:
		d.add(func(m *machine.Machine) error { return d.replan(m, now, why) })
	case status == machine.Blocked:
		if err := d.unblock(ctx, now); err != nil || d.idle {
			return err
		}
	case status == machine.Running && d.m.Underway():
		d.takeOver(now)
	}
	if d.m.Due() <= now && d.takeUp.block == nil {
		d.add(func(m *machine.Machine) error { return m.Fire(now) })
	}
	err = d.commit(ctx, nil)
	if errors.Is(err, errOver) { // somebody ended the run meanwhile
		return d.found(ctx)
	}
	if err != nil {
		d.rt.lease.doubt(d.id)
		return d.rt.storeError(d.id, err)
	}
	return nil
}

// readAdmitted reads the journal of a run that nobody else drives. Where somebody wrote after the row was read, it looks
// again who drives: the row says so for its own head only (law J10).
func (d *drive) readAdmitted(ctx context.Context) error {
	for {
		info, err := d.rt.Info(ctx, d.id)
		if err != nil {
			return err
		}
		if err := d.rt.lease.admits(ctx, &info); err != nil {
			return err
		}
		if info.Driver != "" && info.Driver == d.rt.lease.driver {
			d.rt.lease.unname(d.id)
		}
		if d.row = info; d.takeUp.was == "" {
			d.takeUp.was = info.Driver
		}
		d.follow()
		if _, err := d.read(ctx, math.MaxUint64); err != nil {
			return err
		}
		switch head := d.m.Head(); {
		case head == info.Head:
			return nil
		case head < info.Head:
			return d.rt.storeError(d.id, &journal.StoreError{
				Op: "replay", Run: d.id, Seq: head + 1,
				Err: fmt.Errorf("%w: the journal ends here, its head is %d", journal.ErrCorrupt, info.Head),
			})
		}
	}
}

// found takes the result of a run that has ended from the store: there is nothing to drive.
func (d *drive) found(ctx context.Context) (err error) {
	d.idle = true
	d.queue.clear()
	d.result, err = d.rt.Result(ctx, d.id, d.plan)
	return err
}

// read folds the stored journal into a new machine, finds the values that are referred to, and returns the entries
// after the given seq.
func (d *drive) read(ctx context.Context, after uint64) ([]journal.Entry, error) {
	d.m = machine.New(d.plan)
	d.vals = values{}
	var news []journal.Entry
	for e, err := range d.rt.store.Read(ctx, d.id, 0) {
		if err != nil {
			return nil, d.rt.storeError(d.id, err)
		}
		if err := d.m.Apply(&e); err != nil {
			return nil, d.rt.replayError(d.id, e.Seq, err)
		}
		d.vals.note(&e)
		d.recall(&e)
		if e.Seq > after {
			news = append(news, e)
		}
	}
	for _, ref := range d.m.Refs() {
		data, err := d.vals.whole(ref)
		if err != nil {
			return nil, d.rt.replayError(d.id, ref, err)
		}
		d.vals.add(cell{ref: ref, data: data})
	}
	d.vals.links = nil
	d.m.Closed()
	d.row.Head = d.m.Head()
	return news, nil
}

// reload brings a value back that is not in memory any more.
func (d *drive) reload(ref uint64) error {
	var stored values
	for e, err := range d.rt.store.Read(context.WithoutCancel(d.ctx), d.id, 0) {
		if err != nil {
			return err
		}
		stored.note(&e)
	}
	for i := range d.unstored {
		stored.note(&d.unstored[i])
	}
	data, err := stored.whole(ref)
	if err != nil {
		return err
	}
	d.vals.put(ref, nil, nil)
	d.vals.find(ref).data = data
	return nil
}

func (d *drive) planChanged(reason string) error {
	diff, hint := "the outline of the plan it was started on is not in the store", ""
	if _, was, err := d.rt.Definition(context.Background(), outlineID(d.m.Started().Fingerprint)); err == nil {
		if changes, err := plan.Diff(was, d.plan.Outline()); err == nil {
			diff, hint = changes.String(), renamed(changes)
		}
	}
	return &Error{Code: CodePlanChanged, Run: d.id, Err: &PlanChangedError{Reason: reason, Diff: diff, Hint: hint}}
}

// rebase reads what others wrote since this drive last wrote. Answers, claims and a cancellation are folded in; when
// another process drives the run, this one has lost it (law J3).
func (d *drive) rebase(ctx context.Context, busy []machine.Handed) error {
	head, kept := d.row.Head, d.vals
	if len(d.unstored) > 0 { // and what is lost may have taken the values of what is not
		clear(d.unstored)
		d.unstored, kept = d.unstored[:0], values{}
	}
	news, err := d.read(ctx, head)
	if err != nil {
		return err
	}
	if len(news) == 0 {
		return fmt.Errorf("%w, and nothing was written", ErrConflict)
	}
	if err := notDriven(news); err != nil {
		return err
	}
	for i := range d.vals.cells {
		if c := kept.find(d.vals.cells[i].ref); c != nil {
			d.vals.cells[i] = *c
		}
	}
	if err := d.tookIn(ctx, news); err != nil {
		return err
	}
	if err := d.holdBackAgain(); err != nil {
		return err
	}
	d.m.SetBusy(busy)
	var left []machine.Start
	for _, s := range d.queue.list[d.queue.at:] {
		if s.Task != nil {
			s.Task = d.m.ByID(s.Task.ID)
		}
		if s.Leaf != nil {
			s.Leaf = d.m.ByID(s.Leaf.ID)
		}
		if s.Task == nil && s.Join == nil || s.Do == machine.Fail && s.Leaf == nil {
			continue // it is gone
		}
		left = append(left, s)
	}
	d.queue.clear()
	d.queue.push(left)
	return nil
}

// notDriven checks that what others have written is no driver's work (law J3).
func notDriven(news []journal.Entry) error {
	for i := range news {
		switch news[i].Kind {
		case journal.InterruptUpdated, journal.InterruptResolved, journal.RunFinished:
		default:
			return fmt.Errorf("%w: another process drives the run (%s, seq %d)", ErrConflict, news[i].Kind, news[i].Seq)
		}
	}
	return nil
}

// catchUpLive folds what others have written while tasks are at work: an answer lets another branch go on (law H3).
func (d *drive) catchUpLive() error {
	d.crew.poked = false
	ctx := context.WithoutCancel(d.ctx) // that driving stops, or the run's limit of time comes, is no failure of the store
	var news []journal.Entry
	for e, err := range d.rt.store.Read(ctx, d.id, d.row.Head) {
		if err != nil {
			return d.rt.storeError(d.id, err)
		}
		news = append(news, e)
	}
	if len(news) == 0 {
		return nil
	}
	if err := notDriven(news); err != nil {
		return err
	}
	if len(d.takeUp.heldBack) > 0 { // the machine is ahead of what is stored
		if err := d.rebase(ctx, d.busy(nil)); err != nil {
			return err
		}
		return d.commit(ctx, nil)
	}
	for i := range news {
		if err := d.m.Apply(&news[i]); err != nil {
			return d.rt.replayError(d.id, news[i].Seq, err)
		}
		d.recall(&news[i])
	}
	d.m.Closed()
	if err := d.tookIn(ctx, news); err != nil {
		return err
	}
	return d.commit(ctx, nil)
}

// tookIn shows what others have written and the machine has folded; errOver where that is the end of the run.
func (d *drive) tookIn(ctx context.Context, news []journal.Entry) error {
	d.live.publish(d, news)
	if info, err := d.rt.Info(ctx, d.id); err == nil {
		d.row = info
	}
	d.row.Head = d.m.Head()
	if Status(d.m.Status()).Ended() {
		return errOver
	}
	return nil
}

// keepOutline stores what the plan's fingerprint covers, once, for a diff of plans later (law J8).
func (d *drive) keepOutline(ctx context.Context) error {
	if d.none {
		return nil
	}
	fingerprint := d.plan.Fingerprint()
	d.rt.mu.Lock()
	known := d.rt.kept[fingerprint]
	d.rt.mu.Unlock()
	if known {
		return nil
	}
	if err := d.rt.saveText(ctx, outlineID(fingerprint), outlineKind, d.plan.Outline()); err != nil {
		return err
	}
	d.rt.mu.Lock()
	d.rt.kept[fingerprint] = true
	d.rt.mu.Unlock()
	return nil
}

// outlineID names the journal that holds the outline of the plan with the given fingerprint.
func outlineID(fingerprint string) string { return "plan_" + fingerprint }

// outlineKind is the kind of those texts.
const outlineKind = "outline"
