package fermata

import (
	"errors"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// mostUnstored is how many entries may wait to be stored together.
const mostUnstored = 128

// isPure reports whether nothing but a calculation follows from a start: it may be done again after a crash, and what
// comes of it may be stored together with what follows (law J2).
func (d *drive) isPure(s machine.Start) bool {
	if d.none || s.Task == nil || s.Task.InFlow() {
		return false
	}
	flat := d.m.Flat(s.Task)
	switch {
	case flat.Map != nil:
		return false
	case s.Do == machine.Enter:
		return flat.Pure || flat.In == nil
	case s.Do == machine.Leave:
		return flat.Pure || flat.Out == nil
	}
	return s.Do == machine.Run && flat.Pure
}

// postpones reports whether the entries that were just made may be stored with those that follow: they came of a
// calculation, and nothing follows from them but another one. Nobody else is at work, so nobody waits for them. With a
// follower they are stored at once: it is told of a task before the task's function is called.
func (d *drive) postpones(work *machine.Work) bool {
	if !d.pure || len(work.Start) != 1 || d.follower != nil || len(d.unstored)+len(work.Append) > mostUnstored {
		return false
	}
	s := work.Start[0]
	return d.isPure(s) && d.alone(s.Task)
}

// store stores what was postponed, before an effect. Where that is not possible, as another one has written first, what
// was postponed is forgotten, and will be done again.
func (d *drive) store() error {
	if len(d.unstored) == 0 {
		return nil
	}
	err := d.append(d.ctx, nil)
	if errors.Is(err, journal.ErrConflict) {
		err = d.rebase(d.ctx, d.busy(nil))
	}
	return d.crew.give(err)
}

// busy is what is still at work after a conflict: not what was about to start, and nothing that began after what was
// postponed and is lost.
func (d *drive) busy(starts []machine.Start) []machine.Handed {
	if len(d.unstored) > 0 {
		return nil
	}
	return machine.Without(d.m.Busy(), starts)
}

// Sync implements node.Syncer.
func (h *host) Sync(pass uint64) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	return h.sync()
}

// sync stores what was postponed, and what the pass has made lazily. The lock is held.
func (h *host) sync() error {
	d := h.d
	if d.none || !d.pure {
		return nil
	}
	if len(d.inputs) > 0 {
		return h.record(false, func(*machine.Machine, *machine.Task, int64) error { return nil })
	}
	if err := d.store(); err != nil {
		h.storeFailed = err
		return err
	}
	if h.task.in(d.m) == nil {
		return node.ErrTaskOver
	}
	return nil
}

// quiet reports whether a call has no effect of its own: what it makes may be stored later.
func quiet(kind node.Kind) bool {
	switch kind {
	case node.KindEmit, node.KindInterrupt, node.KindNow, node.KindSleep, node.KindHeartbeat:
		return true
	}
	return false
}

var _ node.Syncer = (*host)(nil)
