package fleet

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// watchDeadline sets a timer for the deadline of a run.
func (f *Fleet) watchDeadline(s *runstate.State) {
	if until := s.Machine.Until(); until != 0 && !s.Unstored {
		f.timers.set(until)
	}
}

// expire ends a run whose deadline has passed (law F9). It needs neither the run's plan nor a lease: the fence decides
// who is first (law J3), and another process that executes the run finds it ended. One that is executed here ends itself.
func (f *Fleet) expire(ctx context.Context, run string) error {
	if !f.isIdle(run) {
		return nil
	}
	defer f.Notify(run)
	for {
		row, err := f.Info(ctx, run)
		if errors.Is(err, runtype.ErrNotFound) || err == nil && row.Ended() {
			return nil
		}
		if err != nil {
			return err
		}
		until, err := f.Deadline(ctx, run)
		if err != nil {
			return err
		}
		now := f.Now()
		if until == 0 || until > now { // a retry has a new one
			return nil
		}
		open, err := f.Store.Inbox(ctx, journal.InboxFilter{Run: run})
		if err != nil {
			return f.StoreError(run, err)
		}
		finished := machine.PastDeadline(until)
		body, err := json.Marshal(finished)
		if err != nil {
			return err
		}
		undoes, err := f.Undoes(ctx, &row)
		if err != nil {
			return err
		}
		if undoes {
			if already, err := f.IsUndoing(ctx, &row); already || err != nil {
				return err
			}
		}
		b, end := journal.Batch{Run: run, After: row.Head}, journal.Entry{Kind: journal.RunFinished, Body: body}
		if row.Status, row.Error = finished.Status, finished.Error; undoes {
			end.Kind = journal.RunUndoing
			b.Timers = storage.BeforeUndo(&row)
			row.Status, row.Error = machine.Running, machine.UndoText(&finished)
		}
		question.End(&b, &row, open, now, end, "", "")
		switch again, err := f.Record(ctx, &row, &b); {
		case again:
			continue
		case err == nil && undoes:
			f.Wake(run)
		}
		return err
	}
}
