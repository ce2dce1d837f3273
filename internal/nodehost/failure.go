package nodehost

import (
	"encoding/json"

	"github.com/fermata-go/fermata/internal/fault"
)

// Failure is why a task runs at the end of an error edge. It is an error, in which errors.Is and errors.As find what they
// found in the one that failed the task, of all documented errors (law F8).
type Failure struct {
	Task    string                     `json:"task"`              // the task that failed
	Message string                     `json:"message"`           // its error, as text
	Kinds   []string                   `json:"kinds,omitempty"`   // codes of the documented errors in it: "timeout", "model.rate_limited"
	Details map[string]json.RawMessage `json:"details,omitempty"` // fields of the documented types in it
}

// Error is the text of the error that failed the task.
func (f *Failure) Error() string {
	if f == nil {
		return "no failure"
	}
	return f.Message
}

// Is reports whether the error that failed the task was a documented one.
func (f *Failure) Is(target error) bool { return f.marks().Is(target) }

// As finds the documented types whose fields are recorded.
func (f *Failure) As(target any) bool { return f.marks().As(target, f) }

func (f *Failure) marks() *fault.Marks {
	if f == nil {
		return nil
	}
	return &fault.Marks{Kinds: f.Kinds, Details: f.Details}
}

var _ = fault.Marked(func(err error) *fault.Marks {
	if f, ok := err.(*Failure); ok { //nolint:errorlint // each error by itself
		return f.marks()
	}
	return nil
})
