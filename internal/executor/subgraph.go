package executor

import (
	"errors"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// enter computes the input of a subgraph (law G6) or the items of a map (law G5).
func (x *Execution) enter(t *machine.Task) error {
	flat := x.Machine.Flat(t)
	if flat.Map != nil {
		return x.split(t, flat)
	}
	if t.InFlow() {
		return x.enterFlow(t, flat)
	}
	which := x.refer(t)
	if flat.In == nil {
		return x.commit(x.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
			return m.Entered(x.Now(), t, machine.Value{})
		}))
	}
	value, err := x.Values.Take(t.Ref, flat.Owner.State(), true)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	t, input, err := x.outside(&which, func() (any, error) { return flat.In(value) })
	if t == nil {
		return x.lookAgain()
	}
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	return x.enterWith(t, flat, input)
}

// enterWith starts a subgraph with a given input.
func (x *Execution) enterWith(t *machine.Task, flat *plan.Flat, input any) error {
	v, input, snap, err := x.fresh(t, flat.Sub.State(), input, true)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	ref, which := uint64(0), x.refer(t)
	err = x.commit(x.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
		ref = m.Head() + 1
		return m.Entered(x.Now(), t, v)
	}))
	if err == nil && !which.gone {
		x.Values.Put(ref, input, snap)
	}
	return err
}

// fresh encodes a canonical value as a whole, without a delta.
func (x *Execution) fresh(t *machine.Task, codec plan.Codec, value any, own bool) (v machine.Value, final, snap any, err error) {
	v = machine.Value{Changed: true, Delta: x.Unstored, Base: t.Ref}
	codec = x.Sized(codec)
	if final, err = runstate.Canonical(codec, value, &x.Known, own); err != nil || x.Unstored {
		return v, final, nil, err
	}
	if v.Data, err = guard.Encode(codec, final); err == nil {
		snap, err = guard.Copy(codec, final)
	}
	if err != nil {
		return v, nil, nil, runtype.NotStorable(err)
	}
	return v, final, snap, nil
}

// split computes the items of a map. A map without items is over.
func (x *Execution) split(t *machine.Task, flat *plan.Flat) error {
	value, err := x.inputOf(t, flat, true)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	var items []any
	which := x.refer(t)
	t, _, err = x.outside(&which, func() (any, error) {
		var err error
		items, err = flat.Map.Split(value)
		return nil, err
	})
	if t == nil {
		return x.lookAgain()
	}
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	if len(items) == 0 {
		return x.gather(t, flat, nil)
	}
	inputs, snaps := make([]machine.Value, len(items)), make([]any, len(items))
	for i, item := range items {
		if inputs[i], items[i], snaps[i], err = x.fresh(t, flat.Sub.State(), item, false); err != nil {
			return x.fail(t, flat, nil, err)
		}
	}
	first := uint64(0)
	err = x.commit(x.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
		first = m.Head() + 1
		return m.Split(x.Now(), t, inputs)
	}))
	if err != nil || which.gone {
		return err
	}
	for i, item := range items {
		x.Values.Put(first+uint64(i), item, snaps[i])
	}
	return nil
}

// leave computes the value that travels on from a subgraph.
func (x *Execution) leave(t *machine.Task) error {
	flat := x.Machine.Flat(t)
	if flat.Map != nil {
		return x.leaveMap(t, flat)
	}
	if slots, ok := x.Machine.Outcome(t); ok {
		return x.leaveFlow(t, flat, slots)
	}
	ending := x.Machine.Ending(t)
	if len(ending.Steps) == 0 && flat.Out == nil {
		return x.leaveAsIs(t, flat)
	}
	result, err := x.joined(ending, flat.Sub, nil)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	if flat.Out == nil {
		return x.finishChosen(t, flat, result)
	}
	value, err := x.Values.Take(t.Ref, flat.Owner.State(), true)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	which := x.refer(t)
	t, out, err := x.outside(&which, func() (any, error) { return flat.Out(value, result) })
	if t == nil {
		return x.lookAgain()
	}
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	return x.finishChosen(t, flat, out)
}

// outside calls an author's mapping function, without the lock if other tasks run, since they may hold what it
// waits for. It then finds the task again; t is nil if the task was dropped.
func (x *Execution) outside(which *taskRef, f func() (any, error)) (t *machine.Task, value any, err error) {
	if !x.workers.busy() {
		value, err = guard.Result(f)
	} else {
		x.workers.without(func() { value, err = guard.Result(f) })
		if x.workers.lost != nil || runtype.Status(x.Machine.Status()).Ended() {
			return nil, nil, nil
		}
	}
	return which.in(x.Machine), value, err
}

// leaveMap gathers the results of a map's items, in their order (law G5).
func (x *Execution) leaveMap(t *machine.Task, flat *plan.Flat) error {
	items := x.Machine.Items(t)
	results := make([]plan.Item, len(items))
	for i, item := range items {
		if item.Join == nil {
			results[i].Err = runstate.Recorded(&item.Failure)
			continue
		}
		value, err := x.itemResult(item, flat)
		if err != nil {
			return x.fail(t, flat, nil, err)
		}
		results[i].Value = value
	}
	return x.gather(t, flat, results)
}

func (x *Execution) itemResult(item machine.Item, flat *plan.Flat) (any, error) {
	if item.Slots != nil {
		return x.gathered(flat.Sub.Result().Gather, flat.Sub, item.Slots, false)
	}
	return x.joined(item.Join, flat.Sub, nil)
}

func (x *Execution) gather(t *machine.Task, flat *plan.Flat, results []plan.Item) error {
	take := func() (any, error) { return x.inputOf(t, flat, true) }
	if x.Unstored && !t.InFlow() && t.Own && !x.mustKeep(t, flat) {
		take = func() (any, error) { return x.Values.Last(t.Ref, flat.Owner.State()) }
	}
	value, err := take()
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	which := x.refer(t)
	t, out, err := x.outside(&which, func() (any, error) { return flat.Map.Gather(value, results) })
	if t == nil {
		return x.lookAgain()
	}
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	return x.finishChosen(t, flat, out)
}

// finishChosen asks the gate of a subgraph's node, if any, and finishes the task.
func (x *Execution) finishChosen(t *machine.Task, flat *plan.Flat, out any) error {
	var err error
	if x.Unstored || flat.Gate() {
		if out, err = runstate.CanonicalOutput(flat, out, &x.Known); err != nil {
			return x.fail(t, flat, nil, err)
		}
	}
	t, choice, err := x.choose(t, flat, out)
	if t == nil || err != nil {
		return err
	}
	if x.Unstored && flat.Gate() { // the gate may have changed it
		if out, err = runstate.CanonicalOutput(flat, out, &x.Known); err != nil {
			return x.fail(t, flat, nil, err)
		}
	}
	err = x.finish(t, flat, out, choice)
	x.Values.Tidy(x.Machine)
	return err
}

// choose asks the gate of a subgraph's node, and finds the task again in a machine that may have been folded
// anew. t is nil if the gate did not choose: it waits, or its failure is handled.
func (x *Execution) choose(t *machine.Task, flat *plan.Flat, value any) (*machine.Task, chosen, error) {
	if !flat.Gate() {
		return t, chosen{}, nil
	}
	h, alone := &x.host, x.alone(t)
	if !alone {
		h = x.workers.host()
	}
	h.begin(t)
	gate := *flat.Node
	gate.Run, gate.Sub = nil, nil
	as := *flat
	as.Node = &gate
	var choice chosen
	var err error
	ask := func() {
		_, choice, err = h.call(&as, node.NewContext(x.scope(x.ctx, h), h, h.pass.Load()), value)
		h.end()
	}
	if alone {
		ask()
	} else {
		x.workers.without(ask)
	}
	if x.workers.lost != nil {
		return nil, choice, x.workers.lost
	}
	if t = h.task.in(x.Machine); t == nil || runtype.Status(x.Machine.Status()).Ended() {
		return nil, choice, x.goneMeanwhile(h)
	}
	if err != nil || h.broken != nil || h.storeFailed != nil || h.suspended || h.skipped() != "" {
		return nil, choice, x.conclude(h, t, flat, nil, choice, err)
	}
	return t, choice, nil
}

// leaveAsIs passes on the result of a subgraph unchanged.
func (x *Execution) leaveAsIs(t *machine.Task, flat *plan.Flat) error {
	old := t.Result
	result, err := x.Values.Take(old, flat.Sub.State(), true)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	shown := result
	if flat.Gate() { // its changes are not recorded
		if shown, err = guard.Copy(flat.Sub.State(), result); err != nil {
			return x.fail(t, flat, nil, runtype.NotStorable(err))
		}
	}
	t, choice, err := x.choose(t, flat, shown)
	if t == nil || err != nil {
		return err
	}
	var snap any
	if c := x.Values.Find(old); c != nil {
		if snap = c.Snap; x.Unstored {
			snap = nil
		}
	}
	ref, err := x.commitFinish(t, machine.Outcome{
		Value: machine.Value{Changed: true, Delta: true, Base: old}, Choice: choice.one, Choices: choice.several,
	})
	if err != nil || ref == 0 {
		return err
	}
	if x.Machine.Uses(old) {
		if snap != nil {
			if snap, err = guard.Copy(flat.Sub.State(), snap); err != nil {
				return runtype.NotStorable(err)
			}
		}
		x.Values.Put(ref, result, snap)
	} else {
		x.Values.Replace(old, ref, result, snap)
	}
	x.Values.Tidy(x.Machine)
	return nil
}

// joined returns the value of a join: the only one, or the branches merged against their fork (law G4).
func (x *Execution) joined(j *machine.Join, owner *plan.Plan, n *plan.Node) (any, error) {
	codec := owner.State()
	if len(j.Steps) == 0 {
		return x.Values.Take(j.From[0], codec, !x.Unstored || !j.Own[0])
	}
	merge := owner.Definition().Merge
	if n != nil && n.Merge != nil {
		merge = n.Merge
	}
	own := merge != nil
	finalizes := x.Unstored || own
	branches := make([]any, len(j.From))
	for i, ref := range j.From {
		var err error
		if n != nil && !finalizes { // the codec merges, and the result is stored and copied: no author's code sees it
			branches[i], err = x.Values.Lend(ref, codec)
		} else {
			branches[i], err = x.Values.Take(ref, codec, !x.Unstored || !j.Own[i])
		}
		if err != nil {
			return nil, err
		}
	}
	if !own {
		merge = codec.Merge
	}
	var results []any
	for _, step := range j.Steps {
		base, err := x.Values.Peek(step.Base, codec)
		if err == nil && own { // the author's function may change it
			base, err = guard.Copy(codec, base)
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
		result, err := guard.Result(func() (any, error) {
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
		if err == nil && finalizes {
			result, err = runstate.Canonical(codec, result, &x.Known, true)
		}
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results[len(results)-1], nil
}

// merge starts the task of a join.
func (x *Execution) merge(j *machine.Join) error {
	t := x.Machine.Expected(j)
	if t == nil {
		return nil
	}
	flat := x.Machine.Flat(t)
	value, err := x.joined(j, flat.Owner, flat.Node)
	var v machine.Value
	var snap any
	if err == nil {
		v, snap, value, err = x.mergedValue(j, flat.Owner.State(), value)
	}
	if err != nil {
		return x.failJoin(j, t, flat, err)
	}
	ref := uint64(0)
	err = x.commit(x.ctx, func(m *machine.Machine) error {
		ref = m.Head() + 1
		t, err := m.Joined(x.Now(), j, v)
		if t == nil {
			ref = 0
		}
		return err
	})
	if err != nil || ref == 0 {
		return err
	}
	x.Values.Put(ref, value, snap)
	x.Values.Tidy(x.Machine)
	return nil
}

// mergedValue encodes the merged value of branches.
func (x *Execution) mergedValue(j *machine.Join, codec plan.Codec, value any) (v machine.Value, snap, final any, err error) {
	v = machine.Value{Changed: true, Delta: true, Base: j.Base()}
	if x.Unstored {
		return v, nil, value, nil
	}
	base, err := x.Values.Peek(v.Base, codec)
	if err != nil {
		return v, nil, nil, err
	}
	if base, err = guard.Copy(codec, base); err != nil {
		return v, nil, nil, runtype.NotStorable(err)
	}
	delta, snap, final, err := x.ChangeOf(codec, base, value)
	if err != nil {
		return v, nil, nil, runtype.NotStorable(err)
	}
	v.Data = delta
	return v, snap, final, nil
}
