package redis

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// Now implements [journal.Clock]: the time of the server.
func (s *Store) Now(ctx context.Context) (now time.Time, err error) {
	var said []string // seconds and microseconds
	_, err = s.call(ctx, func() (err error) {
		said, err = resp.Strings(s.client.Do(ctx, "TIME"))
		return err
	})
	if err == nil {
		now, err = timeOf(said)
	}
	if err != nil {
		return time.Time{}, s.fail("clock", "", 0, err)
	}
	return now, nil
}

func timeOf(said []string) (time.Time, error) {
	if len(said) == 2 {
		seconds, err1 := strconv.ParseInt(said[0], 10, 64)
		micros, err2 := strconv.ParseInt(said[1], 10, 64)
		if err1 == nil && err2 == nil {
			return time.Unix(seconds, micros*1000), nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: the server's time is %q", journal.ErrCorrupt, said)
}
