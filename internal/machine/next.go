package machine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// Next returns the entries to append and the tasks to start once the entries are stored. The time is the caller's.
// Tasks that were handed out without news since are not handed out again.
//
// The work belongs to the machine. It is valid until the next call of Next or of an input.
func (m *Machine) Next(at int64) (*Work, error) { return m.nextWork(at, false) }

// NextToEnd is Next, and completes a run whose result is the value of its only path.
// The results of other runs are made by code: of the plan's author, or of a merge.
func (m *Machine) NextToEnd(at int64) (*Work, error) { return m.nextWork(at, true) }

func (m *Machine) nextWork(at int64, toEnd bool) (*Work, error) {
	m.start = m.start[:0]
	idle, err := m.next(at)
	if err != nil {
		return nil, err
	}
	complete := m.status == Running && !m.IsUndoing() && (m.stopped || idle && m.ended()) && !m.isHeld()
	if complete && toEnd && m.endsPlainly() {
		if err := m.Complete(at, Value{}); err != nil {
			return nil, err
		}
		complete = false
	}
	w := &m.work
	w.Append, w.Start, w.Idle, w.Complete = m.out, m.start, idle && !complete, complete
	w.Doomed = m.broken > 0 && !m.over() && m.doom() != nil
	m.out = m.out[:0]
	return w, nil
}

// endsPlainly reports whether the run's result is the value of its only path.
func (m *Machine) endsPlainly() bool {
	return !m.stopped && m.busy == 0 && m.root.flow == nil && len(m.root.ends) == 1 && m.plan.Definition().Finish == nil
}

// ended reports whether all paths of the run have ended.
func (m *Machine) ended() bool { return m.stopped || m.root.live == 0 && len(m.root.ends) > 0 }

// CanComplete reports whether an entry may complete the run. It may if all paths have ended and the entry has their
// value.
func (m *Machine) CanComplete(e *journal.Entry) bool {
	over := m.ended()
	if m.root.flow != nil {
		over = m.root.live == 0
	}
	return m.replanned() || over && (e.HasValue() || e.Base == m.final)
}

func (m *Machine) next(at int64) (idle bool, err error) {
	if m.over() {
		return true, nil
	}
	if !m.IsUndoing() {
		if idle, err = m.advance(at); err != nil || !m.IsUndoing() {
			return idle, err
		}
	}
	return m.undoNext(at)
}

// advance is next for a run that has not come to its end.
func (m *Machine) advance(at int64) (idle bool, err error) {
	if m.IsLate(at) { // before all else: an answer of this moment comes too late
		return true, m.Expire(at)
	}
	if err := m.stopBehind(at); err != nil {
		return false, err
	}
	if m.isHeld() {
		return m.stay(at)
	}
	if m.status == Paused {
		why := m.because(at)
		if why == "" {
			return true, nil
		}
		if err := m.resume(at, why); err != nil {
			return false, err
		}
	}
	if m.broken > 0 {
		m.endWork()
		if err := m.fail(at); err != nil || m.isEnding() {
			return true, err
		}
	}
	if !m.stopped {
		if m.Spent() == nil {
			if err := m.startFlows(at); err != nil || m.isEnding() {
				return true, err
			}
			if m.isHeld() {
				return m.stay(at)
			}
		}
		if err := m.startTasks(at); err != nil {
			return true, err
		}
		if m.Spent() != nil { // running tasks may end, and nothing new starts
			if m.busy > 0 {
				return false, nil
			}
			return true, m.endSpent(at)
		}
		if err := m.startTokens(at, 0); err != nil || m.isEnding() {
			return true, err
		}
		if m.isHeld() {
			return m.stay(at)
		}
		if err := m.startItems(at); err != nil || m.isEnding() {
			return true, err
		}
		if m.isHeld() {
			return m.stay(at)
		}
	}
	if m.busy > 0 || len(m.start) > 0 {
		return false, nil
	}
	return true, m.rest(at)
}

func (m *Machine) over() bool { return m.status != Running && m.status != Paused }

// isEnding reports whether nothing of the run's own begins any more.
func (m *Machine) isEnding() bool { return m.IsUndoing() || m.over() }

// because returns why a paused run can go on, "" if it cannot.
func (m *Machine) because(at int64) string {
	why := cmp.Or(m.reason, ReasonAnswer)
	if m.IsUndoing() {
		if !m.canUndo(at) {
			return ""
		}
		return why
	}
	if m.stopped || m.ended() || m.nextItem() != nil || m.reason == ReasonRelease && m.backoff > 0 {
		return why
	}
	if m.canStart() || m.canFire() {
		return why
	}
	for _, t := range m.tasks {
		switch t.State {
		case Ready, Leaving, Broken:
			return why
		case Backoff:
			if t.RetryAt <= at {
				return ReasonTimer
			}
		case Waiting, Inside, Choosing:
		}
	}
	return ""
}

// startTasks hands out the open tasks that can go on: after an answer, a crash, a backoff, or the end of a
// subgraph. It goes through them in the order of their start, not in the order of events.
func (m *Machine) startTasks(at int64) error {
	if err := m.startAttempts(at); err != nil {
		return err
	}
	ready := m.ready
	m.ready, m.spare = m.spare[:0], nil // starts may list tasks again
	slices.SortFunc(ready, func(a, b *Task) int { return cmp.Compare(a.ID, b.ID) })
	for _, t := range ready {
		t.listed = false
		switch {
		case t.busy, t.State != Ready && t.State != Leaving && !m.mergesAgain(t, at):
		case m.broken > 0 && m.doomed(t.scope):
			m.list(t)
		default:
			m.proceed(t)
		}
	}
	clear(ready)
	m.spare = ready[:0]
	return nil
}

// proceed hands out an open task for what it has to do next.
func (m *Machine) proceed(t *Task) {
	switch {
	case t.State == Leaving:
		m.hand(Start{Do: Leave, Task: t})
	case t.Joined():
		m.hand(Start{Do: Merge, Task: t, Join: m.rejoin(t)})
	default:
		m.run(t)
	}
}

// mergesAgain reports whether a failed merge of a join has to be repeated.
func (m *Machine) mergesAgain(t *Task, at int64) bool {
	return t.State == Backoff && t.RetryAt <= at && t.Joined()
}

// startAttempts starts the attempts that are due.
func (m *Machine) startAttempts(at int64) error {
	for i := 0; i < len(m.tasks) && m.backoff > 0; i++ {
		t := m.tasks[i]
		switch {
		case t.State != Backoff || t.RetryAt > at || m.Spent() != nil && t.undo == nil || t.busy || m.broken > 0 && m.doomed(t.scope):
		case t.Joined():
			m.list(t)
		default:
			e := m.taskEntry(journal.NodeStarted, t, at)
			e.Attempt, e.Base = t.Attempt+1, t.Ref
			if err := m.apply(e, t.spot(), t); err != nil {
				return err
			}
			if m.isSub(t) {
				i = -1 // tasks inside it are gone, or go on
			}
		}
	}
	return nil
}

// run hands out a task for its function or subgraph.
func (m *Machine) run(t *Task) {
	do := Run
	if m.flat[t.Node].Sub != nil {
		do = Enter
	}
	m.hand(Start{Do: do, Task: t})
}

// startTokens starts a task for every token that may go on, within the limit of tasks (law F4).
func (m *Machine) startTokens(at int64, from int) error {
	m.waits = m.waits[:0]
	for i := from; i < len(m.tokens); {
		tok := &m.tokens[i]
		if m.broken > 0 && m.doomed(tok.scope) || !m.mayStart(i, &m.waits) {
			i++
			continue
		}
		next := func() string {
			return nodehost.TaskID(m.pathOf(tok.scope.space, tok.at), int(*m.visit(tok.scope.space, tok.at))+1)
		}
		if full, err := m.full(at, tok.scope.space, next); full || err != nil {
			return err
		}
		if stops, err := m.stopsBefore(at, tok.scope.space, tok.at); stops || err != nil {
			return err
		}
		if m.isJoin(tok.at) {
			if vias := m.gathered(i); len(vias) > 1 {
				m.handJoin(i, vias)
				continue
			}
		}
		if err := m.startToken(at, i); err != nil {
			return err
		}
	}
	return nil
}

// startToken starts the task of one token.
func (m *Machine) startToken(at int64, i int) error {
	tok := &m.tokens[i]
	e := m.entry(journal.NodeStarted, at)
	e.Node, e.Visit, e.Attempt, e.Base = m.pathOf(tok.scope.space, tok.at), *m.visit(tok.scope.space, tok.at)+1, 1, tok.ref
	where := spot{tok.at, tok.scope.space}
	var err error
	if len(m.tokens) > 1 && m.ambiguous(i) {
		err = m.applyBody(e, where, nil, &journal.BeginBody{From: []uint64{tok.via}})
	} else {
		err = m.apply(e, where, nil)
	}
	if err != nil {
		return err
	}
	t := m.tasks[len(m.tasks)-1]
	m.run(t)
	return nil
}

// ambiguous reports whether another token stands at the same node with the same value.
func (m *Machine) ambiguous(i int) bool {
	tok := &m.tokens[i]
	for k := range m.tokens {
		other := &m.tokens[k]
		if k != i && other.at == tok.at && other.ref == tok.ref && other.scope.space == tok.scope.space {
			return true
		}
	}
	return false
}

// rest ends a run in which nothing goes on: paused, or stuck (law F5). The caller completes the end.
func (m *Machine) rest(at int64) error {
	switch {
	case m.backoff > 0 || m.status == Paused || m.ended():
		return nil // a question without a waiting task does not hold the run: it is withdrawn at the end
	case m.waiting > 0 || len(m.interrupts) > 0:
		return m.apply(m.entry(journal.RunPaused, at), place0, nil)
	}
	why := m.stuck()
	return m.End(at, journal.FinishedBody{Status: Stuck, Error: why, Reason: why, Stuck: m.stuckNodes()})
}

func (m *Machine) stuck() string {
	if nodes := m.stuckNodes(); len(nodes) > 0 {
		var parts []string
		for _, n := range nodes {
			parts = append(parts, fmt.Sprintf("node %s cannot run: %s", n.Node, n.Reason))
		}
		return strings.Join(parts, "; ")
	}
	if len(m.tasks) == 0 && len(m.tokens) == 0 {
		return "no path of the run has ended, and none is left"
	}
	var b strings.Builder
	for i := range m.tokens {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString("node " + m.pathOf(m.tokens[i].scope.space, m.tokens[i].at) + " waits for other branches")
	}
	for _, t := range m.tasks {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString("task " + m.TaskID(t) + " is " + t.State.String())
		if t.Error.Error != "" {
			b.WriteString(": " + t.Error.Error)
		}
	}
	return b.String()
}

// Underway reports whether something can go on at once. For a run without an owner, it means that its owner was
// lost.
func (m *Machine) Underway() bool {
	if m.IsUndoing() {
		return !m.begun || len(m.tasks) == 0 || m.tasks[0].State == Ready
	}
	if len(m.tasks) == 0 || m.broken > 0 || m.nextItem() != nil {
		return true
	}
	if m.canStart() || m.canFire() {
		return true
	}
	return slices.ContainsFunc(m.tasks, func(t *Task) bool { return t.State == Ready || t.State == Leaving })
}

// Due returns the time of the next timer or attempt, in microseconds; math.MaxInt64 for none.
func (m *Machine) Due() int64 {
	due := int64(math.MaxInt64)
	for _, t := range m.tasks {
		switch t.State {
		case Backoff:
			if !m.isHeld() && (m.broken == 0 || !m.doomed(t.scope)) {
				due = min(due, t.RetryAt)
			}
		case Waiting:
			for op := range t.Sleeps() {
				due = min(due, op.Due)
			}
		case Ready, Inside, Leaving, Choosing, Broken:
		}
	}
	for i := range m.interrupts {
		if d := m.interrupts[i].Deadline; d != 0 {
			due = min(due, d)
		}
	}
	return due
}

// TimeLeft returns how much longer the run may run, in microseconds (law F4). It is math.MaxInt64 without a limit. Time
// in which the run is paused or has no owner does not count.
func (m *Machine) TimeLeft() int64 {
	limit := m.plan.Limits().Time
	if limit <= 0 {
		return math.MaxInt64
	}
	return limit.Microseconds() - m.active
}
