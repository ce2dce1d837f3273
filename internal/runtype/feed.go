package runtype

// RunChange says that a run has changed, see fermata.Runtime.Feed.
type RunChange struct {
	Cursor string  // changes behind it were not told yet, and perhaps some that were
	Run    RunInfo // as it was when the change was read; of a run that is gone only ID, Plan, Kind and Labels
	Gone   bool    // it was deleted
}
