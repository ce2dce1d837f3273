package journal

import (
	"encoding/json"
	"fmt"
	"time"
)

// Kind says what an entry records. Its String is the type of the event that observers see (law E1).
type Kind uint8

// The kinds of entries. Numbers are part of the stored format: they are never reused.
const (
	RunStarted        Kind = 1
	RunPaused         Kind = 2
	RunResumed        Kind = 3
	RunFinished       Kind = 4
	RunBlocked        Kind = 5
	RunHeld           Kind = 6 // nothing begins in the run until it is released
	RunReleased       Kind = 7 // of a run that was held
	RunUndoing        Kind = 8 // the run ends without success, once what it has done is undone (law F10)
	NodeStarted       Kind = 10
	NodeFinished      Kind = 11
	NodeRetrying      Kind = 12
	NodeFailed        Kind = 13
	NodeSkipped       Kind = 14
	NodeCached        Kind = 15
	NodeSuspended     Kind = 16
	NodeHeartbeat     Kind = 17
	RouteTaken        Kind = 20
	StepStarted       Kind = 30
	StepFinished      Kind = 31
	TimerSet          Kind = 40
	TimerFired        Kind = 41
	InterruptOpened   Kind = 50
	InterruptUpdated  Kind = 51
	InterruptResolved Kind = 52
	TextStart         Kind = 60
	TextDelta         Kind = 61 // transient: never stored
	TextEnd           Kind = 62
	Message           Kind = 70
	Status            Kind = 71
	Diagnostic        Kind = 72
	StructuredData    Kind = 73
	DataInvalidated   Kind = 74 // what was shown of an operation does not hold any more
	LabelSet          Kind = 75 // a node has set a label of the run
	MessageSent       Kind = 80 // a message that the run got from outside
	MessageAwaited    Kind = 81 // a call waits for a message
	MessageReplied    Kind = 82 // a message is answered, or refused
	Definition        Kind = 90 // the text of a definition, in a journal of its own
)

var kindNames = map[Kind]string{
	RunStarted: "run.started", RunPaused: "run.paused", RunResumed: "run.resumed", RunFinished: "run.finished",
	RunBlocked: "run.blocked", RunHeld: "run.held", RunReleased: "run.released", RunUndoing: "run.undoing",
	NodeStarted: "node.started", NodeFinished: "node.finished", NodeRetrying: "node.retrying",
	NodeFailed: "node.failed", NodeSkipped: "node.skipped", NodeCached: "node.cached",
	NodeSuspended: "node.suspended", NodeHeartbeat: "node.heartbeat", RouteTaken: "route.taken",
	StepStarted: "step.started", StepFinished: "step.finished", TimerSet: "timer.set", TimerFired: "timer.fired",
	InterruptOpened: "interrupt", InterruptUpdated: "interrupt.updated", InterruptResolved: "interrupt.resolved",
	TextStart: "text.start", TextDelta: "text.delta", TextEnd: "text.end",
	Message: "message", Status: "status", Diagnostic: "diagnostic", StructuredData: "structured-data",
	DataInvalidated: "structured-data.invalidated",
	MessageSent:     "message.sent", MessageAwaited: "message.awaited", MessageReplied: "message.replied",
	LabelSet: "label.set", Definition: "definition",
}

// String is the kind's name, the type of its event: "node.finished".
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// CarriesState reports whether entries of this kind record values of tokens, and not results of calls.
func (k Kind) CarriesState() bool {
	switch k {
	case NodeStarted, NodeFinished, NodeCached, RunStarted, RouteTaken, NodeFailed, RunFinished, RunResumed:
		return true
	}
	return false
}

// Flags of an entry.
const (
	FlagFinal   uint8 = 1 << iota // a failure that no retry follows
	FlagCatch                     // a route taken because the node failed
	FlagExpired                   // a route taken because a deadline passed
	FlagBase                      // the entry has a value that is stored against Base
	FlagItem                      // a route taken because an item of a map failed that keeps failures
	FlagApart                     // a call that was made in a goroutine that its node had started: it has no place in an order (law N3)
)

// Entry is one durable fact. Which fields a kind uses is said beside its body type; unused ones are zero.
type Entry struct {
	Seq     uint64 // its number in the run, from 1
	At      int64  // when, in microseconds since 1970 UTC
	Kind    Kind
	Flags   uint8
	Attempt uint16 // which try of the task, from 1
	Visit   uint32 // which visit of Node, from 1: Node and Visit are the task
	Node    string // path of the node, "inner/review"; "" for facts of the run
	Op      string // identity of a step or stream within the task; id of an interrupt
	To      string // target of a route: a node's path, or one of node.End and node.Stop
	Base    uint64 // NodeStarted: seq of the entry whose value the task is given, unless it holds one. With FlagBase: seq of the value that Value is a delta of
	Value   []byte // a value as JSON; with FlagBase a delta (see Diff), empty for no change
	Body    []byte // further fields as JSON, by kind
}

// Time is At as a time.
func (e *Entry) Time() time.Time { return time.UnixMicro(e.At).UTC() }

// HasValue reports whether the entry records a value, whole or as a delta.
func (e *Entry) HasValue() bool { return e.Flags&FlagBase != 0 || len(e.Value) > 0 }

// StartedBody is the body of RunStarted. The input is the entry's Value.
type StartedBody struct {
	Plan        string            `json:"plan"`                  // its name
	PlanVersion string            `json:"planVersion,omitempty"` // as its author counts
	PlanKind    string            `json:"planKind,omitempty"`    // graph, dataflow, recipe, …
	Fingerprint string            `json:"fingerprint"`           // of the plan (law J8)
	Definition  string            `json:"definition,omitempty"`  // digest of the stored definition that it was made from
	By          string            `json:"by,omitempty"`          // who started the run
	Labels      map[string]string `json:"labels,omitempty"`      // what the run is found by (law J13)
	Inputs      []string          `json:"inputs,omitempty"`      // of a dataflow: the values that were given
	Fork        *Origin           `json:"fork,omitempty"`        // where a fork comes from; nil for a run of its own
	Until       int64             `json:"until,omitempty"`       // the run's deadline (law F9), microseconds; 0 for none
	Within      int64             `json:"within,omitempty"`      // how long that was after the start, microseconds
	Breaks      *Breaks           `json:"breaks,omitempty"`      // the run's breakpoints (law J19); nil for none
	Debounced   bool              `json:"debounced,omitempty"`   // later starts with its key replace the input until the run begins (law J21)

	Turn // which worker takes the run, and when
}

// Origin is the run that a fork comes from.
//
// The first entries of a fork are those of Run up to Seq, with ids of interrupts of its own.
type Origin struct {
	Run string `json:"run"`
	Seq uint64 `json:"seq"`
	By  string `json:"by,omitempty"` // who forked
}

// ResumedBody is the body of RunResumed. A fork may edit values, and a migration convert them: for each there is an entry
// with the new one as its Value, a delta of the value at Base.
type ResumedBody struct {
	Reason      string            `json:"reason"` // answer, message, timer, release, recovered, retry, replan, fork, breakpoints, replaced
	By          string            `json:"by,omitempty"`
	Fingerprint string            `json:"fingerprint,omitempty"` // replan, fork: the plan the run goes on with
	Definition  string            `json:"definition,omitempty"`
	Nodes       map[string]string `json:"nodes,omitempty"`    // replan, fork: where nodes of the old plan are in the new one, by path
	Values      map[string]string `json:"values,omitempty"`   // replan, fork: new names of values, by their old ones
	Again       []string          `json:"again,omitempty"`    // fork: ids of the interrupts whose answers are dropped
	Of          string            `json:"of,omitempty"`       // fork: the task or node whose value alone was edited
	Takeover    bool              `json:"takeover,omitempty"` // recovered: from a driver that was lost
	Lost        []string          `json:"lost,omitempty"`     // takeover: the tasks that were at work then
	Breaks      *Breaks           `json:"breaks,omitempty"`   // other breakpoints from here on; a fork has no others (law J19)
	Until       int64             `json:"until,omitempty"`    // retry, fork, replaced: a new deadline of the run (law F9), microseconds
	// Replaced: what the later start brings beside its input, which is the Value in place of that of the entry Base (law J21).
	Labels    map[string]string `json:"labels,omitempty"`    // the run's labels from here on
	NotBefore int64             `json:"notBefore,omitempty"` // no worker takes it earlier, microseconds
}

// BlockedBody is the body of RunBlocked: why the run cannot be driven on now. A RunResumed continues it.
type BlockedBody struct {
	Code      string   `json:"code"` // diverged, plan_changed, takeovers
	Error     string   `json:"error"`
	Task      string   `json:"task,omitempty"`      // the task that it is about
	Tasks     []string `json:"tasks,omitempty"`     // takeovers: the tasks that were at work when the driver was lost
	Takeovers int      `json:"takeovers,omitempty"` // takeovers: how often that was, since the run last got further
	RetryAt   int64    `json:"retryAt,omitempty"`   // when it is tried again first, microseconds; 0: when it is retried by hand
}

// FinishedBody is the body of RunFinished. A completed run's output is the entry's Base: the seq of its last value.
type FinishedBody struct {
	Status string `json:"status"` // completed, failed, cancelled, expired, stuck
	Error  string `json:"error,omitempty"`
	Code   string `json:"code,omitempty"`   // of the error, as in FailedBody
	Marks  *Marks `json:"marks,omitempty"`  // of the error, as in FailedBody
	Task   string `json:"task,omitempty"`   // the task that failed the run
	Limit  string `json:"limit,omitempty"`  // the limit that was reached: tasks, time, until, tokens, cost
	Max    string `json:"max,omitempty"`    // what the limit is
	Reason string `json:"reason,omitempty"` // why it was cancelled, what it is stuck on, or why the limit
	By     string `json:"by,omitempty"`

	Stuck []StuckNode `json:"stuck,omitempty"` // of a dataflow that is stuck

	Undone []string    `json:"undone,omitempty"` // tasks and steps whose effects were undone, in that order (law F10)
	Left   []NotUndone `json:"left,omitempty"`   // those whose undo failed
}

// NotUndone is the failure of an undo (law F10).
type NotUndone struct {
	Of    string `json:"of"`    // the task, or the task and its step, whose effect is left
	Task  string `json:"task"`  // the task of the undo, which has failed for good
	Error string `json:"error"` // its failure
}

// BeginBody is the body of NodeStarted where the plan alone does not say which tokens the task takes.
//
// That is where branches meet. The entry then holds their merged value, if they could be merged. In a dataflow it says
// which values the task was given, and what it was begun for.
type BeginBody struct {
	From []uint64          `json:"from,omitempty"` // seqs of the entries that sent the tokens, in the order of their branches
	In   map[string]uint64 `json:"in,omitempty"`   // by name: the entry that wrote the value
	Took uint64            `json:"took,omitempty"` // the decision that began a round with it
	Undo string            `json:"undo,omitempty"` // of an undo: the task, or the task and its step, that it undoes; Base is the entry of its outcome
}

// SkippedBody is the body of NodeSkipped, of a node in a dataflow.
//
// The node was not chosen, or needs a value that therefore never came.
type SkippedBody struct {
	Reason string `json:"reason"`
}

// StuckNode is a node of a dataflow that could not run.
type StuckNode struct {
	Node   string   `json:"node"`             // its path
	Needs  []string `json:"needs,omitempty"`  // values that it waits for
	Reason string   `json:"reason,omitempty"` // why they do not come
}

// RouteBody is the body of RouteTaken where there is more to say than To.
type RouteBody struct {
	To   []string `json:"to,omitempty"`   // all targets of a gate that chose several, in declared order
	Item int      `json:"item,omitempty"` // the entry's value is the input of this item of a map, from 1
	Of   int      `json:"of,omitempty"`   // how many items there are
}

// FailedBody is the body of NodeRetrying and NodeFailed.
type FailedBody struct {
	Error   string `json:"error"`
	Code    string `json:"code,omitempty"`    // expired, panic, timeout, invalid_route, limit, terminal, …
	RetryAt int64  `json:"retryAt,omitempty"` // NodeRetrying: when the next attempt starts, microseconds
	Stack   string `json:"stack,omitempty"`
	Marks   *Marks `json:"marks,omitempty"` // where Code does not say everything
}

// Marks are what is known of an error beside its text (law F8).
type Marks struct {
	// Kinds are the codes of the documented errors that errors.Is finds in it: model.rate_limited, timeout, …
	Kinds []string `json:"kinds,omitempty"`
	// Details are the fields of the documented types that errors.As finds in it, by the name of the type.
	Details map[string]json.RawMessage `json:"details,omitempty"`
}

// StepBody is the body of StepFinished where the step failed, or has a usage or a shape. Other successes have only the entry's
// Value. A call of a model that failed may have a Value as well: what more is known of the failure.
type StepBody struct {
	Error      string `json:"error,omitempty"`
	Terminal   bool   `json:"terminal,omitempty"`   // no further attempt can change it
	RetryAfter int64  `json:"retryAfter,omitempty"` // how long to wait before the next attempt, microseconds
	Marks      *Marks `json:"marks,omitempty"`      // what else is known of the error
	Usage      *Usage `json:"usage,omitempty"`
	Shape      string `json:"shape,omitempty"`  // of a reasoning with a schema of its author's: which JSON the type reads that its answer was read as
	CallID     string `json:"callId,omitempty"` // of a tool: the model's id of the call
	Name       string `json:"name,omitempty"`   // of a tool
	Undo       string `json:"undo,omitempty"`   // the node that undoes it where the run ends without success (law F10)
}

// ToolBody is the body of StepStarted of a tool that a model has called. Its outcome is a StepFinished, whose Value is
// what the model is told.
type ToolBody struct {
	CallID    string          `json:"callId"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Once      bool            `json:"once,omitempty"` // it must not happen twice (law J5)
}

// DataBody is the body of StructuredData, whose Value is the data.
type DataBody struct {
	DataType      string `json:"dataType"`
	Mode          string `json:"mode"` // final
	SchemaID      string `json:"schemaId,omitempty"`
	SchemaVersion string `json:"schemaVersion,omitempty"`
	Shape         string `json:"shape,omitempty"` // as in StepBody
}

// InvalidatedBody is the body of DataInvalidated: data that was shown does not hold.
//
// That is the data of the segment; without one, of all segments that are not at their end. They are those of the call
// that the entry belongs to; without one, of its task.
type InvalidatedBody struct {
	SegmentID string `json:"segmentId,omitempty"`
	Reason    string `json:"reason"` // repair, turn, restart, retry, failure
}

// CachedBody is the body of NodeCached: the task whose outcome was taken (law D13).
//
// NodeCached stands instead of NodeFinished.
type CachedBody struct {
	Run  string `json:"run"`  // of that task
	Task string `json:"task"` // its id
	At   int64  `json:"at"`   // when that task had it, microseconds
}

// LabelBody is the body of LabelSet (law J13).
type LabelBody struct {
	Key   string `json:"key"`
	Label string `json:"label,omitempty"` // its value; "" takes the label away
}

// TimerBody is the body of TimerSet.
type TimerBody struct {
	Due int64 `json:"due"` // microseconds
}

// RunRow is the projection of a run.
type RunRow struct {
	ID          string // of the run
	Plan        string // the name of its plan
	Kind        string // the plan's kind: graph, recipe; "definition" for a stored definition
	Fingerprint string // of its plan (law J8)
	Definition  string // digest of the definition it runs, "" for none
	Status      string // running, paused, blocked, completed, failed, cancelled, expired, stuck
	Error       string // why it did not complete, or is blocked; of a run that is wanted, why nobody has taken it
	Head        uint64 // filled by the store: the last seq
	Created     int64  // when it was, microseconds
	Updated     int64  // when it was last written, microseconds
	Waiting     int    // how many interrupts are open
	Driver      string // its owner, see Leaser; "" for none
	Ready       bool   // it can continue, and has no owner that knows: a question was answered from outside

	Labels map[string]string // what the run is found by (law J13); never changed in place

	Turn // which worker takes the run, and when
}

// Wanted reports whether the run needs an owner.
func (r *RunRow) Wanted() bool { return r.Status == "running" || r.Status == "paused" && r.Ready }

// Ended reports whether the run has come to its end, so that no timer of it matters any more.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (r *RunRow) Ended() bool {
	return r.Status != "running" && r.Status != "paused" && r.Status != "blocked"
}

// Timer is the projection of a pending timer: a sleep, a backoff or a deadline.
type Timer struct {
	Run  string // the run that waits for it
	ID   string // unique within the run
	Due  int64  // microseconds
	Done bool   // in a Batch: remove it
}
