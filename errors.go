package fermata

import (
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Code classifies an [Error]. Faces turn codes into exit codes and HTTP statuses.
type Code string

// The codes.
const (
	CodeFailed      Code = "failed"       // the run failed
	CodeInvalid     Code = "invalid"      // an input or an answer does not fit
	CodeNotFound    Code = "not_found"    // no such run or interrupt
	CodeConflict    Code = "conflict"     // somebody else was first, or a different answer was given
	CodeExpired     Code = "expired"      // a deadline has passed
	CodeForbidden   Code = "forbidden"    // the wrong role or the wrong token
	CodeLimit       Code = "limit"        // a limit of the run was reached, or that of a reasoning which failed it
	CodePlanChanged Code = "plan_changed" // the plan does not fit the run any more
	CodeBlocked     Code = "blocked"      // the run is open and cannot be driven on now (law J11)
	CodeCancelled   Code = "cancelled"
	CodeStopped     Code = "stopped" // driving stopped, the run did not: it can be resumed
	CodeStore       Code = "store"
	CodeInternal    Code = "internal"
)

// Errors to look for with errors.Is.
var (
	ErrConflict      = journal.ErrConflict
	ErrNotFound      = journal.ErrNotFound
	ErrExpired       = node.ErrExpired
	ErrDiverged      = node.ErrDiverged
	ErrAnswered      = fault.Sentinel("answered", "the question has been answered differently") // law H2
	ErrInvalid       = fault.Sentinel("invalid", "the value does not fit its schema")
	ErrForbidden     = fault.Sentinel("forbidden", "not allowed to answer")
	ErrClaimed       = fault.Sentinel("claimed", "the question is claimed by somebody else")
	ErrLimit         = node.ErrLimit       // law F4
	ErrPlanChanged   = node.ErrPlanChanged // law J8
	ErrCancelled     = fault.Sentinel(codeCancelled, "the run was cancelled")
	ErrStuck         = fault.Sentinel(codeStuck, "the run cannot go on")                        // law F5
	ErrStopped       = fault.Sentinel("stopped", "driving was stopped, the run can be resumed") // law F3
	ErrTimeout       = fault.Sentinel("timeout", "the attempt took too long")                   // law N11
	ErrIdle          = fault.Sentinel("idle", "the attempt was silent for too long")            // law N11
	ErrInvalidRoute  = fault.Sentinel("invalid_route", "a gate chose what it did not declare")  // law F7
	ErrMergeConflict = plan.ErrMergeConflict                                                    // law G4
	ErrClosed        = fault.Sentinel("closed", "the runtime is closed")
	ErrInside        = fault.Sentinel("inside", "a node cannot wait for the runtime that drives it to close: it closes once the node has returned")
	ErrBlocked       = fault.Sentinel("blocked", "the run is blocked")            // law J11
	ErrDriven        = fault.Sentinel("driven", "another process drives the run") // law J10
	ErrMustWait      = fault.Sentinel("must_wait", "the run has to wait, and nothing keeps it: start it on a Runtime")
)

// Kinds that are also ways in which a run ends.
const (
	codeCancelled = "cancelled"
	codeStuck     = "stuck"
)

// What a journal keeps of the documented errors that are declared elsewhere, and of the fields of documented types. The
// codes never change (laws J9 and F8).
var _ = fault.RegisterAll(map[string]error{
	"merge_conflict": plan.ErrMergeConflict, "conflict": journal.ErrConflict, "not_found": journal.ErrNotFound,
	"corrupt": journal.ErrCorrupt, "newer": journal.ErrNewer, "store_closed": journal.ErrClosed,
	"no_space": journal.ErrNoSpace, "read_only": journal.ErrReadOnly, "store_refused": journal.ErrRefused,
	"too_large": journal.ErrTooLarge,
}) && fault.Keep[*LimitError]("limit") && fault.Keep[*InvalidRouteError]("invalid_route") &&
	fault.Keep[*plan.MergeConflictError]("merge_conflict")

// conflict is an ErrConflict that says what is against it.
type conflict string

func (c conflict) Error() string { return string(c) }

// Is reports whether target is ErrConflict.
func (c conflict) Is(target error) bool { return target == ErrConflict }

// Error is the one error type at the front door: what went wrong, where, and a code for faces.
type Error struct {
	Code Code
	Run  string
	Task string
	Err  error
}

func (e *Error) Error() string {
	switch {
	case e.Task != "":
		return fmt.Sprintf("run %s, task %s: %v", e.Run, e.Task, e.Err)
	case e.Run != "":
		return fmt.Sprintf("run %s: %v", e.Run, e.Err)
	}
	return e.Err.Error()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// InvalidRouteError says that a gate chose a target that it did not declare (law F7).
type InvalidRouteError struct {
	Node     string
	Target   string
	Declared []string
	Hint     string // "" or the nearest declared name, as text
}

func (e *InvalidRouteError) Error() string {
	if e.Target == "" {
		return fmt.Sprintf("gate %q chose nothing; it declares %s", e.Node, quoteAll(e.Declared))
	}
	return fmt.Sprintf("gate %q chose %q; it declares %s%s", e.Node, e.Target, quoteAll(e.Declared), e.Hint)
}

// Is reports whether target is ErrInvalidRoute.
func (e *InvalidRouteError) Is(target error) bool { return target == ErrInvalidRoute }

// LimitError says which limit of the run was reached (law F4).
type LimitError struct {
	Limit  string // tasks, time, tokens or cost
	Max    string
	Reason string // why it counts as reached although the sum is below it, "" where it is not
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("the run's limit of %s (%s) was reached", e.Limit, e.Max)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// StuckError says what cannot run in a dataflow, and what it waits for (laws D9 and F5).
type StuckError struct {
	Nodes []journal.StuckNode
}

func (e *StuckError) Error() string {
	var b strings.Builder
	b.WriteString(ErrStuck.Error() + ":")
	for _, n := range e.Nodes {
		fmt.Fprintf(&b, "\n  node %q cannot run: %s", n.Node, n.Reason)
	}
	return b.String()
}

// Is reports whether target is ErrStuck.
func (e *StuckError) Is(target error) bool { return target == ErrStuck }

// PlanChangedError says how the plan differs from the one that the run was started on (law J8).
type PlanChangedError struct {
	Reason string
	Value  string // the value that has no place in the plan, "amount" or "items.0.price"; "" where it is not about one
	Diff   string
	Hint   string // "" or which nodes or values may have been renamed, as text: a migration can say so
}

func (e *PlanChangedError) Error() string {
	text := fmt.Sprintf("%v: %s", ErrPlanChanged, e.Reason)
	if e.Diff != "" {
		text += "\n" + e.Diff
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Is reports whether target is ErrPlanChanged.
func (e *PlanChangedError) Is(target error) bool { return target == ErrPlanChanged }
