package machine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Reasons for which a run goes on.
const (
	ReasonAnswer    = "answer"
	ReasonMessage   = "message"
	ReasonTimer     = "timer"
	ReasonRecovered = "recovered" // its owner was lost
	ReasonRetry     = "retry"
	ReasonReplan    = "replan"
	ReasonFork      = "fork"
	ReasonReplaced  = "replaced" // another start has replaced the input (law J21)
)

// Value is a value in stored form: whole, or as a delta against another entry's value.
type Value struct {
	Changed bool   // false: there is no new value
	Delta   bool   // Data is a delta
	Base    uint64 // seq of the value before
	Data    []byte // JSON
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

// entry returns the next entry to fill in; commit folds it. Its time is not before earlier entries, even if a
// clock was set back (law J12).
func (m *Machine) entry(kind journal.Kind, at int64) *journal.Entry {
	n := len(m.out)
	if n < cap(m.out) {
		m.out = m.out[:n+1]
	} else {
		m.out = append(m.out, journal.Entry{})
	}
	e := &m.out[n]
	*e = journal.Entry{Seq: m.head + 1, At: max(at, m.latest), Kind: kind}
	return e
}

// applyBody encodes a body, given as a pointer, into its entry, and folds the entry without decoding it again.
func (m *Machine) applyBody(e *journal.Entry, at spot, t *Task, body any) error {
	if m.hint = body; m.unread {
		e.Body = unreadBody
	} else {
		e.Body = encode(body)
	}
	err := m.apply(e, at, t)
	m.hint = nil
	return err
}

// unreadBody replaces a body that nobody will read.
var unreadBody = []byte("{}")

// Unread leaves out of entries what only readers need. It is for runs whose entries are neither stored nor
// read.
func (m *Machine) Unread() { m.unread = true }

func (m *Machine) taskEntry(kind journal.Kind, t *Task, at int64) *journal.Entry {
	e := m.entry(kind, at)
	e.Node, e.Visit, e.Attempt = m.Path(t), t.Visit, t.Attempt
	return e
}

// Begin starts the run with its input.
func (m *Machine) Begin(at int64, body *journal.StartedBody, input []byte) error {
	e := m.entry(journal.RunStarted, at)
	e.Value = input
	return m.applyBody(e, place0, nil, body)
}

// spot returns where entries about the task belong.
func (t *Task) spot() spot { return spot{t.Node, t.scope.space} }

// Outcome is the result of a task's function.
type Outcome struct {
	Value   Value    // the output
	Choice  string   // of a gate: the name of a declared target, or node.End or node.Stop
	Choices []string // of a gate that chooses several
	Hit     []byte   // of a cache hit: the body of its entry (law D13); nil otherwise
}

// Finish records the outcome of a task.
func (m *Machine) Finish(at int64, t *Task, o Outcome) error {
	var to string
	var several []string
	if f := &m.flat[t.Node]; f.Gate() {
		var err error
		if f.RouteMany != nil {
			to, several, err = m.resolveAll(f.Choices, t, o.Choices)
		} else {
			to, err = m.resolveTarget(f.Choices, t, o.Choice)
		}
		if err != nil {
			return err
		}
	}
	m.heard(t)
	e := m.taskEntry(journal.NodeFinished, t, at)
	if o.Hit != nil {
		e.Kind, e.Body = journal.NodeCached, o.Hit
	}
	o.Value.put(e)
	if err := m.apply(e, t.spot(), t); err != nil || to == "" {
		return err
	}
	route := m.taskEntry(journal.RouteTaken, t, at)
	route.To = to
	if len(several) > 1 {
		return m.applyBody(route, t.spot(), t, &journal.RouteBody{To: several})
	}
	return m.apply(route, t.spot(), t)
}

// resolveTarget returns the path of the node that a gate's choice means (law F7).
func (m *Machine) resolveTarget(declared []plan.Target, t *Task, name string) (string, error) {
	target, ok := plan.Find(declared, name)
	switch {
	case !ok:
		return "", fmt.Errorf("task %s: target %q is not declared", m.TaskID(t), name)
	case target.Index < 0:
		return name, nil
	}
	return m.pathOf(t.scope.space, target.Index), nil
}

// resolveAll is resolveTarget for several names. It returns them in declared order (law G4).
func (m *Machine) resolveAll(declared []plan.Target, t *Task, names []string) (first string, all []string, err error) {
	for _, target := range declared {
		if !slices.Contains(names, target.Name) {
			continue
		}
		path, err := m.resolveTarget(declared, t, target.Name)
		if err != nil {
			return "", nil, err
		}
		all = append(all, path)
	}
	if len(all) == 0 || len(all) != len(names) {
		return "", nil, fmt.Errorf("task %s: of the targets %q, %d are declared", m.TaskID(t), names, len(all))
	}
	return all[0], all, nil
}

// Entered records the input of a subgraph and puts a token at its first node (law G6).
func (m *Machine) Entered(at int64, t *Task, v Value) error {
	m.heard(t)
	e := m.taskEntry(journal.RouteTaken, t, at)
	e.To = m.pathOf(t.scope.space, m.flat[t.Node].Entries[0])
	v.put(e)
	return m.apply(e, t.spot(), t)
}

// Split records the inputs of a map's items; there is at least one (law G5).
func (m *Machine) Split(at int64, t *Task, items []Value) error {
	m.heard(t)
	first := m.flat[m.flat[t.Node].Entries[0]].Name
	for i, v := range items {
		e := m.taskEntry(journal.RouteTaken, t, at)
		if !m.unread {
			e.To = m.itemPrefix(t, i+1) + first
		}
		v.put(e)
		if err := m.applyBody(e, t.spot(), t, &journal.RouteBody{Item: i + 1, Of: len(items)}); err != nil {
			return err
		}
	}
	return nil
}

// Retry records a failed attempt and when the next one starts (law F1).
func (m *Machine) Retry(at int64, t *Task, failure journal.FailedBody) error {
	m.heard(t)
	if err := m.withdrawIn(at, func(other *Task) bool { return other.scope.within(t) }); err != nil {
		return err
	}
	e := m.taskEntry(journal.NodeRetrying, t, at)
	return m.applyBody(e, t.spot(), t, &failure)
}

// Fail records that a task failed for good. The target names a declared failure edge, or is "" if the run or
// the enclosing subgraph handles the failure (law F1). The value is the state that the node returned with its
// error.
func (m *Machine) Fail(at int64, t *Task, failure journal.FailedBody, v Value, target string) error {
	to := ""
	if target != "" {
		var err error
		if to, err = m.resolveTarget(m.flat[t.Node].Failures, t, target); err != nil {
			return err
		}
	}
	m.heard(t)
	e := m.taskEntry(journal.NodeFailed, t, at)
	e.Flags = journal.FlagFinal
	v.put(e)
	if err := m.applyBody(e, t.spot(), t, &failure); err != nil || target == "" {
		return err
	}
	if err := m.withdrawIn(at, func(other *Task) bool { return other == t || other.scope.within(t) }); err != nil {
		return err
	}
	route := m.taskEntry(journal.RouteTaken, t, at)
	route.Flags, route.To = journal.FlagCatch, to
	return m.apply(route, t.spot(), t)
}

// Suspend records that a task waits for one of its calls (law N1).
func (m *Machine) Suspend(at int64, t *Task, op string) error {
	m.heard(t)
	e := m.taskEntry(journal.NodeSuspended, t, at)
	e.Op = op
	return m.apply(e, t.spot(), t)
}

// Record stores a call of a task. The kind is StepStarted, StepFinished, TimerSet, TextEnd, or one that nodes emit.
func (m *Machine) Record(at int64, t *Task, kind journal.Kind, op string, value, body []byte) error {
	e := m.taskEntry(kind, t, at)
	e.Op, e.Value, e.Body = op, value, body
	return m.apply(e, t.spot(), t)
}

// RecordApart is Record for a call made in a goroutine that the node had started.
func (m *Machine) RecordApart(at int64, t *Task, kind journal.Kind, op string, value, body []byte) error {
	e := m.taskEntry(kind, t, at)
	e.Flags, e.Op, e.Value, e.Body = journal.FlagApart, op, value, body
	return m.apply(e, t.spot(), t)
}

// Ask opens a question of a task (law H1). apart says that a goroutine of the node asked it.
func (m *Machine) Ask(at int64, t *Task, q *journal.Interrupt, apart bool) error {
	e := m.taskEntry(journal.InterruptOpened, t, at)
	if e.Op = q.ID; apart {
		e.Flags = journal.FlagApart
	}
	return m.applyBody(e, t.spot(), t, q)
}

// Update claims, releases or reassigns a question.
func (m *Machine) Update(at int64, id string, body journal.UpdatedBody) error {
	e := m.interruptEntry(journal.InterruptUpdated, at, id)
	return m.applyBody(e, place0, nil, &body)
}

// Resolve closes a question (laws H2 and H4).
func (m *Machine) Resolve(at int64, id string, body journal.ResolvedBody, answer []byte) error {
	e := m.interruptEntry(journal.InterruptResolved, at, id)
	e.Value = answer
	return m.applyBody(e, place0, nil, &body)
}

// Amend records an entry about a question that was made outside of the machine. The body is a pointer to what the entry's
// body encodes.
func (m *Machine) Amend(made journal.Entry, body any) error {
	e := m.entry(made.Kind, made.At)
	made.Seq, made.At = e.Seq, e.At
	*e = made
	return m.applyKnown(e, body, made.Body)
}

func (m *Machine) interruptEntry(kind journal.Kind, at int64, id string) *journal.Entry {
	e := m.entry(kind, at)
	e.Op = id
	for _, t := range m.tasks {
		for i := range t.Ops {
			if t.Ops[i].Interrupt == id {
				e.Node, e.Visit, e.Attempt = m.Path(t), t.Visit, t.Attempt
			}
		}
	}
	return e
}

// Resume records that a process executes the run again.
func (m *Machine) Resume(at int64, body journal.ResumedBody) error {
	e := m.entry(journal.RunResumed, at)
	m.renewUntil(e.At, &body)
	return m.applyBody(e, place0, nil, &body)
}

// resume is Resume for a reason alone.
func (m *Machine) resume(at int64, reason string) error {
	if reason == ReasonAnswer {
		return m.applyKnown(m.entry(journal.RunResumed, at), answered, bodyAnswered)
	}
	return m.Resume(at, journal.ResumedBody{Reason: reason})
}

// Complete ends the run with its last path's value, or the plan's result. A run that was held meanwhile does not end.
func (m *Machine) Complete(at int64, v Value) error {
	if m.isHeld() || m.IsUndoing() {
		return nil
	}
	if err := m.withdraw(at); err != nil {
		return err
	}
	e := m.entry(journal.RunFinished, at)
	e.Base = m.final
	if v.Changed {
		e.Value = v.Data
	}
	return m.applyKnown(e, completed, bodyCompleted)
}

// applyKnown is applyBody for an entry about the run whose body is encoded already.
func (m *Machine) applyKnown(e *journal.Entry, body any, encoded []byte) error {
	e.Body, m.hint = encoded, body
	err := m.apply(e, place0, nil)
	m.hint = nil
	return err
}

// Bodies that most runs have.
var (
	completed     any = &journal.FinishedBody{Status: Completed}
	bodyCompleted     = encode(completed)
	answered      any = &journal.ResumedBody{Reason: ReasonAnswer}
	bodyAnswered      = encode(answered)
)

// End ends the run without success (law F4). Where it has something to undo, the end follows that (law F10).
func (m *Machine) End(at int64, body journal.FinishedBody) error {
	if m.IsUndoing() { // it ends for another reason already
		return nil
	}
	if err := m.withdraw(at); err != nil {
		return err
	}
	body = m.spent(body)
	if undoes, err := m.undoFirst(at, &body); undoes || err != nil {
		return err
	}
	return m.applyBody(m.entry(journal.RunFinished, at), place0, nil, &body)
}

// withdraw withdraws every open question.
func (m *Machine) withdraw(at int64) error {
	for len(m.interrupts) > 0 {
		body := journal.ResolvedBody{State: journal.Withdrawn}
		if err := m.Resolve(at, m.interrupts[0].ID, body, nil); err != nil {
			return err
		}
	}
	return nil
}

// Fire handles due sleeps and deadlines (law H4). Next starts the attempts that are due.
func (m *Machine) Fire(at int64) error {
	for _, t := range m.tasks {
		for op := range t.Sleeps() {
			if t.State != Waiting || op.Due > at {
				continue
			}
			e := m.taskEntry(journal.TimerFired, t, at)
			e.Op = op.ID
			if err := m.apply(e, t.spot(), t); err != nil {
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
	do := journal.Deadline{Do: string(nodehost.DeadlineFail)}
	if q.AtDeadline != nil {
		do = *q.AtDeadline
	}
	switch nodehost.AtDeadline(do.Do) {
	case nodehost.DeadlineDefault:
		return m.Resolve(at, q.ID, journal.ResolvedBody{State: journal.Answered, Default: true}, do.Answer)
	case nodehost.DeadlineEscalate:
		body := journal.UpdatedBody{Do: "escalate", Role: do.Role, AtDeadline: do.Then}
		if do.Within > 0 {
			body.Deadline = at + do.Within
		}
		return m.Update(at, q.ID, body)
	case nodehost.DeadlineRoute:
		return m.expireTo(at, q, do.Target)
	}
	return m.Resolve(at, q.ID, journal.ResolvedBody{State: journal.Expired}, nil)
}

// expireTo leaves the asking task over its deadline edge, and withdraws its other questions.
func (m *Machine) expireTo(at int64, q journal.Interrupt, target string) error {
	t := m.asker(q.ID)
	body := journal.ResolvedBody{State: journal.Expired, Target: target}
	if t == nil || t.Node >= len(m.flat) {
		return m.Resolve(at, q.ID, body, nil)
	}
	to, err := m.resolveTarget(m.flat[t.Node].Deadlines, t, target)
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
	return m.apply(route, t.spot(), t)
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
