package machine

import "github.com/fermata-go/fermata/plan"

// relocate moves tokens, open tasks and their questions to where the nodes that they stand at are now (law J8).
func (m *Machine) relocate(nodes map[string]string) {
	if len(nodes) == 0 {
		return
	}
	moves := plan.Migration{Nodes: nodes}
	for i := range m.tokens {
		m.tokens[i].at = m.moved(moves, m.tokens[i].at)
	}
	for _, t := range m.tasks {
		was := m.TaskID(t)
		if to := m.moved(moves, t.Node); to != t.Node {
			t.Node = to
			m.visits[to] = max(m.visits[to], t.Visit)
		}
		for i := range m.interrupts {
			if m.interrupts[i].Task == was {
				m.interrupts[i].Task = m.TaskID(t)
			}
		}
	}
}

func (m *Machine) moved(moves plan.Migration, at int) int {
	path := m.Path(at)
	if to := moves.Path(path); to != path {
		return m.index(to)
	}
	return at
}

// FitsAfter is Fits for a run whose nodes are moved first.
func (m *Machine) FitsAfter(nodes map[string]string) string {
	if len(nodes) == 0 {
		return m.Fits()
	}
	moves := plan.Migration{Nodes: nodes}
	tokens, tasks := make([]int, len(m.tokens)), make([]int, len(m.tasks))
	for i := range m.tokens {
		tokens[i], m.tokens[i].at = m.tokens[i].at, m.moved(moves, m.tokens[i].at)
	}
	for i, t := range m.tasks {
		tasks[i], t.Node = t.Node, m.moved(moves, t.Node)
	}
	fits := m.Fits()
	for i := range m.tokens {
		m.tokens[i].at = tokens[i]
	}
	for i, t := range m.tasks {
		t.Node = tasks[i]
	}
	return fits
}
