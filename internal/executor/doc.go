// Package executor does the work that the machine asks for, for one run. It calls nodes, records their results and
// commits before anything follows from it (laws J2 and J3). It knows no other run; leases are an interface, and its
// callers decide when a run is executed.
//
//	x := env.New(&state)
//	err := x.Load(ctx, journal.ResumedBody{})
//	x.Work()
package executor
