package nodehost

import (
	"context"
	"log/slog"
	"reflect"
	"time"
)

// Host runs nodes for the runtime of a program, or for a test. Every call carries the pass that the context was made
// for; a host refuses calls of a pass that is over with node.ErrTaskOver, and answers every call of a pass that has been
// suspended with node.ErrSuspended.
type Host interface {
	Info() Info
	Logger() *slog.Logger
	Cause() *Failure
	Clock() time.Time
	Service(t reflect.Type) any // nil where the program has none

	// Begin names the next call of this kind and key and says what is recorded of it. It fails with
	// node.ErrDiverged when the journal holds another call in its place (law N3), and where a limit of the run on what models
	// may take has been reached, for a new call of one (law F4).
	Begin(pass uint64, kind Kind, key string) (Op, error)
	// Intend stores that an AtMostOnce step, or a call of a tool, is about to happen.
	Intend(pass uint64, op Op) error
	// Record stores a call's outcome: a value, a failure with the marks in op, or (of a model) a failure and a value
	// that says more of it. After it has returned, the outcome is as durable as the run asked for; kinds without an
	// effect of their own (now, emit) may be stored with the next entry instead.
	Record(pass uint64, op Op, value []byte, failure string) error
	// Sleep sets a timer for op and suspends the task.
	Sleep(pass uint64, op Op, d time.Duration) error
	// Ask opens the question for op, where it is not open already.
	Ask(pass uint64, op Op, q Question) error
	// Answered checks whether op's question is closed, and suspends the task if it is not.
	Answered(pass uint64, op Op) (Op, error)
	// Emit shows an event of the given type once it is stored.
	Emit(pass uint64, op Op, eventType string, data []byte) error
	// Data shows the value of op. Patches and snapshots are transient; the final value is stored, as op's outcome.
	Data(pass uint64, op Op, v Data) error
	// Together says that what follows inside op goes on in several goroutines, or, with done, that all of them have
	// come to their end. In between a call that waits suspends nobody but its caller; in the end they suspend the task,
	// which goes on when the first of what they wait for is there. The call around such a call is not recorded. Where
	// one of them has failed for good, op.Failure says so, with done: then nobody waits for what the others wait for,
	// and the task goes on.
	Together(pass uint64, op Op, done bool) error
	// Chunk shows a piece of streamed text; last closes the segment and stores its whole text.
	Chunk(pass uint64, op Op, channel, text string, last bool) error
}

// StepHost is a [Host] that has something to say about the context that a step works in.
type StepHost interface {
	// Within returns ctx, or one made from it, for what the step op is about to do. It is not called for a step whose
	// outcome is recorded.
	Within(ctx context.Context, op Op) context.Context
}

// ApartHost is a [Host] that accepts calls from goroutines of a node in any order.
type ApartHost interface {
	// BeginApart is Begin for a call of a goroutine that the node has started, or inside of one. by is the number of that
	// goroutine, and 0 inside of a call for the goroutine that the call was made in. It fails with node.ErrSharedKey where
	// another goroutine has made a call of the same kind and key.
	BeginApart(pass uint64, kind Kind, key string, by uint64) (Op, error)
}

// ChangeHost is a [Host] that knows which code a task began with.
type ChangeHost interface {
	// Changed reports whether the task has a change of its code (law N13): it does where the journal says so, or holds no call of the
	// attempt that the pass has not made yet. Then it is recorded.
	Changed(pass uint64, name string) (bool, error)
}

// UndoHost is a [Host] of a plan that can undo.
type UndoHost interface {
	// CanUndo returns why a step of the node cannot be undone by a node of the plan; nil if it can (law F10).
	CanUndo(name string) error
}

// Syncer is a [Host] that delays storing the outcomes of pure nodes.
type Syncer interface {
	// Sync stores all that the run has come to so far, as durably as the run asked for.
	Sync(pass uint64) error
}

// BeatHost is a [Host] that hears that a node lives, and keeps what the node says with it.
type BeatHost interface {
	// Beat says that the node lives, and keeps a value of JSON for later attempts.
	Beat(pass uint64, value []byte) error
	// LastBeat is the value that was kept last, nil for none, as the outcome of op. Replays get it again once a later call
	// of the attempt is recorded.
	LastBeat(pass uint64, op Op) []byte
	// Refuse fails the pass with an error that its function cannot return.
	Refuse(pass uint64, err error)
}

// LabelHost is a [Host] that keeps labels of the run.
type LabelHost interface {
	// Label sets a label, or takes it away where the value is "" (law J13). The key and the value can be those of one. A
	// run that has too many fails the pass.
	Label(pass uint64, op Op, key, value string) error
}

// SizeHost is a [Host] that limits the JSON of one value.
type SizeHost interface {
	// MaxValue returns how many bytes of JSON a value may have.
	MaxValue() int
}

// BreakHost is a [Host] that can end a pass, whatever its function makes of the error.
type BreakHost interface {
	// Break ends the pass with an error.
	Break(pass uint64, err error)
}
