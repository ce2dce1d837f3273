package machine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Rename moves what is open to where it is on the plan, as an entry that says so does. It is for a machine of its own, that
// tells how the run would stand.
func (m *Machine) Rename(nodes, values map[string]string) {
	m.relocate(nodes)
	m.renameBreaks(nodes)
	m.namedAnew(nodes)
	m.renameValues(nodes, values)
}

// renameValues finds the values of dataflows under their new names.
func (m *Machine) renameValues(nodes, values map[string]string) {
	if len(values) == 0 {
		return
	}
	moves := plan.Migration{Nodes: nodes, Values: values}
	if f := m.root.flow; f != nil {
		for i, name := range m.body.Inputs {
			m.body.Inputs[i], _ = moves.Renamed("", name)
		}
		for i := range f.d.Inputs {
			if name := f.d.Input(i); f.latest[name] == nobody && slices.Contains(m.body.Inputs, f.d.Names[name]) {
				f.latest[name] = plan.FromRun
			}
		}
		f.count()
	}
	m.eachFlow(func(s *scope) bool {
		m.place(s, func(name string) string {
			name, _ = moves.Renamed(m.scopePath(s), name)
			return name
		})
		return false
	})
}

// Convert replaces the value at base by the one that a migration made of it, for all that hold it. The delta leads
// there. Recorded steps stay.
func (m *Machine) Convert(at int64, base uint64, delta []byte, body journal.ResumedBody) error {
	e := m.entry(journal.RunResumed, at)
	Value{Changed: true, Delta: true, Base: base, Data: delta}.put(e)
	return m.applyBody(e, place0, nil, &body)
}

// converted lets all that held the value at the entry's base hold the entry's.
func (m *Machine) converted(e *journal.Entry) {
	change := func(ref *uint64) {
		if *ref == e.Base {
			*ref = e.Seq
		}
	}
	held := func(ref *uint64, _ string, _ plan.Codec) { change(ref) }
	m.eachHold(held)
	m.bases(held)
	m.eachFlow(func(s *scope) bool {
		for _, slots := range s.flow.brought {
			for i := range slots {
				change(&slots[i].ref)
			}
		}
		return false
	})
	for _, t := range m.tasks {
		change(&t.Result)
		change(&t.Ref)
		for i := range t.items {
			change(&t.items[i].ref)
			for k := range t.items[i].slots {
				change(&t.items[i].slots[k].ref)
			}
		}
	}
}

// relocate moves tokens, open tasks and their questions to where the nodes that they stand at are now (law J8).
func (m *Machine) relocate(nodes map[string]string) {
	if len(nodes) == 0 {
		return
	}
	moves := plan.Migration{Nodes: nodes}
	for i := range m.tokens {
		if m.tokens[i].scope.space == &m.space {
			m.tokens[i].at = m.moved(moves, m.tokens[i].at)
		}
	}
	m.moveUndos(moves)
	m.eachFlow(func(s *scope) bool {
		if s.space == &m.space {
			m.relocateFlow(s.flow, func(at int) int { return m.moved(moves, at) })
		}
		return false
	})
	for _, t := range m.tasks {
		if t.scope.space != &m.space {
			continue // see inItems
		}
		was := m.TaskID(t)
		if to := m.moved(moves, t.Node); to != t.Node {
			t.Node = to
			m.space.visits[to] = max(m.space.visits[to], t.Visit)
			m.relocateRunning(t)
		}
		if t.undo != nil {
			t.undo.from = m.moved(moves, t.undo.from)
		}
		now := m.TaskID(t)
		if now != was && t.Began == "" {
			t.Began = was
		}
		for i := range m.interrupts {
			if m.interrupts[i].Task == was {
				m.interrupts[i].Task = now
			}
		}
	}
	m.eachFlow(func(s *scope) bool {
		m.place(s, func(name string) string { return name })
		return false
	})
}

func (m *Machine) moved(moves plan.Migration, at int) int {
	path := m.pathOf(&m.space, at)
	if to := moves.Path(path); to != path {
		_, at = m.resolve(to)
	}
	return at
}

// FitsAfter is Fits for a run whose nodes are moved first.
func (m *Machine) FitsAfter(nodes map[string]string) string {
	if len(nodes) == 0 {
		return m.Fits()
	}
	moves := plan.Migration{Nodes: nodes}
	if fits := m.inItems(moves); fits != "" {
		return fits
	}
	pile := m.pile
	m.pile = slices.Clone(pile)
	defer func() { m.pile = pile }()
	m.moveUndos(moves)
	tokens, tasks, undos := make([]int, len(m.tokens)), make([]int, len(m.tasks)), make([]*undo, len(m.tasks))
	for i := range m.tokens {
		tokens[i], m.tokens[i].at = m.tokens[i].at, m.moved(moves, m.tokens[i].at)
	}
	for i, t := range m.tasks {
		to := m.moved(moves, t.Node)
		tasks[i], t.Node = t.Node, to
		if undos[i] = t.undo; t.undo != nil {
			t.undo = &undo{of: t.undo.of, from: m.moved(moves, t.undo.from)}
		}
	}
	fits := m.taken(tasks)
	if fits == "" {
		fits = m.Fits()
	}
	for i := range m.tokens {
		m.tokens[i].at = tokens[i]
	}
	for i, t := range m.tasks {
		t.Node, t.undo = tasks[i], undos[i]
	}
	return fits
}

// inItems says which map is at work that the moves would rename, or rename something in; "" for none. The names of its
// tasks are made of its own, and those of items that have ended are in the journal for good.
func (m *Machine) inItems(moves plan.Migration) string {
	for _, t := range m.tasks {
		if t.of > 0 && t.Node >= len(m.flat) {
			return fmt.Sprintf("task %s is at work on its items, and the plan has no such node: move the run when the items have ended", m.TaskID(t))
		}
		if t.of == 0 {
			continue
		}
		for at := t.Node; at <= t.Node+m.flat[t.Node].Size; at++ {
			if path := m.flat[at].Path; moves.Path(path) != path {
				return fmt.Sprintf("task %s is at work on its items, and %s is in it: move the run when the items have ended", m.TaskID(t), path)
			}
		}
	}
	return ""
}

// inBranches names the open branches that passed nodes which the plan does not have; "" for none. Such nodes
// lead nowhere here, so the branches cannot be joined.
func (m *Machine) inBranches() string {
	if len(m.names) == 0 {
		return ""
	}
	open := make(map[*scope]string)
	one := func(s *scope, what string) string {
		if s.flow != nil {
			return "" // they do not have to meet
		}
		if other, twice := open[s]; twice {
			return fmt.Sprintf("%s and %s are branches, and the plan does not have all nodes that they came by: move the run when they have met", other, what)
		}
		open[s] = what
		return ""
	}
	ended := func(s *scope) string {
		if s == nil || len(s.ends) == 0 || s.live == 0 {
			return ""
		}
		return one(s, "a path that has ended")
	}
	fits := ended(&m.root)
	for i := range m.tokens {
		tok := &m.tokens[i]
		fits = cmp.Or(fits, one(tok.scope, "what is on its way to "+m.pathOf(tok.scope.space, tok.at)))
	}
	for _, t := range m.tasks {
		fits = cmp.Or(fits, one(t.scope, "task "+m.TaskID(t)), ended(t.inside))
		if t.Joined() {
			fits = cmp.Or(fits, fmt.Sprintf("the branches at task %s are not merged: move the run when they are", m.TaskID(t)))
		}
	}
	return fits
}

// taken says which task would get the name of one that the run has had, "" for none: a name means one task in all of
// the journal. The tasks are moved; the given nodes are where they were.
func (m *Machine) taken(were []int) string {
	for i, t := range m.tasks {
		if t.Node != were[i] && m.space.visits[t.Node] >= t.Visit {
			return fmt.Sprintf("task %s would be %s, and the run has had a task of that name: let the plan have another name for the node",
				nodehost.TaskID(m.pathOf(t.scope.space, were[i]), int(t.Visit)), m.TaskID(t))
		}
	}
	return ""
}
