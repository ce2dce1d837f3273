package bench

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
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

func perStep(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/step")
}

// BenchmarkStepSQLite compares one recorded step of 1 KB with one commit of the same bytes by the raw driver.
func BenchmarkStepSQLite(b *testing.B) {
	n := sized(200)
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
			h := inSQLite(b, s.mode)
			if err := h.renew(); err != nil {
				b.Fatal(err)
			}
			j := job[messages]{graph: steps(n), input: nothing}
			run := j.stored("", false, h).Run
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
		g := steps(n)(false)
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

// BenchmarkPaused10000 holds 10,000 paused runs and lists the inbox.
func BenchmarkPaused10000(b *testing.B) {
	runs := sized(10_000)
	store, path := open(b, sqlite.Normal)
	rt := newRuntime(b, fermata.Options{Store: store})
	g := gate(false)
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
	b.ReportMetric(float64(after-before)/float64(runs), "heap-B/run")
	b.ReportMetric(float64(now-goroutines), "goroutines")
	b.ReportMetric(float64(size(b, path))/float64(runs), "disk-B/run")
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
