package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// Store is an open file. It implements [journal.Store], [journal.HeadReader], [journal.Compactor] and [journal.Leaser].
type Store struct {
	path      string          // as it was given, for errors
	options   Options         // with their defaults
	readers   pool            // connections that read
	done      chan struct{}   // closed when the store is
	spare     sync.Pool       // of requests of batches: a step makes little garbage but the driver's
	compactor block.Compactor // packs runs
	schema    int64           // of the file; an earlier one is only read

	tail   tail   // the ends of runs that the table of runs does not know yet
	writer writer // belongs to the append that leads

	mu      sync.Mutex // of what follows
	queue   []*request // what is to be written, in order
	leading bool       // someone writes, and sees to it that the queue is written
	closing bool       // nothing more is taken
	crowd   int        // how many batches are likely to come together
	async   async      // batches that may be written later
}

var (
	_ journal.Store        = (*Store)(nil)
	_ journal.HeadReader   = (*Store)(nil)
	_ journal.Compactor    = (*Store)(nil)
	_ journal.DriverLister = (*Store)(nil)
	_ journal.Finder       = (*Store)(nil)
)

func newStore(path, abs string, o Options, first *conn) (*Store, error) {
	s := &Store{path: path, options: o, done: make(chan struct{})}
	s.readers.config = config{
		path: abs, vfs: o.VFS, readOnly: o.ReadOnly, still: first.still, quiet: first.quiet, busy: o.Busy, pragmas: []string{"query_only = 1", "cache_size = -4096"},
	}
	var err error
	if s.schema, err = first.integer("PRAGMA user_version"); err != nil {
		return nil, err
	}
	s.readers.config.views = views(s.schema)
	folded, _, err := first.one(getFolded)
	if err != nil {
		return nil, err
	}
	s.tail.seen, s.tail.recent = folded, make(map[int64]place)
	s.writer = writer{
		conn: first, tail: &s.tail, folded: folded,
		runs: make(map[string]int64), plans: make(map[plan]int64), ends: make(map[int64]place),
	}
	s.async.ahead, s.async.failed = make(map[string]ahead), make(map[string]error)
	return s, s.tail.catchUp(first)
}

// request is something to be written.
type request struct {
	batch journal.Batch       // without its entries
	frame []byte              // the entries, empty for none
	head  uint64              // seq of the last one, or the batch's After
	work  func(*writer) error // what is done instead of a batch, in a transaction of its own or none
	async bool                // nobody waits

	err  error
	done bool
	lead bool      // under Store.mu: the request was told to lead
	wake chan bool // true: lead; false: it is done
}

// maxGroup bounds what is committed at once: requests, and bytes of frames.
const (
	maxGroup      = 512
	maxGroupBytes = 8 << 20
	maxGather     = 4
)

// submit puts r into the queue and returns when it was written. A caller that nobody is ahead of writes it itself,
// together with what has come into the queue by then; when it is done, the next one that waits takes over.
func (s *Store) submit(ctx context.Context, r *request, last bool) error {
	s.mu.Lock()
	if s.closing && !last {
		s.mu.Unlock()
		return journal.ErrClosed
	}
	s.queue = append(s.queue, r)
	if !s.leading {
		s.leading = true
		s.mu.Unlock()
		s.lead(r)
		return r.err
	}
	s.mu.Unlock()
	select {
	case lead := <-r.wake:
		if lead {
			s.lead(r)
		}
		return r.err
	case <-ctx.Done():
	}
	if s.withdraw(r) {
		return ctx.Err()
	}
	if <-r.wake {
		s.lead(r)
	}
	return r.err
}

// withdraw takes r out of the queue, if nobody has begun to write it.
func (s *Store) withdraw(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.lead {
		return false
	}
	for i, q := range s.queue {
		if q == r {
			s.queue = append(s.queue[:i], s.queue[i+1:]...)
			return true
		}
	}
	return false
}

// lead writes the queue until r is done.
func (s *Store) lead(r *request) {
	for !r.done {
		s.gather()
		group := s.take()
		s.writer.commit(group)
		s.written(group)
		for _, q := range group {
			q.done = true
			if q != r && !q.async {
				q.wake <- false
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.queue {
		if !q.async {
			q.lead = true
			q.wake <- true
			return
		}
	}
	s.leading = false
}

// gather lets those whose batches were written last come back with their next ones, so that runs that go on together
// are committed together. It costs nothing when nobody is about to run.
func (s *Store) gather() {
	for range maxGather {
		s.mu.Lock()
		enough := len(s.queue) >= s.crowd
		s.mu.Unlock()
		if enough {
			return
		}
		runtime.Gosched()
	}
}

// take is the next group of the queue.
func (s *Store) take() []*request {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crowd = max(len(s.queue), s.crowd/2)
	n, bytes := 0, 0
	for n < len(s.queue) && n < maxGroup && bytes < maxGroupBytes {
		bytes += len(s.queue[n].frame)
		n++
	}
	s.writer.group = append(s.writer.group[:0], s.queue[:n]...)
	rest := copy(s.queue, s.queue[n:])
	clear(s.queue[rest:])
	s.queue = s.queue[:rest]
	return s.writer.group
}

// exclusive runs work when nothing is being written, after all that is in the queue.
func (s *Store) exclusive(ctx context.Context, work func(*writer) error) error {
	return s.submit(ctx, newWork(work), false)
}

func newWork(work func(*writer) error) *request {
	return &request{work: work, wake: make(chan bool, 1)}
}

// nothing is work that is done when all before it in the queue is.
func nothing(*writer) error { return nil }

// fail is an error of this store.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (s *Store) fail(op, run string, seq uint64, err error) error {
	return &journal.StoreError{Op: op, File: s.path, Run: run, Seq: seq, Err: typed(err)}
}

// Append implements [journal.Store].
func (s *Store) Append(ctx context.Context, b journal.Batch) error {
	if err := s.append(ctx, &b); err != nil {
		return s.fail("append", b.Run, b.After+1, err)
	}
	return nil
}

func (s *Store) append(ctx context.Context, b *journal.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.Validate(); err != nil {
		return fmt.Errorf("%w: %w", journal.ErrRefused, err)
	}
	switch {
	case s.options.ReadOnly:
		return s.readOnly()
	case b.After > maxSeq: // no journal is that long
		return journal.ErrConflict
	case b.Head() > maxSeq:
		return errTooLong
	case b.Durability == journal.Async:
		return s.appendAsync(ctx, b)
	}
	if err := s.hear(b.Run); err != nil {
		return err
	}
	r, ok := s.spare.Get().(*request)
	if !ok {
		r = newWork(nil)
	}
	r.err, r.done, r.lead = nil, false, false
	r.fill(b)
	err := s.submit(ctx, r, false)
	r.batch = journal.Batch{}
	if cap(r.frame) <= 64<<10 {
		s.spare.Put(r)
	}
	return err
}

// fill makes r one of writing b.
func (r *request) fill(b *journal.Batch) {
	r.batch, r.head, r.frame = *b, b.Head(), r.frame[:0]
	r.batch.Entries = nil
	if len(b.Entries) > 0 {
		r.frame = journal.AppendEntries(r.frame, b.Entries)
	}
}

func (s *Store) readOnly() error {
	select {
	case <-s.done:
		return journal.ErrClosed
	default:
		return journal.ErrReadOnly
	}
}

// Delete implements [journal.Store].
func (s *Store) Delete(ctx context.Context, run string) error {
	err := ctx.Err()
	switch {
	case err != nil:
	case s.options.ReadOnly:
		err = s.readOnly()
	default:
		err = s.exclusive(ctx, func(w *writer) error { return w.delete(run) })
	}
	if err != nil {
		return s.fail("delete", run, 0, err)
	}
	return nil
}

// Close implements [journal.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		<-s.done
		return nil
	}
	s.closing = true
	s.disarm()
	s.mu.Unlock()
	err := s.submit(context.Background(), newWork(nothing), true)
	err = errors.Join(err, s.unheard(), s.readers.close(), s.writer.conn.close())
	close(s.done)
	if err != nil {
		return s.fail("close", "", 0, err)
	}
	return nil
}
