package executor

import (
	"encoding/json"
	"reflect"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// start runs a start and records its outcome.
func (x *Execution) start(s machine.Start) error {
	x.pure = x.isPure(s) && x.alone(s.Task)
	returned := false
	defer func() {
		if x.pure = false; !returned {
			x.workers.leaves(s)
		}
	}()
	err := x.begun(s)
	returned = true
	return err
}

func (x *Execution) begun(s machine.Start) error {
	switch s.Do {
	case machine.Enter:
		return x.enter(s.Task)
	case machine.Leave:
		return x.leave(s.Task)
	case machine.Merge:
		return x.merge(s.Join)
	case machine.Fail:
		return x.failAround(s.Task, s.Leaf)
	}
	return x.run(s.Task)
}

// taskRef finds a task again, also in a machine that was folded anew.
type taskRef struct {
	m    *machine.Machine // the machine in which t was found
	t    *machine.Task    // the task there
	id   uint64           // of the task
	gone bool             // it was not found the last time
}

func (x *Execution) refer(t *machine.Task) taskRef { return taskRef{m: x.Machine, t: t, id: t.ID} }

// in returns the task, nil if it has ended.
func (r *taskRef) in(m *machine.Machine) *machine.Task {
	if r.m != m {
		r.m, r.t = m, m.ByID(r.id)
	}
	if r.gone = r.t == nil || r.t.ID != r.id; r.gone {
		return nil
	}
	return r.t
}

// do makes an input about a task. It does nothing if the task has ended.
func (r *taskRef) do(f func(m *machine.Machine, t *machine.Task) error) input {
	return func(m *machine.Machine) error {
		t := r.in(m)
		if t == nil {
			return nil
		}
		return f(m, t)
	}
}

// later makes an input about a task, like do. It is for those who do not ask whether the task had ended.
func (r taskRef) later(now int64, f func(m *machine.Machine, t *machine.Task, now int64) error) input {
	return func(m *machine.Machine) error {
		which := r
		t := which.in(m)
		if t == nil {
			return nil
		}
		return f(m, t, now)
	}
}

// run calls a node's function once: one pass. In a run that is not stored, it may go on with the nodes that
// follow.
func (x *Execution) run(t *machine.Task) error {
	flat := x.Machine.Flat(t)
	in, err := x.inputOf(t, flat, !t.InFlow() && x.mustKeep(t, flat))
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	if x.alone(t) {
		return x.runAlone(t, flat, in)
	}
	first, own, fast := t.Ref, t.Own, x.mayRunFast(t)
	h, ctx := x.workers.host(), x.workers.context()
	if x.Machine.FailsFast(t) {
		ctx = h.inSubgraph(ctx)
		defer h.release()
	}
	for {
		w := x.workOf(t, flat, h)
		h.begin(t)
		out, choice, err := x.workers.attempt(ctx, &w, in)
		switch {
		case x.workers.lost != nil:
			return x.workers.lost
		case runtype.Status(x.Machine.Status()).Ended():
			return x.goneMeanwhile(h)
		}
		if t = h.task.in(x.Machine); t == nil {
			return x.goneMeanwhile(h)
		}
		if err != nil && !h.suspended && ctx.Err() != nil && x.ctx.Err() == nil {
			x.Machine.Abandon(t)
			return x.lookAgain()
		}
		if fast && err == nil && h.unharmed() && ctx.Err() == nil && x.Machine.FastPath(t, choice.one) {
			flat, in = x.Machine.Flat(t), out
			continue
		}
		x.ranFast(t, first, own)
		err = x.conclude(h, t, flat, out, choice, err)
		if !flat.Bounded() { // otherwise its goroutine may still use it
			x.workers.hosts = append(x.workers.hosts, h)
		}
		return err
	}
}

// runAlone is run for a task beside which nothing else can run.
func (x *Execution) runAlone(t *machine.Task, flat *plan.Flat, in any) error {
	if flat.Simple && x.mayRunFast(t) {
		return x.runFast(t, flat, in)
	}
	h := x.hostFor(flat)
	w := x.workOf(t, flat, h)
	h.begin(t)
	x.single.Store(h)
	defer x.single.Store(nil) // also if the node ends its goroutine
	out, choice, err := x.attempt(x.ctx, &w, in)
	x.single.Store(nil)
	h.end()
	if t = h.task.in(x.Machine); t == nil {
		return x.goneMeanwhile(h)
	}
	return x.conclude(h, t, flat, out, choice, err)
}

// goneMeanwhile handles a task that ended while its function ran: it was dropped, or another process owns the
// run.
func (x *Execution) goneMeanwhile(h *host) error {
	if h.storeFailed != nil {
		return h.storeFailed
	}
	return x.lookAgain()
}

// lookAgain computes what follows after a task was dropped.
func (x *Execution) lookAgain() error {
	if x.workers.lost != nil {
		return x.workers.lost
	}
	if runtype.Status(x.Machine.Status()).Ended() {
		return nil
	}
	return x.commit(x.ctx, nil)
}

// alone reports whether nothing else is open, so no other task can run meanwhile. In a run that may be undone none is: a
// cancel ends its context, and not the execution (law F10).
func (x *Execution) alone(t *machine.Task) bool {
	return !x.Plan.Undoes() && x.queue.len() == 0 && !x.workers.busy() && x.Machine.Alone(t)
}

// conclude records the outcome of a pass.
func (x *Execution) conclude(h *host, t *machine.Task, flat *plan.Flat, out any, choice chosen, err error) error {
	switch {
	case h.broken != nil:
		h.keepBeat()
		return x.fail(t, flat, nil, h.broken)
	case h.storeFailed != nil:
		return h.storeFailed
	case h.suspended:
		return x.suspend(h, t, err)
	case err == nil && choice.hit == nil && h.skipped() != "":
		return x.fail(t, flat, nil, &node.DivergedError{
			Task: x.Machine.TaskID(t), Expected: h.skipped(), Found: "its end",
		})
	case err != nil && x.ctx.Err() != nil:
		if _ = h.saveBeat(); h.storeFailed != nil {
			return h.storeFailed
		}
		if err := x.stopped(); err != nil || !x.Machine.IsUndoing() {
			return err // an error returned after a stop request is no outcome (law F3)
		}
		if t = h.task.in(x.Machine); t != nil {
			x.Machine.Abandon(t)
		}
		return x.lookAgain()
	case err != nil:
		said := *x.kept(err)
		cause := &said
		cause.Others = true
		h.keepBeat()
		x.retract(h, t, again(flat, t, cause))
		return x.fail(t, flat, out, cause)
	}
	return x.finish(t, flat, out, choice)
}

// retract withdraws what a failed attempt showed and left incomplete, and the text of its failed calls (law
// E4).
func (x *Execution) retract(h *host, t *machine.Task, again bool) {
	which, reason := x.refer(t), "failure"
	if again {
		reason = "retry"
	}
	for _, op := range t.Unsaid() {
		x.add(which.do(func(m *machine.Machine, t *machine.Task) error {
			return m.Record(x.Now(), t, journal.DataInvalidated, op, nil, invalidated(h.segment(op), reason))
		}))
	}
	if !h.open {
		return
	}
	x.add(which.do(func(m *machine.Machine, t *machine.Task) error {
		return m.Record(x.Now(), t, journal.DataInvalidated, "", nil, invalidated("", reason))
	}))
}

// hostFor returns the host of one pass. A node with a time limit may leave its goroutine behind, so it gets a
// host that serves no later task.
func (x *Execution) hostFor(flat *plan.Flat) *host {
	if !flat.Bounded() {
		return &x.host
	}
	h := &host{run: x}
	h.mu = &h.own
	return h
}

// mustKeep reports whether a task's input may be needed again although none of it is stored.
func (x *Execution) mustKeep(t *machine.Task, flat *plan.Flat) bool {
	if !x.Unstored {
		return false // the snapshot for deltas serves
	}
	if flat.Retry.Attempts > 1 || len(flat.Failures) > 0 {
		return true
	}
	for p := t.Parent(); p != nil; p = p.Parent() {
		if f := x.Machine.Flat(p); p.Ref == t.Ref || f.Retry.Attempts > 1 || len(f.Failures) > 0 {
			return true
		}
	}
	return x.Machine.Shared(t)
}

// chosen is the choice of a gate.
type chosen struct {
	one     string   // the target of a gate that chooses one
	several []string // the targets of a gate that chooses several
	hit     []byte   // the journal's record of a cache hit; nil if the node ran (law D13)
}

func (c *chosen) outcome(v machine.Value) machine.Outcome {
	return machine.Outcome{Value: v, Choice: c.one, Choices: c.several, Hit: c.hit}
}

// finish records a task's success (law J4).
func (x *Execution) finish(t *machine.Task, flat *plan.Flat, out any, choice chosen) error {
	if t.Undoes() != "" {
		return x.finishUndo(t)
	}
	if t.InFlow() {
		return x.finishFlow(t, flat, out, choice)
	}
	old, own := t.Ref, t.Own
	if x.Unstored {
		v := machine.Value{Changed: true, Delta: true, Base: old}
		if err := x.Machine.Finish(0, t, choice.outcome(v)); err != nil {
			return err
		}
		return x.moveOn(old, own, out, nil)
	}
	v, snap, out, err := x.change(t, flat, old, out)
	if err != nil {
		return x.fail(t, flat, nil, err)
	}
	return x.succeed(t, choice.outcome(v), product{old: old, own: own, live: out, snap: snap, changed: v.Changed})
}

// product is the value that a task has made, until its entry is stored.
type product struct {
	flow       *plan.Flat // the node of a dataflow; nil in a control graph
	outermost  bool       // of the run's own dataflow
	old        uint64     // seq of the value before
	own        bool       // nothing else refers to that
	live, snap any        // see runstate.Cell; live is nil where snap serves
	changed    bool       // it differs from the value before
}

// keep replaces the value before by the one that a task has made, whose entry is stored at ref.
func (x *Execution) keep(v product, ref uint64) {
	switch {
	case v.flow != nil:
		x.wrote(v.flow, v.outermost, v.old, ref, nil, v.snap, v.changed)
	case v.changed:
		x.moved(v.old, v.own, ref, v.live, v.snap)
	default:
		if c := x.Values.Find(v.old); c != nil {
			c.Live, c.Snap = v.live, v.snap
		}
	}
}

// succeed records the success of a task: at once where no other outcome waits or is about to come.
func (x *Execution) succeed(t *machine.Task, o machine.Outcome, v product) error {
	if !x.storesAtOnce() {
		return x.succeedTogether(t, o, v)
	}
	ref, err := x.commitFinish(t, o)
	if err == nil && ref != 0 {
		x.keep(v, ref)
	}
	return err
}

// finishing is the input that records the success of a task. It is reused, since each node makes one.
type finishing struct {
	which   taskRef         // the task
	outcome machine.Outcome // its outcome
	ref     uint64          // seq of the entry; 0 if the task had ended
	record  input           // records it; nil before the first
}

// commitFinish records the success of a task and returns the seq of its entry; 0 if the task had ended.
func (x *Execution) commitFinish(t *machine.Task, o machine.Outcome) (ref uint64, err error) {
	f := &x.finishing
	f.which, f.outcome, f.ref = x.refer(t), o, 0
	if f.record == nil {
		f.record = x.recordFinish
	}
	err = x.commit(x.ctx, f.record)
	f.outcome = machine.Outcome{}
	return f.ref, err
}

func (x *Execution) recordFinish(m *machine.Machine) error {
	f := &x.finishing
	t := f.which.in(m)
	if t == nil {
		f.ref = 0
		return nil
	}
	f.ref = m.Head() + 1
	return m.Finish(x.now, t, f.outcome)
}

// change makes an output canonical and encodes it as a delta against the task's input. final is nil where the
// snapshot is copied for a task that takes the value.
func (x *Execution) change(t *machine.Task, flat *plan.Flat, base uint64, out any) (v machine.Value, snap, final any, err error) {
	codec := flat.Owner.State()
	c, err := x.Values.Known(base, codec)
	if err != nil {
		return v, nil, nil, err
	}
	if snap = c.Snap; x.Machine.Shared(t) {
		if snap, err = guard.Copy(codec, snap); err != nil {
			return v, nil, nil, runtype.NotStorable(err)
		}
	}
	delta, next, final, err := x.ChangeOf(codec, snap, out)
	if err != nil {
		if lost := x.reload(base); lost != nil { // the snapshot is used up
			return v, nil, nil, lost
		}
		return v, nil, nil, runtype.NotStorable(err)
	}
	if len(delta) == 0 {
		return v, next, final, nil
	}
	return machine.Value{Changed: true, Delta: true, Base: base, Data: delta}, next, final, nil
}

// moveOn is commit for a run that is not stored.
func (x *Execution) moveOn(old uint64, own bool, live, snap any) error {
	ref := x.Machine.LastValue()
	work, err := x.Machine.Next(0)
	if err != nil {
		return err
	}
	x.moved(old, own, ref, live, snap)
	x.follows(work)
	return nil
}

// moved replaces a value by its successor if nothing else refers to it.
func (x *Execution) moved(old uint64, own bool, ref uint64, live, snap any) {
	if own || !x.Machine.Uses(old) {
		x.Values.Replace(old, ref, live, snap)
		return
	}
	x.Values.Put(ref, live, snap)
	x.Values.Tidy(x.Machine)
}

// suspend records that a task waits, after its function has returned (laws N1 and N6).
func (x *Execution) suspend(h *host, t *machine.Task, err error) error {
	if x.Unstored {
		return runtype.ErrMustWait
	}
	op, task, waits, naps := h.waitFor(), x.refer(t), h.waits, h.naps
	h.keepReads()
	h.keepBeat()
	swallowed := err != node.ErrSuspended && (err == nil || !fault.Capture(err).Is(node.ErrSuspended)) //nolint:errorlint // as it mostly is
	return x.commit(x.ctx, func(m *machine.Machine) error {
		which := task
		t := which.in(m)
		if t == nil {
			return nil
		}
		now := x.Now()
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
		for _, w := range waits { // arrived while others were running
			if known := t.Op(w.op); len(waits) > 1 && known != nil && known.Done {
				at = w.op
			}
		}
		return m.Suspend(now, t, at)
	})
}

// serviceOf returns a service of the program; nil for none.
func (x *Execution) serviceOf(t reflect.Type) any {
	if x.services == nil {
		return nil
	}
	return x.services.find(t)
}
