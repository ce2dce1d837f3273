// Package replay reads a run from its journal: the machine, and the values that are recorded. It reads from the run's last
// checkpoint where there is one that fits, and else from the first entry (law J6).
//
//	r, err := replay.Open(ctx, store, run, plan, replay.Options{})
//	…
//	c, err := r.Checkpoint() // for a later Batch
//
// A checkpoint is made from the journal alone, and not from a run that is at work, so every reader of a run can make
// one. This package never writes to a store, and drives nothing.
package replay
