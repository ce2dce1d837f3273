package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Feeder = (*store)(nil)

// mostGone bounds the deleted runs that a store in memory remembers, beside their age.
const mostGone = 10_000

// changed is a run's last change.
type changed struct {
	mark uint64
	run  *run           // nil: it was deleted
	gone journal.RunRow // what is known of a deleted run
	at   time.Time      // when it was deleted
}

// feed holds the last change of each run, in order.
type feed struct {
	order     string            // names it
	mark      uint64            // of the last change
	changes   ordered[*changed] // of runs that are there
	gone      []*changed        // of deleted runs, by mark
	forgotten uint64            // mark of the last deletion that is not in gone any more
}

func byMark(a, b *changed) int { return cmp.Compare(a.mark, b.mark) }

// touch makes a run the last one that has changed.
func (f *feed) touch(r *run) {
	p := &r.index
	if p.row.Kind == journal.KindDefinition || p.born == 0 {
		return
	}
	f.mark++
	if p.change == nil {
		p.change = &changed{run: r}
	} else {
		f.changes.remove(p.change)
	}
	p.change.mark = f.mark
	f.changes.add(p.change)
}

// remove makes a run one that is gone.
func (f *feed) remove(r *run) {
	c := r.index.change
	if c == nil {
		return
	}
	f.changes.remove(c)
	r.index.change = nil
	f.mark++
	row := &r.index.row
	now := time.Now()
	f.gone = append(f.gone, &changed{mark: f.mark, at: now, gone: journal.RunRow{ID: row.ID, Plan: row.Plan, Kind: row.Kind, Labels: row.Labels}})
	for len(f.gone) > mostGone || now.Sub(f.gone[0].at) > journal.KeepGone {
		f.forgotten, f.gone[0] = f.gone[0].mark, nil
		f.gone = f.gone[1:]
	}
}

// Feed implements [journal.Feeder].
func (s *store) Feed(ctx context.Context, q journal.FeedQuery) (journal.FeedPage, error) {
	return query(ctx, s, "feed", nil, func() (page journal.FeedPage, err error) {
		f := &s.index.feed
		at, err := q.Start(journal.FeedPlace{Order: f.order, Mark: f.mark, Begin: f.mark + 1}, f.forgotten)
		if err != nil {
			return page, err
		}
		page.Began = at.Cursor()
		next := merged(f, at)
		c := next()
		for ; c != nil && len(page.Changes) < q.Size(); c = next() {
			change := journal.RunChange{Mark: c.mark, Gone: c.run == nil, Row: c.gone}
			if c.run != nil {
				change.Row = c.run.index.shown()
			}
			change.Row.Labels = maps.Clone(change.Row.Labels)
			page.Changes = append(page.Changes, change)
			at.Mark = c.mark
		}
		if page.More = c != nil; !page.More {
			at.Mark = f.mark
		}
		page.Next = at.Cursor()
		return page, nil
	})
}

// merged returns a function that returns the changes behind a place one after the other; nil at the end.
func merged(f *feed, at journal.FeedPlace) func() *changed {
	there := f.changes.behind(&changed{mark: at.Mark})
	first, _ := slices.BinarySearchFunc(f.gone, max(at.Mark+1, at.Begin), func(c *changed, mark uint64) int { return cmp.Compare(c.mark, mark) })
	gone := f.gone[first:]
	left := there()
	return func() (c *changed) {
		if len(gone) > 0 && (left == nil || gone[0].mark < left.mark) {
			c, gone = gone[0], gone[1:]
			return c
		}
		if c = left; c != nil {
			left = there()
		}
		return c
	}
}
