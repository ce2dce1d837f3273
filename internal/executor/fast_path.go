package executor

import (
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// runFast runs a chain of simple nodes of a run that is not stored. Between their functions it does nothing
// else.
func (x *Execution) runFast(t *machine.Task, flat *plan.Flat, in any) error {
	first, own, h, done := t.Ref, t.Own, &x.host, x.ctx.Done()
	h.begin(t)
	x.single.Store(h)
	defer x.single.Store(nil)
	for {
		out, choice, err := h.callSimple(flat, node.NewContext(x.ctx, h, h.last), in)
		quiet := h.calls.Load() == 0
		if !quiet {
			h.end()
		}
		if err == nil && (quiet || h.unharmed()) && !isDone(done) && x.Machine.FastPath(t, choice) {
			if flat, in = x.Machine.Flat(t), out; quiet {
				h.goOn(t)
			} else {
				h.begin(t)
			}
			continue
		}
		h.end()
		x.ranFast(t, first, own)
		return x.conclude(h, t, flat, out, chosen{one: choice}, err)
	}
}

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// mayRunFast reports whether a task may take the fast path: nobody reads its entries or needs intermediate
// values.
func (x *Execution) mayRunFast(t *machine.Task) bool {
	if !x.Unstored || x.Plan.Undoes() || x.env != nil || x.follower != nil || x.Options.Logger != nil {
		return false
	}
	for p := t.Parent(); p != nil; p = p.Parent() {
		if f := x.Machine.Flat(p); f.Retry.Attempts > 1 || len(f.Failures) > 0 {
			return false
		}
	}
	return true
}

// ranFast moves the cell of the first value to the last one.
func (x *Execution) ranFast(t *machine.Task, first uint64, own bool) {
	switch {
	case t.Ref == first:
	case own:
		x.Values.Replace(first, t.Ref, nil, nil)
	default:
		x.Values.Put(t.Ref, nil, nil)
	}
}
