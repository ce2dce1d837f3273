package runtype

import (
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Code classifies an [Error]. Faces map codes to exit codes and HTTP statuses.
type Code string

// The codes.
const (
	CodeFailed      Code = "failed"       // the run failed
	CodeInvalid     Code = "invalid"      // an input or an answer does not fit
	CodeNotFound    Code = "not_found"    // no such run or interrupt
	CodeConflict    Code = "conflict"     // another writer was first, or a different answer was given
	CodeExpired     Code = "expired"      // a deadline has passed
	CodeForbidden   Code = "forbidden"    // the wrong role or the wrong token
	CodeLimit       Code = "limit"        // a limit of the run was reached, or that of a reasoning that failed it
	CodePlanChanged Code = "plan_changed" // the plan no longer fits the run
	CodeBlocked     Code = "blocked"      // the run is open and cannot go on now (law J11)
	CodeCancelled   Code = "cancelled"
	CodeStopped     Code = "stopped" // execution stopped, the run did not end: it can be resumed
	CodeStore       Code = "store"
	CodeInternal    Code = "internal"
)

// Errors to look for with errors.Is.
var (
	ErrConflict      = journal.ErrConflict
	ErrNotFound      = journal.ErrNotFound
	ErrExpired       = node.ErrExpired
	ErrDiverged      = node.ErrDiverged
	ErrAnswered      = fault.Sentinel("answered", "already answered with a different value") // law H2
	ErrInvalid       = fault.Sentinel("invalid", "the value does not fit its schema")
	ErrForbidden     = fault.Sentinel("forbidden", "not allowed")
	ErrClaimed       = fault.Sentinel("claimed", "the question is claimed by another person")
	ErrLimit         = node.ErrLimit       // law F4
	ErrPlanChanged   = node.ErrPlanChanged // law J8
	ErrCancelled     = fault.Sentinel(MarkCancelled, "the run was cancelled")
	ErrStuck         = fault.Sentinel(MarkStuck, "the run cannot go on")                          // law F5
	ErrStopped       = fault.Sentinel("stopped", "execution was stopped, the run can be resumed") // law F3
	ErrTimeout       = fault.Sentinel("timeout", "the attempt took too long")                     // law N11
	ErrIdle          = fault.Sentinel("idle", "the attempt was silent for too long")              // law N11
	ErrInvalidRoute  = fault.Sentinel("invalid_route", "undeclared route")                        // law F7
	ErrMergeConflict = plan.ErrMergeConflict                                                      // law G4
	ErrClosed        = fault.Sentinel("closed", "the runtime is closed")
	ErrInside        = fault.Sentinel("inside", "a node cannot wait for its own runtime to close: it closes once the node has returned")
	ErrBlocked       = fault.Sentinel("blocked", "the run is blocked")          // law J11
	ErrDriven        = fault.Sentinel("driven", "another process owns the run") // law J10
	ErrRefused       = fault.Sentinel("refused", "the message was refused")     // law M3
	ErrNoMessage     = node.ErrNoMessage                                        // law M1
	ErrMustWait      = fault.Sentinel("must_wait", "the run has to wait, and nothing keeps it: start it on a Runtime")
)

// Kinds that are also ways in which a run ends.
const (
	MarkCancelled = "cancelled"
	MarkStuck     = "stuck"
)

// The codes under which a journal stores documented errors of other packages. They never change (laws J9 and
// F8).
var _ = fault.RegisterAll(map[string]error{
	"merge_conflict": plan.ErrMergeConflict, "conflict": journal.ErrConflict, "not_found": journal.ErrNotFound,
	"corrupt": journal.ErrCorrupt, "newer": journal.ErrNewer, "store_closed": journal.ErrClosed,
	"no_space": journal.ErrNoSpace, "read_only": journal.ErrReadOnly, "store_refused": journal.ErrRefused, "store_query": journal.ErrQuery,
	"too_large": journal.ErrTooLarge, "sealed": journal.ErrSealed,
}) && fault.Keep[*LimitError]("limit") && fault.Keep[*InvalidRouteError]("invalid_route") &&
	fault.Keep[*plan.MergeConflictError]("merge_conflict") && fault.Keep[*DuplicateError]("duplicate")

// Conflict is an ErrConflict with a reason.
type Conflict string

func (c Conflict) Error() string { return string(c) }

// Is reports whether target is ErrConflict.
func (c Conflict) Is(target error) bool { return target == ErrConflict }

// NoLonger is the error of a run that was selected by its status and has another one now.
func NoLonger(now *RunInfo, selected []string) error {
	return &Error{Code: CodeConflict, Run: now.ID, Err: Conflict("the run is " + now.Status + " now; selected were runs that are " + strings.Join(selected, ", "))}
}

// Error is the error type of the public API: what failed, where, and a code for faces.
type Error struct {
	Code Code   // classifies Err
	Run  string // its id; "" for none
	Task string // its id; "" for none
	Err  error  // the cause
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// InvalidRouteError reports a target that a gate chose and did not declare (law F7).
type InvalidRouteError struct {
	Node     string   // the node of the gate
	Target   string   // the undeclared choice
	Declared []string // targets that the gate may choose
	Hint     string   // the nearest declared name, as text; "" for none
}

func (e *InvalidRouteError) Error() string {
	if e.Target == "" {
		return fmt.Sprintf("gate %q chose nothing; it declares %s", e.Node, QuoteAll(e.Declared))
	}
	return fmt.Sprintf("gate %q chose %q; it declares %s%s", e.Node, e.Target, QuoteAll(e.Declared), e.Hint)
}

// Is reports whether target is ErrInvalidRoute.
func (e *InvalidRouteError) Is(target error) bool { return target == ErrInvalidRoute }

// LimitError reports which limit of the run was reached (law F4).
type LimitError struct {
	Limit  string // tasks, time, until, tokens or cost
	Max    string // the limit, as text
	Reason string // why it counts as reached although the sum is below it; "" otherwise
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("the run's limit of %s (%s) was reached", e.Limit, e.Max)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// Is reports whether target is ErrLimit, or ErrExpired for the run's deadline (law F9).
func (e *LimitError) Is(target error) bool {
	return target == ErrLimit || target == ErrExpired && e.Limit == machine.LimitUntil
}

// NotUndoneError reports effects that a run has left, because their undo failed (law F10). Err is
// why the run ended; errors.Is and errors.As look into it.
type NotUndoneError struct {
	Left []journal.NotUndone // what is left: the task or step, the task of its undo, and why that failed
	Err  error               // why the run ended
}

func (e *NotUndoneError) Error() string {
	return fmt.Sprintf("%v; %s", e.Err, machine.LeftText(e.Left))
}

// Unwrap returns why the run ended.
func (e *NotUndoneError) Unwrap() error { return e.Err }

// StuckError lists the nodes of a dataflow that cannot run, and their missing inputs (laws D9 and F5).
type StuckError struct {
	Nodes []journal.StuckNode // the nodes that cannot run
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

// LateError reports that something came after the deadline of its run (law F9). It matches ErrExpired.
type LateError struct {
	Run   string    // its id
	Until time.Time // the deadline
	Now   time.Time // the time by the store's clock
}

func (e *LateError) Error() string {
	return fmt.Sprintf("the run's deadline passed at %s, %s ago; to go on, retry the run with a new one (RetryUntil, or runs retry --deadline)",
		e.Until.UTC().Format(time.RFC3339), max(e.Now.Sub(e.Until), 0).Round(time.Second))
}

// Is reports whether target is ErrExpired.
func (e *LateError) Is(target error) bool { return target == ErrExpired }

// Late returns the error for what came after the deadline of a run; the times are in microseconds.
func Late(run string, until, now int64) error {
	return &Error{Code: CodeExpired, Run: run, Err: &LateError{Run: run, Until: time.UnixMicro(until).UTC(), Now: time.UnixMicro(now).UTC()}}
}

// PlanChangedError reports how a plan differs from the one that the run was started on (law J8).
type PlanChangedError struct {
	Reason string // why the plan does not fit
	Value  string // the value without a place in the plan, as "amount" or "items.0.price"; "" for none
	Diff   string // of the two plans, as text
	Hint   string // nodes or values that may have been renamed, as text; "" for none. A migration can rename them
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

// BlockedError reports why a run cannot go on now (law J11). It matches ErrBlocked, and ErrDiverged or
// ErrPlanChanged if that is the reason.
type BlockedError struct {
	Code    string    // diverged, plan_changed, takeovers
	Reason  string    // as text
	RetryAt time.Time // of the first automatic retry; zero for a run that needs Retry
	Cause   error     // a *node.DivergedError if this process found it, else nil
}

func (e *BlockedError) Error() string {
	text := fmt.Sprintf("%v: %s", ErrBlocked, e.Reason)
	if e.RetryAt.IsZero() {
		return text + "; retry it once that is mended"
	}
	return text + "; it is tried again by itself"
}

// Is reports whether target is ErrBlocked or the error of the reason.
func (e *BlockedError) Is(target error) bool {
	switch e.Code {
	case machine.BlockDiverged:
		return target == ErrBlocked || target == node.ErrDiverged
	case machine.BlockPlan:
		return target == ErrBlocked || target == ErrPlanChanged
	}
	return target == ErrBlocked
}

// Unwrap returns the cause.
func (e *BlockedError) Unwrap() error { return e.Cause }

// NotStorable wraps the error of a value that JSON cannot hold. The result is a node.ErrNotStorable.
func NotStorable(err error) error {
	return fmt.Errorf("%w: %w", node.ErrNotStorable, fault.Capture(err))
}

// DefaultLease is the default of Options.Lease.
const DefaultLease = 5 * time.Second

// ShortestLease is the shortest lease by a clock that runs by itself. It is renewed three times as often: with less, a store that
// is slow for a moment costs a process its runs, which are blocked after several takeovers (law J11).
const ShortestLease = time.Second

// DrivenError reports that another live process owns the run (law J10).
type DrivenError struct {
	Driver string    // see RunInfo.Driver
	Until  time.Time // when its lease ends unless it is renewed
}

func (e *DrivenError) Error() string {
	return fmt.Sprintf("%v: %s, at least until %s", ErrDriven, e.Driver, e.Until.Format("15:04:05.000"))
}

// Is reports whether target is ErrDriven or ErrConflict.
func (e *DrivenError) Is(target error) bool { return target == ErrDriven || target == ErrConflict }

// DuplicateError reports that another open run holds the deduplication key of a start (law J17).
type DuplicateError struct {
	Key string // see Dedup
	Run string // that holds the key
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%v: run %s holds the deduplication key %q until it ends; start with Attach to follow it", ErrConflict, e.Run, e.Key)
}

// Is reports whether target is ErrConflict.
func (e *DuplicateError) Is(target error) bool { return target == ErrConflict }

// UnstoppedError lists the tasks that did not return when execution was to stop. It is an ErrStopped.
type UnstoppedError struct {
	Tasks []string      // ids of tasks, "review#2", in no order
	Grace time.Duration // how long they were waited for
}

func (e *UnstoppedError) Error() string {
	return fmt.Sprintf("still at work %s after they were told to stop: %s", e.Grace, strings.Join(e.Tasks, ", "))
}

// Is reports whether target is ErrStopped.
func (e *UnstoppedError) Is(target error) bool { return target == ErrStopped }

// ErrSkip is returned by an edit of a fork for a value that it does not edit. An edit that skips all values is
// an error.
var ErrSkip = fault.Sentinel("skip", "this value is not to be edited")

// ErrGoexit says that a function of the program ended its goroutine instead of returning. It called
// runtime.Goexit, as FailNow and Fatal of package testing do. It is a failure like any other (law N7).
var ErrGoexit = fault.Goexit
