package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// startFlows starts ready nodes of the touched dataflows, within the limit of tasks (law F4).
func (m *Machine) startFlows(at int64) error {
	kept := 0
	for i := 0; i < len(m.touched); i++ { // it may grow meanwhile
		s := m.touched[i]
		s.flow.touched = false
		if !m.isOpen(s) || s.flow.over {
			continue
		}
		waits := m.isHeld() || m.broken > 0 && m.doomed(s)
		if !waits {
			var err error
			if waits, err = m.startFlow(at, s); err != nil || m.isEnding() {
				m.touched = append(m.touched[:kept], m.touched[i+1:]...)
				return err
			}
		}
		if waits && !s.flow.touched {
			s.flow.touched = true
			m.touched[kept] = s
			kept++
		}
	}
	clear(m.touched[kept:])
	m.touched = m.touched[:kept]
	return nil
}

// isOpen reports whether a scope is still that of an open task, or of the run.
func (m *Machine) isOpen(s *scope) bool {
	t := s.parent
	switch {
	case t == nil:
		return true
	case t.ID == 0:
		return false
	case s.item > 0:
		return s.item <= len(t.items) && t.items[s.item-1].scope == s
	}
	return t.inside == s
}

// startFlow begins what may begin in one dataflow, in declared order: it does not depend on when which of them was listed,
// which a machine that is folded anew does not know (law J1). It reports whether there is more that has to wait.
func (m *Machine) startFlow(at int64, s *scope) (waits bool, err error) {
	f := s.flow
	if f.mixed {
		slices.Sort(f.ready[f.first:])
		f.mixed = false
	}
	for f.first < len(f.ready) {
		if m.crowded(s) {
			return true, nil
		}
		v := f.ready[f.first]
		if !f.mayBegin(v) {
			f.shift()
			continue
		}
		if full, err := m.full(at, s.space, func() string { return m.nextTask(s, v) }); full || err != nil {
			return true, err
		}
		if stops, err := m.stopsBefore(at, s.space, f.at[v]); stops || err != nil {
			return true, err
		}
		f.shift()
		if err := m.fire(at, s, v, 0); err != nil {
			return true, err
		}
	}
	for c, ok := f.round(); ok; c, ok = f.round() {
		if m.crowded(s) {
			return true, nil
		}
		if full, err := m.full(at, s.space, func() string { return m.nextTask(s, c.to) }); full || err != nil {
			return true, err
		}
		if stops, err := m.stopsBefore(at, s.space, f.at[c.to]); stops || err != nil {
			return true, err
		}
		if err := m.fire(at, s, c.to, c.seq); err != nil {
			return true, err
		}
	}
	if f.live == 0 && s.live == 0 {
		return false, m.endFlow(at, s)
	}
	return false, nil
}

// crowded reports whether as many tasks of a dataflow are at work as may be at once. What waits holds nothing up (law H3): a
// task that waits for something outside, and one in which all that has begun waits.
func (m *Machine) crowded(s *scope) bool {
	most := s.flow.d.Concurrency
	if s.live < most || m.waiting+m.backoff+m.broken == 0 {
		return s.live >= most
	}
	works := make(map[*Task]bool) // by task of the dataflow: something in it is at work; what has nothing in it yet is left out
	resting := 0                  // how many are false
	for _, t := range m.tasks {
		if t.State == Inside {
			continue
		}
		rests := t.State == Waiting || t.State == Backoff || t.State == Broken
		for t != nil && t.scope != s {
			t = t.scope.parent
		}
		if t == nil {
			continue
		}
		switch before, seen := works[t]; {
		case !seen && rests:
			resting++
		case seen && !before && !rests:
			resting--
		}
		works[t] = works[t] || !rests
	}
	return s.live-resting >= most
}

// shift takes the first node from those that may begin.
func (f *flow) shift() {
	f.nodes[f.ready[f.first]].queued = false
	if f.first++; f.first == len(f.ready) {
		f.ready, f.first = f.ready[:0], 0
	}
}

func (m *Machine) nextTask(s *scope, v int) string {
	at := s.flow.at[v]
	return nodehost.TaskID(m.pathOf(s.space, at), int(*m.visit(s.space, at))+1)
}

// fire begins a task with the values that were written last.
func (m *Machine) fire(at int64, s *scope, v int, took uint64) error {
	e := m.entry(journal.NodeStarted, at)
	where := spot{s.flow.at[v], s.space}
	e.Node, e.Visit, e.Attempt = m.pathOf(where.space, where.at), *m.visit(where.space, where.at)+1, 1
	if !m.unread {
		e.Body = encode(s.flow.beginBody(v, took))
	}
	m.beginning = beginning{scope: s, node: v, took: took}
	m.hint = &m.beginning
	err := m.apply(e, where, nil)
	if m.hint = nil; err != nil {
		return err
	}
	m.run(m.tasks[len(m.tasks)-1])
	return nil
}

func (f *flow) beginBody(v int, took uint64) journal.BeginBody {
	body := journal.BeginBody{Took: took}
	for _, name := range f.d.Nodes[v].In {
		if s := f.slot(name); s.ref != 0 {
			if body.In == nil {
				body.In = make(map[string]uint64)
			}
			body.In[f.d.Names[name]] = s.ref
		}
	}
	return body
}

// canFire reports whether any dataflow can go on.
func (m *Machine) canFire() bool {
	for _, s := range m.touched {
		f := s.flow
		if !m.isOpen(s) || f.over {
			continue
		}
		if slices.ContainsFunc(f.ready[f.first:], f.mayBegin) {
			return true
		}
		if _, ok := f.round(); ok || f.live == 0 && s.live == 0 && len(f.starved(m)) == 0 {
			return true
		}
	}
	return false
}

// endFlow ends a dataflow in which nothing can run, and records skipped nodes (law D9). If a node should have
// run, the run is stuck instead (law F5).
func (m *Machine) endFlow(at int64, s *scope) error {
	f := s.flow
	if f.isThrough() {
		m.flowOver(s)
		return nil
	}
	fates := f.fates(m)
	for _, v := range f.d.Order() {
		if fates[v].skipped == "" || f.skips != nil && f.skips[v] {
			continue
		}
		e := m.entry(journal.NodeSkipped, at)
		e.Node, e.Visit = m.pathOf(s.space, f.at[v]), *m.visit(s.space, f.at[v])+1
		if !m.unread {
			e.Body = encode(journal.SkippedBody{Reason: fates[v].skipped})
		}
		if err := m.apply(e, spot{f.at[v], s.space}, nil); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(fates, func(x fate) bool { return x.starved != "" }) {
		return nil
	}
	m.flowOver(s)
	return nil
}

// flowOver hands on that nothing more can run in a dataflow.
func (m *Machine) flowOver(s *scope) {
	f := s.flow
	f.over = true
	s.ends = append(s.ends[:0], arrival{})
	switch t := s.parent; {
	case t == nil:
	case s.item > 0:
		t.items[s.item-1].slots = f.results()
		m.itemOver(t, s)
	default:
		t.Result = 0
		m.set(t, Leaving)
	}
}

func (f *flow) results() []slot {
	slots := make([]slot, len(f.d.Results))
	for i, name := range f.d.Results {
		slots[i] = f.slot(name)
	}
	return slots
}

// fate is why a node of a dataflow has not run, or does not run again.
type fate struct {
	skipped string   // it was not chosen, or needs what therefore does not come
	starved string   // it should have run
	needs   []string // what it waits for
}

// fates returns why each node does not run, once nothing can run (law D9). It finds skipped nodes first: in a
// loop, an input may be written by a later node.
func (f *flow) fates(m *Machine) []fate {
	fates := make([]fate, len(f.nodes))
	for again := true; again; {
		again = false
		for _, v := range f.d.Order() {
			if fates[v].skipped == "" && !f.nodes[v].ran && !f.isChosen(v) {
				fates[v].skipped = f.whySkipped(m, fates, v)
				again = again || fates[v].skipped != ""
			}
		}
	}
	for _, v := range f.d.Order() {
		switch {
		case f.isChosen(v):
			fates[v] = f.starving(m, fates, v, "it was chosen, and ")
		case f.nodes[v].ran || fates[v].skipped != "":
		case f.d.Nodes[v].Gated:
			gate := f.idleGate(fates, v)
			if fates[v].starved = fmt.Sprintf("gate %q could not run", f.title(m, gate)); f.handles(v, gate) {
				fates[v].starved = fmt.Sprintf("it handles the failure of %q, which could not run", f.title(m, gate))
			}
		default:
			fates[v] = f.starving(m, fates, v, "")
		}
	}
	return fates
}

// isThrough reports whether every node has run, and no decision is left.
func (f *flow) isThrough() bool {
	return len(f.chosen) == 0 && len(f.pending) == 0 && !slices.ContainsFunc(f.nodes, func(n flowNode) bool { return !n.ran })
}

// isChosen reports whether a gate has chosen a node, and nothing has come of it.
func (f *flow) isChosen(v int) bool {
	return f.nodes[v].chosen > 0 || slices.ContainsFunc(f.pending, func(c choice) bool { return c.to == v })
}

func (f *flow) title(m *Machine, v int) string { return m.flat[f.at[v]].Name }

// whySkipped is why a node is skipped that has never run and was not chosen: no gate can choose it any more, or a value that
// it needs cannot come because of what was not chosen. It is "" where that cannot be said, or not yet.
func (f *flow) whySkipped(m *Machine, fates []fate, v int) string {
	if f.d.Nodes[v].Gated {
		if f.idleGate(fates, v) >= 0 {
			return ""
		}
		return f.notChosen(m, fates, v)
	}
	for _, name := range f.d.Nodes[v].Needs {
		if f.latest[name] != nobody {
			continue
		}
		if why, skipped := f.whyMissing(m, fates, v, name); skipped {
			return fmt.Sprintf("it needs %q, and %s", f.d.Names[name], why)
		}
	}
	return ""
}

// idleGate is a gate over a node that has not decided, and could have: -1 for none.
func (f *flow) idleGate(fates []fate, v int) int {
	idle := -1
	f.d.Gates(v, func(gate int) bool {
		n := &f.nodes[gate]
		if !n.visited && fates[gate].skipped == "" && (!n.ran || f.isChosen(gate)) {
			idle = gate
		}
		return idle < 0
	})
	return idle
}

// notChosen is why no gate can choose a node any more.
func (f *flow) notChosen(m *Machine, fates []fate, v int) string {
	var why []string
	f.d.Gates(v, func(gate int) bool {
		how := "did not choose it"
		switch {
		case fates[gate].skipped != "":
			how = "was skipped"
		case !f.nodes[gate].visited:
			how = "did not run"
		}
		what := "gate "
		if f.handles(v, gate) {
			if what = ""; how == "did not choose it" {
				how = "did not fail"
			}
		}
		why = append(why, fmt.Sprintf("%s%q %s", what, f.title(m, gate), how))
		return true
	})
	return strings.Join(why, ", and ")
}

// starving is the fate of a node that waits for values which could have come, or that was chosen.
func (f *flow) starving(m *Machine, fates []fate, v int, chosen string) fate {
	var needs, reasons []string
	for _, name := range f.d.Nodes[v].Needs {
		if f.latest[name] == nobody {
			why, _ := f.whyMissing(m, fates, v, name)
			needs, reasons = append(needs, f.d.Names[name]), append(reasons, fmt.Sprintf("%q: %s", f.d.Names[name], why))
		}
	}
	if len(needs) == 0 {
		return fate{}
	}
	return fate{starved: chosen + "it waits for " + strings.Join(reasons, "; "), needs: needs}
}

// whyMissing says why nobody has written a value, and whether that is for want of a choice.
func (f *flow) whyMissing(m *Machine, fates []fate, v, name int) (why string, skipped bool) {
	var parts []string
	skipped = true
	f.d.Writers(name, func(w int) bool {
		switch {
		case w == v:
			return true
		case fates[w].skipped != "":
			parts = append(parts, fmt.Sprintf("%q was skipped", f.title(m, w)))
		case f.nodes[w].visited:
			what := "%q brought no value"
			if f.nodes[w].failed {
				what = "%q failed"
			}
			parts = append(parts, fmt.Sprintf(what, f.title(m, w)))
		case f.d.Nodes[w].Closed:
			parts, skipped = append(parts, fmt.Sprintf("%q lies before the entry", f.title(m, w))), false
		default:
			parts, skipped = append(parts, fmt.Sprintf("%q cannot run either", f.title(m, w))), false
		}
		return true
	})
	if len(parts) == 0 {
		return "nobody writes it", false
	}
	return strings.Join(parts, " and "), skipped
}

// starved are the nodes of the dataflow that should have run and could not.
func (f *flow) starved(m *Machine) []int {
	var list []int
	for v, x := range f.fates(m) {
		if x.starved != "" {
			list = append(list, v)
		}
	}
	return list
}

// stuckNodes are all nodes of dataflows that should have run and could not (law F5).
func (m *Machine) stuckNodes() []journal.StuckNode {
	var list []journal.StuckNode
	m.eachFlow(func(s *scope) bool {
		if s.flow.over || s.flow.live > 0 || s.live > 0 {
			return false
		}
		for v, x := range s.flow.fates(m) {
			if x.starved != "" {
				list = append(list, journal.StuckNode{Node: m.pathOf(s.space, s.flow.at[v]), Needs: x.needs, Reason: x.starved})
			}
		}
		return false
	})
	return list
}

// eachFlow calls do with every scope of a dataflow, until it returns true.
func (m *Machine) eachFlow(do func(s *scope) bool) {
	if m.root.flow != nil && do(&m.root) {
		return
	}
	for _, t := range m.tasks {
		if t.inside != nil && t.inside.flow != nil && do(t.inside) {
			return
		}
		for i := range t.items {
			if s := t.items[i].scope; s != nil && s.flow != nil && do(s) {
				return
			}
		}
	}
}

// Slot is a value that a dataflow hands on, with the node that wrote it. From is the node's number in the definition
// (plan.FromRun for the run). The entry that holds its record is 0 if no node has written it.
type Slot struct {
	From int    // number of the node, or plan.FromRun
	Ref  uint64 // seq of the record; 0 for none
}

// Slots are the values that a task of a dataflow was given, in the order of its inputs.
// They are appended to list.
func (m *Machine) Slots(t *Task, list []Slot) []Slot {
	for _, s := range t.slots {
		list = append(list, Slot{From: s.from, Ref: s.ref})
	}
	return list
}

func slotsOf(slots []slot) []Slot {
	list := make([]Slot, len(slots))
	for i, s := range slots {
		list[i] = Slot{From: s.from, Ref: s.ref}
	}
	return list
}

// InFlow reports whether a task runs in a dataflow.
func (t *Task) InFlow() bool { return t.scope.flow != nil }

// Outcome returns the outputs of the dataflow in a subgraph's task, or of the run (nil), in order. Missing ones are
// those of its node's last run. ok is false if it is no dataflow.
func (m *Machine) Outcome(t *Task) (slots []Slot, ok bool) {
	f := m.root.flow
	if t != nil {
		if f = nil; t.inside != nil {
			f = t.inside.flow
		}
	}
	if f == nil {
		return nil, false
	}
	brought := f.results()
	if t != nil && t.scope.flow != nil {
		if v := m.local(t); v >= 0 {
			brought = t.scope.flow.complete(v, brought)
		}
	}
	return slotsOf(brought), true
}

// touchAll lets Next look at all dataflows.
func (m *Machine) touchAll() {
	m.eachFlow(func(s *scope) bool {
		m.touch(s)
		return false
	})
}
