package storage

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
	"github.com/google/uuid"
)

// Storage is the store of a runtime with its clock, log and options.
type Storage struct {
	Options runtype.Options // of the runtime
	Store   journal.Store   // guarded: a panic is an error
	Log     *slog.Logger    // for operators
	Clock   runtype.Clock   // stamps entries (law J12)
}

// MaxValue returns the size limit of one value, in bytes of JSON.
func (s *Storage) MaxValue() int { return runtype.ValueLimit(&s.Options) }

// Info returns the row of a run.
func (s *Storage) Info(ctx context.Context, id string) (runtype.RunInfo, error) {
	rows, err := s.Store.Runs(ctx, journal.RunFilter{ID: id})
	if err != nil {
		return runtype.RunInfo{}, s.StoreError(id, err)
	}
	if len(rows) == 0 {
		return runtype.RunInfo{}, &runtype.Error{Code: runtype.CodeNotFound, Run: id, Err: runtype.ErrNotFound}
	}
	return rows[0], nil
}

// Runs lists runs, newest first.
func (s *Storage) Runs(ctx context.Context, f journal.RunFilter) ([]runtype.RunInfo, error) {
	rows, err := s.Store.Runs(ctx, f)
	if err != nil {
		return nil, s.StoreError("", err)
	}
	return rows, nil
}

// StoreError gives an error of the store its code and its run. An error that has a code is returned as it is.
func (s *Storage) StoreError(run string, err error) error {
	var known *runtype.Error
	var held *journal.HeldError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.As(err, &held):
		return &runtype.Error{Code: runtype.CodeConflict, Run: run, Err: &runtype.DuplicateError{Key: held.Key, Run: held.Run}}
	case errors.Is(err, runtype.ErrConflict):
		return &runtype.Error{Code: runtype.CodeConflict, Run: run, Err: err}
	case errors.Is(err, journal.ErrNotFound):
		return &runtype.Error{Code: runtype.CodeNotFound, Run: run, Err: err}
	}
	return &runtype.Error{Code: runtype.CodeStore, Run: run, Err: err}
}

// NewID returns an id that sorts by the time it was made.
func NewID(prefix string) string {
	id, err := uuid.NewV7()
	if err != nil { // only without a source of randomness
		panic(err)
	}
	text := append(make([]byte, 0, 64), prefix...)
	for i, part := range [...][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, part)
	}
	return string(text)
}

// Interrupts lists the stored interrupts.
func (s *Storage) Interrupts(ctx context.Context, f journal.InboxFilter) ([]runtype.Interrupt, error) {
	found, err := s.Store.Inbox(ctx, f)
	if err != nil {
		return nil, s.StoreError(f.Run, err)
	}
	list := make([]runtype.Interrupt, len(found))
	for i, q := range found {
		list[i] = runtype.Interrupt{Interrupt: q}
	}
	return list, nil
}

// IsTransient reports whether err is a failure of the store that a retry may cure.
func IsTransient(err error) bool {
	at, ok := errors.AsType[*journal.StoreError](err)
	if !ok || at.Op == "replay" { // stored data does not fit
		return false
	}
	final := []error{
		journal.ErrConflict, journal.ErrNotFound, journal.ErrCorrupt, journal.ErrNewer, journal.ErrClosed, journal.ErrRefused, journal.ErrSealed,
		context.Canceled,
	}
	return !slices.ContainsFunc(final, func(is error) bool { return errors.Is(err, is) })
}

// FindPlan calls the program's function for plans, which may panic (law N7).
func FindPlan(ctx context.Context, plans func(context.Context, runtype.RunInfo) (*plan.Plan, error), info runtype.RunInfo) (p *plan.Plan, err error) {
	err = guard.Call(func() error { p, err = plans(ctx, info); return err })
	return p, err
}

// Damaged reports that the value of an entry cannot be read (law J6).
func Damaged(seq uint64, err error) error {
	return &journal.StoreError{Op: "replay", Seq: seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err)}
}

// ReplayError adds the run to an error from reading its journal.
func (s *Storage) ReplayError(run string, seq uint64, err error) error {
	if damage, ok := errors.AsType[*journal.StoreError](err); ok {
		damage.Run = run
		return s.StoreError(run, damage)
	}
	return s.StoreError(run, &journal.StoreError{Op: "replay", Run: run, Seq: seq, Err: err})
}
