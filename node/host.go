package node

import (
	"context"
	"log/slog"
	"reflect"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// Func is a node's function with its types erased. It receives the value of a token, may change it, and returns the
// value that travels on.
type Func func(ctx Context, in any) (out any, err error)

// RouteFunc chooses where a token goes after its node: the name of a declared target, [End] or [Stop].
type RouteFunc func(ctx Context, value any) (target string, err error)

// RouteManyFunc chooses one or more declared targets, [End] or [Stop] for a token after its node. With several, each
// begins a branch.
type RouteManyFunc func(ctx Context, value any) (targets []string, err error)

// CatchFunc chooses the target of a token whose node failed: a declared node, [End] or [Stop]. It returns "" to fail
// the run. The cause is never nil.
type CatchFunc func(ctx Context, value any, cause error) (target string, err error)

// Targets that are not nodes. They cannot be names of nodes, so a node may well be called "END" (law F6).
const (
	End  = "\x00end"  // ends a path
	Stop = "\x00stop" // ends the run
)

// Kind is the kind of a recorded call; kind, key and occurrence identify it in its task (law N2).
type Kind string

// The kinds of calls that are recorded.
const (
	KindStep      Kind = "step"
	KindOnce      Kind = "once" // an AtMostOnce step
	KindNow       Kind = "now"
	KindSleep     Kind = "sleep"
	KindInterrupt Kind = "interrupt"
	KindEmit      Kind = "emit"
	KindStream    Kind = "stream"
	KindModel     Kind = "model"     // a call of a language model
	KindChunks    Kind = "chunks"    // a stream of what the node then returns
	KindReason    Kind = "reason"    // what Reason does, calls of models, tools and people among it
	KindTool      Kind = "tool"      // a call of a tool that a model wants made
	KindData      Kind = "data"      // a typed value that is shown
	KindHeartbeat Kind = "heartbeat" // the last value of an earlier attempt's Heartbeat, as it was read
)

// Op is one recorded call of a task: its identity, and what is already known of it.
type Op struct {
	Kind Kind
	ID   string // kind, key and occurrence within the task: "step:charge#1"; behind Inside where it was made in a step

	Known   bool   // the journal holds something of it
	Done    bool   // the call has a recorded outcome: Value or Failure
	Value   []byte // its value as JSON
	Failure string // its error as text, "" for success
	Begun   bool   // an AtMostOnce step whose intent is recorded and whose outcome is not
	Tries   int    // of reasoning: how often it has failed, in earlier attempts of the task
	Apart   bool   // it is made in a goroutine that the node has started: it has a key and no place in an order (law N3)

	Terminal   bool          // a failure that was marked with Terminal
	RetryAfter time.Duration // the wait that a failure was marked with, in whole microseconds; 0 for none
	Marks      *Marks        // what else is known of a failure; nil for nothing

	Shape string    // of the Go type that reads an answer or a reasoning, where their schema does not say all of it; see Question.Shape
	By    string    // who answered a question
	At    time.Time // when

	Usage *model.Usage // what a call of a model took, given to Record and found by Begin; nil where that is not known

	Call *ToolUse // of a tool: what is called, given to Intend and Record
}

// ToolUse is a call of a tool as it is made: with the arguments that a person may have edited.
type ToolUse struct {
	model.ToolCall
	Once bool // it must not happen twice (law J5)
}

// Modes of a [Data].
const (
	DataFinal    = "final"    // the whole value as it is in the end
	DataPatch    = "patch"    // how the value goes on
	DataSnapshot = "snapshot" // the value so far
	DataDropped  = "dropped"  // what was shown so far does not hold; observers see structured-data.invalidated
)

// Data is a typed value that is shown, while it is made or in the end.
type Data struct {
	DataType string // its type, for the programs that show it
	Mode     string
	Value    []byte // JSON: the value or, of a patch, the list of its operations; of DataDropped, why, as text

	SchemaID, SchemaVersion string

	Whole func() []byte // of a patch: the value with it, for readers that come late
}

// Question is what an interrupt asks (law H1).
type Question struct {
	Request        []byte // JSON
	RequestSchema  []byte // JSON Schema of the request, or nil
	ResponseSchema []byte // JSON Schema that an answer must pass, or nil for any

	// The names of the schemas for the programs that show the question. The zero value is what their documents say.
	RequestIdentity, ResponseIdentity schema.Identity

	Prompt     string
	Options    []string
	Kind       string   // what a face may show it as: "choice", "text", "form", "approval"; "" lets it decide
	Role       string   // who may answer; "" for anyone
	Assignee   string   // the one person who may answer; "" for anyone in the role
	Override   string   // the role that may take the question from its assignee or claimer; "" for none
	FourEyes   bool     // who started the run may not answer
	NotBy      []string // nodes of the same graph: who answered one of them may not answer this
	Within     time.Duration
	AtDeadline Deadline

	RequireToken bool // an answer presents the resume token

	Unnamed bool   // the author gave no ID: on replay the whole question must be the same (law N3)
	About   []byte // what else must be the same on replay, whatever the question is called; not shown to anybody
	Shape   string // of the Go type that reads the answer, where the schema does not say all of it; "" for one that keeps everything
	Waits   bool   // Answered follows at once: the question may be stored with the suspension
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
	// goroutine, and 0 inside of a call for the goroutine that the call was made in. It fails with ErrSharedKey where
	// another goroutine has made a call of the same kind and key.
	BeginApart(pass uint64, kind Kind, key string, by uint64) (Op, error)
}

// Syncer is a [Host] that delays storing the outcomes of pure nodes.
type Syncer interface {
	// Sync stores all that the run has come to so far, as durably as the run asked for.
	Sync(pass uint64) error
}

// Host runs nodes for the runtime of a program, or for a test. Every call carries the pass that the context was made
// for; a host refuses calls of a pass that is over with [ErrTaskOver], and answers every call of a pass that has been
// suspended with [ErrSuspended].
type Host interface {
	Info() Info
	Logger() *slog.Logger
	Cause() *Failure
	Clock() time.Time
	Service(t reflect.Type) any // nil where the program has none

	// Begin names the next call of this kind and key and says what is recorded of it. It fails with
	// ErrDiverged when the journal holds another call in its place (law N3), and where a limit of the run on what models
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
