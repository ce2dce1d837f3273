package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Now implements [journal.Clock]: the time of the server.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	now := int64(0)
	err := s.with(ctx, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&now)
	})
	if err != nil {
		return time.Time{}, s.fail("clock", "", 0, err)
	}
	return time.UnixMicro(now), nil
}
