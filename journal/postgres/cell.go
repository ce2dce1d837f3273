package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Swapper = (*Store)(nil)

// Cell implements [journal.Swapper].
func (s *Store) Cell(ctx context.Context, name string) (value []byte, err error) {
	err = s.with(ctx, func(c *pgx.Conn) error {
		value, err = s.cellOf(ctx, c, name)
		return err
	})
	if err != nil {
		return nil, s.fail("cell", "", 0, err)
	}
	return value, nil
}

// cellOf is the value of a cell; nil for none.
func (s *Store) cellOf(ctx context.Context, c *pgx.Conn, name string) (value []byte, err error) {
	if !isText(name) {
		return nil, nil
	}
	err = c.QueryRow(ctx, s.sql.of(getCell), name).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return append([]byte{}, value...), err
}

// Swap implements [journal.Swapper].
func (s *Store) Swap(ctx context.Context, name string, was, next []byte) (now []byte, swapped bool, err error) {
	if err = journal.CheckCell(name); err == nil {
		err = s.writing(ctx, func(c *pgx.Conn) error {
			now, swapped, err = s.swap(ctx, c, name, was, next)
			return err
		})
	}
	if err != nil {
		return nil, false, s.fail("swap", "", 0, err)
	}
	if swapped {
		s.tell(name)
	}
	return now, swapped, nil
}

// swap is Swap on a connection: one statement decides, and where it changes nothing another one says what there is.
func (s *Store) swap(ctx context.Context, c *pgx.Conn, name string, was, next []byte) (now []byte, swapped bool, err error) {
	statement, args := updateCell, []any{name, was, next}
	switch {
	case was == nil && next == nil:
		now, err = s.cellOf(ctx, c, name)
		return now, now == nil, err
	case was == nil:
		statement, args = insertCell, []any{name, next}
	case next == nil:
		statement, args = deleteCell, []any{name, was}
	}
	done, err := c.Exec(ctx, s.sql.of(statement), args...)
	if err != nil {
		return nil, false, err
	}
	if done.RowsAffected() > 0 {
		return next, true, nil
	}
	now, err = s.cellOf(ctx, c, name)
	return now, false, err
}

// Cells implements [journal.Swapper].
func (s *Store) Cells(ctx context.Context, prefix string, limit int) ([]journal.Cell, error) {
	if !isText(prefix) {
		return nil, nil
	}
	cells, err := list(ctx, s, s.sql.of(listCells), []any{prefix, int64(max(limit, 0))}, func(row pgx.CollectableRow) (cell journal.Cell, err error) {
		err = row.Scan(&cell.Name, &cell.Value)
		cell.Value = append([]byte{}, cell.Value...)
		return cell, err
	})
	if err != nil {
		return nil, s.fail("cells", "", 0, err)
	}
	return cells, nil
}
