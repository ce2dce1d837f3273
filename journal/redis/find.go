package redis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// stretch is a part of an index: the members of a base from one time to another.
type stretch struct {
	key, base string // the index, and what its members begin with
	low, high string // bounds behind the base; "" for none
	backward  bool
	ordered   bool // its order is the query's, so that it may end early
}

// range of the index.
func (s *stretch) bounds() (low, high string) {
	if low = "[" + s.base + s.low; s.high != "" {
		return low, "(" + s.base + s.high
	}
	return low, "(" + s.base + "\xff" // behind a base is a digit
}

// span bounds a stretch by times.
func (s *stretch) span(t journal.Span) {
	if t.From != 0 {
		s.low = sortable(t.From)
	}
	if t.To != 0 {
		s.high = sortable(t.To)
	}
}

// after lets a stretch begin behind a place.
func (s *stretch) after(at journal.Place) {
	if s.backward {
		if bound := sortable(at.Time) + numeral(at.N); s.high == "" || bound < s.high {
			s.high = bound
		}
		return
	}
	if bound := sortable(at.Time) + numeral(at.N+1); bound > s.low {
		s.low = bound
	}
}

// numeral is a number as the scripts write it.
func numeral(n int64) string { return fmt.Sprintf("%0*d", born, n) }

// parse is the number and the id of a member.
func (s *stretch) parse(member string) (n int64, id string, err error) {
	const time = 16
	if rest := strings.TrimPrefix(member, s.base); len(rest) >= time+born {
		if n, err = strconv.ParseInt(rest[time:time+born], 10, 64); err == nil {
			return n, rest[time+born:], nil
		}
	}
	return 0, "", fmt.Errorf("%w: the index %s has %q", journal.ErrCorrupt, s.key, member)
}

// walkStretch calls take with the members of a stretch by their ids, until it has enough.
func (s *Store) walkStretch(ctx context.Context, st *stretch, take func(members, ids []string, numbers map[string]int64) (bool, error)) error {
	low, high := st.bounds()
	return s.walkFrom(ctx, st.key, low, high, st.backward, func(members []string) (bool, error) {
		ids, numbers := make([]string, len(members)), make(map[string]int64, len(members))
		for i, m := range members {
			n, id, err := st.parse(m)
			if err != nil {
				return false, err
			}
			ids[i], numbers[id] = id, n
		}
		return take(members, ids, numbers)
	})
}

// stretches are where the runs of a query are.
func (s *Store) stretches(q *journal.RunQuery, by string, names ...string) []stretch {
	at, behind, _ := q.Start()
	base := func(name string) stretch {
		st := stretch{key: s.key(found), base: name, backward: true, ordered: q.Order != journal.ByUpdated}
		if st.ordered && behind {
			st.after(at)
		}
		st.span(journal.Span{From: q.Created.From})
		if to := q.Created.To; to != 0 && (st.high == "" || sortable(to) < st.high) {
			st.high = sortable(to)
		}
		return st
	}
	var list []stretch
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		list = append(list, base(by+named(name)))
	}
	if by != "" {
		return list
	}
	switch {
	case len(q.Labels) > 0:
		key := slices.Min(slices.Collect(maps.Keys(q.Labels)))
		return []stretch{base(byLabel + named(key, q.Labels[key]))}
	case q.Order == journal.ByUpdated:
		st := stretch{key: s.key(found), base: byUpdated, backward: true, ordered: true}
		st.span(q.Updated)
		if behind {
			st.after(at)
		}
		return []stretch{st}
	case len(q.Statuses) > 0:
		return s.stretches(q, byStatus, q.Statuses...)
	case len(q.Plans) > 0:
		return s.stretches(q, byPlan, q.Plans...)
	}
	return []stretch{base(byCreated)}
}

// find collects the runs of stretches that a query selects, of each at most so many; 0 is all.
func (s *Store) find(ctx context.Context, q *journal.RunQuery, list []stretch, most int) (all []journal.Numbered[journal.RunRow], err error) {
	for i := range list {
		n := 0
		err := s.walkStretch(ctx, &list[i], func(members, ids []string, numbers map[string]int64) (bool, error) {
			rows, err := s.rowsIn(ctx, list[i].key, members, ids)
			for j := range rows {
				if q.Match(&rows[j]) {
					all = append(all, journal.Numbered[journal.RunRow]{Row: rows[j], N: numbers[rows[j].ID]})
					if n++; n == most {
						return true, err
					}
				}
			}
			return false, err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// FindRuns implements [journal.Finder].
func (s *Store) FindRuns(ctx context.Context, q journal.RunQuery) (page journal.RunPage, err error) {
	if err = q.Check(); err == nil {
		list, most := s.stretches(&q, ""), q.Size()+1
		if !list[0].ordered {
			most = 0
		}
		var all []journal.Numbered[journal.RunRow]
		if all, err = s.find(ctx, &q, list, most); err == nil {
			page, err = q.Page(once(all, func(r *journal.RunRow) string { return r.ID }))
		}
	}
	if err != nil {
		return journal.RunPage{}, s.fail("find runs", "", 0, err)
	}
	return page, nil
}

// once leaves out what was found again because it changed its place meanwhile.
func once[T any](all []journal.Numbered[T], id func(*T) string) []journal.Numbered[T] {
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(r journal.Numbered[T]) bool {
		again := seen[id(&r.Row)]
		seen[id(&r.Row)] = true
		return again
	})
}

// names are the different names that follow on a base in an index, at most so many.
func (s *Store) names(ctx context.Context, key, base string, most int) (list []string, err error) {
	low := "[" + base
	for len(list) < most {
		var members []string
		_, err := s.call(ctx, func() (err error) {
			members, err = resp.Strings(s.client.Do(ctx, "ZRANGE", s.key(key), low, "("+base+"\xff", "BYLEX", "LIMIT", 0, 1))
			return err
		})
		if err != nil || len(members) == 0 {
			return list, err
		}
		name, _, ok := strings.Cut(members[0][len(base):], "\x00")
		if !ok {
			return nil, fmt.Errorf("%w: the index %s has %q", journal.ErrCorrupt, key, members[0])
		}
		list, low = append(list, name), "["+base+name+"\x01"
	}
	return list, nil
}

// mostNames is how many values are looked at where they are counted.
const mostNames = 5 * journal.MaxValues

// CountRuns implements [journal.Finder].
func (s *Store) CountRuns(ctx context.Context, q journal.RunQuery, by string, most int) (journal.Counts, error) {
	t, err := journal.NewTally(most), q.CheckCount(by)
	if err == nil {
		q.After = ""
		base := map[string]string{journal.CountStatus: byStatus, journal.CountPlan: byPlan}[by]
		if key, ok := strings.CutPrefix(by, journal.LabelPrefix); ok {
			base = byLabel + named(key)
		}
		var names []string
		names, err = s.names(ctx, found, base, mostNames)
		for _, name := range names {
			if err == nil {
				err = s.countRuns(ctx, &q, by, base, name, t)
			}
		}
	}
	if err != nil {
		return journal.Counts{}, s.fail("count runs", "", 0, err)
	}
	return t.Counts(), nil
}

// countRuns counts the runs with a name.
func (s *Store) countRuns(ctx context.Context, q *journal.RunQuery, by, base, name string, t *journal.Tally) error {
	list := s.stretches(q, base, name)
	bare := journal.RunQuery{Created: q.Created, Order: q.Order}
	if q.Is(&bare) && !strings.Contains(name, "\uFFFD") {
		low, high := list[0].bounds()
		_, err := s.call(ctx, func() error {
			n, err := resp.Int(s.client.Do(ctx, "ZLEXCOUNT", list[0].key, low, high))
			if err == nil {
				t.Add(name, int(n))
			}
			return err
		})
		return err
	}
	all, err := s.find(ctx, q, list, t.Most()+1)
	for i := range all {
		if value, ok := all[i].Row.Value(by); ok {
			t.Add(value, 1)
		}
	}
	return err
}

// asking are where the interrupts of a query are.
func (s *Store) asking(ctx context.Context, q *journal.InterruptQuery) (list []stretch, err error) {
	open := !slices.ContainsFunc(q.States, func(state string) bool { return state != journal.Open && state != journal.Claimed })
	base := func(key, name string) {
		list = append(list, stretch{key: s.key(key), base: name, ordered: q.Order != journal.ByDue})
	}
	switch {
	case len(q.Runs) > 0:
		for _, run := range slices.Compact(slices.Sorted(slices.Values(q.Runs))) {
			base(inbox, "r:"+run+"\x00")
		}
	case !open:
		base(inbox, "a:")
	case q.Holder != "":
		base(asked, byHolder+named(journal.PersonKey(q.Holder)))
	case q.Order == journal.ByDue:
		list = append(list, stretch{key: s.key(asked), base: byDue, ordered: true})
	case len(q.Roles) > 0:
		for _, role := range slices.Compact(slices.Sorted(slices.Values(q.Roles))) {
			base(asked, byRole+named(role))
		}
	case q.Skip != "":
		var groups []string
		groups, err = s.names(ctx, asked, byGroup, mostNames)
		if len(groups) == mostNames { // too many to be read one by one
			base(inbox, "o:")
			return list, err
		}
		for _, group := range groups {
			if group != strings.TrimSuffix(named(groupOf("", "", q.Skip)), "\x00") {
				base(asked, byGroup+named(group))
			}
		}
	default:
		base(inbox, "o:")
	}
	if at, behind, _ := q.Start(); behind {
		for i := range list {
			if list[i].ordered {
				list[i].after(at)
			}
		}
	}
	return list, err
}

// findAsked collects the interrupts that a query selects; of each stretch at most so many, 0 is all.
func (s *Store) findAsked(ctx context.Context, q *journal.InterruptQuery, plans bool, most int) (all []journal.Numbered[journal.Asked], err error) {
	list, err := s.asking(ctx, q)
	known := make(map[string]string)
	for i := range list {
		n := 0
		if err == nil {
			err = s.walkStretch(ctx, &list[i], func(members, ids []string, numbers map[string]int64) (bool, error) {
				found, err := s.interruptsIn(ctx, list[i].key, members, ids)
				if err == nil && plans {
					err = s.plansOf(ctx, found, known)
				}
				if err != nil {
					return false, err
				}
				for j := range found {
					a := journal.Asked{Interrupt: found[j], Plan: known[found[j].Run]}
					if q.Match(&a.Interrupt, a.Plan) {
						all = append(all, journal.Numbered[journal.Asked]{Row: a, N: numbers[a.ID]})
						if n++; n == most && list[i].ordered {
							return true, nil
						}
					}
				}
				return false, nil
			})
		}
	}
	return once(all, func(a *journal.Asked) string { return a.ID }), err
}

// plansOf adds the plans of the runs that ask.
func (s *Store) plansOf(ctx context.Context, list []journal.Interrupt, known map[string]string) error {
	var runs []string
	for i := range list {
		if _, ok := known[list[i].Run]; !ok {
			known[list[i].Run] = ""
			runs = append(runs, list[i].Run)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	rows, err := s.rows(ctx, nil, runs)
	for i := range rows {
		known[rows[i].ID] = rows[i].Plan
	}
	return err
}

// FindInterrupts implements [journal.Finder].
func (s *Store) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (page journal.InterruptPage, err error) {
	if err = q.Check(); err == nil {
		var all []journal.Numbered[journal.Asked]
		if all, err = s.findAsked(ctx, &q, len(q.Plans) > 0, q.Size()+1); err == nil {
			page, err = q.Page(all)
		}
	}
	if err != nil {
		return journal.InterruptPage{}, s.fail("find interrupts", "", 0, err)
	}
	return page, nil
}

// CountInterrupts implements [journal.Finder]. It reads all that the query selects.
func (s *Store) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string, most int) (journal.Counts, error) {
	t, err := journal.NewTally(most), q.CheckCount(by)
	if err == nil {
		q.After = ""
		var all []journal.Numbered[journal.Asked]
		all, err = s.findAsked(ctx, &q, len(q.Plans) > 0 || by == journal.CountPlan, 0)
		for i := range all {
			t.Add(all[i].Row.Value(by), 1)
		}
	}
	if err != nil {
		return journal.Counts{}, s.fail("count interrupts", "", 0, err)
	}
	return t.Counts(), nil
}
