package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// maxIdle is how many readers are kept for the next time: making one costs far more than a read.
const maxIdle = 8

// pool holds connections that read. There is one for each reader at a time; none waits for another.
type pool struct {
	config config     // of each connection
	mu     sync.Mutex // of what follows
	idle   []*conn    // kept for the next reader
	closed bool       // none is kept any more
}

func (p *pool) get() (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, journal.ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return connect(p.config)
}

func (p *pool) put(c *conn) {
	p.mu.Lock()
	if !p.closed && len(p.idle) < maxIdle {
		p.idle = append(p.idle, c)
		c = nil
	}
	p.mu.Unlock()
	if c != nil {
		_ = c.close()
	}
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.close())
	}
	p.idle = nil
	return err
}

// reading makes a call on a reader. It sees all earlier appends, also those that nobody waited for.
func (s *Store) reading(ctx context.Context, call func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.drain(ctx); err != nil {
		return err
	}
	c, err := s.readers.get()
	if err != nil {
		return err
	}
	defer s.readers.put(c)
	if err := s.tail.catchUp(c); err != nil {
		return err
	}
	return call(c)
}

// errEnough ends a query.
var errEnough = errors.New("enough")

// collect is reading of a list.
func collect[T any](ctx context.Context, s *Store, op, run string, call func(c *conn, list *[]T) error) ([]T, error) {
	var list []T
	err := s.reading(ctx, func(c *conn) error { return call(c, &list) })
	if err != nil && !errors.Is(err, errEnough) {
		return nil, s.fail(op, run, 0, err)
	}
	return list, nil
}

// locate is the number of a run and the end of its chain; errors are journal.ErrNotFound and those of reading.
func (s *Store) locate(c *conn, run string) (int64, place, error) {
	id, found, err := c.one(findRun, run)
	switch {
	case err != nil:
		return 0, place{}, err
	case !found:
		return 0, place{}, journal.ErrNotFound
	}
	p, ok := s.tail.get(id)
	if !ok {
		if p, err = endInTable(c, id); err != nil {
			return 0, place{}, err
		}
	}
	if p.seq == 0 {
		return 0, place{}, journal.ErrNotFound
	}
	return id, p, nil
}

// Size of a page, the part of a journal that is read at once. Between pages a reader holds nothing, so one that takes
// its time is in nobody's way.
const (
	pageFrames = 256
	pageBytes  = 4 << 20
)

// page reads a journal page by page.
type page struct {
	block.Pages
	store *Store
	id    int64   // the run's number
	rows  []int64 // of the frames that are still to be read, the first one last
}

// Read implements [journal.Store]. The entries are those that were there when the iteration began.
func (s *Store) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		p := page{Pages: block.Pages{Run: run, Last: after}, store: s}
		for more := true; more; {
			err := s.reading(ctx, p.fetch)
			if err == nil {
				more, err = p.Yield(yield)
			}
			if err != nil {
				yield(journal.Entry{}, s.fail("read", run, p.Seq(), err))
				return
			}
		}
	}
}

// fetch reads the next frames. Where rows are not found that should be there, they may have been packed into a block
// since the chain was followed: it is followed again, and read in the same moment.
func (p *page) fetch(c *conn) error {
	if !p.Found {
		if err := p.find(c); err != nil || p.Last >= p.Head {
			return err
		}
	}
	err := p.next(c)
	if !errors.Is(err, journal.ErrCorrupt) {
		return err
	}
	return c.snapshot(func() error {
		id, end, err := endNow(c, p.Run)
		if err == nil && id != p.id {
			err = journal.ErrNotFound
		}
		if err == nil {
			err = p.follow(c, end)
		}
		if err != nil {
			return err
		}
		return p.next(c)
	})
}

// next reads the frames of the next rows.
func (p *page) next(c *conn) error {
	clear(p.Frames)
	p.Frames = p.Frames[:0]
	rows := p.rows[max(0, len(p.rows)-pageFrames):]
	if len(rows) == 0 {
		return p.missing(c)
	}
	var err error
	if first, last := rows[len(rows)-1], rows[0]; last-first < int64(4*len(rows)) {
		err = p.scan(c, readFrames, first, last, p.id) // close together: one query
	} else {
		for _, row := range slices.Backward(rows) {
			if err = p.scan(c, readFrame, row); err != nil {
				break
			}
		}
	}
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if len(p.Frames) == 0 {
		return p.missing(c)
	}
	return nil
}

// scan reads frames that a query yields, which must be those of the next rows.
func (p *page) scan(c *conn, q query, args ...driver.Value) error {
	size := 0
	return c.each(func(row []driver.Value) error {
		r := rowScanner{row: row}
		id, data := column[int64](&r), column[[]byte](&r)
		switch n := len(p.rows); {
		case r.err != nil:
			return r.err
		case n == 0 || p.rows[n-1] != id:
			return fmt.Errorf("%w: row %d of the log is not where it belongs", journal.ErrCorrupt, id)
		default:
			p.rows = p.rows[:n-1]
		}
		p.Frames = append(p.Frames, data)
		if size += len(data); size > pageBytes {
			return errEnough
		}
		return nil
	}, q, args...)
}

// find looks the run up, and follows its chain.
func (p *page) find(c *conn) error {
	id, end, err := p.store.locate(c, p.Run)
	if err != nil {
		return err
	}
	p.id, p.Head, p.Found = id, end.seq, true
	if p.Last = min(p.Last, p.Head); p.Last == p.Head {
		return nil
	}
	return p.follow(c, end)
}

// follow finds the rows from the end of the chain back to what was read.
func (p *page) follow(c *conn, end place) error {
	p.rows = p.rows[:0]
	return c.each(func(row []driver.Value) error {
		r := rowScanner{row: row}
		p.rows = append(p.rows, column[int64](&r))
		return r.err
	}, readChain, end.row, int64(p.Last))
}

// missing is why there is no frame: the run was deleted meanwhile, or frames are lost.
func (p *page) missing(c *conn) error {
	id, found, err := c.one(findRun, p.Run)
	switch {
	case err != nil:
		return err
	case !found || id != p.id:
		return journal.ErrNotFound
	}
	return fmt.Errorf("%w: the entries after seq %d are missing", journal.ErrCorrupt, p.Last)
}

// Checkpoint implements [journal.Store].
func (s *Store) Checkpoint(ctx context.Context, run string) (check journal.Checkpoint, err error) {
	err = s.reading(ctx, func(c *conn) error {
		return c.each(func(row []driver.Value) error {
			seq, _ := row[0].(int64)
			data, _ := row[1].([]byte)
			check = journal.Checkpoint{Seq: uint64(seq), Data: data}
			return nil
		}, getCheckpoint, run)
	})
	if err != nil {
		return journal.Checkpoint{}, s.fail("checkpoint", run, 0, err)
	}
	return check, nil
}

// rowScanner takes the columns of a row one by one.
type rowScanner struct {
	row []driver.Value
	err error
}

func column[T any](r *rowScanner) (v T) {
	v, ok := r.row[0].(T)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("%w: expected a column of type %T, found %T", journal.ErrCorrupt, v, r.row[0])
	}
	r.row = r.row[1:]
	return v
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Runs implements [journal.Store]. Newest is what was created last in this file.
func (s *Store) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	limit := int64(-1)
	if f.Limit > 0 {
		limit = int64(f.Limit)
	}
	q, args := runsAll, []driver.Value{f.Plan, f.Kind, flag(f.Definition), limit}
	switch {
	case f.ID != "":
		q, args = runByID, append(args, f.ID, f.Status)
	case f.Status != "":
		q, args = runsByStatus, append(args, f.Status)
	}
	return rowsOf(s.listRuns(ctx, "runs", f.ID, kept(q, args...)))
}

// Heads implements [journal.HeadReader]. Its watchers miss what this process itself writes, which matters where two runtimes
// share a Store.
func (s *Store) Heads(ctx context.Context, runs []string) (map[string]uint64, error) {
	heads := make(map[string]uint64, len(runs))
	for _, run := range runs {
		if run == "" {
			continue // Runs takes it for all of them
		}
		rows, err := s.Runs(ctx, journal.RunFilter{ID: run})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			heads[run] = rows[i].Head
		}
	}
	return heads, nil
}

// kept reads by a statement that connections keep prepared.
func kept(q query, args ...driver.Value) reads {
	return func(c *conn, row func([]driver.Value) error) error { return c.each(row, q, args...) }
}

// rowsOf are the rows without their numbers.
func rowsOf(found []journal.Numbered[journal.RunRow], err error) ([]journal.RunRow, error) {
	var rows []journal.RunRow
	for i := range found {
		rows = append(rows, found[i].Row)
	}
	return rows, err
}

// reads calls row with every row that a query finds on a connection.
type reads func(c *conn, row func([]driver.Value) error) error

// listRuns lists runs, again where the ends of their journals were folded meanwhile.
func (s *Store) listRuns(ctx context.Context, op, run string, query reads) ([]journal.Numbered[journal.RunRow], error) {
	for {
		epoch := s.tail.epoch()
		rows, ahead, err := s.runs(ctx, op, run, query)
		if err != nil || s.tail.epoch() <= epoch+1 && !(run != "" && ahead) {
			return rows, err
		}
	}
}

// runs lists runs. Their heads come from the writer, the rest from a snapshot, and ahead reports whether a head is of after
// the snapshot. Who appends to a run behind its head writes its row again, so that row must be no older than the head.
func (s *Store) runs(ctx context.Context, op, run string, query reads) (rows []journal.Numbered[journal.RunRow], ahead bool, err error) {
	rows, err = collect(ctx, s, op, run, func(c *conn, list *[]journal.Numbered[journal.RunRow]) error {
		seen := s.tail.last() // the snapshot is not taken yet
		return query(c, func(row []driver.Value) error {
			r := rowScanner{row: row}
			id := column[int64](&r)
			found := journal.RunRow{
				ID: column[string](&r), Plan: column[string](&r), Kind: column[string](&r),
				Fingerprint: column[string](&r), Definition: column[string](&r), Status: column[string](&r),
				Error: column[string](&r), Created: column[int64](&r), Updated: column[int64](&r),
				Waiting: int(column[int64](&r)), Driver: column[string](&r), Ready: column[int64](&r) != 0, Labels: labelsOf(&r),
				Turn: journal.Turn{Queue: column[string](&r), Priority: int(column[int64](&r)), NotBefore: column[int64](&r), Dedup: column[string](&r)},
				Head: uint64(column[int64](&r)),
			}
			if p, ok := s.tail.get(id); ok {
				found.Head = p.seq
				ahead = ahead || p.row > seen
			}
			*list = append(*list, journal.Numbered[journal.RunRow]{Row: found, N: id})
			return r.err
		})
	})
	return rows, ahead, err
}

// Inbox implements [journal.Store].
func (s *Store) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	q, args := inboxOpen, []driver.Value(nil)
	switch {
	case f.ID != "":
		q, args = inboxByID, []driver.Value{f.ID}
	case f.Run != "":
		q, args = inboxOfRun, []driver.Value{f.Run}
	case f.All:
		q = inboxAll
	}
	return collect(ctx, s, "inbox", f.Run, func(c *conn, list *[]journal.Interrupt) error {
		if q == inboxOpen && f.Limit == 0 && f.Role == "" {
			n, _, err := c.one(inboxSize)
			if err != nil {
				return err
			}
			*list = make([]journal.Interrupt, 0, n)
		}
		return c.each(func(row []driver.Value) error {
			r := rowScanner{row: row}
			in := journal.Interrupt{ID: column[string](&r)}
			data := column[[]byte](&r)
			if r.err != nil {
				return r.err
			}
			if err := decodeInterrupt(&in, data); err != nil {
				return err
			}
			if !f.Match(&in) {
				return nil
			}
			if *list = append(*list, in); len(*list) == f.Limit {
				return errEnough
			}
			return nil
		}, q, args...)
	})
}

// Timers implements [journal.Store].
func (s *Store) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	most := int64(-1)
	if limit > 0 {
		most = int64(limit)
	}
	return collect(ctx, s, "timers", "", func(c *conn, list *[]journal.Timer) error {
		return c.each(func(row []driver.Value) error {
			r := rowScanner{row: row}
			*list = append(*list, journal.Timer{Run: column[string](&r), ID: column[string](&r), Due: column[int64](&r)})
			return r.err
		}, timersDue, due, most)
	})
}
