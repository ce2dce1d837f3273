package node

import (
	"fmt"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/model"
)

// Errors that calls in a node return. All can be found with errors.Is.
var (
	// ErrSuspended says that the task has been left to wait. Return it; the function runs again when it can go on.
	// A function that swallows it is suspended all the same (law N6).
	ErrSuspended = fault.Sentinel("suspended", "the task waits")
	// ErrTaskOver says that a node context was used after its attempt had ended.
	ErrTaskOver = fault.Sentinel("task_over", "the attempt that this context belongs to is over")
	// ErrOutcomeUnknown reports a started AtMostOnce step whose outcome was lost (law J5). A crash interrupted it, or
	// the called service did not report its result. The engine never repeats it: a person or program that knows the
	// outcome settles it.
	ErrOutcomeUnknown = fault.Sentinel("outcome_unknown", "step outcome unknown: started, never recorded")
	// ErrPlanChanged reports that the plan no longer fits the run (law J8).
	ErrPlanChanged = fault.Sentinel("plan_changed", "the plan does not fit the run")
	// ErrDiverged reports that the code made another call than the journal holds (law N3).
	ErrDiverged = fault.Sentinel("diverged", "node code diverged from its journal")
	// ErrSharedKey reports calls of several goroutines with one key, or without keys (law N3). A replay could not tell
	// them apart.
	ErrSharedKey = fault.Sentinel("shared_key", "goroutines of the node share a key")
	// ErrExpired reports that a question's deadline passed, and that the deadline is set to fail (law H4).
	ErrExpired = fault.Sentinel("expired", "nobody answered before the deadline")
	// ErrNoMessage reports that [Receive] got no message within its time.
	ErrNoMessage = fault.Sentinel("no_message", "no message came in time")
	// ErrWithdrawn says that the question was taken back.
	ErrWithdrawn = fault.Sentinel("withdrawn", "the question was withdrawn")
	// ErrNotStorable says that a value cannot be kept in a journal (law N8).
	ErrNotStorable = fault.Sentinel("not_storable", "the value cannot be stored")
	// ErrLimit says that a limit was reached: of the run, or of the reasoning (law F4).
	ErrLimit = fault.Sentinel("limit", "a limit was reached")
	// ErrNoService says that the program offers no service of the type asked for.
	ErrNoService = fault.Sentinel("no_service", "no such service")
)

// DivergedError says where code and journal part (law N3).
type DivergedError struct {
	Task     string
	Expected string // the call that the journal holds
	Found    string // the call that the code made
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("task %s: the journal holds %s here, the code asked for %s; "+
		"code that has run must keep its calls; for tasks that began before, choose the old ones with node.Changed",
		e.Task, nodehost.CallText(e.Expected), nodehost.CallText(e.Found))
}

// Is reports whether target is ErrDiverged.
func (e *DivergedError) Is(target error) bool { return target == ErrDiverged }

// RecordedError names a recorded value that does not fit the type that reads it (law J8). A field was renamed or
// removed, or has another type. It matches [ErrPlanChanged], and blocks the run.
type RecordedError struct {
	Task string
	Call string // "step:charge#1"
	Path string // of the value: "amount", "items.0.price"; "" for the whole
	Type string // that the code reads it into
	Form string // "number": what is recorded, where the code reads another kind of JSON there; "" else
	Near string // the field that may stand for it; "" for none
	Err  error  // why it cannot be read at all; nil where it would be read as zero
}

func (e *RecordedError) Error() string {
	what := "a value"
	if e.Path != "" {
		what = fmt.Sprintf("%q", e.Path)
	}
	if e.Form != "" {
		what += " as a " + e.Form
	}
	text := fmt.Sprintf("task %s: %s recorded %s, and %s has no place for it", e.Task, nodehost.CallText(e.Call), what, e.Type)
	if e.Near != "" {
		text += fmt.Sprintf("; is it %q now?", e.Near)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text + "; keep the field beside the new one, until no run waits that has recorded it"
}

// Is reports whether target is ErrPlanChanged.
func (e *RecordedError) Is(target error) bool { return target == ErrPlanChanged }

// Unwrap is why the value cannot be read at all.
func (e *RecordedError) Unwrap() error { return e.Err }

// Kind is the kind of a recorded call: "step", "model", "interrupt".
type Kind = nodehost.Kind

// SharedKeyError names a call that two goroutines of a node make under one name (law N3).
type SharedKeyError struct {
	Task string
	Kind Kind
	Key  string // "llm" and the like for calls without one
}

func (e *SharedKeyError) Error() string {
	_, key, inside := strings.Cut(e.Key, nodehost.Inside)
	if !inside {
		key = e.Key
	}
	advice := "give each its own"
	switch e.Kind {
	case nodehost.KindReason:
		advice += " Reasoning.ID"
	case nodehost.KindModel:
		advice += " with node.CallID"
	case nodehost.KindInterrupt:
		advice += " with node.ID"
	case nodehost.KindNow, nodehost.KindSleep:
		advice = "make them in the goroutine that the node's function runs in, or in steps with keys"
	case nodehost.KindStep, nodehost.KindOnce, nodehost.KindTool, nodehost.KindEmit, nodehost.KindStream, nodehost.KindChunks, nodehost.KindData:
	}
	return fmt.Sprintf("task %s: several goroutines make calls of the kind %s with the key %q, and a replay cannot tell them apart; %s",
		e.Task, e.Kind, nodehost.CallText(key), advice)
}

// Is reports whether target is ErrSharedKey or ErrTerminal: no further attempt changes the code.
func (e *SharedKeyError) Is(target error) bool {
	return target == ErrSharedKey || target == ErrTerminal
}

// StepError is the failure of a recorded step, as it is recorded (law F8). It is the same on the first pass and on
// every replay, so that code decides after a crash as it did before. That is the text, the marks of [Terminal] and
// [RetryAfter], and every documented error in what the step returned, however it was wrapped: errors.Is finds
// model.ErrRateLimited, and errors.As a *model.Error with its kind, message and wait. Errors of your own are a text:
// what else code has to know of them, the step returns as a value.
type StepError struct {
	Step       string // the step's identity, "step:charge#1"
	Message    string
	Terminal   bool
	RetryAfter time.Duration // 0 for none
	Model      *model.Error  // of a call of a model whose kind of failure is known, which is recorded; nil for others

	Marks *Marks // what else is recorded of it; nil for nothing
}

func (e *StepError) Error() string { return e.Message }

// Unwrap returns a model's failure, so that errors.Is finds its kind, such as model.ErrRateLimited.
func (e *StepError) Unwrap() error {
	if e.Model == nil {
		return nil
	}
	return e.Model
}

// Is reports whether target is a documented error, and the step's error was one.
func (e *StepError) Is(target error) bool {
	return e.Terminal && target == ErrTerminal || e.Marks.Is(target)
}

// As finds the mark of [RetryAfter] and the documented types of the step's error.
func (e *StepError) As(target any) bool {
	if at, ok := target.(**RetryAfterError); ok && e.RetryAfter > 0 {
		*at = &RetryAfterError{After: e.RetryAfter, Err: e}
		return true
	}
	return e.Marks.As(target, e)
}

// PanicError is a panic of a node's function (law N7).
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // where
}

func (e *PanicError) Error() string { return "panic: " + fault.Text(e.Value) }

// Unwrap is the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
