package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// A run that ends without success first undoes what it has done, the last first (law F10). What is to be undone is part
// of the fold: each outcome with an undo is put on a pile. RunUndoing says that the run ends, and how. Then what is on the
// pile is undone from the top, one after the other, each by a task of the node that undoes it, and RunFinished follows.

// undo is an outcome that a run which ends without success undoes.
type undo struct {
	seq   uint64 // seq of the entry with the outcome; of a task without one, of the entry that began or failed it
	at    int    // flat index of the node that undoes it; -1 where the plan does not have the task's node, until that is moved
	of    string // the task, "book_hotel#1", or the task and its step, "trip#1/step:hotel#1"
	from  int    // flat index of the task's node
	ref   uint64 // seq of the entry with the value that the undo is given; 0 for one that is given value
	value []byte // of a step: its result, JSON
	done  bool   // it has its outcome
}

// undoing is what a run has to undo, and how far that is.
type undoing struct {
	pile  []undo               // what may have to be undone, in the order of seq
	end   journal.FinishedBody // how the run ends once nothing is left to undo; without a status while it does not end
	begun bool                 // an undo has begun: the run's own tasks are gone
	place scope                // of the tasks that undo
}

// IsUndoing reports whether the run ends without success, and undoes what it has done before.
func (m *Machine) IsUndoing() bool { return m.end.Status != "" }

// Undone reports whether an undo has begun: then the run cannot go on where it was.
func (m *Machine) Undone() bool { return m.begun }

// Undoes returns the task, or the task and its step, that a task undoes; "" for none.
func (t *Task) Undoes() string {
	if t.undo == nil {
		return ""
	}
	return t.undo.of
}

// Given returns what an undo is given. It is the result of a step as JSON, or the value of a task of the node.
func (m *Machine) Given(t *Task) (result []byte, of *plan.Flat) {
	return t.undo.value, &m.flat[t.undo.from]
}

// done notes that a task has its outcome, or began and has none, and reports whether there is an undo for it.
func (m *Machine) done(t *Task, seq, ref uint64, finished bool) bool {
	u, ok := m.undoOf(t, seq, ref, finished)
	if ok {
		m.pile = append(m.pile, u)
	}
	return ok
}

// undoOf is what undoes a task, false for nothing. Most tasks have none, and cost nothing here.
func (m *Machine) undoOf(t *Task, seq, ref uint64, finished bool) (u undo, is bool) {
	u = undo{seq: seq, at: -1, from: t.Node, ref: ref, done: finished}
	if t.undo != nil || t.Node < len(m.flat) && !m.assign(&u) {
		return u, false
	}
	u.of = m.firstID(t)
	return u, true
}

// assign says which node undoes an outcome, false where the plan has none.
func (m *Machine) assign(u *undo) bool {
	if u.from >= len(m.flat) {
		return false
	}
	u.at = m.flat[u.from].UndoneBy()
	return u.at >= 0 && (u.done || m.flat[u.at].Unfinished)
}

// firstID is the id of a task that its idempotency key is made of.
func (m *Machine) firstID(t *Task) string { return cmp.Or(t.Began, m.TaskID(t)) }

// stepDone notes that a step has its outcome, and is undone by a node.
func (m *Machine) stepDone(e *journal.Entry, t *Task, by string) {
	if t.undo != nil {
		return
	}
	path := e.Node
	if t.Node < len(m.flat) {
		path = m.flat[t.Node].Path // without items: an undo belongs to the run
	}
	_, at := m.resolve(path[:strings.LastIndexByte(path, '/')+1] + by)
	m.pile = append(m.pile, undo{seq: e.Seq, at: at, of: nodehost.CallText(m.firstID(t) + "/" + e.Op), from: t.Node, value: e.Value, done: true})
}

// takeBack takes what a failed task left from the pile, because it is tried again.
func (m *Machine) takeBack(t *Task) {
	id := m.firstID(t)
	m.pile = slices.DeleteFunc(m.pile, func(u undo) bool { return u.of == id })
}

// left is all that has to be undone, the last outcome last.
func (m *Machine) left() []undo {
	return slices.DeleteFunc(slices.Clone(m.heap()), func(u undo) bool { return u.at < 0 })
}

// heap is the pile with the tasks that have begun and have no outcome, as far as their nodes are undone then, too.
func (m *Machine) heap() []undo {
	if m.begun {
		return m.pile
	}
	all := slices.Clip(m.pile)
	for _, t := range m.tasks {
		if t.State == Broken { // it is on the pile
			continue
		}
		if u, ok := m.undoOf(t, t.ID, t.Ref, false); ok {
			all = append(all, u)
		}
	}
	slices.SortStableFunc(all, func(a, b undo) int { return cmp.Compare(a.seq, b.seq) })
	return all
}

// undoFirst begins to end the run without success, where there is something to undo. The end follows once that is undone.
func (m *Machine) undoFirst(at int64, body *journal.FinishedBody) (bool, error) {
	if len(m.left()) == 0 {
		return false, nil
	}
	return true, m.applyBody(m.entry(journal.RunUndoing, at), place0, nil, body)
}

func (m *Machine) runUndoing(e *journal.Entry) error {
	body, err := bodyOf[journal.FinishedBody](m, e)
	if err != nil {
		return err
	}
	switch body.Status {
	case Failed, Cancelled, Expired, Stuck:
	default:
		return m.corrupt(e, "with the status %q", body.Status)
	}
	if m.IsUndoing() { // it was cancelled twice: the first reason counts
		return nil
	}
	m.letGo()
	m.reached = nil // its own tasks
	m.end, m.status, m.reason = body, Running, ""
	return nil
}

// undoNext undoes what is on top of the pile. The run's own tasks that are at work end before.
func (m *Machine) undoNext(at int64) (idle bool, err error) {
	if err := m.stopBehind(at); err != nil {
		return false, err
	}
	if m.isHeld() {
		return m.stay(at)
	}
	if m.status == Paused {
		why := m.because(at)
		if why == "" {
			return true, nil
		}
		if err := m.resume(at, why); err != nil {
			return false, err
		}
	}
	if !m.begun && m.busy > 0 {
		return false, nil
	}
	if !m.begun || len(m.tasks) == 0 {
		left := m.left()
		if len(left) == 0 {
			return true, m.finishUndone(at)
		}
		u := &left[len(left)-1]
		if stops, err := m.stopsBefore(at, &m.space, u.at); err != nil {
			return false, err
		} else if stops {
			return m.stay(at)
		}
		if err := m.beginUndo(at, u); err != nil {
			return false, err
		}
	} else if err := m.startTasks(at); err != nil {
		return true, err
	}
	if m.busy > 0 || len(m.start) > 0 {
		return false, nil
	}
	return true, m.rest(at)
}

// canUndo reports whether a paused run can go on undoing.
func (m *Machine) canUndo(at int64) bool {
	return !m.begun || len(m.tasks) == 0 || slices.ContainsFunc(m.tasks, func(t *Task) bool {
		return t.State == Ready || t.State == Backoff && (t.RetryAt <= at || m.reason == ReasonRelease)
	})
}

func (m *Machine) beginUndo(at int64, u *undo) error {
	if err := m.withdraw(at); err != nil {
		return err
	}
	e := m.entry(journal.NodeStarted, at)
	e.Node, e.Visit, e.Attempt, e.Base = m.pathOf(&m.space, u.at), *m.visit(&m.space, u.at)+1, 1, u.seq
	if err := m.applyBody(e, spot{u.at, &m.space}, nil, &journal.BeginBody{Undo: u.of}); err != nil {
		return err
	}
	m.run(m.tasks[len(m.tasks)-1])
	return nil
}

// undoStarted begins a task that undoes the top of the pile. With the first one, the run's own tasks are gone.
func (m *Machine) undoStarted(e *journal.Entry, at spot) error {
	body, err := bodyOf[journal.BeginBody](m, e)
	if err != nil {
		return err
	}
	all := slices.Clone(m.heap())
	visit := m.visit(&m.space, at.at)
	i := slices.IndexFunc(all, func(u undo) bool { return u.seq == e.Base && u.of == body.Undo })
	fits := i >= 0 && (m.replanned() || i == len(all)-1 && all[i].at == at.at) && e.Visit == *visit+1 && (!m.begun || len(m.tasks) == 0)
	switch {
	case !fits && m.replanned():
		return m.lose(e)
	case !fits:
		return m.corrupt(e, "it undoes %q of entry %d, and that is not what has to be undone next", body.Undo, e.Base)
	}
	m.pass(e)
	if !m.begun {
		for len(m.tasks) > 0 {
			m.giveUp(m.tasks[0])
		}
		m.dropTokens(func(*token) bool { return true })
		m.touched, m.begun = nil, true
	}
	u := all[i]
	u.at = at.at
	m.pile = slices.Delete(all, i, i+1)
	*visit = e.Visit
	t := m.newTask()
	t.ID, t.Node, t.Visit, t.Attempt, t.Ref, t.scope, t.undo = e.Seq, at.at, e.Visit, 1, u.ref, m.undoScope(), &u
	t.scope.live++
	m.set(t, Ready)
	m.tasks = append(m.tasks, t)
	return nil
}

// undoScope is where the tasks that undo run: in none of the plan's.
func (m *Machine) undoScope() *scope {
	m.undoing.place.space = &m.space
	return &m.undoing.place
}

// undoFailed notes that an undo has failed for good; false for other tasks, and where it is tried again.
func (m *Machine) undoFailed(e *journal.Entry, t *Task, body *journal.FailedBody) bool {
	fails := t.undo != nil && e.Kind == journal.NodeFailed
	if fails {
		m.undone(t, body)
	}
	return fails
}

// undone notes that a task which undoes has come to its end: its effect is undone, or its failure is kept.
func (m *Machine) undone(t *Task, failure *journal.FailedBody) {
	if failure == nil {
		m.end.Undone = append(slices.Clip(m.end.Undone), t.undo.of)
	} else {
		left := journal.NotUndone{Of: t.undo.of, Task: m.TaskID(t), Error: failure.Error}
		m.end.Left = append(slices.Clip(m.end.Left), left)
	}
	m.drop(t)
}

// finishUndone ends the run once nothing is left to undo.
func (m *Machine) finishUndone(at int64) error {
	if err := m.withdraw(at); err != nil {
		return err
	}
	body := m.end
	return m.applyBody(m.entry(journal.RunFinished, at), place0, nil, &body)
}

// noLongerUndoing lets a run go on that had ended with nothing undone, or a fork of it. A fork undoes what it does itself:
// what was done before belongs to the run that it comes from.
func (m *Machine) noLongerUndoing(e *journal.Entry, goesOn, fork bool) error {
	switch {
	case !goesOn:
		return nil
	case m.begun:
		return m.corrupt(e, "the run goes on, and what it had done is undone")
	}
	if m.end = (journal.FinishedBody{}); fork {
		m.pile = nil
	}
	return nil
}

// forgetSteps takes steps from the pile that a task makes again.
func (m *Machine) forgetSteps(t *Task, ops []Op) {
	if len(m.pile) == 0 {
		return
	}
	id := m.firstID(t)
	m.pile = slices.DeleteFunc(m.pile, func(u undo) bool {
		return slices.ContainsFunc(ops, func(op Op) bool { return u.of == nodehost.CallText(id+"/"+op.ID) })
	})
}

// EndText is why a run has ended, and what is left of it.
func EndText(body *journal.FinishedBody) string {
	if len(body.Left) == 0 {
		return body.Error
	}
	return cmp.Or(body.Error, body.Reason, body.Status) + "; " + LeftText(body.Left)
}

// LeftText lists what could not be undone.
func LeftText(left []journal.NotUndone) string {
	var b strings.Builder
	b.WriteString("not undone: ")
	for i, l := range left {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(l.Of + " (" + l.Task + ": " + l.Error + ")")
	}
	return b.String()
}

// UndoText says what a run that undoes ends as.
func UndoText(end *journal.FinishedBody) string {
	return "undoing: " + cmp.Or(end.Error, end.Reason, end.Status)
}

// fitsUndo returns why what has to be undone has no place in the plan, or "" (law J8).
func (m *Machine) fitsUndo() string {
	for i := range m.pile {
		if u := &m.pile[i]; u.at >= len(m.flat) {
			return fmt.Sprintf("the run may have to undo %s with node %q, which the plan does not have", u.of, m.pathOf(&m.space, u.at))
		}
	}
	for _, t := range m.tasks {
		if t.undo != nil && t.undo.from >= len(m.flat) {
			return fmt.Sprintf("task %s undoes %s, whose node the plan does not have", m.TaskID(t), t.undo.of)
		}
	}
	return ""
}

// moveUndos moves what has to be undone to the nodes' new names. Under these the plan says what undoes it.
func (m *Machine) moveUndos(moves plan.Migration) {
	m.pile = slices.DeleteFunc(m.pile, func(u undo) bool { return u.at < 0 && m.moved(moves, u.from) == u.from })
	for i := range m.pile {
		u := &m.pile[i]
		if u.from = m.moved(moves, u.from); u.at >= 0 {
			u.at = m.moved(moves, u.at)
		} else {
			m.assign(u)
		}
	}
	m.pile = slices.DeleteFunc(m.pile, func(u undo) bool { return u.at < 0 || u.at < len(m.flat) && !u.done && !m.flat[u.at].Unfinished })
}
