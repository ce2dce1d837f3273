package machine

import (
	"maps"
	"slices"
	"strconv"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Held is a value that is still in use in the run: by a token, an open task, or the end of a path.
type Held struct {
	Ref   uint64     // seq of the entry that recorded it
	By    string     // the task, "review#1"; of a token the node that it is on its way to, "review"; "" for the end
	Codec plan.Codec // keeps it; nil where the plan does not have the node
}

// Holds lists the values that a fork may edit, in a fixed order. A value may be held more than once.
func (m *Machine) Holds() []Held {
	var all []Held
	m.eachHold(func(ref *uint64, by string, codec plan.Codec) {
		all = append(all, Held{Ref: *ref, By: by, Codec: codec})
	})
	return all
}

// eachHold calls do with all places that hold a value which somebody will be given, and who that is.
func (m *Machine) eachHold(do func(ref *uint64, by string, codec plan.Codec)) {
	m.eachFlow(func(s *scope) bool {
		m.heldByFlow(s, do)
		return false
	})
	m.eachState(do)
	for _, t := range m.tasks {
		for i := range t.slots {
			if t.slots[i].ref != 0 {
				do(&t.slots[i].ref, m.TaskID(t), m.codecOf(t.scope, t.slots[i].from))
			}
		}
	}
}

// eachState is eachHold without the records of dataflows.
func (m *Machine) eachState(do func(ref *uint64, by string, codec plan.Codec)) {
	owner, inside := m.codecAt, m.codecInside
	arrivals := func(list []arrival, by string, codec plan.Codec) {
		for i := range list {
			if list[i].ref != 0 { // of a dataflow, which is not what one path has ended with
				do(&list[i].ref, by, codec)
			}
		}
	}
	for i := range m.tokens {
		tok := &m.tokens[i]
		do(&tok.ref, m.pathOf(tok.scope.space, tok.at), owner(tok.at))
	}
	for _, t := range m.tasks {
		id := m.TaskID(t)
		if t.scope.flow == nil {
			do(&t.Ref, id, owner(t.Node))
		}
		arrivals(t.taken, id, owner(t.Node))
		if t.State == Leaving && t.Result != 0 && t.Result != t.Ref && m.isSub(t) {
			do(&t.Result, id, inside(t))
		}
		if t.inside != nil {
			arrivals(t.inside.ends, id, inside(t))
		}
		for i := range t.items {
			it := &t.items[i]
			name := id + "." + strconv.Itoa(i+1)
			if i >= t.begun {
				do(&it.ref, name, inside(t))
			}
			arrivals(it.ends, name, inside(t))
			if it.scope != nil {
				arrivals(it.scope.ends, name, inside(t))
			}
		}
	}
	arrivals(m.root.ends, "", m.plan.State())
	if m.ended() && m.final != 0 {
		do(&m.final, "", m.plan.State())
	}
}

// codecAt keeps the values of a node, nil for one that the plan does not have.
func (m *Machine) codecAt(at int) plan.Codec {
	if at < len(m.flat) {
		return m.flat[at].Owner.State()
	}
	return nil
}

// codecInside keeps the values in a task's subgraph, nil where it has none.
func (m *Machine) codecInside(t *Task) plan.Codec {
	if m.isSub(t) {
		return m.flat[t.Node].Sub.State()
	}
	return nil
}

// heldByFlow calls do with the last outputs of a dataflow's nodes, by path. It also calls do with the inputs,
// by the dataflow's task.
func (m *Machine) heldByFlow(s *scope, do func(ref *uint64, by string, codec plan.Codec)) {
	f, by := s.flow, "/" // which is no node
	if s.parent != nil {
		by = m.TaskID(s.parent)
	}
	do(&f.input, by, m.codecOf(s, plan.FromRun))
	for v := range f.nodes {
		if f.nodes[v].ref != 0 {
			do(&f.nodes[v].ref, m.pathOf(s.space, f.at[v]), m.codecOf(s, v))
		}
	}
}

// codecOf keeps what a node of a dataflow writes, or the inputs of the dataflow.
func (m *Machine) codecOf(s *scope, from int) plan.Codec {
	return m.flat[s.flow.at[0]].Owner.Keeps(from)
}

// Fork continues a folded run as a fork, whatever its status was. The interrupts in body.Again are asked again,
// and their tasks repeat later calls. A failed run goes on as by a retry.
func (m *Machine) Fork(at int64, body journal.ResumedBody) error {
	for _, id := range body.Again {
		if t := m.asker(id); t != nil {
			if err := m.withdrawFrom(at, t, t.asked(id)); err != nil {
				return err
			}
		}
	}
	body.Reason = ReasonFork
	return m.Resume(at, body)
}

// Edit replaces the value at base, for all that hold it or only for the holder that body.Of names. An open task that
// was given the old value begins again from the top, without the calls that it made.
func (m *Machine) Edit(at int64, base uint64, delta []byte, body journal.ResumedBody) error {
	for _, t := range m.tasks {
		if t.has(base) && m.meant(t, body.Of) {
			if err := m.withdrawFrom(at, t, 0); err != nil {
				return err
			}
		}
	}
	body.Reason = ReasonFork
	e := m.entry(journal.RunResumed, at)
	Value{Changed: true, Delta: true, Base: base, Data: delta}.put(e)
	return m.applyBody(e, place0, nil, &body)
}

// has reports whether a task was given a value.
func (t *Task) has(ref uint64) bool {
	return t.Ref == ref || slices.ContainsFunc(t.slots, func(s slot) bool { return s.ref == ref })
}

// withdrawFrom takes back the open questions among the calls of a task, from the given one on.
func (m *Machine) withdrawFrom(at int64, t *Task, from int) error {
	for i := from; i < len(t.Ops); i++ {
		if id := t.Ops[i].Interrupt; id != "" && m.Interrupt(id) != nil {
			if err := m.Resolve(at, id, journal.ResolvedBody{State: journal.Withdrawn}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// asked is the place of the call that asked among the task's, their number when none did.
func (t *Task) asked(interrupt string) int {
	if i := slices.IndexFunc(t.Ops, func(op Op) bool { return op.Interrupt == interrupt }); i >= 0 {
		return i
	}
	return len(t.Ops)
}

// UnsettledByFork returns a call of unknown outcome that a Fork would forget; "" for none (law J5). again holds
// the interrupts that the Fork asks again.
func (m *Machine) UnsettledByFork(again []string) string {
	for _, t := range m.tasks {
		if from := t.rewind(again); from >= 0 {
			if op := t.unsettled(from); op != "" {
				return m.TaskID(t) + ", " + op
			}
		}
	}
	return ""
}

// UnsettledByEdit is the same for an Edit.
func (m *Machine) UnsettledByEdit(base uint64, of string) string {
	for _, t := range m.tasks {
		if t.has(base) && m.meant(t, of) {
			if op := t.unsettled(0); op != "" {
				return m.TaskID(t) + ", " + op
			}
		}
	}
	return ""
}

func (t *Task) unsettled(from int) string {
	for i := from; i < len(t.Ops); i++ {
		if t.Ops[i].Begun && !t.Ops[i].Done {
			return t.Ops[i].ID
		}
	}
	return ""
}

// rewind is the first call of a task that a fork makes again: a question that was taken back, or is to be asked again;
// -1 for none.
func (t *Task) rewind(again []string) int {
	return slices.IndexFunc(t.Ops, func(op Op) bool {
		return op.Interrupt != "" && (op.Failure == node.ErrWithdrawn.Error() || slices.Contains(again, op.Interrupt))
	})
}

func (m *Machine) meant(t *Task, of string) bool { return of == "" || of == m.TaskID(t) }

// forked folds the entries that begin a fork: the first lets the run go on, those with a value edit one.
func (m *Machine) forked(e *journal.Entry, body journal.ResumedBody) error {
	if err := m.noLongerUndoing(e, true, true); err != nil {
		return err
	}
	if m.letGo(); !e.HasValue() {
		m.setBreaks(body.Breaks)
		m.passed = nil
	}
	switch m.status {
	case Completed:
		return m.corrupt(e, "a fork, of a run that is completed")
	case Failed, Expired:
		hint, retry := m.hint, body
		retry.Reason = ReasonRetry
		m.hint = &retry
		err := m.runResumed(e)
		if m.hint = hint; err != nil {
			return err
		}
	default:
		m.takeovers = takeovers{}
		m.status, m.finished, m.reason = Running, journal.FinishedBody{}, ""
		m.Rename(body.Nodes, body.Values)
		if body.Fingerprint != "" {
			m.body.Fingerprint = body.Fingerprint
		}
		if body.Definition != "" {
			m.body.Definition = body.Definition
		}
	}
	for _, t := range m.tasks {
		if i := t.rewind(body.Again); i >= 0 {
			m.forget(t, i)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.mail.queued)) { // to calls that are not made again
		m.deliver(name)
	}
	m.touchAll()
	if e.HasValue() {
		m.edited(e, body.Of)
	}
	return nil
}

// forget drops the calls of a task from the given one on; it begins again from the top and makes them anew.
func (m *Machine) forget(t *Task, from int) {
	m.giveBack(t.Ops[from:])
	m.forgetSteps(t, t.Ops[from:])
	clear(t.Ops[from:])
	t.Ops = t.Ops[:from]
	if t.LastWait != "" && !t.waits(t.LastWait) {
		t.LastWait = ""
	}
	if t.State == Waiting && (t.WaitFor == "" || !t.waits(t.WaitFor)) {
		t.WaitFor = ""
		m.set(t, Ready)
	}
}

// edited lets those that held the value at the entry's base hold the entry's. Where all do, it is the value at the forks
// that it came from, too: an edit is no branch's doing.
func (m *Machine) edited(e *journal.Entry, of string) {
	m.eachHold(func(ref *uint64, by string, _ plan.Codec) {
		if *ref == e.Base && (of == "" || of == by) {
			*ref = e.Seq
		}
	})
	for i := range m.tokens {
		m.tokens[i].own = m.tokens[i].own && m.tokens[i].ref != e.Seq
	}
	for _, t := range m.tasks {
		if t.has(e.Seq) {
			t.Own = false
			m.forget(t, 0)
		}
		if t.Result != 0 && t.Result == e.Base && m.meant(t, of) {
			t.Result = e.Seq
		}
	}
	if of == "" {
		m.eachFork(func(f *fork) {
			if f.base == e.Base {
				f.base = e.Seq
			}
		})
	}
}

// eachFork calls do with every fork that something in the run still goes back to.
func (m *Machine) eachFork(do func(f *fork)) {
	m.walk++
	var leaves func(list []leaf)
	leaves = func(list []leaf) {
		for _, l := range list {
			if l.of.seen != m.walk { // branches that were merged go back to the same forks by many ways
				l.of.seen = m.walk
				do(l.of)
				leaves(l.of.up)
			}
		}
	}
	arrivals := func(list []arrival) {
		for i := range list {
			leaves(list[i].leaves)
		}
	}
	for i := range m.tokens {
		leaves(m.tokens[i].leaves)
	}
	for _, t := range m.tasks {
		leaves(t.leaves)
		arrivals(t.taken)
		if t.inside != nil {
			arrivals(t.inside.ends)
		}
		for i := range t.items {
			arrivals(t.items[i].ends)
			if s := t.items[i].scope; s != nil {
				arrivals(s.ends)
			}
		}
	}
	arrivals(m.root.ends)
}
