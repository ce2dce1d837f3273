// Package runstate is a run as its journal says it is: the fold, the values that are still needed, the rows of the
// store, and whether a plan fits it (law J8). It executes nothing; of the code of authors it calls codecs and the
// functions of migrations.
//
//	s := env.NewState(run, p, runtype.Sync)
//	_, err := s.Read(ctx, math.MaxUint64)
package runstate
