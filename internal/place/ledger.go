package place

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Ledger says who has the places of a pool, or of one key of it, and who waits for one. It is the value of a cell.
type Ledger struct {
	Held    []Entry `json:"held,omitempty"`    // tasks that have a place, in the order in which they got it
	Waiting []Entry `json:"waiting,omitempty"` // tasks that wait for one, the next first
	Next    int64   `json:"next,omitempty"`    // when a start would use up no burst, microseconds; 0 for long ago
	Rated   bool    `json:"rated,omitempty"`   // the pool has a rate alone: those who have a place have had their turn
	By      string  `json:"by,omitempty"`      // who has written it last: no two processes write the same
	Written uint64  `json:"written,omitempty"` // number of that writing
}

// Entry is a task that has a place or waits for one.
type Entry struct {
	Driver   string `json:"driver"`             // the process that executes it
	N        uint64 `json:"n"`                  // its number in that process
	Run      string `json:"run"`                // its run
	Task     string `json:"task"`               // the task
	Priority int    `json:"priority,omitempty"` // of the run
	Since    int64  `json:"since"`              // when it began to wait, microseconds
	Got      int64  `json:"got,omitempty"`      // when it got its place, microseconds; 0 while it waits
}

// Before is the order in which tasks get places.
//
// The highest priority comes first, and of one priority the task that has waited longest.
func (e Entry) Before(o Entry) int {
	return cmp.Or(cmp.Compare(o.Priority, e.Priority), cmp.Compare(e.Since, o.Since), cmp.Compare(e.Driver, o.Driver), cmp.Compare(e.N, o.N))
}

// earlier is the order in which tasks got their places.
func (e Entry) earlier(o Entry) int {
	return cmp.Or(cmp.Compare(e.Got, o.Got), cmp.Compare(e.Driver, o.Driver), cmp.Compare(e.N, o.N))
}

// Limits are those of a pool.
type Limits struct {
	Most  int           // how many may have a place at the same time; 0 for any number
	Every time.Duration // average interval between starts; 0 for no limit
	Burst int           // how many may start at once after a pause, at least 1
}

// Part is what a process knows about its own tasks, better than any ledger.
type Part struct {
	Driver  string  // its name
	Held    []Entry // those that have a place
	Waiting []Entry // those that wait; some of them are enough, the first ones
}

// Assign returns the ledger after a process has looked at it.
//
// It has the process's own part as it is and no processes that do not live, and gives places to those who wait, in their turn. A place may be given to a task of another process,
// which finds it there. A process that has lost its lease and is back has the places that its tasks still use, also beyond
// the limit. lives is asked about other processes alone.
func (l Ledger) Assign(own Part, limits Limits, now int64, lives func(driver string) bool) Ledger {
	next := Ledger{Next: limits.turn(l.Next, now), Rated: limits.Most == 0, By: l.By, Written: l.Written}
	given := make(map[uint64]Entry) // places of the process, by number
	for _, e := range l.Held {
		switch {
		case e.Driver == own.Driver:
			given[e.N] = e
		case lives(e.Driver):
			next.Held = append(next.Held, e)
		}
	}
	next.Held = append(next.Held, own.Held...)
	for _, e := range own.Waiting {
		if got, ok := given[e.N]; ok { // another process has given it
			e.Got = got.Got
			next.Held = append(next.Held, e)
			continue
		}
		next.Waiting = append(next.Waiting, e)
	}
	for _, e := range l.Waiting {
		if e.Driver != own.Driver && lives(e.Driver) {
			next.Waiting = append(next.Waiting, e)
		}
	}
	slices.SortFunc(next.Waiting, Entry.Before)
	for len(next.Waiting) > 0 && next.free(limits, now) {
		e := next.Waiting[0]
		e.Got = now
		next.Held, next.Waiting = append(next.Held, e), next.Waiting[1:]
		if limits.Every > 0 {
			next.Next = max(next.Next, now) + limits.Every.Microseconds()
		}
	}
	slices.SortFunc(next.Held, Entry.earlier)
	return next
}

// Swept returns the ledger without processes that do not live, and without a rate that has passed.
func (l Ledger) Swept(now int64, lives func(driver string) bool) Ledger {
	gone := func(e Entry) bool { return !lives(e.Driver) }
	next := l
	next.Held, next.Waiting = slices.DeleteFunc(slices.Clone(l.Held), gone), slices.DeleteFunc(slices.Clone(l.Waiting), gone)
	if l.Next <= now {
		next.Next = 0
	}
	return next
}

// free reports whether another task may start now.
func (l *Ledger) free(limits Limits, now int64) bool {
	return (limits.Most == 0 || len(l.Held) < limits.Most) && limits.Due(l.Next) <= now
}

// Due is when another start is within the rate, for a ledger's Next.
func (l Limits) Due(next int64) int64 {
	if l.Every <= 0 {
		return 0
	}
	return next - int64(max(l.Burst, 1)-1)*l.Every.Microseconds()
}

// turn is a ledger's Next at a time: none once it has passed, and never later than a full burst from now, whatever a clock
// that was set has made of it.
func (l Limits) turn(next, now int64) int64 {
	if l.Every <= 0 || next <= now {
		return 0
	}
	return min(next, now+int64(max(l.Burst, 1))*l.Every.Microseconds())
}

// Empty reports whether there is nothing to keep.
func (l *Ledger) Empty() bool { return len(l.Held) == 0 && len(l.Waiting) == 0 && l.Next == 0 }

// Same reports whether two ledgers say the same, written by any process.
func (l *Ledger) Same(o *Ledger) bool {
	return slices.Equal(l.Held, o.Held) && slices.Equal(l.Waiting, o.Waiting) && l.Next == o.Next
}

// Encode returns the ledger as the value of a cell; nil if it is empty.
func (l *Ledger) Encode() []byte {
	if l.Empty() {
		return nil
	}
	text, _ := json.Marshal(l) //nolint:errchkjson // texts and numbers always encode
	return text
}

// Decode reads the value of a cell. Nil is an empty ledger.
func Decode(value []byte) (l Ledger, err error) {
	if value == nil {
		return l, nil
	}
	if err := json.Unmarshal(value, &l); err != nil {
		return Ledger{}, fmt.Errorf("%w: the places of a pool: %w", journal.ErrCorrupt, err)
	}
	return l, nil
}
