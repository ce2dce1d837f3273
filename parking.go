package fermata

import (
	"context"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// mostParked is how many runs that are not driven any more keep their machine and values in memory. All others,
// however many, keep nothing but their journal (law N1).
const mostParked = 64

// parking keeps the last paused runs ready to go on without reading their journals again, and the last ended and blocked ones to
// say how they ended, with the error itself and not its text alone. It is for speed and comfort:
// what is parked is used only where the journal has nothing but answers beyond it, and may vanish at any time.
type parking struct {
	drives map[string]*drive
	order  [mostParked]string
	next   int
}

// put parks a drive that has ended and may go on. The runtime's lock is held.
func (k *parking) put(d *drive) {
	if d.none || d.lost != nil {
		delete(k.drives, d.id)
		return
	}
	if k.drives == nil {
		k.drives = make(map[string]*drive, mostParked)
	}
	delete(k.drives, k.order[k.next])
	k.order[k.next] = d.id
	k.next = (k.next + 1) % mostParked
	k.drives[d.id] = d
}

func (rt *Runtime) parkedPlan(id string) *plan.Plan {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if d := rt.parked.drives[id]; d != nil && d.result.Status != Blocked {
		return d.plan
	}
	return nil
}

// unpark takes over what is parked of the run, where it still is what the journal says. A migration reads values as they
// are stored.
func (d *drive) unpark(ctx context.Context, why journal.ResumedBody) {
	d.rt.mu.Lock()
	was := d.rt.parked.drives[d.id]
	delete(d.rt.parked.drives, d.id)
	d.rt.mu.Unlock()
	if was == nil || was.result.Status == Blocked || was.plan != d.plan || d.convert != nil || len(why.Nodes)+len(why.Values) > 0 || !was.catchUp(ctx) {
		return
	}
	d.m, d.vals, d.row, d.durability, d.follower = was.m, was.vals, was.row, was.durability, was.follower
}

// catchUp folds what was written since the drive ended; false when that was not answers alone.
func (d *drive) catchUp(ctx context.Context) bool {
	for e, err := range d.rt.store.Read(ctx, d.id, d.m.Head()) {
		if err != nil {
			return false
		}
		if e.Kind != journal.InterruptResolved && e.Kind != journal.InterruptUpdated {
			return false
		}
		if d.m.Apply(&e) != nil {
			return false
		}
		d.recall(&e)
		d.row.Head, d.row.Updated = e.Seq, max(d.row.Updated, e.At)
		d.row.Ready = true // whoever has answered may have written so
	}
	d.row.Status, d.row.Waiting = d.m.Status(), len(d.m.Interrupts())
	d.m.Closed()
	return !Status(d.m.Status()).Ended()
}
