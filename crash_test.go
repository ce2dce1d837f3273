package fermata_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// Whatever the engine was doing when it died: another one takes the run on, and brings it to the same end.
func TestJ4_CrashAtEveryAppend(t *testing.T) {
	t.Parallel()
	for _, c := range withUndos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			report := fermatatest.Crash(t, c.build(w).Plan(), input, c.options(w)...)
			c.check(t, report)
			for name, keys := range w.keys {
				if len(keys) > w.counts[name] {
					t.Errorf("effect %s: %d keys, and it happened %d times", name, len(keys), w.counts[name])
				}
			}
		})
	}
}

// check looks whether the graph did what it was made for.
func (c crashCase) check(t *testing.T, report fermatatest.Report) {
	t.Helper()
	status, log := string(report.Result.Status), []string(nil)
	if last, ok := report.Result.Value.(*order); ok {
		log = last.Log
	}
	want := c.status
	if want == "" {
		want = "completed"
	}
	if diff := cmp.Diff([]any{want, c.log}, []any{status, log}); diff != "" {
		t.Errorf("without a crash (-want +got):\n%s%v", diff, report.Result.Err)
	}
}

// The same on disk, where the file is closed and opened again with each crash. What differs from memory is the store,
// so a few graphs and some of the places are enough.
func TestJ4_CrashAtEveryAppendOnSQLite(t *testing.T) {
	t.Parallel()
	crashOnDisk(t, 3, 11, func(t *testing.T, crash func(open func(file string) (journal.Store, error))) {
		crash(func(file string) (journal.Store, error) {
			return sqlite.OpenWith(file, sqlite.Options{Sync: sqlite.Normal})
		})
	})
}

// crashOnDisk lets each see the graphs crash in a file: at each stride-th place, and with the race detector at fewer.
func crashOnDisk(t *testing.T, stride, racingStride int, each func(t *testing.T, crash func(open func(file string) (journal.Store, error)))) {
	t.Helper()
	switch {
	case exploring():
		stride = 1
	case lawtest.Racing:
		stride = racingStride
	}
	for _, c := range withUndos {
		if !c.onDisk && !exploring() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(open func(file string) (journal.Store, error)) {
				w := newWorld()
				options := append(c.options(w), fermatatest.Every(stride), fermatatest.On(func(dir string) (journal.Store, error) {
					return open(filepath.Join(dir, "runs.db"))
				}))
				c.check(t, fermatatest.Crash(t, c.build(w).Plan(), input, options...))
			})
		})
	}
}
