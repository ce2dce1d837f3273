package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fermata-go/fermata/journal"
)

// Append implements [journal.Store]. It is one statement, and nothing is kept in memory: an append with journal.Async
// does not wait for the server's disk, which has it within a second (three times the server's wal_writer_delay), and
// fails like any other.
//
// When the connection breaks before the server has answered, the append is made again for some seconds, and takes effect
// once: entries that are the batch's own are no conflict. An error that is none of [journal.ErrConflict] does not say
// whether the batch was written.
func (s *Store) Append(ctx context.Context, b journal.Batch) error {
	if err := s.append(ctx, &b); err != nil {
		return s.fail("append", b.Run, b.After+1, err)
	}
	return nil
}

func (s *Store) append(ctx context.Context, b *journal.Batch) error {
	if err := errors.Join(b.Validate(), texts(b)); err != nil {
		return fmt.Errorf("%w: %w", journal.ErrRefused, err)
	}
	if err := s.writable(); err != nil {
		return err
	}
	return s.write(ctx, b, func(c *pgx.Conn) error {
		switch {
		case b.After > maxSeq: // no journal is that long
			return journal.ErrConflict
		case b.Head() > maxSeq:
			return fmt.Errorf("%w: a journal holds at most %d entries", journal.ErrRefused, int64(maxSeq))
		case plain(b):
			return s.appendFrame(ctx, c, b)
		}
		return s.appendWhole(ctx, c, b)
	})
}

// plain reports whether a batch is only entries, as most are.
func plain(b *journal.Batch) bool {
	return b.After > 0 && len(b.Entries) > 0 && b.Row == nil && len(b.Interrupts) == 0 && len(b.Timers) == 0 && b.Checkpoint == nil
}

// texts is why the server cannot keep the batch's names, which it must find again.
func texts(b *journal.Batch) (err error) {
	check := func(what, name string) {
		if err == nil && !isText(name) {
			err = fmt.Errorf("%s is %q: expected UTF-8 without NUL, which is what PostgreSQL takes for a text", what, name)
		}
	}
	check("the id of the run", b.Run)
	if r := b.Row; r != nil {
		check("the plan", r.Plan)
		check("the kind of the plan", r.Kind)
		check("the fingerprint", r.Fingerprint)
		check("the definition", r.Definition)
		check("the status", r.Status)
		check("the driver", r.Driver)
		check("the queue", r.Queue)
		check("the deduplication key", r.Dedup)
	}
	for i := range b.Interrupts {
		check("the id of an interrupt", b.Interrupts[i].ID)
		check("the role of an interrupt", b.Interrupts[i].Role)
		check("the kind of an interrupt", b.Interrupts[i].Kind)
		check("the state of an interrupt", b.Interrupts[i].State)
	}
	for i := range b.Timers {
		check("the id of a timer", b.Timers[i].ID)
	}
	return err
}

// appendFrame writes entries alone.
func (s *Store) appendFrame(ctx context.Context, c *pgx.Conn, b *journal.Batch) error {
	frame := journal.AppendEntries(nil, b.Entries)
	tag, err := c.Exec(ctx, s.sql.as(appendFrame, b.Durability), b.Run, int64(b.After), int64(b.Head()), frame)
	return s.written(b, tag, err)
}

// written is what became of an append: without a row, its fence has not let it through. Others are told of it soon
// after: a NOTIFY in the same transaction would make all commits wait for one another, each for its own turn at the disk.
func (s *Store) written(b *journal.Batch, tag pgconn.CommandTag, err error) error {
	switch {
	case err != nil:
		return err
	case tag.RowsAffected() == 0:
		return journal.ErrConflict
	case b.Durability == journal.Async:
		s.relaxed.Store(true)
	}
	s.tell(b.Run)
	return nil
}

// appendWhole writes a batch with projections.
func (s *Store) appendWhole(ctx context.Context, c *pgx.Conn, b *journal.Batch) error {
	var frame []byte
	if len(b.Entries) > 0 {
		frame = journal.AppendEntries(nil, b.Entries)
	}
	args := []any{b.Run, int64(b.After), int64(b.Head()), frame}
	row := b.Row
	if row == nil {
		row = &journal.RunRow{}
	}
	args = append(
		args, b.Row != nil, row.Plan, row.Kind, row.Fingerprint, row.Definition, row.Status, []byte(row.Error),
		row.Created, row.Updated, int64(row.Waiting),
	)
	args, err := appendInterrupts(args, b.Interrupts)
	if err != nil {
		return err
	}
	args = append(appendTimers(args, b), nil, nil)
	if k := b.Checkpoint; k != nil {
		args[len(args)-2], args[len(args)-1] = int64(k.Seq), append([]byte{}, k.Data...)
	}
	statement := s.sql.as(updateRun, b.Durability)
	if b.After == 0 {
		statement = s.sql.as(createRun, b.Durability)
	}
	args = append(args, row.Driver, row.Ready, b.Driver, labelText(row.Labels))
	args = append(append(args, columnsOf(b.Interrupts)...), row.Queue, int64(row.Priority), row.NotBefore, row.Dedup)
	for {
		tag, err := c.Exec(ctx, statement, args...)
		err = s.written(b, tag, err)
		if again := b.After == 0 && b.Driver == nil && row.Dedup != "" && errors.Is(err, journal.ErrConflict); again {
			if err, again = s.held(ctx, c, b); again {
				continue
			}
		}
		return s.refused(ctx, c, b, err)
	}
}

// held is why a run was not created: it exists, or another one holds its deduplication key. free reports that neither is so
// any more.
func (s *Store) held(ctx context.Context, c *pgx.Conn, b *journal.Batch) (err error, free bool) { //nolint:revive // the error is the result
	var run string
	err = c.QueryRow(ctx, s.sql.of(holders), b.Run, b.Row.Dedup).Scan(&run)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, true
	case err != nil:
		return err, false
	case run == b.Run:
		return journal.ErrConflict, false
	}
	return &journal.HeldError{Key: b.Row.Dedup, Run: run}, false
}

// refused is err, or which interrupt it was that made the statement fail: one that another run has.
func (s *Store) refused(ctx context.Context, c *pgx.Conn, b *journal.Batch, err error) error {
	at, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || at.Code != "23502" || at.TableName != "interrupts" || at.ColumnName != "run" {
		return err
	}
	var ids []string
	for i := range b.Interrupts {
		ids = append(ids, b.Interrupts[i].ID)
	}
	var id, owner string
	if c.QueryRow(ctx, s.sql.of(ownerOfInterrupt), ids, b.Run).Scan(&id, &owner) != nil {
		return fmt.Errorf("%w: an interrupt of the batch belongs to another run", journal.ErrRefused)
	}
	return fmt.Errorf("%w: interrupt %s belongs to run %s", journal.ErrRefused, id, owner)
}

// appendInterrupts appends the columns of interrupts to args. One that comes twice is what it is last.
func appendInterrupts(args []any, interrupts []journal.Interrupt) ([]any, error) {
	var ids, roles []string
	var opened []int64
	var open []bool
	var data [][]byte
	places := make(map[string]int, len(interrupts))
	for i := range interrupts {
		q := &interrupts[i]
		encoded, err := encodeInterrupt(q)
		if err != nil {
			return nil, err
		}
		at, again := places[q.ID]
		if !again {
			at = len(ids)
			places[q.ID] = at
			ids, roles, opened, open, data = append(ids, q.ID), append(roles, ""), append(opened, 0), append(open, false), append(data, nil)
		}
		roles[at], opened[at], open[at], data[at] = q.Role, q.Opened, q.IsOpen(), encoded
	}
	return append(args, ids, opened, open, roles, data), nil
}

// appendTimers appends the columns of timers to args: those that are set, those that are done, and whether all are.
func appendTimers(args []any, b *journal.Batch) []any {
	var set, done []string
	var due []int64
	ended := b.Row != nil && b.Row.Ended()
	last := make(map[string]int, len(b.Timers))
	for i := range b.Timers {
		last[b.Timers[i].ID] = i
	}
	for i := range b.Timers {
		switch t := &b.Timers[i]; {
		case ended || last[t.ID] != i:
		case t.Done:
			done = append(done, t.ID)
		default:
			set, due = append(set, t.ID), append(due, t.Due)
		}
	}
	return append(args, set, due, done, ended)
}
