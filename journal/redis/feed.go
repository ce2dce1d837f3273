package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

var _ journal.Feeder = (*Store)(nil)

// A process of an earlier version may go on for so long after a newer one has brought the keys to its format. What it
// writes has no place in the feed by itself, so whoever reads the feed looks for it at intervals: at least the shortest, and not so often
// that looking takes more than a twentieth of the time.
const (
	earlierGoes  = 24 * time.Hour
	shortestLook = 2 * time.Second
	lookShare    = 20
	// clocksDiffer is how much the clocks of processes are taken to differ: they say when a run was written.
	clocksDiffer = time.Hour
)

// earlier is when this process has looked for what earlier versions have written.
type earlier struct {
	mu   sync.Mutex
	next time.Time
}

// deleted is what is known of a run that is gone.
type deleted struct {
	Plan   string `json:"plan"`
	Kind   string `json:"kind"`
	Labels string `json:"labels"`
}

// fedChanges is the answer of feed.lua.
type fedChanges struct {
	now       journal.FeedPlace
	forgotten uint64
	left      int64 // when an earlier format was left, in microseconds; 0 for never
	changes   []journal.RunChange
	gone      []string // what is known of each, as JSON; "" of one that is there
}

// Feed implements [journal.Feeder]. The server numbers changes in the script that makes them. Changes by processes of earlier versions
// beside this one are told within seconds, up to a day after the format was left that these write; of a run that they deleted
// nothing but its id is known.
func (s *Store) Feed(ctx context.Context, q journal.FeedQuery) (journal.FeedPage, error) {
	page, err := s.feed(ctx, &q)
	if err != nil {
		return journal.FeedPage{}, s.fail("feed", "", 0, err)
	}
	return page, nil
}

func (s *Store) feed(ctx context.Context, q *journal.FeedQuery) (page journal.FeedPage, err error) {
	head, err := s.readFeed(ctx, 0, 0)
	if err != nil {
		return page, err
	}
	at, err := q.Start(head.now, head.forgotten)
	if err == nil {
		err = s.markEarlier(ctx, head.left)
	}
	if err != nil {
		return page, err
	}
	page.Began = at.Cursor()
	found, err := s.readFeed(ctx, at.Mark, q.Size()+1)
	if err != nil {
		return page, err
	}
	if page.More = len(found.changes) > q.Size(); page.More {
		found.changes = found.changes[:q.Size()]
		at.Mark = found.changes[q.Size()-1].Mark
	} else {
		at.Mark = max(at.Mark, found.now.Mark)
	}
	page.Next = at.Cursor()
	page.Changes, err = s.fedRows(ctx, &found, at.Begin)
	return page, err
}

// fedRows are the changes with the rows of their runs. A run that was deleted meanwhile has another place by now.
func (s *Store) fedRows(ctx context.Context, found *fedChanges, begin uint64) (list []journal.RunChange, err error) {
	var ids []string
	for i := range found.changes {
		if found.gone[i] == "" {
			ids = append(ids, found.changes[i].Row.ID)
		}
	}
	rows, err := s.rowsIn(ctx, "", nil, ids)
	if err != nil {
		return nil, err
	}
	there := make(map[string]journal.RunRow, len(rows))
	for i := range rows {
		there[rows[i].ID] = rows[i]
	}
	for i, c := range found.changes {
		row, is := there[c.Row.ID]
		switch {
		case found.gone[i] != "" && c.Mark < begin:
		case found.gone[i] != "":
			var known deleted
			err := json.Unmarshal([]byte(found.gone[i]), &known)
			if err == nil && known.Labels != "" {
				err = json.Unmarshal([]byte(known.Labels), &c.Row.Labels)
			}
			if err != nil {
				return nil, fmt.Errorf("%w: what is known of run %s, which is gone: %w", journal.ErrCorrupt, c.Row.ID, err)
			}
			c.Row.Plan, c.Row.Kind, c.Gone = known.Plan, known.Kind, true
			list = append(list, c)
		case is:
			c.Row = row
			list = append(list, c)
		}
	}
	return list, nil
}

// readFeed asks for changes behind a mark.
func (s *Store) readFeed(ctx context.Context, mark uint64, most int) (found fedChanges, err error) {
	var said []string
	_, err = s.call(ctx, func() (err error) {
		said, err = resp.Strings(s.scripts.feed.Run(ctx, s.client, []string{s.key(meta), s.key(fed), s.key(gone)}, strconv.FormatUint(mark, 10), most))
		return err
	})
	if err != nil {
		return found, err
	}
	number := func(text string) (n uint64) {
		if text != "" && err == nil {
			n, err = strconv.ParseUint(text, 10, 53)
		}
		return n
	}
	if len(said) < 4 || len(said)%3 != 1 {
		return found, fmt.Errorf("%w: the feed is %q", journal.ErrCorrupt, said)
	}
	found.now = journal.FeedPlace{Order: said[0], Mark: number(said[1])}
	found.now.Begin = found.now.Mark + 1
	found.forgotten, found.left = number(said[2]), int64(number(said[3]))
	for i := 4; i < len(said); i += 3 {
		found.changes = append(found.changes, journal.RunChange{Mark: number(said[i]), Row: journal.RunRow{ID: said[i+1]}})
		found.gone = append(found.gone, said[i+2])
	}
	if err != nil {
		return found, fmt.Errorf("%w: the feed is %q", journal.ErrCorrupt, said)
	}
	return found, nil
}

// mark gives a run its place in the feed, if an earlier version has written to it.
func (s *Store) mark(ctx context.Context, run string) error {
	_, err := s.call(ctx, func() error {
		_, err := s.scripts.mark.Run(ctx, s.client, []string{s.runKey(run, ""), s.key(meta), s.key(fed), s.key(gone)}, run)
		return err
	})
	return err
}

// markEarlier gives what processes of earlier versions have written its place in the feed.
func (s *Store) markEarlier(ctx context.Context, left int64) error {
	began := time.Now()
	s.earlier.mu.Lock()
	defer s.earlier.mu.Unlock()
	if left == 0 || began.Before(s.earlier.next) {
		return nil
	}
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	since := time.UnixMicro(left)
	if now.Sub(since) > earlierGoes {
		s.earlier.next = began.Add(earlierGoes)
		return nil
	}
	q := journal.RunQuery{Updated: journal.Span{From: since.Add(-clocksDiffer).UnixMicro()}, Order: journal.ByUpdated, Limit: journal.MaxPage}
	for more := true; more; more = q.After != "" {
		page, err := s.FindRuns(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Runs {
			if err := s.mark(ctx, page.Runs[i].ID); err != nil {
				return err
			}
		}
		q.After = page.Next
	}
	if err := s.markDeleted(ctx); err != nil {
		return err
	}
	s.earlier.next = time.Now().Add(max(shortestLook, lookShare*time.Since(began)))
	return nil
}

// markDeleted is markEarlier for runs that were deleted, which it looks for where there are more in the feed than there are.
func (s *Store) markDeleted(ctx context.Context) error {
	var counts []int64
	_, err := s.call(ctx, func() (err error) {
		counts = counts[:0]
		for _, command := range [][]any{{"ZCARD", s.key(fed)}, {"HLEN", s.key(gone)}, {"ZLEXCOUNT", s.key(index), "[r\x00", "(r\x01"}} {
			n, err := resp.Int(s.client.Do(ctx, command...))
			if err != nil {
				return err
			}
			counts = append(counts, n)
		}
		return nil
	})
	if err != nil || counts[0]-counts[1] == counts[2] {
		return err
	}
	for mark, more := uint64(0), true; more; {
		found, err := s.readFeed(ctx, mark, listPage)
		if err != nil {
			return err
		}
		for i, c := range found.changes {
			if mark = c.Mark; found.gone[i] == "" {
				if err := s.mark(ctx, c.Row.ID); err != nil {
					return err
				}
			}
		}
		more = len(found.changes) == listPage
	}
	return nil
}
