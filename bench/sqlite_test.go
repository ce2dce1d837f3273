package bench

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

var syncs = []struct {
	name string
	mode sqlite.Sync
}{{"NORMAL", sqlite.Normal}, {"FULL", sqlite.Full}}

func open(b *testing.B, mode sqlite.Sync) (*sqlite.Store, string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.db")
	store, err := sqlite.OpenWith(path, sqlite.Options{Sync: mode})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	return store, path
}

// raw is the driver alone: a table of blobs, one row a commit.
func raw(b *testing.B, mode string) *sql.DB {
	b.Helper()
	dsn := "file:" + filepath.Join(b.TempDir(), "raw.db") +
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(" + mode + ")&_txlock=immediate"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	if _, err := db.Exec("CREATE TABLE journal (run INTEGER, seq INTEGER, data BLOB, PRIMARY KEY (run, seq)) WITHOUT ROWID"); err != nil {
		b.Fatal(err)
	}
	return db
}

// steps is a graph whose one node makes a recorded step of 1 KB n times.
func steps(n int) *graph.Graph[messages] {
	payload := strings.Repeat("x", 1000)
	return graph.New[messages]("steps").
		Node("work", func(ctx node.Context, s messages) (messages, error) {
			for range n {
				_, err := node.Step(ctx, "step", func(node.Context) (string, error) { return payload, nil })
				if err != nil {
					return s, err
				}
			}
			return s, nil
		}).
		Edge(graph.Start, "work").
		MustCompile()
}

func perStep(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/step")
}

// BenchmarkStepSQLite compares one recorded step of 1 KB with one commit of the same bytes by the raw driver.
func BenchmarkStepSQLite(b *testing.B) {
	const n = 200
	for _, s := range syncs {
		b.Run(s.name+"/floor", func(b *testing.B) {
			db := raw(b, s.name)
			insert, err := db.Prepare("INSERT INTO journal VALUES (?, ?, ?)")
			if err != nil {
				b.Fatal(err)
			}
			defer insert.Close()
			data := make([]byte, 1040)
			run := 0
			for b.Loop() {
				run++
				for i := range n {
					if _, err := insert.Exec(run, i, data); err != nil {
						b.Fatal(err)
					}
				}
			}
			perStep(b, n)
		})
		b.Run(s.name+"/fermata", func(b *testing.B) {
			store, _ := open(b, s.mode)
			j := job[messages]{graph: steps(n), input: nothing}
			run := j.stored(newRuntime(b, fermata.Options{Store: store}))
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			perStep(b, n)
		})
	}
}

// BenchmarkStepSQLiteGrouped is 64 runs at once, each step on disk before the next: against 64 rows a commit.
func BenchmarkStepSQLiteGrouped(b *testing.B) {
	const runs, n = 64, 20
	b.Run("floor", func(b *testing.B) {
		db := raw(b, "FULL")
		data := make([]byte, 1040)
		round := 0
		for b.Loop() {
			round++
			for i := range n {
				tx, err := db.Begin()
				if err != nil {
					b.Fatal(err)
				}
				insert, err := tx.Prepare("INSERT INTO journal VALUES (?, ?, ?)")
				if err != nil {
					b.Fatal(err)
				}
				for run := range runs {
					if _, err := insert.Exec(round*runs+run, i, data); err != nil {
						b.Fatal(err)
					}
				}
				if err := tx.Commit(); err != nil {
					b.Fatal(err)
				}
			}
		}
		perStep(b, runs*n)
	})
	b.Run("fermata", func(b *testing.B) {
		store, _ := open(b, sqlite.Full)
		rt := newRuntime(b, fermata.Options{Store: store})
		g := steps(n)
		ctx := context.Background()
		for b.Loop() {
			var wg sync.WaitGroup
			for range runs {
				wg.Go(func() {
					run, err := g.Start(ctx, rt, messages{})
					if err != nil {
						b.Error(err)
						return
					}
					if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
						b.Error(res.Status, err)
					}
				})
			}
			wg.Wait()
		}
		perStep(b, runs*n)
	})
}

func BenchmarkPauseAndResumeSQLite(b *testing.B) {
	for _, s := range syncs {
		b.Run(s.name, func(b *testing.B) {
			store, _ := open(b, s.mode)
			resume := pauseAndResume(newRuntime(b, fermata.Options{Store: store}))
			b.ReportAllocs()
			for b.Loop() {
				if err := resume(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPaused10000 holds 10,000 paused runs and lists the inbox.
func BenchmarkPaused10000(b *testing.B) {
	const runs = 10_000
	store, path := open(b, sqlite.Normal)
	rt := newRuntime(b, fermata.Options{Store: store})
	g := gate()
	ctx := context.Background()
	before, goroutines := heap(), runtime.NumGoroutine()
	for i := range runs {
		run, err := g.Start(ctx, rt, messages{}, fermata.WithID(fmt.Sprintf("run_%05d", i)))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := run.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	after, now := heap(), runtime.NumGoroutine()
	b.ResetTimer()
	for b.Loop() {
		open, err := rt.Inbox(ctx, journal.InboxFilter{})
		if err != nil || len(open) != runs {
			b.Fatal(len(open), err)
		}
	}
	b.ReportMetric(float64(after-before)/runs, "heap-B/run")
	b.ReportMetric(float64(now-goroutines), "goroutines")
	b.ReportMetric(float64(size(b, path))/runs, "disk-B/run")
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func size(b *testing.B, path string) int64 {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkChat10000 appends one message of 400 bytes a visit, 10,000 times, then opens the run again.
func BenchmarkChat10000(b *testing.B) {
	const visits, length = 10_000, 400
	text := strings.Repeat("m", length)
	chat := func(last int) *graph.Graph[messages] {
		return graph.New[messages]("chat").
			Node("say", func(ctx node.Context, s messages) (messages, error) {
				if s.Count == last {
					_, err := node.Interrupt[bool](ctx, nil, node.Prompt("More?"))
					return s, err
				}
				s.Messages = append(s.Messages, message{Role: "user", Content: text})
				s.Count++
				return s, nil
			}).
			Edge(graph.Start, "say").
			Route("say", func(_ node.Context, s messages) (string, error) { return "say", nil }, "say", graph.End).
			MustCompile()
	}
	g := chat(visits)
	said := visits * (length + len(`{"role":"user","content":""},`))
	var opening, bytesOnDisk, elapsed float64
	for b.Loop() {
		store, path := open(b, sqlite.Normal)
		rt := newRuntime(b, fermata.Options{Store: store})
		ctx := context.Background()
		began := time.Now()
		run, err := g.Start(ctx, rt, messages{})
		if err != nil {
			b.Fatal(err)
		}
		if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Paused {
			b.Fatal(res.Status, err)
		}
		elapsed += time.Since(began).Seconds()
		bytesOnDisk += float64(size(b, path))
		began = time.Now()
		fresh := newRuntime(b, fermata.Options{Store: store}) // nothing of the run is in its memory
		again, err := g.Resume(ctx, fresh, run.ID())
		if err != nil {
			b.Fatal(err)
		}
		opening += time.Since(began).Seconds() * 1000
		if res, err := again.Wait(ctx); err != nil || res.Status != fermata.Paused {
			b.Fatal(res.Status, err)
		}
	}
	b.ReportMetric(bytesOnDisk/float64(b.N)/float64(said), "disk/said")
	b.ReportMetric(opening/float64(b.N), "ms/open")
	b.ReportMetric(elapsed/float64(b.N)*1e6/visits, "us/visit")
}
