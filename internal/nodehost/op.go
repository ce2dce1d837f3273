package nodehost

import (
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/model"
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
	KindReceive   Kind = "receive"   // a call that takes a message
	KindReply     Kind = "reply"     // the answer to a message
	KindLabel     Kind = "label"     // a label of the run that is set
	KindChanged   Kind = "changed"   // a change of the code that the task has, see ChangeHost
)

// Op is one recorded call of a task: its identity, and what is already known of it.
//
// One struct: kinds of calls share most fields, and hosts compare and copy it whole.
type Op struct {
	Kind Kind   // of the call: a step, a question, a sleep and so on
	ID   string // kind, key and occurrence within the task: "step:charge#1"; behind Inside where it was made in a step

	Known   bool   // the journal holds something of it
	Done    bool   // the call has a recorded outcome: Value or Failure
	Value   []byte // its value as JSON
	Failure string // its error as text, "" for success
	Begun   bool   // an AtMostOnce step whose intent is recorded and whose outcome is not
	Tries   int    // of reasoning: how often it has failed, in earlier attempts of the task
	Apart   bool   // it is made in a goroutine that the node has started: it has a key and no place in an order (law N3)

	Terminal   bool          // a failure that was marked with node.Terminal
	RetryAfter time.Duration // the wait that a failure was marked with, in whole microseconds; 0 for none
	Marks      *fault.Marks  // what else is known of a failure; nil for nothing

	Shape string    // of the Go type that reads an answer or a reasoning, where their schema does not say all of it; see Question.Shape
	By    string    // who answered a question, or sent a message
	At    time.Time // when

	Message   uint64 // of a call that has taken a message: seq of its entry; 0 for none
	MessageID string // the message's id

	Undo string // of a step: the node that undoes it, "" for none; given to Record

	Usage *model.Usage // what a call of a model took, given to Record and found by Begin; nil where that is not known

	Call *ToolUse // of a tool: what is called, given to Intend and Record
}

// ToolUse is a call of a tool as it is made: with the arguments that a person may have edited.
type ToolUse struct {
	model.ToolCall
	Once bool // it must not happen twice (law J5)
}
