package node

import (
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// Marks are the recorded parts of an error beside its text (law F8). They hold the documented errors that errors.Is
// finds, and the fields of the documented types that errors.As finds. Hosts keep them, and look into them no further.
//
//	type Marks struct {
//	    Kinds   []string                   // codes of the documented errors that errors.Is finds
//	    Details map[string]json.RawMessage // fields of the documented types that errors.As finds, by name
//	}
//
//	// Has reports whether a code is among the kinds.
//	func (*Marks) Has(code string) bool
//
//	// Without is the marks less some kinds and types; nil where nothing is left.
//	func (*Marks) Without(names ...string) *Marks
type Marks = fault.Marks

// keptModelError is what is recorded of a model.Error: all but its cause.
type keptModelError struct {
	Kind       model.Kind    `json:"kind,omitempty"`
	Message    string        `json:"message,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // nanoseconds
}

// keptRetryAfter is what is recorded of a RetryAfterError.
type keptRetryAfter struct {
	After time.Duration `json:"after"` // nanoseconds
}

var _ = fault.Family[model.Kind]("model.") &&
	fault.RegisterAll(map[string]error{
		"model.budget": model.ErrBudget, "model.invalid": model.ErrInvalid, "model.malformed": model.ErrMalformed,
		"model.no_model": model.ErrNoModel, "model.rate_limited": model.ErrRateLimited, "model.refused": model.ErrRefused,
		"model.too_long": model.ErrTooLong, "model.truncated": model.ErrTruncated, "model.unavailable": model.ErrUnavailable,
	}) &&
	fault.KeepAs(fault.Panic, func(e *PanicError) fault.Crashed {
		return fault.Crashed{Value: fault.Text(e.Value)}
	}, func(c fault.Crashed, whole error) *PanicError {
		e := &PanicError{Value: c.Value}
		if at, ok := whole.(interface{ Stack() []byte }); ok {
			e.Stack = at.Stack()
		}
		return e
	}) &&
	fault.KeepAs("model", func(e *model.Error) keptModelError {
		return keptModelError{e.Kind, e.Message, e.RetryAfter}
	}, func(k keptModelError, _ error) *model.Error {
		return &model.Error{Kind: k.Kind, Message: k.Message, RetryAfter: k.RetryAfter}
	}) &&
	fault.KeepAs("retry_after", func(e *RetryAfterError) keptRetryAfter {
		return keptRetryAfter{e.After}
	}, func(k keptRetryAfter, whole error) *RetryAfterError {
		return &RetryAfterError{After: k.After, Err: whole}
	}) &&
	fault.Keep[*DivergedError]("diverged") &&
	fault.Keep[*LimitError]("reasoning_limit") &&
	fault.Keep[*SharedKeyError]("shared_key") &&
	fault.Keep[*OutputError]("output") &&
	fault.Keep[*schema.Error]("schema") &&
	fault.Marked(func(err error) *Marks {
		if e, ok := err.(*StepError); ok { //nolint:errorlint // each error by itself
			return e.Marks
		}
		return nil
	})
