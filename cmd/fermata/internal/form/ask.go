package form

import (
	"context"
	"encoding/json"
	"errors"
)

// Errors of asking.
var (
	// ErrLater says that the person wants to answer later (Ctrl-D, or the end of the input).
	ErrLater = errors.New("left for later")
	// ErrStop says that the person wants everything to stop (Ctrl-C).
	ErrStop = errors.New("stopped")
)

// Asker puts a form to a person and returns what was filled in. It asks again, with problem shown, for as long as the
// caller calls it; the entries are what was filled in before. It returns the context's cause when ctx is done. Its
// fields are never [Items] or [Variant], which need forms of their own.
type Asker interface {
	Fill(ctx context.Context, f *Form, entries []Entry, problem error) ([]Entry, error)
}

// Ask asks until the answer passes check. It shows the problem and keeps the entries.
func Ask(ctx context.Context, a Asker, f *Form, check func(json.RawMessage) error) (json.RawMessage, error) {
	entries := f.Starts()
	var problem error
	for {
		filled, err := fill(ctx, a, f, entries, problem)
		if err != nil {
			return nil, err
		}
		entries = filled
		answer, err := f.Answer(entries)
		if err == nil && check != nil {
			err = check(answer)
		}
		if err == nil {
			return answer, nil
		}
		problem = err
	}
}
