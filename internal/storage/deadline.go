package storage

import (
	"context"
	"encoding/json"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// UntilTimer is the id of the timer at which a run expires (law F9).
const UntilTimer = "until"

// RetryTimer begins the id of a timer at which a task is tried again; the task follows.
const RetryTimer = "retry "

// overdueGlance is how many due timers overdue reads. Processes fire timers as they become due, so there are hardly any.
const overdueGlance = 64

// overdue returns the deadline of an open run that has passed, in microseconds; 0 for none (law F9). The timer of the deadline is
// in the store until the run ends. Where many timers are due, it reads the run's journal instead.
func (s *Storage) overdue(ctx context.Context, run string, now int64) (until int64, err error) {
	due, err := s.Store.Timers(ctx, now, overdueGlance)
	if err != nil {
		return 0, s.StoreError(run, err)
	}
	for _, t := range due {
		if t.Run == run && t.ID == UntilTimer {
			return t.Due, nil
		}
	}
	if len(due) < overdueGlance {
		return 0, nil
	}
	if until, err = s.Deadline(ctx, run); until > now {
		until = 0
	}
	return until, err
}

// Late returns the refusal of something from outside if the run's deadline has passed (law F9).
// It is the same whether or not a process has ended the run meanwhile.
func (s *Storage) Late(ctx context.Context, row *runtype.RunInfo, now int64) error {
	var until int64
	var err error
	switch {
	case row.Status == string(runtype.Expired):
		until, err = s.Deadline(ctx, row.ID)
	case !row.Ended():
		until, err = s.overdue(ctx, row.ID, now)
	}
	if err != nil || until == 0 || until > now {
		return err
	}
	return runtype.Late(row.ID, until, now)
}

// Deadline reads the deadline of a run from its journal, in microseconds; 0 for none.
func (s *Storage) Deadline(ctx context.Context, run string) (until int64, err error) {
	for e, err := range s.Store.Read(ctx, run, 0) {
		var body struct {
			Until int64 `json:"until"` // of journal.StartedBody and journal.ResumedBody
		}
		switch {
		case err != nil:
			return 0, s.StoreError(run, err)
		case e.Kind != journal.RunStarted && e.Kind != journal.RunResumed || len(e.Body) == 0:
			continue
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return 0, s.StoreError(run, &journal.StoreError{Op: "replay", Run: run, Seq: e.Seq, Err: journal.ErrCorrupt})
		}
		if body.Until != 0 {
			until = body.Until
		}
	}
	return until, nil
}
