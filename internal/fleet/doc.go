// Package fleet holds the executions of one process: which runs it owns, their leases (law J10), timers and workers, and
// how runs are taken up again that a failing store or a lost process left behind (law J11). It decides nothing inside a
// run.
//
//	run, err := f.Start(ctx, p, input)
//	result, err := run.Wait(ctx)
package fleet
