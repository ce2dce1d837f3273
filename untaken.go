package fermata

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata/journal"
)

const (
	// othersFirst is how long a run that a worker cannot drive is left to others before its row says why.
	othersFirst = 2 * time.Second
	// reasonHolds is how long a worker believes that the reasons of others on a row still hold. Then it writes its own alone,
	// and those who are still there add theirs.
	reasonHolds = time.Hour
	// mostReasons is how many bytes of reasons a row has at most.
	mostReasons = 1000
)

// said is the reason that a worker has written on the row of a run.
type said struct {
	text  string
	since time.Time
}

// leave leaves a run to others that this worker has no plan for, or not what the plan needs. Where nobody has taken it
// for a while, its row says why not; the journal does not grow.
func (w *worker) leave(ctx context.Context, row RunInfo, why error) {
	switch {
	case mends(why):
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

// explain has the row of a run say why this worker does not drive it.
func (w *worker) explain(ctx context.Context, row RunInfo, why error) {
	reason := "worker " + w.rt.options.Name + ": " + why.Error()
	if w.rt.options.Name == "" {
		reason = why.Error()
	}
	before := w.said[row.ID]
	if before.text == reason && strings.Contains(row.Error, reason) {
		return
	}
	w.rt.log.Warn("a run that nobody drives is left to other workers", "run", row.ID, "why", why)
	if err := w.rt.explain(ctx, row, func(reasons string) string { return withReason(reasons, before.text, reason) }); err != nil {
		w.rt.log.Warn("why a run is not taken could not be recorded", "run", row.ID, "error", err)
		return
	}
	if before.since.IsZero() {
		before.since = time.Now()
	}
	w.said[row.ID] = said{reason, before.since}
}

// withReason adds a worker's reason to those of others. A worker that has said none yet begins anew: who is gone, or was mended,
// says nothing any more, and all others soon come by. So workers that lack different things do not take turns.
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

// explain writes on a run's row why nobody has taken it. Whoever was its driver stays that: whether that one was lost counts for
// who takes it (law J11). Where somebody else has claimed the run meanwhile, nothing is written (law J10).
func (rt *Runtime) explain(ctx context.Context, was RunInfo, reasons func(before string) string) error {
	for {
		row, err := rt.Info(ctx, was.ID)
		if err != nil || !row.Wanted() || row.Driver != "" && row.Driver != was.Driver {
			return err
		}
		driver, before := row.Driver, row.Error
		if row.Error = reasons(before); row.Error == before {
			return nil
		}
		err = rt.store.Append(ctx, journal.Batch{Run: row.ID, After: row.Head, Row: &row, Driver: &driver})
		if !errors.Is(err, journal.ErrConflict) {
			return err
		}
	}
}
