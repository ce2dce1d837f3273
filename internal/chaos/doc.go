// Command chaos runs a workload on real worker processes and a real store, and disturbs both. It kills and freezes
// workers, restarts the database and cuts the network to it. Then it counts (ADR 055).
//
//	go run ./internal/chaos -store postgres -runs 1000 -seed 1    # or: make chaos STORE=postgres RUNS=1000
//
// A run is lost when it ends without all of its effects, or not as it should; it is stuck when it makes no more
// progress although nobody disturbs it any more. An effect is doubled when it happened more often than law J5 allows:
// again although no fault hit its worker or the store, or at all for a step that happens at most once. The exit code is
// 1 when there is any of these.
//
// The database is an instance of its own, in a temporary folder and on a free port. Chaos never touches a server that
// runs already. The store in memory is refused: nothing of it outlives its process.
package main
