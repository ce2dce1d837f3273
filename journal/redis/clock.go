package redis

import (
	"context"
	"time"
)

// Now implements [journal.Clock]: the time of the server.
func (s *Store) Now(ctx context.Context) (now time.Time, err error) {
	_, err = s.call(ctx, func() (err error) {
		now, err = s.client.Time(ctx).Result()
		return err
	})
	if err != nil {
		return time.Time{}, s.fail("clock", "", 0, err)
	}
	return now, nil
}
