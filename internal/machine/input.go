package machine

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Reasons for which a run goes on.
const (
	ReasonAnswer    = "answer"
	ReasonTimer     = "timer"
	ReasonRecovered = "recovered" // its driver was lost
	ReasonRetry     = "retry"
	ReasonReplan    = "replan"
	ReasonFork      = "fork"
)

// Value is a value as the journal keeps it: whole, or as what changed since the value of another entry.
type Value struct {
	Changed bool
	Delta   bool
	Base    uint64
	Data    []byte
}

func (v Value) put(e *journal.Entry) {
	if !v.Changed {
		return
	}
	e.Value = v.Data
	if v.Delta {
		e.Flags |= journal.FlagBase
		e.Base = v.Base
	}
}

// entry makes room for the next entry. It is filled in place and folded by commit.
func (m *Machine) entry(kind journal.Kind, at int64) *journal.Entry {
	n := len(m.out)
	if n < cap(m.out) {
		m.out = m.out[:n+1]
	} else {
		m.out = append(m.out, journal.Entry{})
	}
	e := &m.out[n]
	*e = journal.Entry{Seq: m.head + 1, At: at, Kind: kind}
	return e
}

// applyBody encodes a body into its entry and folds the entry without decoding it again.
func (m *Machine) applyBody(e *journal.Entry, at int, t *Task, body any) error {
	e.Body, m.hint = encode(body), body
	err := m.apply(e, at, t)
	m.hint = nil
	return err
}

func (m *Machine) taskEntry(kind journal.Kind, t *Task, at int64) *journal.Entry {
	e := m.entry(kind, at)
	e.Node, e.Visit, e.Attempt = m.Path(t.Node), t.Visit, t.Attempt
	return e
}

// Begin starts the run with its input.
func (m *Machine) Begin(at int64, body journal.StartedBody, input []byte) error {
	e := m.entry(journal.RunStarted, at)
	e.Value = input
	return m.applyBody(e, -1, nil, body)
}

// Finish takes the outcome of a task whose function has returned. A gate's choice is the name of a declared target
// or one of node.End and node.Stop; other nodes have none.
func (m *Machine) Finish(at int64, t *Task, v Value, choice string) error {
	target := ""
	if m.flat[t.Node].Route != nil {
		var err error
		if target, err = m.resolve(m.flat[t.Node].Choices, t, choice); err != nil {
			return err
		}
	}
	t.busy = false
	e := m.taskEntry(journal.NodeFinished, t, at)
	v.put(e)
	if err := m.apply(e, t.Node, t); err != nil || target == "" {
		return err
	}
	route := m.taskEntry(journal.RouteTaken, t, at)
	route.To = target
	return m.apply(route, t.Node, t)
}

// resolve turns the name that a gate chose into the path of the node that it means (law F7).
func (m *Machine) resolve(declared []plan.Target, t *Task, name string) (string, error) {
	target, ok := plan.Find(declared, name)
	switch {
	case !ok:
		return "", fmt.Errorf("task %s: target %q is not declared", m.TaskID(t), name)
	case target.Index < 0:
		return name, nil
	}
	return m.flat[target.Index].Path, nil
}

// Entered takes the input of a subgraph and puts a token at its first node (law G6).
func (m *Machine) Entered(at int64, t *Task, v Value) error {
	t.busy = false
	e := m.taskEntry(journal.RouteTaken, t, at)
	e.To = m.flat[m.flat[t.Node].Entry].Path
	v.put(e)
	return m.apply(e, t.Node, t)
}

// Retry records that an attempt failed and when the next one starts (law F1).
func (m *Machine) Retry(at int64, t *Task, failure journal.FailedBody) error {
	t.busy = false
	e := m.taskEntry(journal.NodeRetrying, t, at)
	return m.applyBody(e, t.Node, t, failure)
}

// Fail records that a task failed for good. The target is where its failure goes: the name of a declared target of
// its failure edges, or "" when the run or the enclosing subgraph has to deal with it (law F1). The value is the
// state that the node returned with its error.
func (m *Machine) Fail(at int64, t *Task, failure journal.FailedBody, v Value, target string) error {
	to := ""
	if target != "" {
		var err error
		if to, err = m.resolve(m.flat[t.Node].Failures, t, target); err != nil {
			return err
		}
	}
	t.busy = false
	e := m.taskEntry(journal.NodeFailed, t, at)
	e.Flags = journal.FlagFinal
	v.put(e)
	if err := m.applyBody(e, t.Node, t, failure); err != nil || target == "" {
		return err
	}
	route := m.taskEntry(journal.RouteTaken, t, at)
	route.Flags, route.To = journal.FlagCatch, to
	return m.apply(route, t.Node, t)
}

// Suspend records that a task waits for one of its calls (law N1).
func (m *Machine) Suspend(at int64, t *Task, op string) error {
	t.busy = false
	e := m.taskEntry(journal.NodeSuspended, t, at)
	e.Op = op
	return m.apply(e, t.Node, t)
}

// Record stores a call of a task: kind is one of StepStarted, StepFinished, TimerSet, TextEnd and the kinds that
// nodes emit.
func (m *Machine) Record(at int64, t *Task, kind journal.Kind, op string, value, body []byte) error {
	e := m.taskEntry(kind, t, at)
	e.Op, e.Value, e.Body = op, value, body
	return m.apply(e, t.Node, t)
}

// Ask opens a question of a task (law H1).
func (m *Machine) Ask(at int64, t *Task, q journal.Interrupt) error {
	e := m.taskEntry(journal.InterruptOpened, t, at)
	e.Op = q.ID
	return m.applyBody(e, t.Node, t, q)
}

// Update claims, releases or escalates a question.
func (m *Machine) Update(at int64, id string, body journal.UpdatedBody) error {
	e := m.interruptEntry(journal.InterruptUpdated, at, id)
	return m.applyBody(e, -1, nil, body)
}

// Resolve closes a question (laws H2 and H4).
func (m *Machine) Resolve(at int64, id string, body journal.ResolvedBody, answer []byte) error {
	e := m.interruptEntry(journal.InterruptResolved, at, id)
	e.Value = answer
	return m.applyBody(e, -1, nil, body)
}

func (m *Machine) interruptEntry(kind journal.Kind, at int64, id string) *journal.Entry {
	e := m.entry(kind, at)
	e.Op = id
	for _, t := range m.tasks {
		for i := range t.Ops {
			if t.Ops[i].Interrupt == id {
				e.Node, e.Visit, e.Attempt = m.Path(t.Node), t.Visit, t.Attempt
			}
		}
	}
	return e
}

// Resume records that somebody drives the run on.
func (m *Machine) Resume(at int64, body journal.ResumedBody) error {
	e := m.entry(journal.RunResumed, at)
	return m.applyBody(e, -1, nil, body)
}

// Complete ends the run with the value that its last path ended with, or with what the plan made of it.
func (m *Machine) Complete(at int64, v Value) error {
	if err := m.withdraw(at); err != nil {
		return err
	}
	e := m.entry(journal.RunFinished, at)
	e.Base, e.Body = m.final, bodyCompleted
	if v.Changed {
		e.Value = v.Data
	}
	return m.apply(e, -1, nil)
}

var bodyCompleted = encode(journal.FinishedBody{Status: Completed})

// End ends the run otherwise (law F4).
func (m *Machine) End(at int64, body journal.FinishedBody) error {
	if err := m.withdraw(at); err != nil {
		return err
	}
	e := m.entry(journal.RunFinished, at)
	return m.applyBody(e, -1, nil, body)
}

// withdraw takes back every open question.
func (m *Machine) withdraw(at int64) error {
	for len(m.interrupts) > 0 {
		body := journal.ResolvedBody{State: journal.Withdrawn}
		if err := m.Resolve(at, m.interrupts[0].ID, body, nil); err != nil {
			return err
		}
	}
	return nil
}

// Fire does what is due: sleeps that are over, deadlines that have passed (law H4). Attempts whose backoff is over
// are started by Next.
func (m *Machine) Fire(at int64) error {
	for _, t := range m.tasks {
		op := t.Op(t.WaitFor)
		if t.State == Waiting && op != nil && op.Due != 0 && op.Due <= at && !op.Done {
			e := m.taskEntry(journal.TimerFired, t, at)
			e.Op = op.ID
			if err := m.apply(e, t.Node, t); err != nil {
				return err
			}
		}
	}
	for i := 0; i < len(m.interrupts); {
		q := m.interrupts[i]
		if q.Deadline == 0 || q.Deadline > at {
			i++
			continue
		}
		if err := m.expire(at, q); err != nil {
			return err
		}
		if i < len(m.interrupts) && m.interrupts[i].ID == q.ID { // escalated
			i++
		}
	}
	return nil
}

func (m *Machine) expire(at int64, q journal.Interrupt) error {
	do := journal.Deadline{Do: string(node.DeadlineFail)}
	if q.AtDeadline != nil {
		do = *q.AtDeadline
	}
	switch node.AtDeadline(do.Do) {
	case node.DeadlineDefault:
		return m.Resolve(at, q.ID, journal.ResolvedBody{State: journal.Answered, Default: true}, do.Answer)
	case node.DeadlineEscalate:
		body := journal.UpdatedBody{Do: "escalate", Role: do.Role, AtDeadline: do.Then}
		if do.Within > 0 {
			body.Deadline = at + do.Within
		}
		return m.Update(at, q.ID, body)
	case node.DeadlineRoute:
		return m.expireTo(at, q, do.Target)
	}
	return m.Resolve(at, q.ID, journal.ResolvedBody{State: journal.Expired}, nil)
}

// expireTo leaves the task that asked over its declared deadline edge; what else the task asked is withdrawn.
func (m *Machine) expireTo(at int64, q journal.Interrupt, target string) error {
	t := m.asker(q.ID)
	body := journal.ResolvedBody{State: journal.Expired, Target: target}
	if t == nil || t.Node >= len(m.flat) {
		return m.Resolve(at, q.ID, body, nil)
	}
	to, err := m.resolve(m.flat[t.Node].Deadlines, t, target)
	if err != nil {
		return m.Resolve(at, q.ID, journal.ResolvedBody{State: journal.Expired}, nil)
	}
	if err := m.Resolve(at, q.ID, body, nil); err != nil {
		return err
	}
	for i := range t.Ops {
		if id := t.Ops[i].Interrupt; id != "" && !t.Ops[i].Done {
			if err := m.Resolve(at, id, journal.ResolvedBody{State: journal.Withdrawn}, nil); err != nil {
				return err
			}
		}
	}
	route := m.taskEntry(journal.RouteTaken, t, at)
	route.Flags, route.To = journal.FlagExpired, to
	return m.apply(route, t.Node, t)
}

func (m *Machine) asker(interrupt string) *Task {
	for _, t := range m.tasks {
		for i := range t.Ops {
			if t.Ops[i].Interrupt == interrupt {
				return t
			}
		}
	}
	return nil
}

// encode writes a body. Bodies are structs of strings, numbers and checked JSON: they always encode.
func encode(body any) []byte {
	data, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("machine: %T does not encode: %v", body, err))
	}
	return data
}
