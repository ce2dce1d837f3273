package postgres_test

import (
	"context"
	"errors"
	"testing"

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
