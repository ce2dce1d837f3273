package machine

import (
	"strconv"

	"github.com/fermata-go/fermata/journal"
)

// count numbers a task that starts.
func (m *Machine) count(t *Task, sp *space) {
	m.started++
	sp.inARow, sp.pauses = m.startedIn(sp)+1, m.pauses
	t.nth, t.inARow = m.started, sp.inARow
}

// startedIn returns how many tasks have started in a space since the run last waited.
func (m *Machine) startedIn(sp *space) int {
	if sp.pauses != m.pauses {
		return 0
	}
	return sp.inARow
}

// TasksLeft returns how many tasks the limit of tasks let start when a task began, that one included. It is 0 without
// a limit. It stays the same while the task is open, whatever starts beside it (law N10).
func (m *Machine) TasksLeft(t *Task) int {
	switch {
	case m.most > 0:
		return max(m.most-t.nth+1, 1)
	case m.mostInARow > 0:
		return max(m.mostInARow-t.inARow+1, 1)
	}
	return 0
}

// full reports whether no further task may start in a space; nil is a new one. Then the run ends after the running tasks,
// and its end names the next task (law F4).
func (m *Machine) full(at int64, sp *space, next func() string) (bool, error) {
	limit, reason := m.most, ""
	switch {
	case m.most > 0 && m.started+m.merging(nil) >= m.most:
	case m.mostInARow > 0 && sp != nil && m.startedIn(sp)+m.merging(sp) >= m.mostInARow:
		limit = m.mostInARow
		reason = "its plan has a loop and sets no limit, and this is the default for tasks that start while the run never waits; " +
			"if they are right, set a higher one (Limits.Tasks, or -1 for none), and retry the run, which goes on from here"
	default:
		return false, nil
	}
	if m.busy > 0 {
		return true, nil
	}
	l := Limit{Name: "tasks", Max: strconv.Itoa(limit), Reason: reason}
	return true, m.End(at, journal.FinishedBody{Status: Failed, Limit: l.Name, Max: l.Max, Reason: reason, Error: l.Error(), Task: next()})
}

// merging returns how many tasks will start with merges in progress: in a space, or, for nil, in the run.
func (m *Machine) merging(sp *space) int {
	n := 0
	for i := range m.tokens {
		tok := &m.tokens[i]
		if tok.busy && (sp == nil || tok.scope.space == sp) && !m.mergesBefore(i) {
			n++
		}
	}
	return n
}

// mergesBefore reports whether an earlier token is part of the same merge.
func (m *Machine) mergesBefore(i int) bool {
	for k := range m.tokens[:i] {
		if t := &m.tokens[k]; t.busy && t.at == m.tokens[i].at && t.scope == m.tokens[i].scope {
			return true
		}
	}
	return false
}
