package fermata

import "github.com/fermata-go/fermata/internal/watch"

// bell tells whoever waits that something about a run has changed.
type bell struct {
	rung chan struct{} // closed at the next change
	last *drive        // the drive whose end was the change; nil for another change
}

// hasRung reports whether the change has come.
func (b *bell) hasRung() bool {
	select {
	case <-b.rung:
		return true
	default:
		return false
	}
}

// told passes on that another process may have written to a run, or to some run for watch.Any.
func (rt *Runtime) told(run string) {
	rt.mu.Lock()
	w := rt.worker
	if d := rt.drives[run]; d != nil {
		d.crew.poke()
	}
	rt.ringLocked(run)
	rt.mu.Unlock()
	if run == watch.Any {
		w.notice()
	}
}

// changes returns the bell that is rung at the run's next change.
func (rt *Runtime) changes(id string) *bell {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	b := rt.bells[id]
	if b == nil {
		b = &bell{rung: make(chan struct{})}
		rt.bells[id] = b
	}
	if rt.closed {
		close(b.rung)
		delete(rt.bells, id)
	}
	return b
}

func (rt *Runtime) ringLocked(id string) {
	if b := rt.bells[id]; b != nil {
		close(b.rung)
		delete(rt.bells, id)
	}
}

func (rt *Runtime) ring(id string) {
	rt.mu.Lock()
	rt.ringLocked(id)
	rt.mu.Unlock()
}
