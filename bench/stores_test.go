package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	goredis "github.com/redis/go-redis/v9"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// contender is a store, and what its driver alone does for a step: it adds a row with the bytes of the step to a log, and
// brings the row of its run up to date, in one transaction. It has no fence, and tells nobody.
type contender struct {
	store journal.Store
	write func(ctx context.Context, run string, seq int, data []byte) error
}

// BenchmarkStores is recorded steps of 1 KB, each stored before the next, of runs that go on at once: whole runs on a
// runtime, from start to end, beside the driver alone. They take turns; what is reported is the median of the turns.
func BenchmarkStores(b *testing.B) {
	makers := []struct {
		name string
		make func(b *testing.B) contender
	}{{"sqlite", sqliteContender}, {"postgres", postgresContender}, {"redis", redisContender}}
	for _, maker := range makers {
		for _, runs := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/runs=%d", maker.name, runs), func(b *testing.B) { compete(b, maker.make(b), runs) })
		}
	}
}

func compete(b *testing.B, c contender, runs int) {
	b.Helper()
	n := max(32, 128/runs) // steps of each run in one turn; a run also has a start and an end
	rt, g := newRuntime(b, fermata.Options{Store: c.store}), steps(n)(false)
	data, ctx := make([]byte, 1040), context.Background()
	var driver, engine, ratios []float64
	turn := 0
	for b.Loop() {
		turn++
		alone := atOnce(b, runs, func(i int) error {
			run := fmt.Sprintf("raw_%d_%d", turn, i)
			for seq := range n {
				if err := c.write(ctx, run, seq+1, data); err != nil {
					return err
				}
			}
			return nil
		})
		whole := atOnce(b, runs, func(int) error {
			run, err := g.Start(ctx, rt, messages{})
			if err != nil {
				return err
			}
			res, err := run.Wait(ctx)
			if err == nil && res.Status != fermata.Completed {
				err = fmt.Errorf("the run is %s: %w", res.Status, res.Err)
			}
			return err
		})
		all := float64(runs * n)
		driver, engine = append(driver, all/alone.Seconds()), append(engine, all/whole.Seconds())
		ratios = append(ratios, alone.Seconds()/whole.Seconds())
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(driver), "driver-steps/s")
	b.ReportMetric(median(engine), "steps/s")
	b.ReportMetric(median(ratios), "of-driver")
}

func atOnce(b *testing.B, runs int, do func(i int) error) time.Duration {
	b.Helper()
	began := time.Now()
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			if err := do(i); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// sqliteContender waits for the disk (synchronous FULL); its driver has one connection.
func sqliteContender(b *testing.B) contender {
	store, _ := open(b, sqlite.Full)
	db := raw(b, "FULL")
	if _, err := db.Exec("CREATE TABLE runs (run TEXT PRIMARY KEY, head INTEGER) WITHOUT ROWID"); err != nil {
		b.Fatal(err)
	}
	return contender{store, func(ctx context.Context, run string, seq int, data []byte) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // after a commit it does nothing
		if _, err := tx.Exec("INSERT INTO journal VALUES (?, ?, ?)", run, seq, data); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO runs VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET head = excluded.head", run, seq); err != nil {
			return err
		}
		return tx.Commit()
	}}
}

// postgresContender waits for the disk; its driver has as many connections as the store, and one statement a step.
func postgresContender(b *testing.B) contender {
	dsn := testserver.Postgres(b)
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = 16
	ctx, schema := context.Background(), testserver.Schema(b)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	name := pgx.Identifier{schema}.Sanitize()
	for _, sql := range []string{
		"CREATE SCHEMA " + name,
		"CREATE TABLE " + name + ".rawruns (run text PRIMARY KEY, head bigint NOT NULL) WITH (fillfactor = 60)",
		"CREATE TABLE " + name + ".rawlog (run text, last bigint, data bytea NOT NULL, PRIMARY KEY (run, last))",
	} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	store, err := postgres.OpenWith(dsn, postgres.Options{Schema: testserver.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	write := "WITH moved AS (INSERT INTO " + name + ".rawruns VALUES ($1, $2) ON CONFLICT (run) DO UPDATE SET head = excluded.head) " +
		"INSERT INTO " + name + ".rawlog VALUES ($1, $2, $3)"
	return contender{store, func(ctx context.Context, run string, seq int, data []byte) error {
		_, err := pool.Exec(ctx, write, run, int64(seq), data)
		return err
	}}
}

// redisContender does what the server is configured to; its driver sends a MULTI of two commands.
func redisContender(b *testing.B) contender {
	dsn, prefix := testserver.Redis(b), testserver.Prefix(b)
	o, err := goredis.ParseURL(dsn)
	if err != nil {
		b.Fatal(err)
	}
	c := goredis.NewClient(o)
	b.Cleanup(func() { _ = c.Close() })
	store, err := redis.OpenWith(dsn, redis.Options{Prefix: prefix, Accept: redis.Memory, AcceptEviction: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	return contender{store, func(ctx context.Context, run string, seq int, data []byte) error {
		_, err := c.TxPipelined(ctx, func(t goredis.Pipeliner) error {
			t.XAdd(ctx, &goredis.XAddArgs{Stream: prefix + "raw:" + run, ID: fmt.Sprintf("%d-0", seq), Values: []any{"f", data}})
			t.HSet(ctx, prefix+"rawrun:"+run, "head", seq)
			return nil
		})
		return err
	}}
}
