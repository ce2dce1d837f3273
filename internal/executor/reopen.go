package executor

import (
	"context"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Reopen makes, of a zero execution, one that continues a paused one. That must not be used any more.
func (v *Env) Reopen(x, was *Execution) {
	v.Open(x, &was.State)
	x.Tokens = nil // they were handed out by the execution that asked (law H5)
	if x.follower = was.follower; x.follower != nil {
		x.Seen = x.recall
	}
}

// Answer records changes of questions of a paused run, and what follows from them, in one append.
// So an answered run is never without an owner here. After an error the machine may be ahead of the store: the execution
// must not be used.
func (x *Execution) Answer(ctx context.Context, changes []question.Change) error {
	x.env.Leases.KeepAlive(ctx)
	for _, c := range changes {
		if err := x.Machine.Amend(c.Entry, c.Body); err != nil {
			return x.ReplayError(x.ID, x.Machine.Head()+1, err)
		}
	}
	x.now = x.Now()
	work, err := x.next()
	if err != nil {
		return err
	}
	if err := x.append(ctx, work.Append); err != nil {
		return err
	}
	x.Continue(work)
	return nil
}

// Open reads the journal of a paused run, given its row. It fails if another process has written to the run since, or
// if the plan does not fit the run as it is (law J8).
func (x *Execution) Open(ctx context.Context, row *runtype.RunInfo) error {
	done, err := x.readAt(ctx, *row)
	if err == nil && !done {
		err = runtype.ErrConflict
	}
	if err != nil {
		return err
	}
	how, err := x.FitsDeclared(ctx, journal.ResumedBody{})
	if err == nil && how.Reason != "" { // it would have to be migrated
		err = runtype.ErrPlanChanged
	}
	return err
}
