package machine

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// follows checks that an entry may come now in the life of its task. For a task that another plan wrote, only
// its attempt is checked.
func (m *Machine) follows(e *journal.Entry, t *Task) error {
	if e.Attempt != t.Attempt {
		return m.corrupt(e, "attempt %d of a task that is at attempt %d", e.Attempt, t.Attempt)
	}
	var ok bool
	switch e.Kind {
	case journal.NodeFinished:
		ok = t.State == Ready || t.State == Leaving || t.ofFlow()
	case journal.NodeCached:
		ok = t.State == Ready && !m.isSub(t)
	case journal.NodeFailed, journal.NodeRetrying:
		ok = t.State == Ready || t.State == Leaving || t.State == Inside
	case journal.NodeSuspended:
		ok = t.State == Ready || t.State == Waiting || t.State == Leaving
	case journal.NodeHeartbeat:
		ok = t.State == Ready && !m.isSub(t) && len(e.Value) > 0
	case journal.TimerFired:
		op := t.Op(e.Op)
		ok = t.State == Waiting && op != nil && op.Due != 0
	case journal.TimerSet: // several tools of a model may sleep at once
		ok = t.State == Ready || t.State == Leaving || t.ofFlow() || t.State == Waiting && nodehost.CallKind(t.WaitFor) == nodehost.KindSleep
		ok = ok && e.Op != ""
	default:
		ok = e.Op != "" && (t.State == Ready && (!m.isSub(t) || m.isMap(t)) || t.State == Leaving || t.ofFlow()) // a map may be without items
	}
	if !ok && !m.replanned() {
		return m.corrupt(e, "the task is %s", t.State)
	}
	return nil
}

// ofFlow reports whether a task is a dataflow subgraph. Next finds its end, not the fold.
func (t *Task) ofFlow() bool {
	if t.State != Inside {
		return false
	}
	if t.inside != nil {
		return t.inside.flow != nil
	}
	for i := range t.items {
		if s := t.items[i].scope; s != nil {
			return s.flow != nil
		}
	}
	return false
}

func (m *Machine) isSub(t *Task) bool { return t.Node < len(m.flat) && m.flat[t.Node].Sub != nil }

// routes checks that a route may be taken now.
func (m *Machine) routes(e *journal.Entry, t *Task) error {
	ok := t.State == Choosing || t.State == Ready && m.isSub(t) && !m.isMap(t)
	switch {
	case e.Flags&journal.FlagItem != 0:
		ok = t.State == Broken && e.Flags&journal.FlagCatch != 0 && t.scope.item > 0
	case e.Flags&journal.FlagCatch != 0:
		ok = t.State == Broken
	case e.Flags&journal.FlagExpired != 0:
		ok = true
	}
	if !ok && !m.replanned() {
		return m.corrupt(e, "the task is %s", t.State)
	}
	return nil
}

// lose handles an entry of a task that is not open. That is damage, or another plan on which the task cannot be
// followed; then Fits says so (law J8).
func (m *Machine) lose(e *journal.Entry) error {
	if !m.replanned() {
		return m.corrupt(e, "the task is not open")
	}
	m.lost = nodehost.TaskID(e.Node, int(e.Visit))
	return nil
}

// loseQuestion is lose for a question that is not open.
func (m *Machine) loseQuestion(e *journal.Entry) error {
	if !m.replanned() {
		return m.corrupt(e, "interrupt %s is not open", e.Op)
	}
	return m.lose(e)
}

func (m *Machine) corrupt(e *journal.Entry, format string, args ...any) error {
	return fmt.Errorf("seq %d, %s %s: %w: %s", e.Seq, e.Kind, nodehost.TaskID(e.Node, int(e.Visit)),
		journal.ErrCorrupt, fmt.Sprintf(format, args...))
}

// replanned reports whether another plan wrote the journal (law J8).
func (m *Machine) replanned() bool { return m.body.Fingerprint != m.plan.Fingerprint() }
