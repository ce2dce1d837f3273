package storage

import (
	"context"
	"errors"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// OutlinePrefix begins the id of every journal that holds an outline.
const OutlinePrefix = "plan_"

// OutlineID returns the id of the journal that holds a plan's outline.
func OutlineID(fingerprint string) string { return OutlinePrefix + fingerprint }

// BlockTimer is the id of the timer at which a blocked run is tried again.
const BlockTimer = "blocked"

// Undoes reports whether a run may have something to undo where it ends without success (law F10). Its plan's outline says
// so, which is in the store: this process need not know the plan.
func (s *Storage) Undoes(ctx context.Context, row *runtype.RunInfo) (bool, error) {
	_, outline, err := s.Definition(ctx, OutlineID(row.Fingerprint))
	if errors.Is(err, runtype.ErrNotFound) { // of a run from before plans had outlines
		return false, nil
	}
	return err == nil && plan.OutlineUndoes(outline), err
}

// IsUndoing reports whether a run undoes what it has done (law F10). Nothing ends such a run another way.
func (s *Storage) IsUndoing(ctx context.Context, row *runtype.RunInfo) (bool, error) {
	var is machine.Holding
	for e, err := range s.Store.Read(ctx, row.ID, 0) {
		if err == nil && e.Seq <= row.Head {
			err = is.Note(&e)
		}
		if err != nil {
			return false, s.StoreError(row.ID, err)
		}
	}
	return is.Undoing != "", nil
}

// BeforeUndo removes the timers that mean nothing in a run which undoes what it has done.
func BeforeUndo(row *runtype.RunInfo) []journal.Timer {
	return []journal.Timer{{Run: row.ID, ID: UntilTimer, Done: true}, {Run: row.ID, ID: BlockTimer, Done: true}}
}
