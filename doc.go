// Package fermata runs plans: graphs of code, models and people that may wait for days, lose their process halfway
// and still finish exactly once.
//
// A [Runtime] executes runs and keeps their journals in a store. Authors' packages (graph, recipe) make the plans and
// offer typed front doors over the same calls:
//
//	rt, err := fermata.New(fermata.Options{Store: sqlite.MustOpen("triage.db")})
//	run, err := rt.Start(ctx, p, input)
//	res, err := run.Wait(ctx) // res.Status == fermata.Paused: somebody is asked
//	err = rt.Answer(ctx, res.Interrupts[0].ID, "approve")
//	res, err = run.Wait(ctx) // res.Status == fermata.Completed
//
// The runtime owns all goroutines, clocks and timers. What happens in a run is decided by a pure fold over its
// journal (package internal/machine, law J1); the runtime appends what the fold says, then does it (law J2).
package fermata
