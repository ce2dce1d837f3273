package node

import (
	"errors"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/nodehost"
)

// ErrTerminal is found, with errors.Is, in every error that [Terminal] has marked.
var ErrTerminal = fault.Sentinel("terminal", "no further attempt can change this")

// Terminal marks an error that no further attempt can change, such as invalid data. The node is not tried again,
// whatever its policy; the failure takes the node's failure edge, or fails the run (law F1). The text stays the one of
// err, and errors.Is and errors.As reach err behind the mark. Terminal(nil) is nil.
//
// The mark survives a [Step]: where a step fails with a marked error, its [StepError] is marked, on the first pass and
// on every replay.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return terminal{err}
}

type terminal struct{ error }

func (t terminal) Unwrap() error { return t.error }

// Is reports whether target is ErrTerminal.
func (t terminal) Is(target error) bool { return target == ErrTerminal }

// RetryAfter marks an error with the wait that the called service asked for. When the node has an attempt left, the
// next one starts after that time and not after the policy's backoff, and neither plan.Retry.Max nor
// plan.Retry.Retryable has a say. It gives no attempt beyond those of the policy, and an error that is also marked
// [Terminal] stays terminal. A d below 0 is 0; RetryAfter(nil, d) is nil.
//
// The mark survives a [Step], as that of Terminal does.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &RetryAfterError{After: max(d, 0), Err: err}
}

// RetryAfterError is what [RetryAfter] makes of an error. Find it with errors.As.
type RetryAfterError struct {
	After time.Duration
	Err   error
}

func (e *RetryAfterError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *RetryAfterError) Unwrap() error { return e.Err }

// mark notes on a call what is known of its error, so that a replay finds the same (laws J5 and F8), and returns its text.
// The methods of the error are called nowhere else.
func mark(op *nodehost.Op, failed *fault.Captured) (message string) {
	op.Terminal, op.RetryAfter = failed.Is(ErrTerminal), 0
	if after, ok := errors.AsType[*RetryAfterError](failed); ok {
		op.RetryAfter = max(after.After.Truncate(time.Microsecond), time.Microsecond) // what a journal keeps
	}
	op.Marks = failed.Marks.Without("terminal", "retry_after") // those have a place of their own
	return failed.Text
}

// stepError is the error of a step that failed.
func stepError(op *nodehost.Op, message string) error {
	return &StepError{Step: op.ID, Message: message, Terminal: op.Terminal, RetryAfter: op.RetryAfter, Marks: op.Marks}
}
