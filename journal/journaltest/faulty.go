package journaltest

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/fermata-go/fermata/journal"
)

// ErrFault is the cause of every failure that a Faulty store makes up.
var ErrFault = errors.New("a fault made up for a test")

// Mode says when a call fails.
type Mode uint8

// Modes of a fault.
const (
	Before Mode = iota // nothing has happened
	After              // all has happened, and only the acknowledgement is lost
)

// Faulty is a store whose calls fail where they are told to. Calls are counted from 1.
type Faulty struct {
	inner journal.Store

	// BeforeAppend is called before the n-th append, AfterAppend when it was written. An error that one of them
	// returns is what the append fails with. Set them before the store is used; they may be called concurrently.
	BeforeAppend func(n int) error
	AfterAppend  func(n int) error

	mu             sync.Mutex
	appends, reads int
	failAppend     map[int]Mode
	failRead       map[int]Mode
}

var (
	_ journal.Store  = (*Faulty)(nil)
	_ journal.Finder = (*Faulty)(nil)
)

// NewFaulty wraps a store. Until it is told to fail, it does what the store does.
func NewFaulty(inner journal.Store) *Faulty {
	return &Faulty{inner: inner, failAppend: make(map[int]Mode), failRead: make(map[int]Mode)}
}

// FailAppend makes the n-th append fail, once.
func (f *Faulty) FailAppend(n int, mode Mode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAppend[n] = mode
}

// FailRead makes the n-th read fail, once. Read, Checkpoint, Runs, Inbox, Timers and the methods of
// [journal.Finder] are counted together. A Read that
// fails After has yielded its entries first.
func (f *Faulty) FailRead(n int, mode Mode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failRead[n] = mode
}

// Appends is how many appends were asked for.
func (f *Faulty) Appends() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.appends
}

// Reads is how many reads were asked for, see FailRead.
func (f *Faulty) Reads() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reads
}

func fault(op, run string, seq uint64, err error) error {
	return &journal.StoreError{Op: op, Run: run, Seq: seq, Err: err}
}

// Append implements [journal.Store].
func (f *Faulty) Append(ctx context.Context, b journal.Batch) error {
	f.mu.Lock()
	f.appends++
	n := f.appends
	mode, fails := f.failAppend[n]
	f.mu.Unlock()
	if fails && mode == Before {
		return fault("append", b.Run, b.After+1, ErrFault)
	}
	if f.BeforeAppend != nil {
		if err := f.BeforeAppend(n); err != nil {
			return fault("append", b.Run, b.After+1, err)
		}
	}
	if err := f.inner.Append(ctx, b); err != nil {
		return err
	}
	if f.AfterAppend != nil {
		if err := f.AfterAppend(n); err != nil {
			return fault("append", b.Run, b.After+1, err)
		}
	}
	if fails {
		return fault("append", b.Run, b.After+1, ErrFault)
	}
	return nil
}

// nextRead counts a read.
func (f *Faulty) nextRead() (mode Mode, fails bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	mode, fails = f.failRead[f.reads]
	return mode, fails
}

// Read implements [journal.Store].
func (f *Faulty) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		mode, fails := f.nextRead()
		if fails && mode == Before {
			yield(journal.Entry{}, fault("read", run, after+1, ErrFault))
			return
		}
		last := after
		for e, err := range f.inner.Read(ctx, run, after) {
			if !yield(e, err) || err != nil {
				return
			}
			last = e.Seq
		}
		if fails {
			yield(journal.Entry{}, fault("read", run, last+1, ErrFault))
		}
	}
}

// reading makes a call that reads, or fails.
func reading[T any](f *Faulty, op, run string, call func() (T, error)) (T, error) {
	mode, fails := f.nextRead()
	var none T
	if fails && mode == Before {
		return none, fault(op, run, 0, ErrFault)
	}
	got, err := call()
	if err == nil && fails {
		return none, fault(op, run, 0, ErrFault)
	}
	return got, err
}

// Checkpoint implements [journal.Store].
func (f *Faulty) Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error) {
	return reading(f, "checkpoint", run, func() (journal.Checkpoint, error) { return f.inner.Checkpoint(ctx, run) })
}

// Runs implements [journal.Store].
func (f *Faulty) Runs(ctx context.Context, filter journal.RunFilter) ([]journal.RunRow, error) {
	return reading(f, "runs", filter.ID, func() ([]journal.RunRow, error) { return f.inner.Runs(ctx, filter) })
}

// Inbox implements [journal.Store].
func (f *Faulty) Inbox(ctx context.Context, filter journal.InboxFilter) ([]journal.Interrupt, error) {
	return reading(f, "inbox", filter.Run, func() ([]journal.Interrupt, error) { return f.inner.Inbox(ctx, filter) })
}

// FindRuns implements [journal.Finder].
func (f *Faulty) FindRuns(ctx context.Context, q journal.RunQuery) (journal.RunPage, error) {
	return reading(f, "find runs", "", func() (journal.RunPage, error) { return journal.Find(f.inner).FindRuns(ctx, q) })
}

// CountRuns implements [journal.Finder].
func (f *Faulty) CountRuns(ctx context.Context, q journal.RunQuery, by string, most int) (journal.Counts, error) {
	return reading(f, "count runs", "", func() (journal.Counts, error) { return journal.Find(f.inner).CountRuns(ctx, q, by, most) })
}

// FindInterrupts implements [journal.Finder].
func (f *Faulty) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (journal.InterruptPage, error) {
	return reading(f, "find interrupts", "", func() (journal.InterruptPage, error) { return journal.Find(f.inner).FindInterrupts(ctx, q) })
}

// CountInterrupts implements [journal.Finder].
func (f *Faulty) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (journal.Counts, error) {
	return reading(f, "count interrupts", "", func() (journal.Counts, error) {
		return journal.Find(f.inner).CountInterrupts(ctx, q, by, most)
	})
}

// Timers implements [journal.Store].
func (f *Faulty) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	return reading(f, "timers", "", func() ([]journal.Timer, error) { return f.inner.Timers(ctx, due, limit) })
}

// Delete implements [journal.Store].
func (f *Faulty) Delete(ctx context.Context, run string) error { return f.inner.Delete(ctx, run) }

// Close implements [journal.Store].
func (f *Faulty) Close() error { return f.inner.Close() }
