package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// feedReader collects what one follower is told.
type feedReader struct {
	mu     sync.Mutex
	status map[string]string // of each run, "gone" for one that is
	cursor string            // behind the last change
	n      int               // how many changes there were
}

// followFeed has a follower until the returned function is called.
func followFeed(t *testing.T, rt *fermata.Runtime, after string, look func(fermata.RunChange)) (f *feedReader, stop func()) {
	t.Helper()
	f = &feedReader{status: make(map[string]string), cursor: after}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		for c, err := range rt.Feed(ctx, after, true) {
			if err != nil {
				t.Error(err)
				return
			}
			f.mu.Lock()
			f.cursor, f.n = c.Cursor, f.n+1
			if f.status[c.Run.ID] = c.Run.Status; c.Gone {
				f.status[c.Run.ID] = "gone"
			}
			f.mu.Unlock()
			if look != nil {
				look(c)
			}
		}
	})
	return f, func() { cancel(); done.Wait() }
}

// knows waits until a follower knows what there is.
func (f *feedReader) knows(t *testing.T, want map[string]string) {
	t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		diff := cmp.Diff(want, f.status)
		f.mu.Unlock()
		if diff == "" {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("what a follower knows (-want +got):\n%s", diff)
		}
	}
}

// Followers are told of what this process does and of what others do, from the start and from a cursor on.
func TestW8_FollowersAreToldOfAllRuns(t *testing.T) {
	for name, stores := range map[string]func(t *testing.T) (here, there journal.Store){
		"memory": func(*testing.T) (journal.Store, journal.Store) { s := memory.New(); return s, s },
		"sqlite": func(t *testing.T) (journal.Store, journal.Store) {
			path := filepath.Join(t.TempDir(), "a.db")
			return sqlite.MustOpen(path), sqlite.MustOpen(path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			one, two := stores(t)
			here, there := newRuntime(t, fermata.Options{Store: one}), newRuntime(t, fermata.Options{Store: two})
			want := make(map[string]string)
			finish := func(rt *fermata.Runtime, id string) {
				ends(t, start(t, rt, single(logged), state{}, fermata.WithID(id)), fermata.Completed)
				want[id] = string(fermata.Completed)
			}
			finish(here, "run_0")
			all, stop := followFeed(t, here, "", nil)
			defer stop()
			all.knows(t, want)
			finish(here, "run_1")
			all.knows(t, want)
			finish(there, "run_2")
			all.knows(t, want)
			asked := start(t, there, single(review()), state{}, fermata.WithID("run_3"))
			question(t, asked)
			want["run_3"] = string(fermata.Paused)
			all.knows(t, want)
			now, err := here.FeedCursor(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			late, stopLate := followFeed(t, here, now, nil)
			if err := there.Cancel(t.Context(), "run_3", "", ""); err != nil {
				t.Fatal(err)
			}
			want["run_3"] = string(fermata.Cancelled)
			all.knows(t, want)
			late.knows(t, map[string]string{"run_3": string(fermata.Cancelled)})
			stopLate()
			if _, err := there.Prune(t.Context(), fermata.PruneOptions{Runs: []string{"run_1"}}); err != nil {
				t.Fatal(err)
			}
			want["run_1"] = "gone"
			all.knows(t, want)
			again, stopAgain := followFeed(t, there, late.cursor, nil)
			defer stopAgain()
			again.knows(t, map[string]string{"run_1": "gone"})
		})
	}
}

// feedStore counts the pages that are read.
type feedStore struct {
	journal.Store
	pages, watches atomic.Int64
}

func (s *feedStore) Feed(ctx context.Context, q journal.FeedQuery) (journal.FeedPage, error) {
	s.pages.Add(1)
	return s.Store.(journal.Feeder).Feed(ctx, q)
}

func (s *feedStore) Watch(ctx context.Context, changed func()) error {
	return s.WatchRuns(ctx, func(journal.Change) { changed() })
}

func (s *feedStore) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	s.watches.Add(1)
	return s.Store.(journal.RunWatcher).WatchRuns(ctx, changed)
}

// 500 followers share one watch and one reader: what a change costs does not grow with them, and nothing is read while nothing
// changes.
func TestW8_ManyFollowersCostOne(t *testing.T) {
	store := &feedStore{Store: memory.New()}
	rt := newRuntime(t, fermata.Options{Store: store})
	const followers = 500
	all := make([]*feedReader, followers)
	for i := range all {
		f, stop := followFeed(t, rt, "", nil)
		t.Cleanup(stop)
		all[i] = f
	}
	ends(t, start(t, rt, single(logged), state{}, fermata.WithID("run_0")), fermata.Completed)
	for _, f := range all {
		f.knows(t, map[string]string{"run_0": string(fermata.Completed)})
	}
	time.Sleep(500 * time.Millisecond) // the last signs have been looked at
	before := store.pages.Load()
	want := map[string]string{"run_0": string(fermata.Completed)}
	for i := range 5 {
		id := fmt.Sprint("run_", i)
		if i > 0 {
			ends(t, start(t, rt, single(logged), state{}, fermata.WithID(id)), fermata.Completed)
		}
		want[id] = string(fermata.Completed)
		for _, f := range all {
			f.knows(t, want)
		}
	}
	if n := store.pages.Load() - before; n < 4 || n > 40 {
		t.Errorf("%d followers have read the store %d times for 4 runs", followers, n)
	}
	if n := store.watches.Load(); n != 1 {
		t.Errorf("there were %d watches", n)
	}
	time.Sleep(500 * time.Millisecond)
	before = store.pages.Load()
	time.Sleep(1500 * time.Millisecond)
	if n := store.pages.Load() - before; n > 0 {
		t.Errorf("the store was read %d times while nothing changed", n)
	}
}

// A run that changes all the time is told five times a second, and with its last change.
func TestW8_ChangesOfARunAreCoalesced(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	f, stop := followFeed(t, rt, "", nil)
	defer stop()
	row := journal.RunRow{ID: "run_1", Plan: "p", Kind: "graph", Status: "running"}
	entry := journal.Entry{Seq: 1, Kind: journal.RunStarted}
	if err := store.Append(t.Context(), journal.Batch{Run: row.ID, Row: &row, Entries: []journal.Entry{entry}}); err != nil {
		t.Fatal(err)
	}
	began, writes := time.Now(), 0
	for ; time.Since(began) < 2*time.Second; writes++ {
		row.Waiting++
		if err := store.Append(t.Context(), journal.Batch{Run: row.ID, After: 1, Row: &row}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	row.Status = "completed"
	if err := store.Append(t.Context(), journal.Batch{Run: row.ID, After: 1, Row: &row}); err != nil {
		t.Fatal(err)
	}
	f.knows(t, map[string]string{"run_1": "completed"})
	f.mu.Lock()
	defer f.mu.Unlock()
	if most := int(time.Since(began)/(200*time.Millisecond)) + 3; writes < 50 || f.n > most {
		t.Errorf("told %d times of %d changes, expected %d at most", f.n, writes, most)
	}
}

// A follower that is slow holds nobody up, and reads what it has missed from the store.
func TestW8_ASlowFollowerMissesNothing(t *testing.T) {
	rt := newRuntime(t, fermata.Options{Store: memory.New()})
	hold, first := make(chan struct{}), true
	slow, stopSlow := followFeed(t, rt, "", func(fermata.RunChange) {
		if first {
			first = false
			<-hold
		}
	})
	defer stopSlow()
	fast, stopFast := followFeed(t, rt, "", nil)
	defer stopFast()
	want := make(map[string]string)
	for i := range 70 { // each in a block of its own, more than are kept
		id := fmt.Sprint("run_", i)
		ends(t, start(t, rt, single(logged), state{}, fermata.WithID(id)), fermata.Completed)
		want[id] = string(fermata.Completed)
		fast.knows(t, want)
	}
	close(hold)
	slow.knows(t, want)
}

// What cannot be followed is refused, and a runtime that is closed ends its followers.
func TestW8_WhatCannotBeFollowed(t *testing.T) {
	rt := newRuntime(t, fermata.Options{Store: memory.New()})
	feed := func(rt *fermata.Runtime, after string) (err error) {
		for _, err = range rt.Feed(t.Context(), after, false) {
		}
		return err
	}
	refused(t, feed(rt, "yesterday"), refusal{fermata.CodeInvalid, journal.ErrQuery})
	other := newRuntime(t, fermata.Options{Store: memory.New()})
	cursor, err := other.FeedCursor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	refused(t, feed(rt, cursor), refusal{fermata.CodeInvalid, journal.ErrQuery})
	silent := newRuntime(t, fermata.Options{Store: struct{ journal.Store }{memory.New()}})
	refused(t, feed(silent, ""), refusal{fermata.CodeInvalid, errors.ErrUnsupported})
	_, err = silent.FeedCursor(t.Context())
	refused(t, err, refusal{fermata.CodeInvalid, errors.ErrUnsupported})
	var done sync.WaitGroup
	done.Go(func() {
		for _, err := range rt.Feed(t.Context(), "", true) {
			t.Errorf("told %v", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	if err := rt.Close(); err != nil {
		t.Error(err)
	}
	done.Wait()
	refused(t, feed(rt, ""), refusal{fermata.CodeStopped, fermata.ErrClosed})
}
