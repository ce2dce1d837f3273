package journal

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Turn says which worker takes a run, and when (laws J16 and J17). It is part of the first entry of a run and of its row.
type Turn struct {
	Queue     string `json:"queue,omitempty"`     // whose workers take the run; "" for the default queue
	Priority  int    `json:"priority,omitempty"`  // higher ones are taken first
	NotBefore int64  `json:"notBefore,omitempty"` // no worker takes it earlier, microseconds; 0 for none
	// Dedup is the key that the run holds until it ends: no two open runs of a store hold the same. "" for none, and for a
	// run that has ended.
	Dedup string `json:"dedup,omitempty"`
}

// DefaultQueue is how lists, flags and recipes name the queue of runs that name none.
const DefaultQueue = "default"

// QueueNamed returns the queue of a name, as [Turn] has it: "" for [DefaultQueue].
func QueueNamed(name string) string {
	if name == DefaultQueue {
		return ""
	}
	return name
}

// longestQueue limits names of queues, in bytes.
const longestQueue = 255

// CheckQueue returns why no queue can have a name.
//
// It has more than 255 bytes, commas, spaces or characters that are not seen.
func CheckQueue(name string) error {
	odd := func(r rune) bool { return r == ',' || !unicode.IsPrint(r) || unicode.IsSpace(r) }
	if len(name) > longestQueue || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("queue %q: expected at most %d bytes of text without commas and spaces", name, longestQueue)
	}
	return nil
}

// WantedQuery selects runs that need an owner, in the order in which workers take them. The zero value selects those of all
// queues that have no time before which they are not taken.
type WantedQuery struct {
	Queues []string // of the runs, "" being the default queue. Defaults to all queues
	Due    int64    // the present, microseconds: runs with a later NotBefore are left out
	Later  bool     // instead, those that are left out, the earliest NotBefore first
	Limit  int      // 0: all
}

// Match reports whether a query selects a run that is wanted and has no owner.
func (q *WantedQuery) Match(row *RunRow) bool {
	if len(q.Queues) > 0 && !slices.Contains(q.Queues, row.Queue) {
		return false
	}
	return row.NotBefore > q.Due == q.Later
}

// HeldError says which run holds a deduplication key (law J17). It is the error of an append that would create another run
// with the key.
type HeldError struct {
	Key string // that both runs ask for
	Run string // that holds it, and has not ended
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("run %s holds the deduplication key %q until it ends", e.Run, e.Key)
}
