package machine

import (
	"cmp"
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// A task that failed for good without a failure edge dooms its surroundings: the item, the subgraph or the run.
// Nothing more starts there, running tasks end, and then the failure goes outwards (laws F1 and F2).

// doomed reports whether nothing may start in a scope because of a failure in it or around it.
func (m *Machine) doomed(s *scope) bool {
	for ; s != nil; s = s.up() {
		for _, b := range m.tasks {
			if b.State == Broken && m.dooms(b, s) {
				return true
			}
		}
	}
	return false
}

// dooms reports whether a failed task dooms a scope.
func (m *Machine) dooms(b *Task, s *scope) bool {
	if b.scope == s {
		return true
	}
	return s.parent != nil && b.scope.parent == s.parent && !m.keeps(s.parent)
}

// noteWork notes which tasks are at work when one fails: those that may start where nothing has failed before.
func (m *Machine) noteWork() {
	for _, t := range m.tasks {
		if (t.State == Ready || t.State == Leaving) && (m.broken == 0 || !m.doomed(t.scope)) {
			t.atWork = true
		}
	}
}

// forgetWork takes back what noteWork has noted, once the failure is handled and there is no other one.
func (m *Machine) forgetWork() {
	if m.broken > 0 {
		return
	}
	for _, t := range m.tasks {
		t.atWork = false
	}
}

// endWork hands out again what was at work in a doomed scope when the failure came, where a crash or another driver has
// come between: it ends there as it would have without (law F2). A run that fails fast has ended it.
func (m *Machine) endWork() {
	if m.stopped || m.plan.Definition().FailFast && m.doom() != nil {
		return
	}
	var open []*Task
	for _, t := range m.ready {
		if t.atWork && !t.busy && m.doomed(t.scope) && !m.FailedFast(t) {
			open = append(open, t)
		}
	}
	slices.SortFunc(open, func(a, b *Task) int { return cmp.Compare(a.ID, b.ID) })
	for _, t := range open {
		m.proceed(t)
	}
}

// FailsFast reports whether a task runs in a subgraph that fails fast, at any depth.
func (m *Machine) FailsFast(t *Task) bool {
	return m.fast(t, func(*scope) bool { return true })
}

// FailedFast reports whether a task runs in a subgraph that fails fast and has failed.
func (m *Machine) FailedFast(t *Task) bool {
	return m.broken > 0 && m.fast(t, func(s *scope) bool {
		return slices.ContainsFunc(m.tasks, func(b *Task) bool { return b.State == Broken && m.dooms(b, s) })
	})
}

func (m *Machine) fast(t *Task, is func(s *scope) bool) bool {
	for s := t.scope; s != nil && s.parent != nil; s = s.up() {
		at := s.parent.Node
		if at < len(m.flat) && m.flat[at].Sub != nil && m.flat[at].Sub.Definition().FailFast && is(s) {
			return true
		}
	}
	return false
}

// keeps reports whether a map keeps the failures of its items.
func (m *Machine) keeps(t *Task) bool {
	return t != nil && t.items != nil && t.Node < len(m.flat) && m.flat[t.Node].Map != nil && m.flat[t.Node].Map.Keep
}

// failing returns the task inside a subgraph's task that dooms it; nil for none.
func (m *Machine) failing(parent *Task) *Task {
	if m.keeps(parent) {
		return nil
	}
	for _, b := range m.tasks {
		if b.State == Broken && b.scope.parent == parent {
			return b
		}
	}
	return nil
}

// doom returns the task that dooms the run, nil for none.
func (m *Machine) doom() *Task { return m.failing(nil) }

// leafOf returns the task in which a failure began.
func (m *Machine) leafOf(t *Task) *Task {
	for {
		inner := (*Task)(nil)
		for _, b := range m.tasks {
			if b.State == Broken && b.scope.parent == t {
				inner = b
				break
			}
		}
		if inner == nil {
			return t
		}
		t = inner
	}
}

// fail passes failures outwards from doomed scopes in which nothing is running. It goes from the innermost to
// the run, so the order of several failures does not matter.
func (m *Machine) fail(at int64) error {
	for i := 0; i < len(m.tasks); i++ {
		b := m.tasks[i]
		if !m.unsettled(b) || b.scope.parent.busy {
			continue
		}
		parent, in := b.scope.parent, func(s *scope) bool { return s.within(b.scope.parent) }
		keeps := m.keeps(parent)
		if keeps {
			in = func(s *scope) bool { return s.inside(b.scope) }
		}
		if m.working(in) || slices.ContainsFunc(m.tasks, func(c *Task) bool { return m.unsettled(c) && in(c.scope.parent.scope) }) {
			continue
		}
		if !keeps {
			m.hand(Start{Do: Fail, Task: parent, Leaf: m.leafOf(b)})
			continue
		}
		if err := m.failItem(at, b); err != nil {
			return err
		}
		i = -1 // tasks are gone
	}
	if b := m.doom(); b != nil && m.busy == 0 {
		return m.End(at, m.failure(b))
	}
	return nil
}

// unsettled reports whether a failed task is not handled by its surroundings yet.
func (m *Machine) unsettled(b *Task) bool {
	return b.State == Broken && b.scope.parent != nil && b.scope.parent.State == Inside
}

// working reports whether anything is running in the selected scopes.
func (m *Machine) working(in func(s *scope) bool) bool {
	if m.busy == 0 {
		return false
	}
	for _, t := range m.tasks {
		if t.busy && in(t.scope) {
			return true
		}
	}
	for i := range m.tokens {
		if m.tokens[i].busy && in(m.tokens[i].scope) {
			return true
		}
	}
	return false
}

// failItem ends an item whose map keeps failures.
func (m *Machine) failItem(at int64, t *Task) error {
	if err := m.withdrawIn(at, func(other *Task) bool { return other.scope.inside(t.scope) }); err != nil {
		return err
	}
	e := m.taskEntry(journal.RouteTaken, t, at)
	e.Flags, e.To = journal.FlagCatch|journal.FlagItem, node.End
	return m.apply(e, t.spot(), t)
}

// failure returns the body of the end of a run that a task has failed.
func (m *Machine) failure(b *Task) journal.FinishedBody {
	leaf := m.leafOf(b)
	end := journal.FinishedBody{Status: Failed, Error: leaf.Error.Error, Code: leaf.Error.Code, Marks: leaf.Error.Marks, Task: m.TaskID(leaf)}
	if end.Code == "expired" {
		end.Status = Expired
	}
	return end
}

// withdrawIn withdraws the open questions of dropped tasks.
func (m *Machine) withdrawIn(at int64, of func(t *Task) bool) error {
	for i := 0; i < len(m.interrupts); {
		id := m.interrupts[i].ID
		if t := m.asker(id); t == nil || !of(t) {
			i++
			continue
		}
		if err := m.Resolve(at, id, journal.ResolvedBody{State: journal.Withdrawn}, nil); err != nil {
			return err
		}
	}
	return nil
}

// causeOf returns the failure as the task at the end of an error edge sees it.
func causeOf(task string, body *journal.FailedBody) *nodehost.Failure {
	f := &nodehost.Failure{Task: task, Message: body.Error}
	if body.Code != "" {
		f.Kinds = []string{body.Code}
	}
	if m := body.Marks; m != nil {
		f.Details = m.Details
		if len(m.Kinds) > 0 {
			f.Kinds = m.Kinds
		}
	}
	return f
}
