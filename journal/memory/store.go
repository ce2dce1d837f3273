package memory

import (
	"bytes"
	"context"
	"hash/maphash"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// shards is how many parts the table of runs has, so that runs do not wait for one another.
const shards = 16

type shard struct {
	mu   sync.RWMutex
	runs map[string]*run
	_    [24]byte // a cache line of its own
}

type store struct {
	closed atomic.Bool
	seed   maphash.Seed  // of the hash that picks a run's shard
	shards [shards]shard // the runs

	watched  atomic.Int32 // how many watchers there are
	watchers watchers     // who is told of appends

	mu    sync.RWMutex         // of what follows; taken after a run's
	index index                // the projections
	beats map[string]time.Time // until when each driver lives
	cells map[string][]byte    // values that processes change by comparing
}

// New returns an empty store.
func New() journal.Store {
	s := &store{seed: maphash.MakeSeed(), index: newIndex(), beats: make(map[string]time.Time), cells: make(map[string][]byte)}
	for i := range s.shards {
		s.shards[i].runs = make(map[string]*run)
	}
	return s
}

func (s *store) shard(id string) *shard { return &s.shards[maphash.String(s.seed, id)%shards] }

// find is the run of that id; nil if there is none and create is false.
func (s *store) find(id string, create bool) *run {
	sh := s.shard(id)
	sh.mu.RLock()
	r := sh.runs[id]
	sh.mu.RUnlock()
	if r != nil || !create {
		return r
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if r = sh.runs[id]; r == nil {
		r = &run{}
		sh.runs[id] = r
	}
	return r
}

// forget takes r, whose lock is held, out of the table.
func (s *store) forget(id string, r *run) {
	r.gone = true
	sh := s.shard(id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	delete(sh.runs, id)
}

// ready reports why a call cannot begin.
func (s *store) ready(ctx context.Context, op, run string) error {
	if s.closed.Load() {
		return &journal.StoreError{Op: op, Run: run, Err: journal.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return &journal.StoreError{Op: op, Run: run, Err: err}
	}
	return nil
}

// Append implements [journal.Store].
func (s *store) Append(ctx context.Context, b journal.Batch) error {
	if err := s.ready(ctx, "append", b.Run); err != nil {
		return err
	}
	if err := b.Validate(); err != nil {
		return &journal.StoreError{Op: "append", Run: b.Run, Seq: b.After + 1, Err: err}
	}
	for {
		r := s.find(b.Run, b.After == 0)
		if r == nil {
			return conflict(&b)
		}
		if done, err := s.write(r, &b); done {
			if err == nil && s.watched.Load() > 0 {
				s.tell(b.Run)
			}
			return err
		}
	}
}

// write appends to r. It is not done when r was deleted while the batch that creates it anew was on its way.
func (s *store) write(r *run, b *journal.Batch) (done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.gone && b.After == 0:
		return false, nil
	case r.gone || r.n != b.After:
		return true, conflict(b)
	}
	if b.Row != nil || len(b.Interrupts) > 0 || len(b.Timers) > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		if b.Driver != nil && r.index.born != 0 && r.index.row.Driver != *b.Driver {
			return true, conflict(b)
		}
		if err := s.index.project(r, b); err != nil {
			if r.n == 0 {
				s.forget(b.Run, r)
			}
			return true, &journal.StoreError{Op: "append", Run: b.Run, Seq: b.After + 1, Err: err}
		}
	}
	r.append(b.Entries)
	r.index.head.Store(r.n)
	if c := b.Checkpoint; c != nil {
		r.check = journal.Checkpoint{Seq: c.Seq, Data: bytes.Clone(c.Data)}
	}
	return true, nil
}

func conflict(b *journal.Batch) error {
	return &journal.StoreError{Op: "append", Run: b.Run, Seq: b.After + 1, Err: journal.ErrConflict}
}

// Read implements [journal.Store]. The entries are those that were there when the iteration began.
func (s *store) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if err := s.ready(ctx, "read", run); err != nil {
			yield(journal.Entry{}, err)
			return
		}
		var entries reader
		ok := false
		if r := s.find(run, false); r != nil {
			entries, ok = r.reader(after)
		}
		if !ok {
			yield(journal.Entry{}, &journal.StoreError{Op: "read", Run: run, Err: journal.ErrNotFound})
			return
		}
		for entries.seq < entries.n {
			if err := ctx.Err(); err != nil {
				yield(journal.Entry{}, &journal.StoreError{Op: "read", Run: run, Seq: entries.seq + 1, Err: err})
				return
			}
			var e journal.Entry
			if entries.next(&e); !yield(e, nil) {
				return
			}
		}
	}
}

// Checkpoint implements [journal.Store].
func (s *store) Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error) {
	if err := s.ready(ctx, "checkpoint", run); err != nil {
		return journal.Checkpoint{}, err
	}
	r := s.find(run, false)
	if r == nil {
		return journal.Checkpoint{}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return journal.Checkpoint{Seq: r.check.Seq, Data: bytes.Clone(r.check.Data)}, nil
}

// Delete implements [journal.Store].
func (s *store) Delete(ctx context.Context, run string) error {
	if err := s.ready(ctx, "delete", run); err != nil {
		return err
	}
	r := s.find(run, false)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.remove(r)
	s.forget(run, r)
	if s.watched.Load() > 0 {
		s.tell(run)
	}
	return nil
}

// Close implements [journal.Store].
func (s *store) Close() error {
	s.closed.Store(true)
	return nil
}
