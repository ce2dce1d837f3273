package history

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// At is a point in a run: its state when the entry with this seq was stored.
type At struct {
	Run string `json:"run"` // id of the run
	Seq uint64 `json:"seq"` // 0 is the end
}

// Difference is what differs between two points, of two runs or of one.
type Difference struct {
	A Side `json:"a"` // the first point
	B Side `json:"b"` // the second point
	// Common is the seq up to which both agree, except for times and ids.
	Common  uint64             `json:"common"`
	Answers []AnswerDifference `json:"answers"` // in the order of the questions
	Tasks   []TaskDifference   `json:"tasks"`   // in the order of their start
	State   []Change           `json:"state"`   // of the last recorded value
	Output  []Change           `json:"output"`  // of results that the plan makes itself
}

// Side is one of two points that are compared.
type Side struct {
	At
	Plan   string          `json:"plan"`            // name of the run's plan
	Status runtype.Status  `json:"status"`          // of the run at that point
	Error  string          `json:"error,omitempty"` // of the run; "" for none
	Fork   *journal.Origin `json:"fork,omitempty"`  // origin of a fork; nil for none
}

// TaskDifference is a task that differs, or that only one side has.
type TaskDifference struct {
	Task   string       `json:"task"`             // id of the task
	A      *TaskSummary `json:"a,omitempty"`      // nil: it does not exist there
	B      *TaskSummary `json:"b,omitempty"`      // likewise
	Output []Change     `json:"output,omitempty"` // of its outputs, if both finished
}

// TaskSummary is the state of a task.
type TaskSummary struct {
	State    string `json:"state"`           // open, waiting, retrying, finished, failed
	Attempts int    `json:"attempts"`        // number of attempts
	Route    string `json:"route,omitempty"` // its choice: a node's path, END, Stop
	Error    string `json:"error,omitempty"` // of its last attempt; "" for none
}

// AnswerDifference is a question whose answers differ.
type AnswerDifference struct {
	Task   string         `json:"task"`             // id of the asking task
	Op     string         `json:"op"`               // identity of the call that asked
	Prompt string         `json:"prompt,omitempty"` // of the question
	A      *AnswerSummary `json:"a,omitempty"`      // nil: it was not asked
	B      *AnswerSummary `json:"b,omitempty"`      // likewise
}

// AnswerSummary is the state of a question.
type AnswerSummary struct {
	State  string          `json:"state"`            // open, claimed, answered, expired, withdrawn
	Answer json.RawMessage `json:"answer,omitempty"` // nil for none
	By     string          `json:"by,omitempty"`     // id of the person
}

// Change is a place in a JSON value where two values differ.
type Change struct {
	Path string          `json:"path"`          // a JSON Pointer; "" is the whole value
	Old  json.RawMessage `json:"old,omitempty"` // nil: the place does not exist
	New  json.RawMessage `json:"new,omitempty"` // likewise
}

// Same reports whether nothing differs except times, ids and owners.
func (d *Difference) Same() bool {
	return d.A.Status == d.B.Status && d.A.Error == d.B.Error && len(d.Answers)+len(d.Tasks)+len(d.State)+len(d.Output) == 0
}

// Diff compares two points: two runs, or two seqs of one run. It needs no plans, and they may differ.
func (h *History) Diff(ctx context.Context, a, b At) (*Difference, error) {
	x, err := h.look(ctx, a)
	if err != nil {
		return nil, err
	}
	y, err := h.look(ctx, b)
	if err != nil {
		return nil, err
	}
	return differ(x, y)
}

// differ compares two sights.
func differ(x, y *sight) (d *Difference, err error) {
	d = &Difference{A: x.side, B: y.side, Answers: []AnswerDifference{}, Tasks: []TaskDifference{}, State: []Change{}, Output: []Change{}}
	for int(d.Common) < min(len(x.facts), len(y.facts)) && x.facts[d.Common] == y.facts[d.Common] {
		d.Common++
	}
	d.answers(x, y)
	if err := d.tasks(x, y); err != nil {
		return nil, err
	}
	if d.State, err = x.changes(y, x.state, y.state); err != nil {
		return nil, err
	}
	if x.output != 0 && y.output != 0 {
		if d.Output, err = x.changes(y, x.output, y.output); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *Difference) answers(x, y *sight) {
	for _, id := range both(x.asked, y.asked) {
		a, b := x.questions[id], y.questions[id]
		if a != nil && b != nil && a.State == b.State && (string(a.Answer) == string(b.Answer) || question.SameJSON(a.Answer, b.Answer)) {
			continue
		}
		task, op, _ := strings.Cut(id, " ")
		d.Answers = append(d.Answers, AnswerDifference{Task: task, Op: op, Prompt: x.prompts[id] + y.only(x, id), A: a, B: b})
	}
}

// only returns the prompt of a question that the other run has not asked.
func (x *sight) only(other *sight, id string) string {
	if other.questions[id] != nil {
		return ""
	}
	return x.prompts[id]
}

func (d *Difference) tasks(x, y *sight) error {
	for _, id := range both(x.started, y.started) {
		diff := TaskDifference{Task: id, A: x.tasks[id], B: y.tasks[id]}
		if diff.A != nil && diff.B != nil {
			var err error
			if x.outputs[id] != 0 && y.outputs[id] != 0 {
				if diff.Output, err = x.changes(y, x.outputs[id], y.outputs[id]); err != nil {
					return err
				}
			}
			if *diff.A == *diff.B && len(diff.Output) == 0 {
				continue
			}
		}
		d.Tasks = append(d.Tasks, diff)
	}
	return nil
}

// both returns the names of two lists: the first in its order, then those that only the second has.
func both(a, b []string) []string {
	all := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(a, name) {
			all = append(all, name)
		}
	}
	return all
}

// sight is the state of a run at a seq, for comparison.
type sight struct {
	h         *History                  // reads the run
	side      Side                      // of the comparison
	facts     []string                  // entries, without parts that differ from run to run
	vals      runstate.Values           // recorded values
	state     uint64                    // seq of the last recorded value
	output    uint64                    // seq of the result; 0 for none
	started   []string                  // ids of tasks, in the order of their start
	tasks     map[string]*TaskSummary   // by id
	outputs   map[string]uint64         // by task id: seq of its output
	inputs    map[string]uint64         // by task id: seq of its input
	asked     []string                  // "review#1 interrupt:ok#1", in order
	questions map[string]*AnswerSummary // by question, as in asked
	prompts   map[string]string         // by question, as in asked
	ids       map[string]string         // question by interrupt id
}

// look reads a run up to a seq.
func (h *History) look(ctx context.Context, at At) (*sight, error) {
	return h.lookAt(at, h.Store.Read(ctx, at.Run, 0))
}

// lookAt is look for entries that were read.
func (h *History) lookAt(at At, entries iter.Seq2[journal.Entry, error]) (*sight, error) {
	x := &sight{
		h: h, side: Side{At: at}, tasks: make(map[string]*TaskSummary), outputs: make(map[string]uint64), inputs: make(map[string]uint64),
		questions: make(map[string]*AnswerSummary), prompts: make(map[string]string), ids: make(map[string]string),
	}
	head := uint64(0)
	for e, err := range entries {
		if err != nil {
			return nil, h.StoreError(at.Run, err)
		}
		if e.Kind == journal.Definition {
			return nil, &runtype.Error{Code: runtype.CodeNotFound, Run: at.Run, Err: runtype.ErrNotFound}
		}
		if head = e.Seq; at.Seq != 0 && e.Seq > at.Seq {
			continue
		}
		if err := x.see(&e); err != nil {
			return nil, h.ReplayError(at.Run, e.Seq, err)
		}
	}
	switch {
	case head == 0:
		return nil, &runtype.Error{Code: runtype.CodeNotFound, Run: at.Run, Err: runtype.ErrNotFound}
	case at.Seq > head:
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: at.Run, Err: fmt.Errorf("expected a seq from 1 to %d, found %d", head, at.Seq)}
	case at.Seq == 0:
		x.side.Seq = head
	}
	return x, nil
}

// see records an entry.
func (x *sight) see(e *journal.Entry) error {
	x.vals.Note(e)
	if e.HasValue() && e.Kind.CarriesState() && e.Kind != journal.RunFinished {
		x.state = e.Seq
	}
	if err := x.seeRun(e); err != nil {
		return err
	}
	if e.Node != "" {
		if err := x.seeTask(e); err != nil {
			return err
		}
	}
	if err := x.seeQuestion(e); err != nil {
		return err
	}
	fact, err := x.fact(e)
	x.facts = append(x.facts, fact)
	return err
}

func (x *sight) seeRun(e *journal.Entry) error {
	switch e.Kind {
	case journal.RunStarted:
		x.side.Status = runtype.Running
		return read(e, func(b *journal.StartedBody) { x.side.Plan, x.side.Fork = b.Plan, b.Fork })
	case journal.RunPaused:
		x.side.Status = runtype.Paused
	case journal.RunBlocked:
		return read(e, func(b *journal.BlockedBody) { x.side.Status, x.side.Error = runtype.Blocked, b.Error })
	case journal.RunResumed:
		x.side.Status, x.side.Error = runtype.Running, ""
	case journal.RunUndoing:
		x.side.Status = runtype.Running
		return read(e, func(b *journal.FinishedBody) { x.side.Error = machine.UndoText(b) })
	case journal.RunFinished:
		if x.output = 0; e.HasValue() {
			x.output = e.Seq
		}
		if e.Base != 0 {
			x.state = e.Base
		}
		return read(e, func(b *journal.FinishedBody) {
			x.side.Status = runtype.Status(b.Status)
			if x.side.Status != runtype.Completed {
				x.side.Error = runstate.FinishedText(*b)
			}
		})
	default:
	}
	return nil
}

func (x *sight) seeTask(e *journal.Entry) error {
	id := runstate.TaskName(e)
	t := x.tasks[id]
	if e.Kind == journal.NodeStarted {
		if t == nil {
			t = &TaskSummary{}
			x.tasks[id], x.started = t, append(x.started, id)
		}
		t.State, t.Attempts, t.Error = "open", int(e.Attempt), ""
		x.inputs[id] = e.Base
	}
	if t == nil {
		return nil // the task had another name then
	}
	switch e.Kind {
	case journal.NodeSuspended:
		t.State = "waiting"
	case journal.InterruptResolved, journal.TimerFired:
		if t.State == "waiting" {
			t.State = "open"
		}
	case journal.NodeFinished:
		t.State = "finished"
		if x.outputs[id] = x.inputs[id]; e.HasValue() {
			x.outputs[id] = e.Seq
		}
	case journal.RouteTaken:
		t.Route = runtype.Display(e.To)
	case journal.NodeRetrying, journal.NodeFailed:
		if t.State = "retrying"; e.Kind == journal.NodeFailed {
			t.State = "failed"
		}
		return read(e, func(b *journal.FailedBody) { t.Error = b.Error })
	default:
	}
	return nil
}

func (x *sight) seeQuestion(e *journal.Entry) error {
	q := x.questions[x.ids[e.Op]]
	switch e.Kind {
	case journal.InterruptOpened:
		return read(e, func(b *journal.Interrupt) {
			id := b.Task + " " + b.Op
			x.ids[e.Op], x.prompts[id] = id, b.Prompt
			if x.questions[id] == nil {
				x.asked = append(x.asked, id)
			}
			x.questions[id] = &AnswerSummary{State: journal.Open}
		})
	case journal.InterruptUpdated:
		return read(e, func(b *journal.UpdatedBody) {
			var now journal.Interrupt
			if b.Update(&now); q != nil {
				q.State = now.State
			}
		})
	case journal.InterruptResolved:
		return read(e, func(b *journal.ResolvedBody) {
			if q != nil {
				q.State, q.Answer, q.By = b.State, json.RawMessage(e.Value), b.By
			}
		})
	default:
	}
	return nil
}

// fact returns an entry without parts that differ from run to run: times, ids, tokens, stacks and owners.
func (x *sight) fact(e *journal.Entry) (string, error) {
	op, body := e.Op, e.Body
	if id := x.ids[op]; id != "" {
		op = id
	}
	var err error
	switch e.Kind {
	case journal.RunStarted:
		err = read(e, func(b *journal.StartedBody) { body = []byte(b.Plan + " " + b.Fingerprint) })
	case journal.RunResumed:
		err = read(e, func(b *journal.ResumedBody) { body = []byte(b.Reason + " " + b.Fingerprint) })
	case journal.InterruptOpened:
		err = read(e, func(b *journal.Interrupt) {
			b.ID, b.Run, b.TokenHash, b.Opened, b.Deadline = "", "", "", 0, 0
			body, _ = json.Marshal(b)
		})
	case journal.NodeFailed, journal.NodeRetrying:
		err = read(e, func(b *journal.FailedBody) { body = []byte(b.Code + " " + b.Error) })
	case journal.TimerSet, journal.InterruptUpdated, journal.MessageAwaited: // whose call names the message
		body = nil
	case journal.MessageReplied:
		err = read(e, func(b *journal.RepliedBody) { body = []byte(b.ID + " " + b.Error) })
	default:
	}
	return strings.Join([]string{
		e.Kind.String(), strconv.Itoa(int(e.Flags)), runstate.TaskName(e), strconv.Itoa(int(e.Attempt)), op, e.To,
		strconv.FormatUint(e.Base, 10), string(e.Value), string(body),
	}, "\x00"), err
}

// changes compares a value of one run with one of another.
func (x *sight) changes(y *sight, a, b uint64) ([]Change, error) {
	old, err := x.value(a)
	if err != nil {
		return nil, err
	}
	now, err := y.value(b)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(old, now) {
		return []Change{}, nil
	}
	return compareJSON(old, now)
}

func (x *sight) value(seq uint64) ([]byte, error) {
	data, err := x.vals.Whole(seq)
	if err != nil {
		return nil, x.h.ReplayError(x.side.Run, seq, err)
	}
	return data, nil
}
