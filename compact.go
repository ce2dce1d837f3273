package fermata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// CompactOptions say which runs are compacted. The zero value compacts every run that is not running.
type CompactOptions struct {
	// Run compacts the run with this id, whatever else is said here. Defaults to all runs that the others select.
	Run string
	// Before spares runs of which something was written at this time or later. Defaults to sparing none.
	Before time.Time
	// Statuses are those of the runs that are compacted. Defaults to all but Running: those would soon have to be
	// compacted again.
	Statuses []Status
	// Plan compacts only runs of the plan with this name. Defaults to all.
	Plan string
}

// Compacted is a run that Compact has looked at.
type Compacted struct {
	Run                RunInfo
	journal.Compaction // After is Before where there was nothing to pack
}

// Compact packs the journals of runs, so that they take less space. Nothing is lost and nothing changes: events, the
// trace, resuming, retrying, forking and comparing are as before (laws E1, J6, J9). A run may be driven meanwhile, here
// or by another process, and goes on behind what is packed.
//
// A store that cannot compact is errors.ErrUnsupported; the one in memory is such a store. When Compact fails, what it
// returns is what it has done before; called again, it goes on.
func (rt *Runtime) Compact(ctx context.Context, o CompactOptions) ([]Compacted, error) {
	if err := checkStatuses("compact", "of runs", o.Statuses, []Status{Running, Paused, Completed, Failed, Cancelled, Expired, Stuck}); err != nil {
		return nil, &Error{Code: CodeInvalid, Err: err}
	}
	store, ok := can[journal.Compactor](rt.store)
	if !ok {
		err := fmt.Errorf("compact: %w: the store (%T) is no journal.Compactor; the one in journal/sqlite is", errors.ErrUnsupported, unguarded(rt.store))
		return nil, &Error{Code: CodeInvalid, Err: err}
	}
	var rows []RunInfo
	var err error
	if o.Run != "" {
		rows = make([]RunInfo, 1)
		rows[0], err = rt.Info(ctx, o.Run)
	} else if rows, err = rt.Runs(ctx, journal.RunFilter{Plan: o.Plan}); err == nil {
		rows = slices.DeleteFunc(rows, func(r RunInfo) bool { return !o.means(&r) })
	}
	if err != nil {
		return nil, err
	}
	done := make([]Compacted, 0, len(rows))
	for _, row := range rows {
		did, err := store.Compact(ctx, row.ID)
		if errors.Is(err, ErrNotFound) && o.Run == "" {
			continue // somebody has deleted it
		}
		if err != nil {
			return done, rt.storeError(row.ID, err)
		}
		done = append(done, Compacted{row, did})
	}
	return done, nil
}

// means reports whether a run of the plan is one of those that are compacted.
func (o *CompactOptions) means(r *RunInfo) bool {
	status := Status(r.Status)
	return (len(o.Statuses) > 0 && slices.Contains(o.Statuses, status) || len(o.Statuses) == 0 && status != Running) &&
		(o.Before.IsZero() || r.Updated < o.Before.UnixMicro())
}
