package executor

import (
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/goroutine"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// waiting is a call that waits.
type waiting struct {
	op string  // the call's id
	by uintptr // the goroutine that made it
}

// nap is a sleep that starts when its task is suspended.
type nap struct {
	op nodehost.Op   // the call
	d  time.Duration // how long
}

// Sleep implements nodehost.Host.
func (h *host) Sleep(pass uint64, op nodehost.Op, d time.Duration) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if h.run.Unstored {
		return h.doze(pass, op, d)
	}
	t := h.task.in(h.run.Machine)
	if t == nil {
		return node.ErrTaskOver
	}
	h.wait(op.ID)
	if t.Op(op.ID) != nil {
		return node.ErrSuspended // the timer is set; the task ran again too early
	}
	h.naps = append(h.naps, nap{op, d})
	return node.ErrSuspended
}

// wait suspends the pass at a call, or only the caller if other goroutines go on.
func (h *host) wait(op string) {
	h.waits = append(h.waits, waiting{op, goroutine.Mark()})
	if !slices.ContainsFunc(h.together, func(outer string) bool { return nodehost.CallInside(op, outer) }) {
		h.suspended = true
	}
}

// waitsIn reports whether a waiting call was made inside another one.
func (h *host) waitsIn(outer string) bool {
	return slices.ContainsFunc(h.waits, func(w waiting) bool { return nodehost.CallInside(w.op, outer) })
}

// mayBegin reports whether a call may begin although the pass is suspended. It may inside a call that goes on.
// A question may in a goroutine of its own, so that people are asked everything at once (law N5).
func (h *host) mayBegin(kind nodehost.Kind, key string, by uint64) bool {
	id := string(kind) + ":" + key
	if scope := nodehost.CallScope(id); scope != "" {
		return h.goesOn(scope)
	}
	return by != 0 && kind == nodehost.KindInterrupt && h.goesOn(id)
}

// goesOn reports whether a call continues although the pass is suspended. It must have begun before, in a
// goroutine that does not wait, and no enclosing call may wait, unless it runs several goroutines.
func (h *host) goesOn(call string) bool {
	outer := call
	for scope := nodehost.CallScope(call); scope != ""; scope = nodehost.CallScope(scope) {
		outer = scope
	}
	here := goroutine.Mark()
	return !slices.ContainsFunc(h.waits, func(w waiting) bool {
		if slices.ContainsFunc(h.together, func(t string) bool { return inside(w.op, t) && inside(call, t) }) {
			return false
		}
		return w.by == here || inside(w.op, outer)
	})
}

// inside reports whether call is outer or was made inside it.
func inside(call, outer string) bool { return call == outer || nodehost.CallInside(call, outer) }

// Together implements nodehost.Host.
func (h *host) Together(pass uint64, op nodehost.Op, done bool) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if !done {
		h.together = append(h.together, op.ID)
		return nil
	}
	h.together = slices.DeleteFunc(h.together, func(t string) bool { return t == op.ID })
	if op.Failure != "" {
		h.waits = slices.DeleteFunc(h.waits, func(w waiting) bool { return nodehost.CallInside(w.op, op.ID) })
		h.naps = slices.DeleteFunc(h.naps, func(n nap) bool { return nodehost.CallInside(n.op.ID, op.ID) })
	}
	if !h.waitsIn(op.ID) {
		return nil
	}
	if !slices.ContainsFunc(h.together, func(t string) bool { return nodehost.CallInside(op.ID, t) }) {
		h.suspended = true
	}
	return node.ErrSuspended
}

// waitFor returns the call at which the pass stopped. For several it is the call around all of them; "" if that
// is the task.
func (h *host) waitFor() string {
	if len(h.waits) == 1 {
		return h.waits[0].op
	}
	for scope := nodehost.CallScope(h.waits[0].op); scope != ""; scope = nodehost.CallScope(scope) {
		if !slices.ContainsFunc(h.waits, func(w waiting) bool { return !nodehost.CallInside(w.op, scope) }) {
			return scope
		}
	}
	return ""
}

// doze sleeps in a run that is not stored: the task keeps its goroutine.
func (h *host) doze(pass uint64, op nodehost.Op, d time.Duration) error {
	defer h.bounds.Load().hold()()
	ctx := h.run.workers.context()
	if h.within != nil {
		ctx = h.within
	}
	h.mu.Unlock()
	ended := h.run.nap(ctx, d)
	h.mu.Lock()
	if !ended {
		return ctx.Err()
	}
	if pass != h.pass.Load() { // the attempt reached its Timeout meanwhile, and h serves another task
		return node.ErrTaskOver
	}
	return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.StepFinished, op, nil, nil)
	})
}
