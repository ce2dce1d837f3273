package journaltest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// turnBatch creates a run that waits for a worker.
func turnBatch(run string, turn journal.Turn) journal.Batch {
	b := first(run, 1)
	b.Row.Turn = turn
	return b
}

// takenNext are the ids of the runs that a query selects, in order.
func takenNext(t *testing.T, l journal.Leaser, q journal.WantedQuery) (ids []string) {
	t.Helper()
	rows, err := l.Deserted(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		ids = append(ids, rows[i].ID)
	}
	return ids
}

func testTurns(t *testing.T, s journal.Store, l journal.Leaser) {
	appendAll(
		t, s, turnBatch("a", journal.Turn{}), turnBatch("b", journal.Turn{Priority: 5}), turnBatch("c", journal.Turn{Priority: -1, Queue: "gpu"}),
		turnBatch("d", journal.Turn{Priority: 5, NotBefore: 20}), turnBatch("e", journal.Turn{Queue: "gpu", NotBefore: 10}), turnBatch("f", journal.Turn{Queue: "cpu"}),
	)
	same(t, "now", []string{"b", "a", "f", "c"}, takenNext(t, l, journal.WantedQuery{}))
	same(t, "at 10", []string{"b", "a", "e"}, takenNext(t, l, journal.WantedQuery{Due: 10, Limit: 3}))
	same(t, "at 20", []string{"b", "d", "a", "e", "f", "c"}, takenNext(t, l, journal.WantedQuery{Due: 20}))
	same(t, "of one queue", []string{"e", "c"}, takenNext(t, l, journal.WantedQuery{Due: 20, Queues: []string{"gpu"}}))
	same(t, "of two", []string{"b", "a", "c"}, takenNext(t, l, journal.WantedQuery{Queues: []string{"gpu", ""}}))
	same(t, "of none", 0, len(takenNext(t, l, journal.WantedQuery{Queues: []string{"tpu"}})))
	same(t, "later than now", []string{"e", "d"}, takenNext(t, l, journal.WantedQuery{Later: true}))
	same(t, "later than 10", []string{"d"}, takenNext(t, l, journal.WantedQuery{Due: 10, Later: true, Limit: 1}))
	same(t, "later, in a queue", []string{"d"}, takenNext(t, l, journal.WantedQuery{Later: true, Queues: []string{"", "cpu"}}))
	want := *turnBatch("e", journal.Turn{Queue: "gpu", NotBefore: 10}).Row
	want.Head = 1
	same(t, "a row", []journal.RunRow{want}, rowsOf(t, s, "e"))
	page, err := journal.Find(s).FindRuns(t.Context(), journal.RunQuery{Prefix: "e"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a row that is found", []journal.RunRow{want}, page.Runs)

	// A turn may change, and who does not wait for a worker has none.
	moved := turnBatch("a", journal.Turn{Priority: 9, NotBefore: 30})
	paused := turnBatch("b", journal.Turn{Priority: 5})
	paused.Row.Status = "paused"
	for _, b := range []*journal.Batch{&moved, &paused} {
		b.After, b.Entries = 1, entries(1, 1)
	}
	appendAll(t, s, moved, paused)
	same(t, "at 20, later", []string{"d", "e", "f", "c"}, takenNext(t, l, journal.WantedQuery{Due: 20}))
	same(t, "at 30, later", []string{"a", "d", "e", "f", "c"}, takenNext(t, l, journal.WantedQuery{Due: 30}))
	if err := s.Delete(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	same(t, "without one that was deleted", []string{"a", "e", "f", "c"}, takenNext(t, l, journal.WantedQuery{Due: 30}))
	same(t, "later, without it", []string{"a"}, takenNext(t, l, journal.WantedQuery{Due: 20, Later: true}))
}

// testTurnsDrawn compares the order of runs with that of a model: a list of rows that is filtered and sorted.
func testTurnsDrawn(t *testing.T, s journal.Store, l journal.Leaser) {
	beat(t, l, "alive", aLongTime)
	var model []journal.RunRow // in the order of creation
	queues := []string{"", "gpu", "cpu"}
	draw := func(r *rapid.T) (row journal.RunRow) {
		row = *row0
		row.Turn = journal.Turn{
			Queue: rapid.SampledFrom(queues).Draw(r, "queue"), Priority: rapid.SampledFrom([]int{0, 0, 1, -1, 1 << 30, -1 << 30}).Draw(r, "priority"),
			NotBefore: rapid.SampledFrom([]int64{0, 0, 1, 5, moment}).Draw(r, "not before"),
		}
		row.Status = rapid.SampledFrom([]string{"running", "running", "paused", "blocked", "completed"}).Draw(r, "status")
		row.Ready, row.Driver = rapid.Bool().Draw(r, "ready"), rapid.SampledFrom([]string{"", "", "dead", "alive"}).Draw(r, "driver")
		return row
	}
	rapid.Check(t, func(r *rapid.T) {
		for range rapid.IntRange(1, 4).Draw(r, "writes") {
			row := draw(r)
			b := journal.Batch{Run: fmt.Sprint("run_", len(model)), Row: &row, Entries: entries(0, 1)}
			row.Head = 1
			if len(model) > 0 && rapid.Bool().Draw(r, "again") {
				at := rapid.IntRange(0, len(model)-1).Draw(r, "which")
				b.Run, b.After = model[at].ID, model[at].Head
				b.Entries = entries(b.After, 1)
				row.ID, row.Head = b.Run, b.After+1
				model[at] = row
			} else {
				row.ID = b.Run
				model = append(model, row)
			}
			if err := s.Append(t.Context(), b); err != nil {
				r.Fatal(err)
			}
		}
		q := journal.WantedQuery{
			Due: rapid.SampledFrom([]int64{0, 1, 4, 5, moment}).Draw(r, "due"), Later: rapid.Bool().Draw(r, "later"), Limit: rapid.IntRange(0, 5).Draw(r, "limit"),
			Queues: rapid.SliceOfNDistinct(rapid.SampledFrom(queues), 0, 2, rapid.ID[string]).Draw(r, "queues"),
		}
		got, err := l.Deserted(t.Context(), q)
		if err != nil {
			r.Fatal(err)
		}
		if want := modelTurns(model, q); !slices.EqualFunc(want, got, func(a, b journal.RunRow) bool { return a.ID == b.ID && a.Turn == b.Turn && a.Head == b.Head }) {
			r.Fatalf("%+v: expected\n%+v, got\n%+v", q, want, got)
		}
	})
}

var row0 = row("", 0)

// modelTurns are the runs that a query selects. It says by itself what law J16 says.
func modelTurns(model []journal.RunRow, q journal.WantedQuery) (rows []journal.RunRow) {
	for _, r := range model {
		wanted := r.Status == "running" || r.Status == "paused" && r.Ready
		if wanted && r.Driver != "alive" && (len(q.Queues) == 0 || slices.Contains(q.Queues, r.Queue)) && (r.NotBefore > q.Due) == q.Later {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b journal.RunRow) int {
		if q.Later {
			return cmp.Compare(a.NotBefore, b.NotBefore)
		}
		return cmp.Compare(b.Priority, a.Priority)
	})
	if q.Limit > 0 && len(rows) > q.Limit {
		rows = rows[:q.Limit]
	}
	return rows
}

// heldBy checks that a run cannot be created, because another one holds its key.
func heldBy(t *testing.T, s journal.Store, b journal.Batch, holder string) {
	t.Helper()
	err := s.Append(t.Context(), b)
	held, ok := errors.AsType[*journal.HeldError](err)
	if !ok || *held != (journal.HeldError{Key: b.Row.Dedup, Run: holder}) {
		t.Errorf("creating %s: %v; expected that %s holds its key", b.Run, err, holder)
	}
	if rows := rowsOf(t, s, b.Run); len(rows) > 0 {
		t.Errorf("a refused run is stored: %+v", rows)
	}
}

func testDedup(t *testing.T, s journal.Store) {
	key := journal.Turn{Dedup: "customer-7"}
	appendAll(t, s, turnBatch("a", key), turnBatch("other", journal.Turn{Dedup: "customer-8"}), turnBatch("none", journal.Turn{}), turnBatch("none as well", journal.Turn{}))
	heldBy(t, s, turnBatch("b", key), "a")
	fails(t, "a run that exists", s.Append(t.Context(), turnBatch("a", key)), journal.ErrConflict, "a")
	fails(t, "a run that exists, by another key", s.Append(t.Context(), turnBatch("a", journal.Turn{Dedup: "customer-8"})), journal.ErrConflict, "a")
	for i, status := range []string{"paused", "blocked", "running"} {
		b := turnBatch("a", key)
		b.Row.Status, b.After, b.Entries = status, uint64(i+1), entries(uint64(i+1), 1)
		appendAll(t, s, b)
		heldBy(t, s, turnBatch("b", key), "a")
	}
	ended := turnBatch("a", journal.Turn{})
	ended.Row.Status, ended.After, ended.Entries = "failed", 4, entries(4, 1)
	appendAll(t, s, ended, turnBatch("b", key))
	heldBy(t, s, turnBatch("c", key), "b")
	for range 2 {
		if err := s.Delete(t.Context(), "a"); err != nil { // it holds nothing any more
			t.Fatal(err)
		}
		heldBy(t, s, turnBatch("c", key), "b")
	}
	if err := s.Delete(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	appendAll(t, s, turnBatch("c", key))
	heldBy(t, s, turnBatch("a", key), "c")
	heldBy(t, s, turnBatch("a", journal.Turn{Dedup: "customer-8"}), "other")
}

// testDedupRace has many create runs with one key, by several handles on the store, and end them: never two are open.
func testDedupRace(t *testing.T, stores ...journal.Store) {
	key := journal.Turn{Dedup: "customer-7"}
	for round := range 8 {
		var mu sync.Mutex
		var won []string
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				b := turnBatch(fmt.Sprintf("run_%d_%d", round, i), key)
				err := stores[i%len(stores)].Append(t.Context(), b)
				if _, held := errors.AsType[*journal.HeldError](err); err != nil && !held {
					t.Error(err)
				}
				if err == nil {
					mu.Lock()
					won = append(won, b.Run)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("round %d: %q have the key, expected one", round, won)
		}
		for _, s := range stores {
			heldBy(t, s, turnBatch("late", key), won[0])
		}
		end := turnBatch(won[0], journal.Turn{})
		end.Row.Status, end.After, end.Entries = "completed", 1, entries(1, 1)
		appendAll(t, stores[round%len(stores)], end)
	}
}

func testDedupReopen(t *testing.T, o Options) {
	s := o.Open(t)
	key := journal.Turn{Queue: "gpu", Priority: -3, NotBefore: moment, Dedup: "customer-7"}
	appendAll(t, s, turnBatch("a", key))
	s = o.Reopen(t, s)
	want := *turnBatch("a", key).Row
	want.Head = 1
	same(t, "the row", []journal.RunRow{want}, rowsOf(t, s, "a"))
	heldBy(t, s, turnBatch("b", key), "a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func testDedupSecond(t *testing.T, o Options) {
	one := open(t, o)
	two := o.Second(t, one)
	t.Cleanup(func() { _ = two.Close() })
	testDedupRace(t, one, two)
}
