package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fermata-go/fermata/journal"
)

// How long calls are made again where the connection breaks. An append takes its time: the work that it holds would
// have to be done again. The waits between attempts double.
const (
	appendPatience = 8 * time.Second
	callPatience   = 2 * time.Second
	firstPause     = 5 * time.Millisecond
	lastPause      = 500 * time.Millisecond
)

// brokenError is a failure of the connection, and no answer of the server's to what it was asked.
type brokenError struct {
	error
	heard bool // the server may have heard the call, and may have done it
}

func (e brokenError) Unwrap() error { return e.error }

// once makes a call on a connection of its own.
func (s *Store) once(ctx context.Context, call func(*pgx.Conn) error) error {
	s.calls.RLock()
	defer s.calls.RUnlock()
	if s.closed() {
		return journal.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		if passes(err) && ctx.Err() == nil {
			return brokenError{error: err}
		}
		return err
	}
	defer c.Release()
	err = call(c.Conn())
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case c.Conn().IsClosed(): // the driver closes a connection that it cannot read from or write to
		return brokenError{error: err, heard: !pgconn.SafeToRetry(err)}
	case rolledBack(err):
		return brokenError{error: err}
	}
	return err
}

// passes reports whether a failure to connect may be over soon. A wrong password or name is not.
func passes(err error) bool {
	if _, broken := errors.AsType[brokenError](err); broken {
		return true
	}
	said, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		_, connecting := errors.AsType[*pgconn.ConnectError](err)
		return connecting
	}
	switch class := said.Code[:min(2, len(said.Code))]; class {
	case "08", "53", "57": // connection exception, insufficient resources, operator intervention
		return true
	}
	return false
}

// rolledBack reports whether the server has undone a statement for a reason that passes: 40001 and 40P01, another
// transaction was in its way; 55P03, a lock was not available in time; 57014, it was cancelled.
func rolledBack(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"40001", "40P01", "55P03", "57014"}, said.Code)
}

// again makes a call until the server has answered it, or patience is over.
func (s *Store) again(ctx context.Context, patience time.Duration, call func() error) error {
	began := time.Now()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := call()
		if _, broken := errors.AsType[brokenError](err); !broken || time.Since(began)+pause > patience {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-s.done:
			return journal.ErrClosed
		}
	}
}

// with makes a call that may be made again, until it is answered.
func (s *Store) with(ctx context.Context, call func(*pgx.Conn) error) error {
	return s.again(ctx, callPatience, func() error { return s.once(ctx, call) })
}

// write makes the call of an append until it is answered. An attempt whose answer got lost may have been written: then
// the fence refuses the next one, and the journal says whose entries it holds (law J3).
func (s *Store) write(ctx context.Context, b *journal.Batch, call func(*pgx.Conn) error) error {
	heard := false
	return s.again(ctx, appendPatience, func() error {
		err := s.once(ctx, call)
		if heard && errors.Is(err, journal.ErrConflict) {
			return s.ownEntries(ctx, b)
		}
		if broken, ok := errors.AsType[brokenError](err); ok {
			heard = heard || broken.heard
		}
		return err
	})
}

// ownEntries is nil where the journal holds the very entries of the batch, and so all that was written with them. A batch
// without entries leaves no trace.
func (s *Store) ownEntries(ctx context.Context, b *journal.Batch) error {
	if len(b.Entries) == 0 {
		return errors.New("the connection broke, and others have written meanwhile: outcome of the write unknown")
	}
	found := make([]journal.Entry, 0, len(b.Entries))
	for e, err := range s.Read(ctx, b.Run, b.After) {
		if errors.Is(err, journal.ErrNotFound) {
			return journal.ErrConflict
		}
		if err != nil {
			return fmt.Errorf("outcome of the write unknown: %w", err)
		}
		if found = append(found, e); len(found) == len(b.Entries) {
			break
		}
	}
	if !bytes.Equal(journal.AppendEntries(nil, found), journal.AppendEntries(nil, b.Entries)) {
		return journal.ErrConflict
	}
	if b.Durability == journal.Async {
		s.relaxed.Store(true)
	}
	s.tell(b.Run)
	return nil
}
