package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// CompactOptions select the runs to compact. The zero value compacts every run that is not running.
type CompactOptions struct {
	// Run compacts the run with this id, regardless of the other options. Defaults to all selected runs.
	Run string
	// Before spares runs that were written to at this time or later. Defaults to none.
	Before time.Time
	// Statuses are the statuses of runs to compact. Defaults to all but Running: those would soon need it
	// again.
	Statuses []runtype.Status
	// Plan limits compaction to runs of the plan with this name. Defaults to all.
	Plan string
}

// Compacted reports what Compact did to one run.
type Compacted struct {
	Run                runtype.RunInfo // its row
	journal.Compaction                 // After equals Before if there was nothing to pack
}

// Compact packs the journals of runs, so that they take less space. Nothing is lost: events, traces, resuming,
// retrying, forking and comparing work as before (laws E1, J6, J9). Runs may be executed meanwhile, by any
// process.
//
// A store that cannot compact returns errors.ErrUnsupported; the one in memory is such a store. If Compact
// fails, it returns the work done so far; a second call goes on.
func (h *History) Compact(ctx context.Context, o CompactOptions) ([]Compacted, error) {
	if err := checkStatuses("compact", "of runs", o.Statuses, []runtype.Status{runtype.Running, runtype.Paused, runtype.Completed, runtype.Failed, runtype.Cancelled, runtype.Expired, runtype.Stuck}); err != nil {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	store, ok := storage.Capability[journal.Compactor](h.Store)
	if !ok {
		err := fmt.Errorf("compact: %w: the store (%T) is no journal.Compactor; the one in journal/sqlite is", errors.ErrUnsupported, storage.Unguarded(h.Store))
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	var rows []runtype.RunInfo
	var err error
	if o.Run != "" {
		rows = make([]runtype.RunInfo, 1)
		rows[0], err = h.Info(ctx, o.Run)
	} else if rows, err = h.Runs(ctx, journal.RunFilter{Plan: o.Plan}); err == nil {
		rows = slices.DeleteFunc(rows, func(r runtype.RunInfo) bool { return !o.means(&r) })
	}
	if err != nil {
		return nil, err
	}
	done := make([]Compacted, 0, len(rows))
	for _, row := range rows {
		did, err := store.Compact(ctx, row.ID)
		if errors.Is(err, runtype.ErrNotFound) && o.Run == "" {
			continue // deleted meanwhile
		}
		if err != nil {
			return done, h.StoreError(row.ID, err)
		}
		done = append(done, Compacted{row, did})
	}
	return done, nil
}

// means reports whether a run is selected for compaction.
func (o *CompactOptions) means(r *runtype.RunInfo) bool {
	status := runtype.Status(r.Status)
	return (len(o.Statuses) > 0 && slices.Contains(o.Statuses, status) || len(o.Statuses) == 0 && status != runtype.Running) &&
		(o.Before.IsZero() || r.Updated < o.Before.UnixMicro())
}
