package fermata

import (
	"github.com/fermata-go/fermata/internal/runtype"
)

// EventVersion is the version of the event envelope.
const EventVersion = runtype.EventVersion

// Event is one event of a run as readers get it. There is one for each journal entry (law E1), and transient
// ones in between. It marshals to the envelope that all faces show.
//
//	type Event struct {
//	    Run   string        // id of the run
//	    Sub   uint32        // above 0 for a transient event after entry Seq
//	    SoFar bool          // a text delta with the whole segment so far, for a reader that came late (law E2)
//	    Entry journal.Entry // the journal entry
//	}
//
//	// AppendJSON appends the envelope to b on one line, as MarshalJSON writes it.
//	func (*Event) AppendJSON(b []byte) ([]byte, error)
//
//	// Data returns the data of the event.
//	func (*Event) Data() (json.RawMessage, error)
//
//	// OpID returns the id of the event's call.
//	func (*Event) OpID() string
//
//	// Seq returns the number of the entry.
//	func (*Event) Seq() uint64
//
//	// Task returns the id of the event's task.
//	func (*Event) Task() string
//
//	// Time returns when the event happened, in UTC.
//	func (*Event) Time() time.Time
//
//	// Type returns the event's type.
//	func (*Event) Type() string
type Event = runtype.Event

// ErrSlow says that a reader fell behind and events of an unstored run were dropped (law E3).
var ErrSlow = runtype.ErrSlow

// Observer makes traces and metrics of runs. It is shown entries once they are stored. Each entry is passed to
// Stored once, however often the run is resumed (law N4). Package telemetry has one for OpenTelemetry.
//
//	type Observer interface {
//	    // Follow is called when this runtime starts or resumes a run.
//	    Follow(run RunInfo) Follower
//	}
type Observer = runtype.Observer

// Follower follows one run on behalf of one writer. It is dropped with the execution: a paused run keeps no
// follower, except for those in the paused cache (law N1).
//
//	type Follower interface {
//	    // Recall is given an entry that was stored earlier, by any process, in order.
//	    Recall(e *journal.Entry)
//	    // Stored is given the entries of one successful append and its duration; 0 for a run that is not stored.
//	    Stored(entries []journal.Entry, took time.Duration)
//	    // Context returns the context for a node's code, or for a step in it.
//	    Context(ctx context.Context, s Scope) context.Context
//	}
type Follower = runtype.Follower

// Scope is a piece of node code that is about to be called.
//
//	type Scope struct {
//	    node.Info
//	    Op string    // the step
//	    At time.Time // by the runtime's clock
//	    // Replaying reports whether the code still repeats an earlier pass, and must not be shown again (law N4).
//	    Replaying func() bool
//	}
type Scope = runtype.Scope

// Usage is the usage of model calls: tokens, and cost in micro-dollars. It is summed over recorded calls, so a
// crash does not change it. Failed attempts count, since they were paid; a call whose record was lost does not.
type Usage = runtype.Usage
