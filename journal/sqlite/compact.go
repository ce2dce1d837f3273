package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// giveBackPages is how many free pages are given back to the file system at a time. Others write in between.
const giveBackPages = 256

// Compact implements [journal.Compactor]. Each block replaces its rows in a transaction of its own, and stands where
// the last of them stood: who knows that row as the end of the run's chain goes on behind it, and who reads meanwhile
// sees the rows or the block. The pages that become free are given back to the file system.
//
// Files of versions that made no compact files do not shrink; their free pages are used for what is written next.
// SQLite's VACUUM shrinks them, when nobody has them open.
func (s *Store) Compact(ctx context.Context, run string) (journal.Compaction, error) {
	var result journal.Compaction
	var seq uint64
	err := ctx.Err()
	switch {
	case err != nil:
	case s.options.ReadOnly:
		err = s.readOnly()
	default:
		p := packing{store: s, run: run}
		if result, seq, err = s.compactor.Compact(ctx, run, &p); err == nil && p.written {
			err = s.giveBack(ctx)
		}
	}
	if err != nil {
		return journal.Compaction{}, s.fail("compact", run, seq, err)
	}
	return result, nil
}

// packing is a run that is packed; it is its rows, as [block.Rows].
type packing struct {
	store   *Store
	run     string
	id      int64 // the run's number
	rows    []block.Row
	written bool
}

// List implements [block.Rows].
func (p *packing) List(ctx context.Context) ([]block.Row, error) {
	err := p.store.reading(ctx, p.follow)
	return p.rows, err
}

// follow reads the chain.
func (p *packing) follow(c *conn) error {
	p.rows = p.rows[:0]
	return c.snapshot(func() error {
		id, end, err := endNow(c, p.run)
		if err != nil {
			return err
		}
		p.id = id
		err = c.each(func(row []driver.Value) error {
			r := rowScanner{row: row}
			found := block.Row{ID: column[int64](&r), Last: uint64(column[int64](&r)), Size: column[int64](&r)}
			found.Block = block.Is(column[[]byte](&r))
			p.rows = append(p.rows, found)
			return r.err
		}, readLinks, end.row, int64(0))
		slices.Reverse(p.rows)
		if err == nil && (len(p.rows) == 0 || p.rows[len(p.rows)-1].Last != end.seq) {
			return fmt.Errorf("%w: the entries up to seq %d are missing", journal.ErrCorrupt, end.seq)
		}
		return err
	})
}

// Data implements [block.Rows].
func (p *packing) Data(ctx context.Context, row block.Row) (data []byte, err error) {
	err = p.store.reading(ctx, func(c *conn) error {
		return c.each(func(row []driver.Value) error {
			r := rowScanner{row: row[1:]}
			data = column[[]byte](&r)
			return r.err
		}, readFrame, row.ID)
	})
	if err == nil && data == nil {
		err = block.ErrMoved
	}
	return data, err
}

// Replace implements [block.Rows].
func (p *packing) Replace(ctx context.Context, behind block.Row, rows []block.Row, data []byte) error {
	err := p.store.exclusive(ctx, func(w *writer) error { return w.replace(p.id, behind, rows, data) })
	p.written = p.written || err == nil
	return err
}

// replace puts a block in the place of rows that follow one another behind a row of the chain.
func (w *writer) replace(run int64, behind block.Row, rows []block.Row, data []byte) error {
	last := rows[len(rows)-1]
	return w.transaction(func() error {
		back := int64(0)
		if behind.ID > 0 {
			back = last.ID - behind.ID
			if _, found, err := w.conn.one(findLink, behind.ID, run, int64(behind.Last)); err != nil || !found {
				return errors.Join(err, block.ErrMoved)
			}
		}
		deleted, err := w.changed(deletePacked, last.ID, int64(behind.Last))
		if err != nil {
			return err
		}
		updated, err := w.changed(putPacked, last.ID, run, int64(last.Last), back, data)
		if err == nil && (updated != 1 || deleted != int64(len(rows)-1)) {
			err = block.ErrMoved
		}
		return err
	})
}

// changed is how many rows a statement changes.
func (w *writer) changed(q query, args ...driver.Value) (int64, error) {
	res, err := w.conn.exec(q, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// giveBack shrinks the file by its free pages.
func (s *Store) giveBack(ctx context.Context) error {
	for before := int64(-1); ; {
		var free int64
		err := s.exclusive(ctx, func(w *writer) error {
			var err error
			if free, _, err = w.conn.one(freePages); err != nil || free == 0 || free == before {
				return err
			}
			return w.conn.each(func([]driver.Value) error { return nil }, vacuum)
		})
		if err != nil || free == 0 || free == before {
			return err
		}
		before = free
	}
}

// endNow is the number of a run and the end of its chain as they are in the file at this moment; errors are
// journal.ErrNotFound and those of reading. The tail may know another moment than the one that is read next.
func endNow(c *conn, run string) (id int64, end place, err error) {
	id, found, err := c.one(findRun, run)
	if err == nil && !found {
		err = journal.ErrNotFound
	}
	if err != nil {
		return 0, place{}, err
	}
	err = c.each(func(row []driver.Value) error {
		r := rowScanner{row: row}
		end.row, end.seq = column[int64](&r), uint64(column[int64](&r))
		return r.err
	}, readEnd, id)
	return id, end, err
}
