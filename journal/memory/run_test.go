package memory_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// A run is read as it was written, from each seq, whatever its entries hold and however they were appended; and what a reader
// got is its own.
func TestJ6_EntriesAreReadAsTheyWereWritten(t *testing.T) {
	times := rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 1000), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 0}))
	names := rapid.SampledFrom([]string{"", "a", "b", "inner/review", "c", "d", "e", "größe", strings.Repeat("long", 300)})
	texts := func(t *rapid.T, label string) []byte {
		size := rapid.SampledFrom([]int{0, 1, 40, 127, 128, 1023, 1024, 5000}).Draw(t, label)
		text := make([]byte, size)
		for i := range text {
			text[i] = byte('a' + (i+size)%26)
		}
		if size == 0 {
			return nil
		}
		return text
	}
	rapid.Check(t, func(t *rapid.T) {
		s := memory.New()
		var written []journal.Entry
		for len(written) < 60 {
			n := rapid.IntRange(1, 30).Draw(t, "batch")
			b := journal.Batch{Run: "run_x", After: uint64(len(written)), Row: &journal.RunRow{ID: "run_x", Status: "running"}}
			for range n {
				written = append(written, journal.Entry{
					Seq: uint64(len(written) + 1), At: times.Draw(t, "at"), Kind: journal.RunStarted, Flags: rapid.Byte().Draw(t, "flags"),
					Attempt: rapid.Uint16().Draw(t, "attempt"), Visit: rapid.Uint32().Draw(t, "visit"), Node: names.Draw(t, "node"),
					Op: names.Draw(t, "op"), To: names.Draw(t, "to"), Base: rapid.Uint64().Draw(t, "base"),
					Value: texts(t, "value"), Body: texts(t, "body"),
				})
			}
			b.Entries = written[len(written)-n:]
			if err := s.Append(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // what the first reader does to its entries, the second does not see
			for after := 0; after <= len(written)+1; after += rapid.IntRange(5, 30).Draw(t, "on") {
				var read []journal.Entry
				for e, err := range s.Read(t.Context(), "run_x", uint64(after)) {
					if err != nil {
						t.Fatal(err)
					}
					read = append(read, e)
				}
				var want []journal.Entry
				if after < len(written) {
					want = written[after:]
				}
				if len(want) != len(read) || len(want) > 0 && !reflect.DeepEqual(want, read) {
					t.Fatalf("after %d (-written +read):\n%s", after, cmp.Diff(want, read))
				}
				for i := range read {
					clear(read[i].Value)
					clear(read[i].Body)
				}
			}
		}
	})
}

// What a reader got is its own.
func TestJ6_WhatWasReadBelongsToItsReader(t *testing.T) {
	s := memory.New()
	large := strings.Repeat("x", 5000)
	b := journal.Batch{
		Run: "run_x", Row: &journal.RunRow{ID: "run_x", Status: "running"},
		Entries: []journal.Entry{{Seq: 1, Kind: journal.RunStarted, Value: []byte("small"), Body: []byte(large)}},
	}
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for e, err := range s.Read(t.Context(), "run_x", 0) {
			if err != nil || string(e.Value) != "small" || string(e.Body) != large {
				t.Fatalf("a reader after another one that has changed what it got: %q, %d bytes, %v", e.Value, len(e.Body), err)
			}
			clear(e.Value)
			clear(e.Body)
		}
	}
}

// An entry of a node takes about what it holds.
func TestJ7_SmallEntriesTakeLittle(t *testing.T) {
	const visits = 20_000
	s := memory.New()
	b := journal.Batch{
		Run: "run_x", Row: &journal.RunRow{ID: "run_x", Status: "running"}, Entries: []journal.Entry{{Seq: 1, Kind: journal.RunStarted}},
	}
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	names := []string{"work", "check", "review"}
	value, entries := []byte(`[1,{"count":[0,17]}]`), make([]journal.Entry, 2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range uint64(visits) {
		seq := 2 + 2*i
		entries[0] = journal.Entry{Seq: seq, At: int64(1e15 + 50*i), Kind: journal.NodeFinished, Visit: uint32(i), Node: names[i%3], Base: seq - 2, Value: value}
		entries[1] = journal.Entry{Seq: seq + 1, At: int64(1e15 + 50*i), Kind: journal.NodeStarted, Visit: uint32(i), Node: names[i%3], Base: seq}
		if err := s.Append(t.Context(), journal.Batch{Run: "run_x", After: seq - 1, Entries: entries}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	each := float64(after.TotalAlloc-before.TotalAlloc) / (2 * visits)
	if each > 64 {
		t.Errorf("an entry took %.0f bytes, expected at most 64", each)
	}
	last := 0
	for e, err := range s.Read(t.Context(), "run_x", 2*visits-4) {
		if err != nil {
			t.Fatal(err)
		}
		last = int(e.Seq)
		if string(e.Value) != string(value) && e.Kind == journal.NodeFinished {
			t.Error(fmt.Errorf("entry %d has the value %s", e.Seq, e.Value))
		}
	}
	if last != 2*visits+1 {
		t.Errorf("the last entry is %d, expected %d", last, 2*visits+1)
	}
}
