package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Feeder = (*Store)(nil)

// feedSchema is the first schema with a feed.
const feedSchema = 5

// Feed implements [journal.Feeder]. One process writes at a time, so changes are numbered in the order in which they are stored.
func (s *Store) Feed(ctx context.Context, q journal.FeedQuery) (page journal.FeedPage, err error) {
	if s.schema < feedSchema {
		return page, s.fail("feed", "", 0, fmt.Errorf("%w: the file has schema %d, expected %d; a store that may write brings it there",
			journal.ErrReadOnly, s.schema, feedSchema))
	}
	var now, after journal.FeedPlace
	var numbers []uint64
	var changes []journal.RunChange
	rows, err := s.listRuns(ctx, "feed", "", func(c *conn, row func([]driver.Value) error) error {
		changes, numbers = changes[:0], numbers[:0]
		var err error
		if now, after, err = feedStart(c, &q); err != nil {
			return err
		}
		return c.each(func(v []driver.Value) error {
			r := rowScanner{row: v}
			changes = append(changes, journal.RunChange{Mark: uint64(column[int64](&r)), Gone: column[int64](&r) != 0})
			numbers = append(numbers, uint64(column[int64](&r)))
			if r.err != nil {
				return r.err
			}
			return row(v[2:])
		}, readFeed, int64(after.Mark), int64(after.N), int64(q.Size()+1), int64(after.Begin))
	})
	if err != nil {
		return page, err
	}
	for i := range rows {
		changes[i].Row = rows[i].Row
	}
	page.Began = after.Cursor()
	if page.More = len(changes) > q.Size(); page.More {
		changes = changes[:q.Size()]
	}
	if n := len(changes); n > 0 {
		after.Mark, after.N = changes[n-1].Mark, numbers[n-1]
	}
	if !page.More && after.Mark <= now.Mark {
		after.Mark, after.N = now.Mark, now.N
	}
	page.Changes, page.Next = changes, after.Cursor()
	return page, nil
}

// feedStart is where the feed has come to, and where a page begins.
func feedStart(c *conn, q *journal.FeedQuery) (now, after journal.FeedPlace, err error) {
	var forgotten int64
	err = c.each(func(v []driver.Value) error {
		r := rowScanner{row: v}
		now.Order, forgotten, now.Mark = column[string](&r), column[int64](&r), uint64(column[int64](&r))
		return r.err
	}, feedOrder)
	now.N, now.Begin = math.MaxInt64, now.Mark+1 // all changes of that mark
	if err == nil {
		after, err = q.Start(now, uint64(forgotten))
	}
	return now, after, err
}
