package sqlite_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// The row of a run is never older than the head that comes with it: who appends behind the head writes the row again.
func TestJ3_TheRowIsNoOlderThanItsHead(t *testing.T) {
	s, err := sqlite.OpenWith(filepath.Join(t.TempDir(), "rows.db"), sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	const appends = 1000
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := range uint64(appends) {
			err := s.Append(t.Context(), journal.Batch{
				Run: "run_1", After: n, Row: &journal.RunRow{ID: "run_1", Status: "running", Waiting: int(n + 1)},
				Entries: []journal.Entry{{Seq: n + 1, At: 1, Kind: journal.RunResumed}},
			})
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for head := uint64(0); head < appends && !t.Failed(); {
		rows, err := s.Runs(t.Context(), journal.RunFilter{ID: "run_1"})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			continue
		}
		if head = rows[0].Head; rows[0].Waiting < int(head) {
			t.Errorf("head %d comes with the row of seq %d", head, rows[0].Waiting)
		}
	}
	wg.Wait()
}
