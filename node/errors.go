package node

import (
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/model"
)

// Errors that calls in a node return. All can be found with errors.Is.
var (
	// ErrSuspended says that the task has been left to wait. Return it; the function runs again when it can go on.
	// A function that swallows it is suspended all the same (law N6).
	ErrSuspended = errors.New("the task waits")
	// ErrTaskOver says that a node context was used after its attempt had ended.
	ErrTaskOver = errors.New("the attempt that this context belongs to is over")
	// ErrOutcomeUnknown says that an AtMostOnce step was begun and its outcome was lost (law J5). It is never
	// repeated by itself: whoever knows what happened settles it.
	ErrOutcomeUnknown = errors.New("the step was begun, and whether it happened is not known")
	// ErrDiverged says that the code asks for another call than the journal holds in its place (law N3).
	ErrDiverged = errors.New("the code took another way than the journal")
	// ErrExpired says that nobody answered in time, and that the question's deadline is set to fail (law H4).
	ErrExpired = errors.New("nobody answered before the deadline")
	// ErrWithdrawn says that the question was taken back.
	ErrWithdrawn = errors.New("the question was withdrawn")
	// ErrNotStorable says that a value cannot be kept in a journal (law N8).
	ErrNotStorable = errors.New("the value cannot be stored")
	// ErrLimit says that a limit was reached: of the run, or of the reasoning (law F4).
	ErrLimit = errors.New("a limit was reached")
	// ErrNoService says that the program offers no service of the type asked for.
	ErrNoService = errors.New("no such service")
)

// DivergedError says where code and journal part (law N3).
type DivergedError struct {
	Task     string
	Expected string // the call that the journal holds
	Found    string // the call that the code made
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("task %s: the journal holds %s here, the code asked for %s; "+
		"code that has run must keep its calls (or give the plan a new version and migrate the run)",
		e.Task, CallText(e.Expected), CallText(e.Found))
}

// Is reports whether target is ErrDiverged.
func (e *DivergedError) Is(target error) bool { return target == ErrDiverged }

// StepError is the failure of a recorded step. It carries the text of the cause and not the cause itself, because a
// replay has only the text: code that decides by errors.Is on a step's error would decide differently after a crash.
// What is recorded beside the text are the marks of [Terminal] and [RetryAfter], which errors.Is and errors.As find in
// it on every pass.
type StepError struct {
	Step       string // the step's identity, "step:charge#1"
	Message    string
	Terminal   bool
	RetryAfter time.Duration // 0 for none
	Model      *model.Error  // of a call of a model whose kind of failure is known, which is recorded; nil for others
}

func (e *StepError) Error() string { return e.Message }

// Unwrap is what is known of a model's failure, so that errors.Is finds its kind: model.ErrRateLimited.
func (e *StepError) Unwrap() error {
	if e.Model == nil {
		return nil
	}
	return e.Model
}

// PanicError is a panic of a node's function (law N7).
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // where
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap is the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
