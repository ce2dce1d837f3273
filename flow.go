package fermata

import (
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// inputOf is what a task's function is given: the value of its token or, in a dataflow, what its node makes of the values
// that were captured for it (law D5). It is a value of the task's own (law N9).
func (d *drive) inputOf(t *machine.Task, flat *plan.Flat, keep bool) (any, error) {
	if !t.InFlow() {
		return d.vals.take(t.Ref, flat.Owner.State(), keep)
	}
	d.captured = d.m.Slots(t, d.captured[:0])
	return d.gathered(flat.Flow.Gather, flat.Owner, d.captured, t.Parent() == nil)
}

// gathered makes a value of others, which nodes of a dataflow have written.
func (d *drive) gathered(gather func([]plan.Slot) (any, error), owner *plan.Plan, from []machine.Slot, outermost bool) (made any, err error) {
	defer panicked(&err)
	slots := d.slots[:0]
	for _, s := range from {
		slot := plan.Slot{From: s.From}
		if s.Ref != 0 {
			codec := owner.Keeps(s.From)
			if outermost {
				slot.Value, err = d.vals.peekFlow(s.From, s.Ref, codec)
			} else {
				slot.Value, err = d.vals.peek(s.Ref, codec)
			}
			if err != nil {
				return nil, err
			}
		}
		slots = append(slots, slot)
	}
	d.slots = slots
	made, err = gather(slots)
	clear(slots)
	return made, err
}

// inputCodec keeps what a node's function is given.
func inputCodec(flat *plan.Flat) plan.Codec {
	if flat.Flow != nil {
		return flat.Flow.Input
	}
	return flat.Owner.State()
}

// outputCodec keeps what a node's function returns, nil where that is nothing.
func outputCodec(flat *plan.Flat) plan.Codec {
	if flat.Flow != nil {
		return flat.Flow.Output
	}
	return flat.Owner.State()
}

// finishFlow records the success of a task of a dataflow: a new version of what its node writes, as a delta against the last
// one (laws D3 and J7).
func (d *drive) finishFlow(t *machine.Task, flat *plan.Flat, out any, choice chosen) error {
	last := d.m.Written(t)
	if d.none {
		return d.finishUnstored(t, flat, out, choice, last)
	}
	outermost := t.Parent() == nil
	v, snap, err := d.version(t, flat, last, out, outermost)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	ref, which, outcome := uint64(0), d.refer(t), choice.outcome(v)
	err = d.commit(d.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
		ref = m.Head() + 1
		return m.Finish(d.now(), t, outcome)
	}))
	if err != nil || which.gone {
		return err
	}
	d.wrote(flat, outermost, last, ref, nil, snap, v.Changed)
	return nil
}

// wrote keeps what a node of a dataflow has written; a version that is equal to the last one has a snapshot of its own.
func (d *drive) wrote(flat *plan.Flat, outermost bool, last, ref uint64, live, snap any, changed bool) {
	if !changed {
		ref = last
	}
	switch {
	case ref == 0: // it writes nothing
	case outermost:
		d.vals.renewFlow(flat.Local, last, ref, live, snap)
	default:
		d.vals.renew(last, ref, live, snap)
	}
}

// version says how a record differs from the one that a node wrote last; 0 for none.
func (d *drive) version(t *machine.Task, flat *plan.Flat, last uint64, out any, outermost bool) (v machine.Value, snap any, err error) {
	codec := flat.Flow.Output
	if codec == nil {
		return v, nil, nil
	}
	if last == 0 {
		v, _, snap, err = d.fresh(t, codec, out, true)
		return v, snap, err
	}
	find := d.vals.known
	if outermost {
		find = func(ref uint64, codec plan.Codec) (*cell, error) { return d.vals.lastFlow(flat.Local, ref, codec) }
	}
	c, err := find(last, codec)
	if err != nil {
		return v, nil, err
	}
	delta, snap, _, err := d.changeOf(codec, c.snap, out)
	if err != nil {
		if outermost {
			d.vals.forgetFlow(flat.Local) // the snapshot is used up
		}
		if lost := d.reload(last); lost != nil {
			return v, nil, lost
		}
		return v, nil, notStorable(err)
	}
	if len(delta) == 0 {
		return v, snap, nil
	}
	return machine.Value{Changed: true, Delta: true, Base: last, Data: delta}, snap, nil
}

// finishUnstored is finishFlow where nothing is stored.
func (d *drive) finishUnstored(t *machine.Task, flat *plan.Flat, out any, choice chosen, last uint64) error {
	var v machine.Value
	if flat.Flow.Output != nil {
		v = machine.Value{Changed: true, Delta: true, Base: last}
	}
	ref, outermost := d.m.Head()+1, t.Parent() == nil
	if err := d.m.Finish(0, t, choice.outcome(v)); err != nil {
		return err
	}
	if v.Changed {
		d.wrote(flat, outermost, last, ref, out, nil, true)
	}
	work, err := d.m.Next(0)
	if err != nil {
		return err
	}
	d.follows(work)
	return nil
}

// follows takes up what follows in a run that is not stored.
func (d *drive) follows(work *machine.Work) {
	if len(work.Append) > 0 {
		d.live.publish(d, work.Append)
		d.stored(work.Append, time.Time{})
	}
	d.queue.push(work.Start)
	d.idle, d.complete = work.Idle, work.Complete
	if work.Doomed && d.plan.Definition().FailFast {
		d.crew.cancel()
	}
}

// enterFlow begins the subgraph of a task of a dataflow with what the task was given.
func (d *drive) enterFlow(t *machine.Task, flat *plan.Flat) error {
	input, err := d.inputOf(t, flat, true)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	return d.enterWith(t, flat, input)
}

// leaveFlow hands on what the dataflow in a task has brought.
func (d *drive) leaveFlow(t *machine.Task, flat *plan.Flat, slots []machine.Slot) error {
	result, err := d.gathered(flat.Sub.Result().Gather, flat.Sub, slots, false)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	err = d.finish(t, flat, result, chosen{})
	d.vals.tidy(d.m)
	return err
}

// finishDataflow ends a run whose plan is a dataflow, with the values that its outputs have.
func (d *drive) finishDataflow(slots []machine.Slot) error {
	made := d.plan.Result()
	var result any
	var data []byte
	err := d.aside(func() (err error) {
		if result, err = d.gathered(made.Gather, d.plan, slots, true); err == nil && !d.none {
			data, err = encoded(d.sized(made.Output), result)
		}
		return err
	})
	if err != nil {
		return d.endFailed(err)
	}
	d.result.Value, d.result.Output = result, data
	return d.commit(d.ctx, func(m *machine.Machine) error {
		return m.Complete(d.now(), machine.Value{Changed: data != nil, Data: data})
	})
}

// endFailed ends the run because its result cannot be made.
func (d *drive) endFailed(err error) error {
	cause := d.kept(err)
	body := failedBody(cause)
	d.failure = cause
	return d.commit(d.ctx, func(m *machine.Machine) error {
		return m.End(d.now(), journal.FinishedBody{Status: machine.Failed, Error: body.Error, Code: body.Code, Marks: body.Marks})
	})
}

// givenTo are the names of the inputs that a run of a dataflow is given. The function that knows them may panic (law N7).
func givenTo(p *plan.Plan, input any) (names []string, err error) {
	defer captured(&err)
	defer panicked(&err)
	if r := p.Result(); r != nil && r.Given != nil {
		names = r.Given(input)
	}
	return names, nil
}

// resultCodec keeps a plan's result.
func resultCodec(p *plan.Plan) plan.Codec {
	if r := p.Result(); r != nil {
		return r.Output
	}
	return p.State()
}
