package fleet

import (
	"github.com/fermata-go/fermata/internal/watch"
)

// notifier notifies goroutines that wait for a change of a run.
type notifier struct {
	fired   chan struct{} // closed at the next change
	last    *owned        // the execution whose end was the change; nil for another change
	waiting int           // how many wait for it. The fleet's lock guards it
}

// hasFired reports whether the run has changed.
func (b *notifier) hasFired() bool {
	select {
	case <-b.fired:
		return true
	default:
		return false
	}
}

// wrote passes on a notification of another process's write to a run, to any run for watch.Any, or to the places of a pool.
func (f *Fleet) wrote(run string) {
	f.policies.Shared().Changed(run)
	f.mu.Lock()
	w := f.worker
	if d := f.executions[run]; d != nil {
		d.SignalWrite()
	}
	f.notifyLocked(run)
	f.mu.Unlock()
	if run == watch.Any {
		w.notice()
		f.feed.Sign()
	}
}

// changes returns the notifier of the run's next change, to be given to forgo in the end. last is what the caller has waited
// for before, nil for nothing.
func (f *Fleet) changes(id string, last *notifier) *notifier {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last != nil {
		last.waiting--
	}
	b := f.notifiers[id]
	if b == nil {
		b = &notifier{fired: make(chan struct{})}
		f.notifiers[id] = b
	}
	b.waiting++
	if f.closed {
		close(b.fired)
		delete(f.notifiers, id)
	}
	return b
}

// forgo drops a notifier that nobody waits for any more: a run that has ended would keep it for good.
func (f *Fleet) forgo(id string, b *notifier) {
	if b == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if b.waiting--; b.waiting == 0 && f.notifiers[id] == b {
		delete(f.notifiers, id)
	}
}

func (f *Fleet) notifyLocked(id string) {
	if b := f.notifiers[id]; b != nil {
		close(b.fired)
		delete(f.notifiers, id)
	}
}

// Notify notifies those who wait for a change of a run, and the worker, for which it may be.
func (f *Fleet) Notify(id string) {
	f.mu.Lock()
	f.notifyLocked(id)
	f.mu.Unlock()
	f.offer()
}

// Cancelled stops the execution of a run whose cancellation is recorded.
func (f *Fleet) Cancelled(id string) {
	f.mu.Lock()
	if d := f.executions[id]; d != nil {
		d.Stop()
	}
	f.notifyLocked(id)
	f.mu.Unlock()
}

// Forget drops everything known of a deleted run.
func (f *Fleet) Forget(id string) {
	f.mu.Lock()
	f.paused.take(id)
	delete(f.trouble, id)
	delete(f.moved, id)
	f.notifyLocked(id)
	f.mu.Unlock()
}

// Due sets a timer.
func (f *Fleet) Due(at int64) { f.timers.set(at) }
