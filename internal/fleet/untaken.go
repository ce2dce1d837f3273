package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

const (
	// othersFirst is how long other workers may take a run that this one cannot execute before its row says
	// why.
	othersFirst = 2 * time.Second
	// reasonHolds is how long a worker trusts the reasons of others on a row. Then it writes its own alone, and
	// the others add theirs again.
	reasonHolds = time.Hour
	// mostReasons limits the reasons on a row, in bytes.
	mostReasons = 1000
)

// statedReason is a reason that this worker has written on a run's row.
type statedReason struct {
	text  string    // the reason
	since time.Time // when it was written
}

// leave leaves a run to others because this worker lacks its plan, or a part of it. If nobody takes it, its row
// says why; the journal does not grow.
func (w *worker) leave(ctx context.Context, row runtype.RunInfo, why error) {
	switch {
	case storage.IsTransient(why):
		w.refuse(row, why)
		return
	case w.left[row.ID].IsZero():
		w.left[row.ID] = time.Now()
		w.refused[row.ID] = time.Now().Add(othersFirst)
		return
	}
	delete(w.left, row.ID)
	w.refused[row.ID] = time.Now().Add(refusal)
	if why == nil {
		why = fmt.Errorf("it has no plan %q of this version", row.Plan)
	}
	w.explain(ctx, row, why)
}

// explain writes on a run's row why this worker does not execute it.
func (w *worker) explain(ctx context.Context, row runtype.RunInfo, why error) {
	reason := "worker " + w.rt.Options.Name + ": " + why.Error()
	if w.rt.Options.Name == "" {
		reason = why.Error()
	}
	before := w.reasons[row.ID]
	if before.text == reason && strings.Contains(row.Error, reason) {
		return
	}
	w.rt.Log.Warn("run without an owner left to other workers", "run", row.ID, "why", why)
	if err := w.rt.explain(ctx, row, func(reasons string) string { return withReason(reasons, before.text, reason) }); err != nil {
		w.rt.Log.Warn("recording why a run is not taken failed", "run", row.ID, "error", err)
		return
	}
	if before.since.IsZero() {
		before.since = time.Now()
	}
	w.reasons[row.ID] = statedReason{reason, before.since}
}

// withReason adds a worker's reason to those of others. A worker's first reason replaces all of them: some may
// be outdated, and the other workers add theirs soon. So workers that lack different things do not take turns.
func withReason(reasons, before, reason string) string {
	switch {
	case before == "" || reasons == "":
		return reason
	case strings.Contains(reasons, before):
		return strings.Replace(reasons, before, reason, 1)
	case strings.Contains(reasons, reason) || len(reasons)+len(reason) > mostReasons:
		return reasons
	}
	return reasons + "; " + reason
}

// explain writes on a run's row why nobody has taken it. Its owner stays, since a lost one counts for takeovers
// (law J11). If the run was claimed meanwhile, nothing is written (law J10).
func (f *Fleet) explain(ctx context.Context, was runtype.RunInfo, reasons func(before string) string) error {
	for {
		row, err := f.Info(ctx, was.ID)
		if err != nil || !row.Wanted() || row.Driver != "" && row.Driver != was.Driver {
			return err
		}
		driver, before := row.Driver, row.Error
		if row.Error = reasons(before); row.Error == before {
			return nil
		}
		err = f.Store.Append(ctx, journal.Batch{Run: row.ID, After: row.Head, Row: &row, Driver: &driver})
		if !errors.Is(err, journal.ErrConflict) {
			return err
		}
	}
}
