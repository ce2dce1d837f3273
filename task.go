package fermata

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// grace is how long a task that has run out of time is waited for, so that it can clean up.
const grace = 2 * time.Second

// start does what a task is started for, and records what came of it.
func (d *drive) start(s machine.Start) error {
	switch s.Do {
	case machine.Enter:
		return d.enter(s.Task)
	case machine.Leave:
		return d.leave(s.Task)
	}
	return d.run(s.Task)
}

// run calls a node's function once: one pass.
func (d *drive) run(t *machine.Task) error {
	flat := d.m.Flat(t)
	h := d.hostFor(flat)
	in, err := d.vals.take(t.Ref, flat.Owner.State(), d.mustKeep(t, flat))
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	h.begin(t, flat)
	out, choice, err := d.attempt(flat, h, in)
	h.end()
	switch {
	case h.broken != nil:
		return d.fail(t, flat, nil, h.broken)
	case h.storeFailed != nil:
		return h.storeFailed
	case h.suspended:
		return d.suspend(h, err)
	case err == nil && h.skipped() != "":
		return d.fail(t, flat, nil, &node.DivergedError{
			Task: d.m.TaskID(t), Expected: h.skipped(), Found: "its end",
		})
	case err != nil && d.ctx.Err() != nil:
		return d.stopped() // what a task says after it was told to stop is no outcome (law F3)
	case err != nil:
		return d.fail(t, flat, out, err)
	}
	return d.finish(t, flat, out, choice)
}

// hostFor is the host of one pass. A node with a time limit may leave its goroutine behind: it gets one of its own,
// which speaks for no other task later.
func (d *drive) hostFor(flat *plan.Flat) *host {
	if flat.Timeout <= 0 {
		return &d.host
	}
	return &host{d: d}
}

// mustKeep reports whether a task's input may be needed again although nothing of it is stored.
func (d *drive) mustKeep(t *machine.Task, flat *plan.Flat) bool {
	if !d.none {
		return false // the snapshot that deltas are made from serves
	}
	if flat.Retry.Attempts > 1 || len(flat.Failures) > 0 {
		return true
	}
	for p := t.Parent; p != nil; p = p.Parent {
		if f := d.m.Flat(p); p.Ref == t.Ref || f.Retry.Attempts > 1 || len(f.Failures) > 0 {
			return true
		}
	}
	return false
}

// attempt calls the function and, when it succeeds, the gate, within the node's time limit.
func (d *drive) attempt(flat *plan.Flat, h *host, in any) (out any, choice string, err error) {
	if flat.Timeout <= 0 {
		return call(flat, node.NewContext(d.scope(d.ctx, h), h, h.pass.Load()), in)
	}
	ctx, cancel := context.WithTimeoutCause(d.ctx, flat.Timeout, ErrTimeout)
	defer cancel()
	type outcome struct {
		out    any
		choice string
		err    error
	}
	ended, pass := make(chan outcome, 1), h.pass.Load()
	go func() {
		o := outcome{err: errGone}
		defer func() { ended <- o }()
		o.out, o.choice, o.err = call(flat, node.NewContext(d.scope(ctx, h), h, pass), in)
	}()
	late := func(cause error) error {
		return fmt.Errorf("%w: more than %s%s", ErrTimeout, flat.Timeout, because(cause))
	}
	select {
	case o := <-ended:
		if o.err != nil && errors.Is(context.Cause(ctx), ErrTimeout) && d.ctx.Err() == nil {
			o.err = late(o.err)
		}
		return o.out, o.choice, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-ended:
		if o.err == nil {
			return o.out, o.choice, nil
		}
		if d.ctx.Err() != nil {
			return nil, "", o.err
		}
		return o.out, "", late(o.err)
	case <-time.After(grace):
		return nil, "", late(nil) // its goroutine is left behind; whatever it still asks for is refused
	}
}

func because(cause error) string {
	if cause == nil || errors.Is(cause, context.DeadlineExceeded) {
		return ""
	}
	return ": " + cause.Error()
}

// call runs a function and its gate, and turns a panic into an error (law N7).
func call(flat *plan.Flat, ctx node.Context, in any) (out any, choice string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &node.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	out = in
	if flat.Run != nil {
		if out, err = flat.Run(ctx, in); err != nil {
			return out, "", err
		}
	}
	if flat.Route != nil {
		if choice, err = flat.Route(ctx, out); err != nil {
			return nil, "", err
		}
		if _, ok := plan.Find(flat.Choices, choice); !ok {
			return nil, "", invalidRoute(flat, choice, flat.Choices)
		}
	}
	return out, choice, nil
}

func invalidRoute(flat *plan.Flat, choice string, declared []plan.Target) error {
	names := make([]string, len(declared))
	for i, t := range declared {
		names[i] = display(t.Name)
	}
	return &InvalidRouteError{
		Node: flat.Path, Target: display(choice), Declared: names, Hint: nearest.Hint(choice, names),
	}
}

// display shows a target to people.
func display(name string) string {
	switch name {
	case node.End:
		return "END"
	case node.Stop:
		return "Stop"
	}
	return name
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}

// finish records a task's success (law J4).
func (d *drive) finish(t *machine.Task, flat *plan.Flat, out any, choice string) error {
	if d.none {
		old := t.Ref
		if err := d.m.Finish(0, t, machine.Value{Changed: true, Delta: true, Base: old}, choice); err != nil {
			return err
		}
		return d.moveOn(old, out, nil)
	}
	v, snap, err := d.change(t, flat, t.Ref, out)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	index, visit, old := t.Node, t.Visit, t.Ref
	err = d.commit(d.ctx, func(m *machine.Machine) error {
		task := m.Task(index, visit)
		if task == nil {
			return errOver
		}
		return m.Finish(d.now(), task, v, choice)
	})
	if err != nil {
		return err
	}
	if !v.Changed {
		if c := d.vals.find(old); c != nil {
			c.live, c.snap = out, snap
		}
		return nil
	}
	d.moved(old, out, snap)
	return nil
}

// change computes what a node changed in the value that it was given.
func (d *drive) change(t *machine.Task, flat *plan.Flat, base uint64, out any) (machine.Value, any, error) {
	codec := flat.Owner.State()
	c := d.vals.find(base)
	if c == nil {
		return machine.Value{}, nil, fmt.Errorf("value %d: %w: it is not in memory", base, journal.ErrCorrupt)
	}
	snap := c.snap
	if d.shared(t, base) {
		var err error
		if snap, err = codec.Copy(snap); err != nil {
			return machine.Value{}, nil, notStorable(err)
		}
	}
	delta, next, err := deltaOf(codec, snap, out)
	if err != nil {
		if lost := d.reload(base); lost != nil { // the snapshot is used up
			return machine.Value{}, nil, lost
		}
		return machine.Value{}, nil, notStorable(err)
	}
	if len(delta) == 0 {
		return machine.Value{}, next, nil
	}
	return machine.Value{Changed: true, Delta: true, Base: base, Data: delta}, next, nil
}

// deltaOf is Delta of a codec, which may call marshalers of the author's (law N7).
func deltaOf(codec plan.Codec, snap, out any) (delta []byte, next any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &node.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return codec.Delta(snap, out)
}

// shared reports whether a value is also the input of a subgraph that a task runs in.
func (d *drive) shared(t *machine.Task, ref uint64) bool {
	for p := t.Parent; p != nil; p = p.Parent {
		if p.Ref == ref {
			return true
		}
	}
	return false
}

// moveOn is commit for a run that is not stored.
func (d *drive) moveOn(old uint64, live, snap any) error {
	work, err := d.m.Next(0)
	if err != nil {
		return err
	}
	d.moved(old, live, snap)
	if len(work.Append) > 0 {
		d.live.publish(d, work.Append)
		d.stored(work.Append, time.Time{})
	}
	d.queue = append(d.queue, work.Start...)
	d.idle, d.complete = work.Idle, work.Complete
	return nil
}

// moved puts a new value in the place of the one that it was made from, where nothing else refers to that.
func (d *drive) moved(old uint64, live, snap any) {
	ref := d.m.LastValue()
	if d.m.Uses(old) {
		d.vals.put(ref, live, snap)
		return
	}
	d.vals.replace(old, ref, live, snap)
	if len(d.vals.cells) > 4 {
		d.vals.retain(d.m.Uses)
	}
}

// suspend records that a task waits, after its function has returned (laws N1 and N6).
func (d *drive) suspend(h *host, err error) error {
	if d.none {
		return ErrMustWait
	}
	index, visit, op := h.node, h.visit, h.waitFor
	swallowed := err == nil || !errors.Is(err, node.ErrSuspended)
	return d.commit(d.ctx, func(m *machine.Machine) error {
		t := m.Task(index, visit)
		if t == nil {
			return errOver
		}
		now := d.now()
		if swallowed {
			text := "the node went on after a call that waits; what it returned is ignored"
			if err := m.Record(now, t, journal.Diagnostic, "", nil, diagnostic("swallowed_suspension", text)); err != nil {
				return err
			}
		}
		return m.Suspend(now, t, op)
	})
}

// enter computes the input of a subgraph (law G6).
func (d *drive) enter(t *machine.Task) error {
	flat := d.m.Flat(t)
	index, visit := t.Node, t.Visit
	if flat.In == nil {
		return d.commit(d.ctx, func(m *machine.Machine) error {
			task := m.Task(index, visit)
			if task == nil {
				return errOver
			}
			return m.Entered(d.now(), task, machine.Value{})
		})
	}
	value, err := d.vals.take(t.Ref, flat.Owner.State(), true)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	input, err := mapped(func() (any, error) { return flat.In(value) })
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	codec := flat.Sub.State()
	v := machine.Value{Changed: true, Delta: d.none, Base: t.Ref}
	var snap any
	if !d.none {
		if v.Data, err = codec.Encode(input); err == nil {
			snap, err = codec.Copy(input)
		}
		if err != nil {
			return d.fail(t, flat, nil, notStorable(err))
		}
	}
	err = d.commit(d.ctx, func(m *machine.Machine) error {
		task := m.Task(index, visit)
		if task == nil {
			return errOver
		}
		return m.Entered(d.now(), task, v)
	})
	if err == nil {
		d.vals.put(d.m.LastValue(), input, snap)
	}
	return err
}

// leave computes what travels on from a subgraph's result.
func (d *drive) leave(t *machine.Task) error {
	flat := d.m.Flat(t)
	result, err := d.vals.take(t.Result, flat.Sub.State(), flat.Out == nil)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	if flat.Out == nil {
		choice, err := d.choose(t, flat, result)
		if err != nil {
			return d.fail(t, flat, nil, err)
		}
		return d.leaveWith(t, result, choice)
	}
	value, err := d.vals.take(t.Ref, flat.Owner.State(), false)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	out, err := mapped(func() (any, error) { return flat.Out(value, result) })
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	choice, err := d.choose(t, flat, out)
	if err != nil {
		return d.fail(t, flat, nil, err)
	}
	d.vals.retain(func(ref uint64) bool { return ref != t.Result || ref == t.Ref })
	return d.finish(t, flat, out, choice)
}

// choose asks the gate of a subgraph's node, "" where it has none.
func (d *drive) choose(t *machine.Task, flat *plan.Flat, value any) (string, error) {
	if flat.Route == nil {
		return "", nil
	}
	d.host.begin(t, flat)
	defer d.host.end()
	gate := *flat.Node
	gate.Run, gate.Sub = nil, nil
	as := *flat
	as.Node = &gate
	_, choice, err := call(&as, node.NewContext(d.scope(d.ctx, &d.host), &d.host, d.host.pass.Load()), value)
	return choice, err
}

// leaveWith lets the result of a subgraph travel on as it is.
func (d *drive) leaveWith(t *machine.Task, result any, choice string) error {
	index, visit, ref, base := t.Node, t.Visit, t.Result, t.Ref
	err := d.commit(d.ctx, func(m *machine.Machine) error {
		task := m.Task(index, visit)
		if task == nil {
			return errOver
		}
		return m.Finish(d.now(), task, machine.Value{Changed: true, Delta: true, Base: ref}, choice)
	})
	if err != nil {
		return err
	}
	var snap any
	if c := d.vals.find(ref); c != nil {
		snap = c.snap
	}
	if ref != base {
		d.vals.retain(func(r uint64) bool { return r != base })
	}
	d.vals.replace(ref, d.m.LastValue(), result, snap)
	return nil
}

// mapped calls a mapping of the author's and turns a panic into an error (law N7).
func mapped(f func() (any, error)) (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &node.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// serviceOf finds a service of the program.
func (d *drive) serviceOf(t reflect.Type) any {
	if d.services == nil {
		return nil
	}
	return d.services.find(t)
}
