package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/node/postgres"
)

func TestMain(m *testing.M) {
	if at, ok := os.LookupEnv(deathVariable); ok {
		os.Exit(buyer(at))
	}
	goleak.VerifyTestMain(m)
}

// database is a schema of the test's own, with an account and the table of steps.
func database(t testing.TB) (db *pgxpool.Pool, schema string) {
	t.Helper()
	schema = testserver.Schema(t)
	db, err := pool(t.Context(), testserver.Postgres(t), schema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	execute(t, db, "CREATE SCHEMA "+schema)
	execute(t, db, "CREATE TABLE account (balance bigint NOT NULL)")
	execute(t, db, "INSERT INTO account VALUES (100)")
	var all sync.WaitGroup
	for range 4 { // processes that begin together
		all.Go(func() {
			if err := postgres.CreateTable(t.Context(), db); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return db, schema
}

func execute(t testing.TB, db postgres.Execer, sql string) {
	t.Helper()
	if _, err := db.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// found is what a query that gives one number finds.
func found(t testing.TB, pool *pgxpool.Pool, sql string) (n int) {
	t.Helper()
	if err := pool.QueryRow(context.Background(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// pay takes 10 from the account, in a transaction.
func pay(ctx context.Context, tx pgx.Tx) (balance int, err error) {
	err = tx.QueryRow(ctx, "UPDATE account SET balance = balance - 10 RETURNING balance").Scan(&balance)
	return balance, err
}

// graphOf runs one node.
func graphOf(t testing.TB, do func(ctx node.Context, n int) (int, error)) *graph.Graph[int] {
	t.Helper()
	g, err := graph.New[int]("shop").Node("buy", do).Edge(graph.Start, "buy").Compile()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func newRuntime(t testing.TB, s journal.Store) *fermata.Runtime {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	return rt
}

// The engine dies at each append of a run with several transactions in a loop, before and after it: each takes effect once,
// also where its record was lost.
func TestJ5_TransactionsHappenOnceAtEveryCrash(t *testing.T) {
	pool, _ := database(t)
	execute(t, pool, "CREATE TABLE payments (n bigint)")
	g := graphOf(t, func(ctx node.Context, n int) (int, error) {
		for range 3 {
			balance, err := postgres.Transact(ctx, pool, "pay", func(ctx node.Context, tx pgx.Tx) (int, error) {
				if _, err := tx.Exec(ctx, "INSERT INTO payments VALUES (1)"); err != nil {
					return 0, err
				}
				return pay(ctx, tx)
			})
			if err != nil {
				return 0, err
			}
			n = balance
		}
		return n, nil
	})
	report := fermatatest.Crash(
		t, g.Plan(), func() any { return new(int) },
		fermatatest.Before(func() {
			execute(t, pool, "UPDATE account SET balance = 100")
			execute(t, pool, "DELETE FROM fermata_steps")
		}),
		fermatatest.Effects(func() map[string]int {
			return map[string]int{"payments": found(t, pool, "SELECT count(*) FROM payments")}
		}),
		fermatatest.OnlyOnce("payments"),
	)
	if n, ok := report.Result.Value.(*int); !ok || *n != 70 || report.Crashes < 10 {
		t.Errorf("the result is %v after %d crashes, expected 70", report.Result.Value, report.Crashes)
	}
}

// Two processes that do the same step at once have one effect, and the same result: the second one waits for the first.
func TestJ5_TwoProcessesHaveOneEffect(t *testing.T) {
	pool, _ := database(t)
	for _, commits := range []bool{true, false} {
		execute(t, pool, "UPDATE account SET balance = 100")
		execute(t, pool, "DELETE FROM fermata_steps")
		inside, leave := make(chan struct{}), make(chan struct{})
		calls := make(chan int, 2)
		var once sync.Once
		one := func() (int, error) {
			return within(t, "run_1", func(ctx node.Context) (int, error) {
				tx, err := pool.Begin(ctx)
				if err != nil {
					return 0, err
				}
				defer func() { _ = tx.Rollback(context.Background()) }()
				first := false
				once.Do(func() { first = true })
				if !first {
					<-inside
					go func() { // once this one waits for the row of the other
						for found(t, pool, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO fermata_steps%'") == 0 {
						}
						close(leave)
					}()
				}
				balance, err := postgres.Step(ctx, tx, "pay", func() (int, error) {
					calls <- 1
					balance, err := pay(ctx, tx)
					if first {
						close(inside)
						<-leave
					}
					return balance, err
				})
				if err != nil || first && !commits {
					return 0, err
				}
				return balance, tx.Commit(ctx)
			})
		}
		var results [2]int
		var both sync.WaitGroup
		for i := range results {
			both.Go(func() {
				var err error
				if results[i], err = one(); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		want, wantCalls := 180, 1
		if !commits {
			want, wantCalls = 90, 2
		}
		if sum := results[0] + results[1]; sum != want || len(calls) != wantCalls || found(t, pool, "SELECT balance FROM account") != 90 {
			t.Errorf("the first commits: %v: results %v, %d calls", commits, results, len(calls))
		}
	}
}

// within does something in a node of a run of that id, in a store of its own.
func within(t testing.TB, id string, do func(ctx node.Context) (int, error)) (int, error) {
	t.Helper()
	rt := newRuntime(t, memory.New())
	run, err := graphOf(t, func(ctx node.Context, _ int) (int, error) { return do(ctx) }).Start(t.Context(), rt, 0, fermata.WithID(id))
	if err != nil {
		return 0, err
	}
	res, err := run.Wait(t.Context())
	if err == nil {
		err = res.Err
	}
	return res.State, err
}

// What fails, panics or cannot be kept leaves nothing behind, also where the caller commits.
func TestJ5_AFailedStepLeavesNothing(t *testing.T) {
	pool, _ := database(t)
	failures := map[string]struct {
		fail func(tx pgx.Tx) (any, error)
		says string
	}{
		"an error":      {func(pgx.Tx) (any, error) { return nil, errors.New("declined") }, "declined"},
		"an aborted tx": {func(tx pgx.Tx) (any, error) { _, err := tx.Exec(t.Context(), "SELECT 1/0"); return nil, err }, "division by zero"},
		"a channel":     {func(pgx.Tx) (any, error) { return make(chan int), nil }, "cannot be stored"},
		"a panic":       {func(pgx.Tx) (any, error) { panic("no more") }, "no more"},
	}
	for name, tt := range failures {
		_, err := within(t, "run_1", func(ctx node.Context) (int, error) {
			tx, err := pool.Begin(ctx)
			if err != nil {
				return 0, err
			}
			commit := func() { execute(t, tx, "INSERT INTO account VALUES (0)"); _ = tx.Commit(context.Background()) }
			defer commit() // whatever happened
			_, err = postgres.Step(ctx, tx, "pay", func() (any, error) {
				if _, err := pay(ctx, tx); err != nil {
					return nil, err
				}
				return tt.fail(tx)
			})
			return 0, err
		})
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
		left := []int{found(t, pool, "SELECT count(*) FROM fermata_steps"), found(t, pool, "SELECT max(balance) FROM account"), found(t, pool, "DELETE FROM account WHERE balance = 0 RETURNING 1")}
		if diff := cmp.Diff([]int{0, 100, 1}, left); diff != "" {
			t.Errorf("%s: records, balance, what the caller did besides (-want +got):\n%s", name, diff)
		}
	}
}

// kept has what JSON changes.
type kept struct {
	Any  any
	List []string
}

// The first pass gets the value that every later one gets (law N10).
func TestN10_TheRecordedValueIsReturnedAtOnce(t *testing.T) {
	pool, _ := database(t)
	var seen []kept
	for range 2 {
		_, err := within(t, "run_1", func(ctx node.Context) (int, error) {
			v, err := postgres.Transact(ctx, pool, "k", func(node.Context, pgx.Tx) (kept, error) { return kept{Any: 1 << 60, List: []string{"\xff"}}, nil })
			seen = append(seen, v)
			return 0, err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(seen[0], seen[1]); diff != "" || fmt.Sprintf("%T %v", seen[0].Any, seen[0].Any) != "json.Number 1152921504606846976" {
		t.Errorf("%T %v (-first +second):\n%s", seen[0].Any, seen[0], diff)
	}
}

// Transactions that the database rolls back for others' sake are done again.
func TestTransactTriesAgainAfterADeadlock(t *testing.T) {
	pool, _ := database(t)
	calls := 0
	balance, err := within(t, "run_1", func(ctx node.Context) (int, error) {
		return postgres.Transact(ctx, pool, "pay", func(ctx node.Context, tx pgx.Tx) (int, error) {
			balance, err := pay(ctx, tx)
			if calls++; calls < 3 && err == nil {
				_, err = tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'two wait for each other' USING ERRCODE = 'deadlock_detected'; END $$")
			}
			return balance, err
		})
	})
	if err != nil || balance != 90 || calls != 3 || found(t, pool, "SELECT balance FROM account") != 90 {
		t.Errorf("%d, %v after %d calls", balance, err, calls)
	}
}

// breaking is a pool whose transactions lose the answer to their first commit, which took effect or did not.
type breaking struct {
	*pgxpool.Pool
	took   bool
	broken *bool
}

func (b breaking) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := b.Pool.Begin(ctx)
	return breakingTx{tx, b}, err
}

type breakingTx struct {
	pgx.Tx
	b breaking
}

func (x breakingTx) Commit(ctx context.Context) error {
	if *x.b.broken {
		return x.Tx.Commit(ctx)
	}
	*x.b.broken = true
	var err error
	if x.b.took {
		err = x.Tx.Commit(ctx)
	} else {
		err = x.Tx.Rollback(ctx)
	}
	return errors.Join(errors.New("unexpected EOF"), err)
}

// Where the answer to a commit is lost, the database is asked: what took effect is no failure, and is not done twice.
func TestJ5_ALostAnswerToACommit(t *testing.T) {
	pool, _ := database(t)
	for _, took := range []bool{true, false} {
		execute(t, pool, "UPDATE account SET balance = 100")
		execute(t, pool, "DELETE FROM fermata_steps")
		balance, err := within(t, "run_1", func(ctx node.Context) (int, error) {
			db := breaking{Pool: pool, took: took, broken: new(bool)}
			return postgres.Transact(ctx, db, "pay", func(ctx node.Context, tx pgx.Tx) (int, error) { return pay(ctx, tx) })
		})
		left := found(t, pool, "SELECT balance FROM account")
		switch {
		case took && (err != nil || balance != 90 || left != 90):
			t.Errorf("it took effect: %d, %d, %v", balance, left, err)
		case !took && (err == nil || left != 100 || !strings.Contains(err.Error(), "did not take effect")):
			t.Errorf("it did not: %d, %v", left, err)
		}
	}
}

// Mistakes are told with what to do.
func TestMistakesInSteps(t *testing.T) {
	pool, _ := database(t)
	inTx := func(ctx context.Context, key string) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			_, err := postgres.Step(ctx, tx, key, func() (int, error) {
				return postgres.Step(ctx, tx, key, func() (int, error) { return 1, nil })
			})
			return err
		})
	}
	if err := inTx(t.Context(), "k"); err == nil || !strings.Contains(err.Error(), "expected the context of a node") {
		t.Errorf("no node: %v", err)
	}
	for key, want := range map[string]string{"": "expected a key", "a\x00": "expected a key", "\xff": "expected a key", "k": "called inside of itself"} {
		if _, err := within(t, "run_1", func(ctx node.Context) (int, error) { return 0, inTx(ctx, key) }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", key, err)
		}
	}
	_, err := within(t, "run_1", func(ctx node.Context) (int, error) {
		tx, err := pool.Begin(ctx)
		if err != nil {
			return 0, err
		}
		defer func() { _ = tx.Rollback(context.Background()) }()
		return postgres.Transact(ctx, tx, "k", func(node.Context, pgx.Tx) (int, error) { return 1, nil })
	})
	if err == nil || !strings.Contains(err.Error(), "use postgres.Step") {
		t.Errorf("a transaction in place of a pool: %v", err)
	}
	if err := postgres.Forget(t.Context(), pool, "run_1"); err != nil {
		t.Error(err)
	}
	execute(t, pool, "DROP TABLE fermata_steps")
	_, err = within(t, "run_1", func(ctx node.Context) (int, error) { return 0, inTx(ctx, "k") })
	if err == nil || !strings.Contains(err.Error(), "call CreateTable first") {
		t.Errorf("no table: %v", err)
	}
}
