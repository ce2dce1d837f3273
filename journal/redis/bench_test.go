package redis_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	driver "github.com/redis/go-redis/v9"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis"
)

// spread shares b.N steps among runs, each in a goroutine of its own.
func spread(b *testing.B, runs int, step func(run string, head uint64) error) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for r := range runs {
		steps := b.N / runs
		if r < b.N%runs {
			steps++
		}
		wg.Go(func() {
			run := fmt.Sprint("run_", r)
			for n := range steps {
				if err := step(run, uint64(2+2*n)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkAppend is the steps of runs that go on at the same time, against the raw driver that does the same writes
// without any fence: a frame into a stream, the head into a hash, a word to those that watch, in one MULTI.
func BenchmarkAppend(b *testing.B) {
	value := make([]byte, 100)
	for _, runs := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("runs=%d/raw", runs), func(b *testing.B) {
			p, c := prefix(b), raw(b)
			frame := journal.AppendEntries(nil, step(2, value))
			spread(b, runs, func(run string, head uint64) error {
				ctx, key := context.Background(), p+"{"+run+"}"
				last := strconv.FormatUint(head+2, 10)
				_, err := c.TxPipelined(ctx, func(t driver.Pipeliner) error {
					t.XAdd(ctx, &driver.XAddArgs{Stream: key + ":journal", ID: last + "-0", Values: []any{"f", frame, "t", "token"}})
					t.HSet(ctx, key, "head", last)
					t.Publish(ctx, p+"changes:0", "sender")
					return nil
				})
				return err
			})
		})
		b.Run(fmt.Sprintf("runs=%d/store", runs), func(b *testing.B) {
			s := openWith(b, prefix(b), redis.Options{})
			defer s.Close()
			for r := range runs {
				run := fmt.Sprint("run_", r)
				first := journal.Batch{Run: run, Row: &journal.RunRow{ID: run, Plan: "triage", Status: "running"}, Entries: step(0, nil)}
				if err := s.Append(context.Background(), first); err != nil {
					b.Fatal(err)
				}
			}
			spread(b, runs, func(run string, head uint64) error {
				return s.Append(context.Background(), journal.Batch{Run: run, After: head, Entries: step(head, value)})
			})
		})
	}
}

// BenchmarkRead reads a journal of two thousand steps.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	s := openWith(b, prefix(b), redis.Options{})
	defer s.Close()
	for n := uint64(0); n < 4000; n += 2 {
		batch := journal.Batch{Run: "run_1", After: n, Row: &journal.RunRow{ID: "run_1", Status: "running"}, Entries: step(n, make([]byte, 100))}
		if err := s.Append(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for _, err := range s.Read(context.Background(), "run_1", 0) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
