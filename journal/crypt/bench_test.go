package crypt_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// steps are the two entries that a task with one step appends last: what most appends are.
func steps(after uint64, value []byte) []journal.Entry {
	at := int64(1_790_000_000_000_000) + int64(after)*1000
	return []journal.Entry{
		{Seq: after + 1, At: at, Kind: journal.StepFinished, Attempt: 1, Visit: 1, Node: "review", Op: "step:ask#1", Value: value},
		{Seq: after + 2, At: at + 5, Kind: journal.NodeFinished, Attempt: 1, Visit: 1, Node: "review", Base: after, Flags: journal.FlagBase, Value: []byte(`[2,4,["x"]]`)},
	}
}

// words is a value of about so many bytes, as people and models write them: another one for each number.
func words(n int, number uint64) []byte {
	list := []string{"the printer", "is on fire", "again", "thank you", "please wait", "refund", "approved", "on our way", "invoice"}
	random := rand.New(rand.NewPCG(number, 1))
	var text strings.Builder
	for text.Len() < n {
		fmt.Fprintf(&text, "%s %d ", list[random.IntN(len(list))], random.IntN(1000))
	}
	return fmt.Appendf(nil, "%q", text.String()[:n])
}

// BenchmarkAppend is the time of an append of two entries, in clear text and sealed, beside one another.
func BenchmarkAppend(b *testing.B) {
	stores := map[string]func(b *testing.B) journal.Store{
		"memory": func(*testing.B) journal.Store { return memory.New() },
		"sqlite": func(b *testing.B) journal.Store {
			s, err := sqlite.OpenWith(filepath.Join(b.TempDir(), "runs.db"), sqlite.Options{Sync: sqlite.Normal})
			return must(b, s, err)
		},
	}
	for _, name := range []string{"memory", "sqlite"} {
		for _, size := range []int{100, 10_000} {
			for _, how := range []string{"clear", "sealed"} {
				b.Run(fmt.Sprintf("%s/value=%d/%s", name, size, how), func(b *testing.B) {
					s, value := stores[name](b), words(size, 0)
					if how == "sealed" {
						s = wrap(b, s, ring("2026-11"))
					}
					defer s.Close()
					first := journal.Batch{Run: "run_1", Row: &journal.RunRow{ID: "run_1", Status: "running"}, Entries: steps(0, value)}
					if err := s.Append(b.Context(), first); err != nil {
						b.Fatal(err)
					}
					n := uint64(2)
					b.ReportAllocs()
					for b.Loop() {
						if err := s.Append(b.Context(), journal.Batch{Run: "run_1", After: n, Entries: steps(n, value)}); err != nil {
							b.Fatal(err)
						}
						n += 2
					}
				})
			}
		}
	}
}

// BenchmarkRead is the time of reading an entry.
func BenchmarkRead(b *testing.B) {
	for _, how := range []string{"clear", "sealed"} {
		b.Run(how, func(b *testing.B) {
			s := memory.New()
			if how == "sealed" {
				s = wrap(b, s, ring("2026-11"))
			}
			value := words(100, 0)
			for n := uint64(0); n < 1000; n += 2 {
				batch := journal.Batch{Run: "run_1", After: n, Entries: steps(n, value), Row: &journal.RunRow{ID: "run_1", Status: "running"}}
				if err := s.Append(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range s.Read(b.Context(), "run_1", 0) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/entry")
		})
	}
}

// BenchmarkSize is how many bytes of a file an entry takes, before and after it is compacted. It measures no time.
func BenchmarkSize(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		for _, how := range []string{"clear", "sealed"} {
			b.Run(fmt.Sprintf("value=%d/%s", size, how), func(b *testing.B) {
				const entries = 2000
				var before, after int64
				for b.Loop() {
					path := filepath.Join(b.TempDir(), "runs.db")
					file, err := sqlite.OpenWith(path, sqlite.Options{Sync: sqlite.Normal})
					s := must(b, file, err)
					if how == "sealed" {
						s = wrap(b, s, ring("2026-11"))
					}
					for n := uint64(0); n < entries; n += 2 {
						batch := journal.Batch{Run: "run_1", After: n, Entries: steps(n, words(size, n)), Durability: journal.Async}
						if n == 0 {
							batch.Row = &journal.RunRow{ID: "run_1", Status: "running"}
						}
						if err := s.Append(b.Context(), batch); err != nil {
							b.Fatal(err)
						}
					}
					did, err := s.(journal.Compactor).Compact(b.Context(), "run_1")
					if err != nil {
						b.Fatal(err)
					}
					before, after = did.Before, did.After
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
					if err := os.Remove(path); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(before)/entries, "B/entry")
				b.ReportMetric(float64(after)/entries, "compacted-B/entry")
			})
		}
	}
}
