package machine

import (
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// ReasonBreaks is why an entry says that a run goes on: it has other breakpoints from here on.
const ReasonBreaks = "breakpoints"

// breakpoints are where the run is held by itself (law J19).
type breakpoints struct {
	breaks  *journal.Breaks // the nodes, by path; nil for none
	stops   map[int]stop    // the same, by index in the flat plan; nil for none
	passed  []string        // tasks before which the run was held, and which have not begun
	reached []string        // tasks that have ended, and behind which the run has not been held yet
}

// stop says on which sides of a node the run is held.
type stop struct {
	before bool // before each visit
	after  bool // behind each visit
}

// setBreaks gives the run other breakpoints. Nodes that the plan does not have are none.
func (m *Machine) setBreaks(b *journal.Breaks) {
	m.breaks, m.stops, m.reached = b, nil, nil
	if b.Empty() {
		m.breaks = nil
		return
	}
	m.stops = make(map[int]stop)
	for _, path := range b.Before {
		if i, ok := m.plan.Index(path); ok {
			m.stops[i] = stop{before: true, after: m.stops[i].after}
		}
	}
	for _, path := range b.After {
		if i, ok := m.plan.Index(path); ok {
			m.stops[i] = stop{before: m.stops[i].before, after: true}
		}
	}
}

// renameBreaks finds the breakpoints under the new names of their nodes.
func (m *Machine) renameBreaks(nodes map[string]string) {
	if len(nodes) == 0 || m.breaks == nil {
		return
	}
	moves, now := plan.Migration{Nodes: nodes}, journal.Breaks{}
	for _, path := range m.breaks.Before {
		now.Before = append(now.Before, moves.Path(path))
	}
	for _, path := range m.breaks.After {
		now.After = append(now.After, moves.Path(path))
	}
	reached := m.reached
	m.setBreaks(&now)
	m.reached = reached
}

// stopsBefore holds the run if the next visit of a node is a breakpoint, and reports whether it did.
func (m *Machine) stopsBefore(at int64, sp *space, node int) (bool, error) {
	if m.stops == nil || !m.stops[node].before {
		return false, nil
	}
	task := nodehost.TaskID(m.pathOf(sp, node), int(*m.visit(sp, node))+1)
	if slices.Contains(m.passed, task) {
		return false, nil
	}
	return true, m.Hold(at, journal.HeldBody{Before: task})
}

// stopBehind holds the run behind a task that has ended at a breakpoint.
func (m *Machine) stopBehind(at int64) error {
	if len(m.reached) == 0 || m.isHeld() {
		return nil
	}
	return m.Hold(at, journal.HeldBody{After: m.reached[0]})
}

// reach notes that a task has ended.
func (m *Machine) reach(t *Task) {
	if m.stops != nil && m.stops[t.Node].after {
		m.reached = append(m.reached, m.TaskID(t))
	}
}

// stood notes at which breakpoint the run is held: each visit holds it once.
func (m *Machine) stood(body *journal.HeldBody) {
	if body.Before != "" {
		m.passed = append(m.passed, body.Before)
	}
	if i := slices.Index(m.reached, body.After); i >= 0 {
		m.reached = slices.Delete(m.reached, i, i+1)
	}
}

// pass notes that a task has begun before which the run may have been held.
func (m *Machine) pass(e *journal.Entry) {
	if i := slices.Index(m.passed, nodehost.TaskID(e.Node, int(e.Visit))); i >= 0 {
		m.passed = slices.Delete(m.passed, i, i+1)
	}
}
