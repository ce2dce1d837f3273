package fermatatest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// errDead is what every call of a store fails with once its process has died.
var errDead = fmt.Errorf("the process died here, as the test wants it: %w", journal.ErrClosed)

// death says when a process dies: at its append number at, counted from 1, before or after it was written. The zero
// value lives on.
type death struct {
	at    int
	after bool
}

// mortal is the store as one process sees it. At its death the process loses the store: every call fails.
type mortal struct {
	journal.Store
	death death

	mu      sync.Mutex
	appends []string      // what was appended, for people
	lost    int           // how many outcomes of steps were not written, because the process died
	fatal   journal.Batch // the append at which it died
	dead    bool
	died    chan struct{}
	changed chan struct{}     // closed at the next append
	linger  func(head uint64) // called before the last append: the readers see what is stored by then
}

func newMortal(inner journal.Store, d death) *mortal {
	return &mortal{Store: inner, death: d, died: make(chan struct{}), changed: make(chan struct{})}
}

// isDead reports whether the process has died, and how many outcomes of steps were lost with it.
func (m *mortal) isDead() (dead bool, lost int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead, m.lost
}

// end is the append at which the process died.
func (m *mortal) end() journal.Batch {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fatal
}

// changes returns a channel that is closed after the next append, or by tell.
func (m *mortal) changes() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// written lists the appends so far.
func (m *mortal) written() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.appends)
}

func (m *mortal) alive(op, run string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return &journal.StoreError{Op: op, Run: run, Err: errDead}
	}
	return nil
}

// begin counts an append and reports whether it is the last one.
func (m *mortal) begin(b *journal.Batch) (last bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.linger != nil && !m.dead && len(m.appends)+1 == m.death.at {
		m.mu.Unlock()
		m.linger(b.After)
		m.mu.Lock()
	}
	if !m.dead {
		m.appends = append(m.appends, describe(b))
		if last = len(m.appends) == m.death.at; last {
			m.fatal = *b
			m.fatal.Entries = slices.Clone(b.Entries)
		}
		if last && !m.death.after {
			m.die()
		}
	}
	if m.dead {
		m.lost += outcomes(b) + around(b)
		return last, &journal.StoreError{Op: "append", Run: b.Run, Seq: b.After + 1, Err: errDead}
	}
	return last, nil
}

// outcomes counts the steps that a batch records.
func outcomes(b *journal.Batch) (n int) {
	for i := range b.Entries {
		if b.Entries[i].Kind == journal.StepFinished {
			n++
		}
	}
	return n
}

// around counts the steps that the calls of a batch were made inside of: they have no outcome yet.
func around(b *journal.Batch) (n int) {
	for i := range b.Entries {
		n = max(n, strings.Count(b.Entries[i].Op, nodehost.Inside))
	}
	return n
}

func (m *mortal) die() {
	m.dead = true
	close(m.died)
}

// Append implements journal.Store.
func (m *mortal) Append(ctx context.Context, b journal.Batch) error {
	last, err := m.begin(&b)
	if err != nil {
		return err
	}
	err = m.Store.Append(ctx, b)
	m.mu.Lock()
	defer m.mu.Unlock()
	if last && !m.dead {
		m.lost += around(&b)
		m.die()
	}
	if m.dead {
		return &journal.StoreError{Op: "append", Run: b.Run, Seq: b.After + 1, Err: errDead}
	}
	m.change()
	return err
}

// tell has those look again who wait for an append.
func (m *mortal) tell() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.change()
}

// change ends the channel of changes; m.mu is held.
func (m *mortal) change() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// Read implements journal.Store.
func (m *mortal) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if err := m.alive("read", run); err != nil {
			yield(journal.Entry{}, err)
			return
		}
		m.Store.Read(ctx, run, after)(yield)
	}
}

// Checkpoint implements journal.Store.
func (m *mortal) Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error) {
	if err := m.alive("checkpoint", run); err != nil {
		return journal.Checkpoint{}, err
	}
	return m.Store.Checkpoint(ctx, run)
}

// Runs implements journal.Store.
func (m *mortal) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	if err := m.alive("runs", f.ID); err != nil {
		return nil, err
	}
	return m.Store.Runs(ctx, f)
}

// Inbox implements journal.Store.
func (m *mortal) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	if err := m.alive("inbox", f.Run); err != nil {
		return nil, err
	}
	return m.Store.Inbox(ctx, f)
}

// Timers implements journal.Store.
func (m *mortal) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	if err := m.alive("timers", ""); err != nil {
		return nil, err
	}
	return m.Store.Timers(ctx, due, limit)
}

// Delete implements journal.Store.
func (m *mortal) Delete(ctx context.Context, run string) error {
	if err := m.alive("delete", run); err != nil {
		return err
	}
	return m.Store.Delete(ctx, run)
}

// Close implements journal.Store. The inner store stays open: it outlives the process.
func (m *mortal) Close() error { return nil }

// describe names what a batch holds: "node.finished review#1, node.started close#1".
func describe(b *journal.Batch) string {
	var parts []string
	for i := range b.Entries {
		parts = append(parts, entryName(&b.Entries[i]))
	}
	return strings.Join(parts, ", ")
}

// entryName names an entry: its kind, its task and its call.
func entryName(e *journal.Entry) string {
	name := e.Kind.String()
	if e.Node != "" {
		name += " " + node.TaskID(e.Node, int(e.Visit))
	}
	if e.Op != "" && !strings.HasPrefix(e.Op, "int_") {
		name += " " + nodehost.CallText(e.Op)
	}
	return name
}

func (d death) String() string {
	switch {
	case d.at == 0:
		return "without a crash"
	case d.after:
		return fmt.Sprintf("crash after append %d", d.at)
	}
	return fmt.Sprintf("crash before append %d", d.at)
}
