// Package fleet holds the executions of one process, their leases (law J10), timers and workers. It also claims runs
// that a failing store or a lost process left behind (law J11). It decides nothing inside a run.
//
//	run, err := f.Start(ctx, p, input)
//	result, err := run.Wait(ctx)
package fleet
