package sqlite

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Swapper = (*Store)(nil)

// Cell implements [journal.Swapper].
func (s *Store) Cell(ctx context.Context, name string) (value []byte, err error) {
	err = s.reading(ctx, func(c *conn) error {
		value, err = cellOf(c, name)
		return err
	})
	if err != nil {
		return nil, s.fail("cell", "", 0, err)
	}
	return value, nil
}

// cellOf is the value of a cell; nil for none.
func cellOf(c *conn, name string) (value []byte, err error) {
	err = c.each(func(row []driver.Value) error {
		r := rowScanner{row: row}
		value = append([]byte{}, column[[]byte](&r)...)
		return r.err
	}, getCell, name)
	return value, err
}

// Swap implements [journal.Swapper].
func (s *Store) Swap(ctx context.Context, name string, was, next []byte) (now []byte, swapped bool, err error) {
	if err = journal.CheckCell(name); err == nil {
		err = s.leasing(ctx, func(w *writer) error {
			return w.transaction(func() error {
				now, swapped, err = w.swap(name, was, next)
				return err
			})
		})
	}
	if err != nil {
		return nil, false, s.fail("swap", "", 0, err)
	}
	return now, swapped, nil
}

// swap is Swap within a transaction.
func (w *writer) swap(name string, was, next []byte) (now []byte, swapped bool, err error) {
	now, err = cellOf(w.conn, name)
	if err != nil || (now == nil) != (was == nil) || !bytes.Equal(now, was) {
		return now, false, err
	}
	version, _, err := w.conn.one(nextVersion)
	switch {
	case err != nil:
	case next == nil:
		_, err = w.conn.exec(deleteCell, name)
	default:
		_, err = w.conn.exec(putCell, name, append([]byte{}, next...), version)
	}
	return next, err == nil, err
}

// Cells implements [journal.Swapper].
func (s *Store) Cells(ctx context.Context, prefix string, limit int) ([]journal.Cell, error) {
	most := int64(-1)
	if limit > 0 {
		most = int64(limit)
	}
	return collect(ctx, s, "cells", "", func(c *conn, list *[]journal.Cell) error {
		return c.each(func(row []driver.Value) error {
			r := rowScanner{row: row}
			cell := journal.Cell{Name: column[string](&r), Value: append([]byte{}, column[[]byte](&r)...)}
			*list = append(*list, cell)
			return r.err
		}, listCells, prefix, most)
	})
}

// newCells are the names of the cells with versions behind the last one that was seen, and the last one now.
func newCells(c *conn, seen int64) (names []string, last int64, err error) {
	if last, _, err = c.one(lastVersion); err != nil || last == seen {
		return nil, seen, err
	}
	err = c.each(func(row []driver.Value) error {
		name, ok := row[0].(string)
		if !ok {
			return fmt.Errorf("%w: the name of a cell is a %T, expected a string", journal.ErrCorrupt, row[0])
		}
		names = append(names, name)
		return nil
	}, cellsAfter, seen)
	return names, last, err
}
