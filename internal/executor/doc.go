// Package executor does the work that the machine asks for, for one run: it calls nodes, records what comes of them and
// commits before anything follows from it (laws J2 and J3). It knows no other run; leases are an interface, and when a
// run is executed is for others to say.
//
//	x := env.New(state)
//	err := x.Load(ctx, journal.ResumedBody{})
//	x.Work()
package executor
