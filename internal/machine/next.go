package machine

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Next says what follows from all that was folded: entries to append, tasks to start once they are stored. The time
// is the caller's. Tasks that were handed out before and of which nothing has been heard are not handed out again.
//
// The work belongs to the machine, and is valid until the next call of Next or of an input.
func (m *Machine) Next(at int64) (*Work, error) {
	m.start = m.start[:0]
	idle, err := m.next(at)
	if err != nil {
		return nil, err
	}
	complete := idle && m.status == Running && (m.stopped || m.ended && len(m.tasks) == 0)
	w := &m.work
	w.Append, w.Start, w.Idle, w.Complete, w.Final = m.out, m.start, idle && !complete, complete, m.final
	m.out = m.out[:0]
	return w, nil
}

func (m *Machine) next(at int64) (idle bool, err error) {
	if m.over() {
		return true, nil
	}
	if m.status == Paused {
		why := m.because(at)
		if why == "" {
			return true, nil
		}
		if err := m.Resume(at, journal.ResumedBody{Reason: why}); err != nil {
			return false, err
		}
	}
	busy, err := m.startTasks(at)
	if err != nil || m.over() {
		return true, err
	}
	if m.Spent() != nil { // what runs may end, and nothing new begins
		if busy || len(m.start) > 0 {
			return false, nil
		}
		return true, m.endSpent(at)
	}
	if err := m.startTokens(at); err != nil || m.over() {
		return true, err
	}
	if busy || len(m.start) > 0 {
		return false, nil
	}
	return true, m.rest(at)
}

func (m *Machine) over() bool { return m.status != Running && m.status != Paused }

// awake reports whether a paused run can go on.
func (m *Machine) awake(at int64) bool { return m.because(at) != "" }

// because is why a paused run can go on, "" when it cannot.
func (m *Machine) because(at int64) string {
	why := cmp.Or(m.reason, ReasonAnswer)
	if len(m.tokens) > 0 || m.stopped || m.ended && len(m.tasks) == 0 {
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

// startTasks hands out the open tasks that can go on: after an answer, a crash, a backoff, or the end of a subgraph.
func (m *Machine) startTasks(at int64) (busy bool, err error) {
	for _, t := range m.tasks {
		if t.busy {
			busy = true
			continue
		}
		switch t.State {
		case Backoff:
			if t.RetryAt > at || m.Spent() != nil {
				continue
			}
			e := m.taskEntry(journal.NodeStarted, t, at)
			e.Attempt, e.Base = t.Attempt+1, t.Ref
			if err := m.apply(e, t.Node, t); err != nil {
				return busy, err
			}
			m.hand(t)
		case Ready:
			m.hand(t)
		case Leaving:
			t.busy = true
			m.start = append(m.start, Start{Do: Leave, Task: t})
		case Waiting, Inside, Choosing, Broken:
		}
	}
	return busy, nil
}

func (m *Machine) hand(t *Task) {
	t.busy = true
	do := Run
	if m.flat[t.Node].Sub != nil {
		do = Enter
	}
	m.start = append(m.start, Start{Do: do, Task: t})
}

// startTokens begins a task for every token, within the limit of tasks (law F4).
func (m *Machine) startTokens(at int64) error {
	for len(m.tokens) > 0 {
		if limit := m.plan.Limits().Tasks; limit > 0 && m.started >= limit {
			return m.End(at, journal.FinishedBody{
				Status: Failed, Limit: "tasks", Max: strconv.Itoa(limit),
				Error: "the run's limit of tasks (" + strconv.Itoa(limit) + ") was reached",
				Task:  node.TaskID(m.Path(m.tokens[0].at), int(m.visits[m.tokens[0].at])+1),
			})
		}
		to, ref := m.tokens[0].at, m.tokens[0].ref
		e := m.entry(journal.NodeStarted, at)
		e.Node, e.Visit, e.Attempt, e.Base = m.flat[to].Path, m.visits[to]+1, 1, ref
		if err := m.apply(e, to, nil); err != nil {
			return err
		}
		m.hand(m.tasks[len(m.tasks)-1])
	}
	return nil
}

// rest says what a run is that nothing goes on in: paused, or stuck (law F5). The end is the caller's to compute.
func (m *Machine) rest(at int64) error {
	waits, backoff := len(m.interrupts) > 0, false
	for _, t := range m.tasks {
		waits = waits || t.State == Waiting
		backoff = backoff || t.State == Backoff
	}
	switch {
	case m.stopped || backoff || m.status == Paused || m.ended && len(m.tasks) == 0:
		return nil // a question that nobody waits for holds no run: it is withdrawn with the end
	case waits:
		return m.apply(m.entry(journal.RunPaused, at), -1, nil)
	}
	return m.End(at, journal.FinishedBody{Status: Stuck, Error: m.stuck(), Reason: m.stuck()})
}

func (m *Machine) stuck() string {
	if len(m.tasks) == 0 {
		return "no path of the run has ended, and none is left"
	}
	var b strings.Builder
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

// Underway reports whether something can go on at once; of a journal that nobody drives, that its driver was lost.
func (m *Machine) Underway() bool {
	if len(m.tokens) > 0 || len(m.tasks) == 0 {
		return true
	}
	for _, t := range m.tasks {
		if t.State == Ready || t.State == Leaving {
			return true
		}
	}
	return false
}

// Due is the time of the next thing that Fire or Next would do by itself, in microseconds; math.MaxInt64 for none.
func (m *Machine) Due() int64 {
	due := int64(math.MaxInt64)
	for _, t := range m.tasks {
		switch t.State {
		case Backoff:
			due = min(due, t.RetryAt)
		case Waiting:
			if op := t.Op(t.WaitFor); op != nil && op.Due != 0 {
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

// TimeLeft is how much longer the run may be running, in microseconds, when it runs from the last entry on;
// math.MaxInt64 without a limit (law F4). Time in which it is paused, or has no driver, does not count.
func (m *Machine) TimeLeft() int64 {
	limit := m.plan.Limits().Time
	if limit <= 0 {
		return math.MaxInt64
	}
	return limit.Microseconds() - m.active
}
