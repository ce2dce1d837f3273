package machine

import (
	"slices"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

func (m *Machine) isJoin(at int) bool { return at < len(m.flat) && m.flat[at].Join == plan.All }

// crossing is a node in a scope.
type crossing struct {
	at    int    // flat index of the node
	scope *scope // in which it is
}

// mayStart reports whether a token may go on: it is not held by a loop whose round is not over, and no other branch
// can still come to the join that it stands at (law G3). The joins that have to wait are noted in waits, so that each
// of them is looked at once however many tokens stand there.
func (m *Machine) mayStart(i int, waits *[]crossing) bool {
	tok := &m.tokens[i]
	if tok.busy {
		return false
	}
	if tok.at >= len(m.flat) {
		return true // Fits has said so already
	}
	f := &m.flat[tok.at]
	j := f.Owner.Joins()
	if j == nil {
		return true
	}
	here := crossing{tok.at, tok.scope}
	if f.Join == plan.All && slices.Contains(*waits, here) || m.held(j, tok) >= 0 {
		return false
	}
	if f.Join == plan.All && m.expects(j, tok) {
		*waits = append(*waits, here)
		return false
	}
	return true
}

// canStart reports whether any token may go on.
func (m *Machine) canStart() bool {
	var waits []crossing
	for i := range m.tokens {
		if m.mayStart(i, &waits) {
			return true
		}
	}
	return false
}

// held is the loop whose round a token that went back over its edge waits for; -1 for none.
func (m *Machine) held(j *plan.Joins, tok *token) int {
	loop := m.back(j, tok)
	if loop < 0 {
		return -1
	}
	for i := range m.tokens {
		t := &m.tokens[i]
		if t.scope != tok.scope || t.at >= len(m.flat) {
			continue
		}
		if b := m.back(j, t); b >= 0 && j.Encloses(b, loop) {
			if b == loop && !m.isJoin(tok.at) && t != tok && inOrder(firstOf(t.leaves), firstOf(tok.leaves)) < 0 {
				return loop // a round is for one of them, the first in declared order (law D7)
			}
			continue // it waits for the same round, or for that of a loop around it
		}
		if j.Holds(loop, m.flat[t.at].Local) {
			return loop
		}
	}
	for _, t := range m.tasks {
		if t.scope == tok.scope && t.Node < len(m.flat) && j.Holds(loop, m.flat[t.Node].Local) {
			return loop
		}
	}
	return -1
}

// back is the loop that a token has gone back in, -1 for none.
func (m *Machine) back(j *plan.Joins, tok *token) int {
	if tok.fromNode < 0 || tok.fromNode >= len(m.flat) || m.flat[tok.fromNode].Owner != m.flat[tok.at].Owner {
		return -1
	}
	return j.Back(m.flat[tok.fromNode].Local, m.flat[tok.at].Local)
}

// expects reports whether another branch can still come to the join that a token stands at.
func (m *Machine) expects(j *plan.Joins, at *token) bool {
	join := m.flat[at.at].Local
	for _, t := range m.tasks {
		if t.scope == at.scope && t.Node < len(m.flat) && j.Upstream(join, m.flat[t.Node].Local) {
			return true
		}
	}
	for i := range m.tokens {
		t := &m.tokens[i]
		if t.scope != at.scope || t.at >= len(m.flat) {
			continue
		}
		held := m.held(j, t)
		if held >= 0 && j.InLoop(held, join) {
			continue // it is taken in the next round
		}
		if t.at == at.at && held >= 0 || t.at != at.at && j.Upstream(join, m.flat[t.at].Local) {
			return true
		}
	}
	return false
}

// gathered lists the tokens that a join takes together with token i, in the order of their branches. Tokens are
// named by the entries that sent them.
func (m *Machine) gathered(i int) []uint64 {
	tok := &m.tokens[i]
	j := m.flat[tok.at].Owner.Joins()
	var at []int
	for k := range m.tokens {
		if t := &m.tokens[k]; t.at == tok.at && t.scope == tok.scope && m.held(j, t) < 0 {
			at = append(at, k)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int {
		return inOrder(firstOf(m.tokens[a].leaves), firstOf(m.tokens[b].leaves))
	})
	vias := make([]uint64, len(at))
	for n, k := range at {
		vias[n] = m.tokens[k].via
	}
	return vias
}

// handJoin lets the branches at a join be merged.
func (m *Machine) handJoin(i int, vias []uint64) {
	tok := &m.tokens[i]
	at, s := tok.at, tok.scope
	var list []arrival
	for _, via := range vias {
		for k := range m.tokens {
			if t := &m.tokens[k]; t.via == via && t.at == at && t.scope == s {
				t.busy = true
				m.busy++
				list = append(list, arrival{ref: t.ref, own: t.own, leaves: t.leaves})
			}
		}
	}
	join := m.joinOf(list)
	join.at, join.scope, join.vias = at, s, vias
	m.start = append(m.start, Start{Do: Merge, Join: join})
}

// rejoin is the merge of a join's task whose branches could not be merged before.
func (m *Machine) rejoin(t *Task) *Join {
	join := m.joinOf(t.taken)
	join.task = t.ID
	return join
}

// Node is the join's node.
func (j *Join) Node(m *Machine) *plan.Flat {
	if j.task != 0 {
		if t := m.ByID(j.task); t != nil {
			return &m.flat[t.Node]
		}
		return nil
	}
	return &m.flat[j.at]
}

// Base is the value that the merged value is a delta of: that at the outermost fork.
func (j *Join) Base() uint64 { return j.Steps[len(j.Steps)-1].Base }

// Joined begins the task of a join with the merged value of its branches, or its next attempt. If the value is not
// Changed, the branches could not be merged; the task exists then, for Fail. Joined returns nil if the scope of the
// join has ended meanwhile.
func (m *Machine) Joined(at int64, j *Join, v Value) (*Task, error) {
	if m.IsUndoing() { // no task of the run's own begins
		left := Start{Do: Merge, Join: j}
		if j.task != 0 {
			left.Task = m.ByID(j.task)
		}
		m.LeaveOff([]Start{left})
		return nil, nil
	}
	e := m.entry(journal.NodeStarted, at)
	where, t := spot{j.at, nil}, (*Task)(nil)
	e.Base = j.Base()
	var body journal.BeginBody
	if j.task != 0 {
		if t = m.ByID(j.task); t == nil {
			m.out = m.out[:len(m.out)-1]
			return nil, nil
		}
		m.heard(t)
		where = spot{t.Node, t.scope.space}
		e.Visit, e.Attempt = t.Visit, t.Attempt+1
	} else {
		where.space = m.spaceOf(j)
		if where.space == nil {
			m.out = m.out[:len(m.out)-1]
			return nil, nil
		}
		e.Visit, e.Attempt = *m.visit(where.space, j.at)+1, 1
		body.From = j.vias
	}
	e.Node = m.pathOf(where.space, where.at)
	v.put(e)
	var err error
	if t != nil {
		err = m.apply(e, where, t)
	} else {
		err = m.applyBody(e, where, nil, &body)
	}
	if err != nil {
		return nil, err
	}
	if t == nil {
		t = m.tasks[len(m.tasks)-1]
	}
	return t, nil
}

// Expected returns a task that stands in for the one that a join will start.
func (m *Machine) Expected(j *Join) *Task {
	if j.task != 0 {
		return m.ByID(j.task)
	}
	return &Task{Node: j.at, Visit: *m.visit(j.scope.space, j.at) + 1, Attempt: 1, Ref: j.Base(), taskPlace: taskPlace{scope: j.scope}}
}

// spaceOf returns the place of a join that Next handed out; nil if its tokens are gone. The machine may have
// been folded anew since.
func (m *Machine) spaceOf(j *Join) *space {
	for i := range m.tokens {
		if t := &m.tokens[i]; t.via == j.vias[0] && t.at == j.at && t.scope.space.prefix == j.scope.space.prefix {
			return t.scope.space
		}
	}
	return nil
}
