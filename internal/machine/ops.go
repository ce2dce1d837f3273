package machine

import (
	"iter"
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// opEntry records a call of a task (law J5).
func (m *Machine) opEntry(e *journal.Entry, t *Task) error {
	var step journal.StepBody
	if e.Kind == journal.StepFinished {
		var err error
		if step, err = m.stepBody(e); err != nil {
			return err
		}
	}
	op := t.Op(e.Op)
	if op == nil {
		t.Ops = append(t.Ops, Op{ID: e.Op, Kind: nodehost.CallKind(e.Op), Attempt: e.Attempt, Place: e.Seq})
		op = &t.Ops[len(t.Ops)-1]
	}
	if op.Attempt != e.Attempt && (e.Kind == journal.StepFinished || e.Kind == journal.StructuredData) {
		op.Place = e.Seq
	}
	op.Apart = op.Apart || e.Flags&journal.FlagApart != 0
	switch e.Kind {
	case journal.StepStarted:
		if op.Begun = true; op.Kind == nodehost.KindTool {
			body, err := bodyOf[journal.ToolBody](m, e)
			if err != nil {
				return err
			}
			op.Begun = body.Once
		}
	case journal.TimerSet:
		body, err := bodyOf[journal.TimerBody](m, e)
		if err != nil {
			return err
		}
		op.Due = body.Due
		t.WaitFor = op.ID
		m.set(t, Waiting)
	case journal.TimerFired:
		op.expired()
		m.wake(t, op.ID, ReasonTimer)
	case journal.LabelSet:
		op.Done = true
		return m.labelSet(e)
	case journal.MessageAwaited:
		return m.messageAwaited(e, op)
	case journal.MessageReplied:
		return m.messageReplied(e, op)
	case journal.StepFinished:
		op.Done, op.Begun, op.Value, op.Failure, op.Attempt = true, false, e.Value, step.Error, e.Attempt
		op.Usage, op.Terminal, op.After, op.Marks, op.Shape = step.Usage, step.Terminal, step.RetryAfter, step.Marks, step.Shape
		m.use(t, step.Usage)
		if step.Undo != "" && step.Error == "" {
			m.stepDone(e, t, step.Undo)
		}
	case journal.TextStart: // it may be cut off, and begun again
	case journal.StructuredData:
		body, err := bodyOf[journal.DataBody](m, e)
		if err != nil {
			return err
		}
		op.Done, op.Value, op.Attempt, op.Shape = true, e.Value, e.Attempt, body.Shape
	default:
		op.Done = true
	}
	return nil
}

// wake lets a task go on if it waits for a call that is over.
func (m *Machine) wake(t *Task, op, reason string) {
	if t.State == Waiting && within(op, t.WaitFor) {
		t.WaitFor, m.reason = "", reason
		m.awake(t)
	}
}

// within reports whether a call is that one, or was made inside of it; all calls are inside of "".
func within(op, outer string) bool {
	return op == outer || outer == "" || nodehost.CallInside(op, outer)
}

// waits reports whether a task's calls are still there that it waits for.
func (t *Task) waits(op string) bool {
	return slices.ContainsFunc(t.Ops, func(o Op) bool { return within(o.ID, op) })
}

// Sleeps are the calls of a task that end at a time: its sleeps, and those that wait for a message. There is one
// at most, unless several tools of a model wait: then the task may also go on with what another of them waits for.
func (t *Task) Sleeps() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for i := range t.Ops {
			if op := &t.Ops[i]; op.Due != 0 && !op.Done && !yield(op) {
				return
			}
		}
	}
}

// awake lets a task that has waited go on: from the top, or, where it was the gate of a subgraph that waited, from there.
func (m *Machine) awake(t *Task) {
	if t.inside != nil && t.inside.live == 0 && len(t.inside.ends) > 0 || t.items != nil && t.over == t.of {
		m.set(t, Leaving)
	} else {
		m.set(t, Ready)
	}
}

func (m *Machine) nodeSuspended(e *journal.Entry, t *Task) {
	t.WaitFor, t.LastWait = e.Op, e.Op
	if op := t.Op(e.Op); op != nil && op.Done {
		m.awake(t)
		return
	}
	m.set(t, Waiting)
}

func (m *Machine) interruptOpened(e *journal.Entry, t *Task) error {
	q, err := bodyOf[journal.Interrupt](m, e)
	if err != nil {
		return err
	}
	if q.ID != e.Op || q.Op == "" || m.Interrupt(q.ID) != nil || t.Op(q.Op) != nil {
		return m.corrupt(e, "interrupt %s of call %q is open already, or is not the one of this entry", q.ID, q.Op)
	}
	t.Ops = append(t.Ops, Op{ID: q.Op, Kind: nodehost.KindInterrupt, Attempt: e.Attempt, Place: e.Seq, Apart: e.Flags&journal.FlagApart != 0, opQuestion: opQuestion{Interrupt: e.Op, Digest: q.Digest}})
	m.interrupts = append(m.interrupts, q)
	m.people.opened(&q)
	m.keepApart()
	return nil
}

func (m *Machine) interruptUpdated(e *journal.Entry) error {
	q := m.Interrupt(e.Op)
	if q == nil {
		return m.loseQuestion(e)
	}
	body, err := bodyOf[journal.UpdatedBody](m, e)
	if err != nil {
		return err
	}
	switch body.Do {
	case "claim", "release", "escalate", "reassign", "token":
	default:
		return m.corrupt(e, "it does %q", body.Do)
	}
	body.Update(q)
	return nil
}

// close moves a question to the closed ones. The only one takes its list with it.
func (m *Machine) close(i int) {
	if len(m.interrupts) == 1 && len(m.closed) == 0 {
		m.interrupts, m.closed = m.closed, m.interrupts
		return
	}
	m.closed = append(m.closed, m.interrupts[i])
	m.interrupts = append(m.interrupts[:i], m.interrupts[i+1:]...)
}

// interruptResolved closes a question; the call that asked it has its outcome (law N5).
func (m *Machine) interruptResolved(e *journal.Entry) error {
	body, err := bodyOf[journal.ResolvedBody](m, e)
	if err != nil {
		return err
	}
	switch body.State {
	case journal.Answered, journal.Expired, journal.Withdrawn:
	default:
		return m.corrupt(e, "with the state %q", body.State)
	}
	m.people.resolved(e.Op, &body)
	found, before := false, m.reason
	for i := range m.interrupts {
		if m.interrupts[i].ID == e.Op {
			body.Resolve(&m.interrupts[i], e.Value, e.At)
			m.close(i)
			found = true
			break
		}
	}
	if !found {
		return m.loseQuestion(e)
	}
	for _, t := range m.tasks {
		for i := range t.Ops {
			op := &t.Ops[i]
			if op.Interrupt != e.Op {
				continue
			}
			op.Done, op.Value, op.Failure, op.By, op.At = true, e.Value, "", body.By, e.At
			switch body.State {
			case journal.Expired:
				op.Failure = node.ErrExpired.Error()
			case journal.Withdrawn:
				op.Failure = node.ErrWithdrawn.Error()
			}
			m.wake(t, op.ID, ReasonAnswer)
		}
	}
	switch {
	case body.State == journal.Expired || body.Default:
		m.reason = ReasonTimer
	case body.State == journal.Withdrawn: // no reason to go on
		m.reason = before
	}
	return nil
}
