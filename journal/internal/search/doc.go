// Package search writes statements that find runs and interrupts in SQL (law J14).
//
//	s := dialect.Runs("r.id, r.run", &query)
//	rows, err := conn.Query(ctx, s.Text, s.Args...)
//
// The tables are alike in all of them: runs, run_labels, interrupts. A Dialect holds the differences. A page is read from the
// index of its order, or of what it asks for: of several statuses, plans, roles or runs, each is read for itself up to
// one more than the page has, so that a page costs no more for all the rows that it does not have.
package search
