package fermata

import (
	"github.com/fermata-go/fermata/internal/runtype"
)

// BlockedError reports why a run cannot go on now (law J11). It matches ErrBlocked, and ErrDiverged or
// ErrPlanChanged if that is the reason.
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
)

// Error is the error type of the public API: what failed, where, and a code for faces.
type Error = runtype.Error

// InvalidRouteError reports a target that a gate chose and did not declare (law F7).
type InvalidRouteError = runtype.InvalidRouteError

// LimitError reports which limit of the run was reached (law F4).
type LimitError = runtype.LimitError

// StuckError lists the nodes of a dataflow that cannot run, and their missing inputs (laws D9 and F5).
type StuckError = runtype.StuckError

// PlanChangedError reports how a plan differs from the one that the run was started on (law J8).
type PlanChangedError = runtype.PlanChangedError

// ErrGoexit says that a function of the program ended its goroutine instead of returning. It called
// runtime.Goexit, as FailNow and Fatal of package testing do. It is a failure like any other (law N7).
var ErrGoexit = runtype.ErrGoexit

// DrivenError reports that another live process owns the run (law J10).
type DrivenError = runtype.DrivenError

// UnstoppedError lists the tasks that did not return when execution was to stop. It is an ErrStopped.
type UnstoppedError = runtype.UnstoppedError
