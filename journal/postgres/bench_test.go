package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// BenchmarkAppend is the steps of some runs at once, a value of 100 bytes each, beside the driver that does the same
// writes as a program without a journal would: it adds a row to a log, and changes the row of the run.
func BenchmarkAppend(b *testing.B) {
	for _, runs := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("runs=%d/raw", runs), func(b *testing.B) {
			schema := newSchema(b)
			c := raw(b)
			exec(b, c, "CREATE SCHEMA "+schema)
			exec(b, c, "CREATE TABLE "+schema+".runs (id bigint PRIMARY KEY, head bigint NOT NULL) WITH (fillfactor = 60)")
			exec(b, c, "CREATE TABLE "+schema+".log (run bigint, last bigint, data bytea NOT NULL, PRIMARY KEY (run, last))")
			config, err := pgxpool.ParseConfig(database(b))
			if err != nil {
				b.Fatal(err)
			}
			config.MaxConns = 16
			pool, err := pgxpool.NewWithConfig(b.Context(), config)
			if err != nil {
				b.Fatal(err)
			}
			defer pool.Close()
			for r := range runs {
				exec(b, c, "INSERT INTO "+schema+".runs VALUES ($1, 0)", r)
			}
			write := "WITH moved AS (UPDATE " + schema + ".runs SET head = $2 WHERE id = $1) INSERT INTO " + schema + ".log VALUES ($1, $2, $3)"
			frame := journal.AppendEntries(nil, step(2, make([]byte, 100)))
			each(b, runs, func(r int, n uint64) error {
				_, err := pool.Exec(context.Background(), write, int64(r), int64(n), frame)
				return err
			})
		})
		for name, d := range map[string]journal.Durability{"sync": journal.Sync, "async": journal.Async} {
			b.Run(fmt.Sprintf("runs=%d/%s", runs, name), func(b *testing.B) {
				s := open(b, postgres.Options{Schema: newSchema(b)})
				defer closeIt(b, s)
				for r := range runs {
					create(b, s, fmt.Sprint("run_", r))
				}
				value := make([]byte, 100)
				each(b, runs, func(r int, n uint64) error {
					return s.Append(context.Background(), journal.Batch{Run: fmt.Sprint("run_", r), After: n, Entries: step(n, value), Durability: d})
				})
			})
		}
	}
}

// each shares b.N steps among runs that go on at once.
func each(b *testing.B, runs int, do func(run int, after uint64) error) {
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for r := range runs {
		n := b.N / runs
		if r < b.N%runs {
			n++
		}
		wg.Go(func() {
			for i := range n {
				if err := do(r, 2+2*uint64(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkOpen is a store that is opened and closed, its schema being there, beside a connection that is made and
// asked one thing.
func BenchmarkOpen(b *testing.B) {
	b.Run("raw", func(b *testing.B) {
		dsn := database(b)
		for b.Loop() {
			c, err := pgx.Connect(b.Context(), dsn)
			if err != nil {
				b.Fatal(err)
			}
			exec(b, c, "SELECT 1")
			if err := c.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("store", func(b *testing.B) {
		o := postgres.Options{Schema: newSchema(b)}
		closeIt(b, open(b, o))
		for b.Loop() {
			closeIt(b, open(b, o))
		}
	})
}
