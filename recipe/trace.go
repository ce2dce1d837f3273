package recipe

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// The types of steps in a trace.
const (
	TraceInteraction = "interaction"    // a person was asked
	TraceSystem      = "system_event"   // the node calculated or chose
	TraceTool        = "tool_execution" // a program, a service or another recorded step was called
	TraceReasoning   = "reasoning"      // a language model was asked, and nothing else
	TraceError       = "error"          // it failed
)

// Trace is a projection of a run's journal: one step for each try of each node that it visited.
type Trace struct {
	TraceID string      `json:"trace_id"` // 32 hexadecimal digits, always the same for a run
	Run     string      `json:"run"`
	Recipe  string      `json:"recipe"`
	Outcome string      `json:"outcome"` // the run's status
	Steps   []TraceStep `json:"steps"`

	Messages []TraceMessage `json:"messages,omitempty"` // that no node has taken, the oldest first
}

// TraceMessage is a message that waits in the run, or that it ended without.
type TraceMessage struct {
	Seq       uint64    `json:"seq"` // of the entry that brought it
	Timestamp time.Time `json:"timestamp"`
	Name      string    `json:"name"`
	ID        string    `json:"id,omitempty"` // its sender's
	By        string    `json:"by,omitempty"` // who sent it
}

// TraceStep is one try of a node, or another event that moved the run. Other events are a skipped node, a change that
// let the run continue ("resume#1": a retry, a fork, another plan, a lost process), and an end of the run that no node
// caused ("run": a limit, a cancellation).
//
// One struct: trace.schema.json publishes its fields side by side.
type TraceStep struct {
	ID          string          `json:"step_id"` // the task, "review#2"; with "@2" for its second try
	Seq         uint64          `json:"seq"`     // of the entry that the step began with
	Timestamp   time.Time       `json:"timestamp"`
	Type        string          `json:"type"`
	Node        string          `json:"node_id,omitempty"`
	Inputs      json.RawMessage `json:"inputs,omitempty"`  // the blackboard that the node was given
	Outputs     json.RawMessage `json:"outputs,omitempty"` // what it put there, by name
	Route       string          `json:"route,omitempty"`   // the node that it led to, or several: "a, b"; END or STOP
	Thought     string          `json:"thought,omitempty"` // what a model showed of its reasoning
	Action      string          `json:"action,omitempty"`  // what was called, or the prompt that a person was shown
	Observation string          `json:"observation,omitempty"`
	People      []TraceDeed     `json:"people,omitempty"`    // what was done about its questions, in order
	Duration    float64         `json:"duration_ms"`         // waiting included; 0 for a step that is not done
	Waited      float64         `json:"waited_ms,omitempty"` // how much of that it waited: for people, for time, for a process that takes the run
	Error       string          `json:"error,omitempty"`
	Snapshot    json.RawMessage `json:"snapshot,omitempty"` // the blackboard after the node
}

// BuildTrace makes the trace of a run from what Runtime.Info and Runtime.History give.
func BuildTrace(info fermata.RunInfo, history iter.Seq2[fermata.Moment, error]) (*Trace, error) {
	id := sha256.Sum256([]byte(info.ID))
	b := traceBuilder{
		trace: &Trace{
			TraceID: hex.EncodeToString(id[:16]), Run: info.ID, Recipe: info.Plan, Outcome: info.Status, Steps: []TraceStep{},
		},
		open: make(map[string]int), prompted: make(map[string]bool), asked: make(map[string]int), questions: make(map[string]uint64), waits: make(map[int]time.Time),
	}
	for m, err := range history {
		if err != nil {
			return nil, err
		}
		if err := b.add(&m); err != nil {
			return nil, fmt.Errorf("run %s, seq %d: %w", info.ID, m.Entry.Seq, err)
		}
	}
	for _, m := range b.mail.Queued() {
		b.trace.Messages = append(b.trace.Messages, TraceMessage{m.Seq, time.UnixMicro(m.At).UTC(), m.Name, m.ID, m.By})
	}
	return b.trace, nil
}

// traceBuilder folds entries into steps.
type traceBuilder struct {
	trace     *Trace
	open      map[string]int    // task -> its last step
	asked     map[string]int    // interrupt -> the step that asked
	questions map[string]uint64 // interrupt -> seq of the entry that asked
	waits     map[int]time.Time // step -> since when it waits
	prompted  map[string]bool   // steps whose action ends with a prompt
	again     int               // how often the run was made to go on
	holds     int               // how often it was held
	mail      mailbox.Box       // which call has taken which message
	last      time.Time         // of the entry before
}

func (b *traceBuilder) add(m *fermata.Moment) error {
	e := &m.Entry
	defer b.takeMail(e)
	defer func() { b.last = e.Time() }()
	switch e.Kind {
	case journal.RunFinished:
		return b.finished(e)
	case journal.NodeStarted:
		b.started(m)
		return nil
	case journal.NodeSkipped:
		return b.skipped(e)
	case journal.RunResumed:
		return b.resumed(e)
	case journal.RunHeld, journal.RunReleased:
		return b.held(e)
	}
	s := b.step(e)
	if s == nil {
		return nil
	}
	b.clock(s, e)
	switch e.Kind {
	case journal.NodeCached:
		if err := s.cached(e); err != nil {
			return err
		}
		s.finished(b, m)
	case journal.NodeFinished:
		s.finished(b, m)
	case journal.NodeFailed, journal.NodeRetrying:
		body, err := bodyOf[journal.FailedBody](e)
		if err != nil {
			return err
		}
		b.done(s, e)
		s.Type, s.Error = TraceError, body.Error
		if body.RetryAt > e.At {
			s.observe("tries again at " + clockTime(body.RetryAt))
		}
	case journal.RouteTaken:
		return b.routed(s, e)
	case journal.StepFinished:
		return b.called(s, e)
	case journal.MessageAwaited:
		return b.awaits(s, e)
	case journal.MessageReplied:
		return s.replies(e)
	case journal.InterruptOpened:
		return b.asks(s, e)
	case journal.InterruptUpdated:
		return b.updated(s, e)
	case journal.InterruptResolved:
		return b.answered(s, e)
	case journal.Message, journal.Status:
		s.observe(string(e.Value))
	}
	return nil
}

func (b *traceBuilder) started(m *fermata.Moment) {
	e := &m.Entry
	id := node.TaskID(e.Node, int(e.Visit))
	task := id
	if e.Attempt > 1 {
		id += "@" + strconv.Itoa(int(e.Attempt))
	}
	b.open[task] = len(b.trace.Steps)
	b.trace.Steps = append(b.trace.Steps, TraceStep{
		ID: id, Seq: e.Seq, Timestamp: e.Time(), Type: TraceSystem, Node: e.Node, Inputs: m.Input,
	})
}

// step is the step that an entry belongs to; nil for none.
func (b *traceBuilder) step(e *journal.Entry) *TraceStep {
	i, ok := b.open[node.TaskID(e.Node, int(e.Visit))]
	if !ok {
		i, ok = b.asked[e.Op]
	}
	if !ok {
		return nil
	}
	return &b.trace.Steps[i]
}

// routed notes where a step led to: several nodes where a gate chose several. That an item of a map was made, or has
// failed, is no such thing.
func (b *traceBuilder) routed(s *TraceStep, e *journal.Entry) error {
	body, err := bodyOf[journal.RouteBody](e)
	if err != nil || body.Of > 0 || e.Flags&journal.FlagItem != 0 {
		return err
	}
	if e.Flags&journal.FlagExpired != 0 {
		b.done(s, e) // nothing else ends it
	}
	to := body.To
	if len(to) == 0 {
		to = []string{e.To}
	}
	s.Route = ""
	for _, name := range to {
		s.Route = strings.TrimPrefix(s.Route+", "+target(name), ", ")
	}
	return nil
}

// finished notes the outcome of a step.
func (s *TraceStep) finished(b *traceBuilder, m *fermata.Moment) {
	b.done(s, &m.Entry)
	s.Snapshot = m.Value
	if s.Snapshot == nil {
		s.Snapshot = s.Inputs
	}
	s.Outputs = changed(s.Inputs, s.Snapshot)
}

func (b *traceBuilder) done(s *TraceStep, e *journal.Entry) {
	if s.Duration == 0 {
		s.Duration = float64(e.Time().Sub(s.Timestamp).Microseconds()) / 1000
	}
}

// called notes a recorded step.
func (b *traceBuilder) called(s *TraceStep, e *journal.Entry) error {
	kind, key, _ := strings.Cut(e.Op, ":")
	switch nodehost.Kind(kind) {
	case nodehost.KindStep, nodehost.KindOnce, nodehost.KindModel, nodehost.KindTool:
	default:
		return nil
	}
	switch {
	case s.Type == TraceSystem && nodehost.Kind(kind) == nodehost.KindModel:
		s.Type = TraceReasoning
	case s.Type == TraceSystem || s.Type == TraceReasoning && nodehost.Kind(kind) != nodehost.KindModel:
		s.Type = TraceTool
	}
	name, between := calledAs(nodehost.Kind(kind), key), ", "
	if b.prompted[s.ID] { // the prompt has a line of its own
		between = "\n"
	}
	delete(b.prompted, s.ID)
	s.Action = strings.TrimPrefix(s.Action+between+name, ", ")
	switch nodehost.Kind(kind) {
	case nodehost.KindModel:
		s.modelReply(e.Value)
		return nil
	case nodehost.KindTool:
		return s.toolResult(name, e)
	default:
	}
	var made outcome
	if json.Unmarshal(e.Value, &made) == nil {
		s.observe(made.Stderr)
	}
	return nil
}

// calledAs is what a call is called where it is made. A call of a model by a reasoning is called like the reasoning.
func calledAs(kind nodehost.Kind, key string) string {
	if cut := strings.LastIndex(key, nodehost.Inside); kind == nodehost.KindModel && cut >= 0 && strings.HasPrefix(key, string(nodehost.KindReason)+":") {
		key = strings.TrimPrefix(key[:cut], string(nodehost.KindReason)+":")
	}
	name, _, _ := strings.Cut(key[strings.LastIndex(key, nodehost.Inside)+1:], "#")
	return name
}

func (s *TraceStep) observe(text string) {
	if text != "" {
		s.Observation = strings.TrimPrefix(s.Observation+"\n"+text, "\n")
	}
}

// finished adds the end of a run that failed for a reason of its own.
func (b *traceBuilder) finished(e *journal.Entry) error {
	body, err := bodyOf[journal.FinishedBody](e)
	if err != nil {
		return err
	}
	if body.Status == string(fermata.Completed) || body.Task != "" && b.failed(body.Task) {
		return nil
	}
	b.trace.Steps = append(b.trace.Steps, TraceStep{
		ID: "run", Seq: e.Seq, Timestamp: e.Time(), Type: TraceError, Error: strings.TrimSuffix(body.Status+": "+cmp.Or(body.Error, body.Reason), ": "),
	})
	return nil
}

// failed reports whether a task's last step says already that it failed.
func (b *traceBuilder) failed(task string) bool {
	i, ok := b.open[task]
	return ok && b.trace.Steps[i].Error != ""
}

// bodyOf reads the body of an entry; the zero value where it has none.
func bodyOf[T any](e *journal.Entry) (body T, err error) {
	if len(e.Body) > 0 {
		if err = json.Unmarshal(e.Body, &body); err != nil {
			err = fmt.Errorf("%w: the body of %s: %w", journal.ErrCorrupt, e.Kind, err)
		}
	}
	return body, err
}

func target(to string) string {
	switch to {
	case node.End:
		return "END"
	case node.Stop:
		return "STOP"
	}
	return to
}

// changed are the members of an object that were not there before, or were others.
func changed(before, after json.RawMessage) json.RawMessage {
	var old, now map[string]json.RawMessage
	if json.Unmarshal(after, &now) != nil {
		return after
	}
	if json.Unmarshal(before, &old) != nil {
		old = nil
	}
	made := make(map[string]json.RawMessage)
	for name, v := range now {
		if was, ok := old[name]; !ok || !bytes.Equal(was, v) {
			made[name] = v
		}
	}
	return encoded(made)
}
