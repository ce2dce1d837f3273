package fermata

import (
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// glide is runAlone for a chain of simple nodes of which nothing is stored: nothing but their functions is between them.
func (d *drive) glide(t *machine.Task, flat *plan.Flat, in any) error {
	first, own, h, done := t.Ref, t.Own, &d.host, d.ctx.Done()
	h.begin(t)
	d.single.Store(h)
	defer d.single.Store(nil)
	for {
		out, choice, err := h.callSimple(flat, node.NewContext(d.ctx, h, h.last), in)
		quiet := h.calls.Load() == 0
		if !quiet {
			h.end()
		}
		if err == nil && (quiet || h.unharmed()) && !isDone(done) && d.m.Glide(t, choice) {
			if flat, in = d.m.Flat(t), out; quiet {
				h.goOn(t)
			} else {
				h.begin(t)
			}
			continue
		}
		h.end()
		d.glided(t, first, own)
		return d.conclude(h, t, flat, out, chosen{one: choice}, err)
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

// mayGlide reports whether nobody would read the entries of a task, or need the values before its last one.
func (d *drive) mayGlide(t *machine.Task) bool {
	if !d.none || d.rt != nil || d.follower != nil || d.options.Logger != nil {
		return false
	}
	for p := t.Parent(); p != nil; p = p.Parent() {
		if f := d.m.Flat(p); f.Retry.Attempts > 1 || len(f.Failures) > 0 {
			return false
		}
	}
	return true
}

// glided puts the cell of the value that a task began with where its last value belongs.
func (d *drive) glided(t *machine.Task, first uint64, own bool) {
	switch {
	case t.Ref == first:
	case own:
		d.vals.replace(first, t.Ref, nil, nil)
	default:
		d.vals.put(t.Ref, nil, nil)
	}
}
