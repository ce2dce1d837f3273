package executor

import (
	"time"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// inputOf returns the input of a task's function: its token's value or, in a dataflow, the values captured for
// it (law D5). The task owns the value (law N9).
func (x *Execution) inputOf(t *machine.Task, flat *plan.Flat, keep bool) (any, error) {
	if t.Undoes() != "" {
		return x.undoInput(t)
	}
	if !t.InFlow() {
		return x.Values.Take(t.Ref, flat.Owner.State(), keep)
	}
	x.captured = x.Machine.Slots(t, x.captured[:0])
	return x.gathered(flat.Flow.Gather, flat.Owner, x.captured, t.Parent() == nil)
}

// gathered builds a value from values that nodes of a dataflow have written.
func (x *Execution) gathered(gather func([]plan.Slot) (any, error), owner *plan.Plan, from []machine.Slot, outermost bool) (made any, err error) {
	defer guard.Recover(&err)
	slots := x.slots[:0]
	for _, s := range from {
		slot := plan.Slot{From: s.From}
		if s.Ref != 0 {
			codec := owner.Keeps(s.From)
			if outermost {
				slot.Value, err = x.Values.PeekFlow(s.From, s.Ref, codec)
			} else {
				slot.Value, err = x.Values.Peek(s.Ref, codec)
			}
			if err != nil {
				return nil, err
			}
		}
		slots = append(slots, slot)
	}
	x.slots = slots
	made, err = gather(slots)
	clear(slots)
	return made, err
}

// finishFlow records the success of a dataflow task: a new version of its output, as a delta against the last
// one (laws D3 and J7).
func (x *Execution) finishFlow(t *machine.Task, flat *plan.Flat, out any, choice chosen) error {
	last := x.Machine.Written(t)
	if x.Unstored {
		return x.finishUnstored(t, flat, out, choice, last)
	}
	outermost := t.Parent() == nil
	v, snap, err := x.version(t, flat, last, out, outermost)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	return x.succeed(t, choice.outcome(v), product{flow: flat, outermost: outermost, old: last, snap: snap, changed: v.Changed})
}

// wrote keeps the output of a dataflow node. A version equal to the last one gets a snapshot of its own.
func (x *Execution) wrote(flat *plan.Flat, outermost bool, last, ref uint64, live, snap any, changed bool) {
	if !changed {
		ref = last
	}
	switch {
	case ref == 0: // it writes nothing
	case outermost:
		x.Values.RenewFlow(flat.Local, last, ref, live, snap)
	default:
		x.Values.Renew(last, ref, live, snap)
	}
}

// version encodes an output as a delta against the node's last version, if there is one.
func (x *Execution) version(t *machine.Task, flat *plan.Flat, last uint64, out any, outermost bool) (v machine.Value, snap any, err error) {
	codec := flat.Flow.Output
	if codec == nil {
		return v, nil, nil
	}
	if last == 0 {
		v, _, snap, err = x.fresh(t, codec, out, true)
		return v, snap, err
	}
	find := x.Values.Known
	if outermost {
		find = func(ref uint64, codec plan.Codec) (*runstate.Cell, error) {
			return x.Values.LastFlow(flat.Local, ref, codec)
		}
	}
	c, err := find(last, codec)
	if err != nil {
		return v, nil, err
	}
	delta, snap, _, err := x.ChangeOf(codec, c.Snap, out)
	if err != nil {
		if outermost {
			x.Values.ForgetFlow(flat.Local) // the snapshot is used up
		}
		if lost := x.reload(last); lost != nil {
			return v, nil, lost
		}
		return v, nil, runtype.NotStorable(err)
	}
	if len(delta) == 0 {
		return v, snap, nil
	}
	return machine.Value{Changed: true, Delta: true, Base: last, Data: delta}, snap, nil
}

// finishUnstored is finishFlow for a run that is not stored.
func (x *Execution) finishUnstored(t *machine.Task, flat *plan.Flat, out any, choice chosen, last uint64) error {
	var v machine.Value
	if flat.Flow.Output != nil {
		v = machine.Value{Changed: true, Delta: true, Base: last}
	}
	ref, outermost := x.Machine.Head()+1, t.Parent() == nil
	if err := x.Machine.Finish(0, t, choice.outcome(v)); err != nil {
		return err
	}
	if v.Changed {
		x.wrote(flat, outermost, last, ref, out, nil, true)
	}
	work, err := x.Machine.Next(0)
	if err != nil {
		return err
	}
	x.follows(work)
	return nil
}

// follows takes the next steps in a run that is not stored.
func (x *Execution) follows(work *machine.Work) {
	if len(work.Append) > 0 {
		x.Stream.Publish(x.ID, work.Append)
		x.stored(work.Append, time.Time{}, true)
	}
	x.Continue(work)
	x.failFast(work)
}

// enterFlow starts the subgraph of a dataflow task with the task's input.
func (x *Execution) enterFlow(t *machine.Task, flat *plan.Flat) error {
	input, err := x.inputOf(t, flat, true)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	return x.enterWith(t, flat, input)
}

// leaveFlow passes on the outputs of a dataflow inside a task.
func (x *Execution) leaveFlow(t *machine.Task, flat *plan.Flat, slots []machine.Slot) error {
	result, err := x.gathered(flat.Sub.Result().Gather, flat.Sub, slots, false)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	err = x.finish(t, flat, result, chosen{})
	x.Values.Tidy(x.Machine)
	return err
}

// finishDataflow ends a run whose plan is a dataflow, with the values of its outputs.
func (x *Execution) finishDataflow(slots []machine.Slot) error {
	made := x.Plan.Result()
	var result any
	var data []byte
	err := x.aside(func() (err error) {
		if result, err = x.gathered(made.Gather, x.Plan, slots, true); err == nil && !x.Unstored {
			data, err = guard.Encode(x.Sized(made.Output), result)
		}
		return err
	})
	if err != nil {
		return x.endFailed(err)
	}
	x.Outcome.Value, x.Outcome.Output = result, data
	return x.commit(x.ctx, func(m *machine.Machine) error {
		return m.Complete(x.Now(), machine.Value{Changed: data != nil, Data: data})
	})
}

// endFailed fails the run because its result cannot be made.
func (x *Execution) endFailed(err error) error {
	cause := x.kept(err)
	body := failedBody(cause)
	x.failure = cause
	return x.commit(x.ctx, func(m *machine.Machine) error {
		if x.isHeld() { // meanwhile: it fails once it is released
			return nil
		}
		return m.End(x.Now(), journal.FinishedBody{Status: machine.Failed, Error: body.Error, Code: body.Code, Marks: body.Marks})
	})
}

// givenTo returns the names of the inputs set in a dataflow's input. The author's function may panic (law N7).
func givenTo(p *plan.Plan, input any) (names []string, err error) {
	defer guard.Capture(&err)
	defer guard.Recover(&err)
	if r := p.Result(); r != nil && r.Given != nil {
		names = r.Given(input)
	}
	return names, nil
}
