package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Beat implements [journal.Leaser]. A file belongs to one machine, so its clock is that of all drivers.
func (s *Store) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	now := time.Now()
	err := s.leasing(ctx, func(w *writer) error {
		return w.transaction(func() error {
			_, err := w.conn.exec(sweepBeats, now.UnixMicro())
			switch {
			case err != nil:
			case ttl <= 0:
				_, err = w.conn.exec(deleteBeat, driver)
			default:
				_, err = w.conn.exec(putBeat, driver, now.Add(ttl).UnixMicro())
			}
			return err
		})
	})
	if err != nil {
		return s.fail("beat", "", 0, err)
	}
	return nil
}

// leasing does what writes nothing but leases, unless ctx is done.
func (s *Store) leasing(ctx context.Context, work func(*writer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.exclusive(ctx, work)
}

// Left implements [journal.Leaser].
func (s *Store) Left(ctx context.Context, driver string) (left time.Duration, err error) {
	err = s.reading(ctx, func(c *conn) error {
		until, found, err := c.one(getBeat, driver)
		if found {
			left = max(time.Until(time.UnixMicro(until)), 0)
		}
		return err
	})
	if err != nil {
		return 0, s.fail("beat", "", 0, err)
	}
	return left, nil
}

// Deserted implements [journal.Leaser].
func (s *Store) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	most := int64(-1)
	if q.Limit > 0 {
		most = int64(q.Limit)
	}
	queues, _ := json.Marshal(append([]string{}, q.Queues...)) //nolint:errchkjson // texts always encode
	statement := runsDeserted
	if q.Later {
		statement = runsLater
	}
	return rowsOf(s.listRuns(ctx, "runs", "", kept(statement, time.Now().UnixMicro(), most, string(queues), q.Due)))
}

// Drivers implements [journal.DriverLister].
func (s *Store) Drivers(ctx context.Context) ([]string, error) {
	return collect(ctx, s, "drivers", "", func(c *conn, list *[]string) error {
		return c.each(func(row []driver.Value) error {
			name, ok := row[0].(string)
			if !ok {
				return fmt.Errorf("%w: the name of a driver is a %T, expected a string", journal.ErrCorrupt, row[0])
			}
			*list = append(*list, name)
			return nil
		}, driversAlive, time.Now().UnixMicro())
	})
}

// Claim implements [journal.Leaser].
func (s *Store) Claim(ctx context.Context, driver, run string) (claimed bool, err error) {
	err = s.leasing(ctx, func(w *writer) error {
		return w.transaction(func() error {
			done, err := w.conn.exec(claimRun, driver, run, time.Now().UnixMicro())
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			claimed = n > 0
			return err
		})
	})
	if err != nil {
		return false, s.fail("claim", run, 0, err)
	}
	return claimed, nil
}
