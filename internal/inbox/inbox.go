package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Waker resumes runs and notifies their readers after something was recorded.
type Waker interface {
	// WillWake announces a Wake until done is called.
	WillWake(run string) (done func())
	// RunAsking returns the run of an open interrupt if this process keeps it in memory; "" otherwise.
	RunAsking(interrupt string) (run string)
	// AnswerPaused records entries about questions of a paused run and resumes it, in one append. It is not done if
	// this process does not know the run's plan, if there are no changes, or if there is another writer.
	AnswerPaused(ctx context.Context, run string, answers func(open []journal.Interrupt) []question.Change) (done bool, err error)
	// Wake resumes a run if this process knows its plan.
	Wake(run string)
	// Notify notifies those who wait for a change of a run.
	Notify(run string)
	// Cancelled stops the execution of a run whose cancellation is recorded.
	Cancelled(run string)
}

// Inbox checks actions of people on questions, and appends them to the runs' journals.
type Inbox struct {
	*storage.Storage
	*question.Schemas
	Waker  Waker // resumes runs
	Leased bool  // runs have owners: an answered run without one here is left to a worker (law J10)
}

// Inbox lists interrupts, the oldest first. A zero filter selects open and claimed ones.
func (in *Inbox) Inbox(ctx context.Context, f journal.InboxFilter) ([]runtype.Interrupt, error) {
	return in.Interrupts(ctx, f)
}

// Answer closes an interrupt. It checks the person and the value, and commits the answer in one append (law H2). The
// value is anything that encoding/json writes. Then the run is resumed, unless Hold is given or the runtime does not
// know its plan.
//
// An answer that does not fit leaves the interrupt open (CodeInvalid, with a *schema.Error). The same answer
// again is accepted and has no effect. A different one is CodeConflict, a late one CodeExpired, a wrong role or
// token CodeForbidden.
func (in *Inbox) Answer(ctx context.Context, interrupt string, value any, opts ...runtype.AnswerOption) error {
	o := runtype.OptionsOf(opts)
	answer, err := question.ToJSON(value, in.MaxValue())
	if err == nil {
		err = sayable(o)
	}
	if err != nil {
		return notAnAnswer(interrupt, err)
	}
	return in.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) (question.Change, error) {
		return in.resolve(ctx, q, answer, o, now, before)
	}, !o.Hold)
}

func notAnAnswer(interrupt string, err error) error {
	return &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf("interrupt %s: %w", interrupt, err)}
}

// resolve returns the change of an answer; none if it was given before.
func (in *Inbox) resolve(
	ctx context.Context, q *journal.Interrupt, answer []byte, o *runtype.AnswerOptions, now int64, before []journal.Interrupt,
) (none question.Change, err error) {
	if _, err := in.admit(ctx, q, question.Answer, o, now, before); err != nil {
		return none, err
	}
	switch q.State {
	case journal.Answered:
		if question.SameJSON(q.Answer, answer) {
			return none, nil
		}
		return none, &runtype.Error{
			Code: runtype.CodeConflict, Run: q.Run, Task: q.Task,
			Err: fmt.Errorf("%w: interrupt %s, by %s", runtype.ErrAnswered, q.ID, question.NameOr(q.AnsweredBy)),
		}
	case journal.Expired:
		return none, &runtype.Error{Code: runtype.CodeExpired, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s: %w", q.ID, runtype.ErrExpired)}
	case journal.Withdrawn:
		return none, &runtype.Error{
			Code: runtype.CodeConflict, Run: q.Run, Task: q.Task,
			Err: fmt.Errorf("interrupt %s: %w", q.ID, node.ErrWithdrawn),
		}
	}
	taken, err := in.Taken(q.ResponseSchema, answer)
	if err != nil {
		return none, &runtype.Error{Code: runtype.CodeInvalid, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s: %w: %w", q.ID, runtype.ErrInvalid, err)}
	}
	body := &journal.ResolvedBody{State: journal.Answered, By: o.By, ByName: o.Name, Role: o.RoleFor(q), Reason: o.Note}
	body.Resolve(q, taken, now)
	c := question.ChangeOf(q, journal.InterruptResolved, now, body)
	c.Entry.Value = taken
	return c, nil
}

// Claim reserves an open interrupt for one person. Until it is released, only they can answer or reassign it.
// Claiming it again is no error.
func (in *Inbox) Claim(ctx context.Context, interrupt, by, role string, opts ...runtype.AnswerOption) error {
	o := runtype.OptionsOf(opts, runtype.AsPerson(by), runtype.AsRole(role))
	if question.IsNobody(o.By) {
		return &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf("interrupt %s: a claim needs a name", interrupt)}
	}
	if err := sayable(o); err != nil {
		return notAnAnswer(interrupt, err)
	}
	return in.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) (none question.Change, err error) {
		if _, err := in.admit(ctx, q, question.Claim, o, now, before); err != nil {
			return none, err
		}
		switch q.State {
		case journal.Claimed:
			return none, nil
		case journal.Open:
		default:
			return none, &runtype.Error{Code: runtype.CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		body := &journal.UpdatedBody{Do: "claim", By: o.By, ByName: o.Name, Note: o.Note}
		body.Update(q)
		return question.ChangeOf(q, journal.InterruptUpdated, now, body), nil
	}, false)
}

// Release gives up a claim. Only the claimer may, or a person in the override role ([AsRole], see node.Override).
func (in *Inbox) Release(ctx context.Context, interrupt, by string, opts ...runtype.AnswerOption) error {
	o := runtype.OptionsOf(opts, runtype.AsPerson(by))
	if err := sayable(o); err != nil {
		return notAnAnswer(interrupt, err)
	}
	return in.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) (none question.Change, err error) {
		switch q.State {
		case journal.Open:
			return none, nil
		case journal.Claimed:
		default:
			return none, &runtype.Error{Code: runtype.CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		over, err := in.admit(ctx, q, question.Release, o, now, before)
		if err != nil {
			return none, err
		}
		body := &journal.UpdatedBody{Do: "release", By: o.By, ByName: o.Name, Override: over, Note: o.Note}
		body.Update(q)
		return question.ChangeOf(q, journal.InterruptUpdated, now, body), nil
	}, false)
}

func (in *Inbox) interrupt(ctx context.Context, id string) (journal.Interrupt, error) {
	found, err := in.Store.Inbox(ctx, journal.InboxFilter{ID: id, All: true})
	if err != nil {
		return journal.Interrupt{}, in.StoreError("", err)
	}
	if len(found) == 0 {
		return journal.Interrupt{}, &runtype.Error{Code: runtype.CodeNotFound, Err: fmt.Errorf("%w: interrupt %s", errNoInterrupt, id)}
	}
	return found[0], nil
}

var errNoInterrupt = errors.New("no such interrupt")

// Cancel ends a run, whichever process owns it (law F3). Open questions are withdrawn and tasks are asked to
// stop; later results are dropped. A run that has ended is CodeConflict. A run whose plan can undo what it has done does
// that first, and to cancel it again changes nothing (law F10).
func (in *Inbox) Cancel(ctx context.Context, id, reason, by string) error {
	return in.CancelIf(ctx, id, reason, by, nil)
}

// CancelIf is Cancel for a run that has one of some statuses at that moment; nil for any.
func (in *Inbox) CancelIf(ctx context.Context, id, reason, by string, statuses []string) error {
	if err := printable.Check("who cancels the run", by); err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: id, Err: err}
	}
	if found, limit := len(reason)+len(by), in.MaxValue(); found > limit {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: id, Err: fmt.Errorf("reason: %w", runtype.NotStorable(&canonical.Excess{Limit: limit, Found: found}))}
	}
	for {
		row, err := in.Info(ctx, id)
		if err != nil {
			return err
		}
		if runtype.Status(row.Status).Ended() {
			return &runtype.Error{Code: runtype.CodeConflict, Run: id, Err: runtype.Conflict("the run is " + row.Status + " already")}
		}
		if statuses != nil && !slices.Contains(statuses, row.Status) {
			return runtype.NoLonger(&row, statuses)
		}
		if late := in.Late(ctx, &row, in.Now()); late != nil {
			return late
		}
		open, err := in.Store.Inbox(ctx, journal.InboxFilter{Run: id})
		if err != nil {
			return in.StoreError(id, err)
		}
		undoes, err := in.Undoes(ctx, &row)
		if err != nil {
			return err
		}
		if undoes {
			if already, err := in.IsUndoing(ctx, &row); already || err != nil {
				return err
			}
		}
		b, err := in.cancelBatch(row, open, reason, by, undoes)
		if err != nil {
			return err
		}
		if again, err := in.append(ctx, &row, &b); err != nil {
			return err
		} else if again {
			continue
		}
		if undoes {
			in.Waker.Wake(id)
		} else {
			in.Waker.Cancelled(id)
		}
		return nil
	}
}

func (in *Inbox) cancelBatch(row runtype.RunInfo, open []journal.Interrupt, reason, by string, undoes bool) (journal.Batch, error) {
	b := journal.Batch{Run: row.ID, After: row.Head}
	finished := journal.FinishedBody{Status: string(runtype.Cancelled), Reason: reason, By: by}
	body, err := json.Marshal(finished)
	if err != nil {
		return b, err
	}
	end := journal.Entry{Kind: journal.RunFinished, Body: body}
	if row.Status, row.Error = finished.Status, reason; undoes {
		end.Kind = journal.RunUndoing
		b.Timers = storage.BeforeUndo(&row)
		row.Status, row.Error = string(runtype.Running), machine.UndoText(&finished)
	}
	question.End(&b, &row, open, in.Now(), end, by, reason)
	return b, nil
}
