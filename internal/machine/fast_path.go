package machine

import "github.com/fermata-go/fermata/plan"

// FastPath finishes a task and starts the next one in its place, without entries. It does what Finish and Next would do
// in a run whose entries are neither stored nor read. If more has to be decided, it does nothing and returns false.
func (m *Machine) FastPath(t *Task, choice string) bool {
	f := &m.flat[t.Node]
	if !f.Simple || len(t.Ops) > 0 || m.broken > 0 || m.stopped || m.status != Running || m.used.byNode != nil {
		return false
	}
	to, entries := plan.EndIndex, uint64(2)
	switch {
	case f.Route != nil:
		target, ok := plan.Find(f.Choices, choice)
		if !ok {
			return false
		}
		to, entries = target.Index, 3
	case len(f.Next) == 1:
		to = f.Next[0]
	}
	sp := t.scope.space
	if to < 0 || !m.flat[to].Simple || m.most > 0 && m.started >= m.most || m.mostInARow > 0 && m.startedIn(sp) >= m.mostInARow {
		return false
	}
	visit := m.visit(sp, to)
	*visit++
	m.count(t, sp)
	m.value = m.head + 1
	m.head += entries
	t.ID, t.Node, t.Visit, t.Attempt, t.Ref, t.Own = m.head, to, *visit, 1, m.value, true
	t.Cause, t.LastWait, t.Result = nil, "", 0
	return true
}
