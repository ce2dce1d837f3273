package runtype

import (
	"context"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Observer makes traces and metrics of runs. It is shown entries once they are stored. Each entry is passed to
// Stored once, however often the run is resumed (law N4). Package telemetry has one for OpenTelemetry.
type Observer interface {
	// Follow is called when this runtime starts or resumes a run. It is also called when it stores an answer, a
	// claim or a cancellation for a run that another process may own. One run may have several followers at the
	// same time, in this process and in others; no two of them get the same entry in Stored.
	Follow(run RunInfo) Follower
}

// Follower follows one run on behalf of one writer. It is dropped with the execution: a paused run keeps no
// follower, except for those in the paused cache (law N1).
//
// A panic or an ended goroutine is logged and does not change the run (law N7).
//
// The engine waits for Recall and Stored. They must be fast and must not call the runtime; slow work belongs on
// goroutines of their own. Entries of a run that is not stored (None) have no time.
type Follower interface {
	// Recall is given an entry that was stored earlier, by any process, in order. It restores the state that
	// later entries need; nothing may be exported for the entry itself. An entry may come again, also after
	// Stored.
	Recall(e *journal.Entry)
	// Stored is given the entries of one successful append and its duration; 0 for a run that is not stored. If
	// the process dies before this call, they are never passed to it. The entries are valid during the call and
	// must not be changed.
	Stored(entries []journal.Entry, took time.Duration)
	// Context returns the context for a node's code, or for a step in it. It may be called during other calls.
	Context(ctx context.Context, s Scope) context.Context
}

// Scope is a piece of node code that is about to be called.
type Scope struct {
	node.Info
	Op string    // the step: its identity within the task; "" for the node's function
	At time.Time // by the runtime's clock
	// Replaying reports whether the code still repeats an earlier pass, and must not be shown again (law N4).
	// It may be called at any time, from several goroutines.
	Replaying func() bool
}
