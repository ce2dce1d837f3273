package storage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Record stores what happened to a run outside of its execution, and shows it. Again reports that another process was faster
// (law J3): the batch does not fit the run any more.
func (s *Storage) Record(ctx context.Context, row *journal.RunRow, b *journal.Batch) (again bool, err error) {
	began := time.Now()
	if err = s.StampAfter(ctx, b); err == nil {
		err = s.Store.Append(ctx, *b)
	}
	if errors.Is(err, journal.ErrConflict) && ctx.Err() == nil {
		return true, nil
	}
	if err != nil {
		return false, s.StoreError(row.ID, err)
	}
	if len(b.Entries) > 0 { // a row may change alone
		s.Witness(ctx, *row, b.Entries, began)
	}
	return false, nil
}

// Witness shows entries of a run that is not executed here to the observer and the log. A follower new to the
// run is given its journal first.
func (s *Storage) Witness(ctx context.Context, run runtype.RunInfo, entries []journal.Entry, began time.Time) {
	took := time.Since(began)
	LogStored(s.Options.Logger, run.ID, run.Plan, entries)
	if s.Options.Observer == nil {
		return
	}
	f := Follow(s.Options.Observer, s.Log, run)
	if f == nil {
		return
	}
	first := entries[0].Seq
	for e, err := range s.Store.Read(context.WithoutCancel(ctx), run.ID, 0) {
		if err != nil && !errors.Is(err, journal.ErrNotFound) {
			s.Log.Warn("reading a run's journal for its observer failed", "run", run.ID, "error", err)
		}
		if err != nil || e.Seq >= first {
			break
		}
		f.Recall(&e)
	}
	f.Stored(entries, took)
}

// Follow asks an observer for a follower; nil if the call fails.
func Follow(o runtype.Observer, log *slog.Logger, run runtype.RunInfo) (f runtype.Follower) {
	guard.CallLogged(log, "Observer.Follow", run.ID, func() {
		if made := o.Follow(run); made != nil {
			f = &guarded{made, log, run.ID}
		}
	})
	return f
}

// guarded is a follower whose methods may panic: an observer cannot fail a run (law N7).
type guarded struct {
	follower runtype.Follower // the program's
	log      *slog.Logger     // for failures
	run      string           // its id, for the log
}

// Recall implements Follower.
func (g *guarded) Recall(e *journal.Entry) {
	guard.CallLogged(g.log, "Follower.Recall", g.run, func() { g.follower.Recall(e) })
}

// Stored implements Follower.
func (g *guarded) Stored(entries []journal.Entry, took time.Duration) {
	guard.CallLogged(g.log, "Follower.Stored", g.run, func() { g.follower.Stored(entries, took) })
}

// Context implements Follower.
func (g *guarded) Context(ctx context.Context, s runtype.Scope) (within context.Context) {
	guard.CallLogged(g.log, "Follower.Context", g.run, func() { within = g.follower.Context(ctx, s) })
	if within == nil {
		return ctx
	}
	return within
}
