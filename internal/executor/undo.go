package executor

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// endWork lets the tasks that are at work end in a run that is to be undone (law F10): their contexts are done. Those that
// fail then are left as if they had not begun. The limits of the run bound no undo, also of one that began in the entry that
// ended the run's own work.
func (x *Execution) endWork() {
	if x.Machine.IsUndoing() && (!x.Machine.Undone() || x.ctx != &x.life) {
		x.ctx = &x.life
		x.workers.cancel()
	}
}

// notUndone refuses to retry a run that has undone what it had done (law F10).
func (x *Execution) notUndone() error {
	if !x.Machine.Undone() || x.Machine.Status() == machine.Blocked {
		return nil
	}
	return &runtype.Error{Code: runtype.CodeConflict, Run: x.ID, Err: runtype.Conflict(
		"the run has undone what it had done, so that it cannot go on from there: start a new run, or fork it at an entry before that")}
}

// leaveOff gives back what was to start, in a run that is to be undone. It reports whether there was anything.
func (x *Execution) leaveOff() bool {
	if !x.Machine.IsUndoing() || x.Machine.Undone() || x.queue.len() == 0 {
		return false
	}
	x.Machine.LeaveOff(x.queue.list[x.queue.at:])
	x.queue.clear()
	return true
}

// undoInput returns what a task that undoes is given: the result of a step as JSON, or the value that a task recorded.
func (x *Execution) undoInput(t *machine.Task) (any, error) {
	result, of := x.Machine.Given(t)
	if t.Ref == 0 {
		return result, nil
	}
	codec := of.Owner.State()
	if of.Flow != nil {
		codec = of.Flow.Output
	}
	if x.Values.Find(t.Ref) == nil && !x.Unstored {
		if err := x.reload(t.Ref); err != nil {
			return nil, err
		}
	}
	return x.Values.Take(t.Ref, codec, true)
}

// finishUndo records that an undo has been done. What its function made of the value is nobody's.
func (x *Execution) finishUndo(t *machine.Task) error {
	if x.Unstored {
		if err := x.Machine.Finish(0, t, machine.Outcome{}); err != nil {
			return err
		}
		work, err := x.Machine.Next(0)
		if err != nil {
			return err
		}
		x.follows(work)
		return nil
	}
	_, err := x.commitFinish(t, machine.Outcome{})
	return err
}

// CanUndo implements nodehost.UndoHost.
func (h *host) CanUndo(name string) error {
	h.own.Lock()
	flat := &h.run.Plan.Flat()[h.node]
	h.own.Unlock()
	var known []string
	for _, t := range flat.Undos {
		if h.run.Plan.Flat()[t.Index].Undoes == plan.UndoStep {
			if known = append(known, t.Name); t.Name == name {
				return nil
			}
		}
	}
	declared := "it declares none"
	if len(known) > 0 {
		declared = "it declares " + runtype.QuoteAll(known) + nearest.Hint(name, known)
	}
	return node.Terminal(fmt.Errorf("node %q does not declare that node %q undoes steps of it; %s", flat.Path, name, declared))
}
