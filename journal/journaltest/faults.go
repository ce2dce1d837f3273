package journaltest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata/journal"
)

// testFaults writes a journal through a store that fails once, at every place and in both ways. A writer that reads
// before it goes on loses nothing and repeats nothing.
func testFaults(t *testing.T, s journal.Store) {
	const batches = 5
	for n := 1; n <= batches; n++ {
		for _, mode := range []Mode{Before, After} {
			f, run := NewFaulty(s), fmt.Sprintf("run_%d_%d", n, mode)
			f.FailAppend(n, mode)
			f.FailRead(1, mode)
			failed := 0
			head := uint64(0)
			for head < 2*batches {
				b := journal.Batch{Run: run, After: head, Row: row(run, 0), Entries: entries(head, 2)}
				err := f.Append(t.Context(), b)
				if err == nil {
					head += 2
					continue
				}
				fails(t, "append", err, ErrFault, run)
				failed++
				head = recoverHead(t, f, run)
			}
			same(t, run, entries(0, 2*batches), read(t, s, run, 0))
			want := batches
			if mode == Before {
				want++ // the batch that failed was written by another append
			}
			same(t, run+": faults, appends, reads", []int{1, want, 2}, []int{failed, f.Appends(), f.Reads()})
		}
	}
}

// recoverHead reads until it works: the first read fails, too.
func recoverHead(t *testing.T, f *Faulty, run string) uint64 {
	t.Helper()
	_, err := readErr(t.Context(), f, run, 0)
	fails(t, "read", err, ErrFault, run)
	list, err := readErr(t.Context(), f, run, 0)
	if err != nil && !errors.Is(err, journal.ErrNotFound) {
		t.Fatal(err)
	}
	return uint64(len(list))
}
