package fleet

import (
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/plan"
)

// mostPaused limits the ended executions that stay in memory. All other runs keep only their journal (law N1).
const mostPaused = 64

// pausedCache keeps the last paused executions, so that they go on without reading their journals. It also
// keeps the last ended and blocked ones, for their errors and results. It is only a cache: an entry is used if
// the journal has at most answers beyond it. The fleet's lock guards it.
type pausedCache struct {
	executions map[string]*owned  // by run
	order      [mostPaused]string // ring of run ids, the oldest is replaced
	next       int                // place of the next one in order
	asking     map[string]string  // by open interrupt: the run
}

// put keeps an ended execution. The fleet's lock is held.
func (k *pausedCache) put(d *owned) {
	if d.Unstored || d.Lost != nil {
		k.take(d.ID)
		return
	}
	if k.executions == nil {
		k.executions, k.asking = make(map[string]*owned, mostPaused), make(map[string]string, mostPaused)
	}
	if oldest := k.executions[k.order[k.next]]; oldest != nil && oldest.place == k.next {
		k.take(oldest.ID)
	}
	k.take(d.ID)
	k.order[k.next], d.place = d.ID, k.next
	k.next = (k.next + 1) % mostPaused
	k.executions[d.ID] = d
	for i := range d.Outcome.Interrupts {
		k.asking[d.Outcome.Interrupts[i].ID] = d.ID
	}
}

// take removes and returns a run's execution; nil for none. The fleet's lock is held.
func (k *pausedCache) take(run string) *owned {
	d := k.executions[run]
	if d == nil {
		return nil
	}
	delete(k.executions, run)
	for i := range d.Outcome.Interrupts {
		delete(k.asking, d.Outcome.Interrupts[i].ID)
	}
	return d
}

// RunAsking returns the run of an open interrupt if this process keeps it in memory; "" otherwise.
func (f *Fleet) RunAsking(interrupt string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.paused.asking[interrupt]
}

func (f *Fleet) pausedPlan(id string) *plan.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.paused.executions[id]; d != nil && d.Outcome.Status != runtype.Blocked {
		return d.Plan
	}
	return nil
}
