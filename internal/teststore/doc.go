// Package teststore opens stores on the servers of internal/testserver. Each is in a place of the test's own:
//
//	for _, kind := range testserver.Kinds() {
//		t.Run(kind, func(t *testing.T) { store := teststore.Open(t, kind); … })
//	}
//
// A [Ledger] is a store in memory that lists what is asked of it: what a run costs, told without a clock.
//
// Only tests import it: it brings the drivers of all servers along.
package teststore
