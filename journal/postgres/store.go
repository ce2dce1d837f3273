package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// Store is an open schema of a database. It implements [journal.Store], [journal.HeadReader], [journal.Leaser], [journal.Clock] and
// [journal.Compactor].
type Store struct {
	options   Options         // with their defaults
	address   string          // without secrets, for errors
	channel   string          // of notifications
	config    *pgx.ConnConfig // of the connection that listens, and for advice in errors
	pool      *pgxpool.Pool
	sql       statements      // for the schema
	compactor block.Compactor // packs runs
	closing   sync.Once       // lets the first Close close
	done      chan struct{}   // closed when the store is
	calls     sync.RWMutex    // held by calls, and taken by Close to wait for them
	relaxed   atomic.Bool     // something was appended that may not be on the server's disk
	news      news            // of writes that others have not been told of yet

	mu  sync.Mutex      // of own
	own map[uint32]bool // what the server calls our connections
}

var (
	_ journal.Store        = (*Store)(nil)
	_ journal.HeadReader   = (*Store)(nil)
	_ journal.Compactor    = (*Store)(nil)
	_ journal.DriverLister = (*Store)(nil)
	_ journal.Clock        = (*Store)(nil)
)

// writing is with for what changes something.
func (s *Store) writing(ctx context.Context, call func(*pgx.Conn) error) error {
	if err := s.writable(); err != nil {
		return err
	}
	return s.with(ctx, call)
}

func (s *Store) writable() error {
	if s.options.ReadOnly && !s.closed() {
		return journal.ErrReadOnly
	}
	return nil
}

func (s *Store) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// fail is an error of this store.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (s *Store) fail(op, run string, seq uint64, err error) error {
	return &journal.StoreError{Op: op, File: s.address, Run: run, Seq: seq, Err: typed(err)}
}

// typed is err with the store's errors around those that they are of.
func typed(err error) error {
	if _, ok := errors.AsType[pgx.ScanArgError](err); ok { // a column of another type
		return fmt.Errorf("%w: %w", journal.ErrCorrupt, err)
	}
	at, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	var kind error
	switch at.Code {
	case "53100": // disk_full
		kind = journal.ErrNoSpace
	case "25006", "42501": // read_only_sql_transaction, insufficient_privilege
		kind = journal.ErrReadOnly
	case "XX001", "XX002", "42P01", "42703", "42804", "42883": // damaged pages; tables and columns that are not ours
		kind = journal.ErrCorrupt
	default:
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// isText reports whether the server can keep s as text.
func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// maxSeq is the last seq that a journal here can have.
const maxSeq = math.MaxInt64 - 1<<32

// Delete implements [journal.Store]. The run is locked first: what is being appended to it is seen, and removed, too.
func (s *Store) Delete(ctx context.Context, run string) error {
	err := s.writing(ctx, func(c *pgx.Conn) error {
		if !isText(run) {
			return nil
		}
		var b pgx.Batch
		b.Queue(s.sql.of(lockRun), run)
		b.Queue(s.sql.of(deleteRun), run)
		return c.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		return s.fail("delete", run, 0, err)
	}
	s.tell(run)
	return nil
}

// closeTimeout bounds what Close waits for beside appends.
const closeTimeout = 10 * time.Second

// Close implements [journal.Store]. Batches that were appended with journal.Async are on the server's disk when it returns nil.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		close(s.done)
		s.calls.Lock()
		defer s.calls.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		err = s.finish(ctx)
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			s.pool.Close() // which waits for the server, 15 seconds where it is silent
		}()
		select {
		case <-closed:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return s.fail("close", "", 0, err)
	}
	return nil
}

// finish waits for the disk, by a commit that does, and tells others of what they have not been told.
func (s *Store) finish(ctx context.Context) error {
	if s.news.empty() && !s.relaxed.Load() {
		return nil
	}
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if s.relaxed.Load() {
		if _, err := c.Exec(ctx, s.sql.of(touch)); err != nil {
			return err
		}
	}
	return s.tellAll(ctx, c.Conn())
}
