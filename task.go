package fermata

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// start does what a task is started for, and records what came of it.
func (d *drive) start(s machine.Start) error {
	d.pure = d.isPure(s) && d.alone(s.Task)
	returned := false
	defer func() {
		if d.pure = false; !returned {
			d.crew.leaves(s)
		}
	}()
	err := d.begun(s)
	returned = true
	return err
}

func (d *drive) begun(s machine.Start) error {
	switch s.Do {
	case machine.Enter:
		return d.enter(s.Task)
	case machine.Leave:
		return d.leave(s.Task)
	case machine.Merge:
		return d.merge(s.Join)
	case machine.Fail:
		return d.failAround(s.Task, s.Leaf)
	}
	return d.run(s.Task)
}

// taskRef finds a task again, also in a machine that was folded anew.
type taskRef struct {
	m    *machine.Machine
	t    *machine.Task
	id   uint64
	gone bool // it was not there the last time
}

func (d *drive) refer(t *machine.Task) taskRef { return taskRef{m: d.m, t: t, id: t.ID} }

// in finds the task, nil when it has come to its end.
func (r *taskRef) in(m *machine.Machine) *machine.Task {
	if r.m != m {
		r.m, r.t = m, m.ByID(r.id)
	}
	if r.gone = r.t == nil || r.t.ID != r.id; r.gone {
		return nil
	}
	return r.t
}

// do makes an input that is about a task. Where the task is gone by then, nothing is done.
func (r *taskRef) do(f func(m *machine.Machine, t *machine.Task) error) input {
	return func(m *machine.Machine) error {
		t := r.in(m)
		if t == nil {
			return nil
		}
		return f(m, t)
	}
}

// run calls a node's function once: one pass. Where nothing is stored and nothing else is to be decided, it goes on with
// the nodes that follow.
func (d *drive) run(t *machine.Task) error {
	flat := d.m.Flat(t)
	in, err := d.inputOf(t, flat, !t.InFlow() && d.mustKeep(t, flat))
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	if d.alone(t) {
		return d.runAlone(t, flat, in)
	}
	first, own, glides := t.Ref, t.Own, d.mayGlide(t)
	h, ctx := d.crew.host(), d.crew.context()
	for {
		w := d.workOf(t, flat, h)
		h.begin(t)
		out, choice, err := d.crew.attempt(ctx, &w, in)
		switch {
		case d.crew.lost != nil:
			return d.crew.lost
		case Status(d.m.Status()).Ended():
			return d.goneMeanwhile(h)
		}
		if t = h.task.in(d.m); t == nil {
			return d.goneMeanwhile(h)
		}
		if err != nil && !h.suspended && ctx.Err() != nil && d.ctx.Err() == nil {
			d.m.Abandon(t)
			return d.lookAgain()
		}
		if glides && err == nil && h.unharmed() && ctx.Err() == nil && d.m.Glide(t, choice.one) {
			flat, in = d.m.Flat(t), out
			continue
		}
		d.glided(t, first, own)
		err = d.conclude(h, t, flat, out, choice, err)
		if !flat.Bounded() { // else its goroutine may still hold on to it
			d.crew.hosts = append(d.crew.hosts, h)
		}
		return err
	}
}

// runAlone is run for a task beside which nothing else could go on.
func (d *drive) runAlone(t *machine.Task, flat *plan.Flat, in any) error {
	if flat.Simple && d.mayGlide(t) {
		return d.glide(t, flat, in)
	}
	h := d.hostFor(flat)
	w := d.workOf(t, flat, h)
	h.begin(t)
	d.single.Store(h)
	defer d.single.Store(nil) // also when the node ends its goroutine
	out, choice, err := d.attemptOrHit(d.ctx, &w, in)
	d.single.Store(nil)
	h.end()
	if t = h.task.in(d.m); t == nil {
		return d.goneMeanwhile(h)
	}
	return d.conclude(h, t, flat, out, choice, err)
}

// goneMeanwhile is for a task that came to its end while its function ran: it was given up, or another process drives
// the run.
func (d *drive) goneMeanwhile(h *host) error {
	if h.storeFailed != nil {
		return h.storeFailed
	}
	return d.lookAgain()
}

// lookAgain sees what follows after a task came to nothing.
func (d *drive) lookAgain() error {
	if d.crew.lost != nil {
		return d.crew.lost
	}
	if Status(d.m.Status()).Ended() {
		return nil
	}
	return d.commit(d.ctx, nil)
}

// alone reports whether nothing else is open, so that nobody could do anything while a task is at work.
func (d *drive) alone(t *machine.Task) bool {
	return d.queue.len() == 0 && !d.crew.busy() && d.m.Alone(t)
}

// conclude records what came of a pass.
func (d *drive) conclude(h *host, t *machine.Task, flat *plan.Flat, out any, choice chosen, err error) error {
	switch {
	case h.broken != nil:
		h.keepBeat()
		return d.fail(t, flat, nil, h.broken)
	case h.storeFailed != nil:
		return h.storeFailed
	case h.suspended:
		return d.suspend(h, t, err)
	case err == nil && choice.hit == nil && h.skipped() != "":
		return d.fail(t, flat, nil, &node.DivergedError{
			Task: d.m.TaskID(t), Expected: h.skipped(), Found: "its end",
		})
	case err != nil && d.ctx.Err() != nil:
		if _ = h.saveBeat(); h.storeFailed != nil {
			return h.storeFailed
		}
		return d.stopped() // what a task says after it was told to stop is no outcome (law F3)
	case err != nil:
		said := *d.kept(err)
		cause := &said
		cause.Others = true
		h.keepBeat()
		d.retract(h, t, again(flat, t, cause))
		return d.fail(t, flat, out, cause)
	}
	return d.finish(t, flat, out, choice)
}

// retract says that what a failed attempt has shown and left open does not hold, nor the text of its calls that failed
// (law E4).
func (d *drive) retract(h *host, t *machine.Task, again bool) {
	which, reason := d.refer(t), "failure"
	if again {
		reason = "retry"
	}
	for _, op := range t.Unsaid() {
		d.add(which.do(func(m *machine.Machine, t *machine.Task) error {
			return m.Record(d.now(), t, journal.DataInvalidated, op, nil, invalidated(h.segment(op), reason))
		}))
	}
	if !h.open {
		return
	}
	d.add(which.do(func(m *machine.Machine, t *machine.Task) error {
		return m.Record(d.now(), t, journal.DataInvalidated, "", nil, invalidated("", reason))
	}))
}

// hostFor is the host of one pass. A node with a time limit may leave its goroutine behind: it gets one of its own,
// which speaks for no other task later.
func (d *drive) hostFor(flat *plan.Flat) *host {
	if !flat.Bounded() {
		return &d.host
	}
	h := &host{d: d}
	h.mu = &h.own
	return h
}

// mustKeep reports whether a task's input may be needed again although nothing of it is stored.
func (d *drive) mustKeep(t *machine.Task, flat *plan.Flat) bool {
	if !d.none {
		return false // the snapshot that deltas are made from serves
	}
	if flat.Retry.Attempts > 1 || len(flat.Failures) > 0 {
		return true
	}
	for p := t.Parent(); p != nil; p = p.Parent() {
		if f := d.m.Flat(p); p.Ref == t.Ref || f.Retry.Attempts > 1 || len(f.Failures) > 0 {
			return true
		}
	}
	return d.m.Shared(t)
}

// chosen is what a gate has chosen.
type chosen struct {
	one     string
	several []string
	hit     []byte // where the outcome was found in the cache: what the journal says of it (law D13)
}

func (c *chosen) outcome(v machine.Value) machine.Outcome {
	return machine.Outcome{Value: v, Choice: c.one, Choices: c.several, Hit: c.hit}
}

// attempt calls the function and, when it succeeds, the gate, within the node's time limit, once its pool lets it.
func (d *drive) attempt(within context.Context, flat *plan.Flat, h *host, in any) (out any, choice chosen, err error) {
	place, err := d.acquire(within, flat)
	if err != nil {
		return nil, chosen{}, err
	}
	if !flat.Bounded() {
		defer place.release()
		return h.call(flat, node.NewContext(d.scope(within, h), h, h.pass.Load()), in)
	}
	return d.bounded(within, flat, h, in, place)
}

// finish records a task's success (law J4).
func (d *drive) finish(t *machine.Task, flat *plan.Flat, out any, choice chosen) error {
	if t.InFlow() {
		return d.finishFlow(t, flat, out, choice)
	}
	old, own := t.Ref, t.Own
	if d.none {
		v := machine.Value{Changed: true, Delta: true, Base: old}
		if err := d.m.Finish(0, t, choice.outcome(v)); err != nil {
			return err
		}
		return d.moveOn(old, own, out, nil)
	}
	v, snap, out, err := d.change(t, flat, old, out)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	outcome := choice.outcome(v)
	ref, which := uint64(0), d.refer(t)
	err = d.commit(d.ctx, which.do(func(m *machine.Machine, task *machine.Task) error {
		ref = m.Head() + 1
		return m.Finish(d.now(), task, outcome)
	}))
	if err != nil || which.gone {
		return err
	}
	if !v.Changed {
		if c := d.vals.find(old); c != nil {
			c.live, c.snap = out, snap
		}
		return nil
	}
	d.moved(old, own, ref, out, snap)
	return nil
}

// change computes what a node changed in the value that it was given, and settles what it returned.
func (d *drive) change(t *machine.Task, flat *plan.Flat, base uint64, out any) (v machine.Value, snap, settled any, err error) {
	codec := flat.Owner.State()
	c, err := d.vals.known(base, codec)
	if err != nil {
		return v, nil, nil, err
	}
	if snap = c.snap; d.m.Shared(t) {
		if snap, err = copied(codec, snap); err != nil {
			return v, nil, nil, notStorable(err)
		}
	}
	delta, next, settled, err := d.changeOf(codec, snap, out)
	if err != nil {
		if lost := d.reload(base); lost != nil { // the snapshot is used up
			return v, nil, nil, lost
		}
		return v, nil, nil, notStorable(err)
	}
	if len(delta) == 0 {
		return v, next, settled, nil
	}
	return machine.Value{Changed: true, Delta: true, Base: base, Data: delta}, next, settled, nil
}

// moveOn is commit for a run that is not stored.
func (d *drive) moveOn(old uint64, own bool, live, snap any) error {
	ref := d.m.LastValue()
	work, err := d.m.Next(0)
	if err != nil {
		return err
	}
	d.moved(old, own, ref, live, snap)
	d.follows(work)
	return nil
}

// moved puts a new value in the place of the one that it was made from, where nothing else refers to that.
func (d *drive) moved(old uint64, own bool, ref uint64, live, snap any) {
	if own || !d.m.Uses(old) {
		d.vals.replace(old, ref, live, snap)
		return
	}
	d.vals.put(ref, live, snap)
	d.vals.tidy(d.m)
}

// suspend records that a task waits, after its function has returned (laws N1 and N6).
func (d *drive) suspend(h *host, t *machine.Task, err error) error {
	if d.none {
		return ErrMustWait
	}
	op, which, waits, naps := h.waitFor(), d.refer(t), h.waits, h.naps
	h.keepReads()
	h.keepBeat()
	swallowed := err == nil || !fault.Capture(err).Is(node.ErrSuspended)
	return d.commit(d.ctx, which.do(func(m *machine.Machine, t *machine.Task) error {
		now := d.now()
		for _, n := range naps {
			body, _ := json.Marshal(journal.TimerBody{Due: now + n.d.Microseconds()})
			if err := put(m, t, now, journal.TimerSet, n.op, nil, body); err != nil {
				return err
			}
		}
		if swallowed {
			text := "the node went on after a call that waits; what it returned is ignored"
			if err := m.Record(now, t, journal.Diagnostic, "", nil, diagnostic("swallowed_suspension", text)); err != nil {
				return err
			}
		}
		at := op
		for _, w := range waits { // what came while others were at work
			if known := t.Op(w.op); len(waits) > 1 && known != nil && known.Done {
				at = w.op
			}
		}
		return m.Suspend(now, t, at)
	}))
}

// mapped calls a mapping of the author's and turns a panic into an error (law N7). Its error may be asked anything: see
// [captured].
func mapped(f func() (any, error)) (value any, err error) {
	defer captured(&err)
	defer panicked(&err)
	return f()
}

// serviceOf finds a service of the program.
func (d *drive) serviceOf(t reflect.Type) any {
	if d.services == nil {
		return nil
	}
	return d.services.find(t)
}
