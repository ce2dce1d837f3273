package storage

import (
	"context"
	"iter"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// guardedStore is a store of the program. A call that panics or ends its goroutine has failed with an unknown
// outcome (laws J2 and N7). It implements every capability; [Capability] tells which the inner store has.
type guardedStore struct {
	inner journal.Store // the program's store
	known bool          // one of this module's: it may panic in its driver, but never ends a goroutine
	fed   func()        // called after a write that changes a run for the feed; its watchers are not told of what is written here
}

// modulePath is the path of this module.
const modulePath = "github.com/fermata-go/fermata"

// ownStore is the type of the one store without foreign code, not even a driver's.
var ownStore = reflect.TypeOf(memory.New())

// GuardStore returns a store whose panics are errors. The store in memory has no foreign code and is returned as
// it is: it tells its watchers of all writes. After a write that changes a run for the feed of another store, fed is called.
func GuardStore(s journal.Store, fed func()) journal.Store {
	if reflect.TypeOf(s) == ownStore {
		return s
	}
	return &guardedStore{inner: s, known: isOwn(s), fed: fed}
}

// isOwn reports whether a store is one of this module's, and so are those that it wraps.
func isOwn(s journal.Store) bool {
	t := reflect.TypeOf(s)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !strings.HasPrefix(t.PkgPath(), modulePath+"/") {
		return false
	}
	w, wraps := s.(journal.Wrapper)
	return !wraps || isOwn(w.Inner())
}

// Unguarded returns the store as the program has given it.
func Unguarded(s journal.Store) journal.Store {
	if g, ok := s.(*guardedStore); ok {
		return g.inner
	}
	return s
}

// Capability returns an optional capability of a store: a journal.Leaser, a journal.Clock, …
func Capability[T any](s journal.Store) (more T, ok bool) {
	if _, ok = journal.As[T](Unguarded(s)); !ok {
		return more, false
	}
	more, ok = s.(T)
	return more, ok
}

// WatcherOf returns the store as a Watcher; nil if it is none.
func WatcherOf(s journal.Store) journal.Watcher {
	if all, ok := Capability[journal.HeadReader](s); ok {
		return all
	}
	if runs, ok := Capability[journal.RunWatcher](s); ok {
		return struct{ journal.RunWatcher }{runs}
	}
	if any, ok := Capability[journal.Watcher](s); ok {
		return struct{ journal.Watcher }{any}
	}
	return nil
}

func (g *guardedStore) call(op, run string, f func() error) (err error) {
	if g.known { // without a goroutine, which costs as much as a small append
		defer func() {
			if v := recover(); v != nil {
				err = storePanic(op, run, v)
			}
		}()
		return f()
	}
	returned := false
	err = guard.Call(func() error {
		err := f()
		returned = true
		return err
	})
	if err != nil && !returned {
		return &journal.StoreError{Op: op, Run: run, Err: err}
	}
	return err
}

// storePanic returns the error for a panic of a store.
func storePanic(op, run string, v any) error {
	return &journal.StoreError{Op: op, Run: run, Err: &node.PanicError{Value: v, Stack: debug.Stack()}}
}

func (g *guardedStore) Append(ctx context.Context, b journal.Batch) error {
	err := g.call("append", b.Run, func() error { return g.inner.Append(ctx, b) })
	if b.Row != nil || len(b.Interrupts) > 0 { // also where it failed: its outcome may be unknown
		g.fed()
	}
	return err
}

// piece is a part of what Read yields. It goes from one goroutine to another.
type piece struct {
	entries []journal.Entry // in order
	err     error           // ends the read; nil to go on
}

// pieceLength limits the entries of a piece.
const pieceLength = 64

func (g *guardedStore) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	if g.known {
		return g.readHere(ctx, run, after)
	}
	return func(yield func(journal.Entry, error) bool) {
		pieces, left := make(chan piece, 1), make(chan struct{})
		go g.read(ctx, run, after, pieces, left)
		defer func() { // also if yield does not return
			close(left)
			for range pieces { // until the store has released its resources
			}
		}()
		for p := range pieces {
			for _, e := range p.entries {
				if !yield(e, nil) {
					return
				}
			}
			if p.err != nil {
				yield(journal.Entry{}, p.err)
				return
			}
		}
	}
}

// readHere is Read of a store that ends no goroutine. A panic of yield is not the store's.
func (g *guardedStore) readHere(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		outside, over := false, false
		err := func() (err error) {
			defer func() {
				if outside {
					return
				}
				if v := recover(); v != nil {
					err = storePanic("read", run, v)
				}
			}()
			for e, err := range g.inner.Read(ctx, run, after) {
				outside = true
				over = !yield(e, err)
				outside = false
				if over || err != nil {
					over = true
					return nil
				}
			}
			return nil
		}()
		if err != nil && !over {
			yield(journal.Entry{}, err)
		}
	}
}

// read sends the entries of a store until the reader has left.
func (g *guardedStore) read(ctx context.Context, run string, after uint64, pieces chan<- piece, left <-chan struct{}) {
	defer close(pieces)
	var p piece
	send := func() bool {
		select {
		case pieces <- p:
			p = piece{}
			return true
		case <-left:
			return false
		}
	}
	p.err = g.call("read", run, func() error {
		for e, err := range g.inner.Read(ctx, run, after) {
			if err != nil {
				return err
			}
			if p.entries = append(p.entries, e); len(p.entries) == pieceLength && !send() {
				return nil
			}
		}
		return nil
	})
	send()
}

func (g *guardedStore) Checkpoint(ctx context.Context, run string) (c journal.Checkpoint, err error) {
	err = g.call("checkpoint", run, func() error { c, err = g.inner.Checkpoint(ctx, run); return err })
	return c, err
}

func (g *guardedStore) Runs(ctx context.Context, f journal.RunFilter) (rows []journal.RunRow, err error) {
	err = g.call("list runs", f.ID, func() error { rows, err = g.inner.Runs(ctx, f); return err })
	return rows, err
}

func (g *guardedStore) Inbox(ctx context.Context, f journal.InboxFilter) (list []journal.Interrupt, err error) {
	err = g.call("list interrupts", f.Run, func() error { list, err = g.inner.Inbox(ctx, f); return err })
	return list, err
}

func (g *guardedStore) Timers(ctx context.Context, due int64, limit int) (list []journal.Timer, err error) {
	err = g.call("list timers", "", func() error { list, err = g.inner.Timers(ctx, due, limit); return err })
	return list, err
}

func (g *guardedStore) Delete(ctx context.Context, run string) error {
	defer g.fed()
	return g.call("delete", run, func() error { return g.inner.Delete(ctx, run) })
}

func (g *guardedStore) Close() error { return g.call("close", "", g.inner.Close) }

// The methods below are called only if the inner store has them: see [Capability].

func (g *guardedStore) Watch(ctx context.Context, changed func()) error {
	return g.call("watch", "", func() error { return g.inner.(journal.Watcher).Watch(ctx, changed) })
}

func (g *guardedStore) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	return g.call("watch", "", func() error { return g.inner.(journal.RunWatcher).WatchRuns(ctx, changed) })
}

func (g *guardedStore) Heads(ctx context.Context, runs []string) (heads map[string]uint64, err error) {
	err = g.call("heads", "", func() error { heads, err = g.inner.(journal.HeadReader).Heads(ctx, runs); return err })
	return heads, err
}

func (g *guardedStore) Now(ctx context.Context) (now time.Time, err error) {
	err = g.call("clock", "", func() error { now, err = g.inner.(journal.Clock).Now(ctx); return err })
	return now, err
}

func (g *guardedStore) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	return g.call("beat", "", func() error { return g.inner.(journal.Leaser).Beat(ctx, driver, ttl) })
}

func (g *guardedStore) Left(ctx context.Context, driver string) (left time.Duration, err error) {
	err = g.call("lease", "", func() error { left, err = g.inner.(journal.Leaser).Left(ctx, driver); return err })
	return left, err
}

func (g *guardedStore) Deserted(ctx context.Context, q journal.WantedQuery) (rows []journal.RunRow, err error) {
	err = g.call("list runs", "", func() error { rows, err = g.inner.(journal.Leaser).Deserted(ctx, q); return err })
	return rows, err
}

func (g *guardedStore) Claim(ctx context.Context, driver, run string) (claimed bool, err error) {
	err = g.call("claim", run, func() error { claimed, err = g.inner.(journal.Leaser).Claim(ctx, driver, run); return err })
	return claimed, err
}

func (g *guardedStore) Drivers(ctx context.Context) (drivers []string, err error) {
	err = g.call("list drivers", "", func() error { drivers, err = g.inner.(journal.DriverLister).Drivers(ctx); return err })
	return drivers, err
}

func (g *guardedStore) FindRuns(ctx context.Context, q journal.RunQuery) (p journal.RunPage, err error) {
	err = g.call("find runs", "", func() error { p, err = journal.Find(g.inner).FindRuns(ctx, q); return err })
	return p, err
}

func (g *guardedStore) CountRuns(ctx context.Context, q journal.RunQuery, by string, most int) (c journal.Counts, err error) {
	err = g.call("count runs", "", func() error { c, err = journal.Find(g.inner).CountRuns(ctx, q, by, most); return err })
	return c, err
}

func (g *guardedStore) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (p journal.InterruptPage, err error) {
	err = g.call("find interrupts", "", func() error { p, err = journal.Find(g.inner).FindInterrupts(ctx, q); return err })
	return p, err
}

func (g *guardedStore) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (c journal.Counts, err error) {
	err = g.call("count interrupts", "", func() error {
		c, err = journal.Find(g.inner).CountInterrupts(ctx, q, by, most)
		return err
	})
	return c, err
}

func (g *guardedStore) Compact(ctx context.Context, run string) (did journal.Compaction, err error) {
	err = g.call("compact", run, func() error { did, err = g.inner.(journal.Compactor).Compact(ctx, run); return err })
	return did, err
}

func (g *guardedStore) Cell(ctx context.Context, name string) (value []byte, err error) {
	err = g.call("cell", "", func() error { value, err = g.inner.(journal.Swapper).Cell(ctx, name); return err })
	return value, err
}

func (g *guardedStore) Swap(ctx context.Context, name string, was, next []byte) (now []byte, swapped bool, err error) {
	err = g.call("swap", "", func() error { now, swapped, err = g.inner.(journal.Swapper).Swap(ctx, name, was, next); return err })
	return now, swapped, err
}

func (g *guardedStore) Cells(ctx context.Context, prefix string, limit int) (cells []journal.Cell, err error) {
	err = g.call("cells", "", func() error { cells, err = g.inner.(journal.Swapper).Cells(ctx, prefix, limit); return err })
	return cells, err
}

func (g *guardedStore) Feed(ctx context.Context, q journal.FeedQuery) (p journal.FeedPage, err error) {
	err = g.call("feed", "", func() error { p, err = g.inner.(journal.Feeder).Feed(ctx, q); return err })
	return p, err
}
