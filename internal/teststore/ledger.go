package teststore

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// Ledger is a store in memory that lists what is asked of it.
//
// So a test can say what a run costs, where no clock and no other load count. It leaves out beats and searches for runs
// without an owner, which a runtime asks for now and then.
type Ledger struct {
	journal.Store
	journal.Leaser
	mu    sync.Mutex
	calls []string
}

// NewLedger returns an empty store in memory that lists what is asked of it.
func NewLedger() *Ledger {
	s := memory.New()
	return &Ledger{Store: s, Leaser: s.(journal.Leaser)}
}

// Beside returns a ledger of its own on the same store: what another process asks is not in it.
func (l *Ledger) Beside() *Ledger { return &Ledger{Store: l.Store, Leaser: l.Leaser} }

func (l *Ledger) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, fmt.Sprintf(format, args...))
}

// Take returns what was asked since it was called last.
func (l *Ledger) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := l.calls
	l.calls = nil
	return calls
}

// Append implements [journal.Store].
func (l *Ledger) Append(ctx context.Context, b journal.Batch) error {
	var kinds []string
	for _, e := range b.Entries {
		kinds = append(kinds, e.Kind.String())
	}
	l.note("append %v", kinds)
	return l.Store.Append(ctx, b)
}

// Read implements [journal.Store].
func (l *Ledger) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	l.note("read after %d", after)
	return l.Store.Read(ctx, run, after)
}

// Checkpoint implements [journal.Store].
func (l *Ledger) Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error) {
	l.note("checkpoint")
	return l.Store.Checkpoint(ctx, run)
}

// Runs implements [journal.Store].
func (l *Ledger) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	l.note("runs")
	return l.Store.Runs(ctx, f)
}

// Inbox implements [journal.Store].
func (l *Ledger) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	l.note("inbox")
	return l.Store.Inbox(ctx, f)
}

// Timers implements [journal.Store].
func (l *Ledger) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	l.note("timers")
	return l.Store.Timers(ctx, due, limit)
}

// Claim implements [journal.Leaser].
func (l *Ledger) Claim(ctx context.Context, driver, run string) (bool, error) {
	l.note("claim")
	return l.Leaser.Claim(ctx, driver, run)
}
