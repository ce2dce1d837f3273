package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Store is what is read: a part of [journal.Store].
type Store interface {
	Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error]
	Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error)
}

// Options say what is read.
type Options struct {
	// Each is called with every entry after After, in order. Defaults to nobody.
	Each func(*journal.Entry)
	// After is the entry behind which Each is called: no later checkpoint is used. Without Each it does not matter.
	After uint64
	// Whole reads from the first entry, without asking the store for a checkpoint.
	Whole bool
}

// Open reads a run from its last checkpoint, or all of it where that cannot be used. Errors are those of the store, and
// those of entries that do not fit.
func Open(ctx context.Context, store Store, run string, p *plan.Plan, o Options) (*Run, error) {
	if !o.Whole && (o.Each == nil || o.After > 0) {
		if c, err := store.Checkpoint(ctx, run); err == nil && c.Seq > 0 && (o.Each == nil || c.Seq <= o.After) {
			if r, err := fromCheckpoint(ctx, store, run, p, c, o); err == nil {
				return r, nil
			}
		}
	}
	r := New(p)
	if err := r.read(ctx, store, run, o); err != nil {
		return nil, err
	}
	return r, nil
}

// fromCheckpoint reads what is behind a checkpoint. Each is called when all of it fits.
func fromCheckpoint(ctx context.Context, store Store, run string, p *plan.Plan, c journal.Checkpoint, o Options) (*Run, error) {
	r, err := Restore(p, c)
	if err != nil {
		return nil, err
	}
	first := true
	var news []journal.Entry
	for e, err := range store.Read(ctx, run, c.Seq-1) {
		switch {
		case err != nil:
			return nil, err
		case first && (e.Seq != c.Seq || mark(&e) != r.mark):
			return nil, fmt.Errorf("%w: it is of another journal", ErrCheckpoint)
		case first:
			first = false
			continue
		}
		if err := r.Apply(&e); err != nil {
			return nil, err
		}
		if o.Each != nil && e.Seq > o.After {
			news = append(news, e)
		}
	}
	if first {
		return nil, fmt.Errorf("%w: the journal ends before it", ErrCheckpoint)
	}
	if err := r.Forget(); err != nil {
		return nil, err
	}
	for i := range news {
		o.Each(&news[i])
	}
	return r, nil
}

// read reads all of a run.
func (r *Run) read(ctx context.Context, store Store, run string, o Options) error {
	for e, err := range store.Read(ctx, run, 0) {
		if err != nil {
			return err
		}
		if err := r.Apply(&e); err != nil {
			return located(run, e.Seq, err)
		}
		if o.Each != nil && e.Seq > o.After {
			o.Each(&e)
		}
	}
	if err := r.Forget(); err != nil {
		return located(run, r.machine.Head(), err)
	}
	return nil
}

// located adds the run to an error of reading its journal.
func located(run string, seq uint64, err error) error {
	if damage, ok := errors.AsType[*journal.StoreError](err); ok {
		damage.Run = run
		return damage
	}
	return &journal.StoreError{Op: "replay", Run: run, Seq: seq, Err: err}
}
