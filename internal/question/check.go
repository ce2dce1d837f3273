package question

import "github.com/fermata-go/fermata/journal"

// Check compares a recorded question with the one that its task asks.
type Check interface {
	// Concerns reports whether the question is asked by this operation of the task.
	Concerns(op, task string) bool
	// IsCopied reports whether a fork has copied the question: then more people may be excluded from it.
	IsCopied() bool
	// CompareWith is given the question that the task asks and its time in microseconds, or the error for which
	// it asks none.
	CompareWith(asked *journal.Interrupt, within int64, err error)
}
