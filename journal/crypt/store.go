package crypt

import (
	"context"
	"errors"
	"iter"

	"github.com/fermata-go/fermata/journal"
)

// Store is a sealed store: see [Wrap]. It has the methods of all capabilities, and as a [journal.Wrapper] the capabilities
// of the inner store; a call of one that this lacks is errors.ErrUnsupported.
type Store struct {
	inner journal.Store
	ring  *ring
}

var (
	_ journal.Wrapper      = (*Store)(nil)
	_ journal.HeadReader   = (*Store)(nil)
	_ journal.Clock        = (*Store)(nil)
	_ journal.DriverLister = (*Store)(nil)
	_ journal.Compactor    = (*Store)(nil)
	_ journal.Finder       = (*Store)(nil)
)

// Wrap seals what a store keeps, see the package comment. The result replaces the inner store, which nobody else may
// write to without the same keys; its Close closes the inner one. Use [journal.As] to ask it for a capability.
//
// Errors of the result are those of the inner store, and of reading: a *[KeyError] where a key is missing,
// journal.ErrCorrupt where a value was changed or is not sealed, and journal.ErrNewer where a later version sealed it.
func Wrap(store journal.Store, keys Keys) (journal.Store, error) {
	if store == nil {
		return nil, errors.New("crypt: expected a store, found nil")
	}
	r, err := newRing(keys)
	if err != nil {
		return nil, &journal.StoreError{Op: "open", Err: err}
	}
	return &Store{inner: store, ring: r}, nil
}

// SealedBy returns the id of the key that the newest run of a store is sealed with. It is "" where that run is not sealed, or
// there is none. The store is the inner one, without its keys: so a program can ask for them.
func SealedBy(ctx context.Context, store journal.Store) (string, error) {
	for _, definition := range []bool{false, true} {
		rows, err := store.Runs(ctx, journal.RunFilter{Limit: 1, Definition: definition})
		if err != nil {
			return "", err
		}
		if len(rows) > 0 && isText(rows[0].Error) {
			frame, err := fromText(rows[0].Error)
			if err != nil {
				return "", err
			}
			return keyOf(frame)
		}
	}
	return "", nil
}

// Inner implements [journal.Wrapper].
func (s *Store) Inner() journal.Store { return s.inner }

func fail(op, run string, seq uint64, err error) error {
	if err == nil {
		return nil
	}
	return &journal.StoreError{Op: op, Run: run, Seq: seq, Err: err}
}

// Append implements [journal.Store].
func (s *Store) Append(ctx context.Context, b journal.Batch) error {
	if err := b.Validate(); err != nil { // what is sealed would hide it
		return fail("append", b.Run, 0, err)
	}
	sealed, err := s.ring.sealBatch(b)
	if err != nil {
		return fail("append", b.Run, b.After+1, err)
	}
	return s.inner.Append(ctx, sealed)
}

func (r *ring) sealBatch(b journal.Batch) (_ journal.Batch, err error) {
	entries := make([]journal.Entry, len(b.Entries))
	for i := range entries {
		if entries[i], err = r.sealEntry(b.Run, &b.Entries[i]); err != nil {
			return b, err
		}
	}
	b.Entries = entries
	if b.Row != nil {
		if b.Row, err = r.sealRow(b.Row); err != nil {
			return b, err
		}
	}
	interrupts := make([]journal.Interrupt, len(b.Interrupts))
	for i := range interrupts {
		if interrupts[i], err = r.sealInterrupt(&b.Interrupts[i]); err != nil {
			return b, err
		}
	}
	b.Interrupts = interrupts
	timers := make([]journal.Timer, 0, len(b.Timers)*(1+len(r.keys.Older)))
	for _, t := range b.Timers {
		if timers, err = r.sealTimer(timers, t); err != nil {
			return b, err
		}
	}
	b.Timers = timers
	if b.Checkpoint != nil {
		b.Checkpoint, err = r.sealCheckpoint(b.Run, b.Checkpoint)
	}
	return b, err
}

// Read implements [journal.Store].
func (s *Store) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for e, err := range s.inner.Read(ctx, run, after) {
			if err == nil {
				err = fail("read", run, e.Seq, s.ring.openEntry(run, &e))
			}
			if err != nil {
				yield(journal.Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Checkpoint implements [journal.Store].
func (s *Store) Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error) {
	c, err := s.inner.Checkpoint(ctx, run)
	if err == nil {
		err = fail("checkpoint", run, c.Seq, s.ring.openCheckpoint(run, &c))
	}
	if err != nil {
		return journal.Checkpoint{}, err
	}
	return c, nil
}

// Runs implements [journal.Store].
func (s *Store) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	rows, err := s.inner.Runs(ctx, f)
	return opened(rows, err, func(row *journal.RunRow) error { return fail("runs", row.ID, 0, s.ring.openRow(row)) })
}

// Inbox implements [journal.Store].
func (s *Store) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	list, err := s.inner.Inbox(ctx, f)
	return opened(list, err, func(in *journal.Interrupt) error { return fail("inbox", in.Run, 0, s.ring.openInterrupt(in)) })
}

// Timers implements [journal.Store].
func (s *Store) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	list, err := s.inner.Timers(ctx, due, limit)
	return opened(list, err, func(t *journal.Timer) error { return fail("timers", t.Run, 0, s.ring.openTimer(t)) })
}

// opened opens what a store has listed, all or nothing.
func opened[T any](list []T, err error, open func(*T) error) ([]T, error) {
	for i := range list {
		if err == nil {
			err = open(&list[i])
		}
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Delete implements [journal.Store]. It needs no key.
func (s *Store) Delete(ctx context.Context, run string) error { return s.inner.Delete(ctx, run) }

// Close implements [journal.Store].
func (s *Store) Close() error { return s.inner.Close() }
