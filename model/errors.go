package model

import (
	"strings"
	"time"
)

// Kind is a kind of failure of a model, and as such an error to look for with errors.Is. It is what a journal keeps
// of a failure beside its text, so that code decides by it after a crash as it did before.
type Kind string

// The kinds.
const (
	ErrTruncated   Kind = "truncated"    // the reply was cut off: Request.MaxTokens, or the model's own limit
	ErrRefused     Kind = "refused"      // the model, or a filter, refused to answer
	ErrRateLimited Kind = "rate_limited" // too much was asked lately; see Error.RetryAfter
	ErrUnavailable Kind = "unavailable"  // the provider has trouble; asking again later may help
	ErrTooLong     Kind = "too_long"     // the request is longer than the model can read
	ErrInvalid     Kind = "invalid"      // the provider does not take the request; asking again does not help
	ErrMalformed   Kind = "malformed"    // the reply is not what a reply must be
	ErrNoModel     Kind = "no_model"     // the program has no such model
	ErrBudget      Kind = "budget"       // what the program may spend on models is spent; see Budget
)

// Error says it in words.
func (k Kind) Error() string {
	switch k {
	case ErrTruncated:
		return "the model's reply was cut off"
	case ErrRefused:
		return "the model refused to answer"
	case ErrRateLimited:
		return "the model's provider was asked too often"
	case ErrUnavailable:
		return "the model's provider is not available"
	case ErrTooLong:
		return "the request is longer than the model can read"
	case ErrInvalid:
		return "the model's provider does not take the request"
	case ErrMalformed:
		return "the model's reply is malformed"
	case ErrNoModel:
		return "no such model"
	case ErrBudget:
		return "the budget for models is spent"
	}
	return "the model failed: " + string(k)
}

// Error is a failure of a model whose kind is known. Providers keep keys and tokens out of its text: it is recorded.
type Error struct {
	Kind       Kind          // what errors.Is finds; "" for none of the kinds
	Message    string        // what more is known; "" for nothing
	RetryAfter time.Duration // with ErrRateLimited and ErrUnavailable: when to ask again; 0 where nobody said
	Err        error         // the cause, or nil; a journal does not keep it
}

func (e *Error) Error() string {
	var parts []string
	if e.Kind != "" {
		parts = append(parts, e.Kind.Error())
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	text := strings.Join(parts, ": ")
	if e.RetryAfter > 0 {
		text += " (again in " + e.RetryAfter.String() + ")"
	}
	return text
}

// Unwrap is the kind and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Kind != "" {
		errs = append(errs, e.Kind)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}
