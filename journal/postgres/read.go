package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// page reads a journal page by page.
type page struct {
	block.Pages
	store *Store
	id    int64 // the run's number
}

// Read implements [journal.Store]. The entries are those that were there when the iteration began.
func (s *Store) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		p := page{Pages: block.Pages{Run: run, Last: after}, store: s}
		for more := true; more; {
			err := s.with(ctx, func(c *pgx.Conn) error { return p.fetch(ctx, c) })
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

// find is a run's number and its head; the errors are journal.ErrNotFound, journal.ErrCorrupt and those of reading.
func (s *Store) find(ctx context.Context, c *pgx.Conn, run string) (id int64, head uint64, err error) {
	if !isText(run) {
		return 0, 0, journal.ErrNotFound
	}
	var signed int64
	err = c.QueryRow(ctx, s.sql.of(findRun), run).Scan(&id, &signed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = journal.ErrNotFound
	case err == nil && signed < 1:
		err = fmt.Errorf("%w: the run ends at seq %d", journal.ErrCorrupt, signed)
	}
	return id, uint64(max(signed, 0)), err
}

// fetch reads the next frames.
func (p *page) fetch(ctx context.Context, c *pgx.Conn) error {
	s := p.store
	if !p.Found {
		id, head, err := s.find(ctx, c, p.Run)
		if err != nil {
			return err
		}
		p.id, p.Head, p.Found, p.Last = id, head, true, min(p.Last, head)
		if p.Last == p.Head {
			return nil
		}
	}
	rows, err := c.Query(ctx, s.sql.of(readFrames), p.id, int64(p.Last))
	if err != nil {
		return err
	}
	p.Frames, err = pgx.AppendRows(p.Frames[:0], rows, pgx.RowTo[[]byte])
	if err != nil || len(p.Frames) > 0 {
		return err
	}
	// The run was deleted meanwhile, or frames are lost.
	id, _, err := s.find(ctx, c, p.Run)
	if err == nil && id != p.id {
		err = journal.ErrNotFound
	}
	if err == nil {
		err = fmt.Errorf("%w: the entries after seq %d are missing", journal.ErrCorrupt, p.Last)
	}
	return err
}

// Checkpoint implements [journal.Store].
func (s *Store) Checkpoint(ctx context.Context, run string) (check journal.Checkpoint, err error) {
	err = s.with(ctx, func(c *pgx.Conn) error {
		if !isText(run) {
			return nil
		}
		var seq int64
		err := c.QueryRow(ctx, s.sql.of(getCheckpoint), run).Scan(&seq, &check.Data)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		check.Seq = uint64(seq)
		return err
	})
	if err != nil {
		return journal.Checkpoint{}, s.fail("checkpoint", run, 0, err)
	}
	return check, nil
}

// list runs a query and makes a value of each row.
func list[T any](ctx context.Context, s *Store, query string, args []any, row func(pgx.CollectableRow) (T, error)) (all []T, err error) {
	err = s.with(ctx, func(c *pgx.Conn) error {
		for _, a := range args {
			if text, ok := a.(string); ok && !isText(text) {
				return nil // nothing is called so
			}
		}
		rows, err := c.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		all, err = pgx.AppendRows(all, rows, row)
		return err
	})
	return all, err
}

// selection is a query that grows by conditions.
type selection struct {
	query strings.Builder
	args  []any
}

func newSelection(query string) *selection {
	s := &selection{}
	s.query.WriteString(query)
	s.query.WriteString(" WHERE true")
	return s
}

// where adds a condition on a column, unless the value is that of a filter that selects all.
func (s *selection) where(column string, value any) {
	if value == "" {
		return
	}
	s.args = append(s.args, value)
	fmt.Fprintf(&s.query, " AND %s = $%d", column, len(s.args))
}

func (s *selection) order(by string, limit int) string {
	s.args = append(s.args, int64(max(limit, 0)))
	fmt.Fprintf(&s.query, " ORDER BY %s LIMIT NULLIF($%d::bigint, 0)", by, len(s.args))
	return s.query.String()
}

// Runs implements [journal.Store]. Newest is what was created last in this schema.
func (s *Store) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	q := newSelection(s.sql.of(listRuns))
	q.where("(kind = 'definition')", f.Definition)
	q.where("run", f.ID)
	q.where("status", f.Status)
	q.where("plan", f.Plan)
	q.where("kind", f.Kind)
	query := q.order("id DESC", f.Limit)
	rows, err := list(ctx, s, query, q.args, scanRun)
	if err != nil {
		return nil, s.fail("runs", f.ID, 0, err)
	}
	return rows, nil
}

// Heads implements [journal.HeadReader].
func (s *Store) Heads(ctx context.Context, runs []string) (map[string]uint64, error) {
	asked := slices.DeleteFunc(slices.Clone(runs), func(run string) bool { return !isText(run) })
	type at struct {
		run  string
		head int64
	}
	list, err := list(ctx, s, s.sql.of(readHeads), []any{asked}, func(row pgx.CollectableRow) (a at, err error) {
		return a, row.Scan(&a.run, &a.head)
	})
	if err != nil {
		return nil, s.fail("heads", "", 0, err)
	}
	heads := make(map[string]uint64, len(list))
	for _, a := range list {
		heads[a.run] = uint64(a.head)
	}
	return heads, nil
}

// scanRun makes a row of the columns of listRuns.
func scanRun(row pgx.CollectableRow) (r journal.RunRow, err error) { return scanRunAfter(row) }

// scanRunAfter is scanRun of a row that has other columns before.
func scanRunAfter(row pgx.CollectableRow, before ...any) (r journal.RunRow, err error) {
	var head int64
	var failure []byte
	var labels string
	err = row.Scan(append(before, &r.ID, &r.Plan, &r.Kind, &r.Fingerprint, &r.Definition, &r.Status, &failure, &r.Created, &r.Updated, &r.Waiting,
		&r.Driver, &r.Ready, &labels, &r.Queue, &r.Priority, &r.NotBefore, &r.Dedup, &head)...)
	r.Error, r.Head = string(failure), uint64(head)
	if err == nil && labels != "" {
		if err = json.Unmarshal([]byte(labels), &r.Labels); err != nil {
			err = fmt.Errorf("%w: the labels of run %s: %w", journal.ErrCorrupt, r.ID, err)
		}
	}
	return r, err
}

// Inbox implements [journal.Store].
func (s *Store) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	query := s.sql.of(listInterrupts)
	if f.Run != "" {
		query += " JOIN " + in(s.options.Schema, "@runs") + " r ON r.id = i.run"
	}
	q := newSelection(query)
	if !f.All {
		q.query.WriteString(" AND i.open")
	}
	q.where("i.interrupt", f.ID)
	q.where("i.role", f.Role)
	if f.Run != "" {
		q.where("r.run", f.Run)
	}
	query = q.order("i.opened, i.id", f.Limit)
	found, err := list(ctx, s, query, q.args, func(row pgx.CollectableRow) (journal.Interrupt, error) {
		var id string
		var data []byte
		if err := row.Scan(&id, &data); err != nil {
			return journal.Interrupt{}, err
		}
		return decodeInterrupt(id, data)
	})
	if err != nil {
		return nil, s.fail("inbox", f.Run, 0, err)
	}
	return found, nil
}

// Timers implements [journal.Store].
func (s *Store) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	found, err := list(ctx, s, s.sql.of(listTimers), []any{due, int64(max(limit, 0))}, func(row pgx.CollectableRow) (t journal.Timer, err error) {
		err = row.Scan(&t.Run, &t.ID, &t.Due)
		return t, err
	})
	if err != nil {
		return nil, s.fail("timers", "", 0, err)
	}
	return found, nil
}
