package fleet

import (
	"errors"

	"github.com/fermata-go/fermata/internal/replay"
	"github.com/fermata-go/fermata/journal"
)

const (
	// long is from how many entries on a run gets a checkpoint, and after how many more the next one. So many are read in
	// about a millisecond.
	long = 1000
	// mostCheckpoint is how large a checkpoint may be, in bytes: a batch of Redis takes it along with others.
	mostCheckpoint = 4 << 20
)

// checkpoint stores a checkpoint of a run that rests and has got longer, on a goroutine of its own. It is made from the
// journal (ADR 070). Where that fails, the run is opened from its entries (law J6), and the next one is made later.
func (f *Fleet) checkpoint(d *owned) {
	every := f.stateEnv.Long
	if every == 0 || d.Unstored || d.Lost != nil || d.Outcome.Status.Ended() || d.Row.Head < d.Checkpointed+every || f.ctx.Err() != nil {
		return
	}
	id, p := d.ID, d.Plan
	d.Checkpointed = d.Row.Head
	f.wg.Go(func() {
		r, err := replay.Open(f.ctx, f.Store, id, p, replay.Options{})
		if err != nil {
			f.Log.Debug("no checkpoint was made", "run", id, "error", err)
			return
		}
		c, err := r.Checkpoint()
		if err == nil && len(c.Data) <= mostCheckpoint {
			err = f.Store.Append(f.ctx, journal.Batch{Run: id, After: c.Seq, Checkpoint: &c})
		}
		if err != nil && !errors.Is(err, journal.ErrConflict) { // the run went on
			f.Log.Debug("no checkpoint was stored", "run", id, "error", err)
		}
	})
}
