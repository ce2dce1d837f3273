package fermata

import (
	"github.com/fermata-go/fermata/internal/runtype"
)

// BlockedError reports why a run cannot go on now (law J11). It matches ErrBlocked, and ErrDiverged or
// ErrPlanChanged if that is the reason.
//
//	type BlockedError struct {
//	    Code    string    // diverged, plan_changed, takeovers
//	    Reason  string    // as text
//	    RetryAt time.Time // of the first automatic retry; zero for a run that needs Retry
//	    Cause   error     // a *node.DivergedError if this process found it, else nil
//	}
type BlockedError = runtype.BlockedError

// Code classifies an [Error]. Faces map codes to exit codes and HTTP statuses.
type Code = runtype.Code

// The codes.
const (
	CodeFailed      = runtype.CodeFailed      // the run failed
	CodeInvalid     = runtype.CodeInvalid     // an input or an answer does not fit
	CodeNotFound    = runtype.CodeNotFound    // no such run or interrupt
	CodeConflict    = runtype.CodeConflict    // another writer was first, or a different answer was given
	CodeExpired     = runtype.CodeExpired     // a deadline has passed
	CodeForbidden   = runtype.CodeForbidden   // the wrong role or the wrong token
	CodeLimit       = runtype.CodeLimit       // a limit of the run was reached, or that of a reasoning that failed it
	CodePlanChanged = runtype.CodePlanChanged // the plan no longer fits the run
	CodeBlocked     = runtype.CodeBlocked     // the run is open and cannot go on now (law J11)
	CodeCancelled   = runtype.CodeCancelled
	CodeStopped     = runtype.CodeStopped // execution stopped, the run did not end: it can be resumed
	CodeStore       = runtype.CodeStore
	CodeInternal    = runtype.CodeInternal
)

// Errors to look for with errors.Is.
var (
	ErrConflict      = runtype.ErrConflict
	ErrNotFound      = runtype.ErrNotFound
	ErrExpired       = runtype.ErrExpired
	ErrDiverged      = runtype.ErrDiverged
	ErrAnswered      = runtype.ErrAnswered // law H2
	ErrInvalid       = runtype.ErrInvalid
	ErrForbidden     = runtype.ErrForbidden
	ErrClaimed       = runtype.ErrClaimed
	ErrLimit         = runtype.ErrLimit       // law F4
	ErrPlanChanged   = runtype.ErrPlanChanged // law J8
	ErrCancelled     = runtype.ErrCancelled
	ErrStuck         = runtype.ErrStuck         // law F5
	ErrStopped       = runtype.ErrStopped       // law F3
	ErrTimeout       = runtype.ErrTimeout       // law N11
	ErrIdle          = runtype.ErrIdle          // law N11
	ErrInvalidRoute  = runtype.ErrInvalidRoute  // law F7
	ErrMergeConflict = runtype.ErrMergeConflict // law G4
	ErrClosed        = runtype.ErrClosed
	ErrInside        = runtype.ErrInside
	ErrBlocked       = runtype.ErrBlocked // law J11
	ErrDriven        = runtype.ErrDriven  // law J10
	ErrMustWait      = runtype.ErrMustWait
	ErrRefused       = runtype.ErrRefused   // law M3
	ErrNoMessage     = runtype.ErrNoMessage // law M1
)

// Error is the error type of the public API: what failed, where, and a code for faces.
//
//	type Error struct {
//	    Code Code   // classifies Err
//	    Run  string // its id; "" for none
//	    Task string // its id; "" for none
//	    Err  error  // the cause
//	}
type Error = runtype.Error

// InvalidRouteError reports a target that a gate chose and did not declare (law F7).
//
//	type InvalidRouteError struct {
//	    Node     string   // the node of the gate
//	    Target   string   // the undeclared choice
//	    Declared []string // targets that the gate may choose
//	    Hint     string   // the nearest declared name, as text; "" for none
//	}
type InvalidRouteError = runtype.InvalidRouteError

// LimitError reports which limit of the run was reached (law F4).
//
//	type LimitError struct {
//	    Limit  string // tasks, time, until, tokens or cost
//	    Max    string // the limit, as text
//	    Reason string // why it counts as reached although the sum is below it; "" otherwise
//	}
type LimitError = runtype.LimitError

// LateError reports that something came after the deadline of its run (law F9).
// It is an answer, a claim or a hand-over, a message or a cancel. The error matches ErrExpired.
//
//	type LateError struct {
//	    Run   string    // its id
//	    Until time.Time // the deadline
//	    Now   time.Time // the time by the store's clock
//	}
type LateError = runtype.LateError

// NotUndoneError reports effects that a run has left, because their undo failed (law F10). Err is
// why the run ended; errors.Is and errors.As look into it.
//
//	type NotUndoneError struct {
//	    Left []journal.NotUndone // what is left
//	    Err  error               // why the run ended
//	}
type NotUndoneError = runtype.NotUndoneError

// StuckError lists the nodes of a dataflow that cannot run, and their missing inputs (laws D9 and F5).
//
//	type StuckError struct {
//	    Nodes []journal.StuckNode // the nodes that cannot run
//	}
type StuckError = runtype.StuckError

// PlanChangedError reports how a plan differs from the one that the run was started on (law J8).
//
//	type PlanChangedError struct {
//	    Reason string // why the plan does not fit
//	    Value  string // the value without a place in the plan, as "amount" or "items.0.price"; "" for none
//	    Diff   string // of the two plans, as text
//	    Hint   string // nodes or values that may have been renamed, as text; "" for none
//	}
type PlanChangedError = runtype.PlanChangedError

// ErrGoexit says that a function of the program ended its goroutine instead of returning. It called
// runtime.Goexit, as FailNow and Fatal of package testing do. It is a failure like any other (law N7).
var ErrGoexit = runtype.ErrGoexit

// DrivenError reports that another live process owns the run (law J10).
//
//	type DrivenError struct {
//	    Driver string    // see RunInfo.Driver
//	    Until  time.Time // when its lease ends unless it is renewed
//	}
type DrivenError = runtype.DrivenError

// DuplicateError reports that another open run holds the deduplication key of a start (law J17). It matches ErrConflict.
//
//	type DuplicateError struct {
//	    Key string // see Dedup
//	    Run string // that holds the key
//	}
type DuplicateError = runtype.DuplicateError

// UnstoppedError lists the tasks that did not return when execution was to stop. It is an ErrStopped.
//
//	type UnstoppedError struct {
//	    Tasks []string      // ids of tasks, "review#2", in no order
//	    Grace time.Duration // how long they were waited for
//	}
type UnstoppedError = runtype.UnstoppedError
