package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// Compact implements [journal.Compactor]. Each block replaces its rows in a transaction of its own, which holds up
// appends to the run for that moment, and stands where the last of them stood: who reads meanwhile sees the rows or
// the block. The server gives the space to what is written next, when it has vacuumed.
func (s *Store) Compact(ctx context.Context, run string) (journal.Compaction, error) {
	var result journal.Compaction
	var seq uint64
	var err error
	if s.options.ReadOnly && !s.closed() {
		err = journal.ErrReadOnly
	} else {
		result, seq, err = s.compactor.Compact(ctx, run, &packing{store: s, run: run})
	}
	if err != nil {
		return journal.Compaction{}, s.fail("compact", run, seq, err)
	}
	return result, nil
}

// packing is a run that is packed; it is its rows, as [block.Rows].
type packing struct {
	store *Store
	run   string
	id    int64 // the run's number
}

// List implements [block.Rows].
func (p *packing) List(ctx context.Context) (list []block.Row, err error) {
	err = p.store.with(ctx, func(c *pgx.Conn) error {
		list, err = p.follow(ctx, c)
		return err
	})
	return list, err
}

func (p *packing) follow(ctx context.Context, c *pgx.Conn) ([]block.Row, error) {
	id, head, err := p.store.find(ctx, c, p.run)
	if err != nil {
		return nil, err
	}
	p.id = id
	found, err := c.Query(ctx, p.store.sql.of(readLinks), id)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(found, func(r pgx.CollectableRow) (row block.Row, err error) {
		var last int64
		var first []byte
		err = r.Scan(&last, &row.Size, &first)
		row.Last, row.Block = uint64(last), block.Is(first)
		return row, err
	})
	if err == nil && (len(list) == 0 || list[len(list)-1].Last < head) {
		again, _, err := p.store.find(ctx, c, p.run)
		switch {
		case err != nil:
			return nil, err
		case again != id: // deleted in between, and made anew
			return nil, block.ErrMoved
		}
		return nil, fmt.Errorf("%w: the entries up to seq %d are missing", journal.ErrCorrupt, head)
	}
	return list, err
}

// Data implements [block.Rows].
func (p *packing) Data(ctx context.Context, row block.Row) (data []byte, err error) {
	err = p.store.with(ctx, func(c *pgx.Conn) error {
		err := c.QueryRow(ctx, p.store.sql.of(readFrame), p.id, int64(row.Last)).Scan(&data)
		if errors.Is(err, pgx.ErrNoRows) {
			return block.ErrMoved
		}
		return err
	})
	return data, err
}

// Replace implements [block.Rows].
func (p *packing) Replace(ctx context.Context, behind block.Row, rows []block.Row, data []byte) error {
	return p.store.with(ctx, func(c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return p.replace(ctx, tx, int64(behind.Last), rows, data) })
	})
}

// replace puts a block in the place of rows that follow one another behind a seq. Others that pack or delete the run
// wait for its lock, and see what was done.
func (p *packing) replace(ctx context.Context, tx pgx.Tx, after int64, rows []block.Row, data []byte) error {
	sql, last := &p.store.sql, int64(rows[len(rows)-1].Last)
	locked, err := tx.Exec(ctx, sql.of(lockNumber), p.id)
	if err != nil {
		return err
	}
	found := int64(1)
	if after > 0 {
		if err := tx.QueryRow(ctx, sql.of(findLink), p.id, after).Scan(&found); err != nil {
			return err
		}
	}
	deleted, err := tx.Exec(ctx, sql.of(deletePacked), p.id, after, last)
	if err != nil {
		return err
	}
	updated, err := tx.Exec(ctx, sql.of(putPacked), p.id, last, data)
	if err == nil && (locked.RowsAffected() != 1 || found != 1 || deleted.RowsAffected() != int64(len(rows)-1) || updated.RowsAffected() != 1) {
		err = block.ErrMoved
	}
	return err
}
