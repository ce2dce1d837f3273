package guide_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/node/postgres"
)

// Withdrawal is what the graph of a shop carries.
type Withdrawal struct {
	Amount  int
	Balance int // of the account, after it
}

// [guide: transact]
func debit(ctx node.Context, p Withdrawal) (Withdrawal, error) {
	db, err := node.Service[*pgxpool.Pool](ctx)
	if err != nil {
		return p, err
	}
	p.Balance, err = postgres.Transact(ctx, db, "debit", func(ctx node.Context, tx pgx.Tx) (balance int, err error) {
		err = tx.QueryRow(ctx, "UPDATE account SET balance = balance - $1 RETURNING balance", p.Amount).Scan(&balance)
		return balance, err
	})
	return p, err
}

// [guide: end]

// [guide: transact-step]
func debitAndCount(ctx node.Context, p Withdrawal) (Withdrawal, error) {
	db, err := node.Service[*pgxpool.Pool](ctx)
	if err != nil {
		return p, err
	}
	return node.Step(ctx, "debit", func(ctx node.Context) (Withdrawal, error) {
		err := pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) (err error) {
			p.Balance, err = postgres.Step(ctx, tx, "debit", func() (balance int, err error) {
				err = tx.QueryRow(ctx, "UPDATE account SET balance = balance - $1 RETURNING balance", p.Amount).Scan(&balance)
				return balance, err
			})
			return err
		})
		return p, err
	})
}

// [guide: end]

// The code of the page on transactions works.
func TestTransactionsOfThePage(t *testing.T) {
	ctx, schema := t.Context(), testserver.Schema(t)
	config, err := pgxpool.ParseConfig(testserver.Postgres(t))
	check(err)
	config.ConnConfig.RuntimeParams["search_path"] = schema
	db, err := pgxpool.NewWithConfig(ctx, config)
	check(err)
	defer db.Close()
	for _, sql := range []string{"CREATE SCHEMA " + schema, "CREATE TABLE account (balance bigint)", "INSERT INTO account VALUES (100)"} {
		_, err := db.Exec(ctx, sql)
		check(err)
	}
	store := memory.New()

	// [guide: transact-runtime]
	check(postgres.CreateTable(ctx, db))
	rt, err := fermata.New(fermata.Options{Store: store, Services: []any{db}})
	check(err)
	defer rt.Close()
	// [guide: end]

	for i, do := range []func(ctx node.Context, p Withdrawal) (Withdrawal, error){debit, debitAndCount} {
		g := graph.New[Withdrawal](fmt.Sprint("shop", i)).Node("debit", do).Edge(graph.Start, "debit").MustCompile()
		run, err := g.Start(ctx, rt, Withdrawal{Amount: 10})
		check(err)
		res, err := run.Wait(ctx)
		check(err)
		if res.State.Balance != 90-10*i {
			t.Errorf("%+v, %v", res.State, res.Err)
		}
		forget(ctx, db, run.ID())
	}
	var left int
	check(db.QueryRow(ctx, "SELECT count(*) FROM fermata_steps").Scan(&left))
	if left != 0 {
		t.Errorf("%d outcomes are left", left)
	}
}

func forget(ctx context.Context, db *pgxpool.Pool, run string) {
	// [guide: transact-forget]
	check(postgres.Forget(ctx, db, run)) // once the run has ended
	// [guide: end]
}
