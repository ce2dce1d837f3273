package machine

import (
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// beginning is what a task of a dataflow begins with, as Next hands it to the fold.
type beginning struct {
	scope *scope // of the dataflow
	node  int    // its number in the dataflow
	took  uint64 // seq of the decision that began a round; 0 for none
}

// openFlow begins a dataflow in a scope.
func (m *Machine) openFlow(s *scope, d *plan.Dataflow, at []int, ref uint64, given func(input int) bool) {
	s.flow = newFlow(d, at, ref, given)
	m.touch(s)
}

// openRoot begins the run's own dataflow.
func (m *Machine) openRoot(d *plan.Dataflow, ref uint64) {
	m.openFlow(&m.root, d, m.plan.Inside(), ref, func(input int) bool { return slices.Contains(m.body.Inputs, d.Names[d.Input(input)]) })
}

// openInside begins the dataflow in a subgraph's task. It was given what the task was given, if that runs in a dataflow.
func (m *Machine) openInside(s *scope, t *Task, ref uint64) {
	f := &m.flat[t.Node]
	m.openFlow(s, f.Sub.Dataflow(), f.Inside, ref, func(input int) bool {
		return f.Flow == nil || input < len(t.slots) && t.slots[input].ref != 0
	})
}

// touch lets Next look at a dataflow.
func (m *Machine) touch(s *scope) {
	if !s.flow.touched {
		s.flow.touched = true
		m.touched = append(m.touched, s)
	}
}

// flowOf returns the scope of the dataflow in which a node's tasks run; nil for other plans, or if nothing of
// its plan is open.
func (m *Machine) flowOf(at spot) *scope {
	if at.at >= len(m.flat) {
		return m.flowOfGhost(m.names[at.at-len(m.flat)])
	}
	f := &m.flat[at.at]
	switch {
	case f.Owner.Dataflow() == nil:
		return nil
	case f.Parent < 0:
		return &m.root
	case at.space.prefix != "" && f.Parent == at.space.base-1:
		return m.scopes[at.space.prefix]
	}
	for _, t := range m.tasks {
		if t.Node == f.Parent && t.scope.space == at.space && t.inside != nil && t.inside.flow != nil {
			return t.inside
		}
	}
	return nil
}

// flowOfGhost is flowOf for a node that the plan does not have (law J8).
func (m *Machine) flowOfGhost(path string) *scope {
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		if m.root.flow != nil {
			return &m.root
		}
		return nil
	}
	if sp, at := m.lookup(path[:cut]); at >= 0 && at < len(m.flat) && m.flat[at].Sub != nil {
		for _, t := range m.tasks {
			if t.Node == at && t.scope.space == sp && t.inside != nil && t.inside.flow != nil {
				return t.inside
			}
		}
	}
	return nil
}

// local is the number of a task's node in its dataflow, -1 for one that the plan does not have.
func (m *Machine) local(t *Task) int {
	if t.Node >= len(m.flat) {
		return -1
	}
	return m.flat[t.Node].Local
}

// flowStarted begins a task of a dataflow.
func (m *Machine) flowStarted(e *journal.Entry, at spot, s *scope) error {
	visit := m.visit(at.space, at.at)
	if e.Visit != *visit+1 {
		if m.replanned() {
			return m.lose(e)
		}
		return m.corrupt(e, "expected visit %d", *visit+1)
	}
	t := m.newTask()
	if at.at < len(m.flat) {
		v := m.flat[at.at].Local
		var took uint64
		if b, ok := m.hint.(*beginning); ok {
			took, t.slots = b.took, s.flow.capture(v, t.slots)
		} else {
			body, err := bodyOf[journal.BeginBody](m, e)
			if err != nil {
				return err
			}
			if took = body.Took; !m.given(s.flow, v, t, body.In) && !m.replanned() {
				return m.corrupt(e, "it was given values that nobody had written, or not those that were written last")
			}
		}
		if !m.replanned() && (took == 0 && !s.flow.mayBegin(v) || took != 0 && !s.flow.awaits(v, took)) {
			return m.corrupt(e, "the node could not begin yet")
		}
		if took == 0 {
			t.Cause = s.flow.causeOf(v)
		}
		s.flow.began(v, took)
	} else {
		body, err := bodyOf[journal.BeginBody](m, e)
		if err != nil {
			return err
		}
		t.unplaced = body.In
	}
	*visit++
	m.count(t, at.space)
	t.ID, t.Node, t.Visit, t.Attempt, t.scope = e.Seq, at.at, e.Visit, max(e.Attempt, 1), s
	s.live++
	m.set(t, Ready)
	m.tasks = append(m.tasks, t)
	return nil
}

// given finds the values that the journal says a task was given; false where the table says otherwise.
func (m *Machine) given(f *flow, v int, t *Task, in map[string]uint64) bool {
	t.slots = f.capture(v, t.slots)
	same := true
	for k := range t.slots {
		ref := in[f.d.Names[f.d.Nodes[v].In[k]]]
		if ref == t.slots[k].ref {
			continue
		}
		same = false
		t.slots[k] = f.writer(f.d.Nodes[v].In[k], ref)
	}
	if !same {
		t.unplaced = in
	}
	return same
}

// writer finds who wrote a version of a value.
func (f *flow) writer(name int, ref uint64) slot {
	if ref == f.input && ref != 0 {
		return slot{plan.FromRun, ref}
	}
	found := slot{from: nobody}
	f.d.Writers(name, func(v int) bool {
		if f.nodes[v].ref == ref && ref != 0 {
			found = slot{v, ref}
		}
		return found.ref == 0
	})
	return found
}

// flowFinished notes what a task of a dataflow has written.
func (m *Machine) flowFinished(e *journal.Entry, t *Task) {
	f, v := t.scope.flow, m.local(t)
	ref := t.Result
	switch {
	case e.HasValue():
		ref = e.Seq
	case v >= 0:
		ref = f.nodes[v].ref
	}
	gate := v >= 0 && m.flat[t.Node].Gate()
	if v < 0 {
		f.ghosts = slices.DeleteFunc(f.ghosts, func(g ghost) bool { return g.at == t.Node })
		f.ghosts = append(f.ghosts, ghost{t.Node, ref, t.ID})
	} else {
		f.wrote(v, ref, m.absent(t))
		f.nodes[v].ended = e.Seq
		if t.inside != nil && t.inside.flow != nil && f.d.Nodes[v].Region >= 0 { // it may run again
			f.keep(v, t.inside.flow.results())
		}
	}
	m.touch(t.scope)
	if gate {
		m.set(t, Choosing)
		return
	}
	m.dropInside(t)
	m.drop(t)
	if v >= 0 {
		if len(f.d.Nodes[v].Targets) > 0 { // it has succeeded: no handler is chosen any more (law D8)
			f.decided(v, e.Seq, nil, nil)
		}
		f.ended(v)
	}
}

// keep records the outputs of a subgraph. A missing output keeps its last version (law D3).
func (f *flow) keep(v int, slots []slot) {
	if f.brought == nil {
		f.brought = make([][]slot, len(f.nodes))
	}
	f.brought[v] = f.complete(v, slots)
}

// complete adds to what a subgraph has brought what it brought before, and not now.
func (f *flow) complete(v int, slots []slot) []slot {
	if f.brought == nil {
		return slots
	}
	for i, last := range f.brought[v] {
		if i < len(slots) && slots[i].ref == 0 {
			slots[i] = last
		}
	}
	return slots
}

// absent reports which outputs of a task bring no value: those that nothing inside of its subgraph has written.
func (m *Machine) absent(t *Task) func(output int) bool {
	if t.inside == nil || t.inside.flow == nil || t.Node >= len(m.flat) || m.flat[t.Node].Sub == nil {
		return nil
	}
	inner := t.inside.flow
	return func(output int) bool {
		return output < len(inner.d.Results) && inner.latest[inner.d.Results[output]] == nobody
	}
}

// flowRouted notes what a gate of a dataflow has chosen, or which node handles a failure (law D14).
func (m *Machine) flowRouted(e *journal.Entry, at spot, t *Task, body journal.RouteBody) {
	f, v := t.scope.flow, m.local(t)
	s := t.scope
	var cause *nodehost.Failure
	if e.Flags&journal.FlagCatch != 0 {
		cause = causeOf(nodehost.TaskID(e.Node, int(e.Visit)), &t.Error)
	}
	m.dropInside(t)
	m.drop(t)
	m.touch(s)
	if cause != nil {
		m.forgetWork()
	}
	if v < 0 {
		return
	}
	names := body.To
	if len(names) == 0 {
		names = []string{e.To}
	}
	var to []int
	var strays []string
	for _, name := range names {
		i := m.target(at, name)
		if i >= 0 && i < len(m.flat) && m.flat[i].Owner == m.flat[at.at].Owner {
			to = append(to, m.flat[i].Local)
		} else if i >= 0 {
			strays = append(strays, name)
		}
	}
	f.nodes[v].failed = cause != nil
	f.decided(v, e.Seq, to, cause)
	f.strays = strays
	f.ended(v)
}

// stray is a node that a gate of a dataflow has chosen and that the plan does not have, "" for none (law J8).
func (m *Machine) stray() (path string) {
	m.eachFlow(func(s *scope) bool {
		if len(s.flow.strays) > 0 {
			path = s.flow.strays[0]
		}
		return path != ""
	})
	return path
}

// flowSkipped notes that what was skipped in a dataflow is recorded.
func (m *Machine) flowSkipped(e *journal.Entry, at spot) error {
	s := m.flowOf(at)
	if s == nil || s.flow == nil {
		if m.replanned() {
			return nil
		}
		return m.corrupt(e, "it is no node of a dataflow that is at work")
	}
	if at.at < len(m.flat) {
		s.flow.skip(m.flat[at.at].Local)
	}
	return nil
}

func (f *flow) skip(v int) {
	if f.skips == nil {
		f.skips = make([]bool, len(f.nodes))
	}
	f.skips[v] = true
}

// relocateFlow moves what nodes of the old plan have written to where they are now (law J8).
func (m *Machine) relocateFlow(f *flow, moved func(at int) int) {
	if len(f.ghosts) == 0 {
		return
	}
	f.ghosts = slices.DeleteFunc(f.ghosts, func(g ghost) bool {
		v := slices.Index(f.at, moved(g.at))
		if v < 0 {
			return false
		}
		n := &f.nodes[v]
		n.ref, n.ran, n.visited = g.ref, true, true
		n.fresh = f.newer(v, g.began)
		m.space.visits[f.at[v]] = max(m.space.visits[f.at[v]], m.space.visits[g.at])
		for _, name := range f.d.Nodes[v].Out {
			f.latest[name] = v
		}
		return true
	})
	f.count()
}

// place finds what open tasks were given, where the values, or the nodes that wrote them, had other names.
func (m *Machine) place(s *scope, now func(name string) string) {
	for _, t := range m.tasks {
		v := m.local(t)
		if t.scope != s || v < 0 || t.unplaced == nil {
			continue
		}
		for len(t.slots) < len(s.flow.d.Nodes[v].In) {
			t.slots = append(t.slots, slot{from: nobody})
		}
		for _, name := range slices.Sorted(maps.Keys(t.unplaced)) {
			ref := t.unplaced[name]
			k := slices.IndexFunc(s.flow.d.Nodes[v].In, func(in int) bool { return s.flow.d.Names[in] == now(name) })
			if k >= 0 && k < len(t.slots) && t.slots[k].ref == 0 {
				t.slots[k] = s.flow.writer(s.flow.d.Nodes[v].In[k], ref)
			}
		}
	}
}

// newer reports whether a value that a node reads along a forward edge was written after an entry.
func (f *flow) newer(v int, seq uint64) bool {
	for w := range f.nodes {
		if f.nodes[w].ended > seq && slices.Contains(f.d.Nodes[w].Readers, v) {
			return true
		}
	}
	return false
}

// relocateRunning moves a task that is at work to where its node is now.
func (m *Machine) relocateRunning(t *Task) {
	v := m.local(t)
	if t.scope.flow == nil || v < 0 {
		return
	}
	n := &t.scope.flow.nodes[v]
	n.ran, n.visited, n.running, n.fresh = true, true, true, false
	t.scope.flow.count()
}
