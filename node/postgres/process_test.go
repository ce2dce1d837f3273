package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/node/postgres"
)

// Variables of a process of this test: where it dies, the file of its store, its database and schema.
const (
	deathVariable    = "FERMATA_TEST_DIES"
	fileVariable     = "FERMATA_TEST_FILE"
	databaseVariable = "FERMATA_TEST_DATABASE"
	schemaVariable   = "FERMATA_TEST_SCHEMA"
)

// deaths are the places at which a process is killed, in their order.
var deaths = []string{"before the transaction", "before the effect", "after the effect", "before the commit", "after the commit"}

// buyer is a process that starts the run, or goes on with it, and is killed where it is told to.
func buyer(at string) int {
	state, err := buy(at)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Print(state)
	return 0
}

func pool(ctx context.Context, address, schema string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 8
	config.ConnConfig.RuntimeParams["search_path"] = schema
	return pgxpool.NewWithConfig(ctx, config)
}

func buy(at string) (state int, err error) {
	ctx := context.Background()
	db, err := pool(ctx, os.Getenv(databaseVariable), os.Getenv(schemaVariable))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	dies := func(here string) {
		if here == at {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			fmt.Fprintln(os.Stderr, "still alive:", err)
			select {}
		}
	}
	g, err := graph.New[int]("shop").Node("buy", func(ctx node.Context, _ int) (int, error) {
		return node.Step(ctx, "pay", func(ctx node.Context) (balance int, err error) {
			dies("before the transaction")
			err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
				balance, err = postgres.Step(ctx, tx, "pay", func() (int, error) {
					dies("before the effect")
					balance, err := pay(ctx, tx)
					dies("after the effect")
					return balance, err
				})
				dies("before the commit")
				return err
			})
			dies("after the commit")
			return balance, err
		})
	}).Edge(graph.Start, "buy").Compile()
	if err != nil {
		return 0, err
	}
	store, err := sqlite.Open(os.Getenv(fileVariable))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	run, err := g.Start(ctx, rt, 0, fermata.WithID("run_1"), fermata.Attach())
	if err != nil {
		return 0, err
	}
	res, err := run.Wait(ctx)
	return res.State, errors.Join(err, res.Err)
}

// Wherever a process is killed, the next one brings the run to the same end, and the account is charged once.
func TestJ5_ATransactionHappensOnceWhereverTheProcessIsKilled(t *testing.T) {
	db, schema := database(t)
	for i, at := range append([]string{"nowhere"}, deaths...) {
		t.Run(at, func(t *testing.T) {
			execute(t, db, "UPDATE account SET balance = 100")
			execute(t, db, "DELETE FROM fermata_steps")
			file := filepath.Join(t.TempDir(), "runs.db")
			process := func(at string) (string, error) {
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				c := exec.CommandContext(t.Context(), self)
				c.Env = append(os.Environ(), deathVariable+"="+at, fileVariable+"="+file, databaseVariable+"="+testserver.Postgres(t), schemaVariable+"="+schema)
				var said strings.Builder
				c.Stderr = &said
				out, err := c.Output()
				if said.Len() > 0 {
					t.Errorf("%s", said.String())
				}
				return string(out), err
			}
			if _, err := process(at); (err == nil) != (i == 0) {
				t.Fatalf("the first process: %v", err)
			}
			if at == "after the commit" && found(t, db, "SELECT balance FROM account") != 90 {
				t.Error("the commit was lost")
			}
			result, err := process("nowhere")
			if err != nil {
				t.Fatalf("the second process: %v", err)
			}
			got := []string{result, fmt.Sprint(found(t, db, "SELECT balance FROM account")), fmt.Sprint(found(t, db, "SELECT count(*) FROM fermata_steps"))}
			if diff := cmp.Diff([]string{"90", "90", "1"}, got); diff != "" {
				t.Errorf("result, balance, records (-want +got):\n%s", diff)
			}
		})
	}
}
