package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

var levels = []struct {
	name string
	sync sqlite.Sync
}{{"NORMAL", sqlite.Normal}, {"FULL", sqlite.Full}}

// step is what a run writes when one node has finished with a value and the next one starts.
func step(after uint64, value []byte) []journal.Entry {
	return []journal.Entry{
		{
			Seq: after + 1, At: 1_790_000_000_000_000, Kind: journal.NodeFinished, Flags: journal.FlagBase, Attempt: 1, Visit: 1,
			Node: "classify", Base: max(after, 1) - 1, Value: value,
		},
		{Seq: after + 2, At: 1_790_000_000_000_000, Kind: journal.NodeStarted, Attempt: 1, Visit: 1, Node: "review", Base: after + 1},
	}
}

func create(tb testing.TB, s journal.Store, run string) {
	tb.Helper()
	err := s.Append(context.Background(), journal.Batch{
		Run: run, Row: &journal.RunRow{ID: run, Plan: "triage", Kind: "graph", Status: "running"}, Entries: step(0, nil),
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// rawDB is the floor: the driver as most programs use it, one connection, one prepared INSERT.
func rawDB(b *testing.B, level string) (*sql.Conn, *sql.Stmt) {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "raw.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous("+level+")")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	if _, err := c.ExecContext(context.Background(), "CREATE TABLE journal (id INTEGER PRIMARY KEY, data BLOB NOT NULL)"); err != nil {
		b.Fatal(err)
	}
	insert, err := c.PrepareContext(context.Background(), "INSERT INTO journal (data) VALUES (?)")
	if err != nil {
		b.Fatal(err)
	}
	return c, insert
}

// BenchmarkStep is one step of one run, against the raw driver that commits the same bytes by itself.
func BenchmarkStep(b *testing.B) {
	for _, level := range levels {
		for _, size := range []int{100, 1000} {
			value := make([]byte, size)
			b.Run(fmt.Sprintf("%s/value=%d/raw", level.name, size), func(b *testing.B) {
				b.ReportAllocs()
				_, insert := rawDB(b, level.name)
				frame := journal.AppendEntries(nil, step(2, value))
				for b.Loop() {
					if _, err := insert.Exec(frame); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/value=%d/store", level.name, size), func(b *testing.B) {
				b.ReportAllocs()
				s := openFile(b, filepath.Join(b.TempDir(), "a.db"), sqlite.Options{Sync: level.sync})
				defer s.Close()
				create(b, s, "run_1")
				n := uint64(2)
				for b.Loop() {
					if err := s.Append(context.Background(), journal.Batch{Run: "run_1", After: n, Entries: step(n, value)}); err != nil {
						b.Fatal(err)
					}
					n += 2
				}
			})
		}
	}
}

// BenchmarkGrouped is the steps of 64 runs at once, against the raw driver that commits 64 at a time.
func BenchmarkGrouped(b *testing.B) {
	const runs = 64
	for _, level := range levels {
		for _, size := range []int{100, 1000} {
			value := make([]byte, size)
			b.Run(fmt.Sprintf("%s/value=%d/raw", level.name, size), func(b *testing.B) {
				b.ReportAllocs()
				c, insert := rawDB(b, level.name)
				frame := journal.AppendEntries(nil, step(2, value))
				n := 0
				do := func(statement string) {
					if _, err := c.ExecContext(context.Background(), statement); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					if n%runs == 0 {
						do("BEGIN IMMEDIATE")
					}
					if _, err := insert.Exec(frame); err != nil {
						b.Fatal(err)
					}
					if n++; n%runs == 0 {
						do("COMMIT")
					}
				}
				if n%runs != 0 {
					do("COMMIT")
				}
			})
			b.Run(fmt.Sprintf("%s/value=%d/store", level.name, size), func(b *testing.B) {
				b.ReportAllocs()
				s := openFile(b, filepath.Join(b.TempDir(), "a.db"), sqlite.Options{Sync: level.sync})
				defer s.Close()
				for r := range runs {
					create(b, s, fmt.Sprint("run_", r))
				}
				b.ResetTimer()
				var wg sync.WaitGroup
				for r := range runs {
					steps := b.N / runs
					if r < b.N%runs {
						steps++
					}
					wg.Go(func() {
						run, n := fmt.Sprint("run_", r), uint64(2)
						for range steps {
							if err := s.Append(context.Background(), journal.Batch{Run: run, After: n, Entries: step(n, value)}); err != nil {
								b.Error(err)
								return
							}
							n += 2
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// BenchmarkInbox lists the inbox of ten thousand paused runs.
func BenchmarkInbox(b *testing.B) {
	b.ReportAllocs()
	s := openFile(b, filepath.Join(b.TempDir(), "a.db"), sqlite.Options{Sync: sqlite.Normal})
	defer s.Close()
	pauseRuns(b, s, 10_000)
	for b.Loop() {
		if list, err := s.Inbox(context.Background(), journal.InboxFilter{}); err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
}

// BenchmarkRead reads a journal of ten thousand steps.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	s := openFile(b, filepath.Join(b.TempDir(), "a.db"), sqlite.Options{Sync: sqlite.Normal})
	defer s.Close()
	create(b, s, "run_1")
	for n := uint64(2); n < 20_000; n += 2 {
		batch := journal.Batch{Run: "run_1", After: n, Entries: step(n, make([]byte, 100)), Durability: journal.Async}
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

// BenchmarkRuns is runs that start, are asked a question and end: batches with rows, which the feed of changes numbers (ADR 109).
func BenchmarkRuns(b *testing.B) {
	for _, level := range levels {
		b.Run(level.name, func(b *testing.B) {
			s := openFile(b, filepath.Join(b.TempDir(), "a.db"), sqlite.Options{Sync: level.sync})
			defer s.Close()
			for n := 0; b.Loop(); n++ {
				run := fmt.Sprint("run_", n)
				create(b, s, run)
				row := journal.RunRow{ID: run, Plan: "triage", Kind: "graph", Status: "paused", Updated: 1, Waiting: 1}
				in := journal.Interrupt{ID: "int_" + run, Run: run, State: journal.Open, Opened: int64(n)}
				if err := s.Append(context.Background(), journal.Batch{Run: run, After: 2, Row: &row, Entries: step(2, nil), Interrupts: []journal.Interrupt{in}}); err != nil {
					b.Fatal(err)
				}
				ended := journal.RunRow{ID: run, Plan: "triage", Kind: "graph", Status: "completed", Updated: 2}
				in.State = journal.Answered
				if err := s.Append(context.Background(), journal.Batch{Run: run, After: 4, Row: &ended, Entries: step(4, nil), Interrupts: []journal.Interrupt{in}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
