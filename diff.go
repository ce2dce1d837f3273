package fermata

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/journal"
)

// At is a point in a run: what there was when the entry with this seq was stored.
type At struct {
	Run string `json:"run"`
	Seq uint64 `json:"seq"` // 0 is the end
}

// Difference is what two points have not in common, of two runs or of one.
type Difference struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// Common is the seq up to which both hold the same, times and ids aside.
	Common  uint64             `json:"common"`
	Answers []AnswerDifference `json:"answers"` // in the order in which they were asked
	Tasks   []TaskDifference   `json:"tasks"`   // in the order in which they started
	State   []Change           `json:"state"`   // of the value that was recorded last
	Output  []Change           `json:"output"`  // of the results, where the plan makes them itself
}

// Side is one of two points that are compared.
type Side struct {
	At
	Plan   string          `json:"plan"`
	Status Status          `json:"status"`
	Error  string          `json:"error,omitempty"`
	Fork   *journal.Origin `json:"fork,omitempty"` // where the run comes from, when it is a fork
}

// TaskDifference is a task that is not the same, or that only one of the two has.
type TaskDifference struct {
	Task   string       `json:"task"`
	A      *TaskSummary `json:"a,omitempty"` // nil: it was not there
	B      *TaskSummary `json:"b,omitempty"`
	Output []Change     `json:"output,omitempty"` // of the values that both have finished with
}

// TaskSummary is how a task stands.
type TaskSummary struct {
	State    string `json:"state"` // open, waiting, retrying, finished, failed
	Attempts int    `json:"attempts"`
	Route    string `json:"route,omitempty"` // what it chose: a node's path, END, Stop
	Error    string `json:"error,omitempty"`
}

// AnswerDifference is a question that was not answered alike.
type AnswerDifference struct {
	Task   string         `json:"task"`
	Op     string         `json:"op"` // identity of the call that asked
	Prompt string         `json:"prompt,omitempty"`
	A      *AnswerSummary `json:"a,omitempty"` // nil: it was not asked
	B      *AnswerSummary `json:"b,omitempty"`
}

// AnswerSummary is how a question stands.
type AnswerSummary struct {
	State  string          `json:"state"` // open, claimed, answered, expired, withdrawn
	Answer json.RawMessage `json:"answer,omitempty"`
	By     string          `json:"by,omitempty"`
}

// Change is a place in a JSON value where two values differ.
type Change struct {
	Path string          `json:"path"` // a JSON Pointer; "" is the whole value
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"` // nil, as Old: there is nothing at that place
}

// Same reports whether nothing differs but times, ids and who drove.
func (d *Difference) Same() bool {
	return d.A.Status == d.B.Status && d.A.Error == d.B.Error && len(d.Answers)+len(d.Tasks)+len(d.State)+len(d.Output) == 0
}

// Diff compares two points: two runs, or two seqs of one run. Their plans need not be the same, and are not needed.
func (rt *Runtime) Diff(ctx context.Context, a, b At) (*Difference, error) {
	x, err := rt.look(ctx, a)
	if err != nil {
		return nil, err
	}
	y, err := rt.look(ctx, b)
	if err != nil {
		return nil, err
	}
	d := &Difference{A: x.side, B: y.side, Answers: []AnswerDifference{}, Tasks: []TaskDifference{}, State: []Change{}, Output: []Change{}}
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
		if a != nil && b != nil && a.State == b.State && (string(a.Answer) == string(b.Answer) || sameJSON(a.Answer, b.Answer)) {
			continue
		}
		task, op, _ := strings.Cut(id, " ")
		d.Answers = append(d.Answers, AnswerDifference{Task: task, Op: op, Prompt: x.prompts[id] + y.only(x, id), A: a, B: b})
	}
}

// only is a question's prompt where the other run has not asked it.
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

// both are the names of two lists, those of the first in its order, and then those that only the second has.
func both(a, b []string) []string {
	all := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(a, name) {
			all = append(all, name)
		}
	}
	return all
}

// sight is what a journal says of a run up to a seq.
type sight struct {
	rt        *Runtime
	side      Side
	facts     []string // entries, without what differs from run to run
	vals      values
	state     uint64 // seq of the value that was recorded last
	output    uint64
	started   []string
	tasks     map[string]*TaskSummary
	outputs   map[string]uint64 // task -> seq of what it finished with
	inputs    map[string]uint64
	asked     []string // "review#1 interrupt:ok#1"
	questions map[string]*AnswerSummary
	prompts   map[string]string
	ids       map[string]string // interrupt -> question
}

// look reads a run up to a seq.
func (rt *Runtime) look(ctx context.Context, at At) (*sight, error) {
	x := &sight{
		rt: rt, side: Side{At: at}, tasks: make(map[string]*TaskSummary), outputs: make(map[string]uint64), inputs: make(map[string]uint64),
		questions: make(map[string]*AnswerSummary), prompts: make(map[string]string), ids: make(map[string]string),
	}
	head := uint64(0)
	for e, err := range rt.store.Read(ctx, at.Run, 0) {
		if err != nil {
			return nil, rt.storeError(at.Run, err)
		}
		if e.Kind == journal.Definition {
			return nil, &Error{Code: CodeNotFound, Run: at.Run, Err: ErrNotFound}
		}
		if head = e.Seq; at.Seq != 0 && e.Seq > at.Seq {
			continue
		}
		if err := x.see(&e); err != nil {
			return nil, rt.replayError(at.Run, e.Seq, err)
		}
	}
	switch {
	case head == 0:
		return nil, &Error{Code: CodeNotFound, Run: at.Run, Err: ErrNotFound}
	case at.Seq > head:
		return nil, &Error{Code: CodeInvalid, Run: at.Run, Err: fmt.Errorf("expected a seq from 1 to %d, found %d", head, at.Seq)}
	case at.Seq == 0:
		x.side.Seq = head
	}
	return x, nil
}

// see takes an entry in.
func (x *sight) see(e *journal.Entry) error {
	x.vals.note(e)
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
		x.side.Status = Running
		return read(e, func(b *journal.StartedBody) { x.side.Plan, x.side.Fork = b.Plan, b.Fork })
	case journal.RunPaused:
		x.side.Status = Paused
	case journal.RunBlocked:
		return read(e, func(b *journal.BlockedBody) { x.side.Status, x.side.Error = Blocked, b.Error })
	case journal.RunResumed:
		x.side.Status, x.side.Error = Running, ""
	case journal.RunFinished:
		if x.output = 0; e.HasValue() {
			x.output = e.Seq
		}
		if e.Base != 0 {
			x.state = e.Base
		}
		return read(e, func(b *journal.FinishedBody) {
			x.side.Status = Status(b.Status)
			if x.side.Status != Completed {
				x.side.Error = finishedText(*b)
			}
		})
	default:
	}
	return nil
}

func (x *sight) seeTask(e *journal.Entry) error {
	id := taskName(e)
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
		return nil // a question of a task whose name was another
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
		t.Route = display(e.To)
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

// fact is an entry without what differs from run to run: times, ids, tokens, stacks, and who drove.
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
	case journal.TimerSet, journal.InterruptUpdated:
		body = nil
	default:
	}
	return strings.Join([]string{
		e.Kind.String(), strconv.Itoa(int(e.Flags)), taskName(e), strconv.Itoa(int(e.Attempt)), op, e.To,
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
	data, err := x.vals.whole(seq)
	if err != nil {
		return nil, x.rt.replayError(x.side.Run, seq, err)
	}
	return data, nil
}
