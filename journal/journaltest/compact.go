package journaltest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-go/fermata/journal"
)

// compacting is a test for stores that are journal.Compactors.
func compacting(test func(t *testing.T, s journal.Store)) func(t *testing.T, s journal.Store) {
	return func(t *testing.T, s journal.Store) {
		compactor(t, s)
		test(t, s)
	}
}

// compactor is the store, or skips the test.
func compactor(t *testing.T, s journal.Store) journal.Compactor {
	t.Helper()
	c, ok := journal.As[journal.Compactor](s)
	if !ok {
		t.Skipf("%T is no journal.Compactor", s)
	}
	return c
}

func compactA(t *testing.T, s journal.Store) journal.Compaction {
	t.Helper()
	did, err := compactor(t, s).Compact(t.Context(), "run_a")
	if err != nil {
		t.Fatalf("compact run_a: %v", err)
	}
	return did
}

// wordy are n entries after a seq, with values like those that people and models write.
func wordy(after uint64, n int) []journal.Entry {
	words := []string{"the printer", "is on fire", "again", "thank you", "please wait", "refund", "approved", "on our way", "invoice"}
	state := uint32(after)
	next := func() uint32 { // numbers that repeat no pattern which packs well, the same for the same seq
		state = state*1664525 + 1013904223
		return state >> 8
	}
	list := entries(after, n)
	for i := range list {
		said := []string{fmt.Sprint(next())}
		for range 20 {
			said = append(said, words[int(next())%len(words)])
		}
		list[i].Value = fmt.Appendf(nil, `{"text":%q}`, strings.Join(said, " "))
		list[i].Op, list[i].Node = fmt.Sprint("step:ask#", i%3), fmt.Sprint("node", i%5)
		if i%4 == 0 {
			list[i].Base, list[i].Flags, list[i].Body = max(list[i].Seq, 3)-2, journal.FlagBase, []byte(`{"reason":"answer"}`)
		}
	}
	return list
}

// appendEach appends entries to the journal of run_a, two at a time.
func appendEach(t *testing.T, s journal.Store, list []journal.Entry) {
	t.Helper()
	for len(list) > 0 {
		n := min(2, len(list))
		b := journal.Batch{Run: "run_a", After: list[0].Seq - 1, Entries: list[:n], Durability: journal.Async}
		if b.After == 0 {
			b.Row = row("run_a", 0)
		}
		appendAll(t, s, b)
		list = list[n:]
	}
}

func testCompact(t *testing.T, s journal.Store) {
	all := wordy(0, 24)
	appendEach(t, s, all)
	appendAll(t, s, first("run_b", 5), journal.Batch{
		Run: "run_a", After: 24, Row: row("run_a", 0), Interrupts: []journal.Interrupt{interrupt("int_a", "run_a", 1)},
		Timers: []journal.Timer{{Run: "run_a", ID: "t", Due: 1}}, Checkpoint: &journal.Checkpoint{Seq: 2, Data: []byte("check")},
	})
	state := func() []any {
		t.Helper()
		rows, err1 := s.Runs(t.Context(), journal.RunFilter{})
		inbox, err2 := s.Inbox(t.Context(), journal.InboxFilter{All: true})
		timers, err3 := s.Timers(t.Context(), 1<<62, 0)
		check, err4 := s.Checkpoint(t.Context(), "run_a")
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		return []any{rows, inbox, timers, check, read(t, s, "run_b", 0)}
	}
	before := state()
	for round := range 5 {
		did := compactA(t, s)
		if did.Entries != len(all) || did.After >= did.Before {
			t.Errorf("round %d: %+v, expected %d entries in fewer bytes", round, did, len(all))
		}
		same(t, "compacting again", journal.Compaction{Before: did.After, After: did.After, Entries: len(all)}, compactA(t, s))
		for after := range uint64(len(all)) + 2 {
			same(t, fmt.Sprint("after ", after), all[min(int(after), len(all)):], read(t, s, "run_a", after))
		}
		if round == 0 {
			same(t, "all else", before, state())
		}
		more := wordy(uint64(len(all)), 1+round*3)
		appendEach(t, s, more)
		fails(t, "the same again", s.Append(t.Context(), journal.Batch{Run: "run_a", After: uint64(len(all)), Entries: more}), journal.ErrConflict, "run_a")
		all = append(all, more...)
		same(t, "with what was appended", all, read(t, s, "run_a", 0))
	}
	if err := s.Delete(t.Context(), "run_a"); err != nil {
		t.Fatal(err)
	}
	_, err := readErr(t.Context(), s, "run_a", 0)
	fails(t, "read what is deleted", err, journal.ErrNotFound, "run_a")
	appendAll(t, s, first("run_a", 3)) // the same id, a new run
	same(t, "run_a again", entries(0, 3), read(t, s, "run_a", 0))
}

func testCompactLarge(t *testing.T, s journal.Store) {
	all := wordy(0, 3000)
	for i := 500; i < 3000; i += 500 { // each more than a block, and hard to pack
		var noise strings.Builder
		for noise.Len() < 300<<10 {
			noise.WriteString(rand.Text())
		}
		all[i].Value = fmt.Appendf(nil, "%q", noise.String())
	}
	written := 0
	for _, n := range []int{1, 700, 701, 1500, 2999, 3000} {
		appendEach(t, s, all[written:n])
		written = n
		did := compactA(t, s)
		same(t, "compacting again", journal.Compaction{Before: did.After, After: did.After, Entries: n}, compactA(t, s))
		for after := 0; after < n; after += 97 {
			same(t, fmt.Sprint("after ", after), all[after:n], read(t, s, "run_a", uint64(after)))
		}
		same(t, "the last one", all[n-1:n], read(t, s, "run_a", uint64(n-1)))
	}
}

// testCompactBusy writes, reads and compacts one run at the same time: no append is lost or refused, and each reader
// sees the journal without a gap.
func testCompactBusy(t *testing.T, s journal.Store) {
	const batches = 60
	all := wordy(0, 2*batches)
	appendEach(t, s, all[:2])
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for n := 2; n < len(all); n += 2 {
			if err := s.Append(t.Context(), journal.Batch{Run: "run_a", After: uint64(n), Entries: all[n : n+2]}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	until := func(do func() error) {
		for {
			if err := do(); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	}
	for range 2 {
		wg.Go(func() {
			until(func() error {
				_, err := s.(journal.Compactor).Compact(t.Context(), "run_a")
				if errors.Is(err, journal.ErrConflict) {
					return nil // each time another writer was first
				}
				return err
			})
		})
		wg.Go(func() {
			last := 0
			until(func() error {
				list, err := readErr(t.Context(), s, "run_a", 0)
				if err == nil && (len(list) < last || len(list)%2 != 0) {
					err = fmt.Errorf("read %d entries after %d: part of a batch, or fewer than before", len(list), last)
				}
				last = len(list)
				return err
			})
		})
	}
	wg.Wait()
	same(t, "the journal", all, read(t, s, "run_a", 0))
	compactA(t, s)
	same(t, "the journal when all is done", all, read(t, s, "run_a", 0))
}

// testCompactReader compacts while a reader is at every place: it sees the journal as it was when it began.
func testCompactReader(t *testing.T, s journal.Store) {
	all := wordy(0, 1400)
	appendEach(t, s, all)
	n := uint64(len(all))
	for _, at := range []uint64{1, 2, 255, 256, 511, 512, 513, 700, 1023, 1024, 1399} {
		end, last := n, uint64(0)
		for e, err := range s.Read(t.Context(), "run_a", 0) {
			if err != nil {
				t.Fatalf("compacted at seq %d: %v", at, err)
			}
			if last++; e.Seq != last {
				t.Fatalf("compacted at seq %d: expected seq %d, found %d", at, last, e.Seq)
			}
			if e.Seq != at {
				continue
			}
			for range 2 { // once with something new
				compactA(t, s)
				more := wordy(n, 100)
				appendEach(t, s, more)
				all, n = append(all, more...), n+100
			}
		}
		if last != end {
			t.Errorf("compacted at seq %d: the reader ends at %d, expected %d", at, last, end)
		}
	}
	same(t, "the journal", all, read(t, s, "run_a", 0))
}

func testCompactRefused(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_a", 3))
	c := s.(journal.Compactor)
	_, err := c.Compact(t.Context(), "run_b")
	fails(t, "a run that is not there", err, journal.ErrNotFound, "run_b")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Compact(ctx, "run_a")
	fails(t, "a done context", err, context.Canceled, "run_a")
	same(t, "the journal", entries(0, 3), read(t, s, "run_a", 0))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = c.Compact(t.Context(), "run_a")
	fails(t, "a closed store", err, journal.ErrClosed, "run_a")
}

func testCompactReopen(t *testing.T, o Options) {
	s := o.Open(t)
	if _, ok := journal.As[journal.Compactor](s); !ok {
		_ = s.Close()
		t.Skipf("%T is no journal.Compactor", s)
	}
	all := wordy(0, 50)
	appendEach(t, s, all[:40])
	compactA(t, s)
	appendEach(t, s, all[40:])
	for range 2 {
		s = o.Reopen(t, s)
		same(t, "the journal", all, read(t, s, "run_a", 0))
		compactA(t, s)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func testCompactSecond(t *testing.T, o Options) {
	one := open(t, o)
	compactor(t, one)
	two := o.Second(t, one)
	t.Cleanup(func() { _ = two.Close() })
	stores := []journal.Store{one, two}
	all := wordy(0, 120)
	appendAll(t, one, journal.Batch{Run: "run_a", Row: row("run_a", 0), Entries: all[:2]})
	for n := 2; n < len(all); n += 2 {
		writer, other := stores[n/2%2], stores[(n/2+1)%2]
		b := journal.Batch{Run: "run_a", After: uint64(n), Entries: all[n : n+2]}
		appendAll(t, writer, b)
		if n%6 == 0 {
			compactA(t, stores[n/6%2])
		}
		same(t, "the journal through the other", all[:n+2], read(t, other, "run_a", 0))
		fails(t, "the same batch through the other", other.Append(t.Context(), b), journal.ErrConflict, "run_a")
	}
	var wg sync.WaitGroup
	for _, s := range stores {
		wg.Go(func() {
			if _, err := s.(journal.Compactor).Compact(t.Context(), "run_a"); err != nil && !errors.Is(err, journal.ErrConflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		same(t, "the journal", all, read(t, s, "run_a", 0))
		if err := s.Delete(t.Context(), "run_a"); err != nil {
			t.Fatal(err)
		}
		appendEach(t, s, all)
		compactA(t, s)
	}
	same(t, "a new run of that id", all, read(t, one, "run_a", 0))
}
