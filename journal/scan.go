package journal

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Tally counts values as [Counts] tell them.
type Tally struct {
	most int
	by   map[string]int
}

// NewTally counts at most so many rows of each value; 0 is MaxCount.
func NewTally(most int) *Tally {
	return &Tally{most: cmp.Or(max(most, 0), MaxCount), by: make(map[string]int)}
}

// Most is how many rows of a value are counted.
func (t *Tally) Most() int { return t.most }

// Add counts rows of a value.
func (t *Tally) Add(value string, rows int) { t.by[value] += rows }

// Counts are what was counted.
func (t *Tally) Counts() Counts {
	var c Counts
	for _, value := range slices.Sorted(maps.Keys(t.by)) {
		n := t.by[value]
		switch {
		case n == 0:
		case len(c.By) == MaxValues:
			c.More = true
			return c
		default:
			c.By = append(c.By, Count{Value: value, N: min(n, t.most), More: n > t.most})
		}
	}
	return c
}

// Value is the value by which a run is counted; false where it has none.
func (r *RunRow) Value(by string) (value string, ok bool) {
	switch by {
	case CountStatus:
		return r.Status, true
	case CountPlan:
		return r.Plan, true
	}
	value, ok = r.Labels[strings.TrimPrefix(by, LabelPrefix)]
	return value, ok
}

// Value is the value by which an interrupt is counted.
func (a *Asked) Value(by string) string {
	switch by {
	case CountState:
		return a.State
	case CountPlan:
		return a.Plan
	}
	return a.Role
}

// Tally counts those of the rows that the query selects.
func (q *RunQuery) Tally(rows iter.Seq[RunRow], by string, most int) Counts {
	t := NewTally(most)
	for r := range rows {
		if value, ok := r.Value(by); ok && q.Match(&r) {
			t.Add(value, 1)
		}
	}
	return t.Counts()
}

// Tally counts those of the rows that the query selects.
func (q *InterruptQuery) Tally(rows iter.Seq[Asked], by string, most int) Counts {
	t := NewTally(most)
	for a := range rows {
		if q.Match(&a.Interrupt, a.Plan) {
			t.Add(a.Value(by), 1)
		}
	}
	return t.Counts()
}

// Find returns the store as a [Finder].
//
// That is the store itself where it is one, else one that reads all rows and answers the same.
func Find(s Store) Finder {
	if f, ok := s.(Finder); ok {
		return f
	}
	return scanner{s}
}

// scanner finds by reading everything.
type scanner struct{ store Store }

// FindRuns implements [Finder].
func (s scanner) FindRuns(ctx context.Context, q RunQuery) (RunPage, error) {
	rows, err := s.store.Runs(ctx, RunFilter{})
	if err != nil {
		return RunPage{}, err
	}
	return q.Page(numbered(rows))
}

func numbered[T any](rows []T) []Numbered[T] {
	list := make([]Numbered[T], len(rows))
	for i := range rows {
		list[i].Row = rows[i]
	}
	return list
}

// CountRuns implements [Finder].
func (s scanner) CountRuns(ctx context.Context, q RunQuery, by string, most int) (Counts, error) {
	if err := q.CheckCount(by); err != nil {
		return Counts{}, err
	}
	rows, err := s.store.Runs(ctx, RunFilter{})
	if err != nil {
		return Counts{}, err
	}
	return q.Tally(slices.Values(rows), by, most), nil
}

// asked are the interrupts that may be meant, with the plans of their runs where the answer depends on them.
func (s scanner) asked(ctx context.Context, q *InterruptQuery, plans bool) (list []Asked, err error) {
	found, err := s.store.Inbox(ctx, InboxFilter{All: len(q.States) > 0})
	if err != nil {
		return nil, err
	}
	of := make(map[string]string)
	if plans {
		for _, definitions := range []bool{false, true} { // these can ask as well
			rows, err := s.store.Runs(ctx, RunFilter{Definition: definitions})
			if err != nil {
				return nil, err
			}
			for i := range rows {
				of[rows[i].ID] = rows[i].Plan
			}
		}
	}
	for i := range found {
		list = append(list, Asked{found[i], of[found[i].Run]})
	}
	return list, nil
}

// FindInterrupts implements [Finder].
func (s scanner) FindInterrupts(ctx context.Context, q InterruptQuery) (InterruptPage, error) {
	list, err := s.asked(ctx, &q, len(q.Plans) > 0)
	if err != nil {
		return InterruptPage{}, err
	}
	return q.Page(numbered(list))
}

// CountInterrupts implements [Finder].
func (s scanner) CountInterrupts(ctx context.Context, q InterruptQuery, by string, most int) (Counts, error) {
	if err := q.CheckCount(by); err != nil {
		return Counts{}, err
	}
	list, err := s.asked(ctx, &q, len(q.Plans) > 0 || by == CountPlan)
	if err != nil {
		return Counts{}, err
	}
	return q.Tally(slices.Values(list), by, most), nil
}
