package fermata

import (
	"github.com/fermata-go/fermata/internal/runtype"
)

// EventVersion is the version of the event envelope.
const EventVersion = runtype.EventVersion

// Event is one event of a run as readers get it. There is one for each journal entry (law E1), and transient
// ones in between. It marshals to the envelope that all faces show.
type Event = runtype.Event

// ErrSlow says that a reader fell behind and events were dropped, since the run is not stored (law E3).
var ErrSlow = runtype.ErrSlow

// Observer makes traces and metrics of runs. It is shown entries once they are stored. Each entry is passed to
// Stored once, however often the run is resumed (law N4). Package telemetry has one for OpenTelemetry.
type Observer = runtype.Observer

// Follower follows one run on behalf of one writer. It is dropped with the execution: a paused run keeps no
// follower, except for those in the paused cache (law N1).
type Follower = runtype.Follower

// Scope is a piece of node code that is about to be called.
type Scope = runtype.Scope

// Usage is the usage of model calls: tokens, and cost in micro-dollars. It is summed over recorded calls, so a
// crash does not change it. Failed attempts count, since they were paid; a call whose record was lost does not.
type Usage = runtype.Usage
