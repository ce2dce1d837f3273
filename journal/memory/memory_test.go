package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
)

func TestStore(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journal.Store { return memory.New() })
}

// TestTimersOfManyRuns sets, moves and removes more timers than one leaf of the index holds.
func TestTimersOfManyRuns(t *testing.T) {
	s := memory.New()
	random := rand.New(rand.NewPCG(1, 2))
	const runs = 3000
	due, order := make(map[string]int64), []string(nil)
	for i, n := range random.Perm(runs) {
		run := fmt.Sprintf("run_%04d", n)
		due[run], order = int64(random.IntN(500)), append(order, run)
		b := journal.Batch{
			Run: run, Row: &journal.RunRow{ID: run, Status: "running", Created: int64(n)}, Entries: []journal.Entry{{Seq: 1, Kind: journal.RunStarted}},
			Timers: []journal.Timer{{Run: run, ID: "t", Due: due[run]}},
		}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if i%3 > 0 {
			continue
		}
		changed := journal.Timer{Run: run, ID: "t", Due: int64(random.IntN(500)), Done: i%2 == 0}
		if err := s.Append(t.Context(), journal.Batch{Run: run, After: 1, Timers: []journal.Timer{changed}}); err != nil {
			t.Fatal(err)
		}
		if due[run] = changed.Due; changed.Done {
			delete(due, run)
		}
	}
	timers, err := s.Timers(t.Context(), 500, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int64)
	for i, timer := range timers {
		got[timer.Run] = timer.Due
		if i > 0 && timers[i-1].Due > timer.Due {
			t.Fatalf("timer %d is due at %d, the one before at %d", i, timer.Due, timers[i-1].Due)
		}
	}
	if diff := cmp.Diff(due, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var newest []string
	for _, row := range rows {
		newest = append(newest, row.ID)
	}
	slices.Reverse(order)
	if diff := cmp.Diff(order, newest); diff != "" {
		t.Errorf("runs, newest first (-want +got):\n%s", diff)
	}
}

// A watcher is told of each run that is written to, until its context is done.
func TestE1_WatchRuns(t *testing.T) {
	s := memory.New()
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan journal.Change, 10)
	if err := s.(journal.RunWatcher).WatchRuns(ctx, func(c journal.Change) { told <- c }); err != nil {
		t.Fatal(err)
	}
	write := func(run string) {
		t.Helper()
		err := s.Append(t.Context(), journal.Batch{
			Run: run, Row: &journal.RunRow{ID: run, Status: "running"}, Entries: []journal.Entry{{Seq: 1, At: 1, Kind: journal.RunStarted}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, run := range []string{"run_1", "run_2"} {
		write(run)
		if c := <-told; c.Any || !slices.Equal(c.Runs, []string{run}) {
			t.Errorf("told %+v, expected %q", c, run)
		}
	}
	cancel()
	for memory.Watchers(s) > 0 {
		runtime.Gosched()
	}
	write("run_3")
	if len(told) > 0 {
		t.Errorf("told %+v after the end", <-told)
	}
}
