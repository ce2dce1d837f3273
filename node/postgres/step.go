package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/node"
)

// createTable makes the table. The lock lets one of several processes make it; it ends with the transaction, which are both
// statements.
const createTable = `SELECT pg_advisory_xact_lock(hashtextextended('fermata_steps', 0));
CREATE TABLE IF NOT EXISTS fermata_steps (
	run text COLLATE "C" NOT NULL,
	step text COLLATE "C" NOT NULL,
	value json,
	at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (run, step)
)`

// Statements. A row is claimed before the effect, so that a second process waits for the first one's transaction.
const (
	claimStep  = "INSERT INTO fermata_steps (run, step) VALUES ($1, $2) ON CONFLICT DO NOTHING"
	findStep   = "SELECT value FROM fermata_steps WHERE run = $1 AND step = $2"
	recordStep = "UPDATE fermata_steps SET value = $3 WHERE run = $1 AND step = $2"
	deleteRun  = "DELETE FROM fermata_steps WHERE run = $1"
)

// Execer executes a statement: a *pgxpool.Pool, a *pgx.Conn or a pgx.Tx.
type Execer interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}

// CreateTable makes the table fermata_steps in the first schema of the search path, unless it exists. A program calls it
// before its first step, or a migration runs the same statement; several processes may call it at once.
func CreateTable(ctx context.Context, db Execer) error {
	if _, err := db.Exec(ctx, createTable, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("create the table fermata_steps: %w", err)
	}
	return nil
}

// Forget deletes the outcomes that are kept of a run. Call it for a run that has ended, or that was deleted: the steps of one
// that goes on could happen again.
func Forget(ctx context.Context, db Execer, run string) error {
	if _, err := db.Exec(ctx, deleteRun, run); err != nil {
		return fmt.Errorf("forget the steps of run %s: %w", run, explained(err))
	}
	return nil
}

// Step does what do does once, and records its result in the caller's transaction. Both become durable when the caller
// commits tx, and vanish together when it does not (law J5). When the step comes again, after a crash or in another
// process, Step returns the recorded result without calling do. Of two transactions that do the same step at once, the
// second one waits for the first one's end.
//
// ctx is that of a node. Call Step inside a [node.Step] that commits tx before it returns, as [Transact] does: the journal
// must not know of the step before the database does. There the key tells several transactions of one node.Step apart.
// Outside of one the key tells the steps of a task apart: a key that comes again in a loop is the same step.
//
// do works with tx, which runs inside a savepoint meanwhile: where do fails or panics, nothing that it did is left in tx,
// and nothing is recorded. The result is a value that encoding/json writes and reads back, and Step returns what was
// recorded, the first time, too (law N10).
func Step[T any](ctx context.Context, tx pgx.Tx, key string, do func() (T, error)) (value T, err error) {
	var zero T
	at, err := placeOf(ctx, key)
	if err != nil {
		return zero, err
	}
	inner, err := tx.Begin(ctx)
	if err != nil {
		return zero, at.fail(err)
	}
	kept := false
	defer func() { // also if do panics
		if !kept {
			_ = inner.Rollback(context.WithoutCancel(ctx)) // which fails where the connection is gone, and the transaction with it
		}
	}()
	claimed, err := inner.Exec(ctx, claimStep, at.run, at.step)
	if err != nil {
		return zero, at.fail(err)
	}
	if claimed.RowsAffected() == 0 {
		return recorded[T](ctx, inner, at)
	}
	if value, err = do(); err != nil {
		return zero, err
	}
	data, value, err := storable(value)
	if err != nil {
		return zero, at.fail(err)
	}
	if _, err = inner.Exec(ctx, recordStep, at.run, at.step, data); err == nil {
		err = inner.Commit(ctx)
	}
	if err != nil {
		return zero, at.fail(err)
	}
	kept = true
	return value, nil
}

// place names a step in the table.
type place struct{ run, step string }

func (p place) fail(err error) error {
	return fmt.Errorf("step %s of run %s in the database: %w", p.step, p.run, explained(err))
}

func placeOf(ctx context.Context, key string) (place, error) {
	c, ok := node.FromContext(ctx)
	switch {
	case !ok:
		return place{}, errors.New("a step in the database: expected the context of a node, found another one")
	case key == "" || !utf8.ValidString(key) || strings.ContainsRune(key, 0):
		return place{}, fmt.Errorf("a step in the database: expected a key of UTF-8 without NUL, found %q", key)
	}
	run := c.Info().Run
	return place{run, strings.TrimPrefix(node.IdempotencyKey(ctx), run+"/") + "/" + key}, nil
}

// storable is a value as the table keeps it, and as every later pass reads it.
func storable[T any](value T) (data []byte, kept T, err error) {
	if data, err = canonical.Marshal(value, 0); err != nil {
		return nil, kept, fmt.Errorf("%w: %w", node.ErrNotStorable, err)
	}
	kept, err = read[T](data)
	if err != nil {
		return nil, kept, fmt.Errorf("%w: %w", node.ErrNotStorable, err)
	}
	return data, kept, nil
}

// read reads a recorded value, all of which has to have a place in T (law J8).
func read[T any](data []byte) (value T, err error) {
	if err := canonical.Decode(data, &value); err != nil {
		return value, fmt.Errorf("the recorded value does not fit %s: %w", reflect.TypeFor[T](), err)
	}
	if lost, gone := loss.In(data, &value); gone {
		return value, fmt.Errorf("the recorded value has a member %q, which %s does not have", lost.Path, reflect.TypeFor[T]())
	}
	return value, nil
}

// recorded is the outcome of a step that was done before.
func recorded[T any](ctx context.Context, tx pgx.Tx, at place) (value T, err error) {
	var data *json.RawMessage
	switch err := tx.QueryRow(ctx, findStep, at.run, at.step).Scan(&data); {
	case errors.Is(err, pgx.ErrNoRows): // deleted since
		return value, at.fail(errors.New("its outcome was deleted just now; try again"))
	case err != nil:
		return value, at.fail(err)
	case data == nil:
		return value, at.fail(errors.New("it is called inside of itself"))
	}
	if value, err = read[T](*data); err != nil {
		return value, at.fail(err)
	}
	return value, nil
}

// Codes of PostgreSQL.
const (
	codeNoTable       = "42P01"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
)

// explained says what to do where the table is not there.
func explained(err error) error {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok && said.Code == codeNoTable && strings.Contains(said.Message, "fermata_steps") {
		return fmt.Errorf("%w: call CreateTable first, with the same search path", err)
	}
	return err
}
