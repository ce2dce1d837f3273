package sqlite

import (
	"database/sql/driver"
	"maps"
	"sync"
)

// place is the end of a run's chain.
type place struct {
	row int64  // in the log
	seq uint64 // its last entry; 0: the run was deleted
}

// tail knows the ends of the chains that the file's table of runs does not know yet: those with rows behind the folded
// part of the log. Every row up to seen is in one or the other.
type tail struct {
	mu   sync.RWMutex
	seen int64 // the last row of the log that was looked at
	// Ends are found in recent, or before: those that were folded last stay, because a reader may have read the table
	// of runs just before.
	recent, before map[int64]place
	folds          int // how often ends were written to the table of runs
}

// maxTail is how many ends a process remembers that does not fold itself.
const maxTail = 16 << 10

// get is the end of the run's chain, if the tail knows it.
func (t *tail) get(run int64) (place, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if p, ok := t.recent[run]; ok {
		return p, true
	}
	p, ok := t.before[run]
	return p, ok
}

// last is the last row that is known.
func (t *tail) last() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.seen
}

// end is an end of a chain that is news.
type end struct {
	run int64
	place
}

// add takes note of rows, all those up to the last of them. Rows up to seen are known already, and may be out of date.
func (t *tail) add(ends ...end) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen := t.seen
	for _, e := range ends {
		if e.row > seen && e.row > t.recent[e.run].row {
			t.recent[e.run] = e.place
		}
		t.seen = max(t.seen, e.row)
	}
}

// catchUp reads the rows that others have written since.
func (t *tail) catchUp(c *conn) error {
	ends, err := newEnds(c, t.last())
	if err != nil || len(ends) == 0 {
		return err
	}
	t.add(ends...)
	t.mu.RLock()
	crowded := len(t.recent) > maxTail
	t.mu.RUnlock()
	if crowded {
		return t.reload(c)
	}
	return nil
}

// newEnds is the rows behind one.
func newEnds(c *conn, row int64) (ends []end, err error) {
	err = c.each(func(v []driver.Value) error {
		r := rowScanner{row: v}
		e := end{place: place{row: column[int64](&r)}}
		e.run, e.seq = column[int64](&r), uint64(column[int64](&r))
		ends = append(ends, e)
		return r.err
	}, rowsAfter, row)
	return ends, err
}

// reload forgets all that the file's table of runs knows by now.
func (t *tail) reload(c *conn) error {
	folded, _, err := c.one(getFolded)
	if err != nil {
		return err
	}
	t.folded(folded)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before = nil
	t.folds += 2
	return nil
}

// unfolded is every end behind a row.
func (t *tail) unfolded(row int64) map[int64]place {
	t.mu.RLock()
	defer t.mu.RUnlock()
	ends := make(map[int64]place, len(t.recent))
	for run, p := range t.recent {
		if p.row > row {
			ends[run] = p
		}
	}
	return ends
}

// folded says that the table of runs knows all rows up to this one.
func (t *tail) folded(row int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before, t.recent = t.recent, maps.Clone(t.recent)
	maps.DeleteFunc(t.recent, func(_ int64, p place) bool { return p.row <= row })
	t.folds++
}

// epoch counts folds: an end that was in the tail at one count still is at the next.
func (t *tail) epoch() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.folds
}
