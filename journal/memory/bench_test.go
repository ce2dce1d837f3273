package memory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// step is what a run writes when one node has finished and the next one starts.
func step(after uint64, value []byte) []journal.Entry {
	return []journal.Entry{
		{
			Seq: after + 1, At: 1_790_000_000_000_000, Kind: journal.NodeFinished, Flags: journal.FlagBase, Attempt: 1, Visit: 1,
			Node: "classify", Base: max(after, 1) - 1, Value: value,
		},
		{Seq: after + 2, At: 1_790_000_000_000_000, Kind: journal.NodeStarted, Attempt: 1, Visit: 1, Node: "review", Base: after + 1},
	}
}

func start(b *testing.B, s journal.Store, run string) {
	err := s.Append(context.Background(), journal.Batch{Run: run, Row: &journal.RunRow{ID: run, Status: "running"}, Entries: step(0, nil)})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{0, 100, 1000} {
		b.Run(fmt.Sprintf("value=%d", size), func(b *testing.B) {
			b.ReportAllocs()
			s := memory.New()
			defer s.Close()
			start(b, s, "run_0")
			ctx, entries, value := context.Background(), step(0, nil), make([]byte, size)
			n, run := uint64(2), "run_0"
			for b.Loop() {
				if n >= 20_000 { // a run of ordinary length, not one that never ends
					_ = s.Delete(ctx, run)
					run, n = fmt.Sprint("run_", b.N), 2
					start(b, s, run)
				}
				entries[0].Seq, entries[1].Seq, entries[0].Value = n+1, n+2, value
				if err := s.Append(ctx, journal.Batch{Run: run, After: n, Entries: entries}); err != nil {
					b.Fatal(err)
				}
				n += 2
			}
		})
	}
}

func BenchmarkAppendParallel(b *testing.B) {
	b.ReportAllocs()
	s := memory.New()
	defer s.Close()
	b.RunParallel(func(pb *testing.PB) {
		run, n := fmt.Sprintf("run_%p", pb), uint64(2)
		start(b, s, run)
		ctx, entries := context.Background(), step(0, []byte(`[2,4,["x"]]`))
		for pb.Next() {
			entries[0].Seq, entries[1].Seq = n+1, n+2
			if err := s.Append(ctx, journal.Batch{Run: run, After: n, Entries: entries}); err != nil {
				b.Error(err)
				return
			}
			n += 2
		}
	})
}

func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	s := memory.New()
	defer s.Close()
	ctx := context.Background()
	start(b, s, "run")
	for n := uint64(2); n < 1000; n += 2 {
		if err := s.Append(ctx, journal.Batch{Run: "run", After: n, Entries: step(n, []byte(`[2,4,["x"]]`))}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for _, err := range s.Read(ctx, "run", 0) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkNextTimer(b *testing.B) {
	b.ReportAllocs()
	s := memory.New()
	defer s.Close()
	ctx := context.Background()
	for i := range 10_000 {
		run := fmt.Sprint("run_", i)
		err := s.Append(ctx, journal.Batch{
			Run: run, Row: &journal.RunRow{ID: run, Status: "paused"}, Entries: step(0, nil),
			Timers: []journal.Timer{{Run: run, ID: "t", Due: int64((i * 7919) % 10_000)}},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if next, err := s.Timers(ctx, 1<<62, 1); err != nil || len(next) != 1 {
			b.Fatal(next, err)
		}
	}
}
