package postgres

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Feeder = (*Store)(nil)

// order is what is known of the order of changes.
type order struct {
	now       journal.FeedPlace // of the oldest transaction that is still on its way: no change before it can still come
	forgotten uint64            // the first transaction behind the last one that deleted a run which is not remembered any more
}

// Feed implements [journal.Feeder]. The order is that of transactions. A change behind one that may still come, of a transaction
// that is still on its way anywhere in the server, is told early, and again when that has ended. Only the first changes of these are told early, as
// many as the page has.
//
// Cursors count in one history of one server. After the standby has taken over, or a backup was restored, they are refused:
// transactions that the old server had may be lost, and their numbers given again.
func (s *Store) Feed(ctx context.Context, q journal.FeedQuery) (page journal.FeedPage, err error) {
	if err = s.with(ctx, func(c *pgx.Conn) error {
		page, err = s.feed(ctx, c, &q)
		return err
	}); err != nil {
		return journal.FeedPage{}, s.fail("feed", "", 0, err)
	}
	return page, nil
}

func (s *Store) feed(ctx context.Context, c *pgx.Conn, q *journal.FeedQuery) (page journal.FeedPage, err error) {
	of, err := s.orderOf(ctx, c)
	if err != nil {
		return page, err
	}
	after, err := q.Start(of.now, of.forgotten)
	if err != nil {
		return page, err
	}
	size := q.Size()
	rows, err := c.Query(ctx, s.sql.of(readFeed), strconv.FormatUint(after.Mark, 10), int64(after.N), int64(size+1), strconv.FormatUint(after.Begin, 10))
	if err != nil {
		return page, err
	}
	final, last := after.Mark, after
	list, err := pgx.AppendRows([]journal.RunChange(nil), rows, func(row pgx.CollectableRow) (change journal.RunChange, err error) {
		var xmin, tx, id int64
		change.Row, err = scanRunAfter(row, &xmin, &tx, &id, &change.Gone)
		change.Mark, final = uint64(tx), uint64(xmin)
		if n := len(page.Changes); err == nil && n < size {
			if page.Changes = append(page.Changes, change); change.Mark >= final {
				page.Early++
			} else {
				last.Mark, last.N = change.Mark, uint64(id)
			}
		}
		return change, err
	})
	switch {
	case err != nil:
		return page, err
	case len(list) > size && page.Early == 0:
		page.More = true
	default: // all that is final
		last.Mark, last.N = max(after.Mark, of.now.Mark, final), 0
		if last.Mark == after.Mark {
			last.N = after.N
		}
	}
	page.Began, page.Next = after.Cursor(), last.Cursor()
	return page, nil
}

// orderOf asks for the order. A schema that was brought here from another server has marks of that one, which are replaced first.
func (s *Store) orderOf(ctx context.Context, c *pgx.Conn) (of order, err error) {
	for {
		var store, made, cluster, timeline string
		var xmin, forgotten int64
		err = c.QueryRow(ctx, s.sql.of(orderOf)).Scan(&store, &made, &cluster, &timeline, &xmin, &forgotten)
		if err != nil || made == cluster {
			if forgotten > 0 {
				of.forgotten = uint64(forgotten) + 1 // there may be others of that transaction
			}
			of.now = journal.FeedPlace{Order: orderName(store, cluster, timeline), Mark: uint64(xmin), Begin: uint64(xmin)}
			return of, err
		}
		if s.options.ReadOnly {
			return of, fmt.Errorf("%w: the schema was brought here from another server: a store that may write has to ask for its feed first", journal.ErrReadOnly)
		}
		if err := s.adoptCluster(ctx, c, cluster); err != nil {
			return of, err
		}
	}
}

// orderName is a short name of the history of a store.
func orderName(parts ...string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join(parts, " "))) // which never fails
	return strconv.FormatUint(h.Sum64(), 36)
}

// adoptCluster gives all that has a mark of another server one of this one.
func (s *Store) adoptCluster(ctx context.Context, c *pgx.Conn, cluster string) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		var made string
		if err := tx.QueryRow(ctx, s.sql.of(lockFeed)).Scan(&made); err != nil || made == cluster {
			return err
		}
		for _, statement := range []string{markRestored, forgetRestored} {
			if _, err := tx.Exec(ctx, s.sql.of(statement)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, s.sql.of(nameCluster), cluster)
		return err
	})
}
