package fermata

import (
	"errors"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// enter computes the input of a subgraph (law G6), or the items of a map (law G5).
func (d *drive) enter(t *machine.Task) error {
	flat := d.m.Flat(t)
	if flat.Map != nil {
		return d.split(t, flat)
	}
	if t.InFlow() {
		return d.enterFlow(t, flat)
	}
	which := d.refer(t)
	if flat.In == nil {
		return d.commit(d.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
			return m.Entered(d.now(), t, machine.Value{})
		}))
	}
	value, err := d.vals.take(t.Ref, flat.Owner.State(), true)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	t, input, err := d.outside(&which, func() (any, error) { return flat.In(value) })
	if t == nil {
		return d.lookAgain()
	}
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	return d.enterWith(t, flat, input)
}

// enterWith begins a subgraph with an input of its own.
func (d *drive) enterWith(t *machine.Task, flat *plan.Flat, input any) error {
	v, input, snap, err := d.fresh(t, flat.Sub.State(), input, true)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	ref, which := uint64(0), d.refer(t)
	err = d.commit(d.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
		ref = m.Head() + 1
		return m.Entered(d.now(), t, v)
	}))
	if err == nil && !which.gone {
		d.vals.put(ref, input, snap)
	}
	return err
}

// fresh is a value that is stored whole, and settled before.
func (d *drive) fresh(t *machine.Task, codec plan.Codec, value any, own bool) (v machine.Value, settled, snap any, err error) {
	v = machine.Value{Changed: true, Delta: d.none, Base: t.Ref}
	codec = d.sized(codec)
	if settled, err = settle(codec, value, &d.known, own); err != nil || d.none {
		return v, settled, nil, err
	}
	if v.Data, err = encoded(codec, settled); err == nil {
		snap, err = copied(codec, settled)
	}
	if err != nil {
		return v, nil, nil, notStorable(err)
	}
	return v, settled, snap, nil
}

// split computes the items of a map. Without any, the map is over.
func (d *drive) split(t *machine.Task, flat *plan.Flat) error {
	value, err := d.inputOf(t, flat, true)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	var items []any
	which := d.refer(t)
	t, _, err = d.outside(&which, func() (any, error) {
		var err error
		items, err = flat.Map.Split(value)
		return nil, err
	})
	if t == nil {
		return d.lookAgain()
	}
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	if len(items) == 0 {
		return d.gather(t, flat, nil)
	}
	inputs, snaps := make([]machine.Value, len(items)), make([]any, len(items))
	for i, item := range items {
		if inputs[i], items[i], snaps[i], err = d.fresh(t, flat.Sub.State(), item, false); err != nil {
			return d.fail(t, flat, nil, err)
		}
	}
	first := uint64(0)
	err = d.commit(d.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
		first = m.Head() + 1
		return m.Split(d.now(), t, inputs)
	}))
	if err != nil || which.gone {
		return err
	}
	for i, item := range items {
		d.vals.put(first+uint64(i), item, snaps[i])
	}
	return nil
}

// leave computes what travels on from a subgraph's result.
func (d *drive) leave(t *machine.Task) error {
	flat := d.m.Flat(t)
	if flat.Map != nil {
		return d.leaveMap(t, flat)
	}
	if slots, ok := d.m.Outcome(t); ok {
		return d.leaveFlow(t, flat, slots)
	}
	ending := d.m.Ending(t)
	if len(ending.Steps) == 0 && flat.Out == nil {
		return d.leaveAsIs(t, flat)
	}
	result, err := d.joined(ending, flat.Sub, nil)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	if flat.Out == nil {
		return d.finishChosen(t, flat, result)
	}
	value, err := d.vals.take(t.Ref, flat.Owner.State(), true)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	which := d.refer(t)
	t, out, err := d.outside(&which, func() (any, error) { return flat.Out(value, result) })
	if t == nil {
		return d.lookAgain()
	}
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	return d.finishChosen(t, flat, out)
}

// outside calls a function of the author's that maps values: without the lock where others are at work, who may hold what
// it waits for. It finds the task again; there is none where it was given up meanwhile.
func (d *drive) outside(which *taskRef, f func() (any, error)) (t *machine.Task, value any, err error) {
	if !d.crew.busy() {
		value, err = mapped(f)
	} else {
		d.crew.without(func() { value, err = mapped(f) })
		if d.crew.lost != nil || Status(d.m.Status()).Ended() {
			return nil, nil, nil
		}
	}
	return which.in(d.m), value, err
}

// leaveMap gathers the results of a map's items, in their order (law G5).
func (d *drive) leaveMap(t *machine.Task, flat *plan.Flat) error {
	items := d.m.Items(t)
	results := make([]plan.Item, len(items))
	for i, item := range items {
		if item.Join == nil {
			results[i].Err = recorded(&item.Failure)
			continue
		}
		value, err := d.itemResult(item, flat)
		if err != nil {
			return d.fail(t, flat, nil, err)
		}
		results[i].Value = value
	}
	return d.gather(t, flat, results)
}

func (d *drive) itemResult(item machine.Item, flat *plan.Flat) (any, error) {
	if item.Slots != nil {
		return d.gathered(flat.Sub.Result().Gather, flat.Sub, item.Slots, false)
	}
	return d.joined(item.Join, flat.Sub, nil)
}

func (d *drive) gather(t *machine.Task, flat *plan.Flat, results []plan.Item) error {
	take := func() (any, error) { return d.inputOf(t, flat, true) }
	if d.none && !t.InFlow() && t.Own && !d.mustKeep(t, flat) {
		take = func() (any, error) { return d.vals.last(t.Ref, flat.Owner.State()) }
	}
	value, err := take()
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	which := d.refer(t)
	t, out, err := d.outside(&which, func() (any, error) { return flat.Map.Gather(value, results) })
	if t == nil {
		return d.lookAgain()
	}
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	return d.finishChosen(t, flat, out)
}

// finishChosen asks the gate of a subgraph's node, where it has one, and finishes the task.
func (d *drive) finishChosen(t *machine.Task, flat *plan.Flat, out any) error {
	var err error
	if d.none || flat.Gate() {
		if out, err = settleOutput(flat, out, &d.known); err != nil {
			return d.fail(t, flat, nil, err)
		}
	}
	t, choice, err := d.choose(t, flat, out)
	if t == nil || err != nil {
		return err
	}
	if d.none && flat.Gate() { // which may have changed something in it
		if out, err = settleOutput(flat, out, &d.known); err != nil {
			return d.fail(t, flat, nil, err)
		}
	}
	err = d.finish(t, flat, out, choice)
	d.vals.tidy(d.m)
	return err
}

// choose asks the gate of a subgraph's node, and finds the task again, which may be in a machine that was folded anew.
// There is none where the gate did not choose: it waits, or it has failed, and that is dealt with.
func (d *drive) choose(t *machine.Task, flat *plan.Flat, value any) (*machine.Task, chosen, error) {
	if !flat.Gate() {
		return t, chosen{}, nil
	}
	h, alone := &d.host, d.alone(t)
	if !alone {
		h = d.crew.host()
	}
	h.begin(t)
	gate := *flat.Node
	gate.Run, gate.Sub = nil, nil
	as := *flat
	as.Node = &gate
	var choice chosen
	var err error
	ask := func() {
		_, choice, err = h.call(&as, node.NewContext(d.scope(d.ctx, h), h, h.pass.Load()), value)
		h.end()
	}
	if alone {
		ask()
	} else {
		d.crew.without(ask)
	}
	if d.crew.lost != nil {
		return nil, choice, d.crew.lost
	}
	if t = h.task.in(d.m); t == nil || Status(d.m.Status()).Ended() {
		return nil, choice, d.goneMeanwhile(h)
	}
	if err != nil || h.broken != nil || h.storeFailed != nil || h.suspended || h.skipped() != "" {
		return nil, choice, d.conclude(h, t, flat, nil, choice, err)
	}
	return t, choice, nil
}

// leaveAsIs lets the result of a subgraph travel on as it is.
func (d *drive) leaveAsIs(t *machine.Task, flat *plan.Flat) error {
	old := t.Result
	result, err := d.vals.take(old, flat.Sub.State(), true)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	shown := result
	if flat.Gate() { // nothing that it changes in it is recorded
		if shown, err = copied(flat.Sub.State(), result); err != nil {
			return d.fail(t, flat, nil, notStorable(err))
		}
	}
	t, choice, err := d.choose(t, flat, shown)
	if t == nil || err != nil {
		return err
	}
	var snap any
	if c := d.vals.find(old); c != nil {
		if snap = c.snap; d.none {
			snap = nil
		}
	}
	which, ref := d.refer(t), uint64(0)
	outcome := machine.Outcome{
		Value: machine.Value{Changed: true, Delta: true, Base: old}, Choice: choice.one, Choices: choice.several,
	}
	err = d.commit(d.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
		ref = m.Head() + 1
		return m.Finish(d.now(), t, outcome)
	}))
	if err != nil || which.gone {
		return err
	}
	if d.m.Uses(old) {
		if snap != nil {
			if snap, err = copied(flat.Sub.State(), snap); err != nil {
				return notStorable(err)
			}
		}
		d.vals.put(ref, result, snap)
	} else {
		d.vals.replace(old, ref, result, snap)
	}
	d.vals.tidy(d.m)
	return nil
}

// joined is the value of a join: the one that came, or the branches merged against their forks (law G4).
func (d *drive) joined(j *machine.Join, owner *plan.Plan, n *plan.Node) (any, error) {
	codec := owner.State()
	if len(j.Steps) == 0 {
		return d.vals.take(j.From[0], codec, !d.none || !j.Own[0])
	}
	branches := make([]any, len(j.From))
	for i, ref := range j.From {
		var err error
		if branches[i], err = d.vals.take(ref, codec, !d.none || !j.Own[i]); err != nil {
			return nil, err
		}
	}
	merge := owner.Definition().Merge
	if n != nil && n.Merge != nil {
		merge = n.Merge
	}
	own := merge != nil
	settles := d.none || own
	if !own {
		merge = codec.Merge
	}
	var results []any
	for _, step := range j.Steps {
		base, err := d.vals.peek(step.Base, codec)
		if err == nil && own { // the author's function may change it
			base, err = copied(codec, base)
		}
		if err != nil {
			return nil, err
		}
		inputs := make([]any, len(step.Inputs))
		for i, at := range step.Inputs {
			if at < 0 {
				inputs[i] = results[-at-1]
			} else {
				inputs[i] = branches[at]
			}
		}
		result, err := mapped(func() (any, error) {
			made, err := merge(base, inputs)
			if conflicts, ok := errors.AsType[plan.MergeConflictsError](err); ok {
				at := "END"
				if n != nil {
					at = n.Name
				}
				conflicts.Name(at, step.Names)
			}
			return made, err
		})
		if err == nil && settles {
			result, err = settle(codec, result, &d.known, true)
		}
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results[len(results)-1], nil
}

// merge begins the task of a join.
func (d *drive) merge(j *machine.Join) error {
	t := d.m.Expected(j)
	if t == nil {
		return nil
	}
	flat := d.m.Flat(t)
	value, err := d.joined(j, flat.Owner, flat.Node)
	var v machine.Value
	var snap any
	if err == nil {
		v, snap, value, err = d.mergedValue(j, flat.Owner.State(), value)
	}
	if err != nil {
		return d.failJoin(j, t, flat, err)
	}
	ref := uint64(0)
	err = d.commit(d.ctx, func(m *machine.Machine) error {
		ref = m.Head() + 1
		t, err := m.Joined(d.now(), j, v)
		if t == nil {
			ref = 0
		}
		return err
	})
	if err != nil || ref == 0 {
		return err
	}
	d.vals.put(ref, value, snap)
	d.vals.tidy(d.m)
	return nil
}

// mergedValue is what branches have changed together.
func (d *drive) mergedValue(j *machine.Join, codec plan.Codec, value any) (v machine.Value, snap, settled any, err error) {
	v = machine.Value{Changed: true, Delta: true, Base: j.Base()}
	if d.none {
		return v, nil, value, nil
	}
	base, err := d.vals.peek(v.Base, codec)
	if err != nil {
		return v, nil, nil, err
	}
	if base, err = copied(codec, base); err != nil {
		return v, nil, nil, notStorable(err)
	}
	delta, snap, settled, err := d.changeOf(codec, base, value)
	if err != nil {
		return v, nil, nil, notStorable(err)
	}
	v.Data = delta
	return v, snap, settled, nil
}
