package fermata

import (
	"context"
	"iter"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// RunChange says that a run has changed.
//
//	type RunChange struct {
//	    Cursor string  // changes behind it were not told yet, and perhaps some that were
//	    Run    RunInfo // as it was when the change was read; of a run that is gone only ID, Plan, Kind and Labels
//	    Gone   bool    // it was deleted
//	}
type RunChange = runtype.RunChange

// FeedNow is the cursor of the present: [Runtime.Feed] tells later changes only.
const FeedNow = journal.FeedNow

// Feed yields the runs that have changed behind a cursor, in the order of the store (law W8).
//
// Changes are starts, pauses, ends, questions, answers and deletions. With follow it goes on until ctx is done or the runtime is closed, which is no error.
//
// The cursor "" is the start: each run is told once, and then what changes. A run that changes often is told with its last change, and up to five
// times a second. A change may be told twice, and none is passed over: store the Cursor of a change once it is dealt with, and
// begin behind it next time. Entries alone are no change; [Runtime.Events] has those of a run.
//
// A cursor of another store, of one that was restored, or that is older than a deletion which the store has forgotten
// (journal.KeepGone), is CodeInvalid with journal.ErrQuery. A store that is no journal.Feeder returns errors.ErrUnsupported. Followers of a runtime
// share one watch and one reader of the store.
func (rt *Runtime) Feed(ctx context.Context, after string, follow bool) iter.Seq2[RunChange, error] {
	return rt.fleet.Feed(ctx, after, follow)
}

// FeedCursor returns the cursor of the present. A program takes it, reads lists of runs, and then follows what changes.
func (rt *Runtime) FeedCursor(ctx context.Context) (string, error) {
	return rt.fleet.FeedCursor(ctx)
}
