package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fermata-go/fermata/node"
)

// Beginner begins transactions: a *pgxpool.Pool or a *pgx.Conn.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Bounds of Transact.
const (
	mostTries = 5                // of a transaction that the database rolled back for others' sake
	inDoubt   = 30 * time.Second // how long a database is asked whether a commit took effect
	pause     = 250 * time.Millisecond
)

// Transact is a [node.Step] that does one transaction in the user's database, exactly once. It begins the transaction, calls
// do inside [Step], commits, and then records the result in the journal.
//
// The step is named by the key, as that of node.Step: the same key in a loop is another step. An error of do rolls the
// transaction back and is recorded; a new attempt of the task tries again. The database may roll a transaction back
// because of others (a serialization failure, a deadlock): then do is called again, five times at most. So do has no
// effect but those in tx.
//
// Where the connection breaks at the commit, Transact asks the database whether it took effect, for 30 seconds at most.
// After that it fails; a retry finds the outcome, if there is one.
func Transact[T any](ctx node.Context, db Beginner, key string, do func(ctx node.Context, tx pgx.Tx) (T, error)) (T, error) {
	return node.Step(ctx, key, func(ctx node.Context) (value T, err error) {
		if _, inside := db.(pgx.Tx); inside {
			return value, errors.New("postgres.Transact: expected a pool or a connection, found a transaction: use postgres.Step")
		}
		for try := 1; ; try++ {
			value, err = once(ctx, db, do)
			if !rolledBack(err) || try == mostTries {
				return value, err
			}
		}
	})
}

// rolledBack reports whether the database rolled a transaction back because of others.
func rolledBack(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (said.Code == codeSerialization || said.Code == codeDeadlock)
}

// whole is the key of the one transaction of a Transact.
const whole = "tx"

func once[T any](ctx node.Context, db Beginner, do func(ctx node.Context, tx pgx.Tx) (T, error)) (value T, err error) {
	var zero T
	tx, err := db.Begin(ctx)
	if err != nil {
		return zero, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing, once it is committed
	value, err = Step(ctx, tx, whole, func() (T, error) { return do(ctx, tx) })
	if err != nil {
		return zero, err
	}
	err = tx.Commit(ctx)
	if _, said := errors.AsType[*pgconn.PgError](err); err == nil || said || errors.Is(err, pgx.ErrTxCommitRollback) {
		return value, err
	}
	return resolve[T](ctx, db, err)
}

// errAbsent says that a transaction did not take effect.
var errAbsent = errors.New("the transaction did not take effect")

// resolve asks whether a transaction took effect whose commit had no answer. The claim of its row waits for its end.
func resolve[T any](ctx node.Context, db Beginner, cause error) (value T, err error) {
	asking, stop := context.WithTimeout(ctx, inDoubt)
	defer stop()
	for {
		value, err = look[T](ctx.WithContext(asking), db)
		if err == nil || errors.Is(err, errAbsent) {
			break
		}
		select {
		case <-asking.Done():
			return value, fmt.Errorf("commit: %w; the database did not say whether it took effect: %w; a retry finds out", cause, err)
		case <-time.After(pause):
		}
	}
	if err != nil {
		return value, fmt.Errorf("commit: %w: %w", cause, err)
	}
	return value, nil
}

// look reads the outcome of the step that ctx is in, without doing it.
func look[T any](ctx node.Context, db Beginner) (value T, err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return value, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	return Step(ctx, tx, whole, func() (value T, _ error) { return value, errAbsent })
}
