package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// watch is told of changes through a channel that holds as many as there may be.
func watch(t *testing.T, s *postgres.Store) <-chan struct{} {
	t.Helper()
	changes := make(chan struct{}, 1000)
	if err := s.Watch(t.Context(), func() { changes <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	return changes
}

// await waits until there is no change to wait for and somebody told of one more; the test's deadline bounds it.
func await(changes <-chan struct{}) { <-changes }

func drain(changes <-chan struct{}) {
	for len(changes) > 0 {
		<-changes
	}
}

func TestWatchTellsOfOtherStores(t *testing.T) {
	schema := newSchema(t)
	here, there := s2(t, schema), s2(t, schema)
	changes := watch(t, here)
	create(t, there, "run_1")
	await(changes)
	for _, b := range []journal.Batch{
		{Run: "run_1", After: 2, Entries: step(2, nil)},
		{Run: "run_1", After: 4, Entries: step(4, nil), Durability: journal.Async},
		{Run: "run_1", After: 6, Timers: []journal.Timer{{Run: "run_1", ID: "t", Due: 1}}},
	} {
		if err := there.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		await(changes)
	}
	if err := there.Delete(t.Context(), "run_1"); err != nil {
		t.Fatal(err)
	}
	await(changes)
}

// TestWatchIsSilentAboutItsOwnStore: of many appends here and one elsewhere, it tells of the one.
func TestWatchIsSilentAboutItsOwnStore(t *testing.T) {
	schema := newSchema(t)
	here, there := s2(t, schema), s2(t, schema)
	changes := watch(t, here)
	create(t, here, "run_1")
	for after := uint64(2); after < 100; after += 2 {
		b := journal.Batch{Run: "run_1", After: after, Entries: step(after, nil), Timers: []journal.Timer{{Run: "run_1", ID: "t", Due: 1}}}
		if err := here.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	create(t, there, "run_2")
	await(changes)
	if n := len(changes); n > 0 {
		t.Errorf("told of %d changes more than there were elsewhere", n)
	}
}

func TestWatchConnectsAgain(t *testing.T) {
	schema := newSchema(t)
	var b breaker
	here := open(t, postgres.Options{Schema: schema, Dial: b.dial})
	defer closeIt(t, here)
	there := s2(t, schema)
	changes := watch(t, here)
	for _, run := range []string{"run_1", "run_2", "run_3"} {
		if n := b.breakAll(); n == 0 {
			t.Fatal("there was no connection to break")
		}
		await(changes) // something may have been missed
		drain(changes)
		create(t, there, run)
		await(changes)
	}
}

// TestWhatIsAppendedLastIsToldToo: a store that closes at once has told of its last entries.
func TestWhatIsAppendedLastIsToldToo(t *testing.T) {
	schema := newSchema(t)
	here, there := s2(t, schema), open(t, postgres.Options{Schema: schema})
	create(t, there, "run_1")
	changes := watch(t, here)
	if err := there.Append(t.Context(), journal.Batch{Run: "run_1", After: 2, Entries: step(2, nil)}); err != nil {
		t.Fatal(err)
	}
	closeIt(t, there)
	await(changes)
}

func TestWatchThatCannotBegin(t *testing.T) {
	s := open(t, postgres.Options{Schema: newSchema(t)})
	done, cancel := context.WithCancel(t.Context())
	cancel()
	none := func() { t.Error("told of a change that there was not") }
	if err := s.Watch(done, none); !errors.Is(err, context.Canceled) {
		t.Errorf("with a done context: %v, expected %v", err, context.Canceled)
	}
	closeIt(t, s)
	err := s.Watch(t.Context(), none)
	if at, ok := errors.AsType[*journal.StoreError](err); !ok || at.Op != "watch" || !errors.Is(err, journal.ErrClosed) {
		t.Errorf("of a closed store: %v, expected %v", err, journal.ErrClosed)
	}
}

// named waits until a watcher was told of all the runs, and fails at one that is none of them.
func named(t *testing.T, changes <-chan journal.Change, runs ...string) {
	t.Helper()
	left := make(map[string]bool)
	for _, run := range runs {
		left[run] = true
	}
	for len(left) > 0 {
		c := <-changes
		for _, run := range c.Runs {
			if !left[run] {
				t.Errorf("told of run %.20q, expected one of %.100q", run, runs)
			}
			delete(left, run)
		}
		if c.Any {
			t.Errorf("told that any run may have changed, expected %.100q", runs)
			return
		}
	}
}

// TestE1_AWatchNamesRuns: whatever is written to a run, a watcher hears which run it was, also of more runs than one
// notification holds.
func TestE1_AWatchNamesRuns(t *testing.T) {
	schema := newSchema(t)
	here, there := s2(t, schema), s2(t, schema)
	changes := make(chan journal.Change, 1000)
	if err := here.WatchRuns(t.Context(), func(c journal.Change) { changes <- c }); err != nil {
		t.Fatal(err)
	}
	create(t, there, "run_1")
	named(t, changes, "run_1")
	for _, b := range []journal.Batch{
		{Run: "run_1", After: 2, Entries: step(2, nil)},
		{Run: "run_1", After: 4, Row: &journal.RunRow{ID: "run_1", Status: "completed"}, Entries: step(4, nil)},
	} {
		if err := there.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		named(t, changes, "run_1")
	}
	var runs []string
	for i := range 40 {
		runs = append(runs, fmt.Sprint("run_", i, strings.Repeat("x", 1000)))
		create(t, there, runs[i])
	}
	named(t, changes, runs...)
	if err := there.Delete(t.Context(), "run_1"); err != nil {
		t.Fatal(err)
	}
	named(t, changes, "run_1")
	for _, odd := range []string{"run_\n2", strings.Repeat("long", 2500)} {
		create(t, there, odd)
		if c := <-changes; !c.Any {
			t.Errorf("after a write to run %.20q: %+v, expected that any run may have changed", odd, c)
		}
	}
}

// looking is a store that calls second once the heads of watched runs were asked for twice: the first time wakes the readers
// of all runs, and only a third one finds what is written then.
type looking struct {
	*postgres.Store
	looks  int
	second func()
}

func (s *looking) Heads(ctx context.Context, runs []string) (map[string]uint64, error) {
	heads, err := s.Store.Heads(ctx, runs)
	if err == nil && len(heads) > 0 {
		if s.looks++; s.looks == 2 {
			s.second()
		}
	}
	return heads, err
}

// A reader sees what a process wrote that told nobody of it, because it was killed at once.
func TestE1_AWriteThatNobodyTellsOfIsSeen(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	reader, writer := open(t, postgres.Options{Schema: schema}), open(t, postgres.Options{Schema: schema})
	defer closeIt(t, reader)
	defer closeIt(t, writer)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	writer.Hush()
	appended := make(chan error, 1)
	looked := &looking{Store: reader, second: func() {
		appended <- writer.Append(ctx, journal.Batch{Run: "run", After: 2, Entries: step(2, []byte(`1`))})
	}}
	rt, err := fermata.New(fermata.Options{Store: looked})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	create(t, writer, "run")
	var seen []uint64
	for e, err := range rt.Events(ctx, "run", 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, e.Seq()); len(seen) == 4 {
			break
		}
	}
	if err := <-appended; err != nil || len(seen) < 4 {
		t.Errorf("saw %v, expected four events; %v", seen, err)
	}
}
