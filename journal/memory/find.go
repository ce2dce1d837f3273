package memory

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Finder = (*store)(nil)

// query answers a query about what the index has, after check has found nothing wrong with it.
func query[T any](ctx context.Context, s *store, op string, check error, answer func() (T, error)) (t T, err error) {
	if err := s.ready(ctx, op, ""); err != nil {
		return t, err
	}
	if err = check; err == nil {
		s.mu.RLock()
		defer s.mu.RUnlock()
		t, err = answer()
	}
	if err != nil {
		return t, &journal.StoreError{Op: op, Err: err}
	}
	return t, nil
}

// FindRuns implements [journal.Finder]. It looks at all runs.
func (s *store) FindRuns(ctx context.Context, q journal.RunQuery) (journal.RunPage, error) {
	return query(ctx, s, "find runs", q.Check(), func() (journal.RunPage, error) {
		var found []journal.Numbered[journal.RunRow]
		for r := range s.index.runs.all() {
			if p := &r.index; q.Match(&p.row) {
				row := p.row
				row.Head = p.head.Load()
				found = append(found, journal.Numbered[journal.RunRow]{Row: row, N: int64(p.born)})
			}
		}
		page, err := q.Page(found)
		for i := range page.Runs {
			page.Runs[i].Labels = maps.Clone(page.Runs[i].Labels)
		}
		return page, err
	})
}

// CountRuns implements [journal.Finder].
func (s *store) CountRuns(ctx context.Context, q journal.RunQuery, by string, most int) (journal.Counts, error) {
	return query(ctx, s, "count runs", q.CheckCount(by), func() (journal.Counts, error) {
		rows := func(yield func(journal.RunRow) bool) {
			for r := range s.index.runs.all() {
				if !yield(r.index.row) {
					return
				}
			}
		}
		return q.Tally(rows, by, most), nil
	})
}

// asked are the interrupts that a query may mean, with the plans of their runs.
func (s *store) asked(q *journal.InterruptQuery) iter.Seq2[journal.Asked, uint64] {
	candidates := s.index.open.all()
	if len(q.States) > 0 {
		candidates = maps.Values(s.index.interrupts)
	}
	return func(yield func(journal.Asked, uint64) bool) {
		for in := range candidates {
			if !yield(journal.Asked{Interrupt: in.Interrupt, Plan: in.of.row.Plan}, in.born) {
				return
			}
		}
	}
}

// FindInterrupts implements [journal.Finder]. It looks at all that are open, or, of a query with states, at all.
func (s *store) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (journal.InterruptPage, error) {
	return query(ctx, s, "find interrupts", q.Check(), func() (journal.InterruptPage, error) {
		var found []journal.Numbered[journal.Asked]
		for a, born := range s.asked(&q) {
			if q.Match(&a.Interrupt, a.Plan) {
				found = append(found, journal.Numbered[journal.Asked]{Row: a, N: int64(born)})
			}
		}
		page, err := q.Page(found)
		for i, in := range slices.Backward(page.Interrupts) {
			page.Interrupts[i] = in.Clone()
		}
		return page, err
	})
}

// CountInterrupts implements [journal.Finder].
func (s *store) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (journal.Counts, error) {
	return query(ctx, s, "count interrupts", q.CheckCount(by), func() (journal.Counts, error) {
		rows := func(yield func(journal.Asked) bool) {
			for a := range s.asked(&q) {
				if !yield(a) {
					return
				}
			}
		}
		return q.Tally(rows, by, most), nil
	})
}
