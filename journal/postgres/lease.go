package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
)

// Beat implements [journal.Leaser]. The server's clock counts, and nobody is told: drivers look by themselves.
func (s *Store) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	err := s.writing(ctx, func(c *pgx.Conn) (err error) {
		switch {
		case !isText(driver):
			return fmt.Errorf("the driver is %q: expected UTF-8 without NUL", driver)
		case ttl <= 0:
			_, err = c.Exec(ctx, s.sql.of(deleteBeat), driver)
		default:
			_, err = c.Exec(ctx, s.sql.of(putBeat), driver, ttl.Microseconds())
		}
		return err
	})
	if err != nil {
		return s.fail("beat", "", 0, err)
	}
	return nil
}

// Left implements [journal.Leaser].
func (s *Store) Left(ctx context.Context, driver string) (time.Duration, error) {
	left := int64(0)
	err := s.with(ctx, func(c *pgx.Conn) error {
		if !isText(driver) {
			return nil
		}
		err := c.QueryRow(ctx, s.sql.of(getBeat), driver).Scan(&left)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, s.fail("beat", "", 0, err)
	}
	return max(time.Duration(left)*time.Microsecond, 0), nil
}

// Drivers implements [journal.DriverLister].
func (s *Store) Drivers(ctx context.Context) ([]string, error) {
	names, err := list(ctx, s, s.sql.of(listAlive), nil, pgx.RowTo[string])
	if err != nil {
		return nil, s.fail("drivers", "", 0, err)
	}
	return names, nil
}

// Deserted implements [journal.Leaser].
func (s *Store) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	statement := listDeserted
	if q.Later {
		statement = listLater
	}
	rows, err := list(ctx, s, s.sql.of(statement), []any{int64(max(q.Limit, 0)), append([]string{}, q.Queues...), q.Due}, scanRun)
	if err != nil {
		return nil, s.fail("deserted", "", 0, err)
	}
	return rows, nil
}

// Claim implements [journal.Leaser].
func (s *Store) Claim(ctx context.Context, driver, run string) (claimed bool, err error) {
	err = s.writing(ctx, func(c *pgx.Conn) error {
		if !isText(driver) || !isText(run) {
			return nil
		}
		done, err := c.Exec(ctx, s.sql.of(claimRun), driver, run)
		claimed = done.RowsAffected() > 0
		return err
	})
	if err != nil {
		return false, s.fail("claim", run, 0, err)
	}
	return claimed, nil
}
