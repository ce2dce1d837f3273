package journaltest

import (
	"testing"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// testWatchSecond has one handle watch what another one writes: it hears of each run that was written to, and of no
// other one.
func testWatchSecond(t *testing.T, o Options) {
	here := open(t, o)
	watcher, ok := journal.As[journal.RunWatcher](here)
	if !ok {
		t.Skipf("%T does not say which runs were written to", here)
	}
	there := o.Second(t, here)
	defer there.Close() //nolint:errcheck // what it has said is what counts
	appendAll(t, there, first("run_0", 2))
	changes := make(chan journal.Change, 1000)
	if err := watcher.WatchRuns(t.Context(), func(c journal.Change) { changes <- c }); err != nil {
		t.Fatal(err)
	}
	hears := func(run string) {
		t.Helper()
		for {
			select {
			case c := <-changes:
				heard := false
				for _, told := range c.Runs {
					switch told {
					case run:
						heard = true
					case "run_0": // which was written just before, and may be told late
					default:
						t.Errorf("told of run %q, expected %q", told, run)
					}
				}
				if c.Any {
					t.Errorf("told that any run may have changed, expected %q", run)
				}
				if c.Any || heard {
					return
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("not told of a write to run %q", run)
			}
		}
	}
	for _, run := range []string{"run_1", "run_2"} {
		appendAll(t, there, first(run, 2))
		hears(run)
		appendAll(t, there, journal.Batch{Run: run, After: 2, Entries: entries(2, 1)})
		hears(run)
		ended := row(run, 0)
		ended.Status = "completed"
		appendAll(t, there, journal.Batch{Run: run, After: 3, Row: ended, Entries: entries(3, 1)})
		hears(run)
	}
}

// testHeads asks how far runs have come, all at once.
func testHeads(t *testing.T, s journal.Store) {
	reader, ok := journal.As[journal.HeadReader](s)
	if !ok {
		t.Skipf("%T misses no write", s)
	}
	appendAll(t, s, first("run_1", 2))
	appendAll(t, s, first("run_2", 3))
	appendAll(t, s, journal.Batch{Run: "run_2", After: 3, Entries: entries(3, 1)})
	heads, err := reader.Heads(t.Context(), []string{"run_2", "not there", "run_1", "", "\xff\x00"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "heads", map[string]uint64{"run_1": 2, "run_2": 4}, heads)
	if heads, err = reader.Heads(t.Context(), nil); err != nil || len(heads) > 0 {
		t.Errorf("the heads of no runs are %v, %v", heads, err)
	}
}
