package fermata

import (
	"context"

	"github.com/fermata-go/fermata/internal/executor"
	"github.com/fermata-go/fermata/internal/fleet"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/plan"
)

// Durability says when a run's journal entries are stored (law J2).
type Durability = runtype.Durability

// The durabilities of a run.
const (
	Sync  = runtype.Sync  // each entry is stored before anything follows from it
	Async = runtype.Async // entries are stored in order, within the store's bound
	None  = runtype.None  // nothing is stored: the run ends with the process, and cannot wait for people
)

// Status is the status of a run (law F4).
//
//	// Ended reports whether the status is final.
//	func (Status) Ended() bool
type Status = runtype.Status

// The statuses.
const (
	Running   = runtype.Running
	Paused    = runtype.Paused // nothing can run, and the run waits for an answer or a timer
	Completed = runtype.Completed
	Failed    = runtype.Failed
	Cancelled = runtype.Cancelled
	Expired   = runtype.Expired // a deadline passed and no route caught it
	Stuck     = runtype.Stuck
	Blocked   = runtype.Blocked // open, and cannot go on now: see BlockedError (law J11)
)

// Interrupt is a question to the outside in its current state (law H1). Its JSON is for readers.
//
//	type Interrupt struct {
//	    journal.Interrupt
//	    // Token is the resume token.
//	    Token string
//	}
//
//	// DeadlineTime returns when the question expires; zero for never.
//	func (*Interrupt) DeadlineTime() time.Time
type Interrupt = runtype.Interrupt

// RunInfo is the row of a run in the store's projection.
type RunInfo = runtype.RunInfo

// Result is the state of a run when Wait returns.
//
//	type Result struct {
//	    Run         string           // id of the run
//	    Status      Status           // of the run
//	    Value       any              // the output of a completed run, as the plan's author erased it; beside an error of Evaluate, what is left
//	    Output      json.RawMessage  // the output as JSON
//	    Interrupts  []Interrupt      // open questions of a paused run
//	    Messages    []Untaken        // that no call has taken, the oldest first (law M1)
//	    Hold        *HoldInfo        // why an open run is held (law J18); nil if it is not
//	    Err         error            // why a run failed, expired, was canceled, or is stuck or blocked
//	    Usage       Usage            // of the run's model calls so far
//	    UsageByNode map[string]Usage // the same by node path; nil for none
//	}
//
//	// Rests reports whether the run has ended, or does not go on before a person or a program acts on it.
//	func (*Result) Rests() bool
type Result = runtype.Result

// HoldInfo says that a run is held, and why (law J18).
//
//	type HoldInfo struct {
//	    By     string    // who holds it; "" for nobody named
//	    Note   string    // why
//	    Before string    // of a breakpoint
//	    After  string    // of a breakpoint
//	    Since  time.Time // when it was held
//	}
type HoldInfo = runtype.HoldInfo

// Run is a handle on a run. It may be dropped at any time: the run does not depend on it.
//
//	// Events yields the run's events after the given seq, until the run has ended or ctx is done.
//	func (*Run) Events(ctx context.Context, after uint64) iter.Seq2[Event, error]
//
//	// ID returns the run's id.
//	func (*Run) ID() string
//
//	// Replaced reports whether the start has replaced the input of this run, which waited (law J21).
//	func (*Run) Replaced() bool
//
//	// Rest is Wait, but returns also when the run waits for a message.
//	func (*Run) Rest(ctx context.Context) (Result, error)
//
//	// State returns the run's state at its last entry, whatever its status; see Runtime.State.
//	func (*Run) State(ctx context.Context) (json.RawMessage, error)
//
//	// Stop stops executing the run, which stays resumable (law F3).
//	func (*Run) Stop(grace time.Duration) error
//
//	// Wait waits until the run has ended or waits for people.
//	func (*Run) Wait(ctx context.Context) (Result, error)
type Run = fleet.Run

// Evaluate runs a plan on the caller's goroutine and stores nothing (durability None, law J2). Branches use
// further goroutines. The run ends with its context. A plan that has to wait for people fails with ErrMustWait;
// sleeps hold the goroutine.
func Evaluate(ctx context.Context, p *plan.Plan, input any, opts Options) (Result, error) {
	return executor.Evaluate(ctx, p, input, opts)
}
