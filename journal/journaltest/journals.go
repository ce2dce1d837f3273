package journaltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fermata-go/fermata/journal"
)

func testFence(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_a", 2), first("run_b", 1))
	for _, after := range []uint64{0, 1, 3, 1 << 31, 1<<32 + 2, 1<<63 + 2} {
		b := journal.Batch{Run: "run_a", After: after, Row: row("run_a", 0), Entries: entries(after, 1)}
		fails(t, fmt.Sprintf("append after %d to a journal of 2", after), s.Append(t.Context(), b), journal.ErrConflict, "run_a")
	}
	appendAll(t, s, journal.Batch{Run: "run_a", After: 2, Entries: entries(2, 3)})
	same(t, "run_a", entries(0, 5), read(t, s, "run_a", 0))
	same(t, "run_b", entries(0, 1), read(t, s, "run_b", 0))
}

// testRace lets 64 writers append after the same head, again and again: each time exactly one gets through.
func testRace(t *testing.T, s journal.Store) {
	const writers, rounds = 64, 10
	for round := range rounds {
		after := uint64(2 * round)
		var won atomic.Int64
		var winner atomic.Pointer[[]journal.Entry]
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				mine := entries(after, 2)
				mine[0].Op, mine[1].Op = fmt.Sprint("writer", w), fmt.Sprint("writer", w)
				b := journal.Batch{Run: "run_a", After: after, Row: row("run_a", 0), Entries: mine}
				if round%2 == 1 {
					b.Row = nil // without a projection: what most appends are
				}
				switch err := s.Append(t.Context(), b); {
				case err == nil:
					won.Add(1)
					winner.Store(&mine)
				case !errors.Is(err, journal.ErrConflict):
					t.Errorf("writer %d: %v", w, err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Fatalf("round %d: %d of %d writers got through, expected 1", round, won.Load(), writers)
		}
		same(t, "what the winner wrote", *winner.Load(), read(t, s, "run_a", after))
	}
}

// testAtomic appends a batch with everything in it after a wrong head: nothing of it may be seen.
func testAtomic(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_a", 1))
	whole := func(after uint64) journal.Batch {
		changed := row("run_a", 0)
		changed.Status, changed.Waiting = "paused", 1
		return journal.Batch{
			Run: "run_a", After: after, Entries: entries(after, 2), Row: changed,
			Interrupts: []journal.Interrupt{interrupt("int_1", "run_a", 1)},
			Timers:     []journal.Timer{{Run: "run_a", ID: "t", Due: 5}},
			Checkpoint: &journal.Checkpoint{Seq: after + 2, Data: []byte("check")},
		}
	}
	state := func() []any {
		rows, err1 := s.Runs(t.Context(), journal.RunFilter{})
		inbox, err2 := s.Inbox(t.Context(), journal.InboxFilter{All: true})
		timers, err3 := s.Timers(t.Context(), 1<<62, 0)
		check, err4 := s.Checkpoint(t.Context(), "run_a")
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		return []any{read(t, s, "run_a", 0), rows, inbox, timers, check}
	}
	before := state()
	fails(t, "append", s.Append(t.Context(), whole(7)), journal.ErrConflict, "run_a")
	same(t, "after a batch that failed", before, state())

	appendAll(t, s, whole(1))
	changed := *whole(1).Row
	changed.Head = 3
	same(t, "after the batch", []any{
		entries(0, 3),
		[]journal.RunRow{changed},
		[]journal.Interrupt{interrupt("int_1", "run_a", 1)},
		[]journal.Timer{{Run: "run_a", ID: "t", Due: 5}},
		journal.Checkpoint{Seq: 3, Data: []byte("check")},
	}, state())
}

func testInvalid(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_a", 1))
	gap := entries(1, 3)
	gap[2].Seq++
	transient := entries(1, 1)
	transient[0].Kind = journal.TextDelta
	for name, b := range map[string]journal.Batch{
		"no run":                 {Row: row("", 0), Entries: entries(0, 1)},
		"no row":                 {Run: "run_b", Entries: entries(0, 1)},
		"no entry":               {Run: "run_b", Row: row("run_b", 0)},
		"another run's row":      {Run: "run_b", Row: row("run_c", 0), Entries: entries(0, 1)},
		"a gap":                  {Run: "run_a", After: 1, Entries: gap},
		"not after After":        {Run: "run_a", After: 1, Entries: entries(0, 1)},
		"a transient entry":      {Run: "run_a", After: 1, Entries: transient},
		"another run's question": {Run: "run_a", After: 1, Entries: entries(1, 1), Interrupts: []journal.Interrupt{interrupt("int_1", "run_b", 1)}},
		"another run's timer":    {Run: "run_a", After: 1, Entries: entries(1, 1), Timers: []journal.Timer{{Run: "run_b", ID: "t"}}},
		"a checkpoint ahead":     {Run: "run_a", After: 1, Entries: entries(1, 1), Checkpoint: &journal.Checkpoint{Seq: 3}},
		"durability None":        {Run: "run_a", After: 1, Entries: entries(1, 1), Durability: journal.None},
	} {
		fails(t, name, s.Append(t.Context(), b), nil, b.Run)
	}
	same(t, "the journal", entries(0, 1), read(t, s, "run_a", 0))
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 1 {
		t.Errorf("found %d runs (%v), expected 1", len(rows), err)
	}
}

func testRead(t *testing.T, s journal.Store) {
	appendAll(
		t, s, first("run_a", 3), first("run_b", 1),
		journal.Batch{Run: "run_a", After: 3, Entries: entries(3, 1)},
		journal.Batch{Run: "run_a", After: 4, Entries: entries(4, 20)},
	)
	for after := range uint64(26) {
		same(t, fmt.Sprint("after ", after), entries(after, max(0, 24-int(after))), read(t, s, "run_a", after))
	}
	seen := 0
	for _, err := range s.Read(t.Context(), "run_a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen == 5 {
			break
		}
	}
	appendAll(t, s, journal.Batch{Run: "run_a", After: 24, Entries: entries(24, 1)}) // a reader that left early is in nobody's way
	seq := s.Read(t.Context(), "run_a", 24)
	for range 2 {
		n := 0
		for _, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		same(t, "entries of a sequence that is ranged over again", 1, n)
	}
}

func testFields(t *testing.T, s journal.Store) {
	all := []journal.Entry{
		{
			Seq: 1, At: moment, Kind: journal.RunStarted, Value: []byte(`{"a":1}`), Body: []byte(`{"plan":"p"}`),
		},
		{
			Seq: 2, At: moment - 5, Kind: journal.RouteTaken, Flags: 255, Attempt: 65535, Visit: 1<<32 - 1,
			Node: "inner/überprüfung", Op: "step:a b#1", To: "\x00end", Base: 1, Value: []byte(`[4,1,"x"]`), Body: []byte(`{}`),
		},
		{Seq: 3, At: moment, Kind: journal.RunPaused},
	}
	full := journal.RunRow{
		ID: "run_a", Plan: "plan 'x'", Kind: "recipe", Fingerprint: "f00", Definition: "d00", Status: "running",
		Error: "it\nbroke", Head: 3, Created: 1, Updated: 2, Waiting: 3, Driver: "host 'a'", Ready: true,
		Labels: map[string]string{"shop": "kö'ln"},
		Turn:   journal.Turn{Queue: "gpu", Priority: -7, NotBefore: moment + 9, Dedup: "customer 'x'"},
	}
	asked := interrupt("int_1", "run_a", 1)
	asked.State, asked.ClaimedBy, asked.Answer, asked.AnsweredBy, asked.Resolved = "answered", "Ada", json.RawMessage(`"yes"`), "Bo", moment+7
	asked.ClaimedByName, asked.AnsweredByName, asked.Digest = "Ada L.", "Bo M.", "d1"
	setWhole(t, full)
	setWhole(t, asked)
	setWhole(t, all[1])
	appendAll(t, s, journal.Batch{Run: "run_a", Row: &full, Entries: all, Interrupts: []journal.Interrupt{asked}})
	same(t, "the entries", all, read(t, s, "run_a", 0))
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the row", []journal.RunRow{full}, rows)
	inbox, err := s.Inbox(t.Context(), journal.InboxFilter{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range inbox {
		inbox[i].Digest = "d1" // the engine reads it from the journal alone, and a store may leave it out of the projection
	}
	same(t, "the interrupt", []journal.Interrupt{asked}, inbox)
}

// setWhole fails where a field of a struct is zero: a field that is added later is tested, too, or this test fails.
func setWhole(t *testing.T, of any) {
	t.Helper()
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%T.%s is not set here", of, v.Type().Field(i).Name)
		}
		if v.Field(i).Kind() == reflect.Struct {
			setWhole(t, v.Field(i).Interface())
		}
	}
}

func testLarge(t *testing.T, s journal.Store) {
	value := append(append([]byte(`"`), bytes.Repeat([]byte("0123456789abcdef"), 100_000)...), '"')
	b := first("run_a", 500)
	b.Entries[3].Value, b.Entries[4].Body = value, value
	appendAll(t, s, b, first("run_b", 1))
	same(t, "the journal", b.Entries, read(t, s, "run_a", 0))
}

// testReadWhileWriting reads a journal that grows: what is read has no gap, and ends where it ended at some moment.
func testReadWhileWriting(t *testing.T, s journal.Store) {
	const batches = 100
	appendAll(t, s, first("run_a", 2))
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		for after := uint64(2); after < 2*batches; after += 2 {
			if err := s.Append(t.Context(), journal.Batch{Run: "run_a", After: after, Entries: entries(after, 2)}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 4 {
		wg.Go(func() {
			for last := 0; ; {
				list, err := readErr(t.Context(), s, "run_a", 0)
				if err != nil || len(list) < last || len(list)%2 != 0 {
					t.Errorf("read %d entries (%v) after %d: part of a batch, or fewer than before", len(list), err, last)
					return
				}
				last = len(list)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
	same(t, "the journal", entries(0, 2*batches), read(t, s, "run_a", 0))
	n := uint64(2 * batches)
	for e, err := range s.Read(t.Context(), "run_a", 0) { // the reader itself appends
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq <= 3 {
			appendAll(t, s, journal.Batch{Run: "run_a", After: n, Entries: entries(n, 1)})
			n++
		}
		if e.Seq > 2*batches {
			t.Fatalf("the reader sees entry %d, which was not there when it began", e.Seq)
		}
	}
}

func testManyRuns(t *testing.T, s journal.Store) {
	const runs, steps = 64, 20
	var wg sync.WaitGroup
	for r := range runs {
		wg.Go(func() {
			run := fmt.Sprintf("run_%02d", r)
			if err := s.Append(t.Context(), first(run, 2)); err != nil {
				t.Error(err)
				return
			}
			for after := uint64(2); after < 2*steps; after += 2 {
				b := journal.Batch{Run: run, After: after, Entries: entries(after, 2)}
				if err := s.Append(t.Context(), b); err != nil {
					t.Error(err)
					return
				}
				if err := s.Append(t.Context(), b); !errors.Is(err, journal.ErrConflict) {
					t.Errorf("the same batch again: %v, expected a conflict", err)
				}
			}
		})
	}
	wg.Wait()
	for r := range runs {
		run := fmt.Sprintf("run_%02d", r)
		same(t, run, entries(0, 2*steps), read(t, s, run, 0))
	}
}

func testAsync(t *testing.T, s journal.Store) {
	b := first("run_a", 1)
	b.Durability = journal.Async
	appendAll(t, s, b)
	for after := uint64(1); after < 50; after++ {
		b := journal.Batch{Run: "run_a", After: after, Entries: entries(after, 1), Durability: journal.Async}
		if after%10 == 0 {
			b.Durability = journal.Sync
		}
		appendAll(t, s, b)
		if after%7 == 0 {
			b.Durability = journal.Async
			fails(t, "the same batch again", s.Append(t.Context(), b), journal.ErrConflict, "run_a")
		}
	}
	same(t, "the journal", entries(0, 50), read(t, s, "run_a", 0))
	rows, err := s.Runs(t.Context(), journal.RunFilter{ID: "run_a"})
	if err != nil || len(rows) != 1 || rows[0].Head != 50 {
		t.Errorf("found %v (%v), expected the run with head 50", rows, err)
	}
	again := first("run_a", 1)
	again.Durability = journal.Async
	fails(t, "the run created again", s.Append(t.Context(), again), journal.ErrConflict, "run_a")
}

func testIsolation(t *testing.T, s journal.Store) {
	b := first("run_a", 2)
	b.Entries[0].Body = []byte(`{"body":1}`)
	b.Interrupts = []journal.Interrupt{interrupt("int_1", "run_a", 1)}
	b.Timers = []journal.Timer{{Run: "run_a", ID: "t", Due: 1}}
	b.Checkpoint = &journal.Checkpoint{Seq: 1, Data: []byte("check")}
	want := first("run_a", 2).Entries
	want[0].Body = []byte(`{"body":1}`)
	appendAll(t, s, b)

	spoil := func(list []journal.Entry, in *journal.Interrupt, c journal.Checkpoint) {
		for i := range list {
			clear(list[i].Value)
			list[i].Value = append(list[i].Value, "xxxxxxxxxxxxxxxxxxxxxxxx"...)
			clear(list[i].Body)
		}
		clear(in.Request)
		clear(in.ResponseSchema)
		clear(in.Options)
		in.AtDeadline.Role = "spoilt"
		clear(c.Data)
	}
	spoil(b.Entries, &b.Interrupts[0], *b.Checkpoint)
	b.Row.Status = "spoilt"
	b.Timers[0].Due = 99
	for range 2 { // what is read is spoilt, too, and read again
		list := read(t, s, "run_a", 0)
		same(t, "the journal", want, list)
		inbox, err := s.Inbox(t.Context(), journal.InboxFilter{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the inbox", []journal.Interrupt{interrupt("int_1", "run_a", 1)}, inbox)
		check, err := s.Checkpoint(t.Context(), "run_a")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the checkpoint", journal.Checkpoint{Seq: 1, Data: []byte("check")}, check)
		spoil(list, &inbox[0], check)
	}
	rows, err := s.Runs(t.Context(), journal.RunFilter{Status: "running"})
	if err != nil || len(rows) != 1 {
		t.Errorf("found %v (%v), expected the running run", rows, err)
	}
}

func testUnknown(t *testing.T, s journal.Store) {
	_, err := readErr(t.Context(), s, "run_x", 0)
	fails(t, "read", err, journal.ErrNotFound, "run_x")
	fails(t, "append", s.Append(t.Context(), journal.Batch{Run: "run_x", After: 3, Entries: entries(3, 1)}), journal.ErrConflict, "run_x")
	if err := s.Delete(t.Context(), "run_x"); err != nil {
		t.Errorf("delete: %v", err)
	}
	check, err := s.Checkpoint(t.Context(), "run_x")
	if err != nil {
		t.Errorf("checkpoint: %v", err)
	}
	same(t, "the checkpoint", journal.Checkpoint{}, check)
}

func testContext(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_a", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fails(t, "create", s.Append(ctx, first("run_b", 1)), context.Canceled, "run_b")
	allFail(ctx, t, s, context.Canceled)
	same(t, "the journal", entries(0, 1), read(t, s, "run_a", 0))
}

func testClosed(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_a", 1))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	allFail(t.Context(), t, s, journal.ErrClosed)
}

// allFail checks that every method of a store that has run_a, of one entry, fails with an error.
func allFail(ctx context.Context, t *testing.T, s journal.Store, want error) {
	t.Helper()
	fails(t, "append", s.Append(ctx, journal.Batch{Run: "run_a", After: 1, Entries: entries(1, 1)}), want, "run_a")
	_, err := readErr(ctx, s, "run_a", 0)
	fails(t, "read", err, want, "run_a")
	_, err = s.Checkpoint(ctx, "run_a")
	fails(t, "checkpoint", err, want, "run_a")
	_, err = s.Runs(ctx, journal.RunFilter{})
	fails(t, "runs", err, want, "")
	_, err = s.Inbox(ctx, journal.InboxFilter{})
	fails(t, "inbox", err, want, "")
	_, err = s.Timers(ctx, 0, 0)
	fails(t, "timers", err, want, "")
	fails(t, "delete", s.Delete(ctx, "run_a"), want, "run_a")
}
