// Package postgres makes steps of nodes happen exactly once in a PostgreSQL database of the user's. The outcome of such a
// step is in the same transaction as its effect.
//
//	balance, err := postgres.Transact(ctx, pool, "pay", func(ctx node.Context, tx pgx.Tx) (int, error) {
//		var balance int
//		err := tx.QueryRow(ctx, "UPDATE accounts SET balance = balance - 50 WHERE id = 7 RETURNING balance").Scan(&balance)
//		return balance, err
//	})
//
// A crash between the commit and the journal leaves the outcome in the table fermata_steps, where the next pass finds it: it
// calls nothing and returns the recorded value (law J5). [CreateTable] makes the table.
//
// Any store can hold the run. The package writes to no table but its own, and knows nothing of journals.
package postgres
