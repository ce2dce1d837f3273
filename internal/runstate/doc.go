// Package runstate holds the state of a run as its journal defines it. It has the fold, the values that are still
// needed, the rows of the store, and the check whether a plan fits the run (law J8). It executes nothing; of the code
// of authors it calls codecs and the functions of migrations.
//
//	s := env.NewState(run, p, runtype.Sync)
//	_, err := s.Read(ctx, math.MaxUint64)
package runstate
