package executor

import (
	"errors"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// mostUnstored limits the entries that wait to be stored together.
const mostUnstored = 128

// isPure reports whether a start is only a calculation. It may run again after a crash, so its outcome is
// stored with what follows (law J2).
func (x *Execution) isPure(s machine.Start) bool {
	if x.Unstored || s.Task == nil || s.Task.InFlow() {
		return false
	}
	flat := x.Machine.Flat(s.Task)
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

// postpones reports whether new entries may be stored with later ones: they are a calculation's, another
// calculation follows, and no other task runs. With a follower they are stored at once, since it is shown a
// task before the task runs.
func (x *Execution) postpones(work *machine.Work) bool {
	if !x.pure || len(work.Start) != 1 || x.follower != nil || len(x.postponed)+len(work.Append) > mostUnstored {
		return false
	}
	s := work.Start[0]
	return x.isPure(s) && x.alone(s.Task)
}

// storePostponed stores postponed entries before an effect. After a conflict they are dropped, and their tasks
// run again.
func (x *Execution) storePostponed() error {
	if len(x.postponed) == 0 {
		return nil
	}
	err := x.append(x.ctx, nil)
	if errors.Is(err, journal.ErrConflict) {
		err = x.rebase(x.ctx, x.busy(nil))
	}
	return x.workers.give(err)
}

// busy returns the tasks that still run after a conflict. It leaves out tasks not started yet, and tasks that
// began after entries that are lost.
func (x *Execution) busy(starts []machine.Start) []machine.Handed {
	if len(x.postponed) > 0 {
		return nil
	}
	return machine.Without(x.Machine.Busy(), starts)
}

// Sync implements nodehost.Syncer.
func (h *host) Sync(pass uint64) error {
	if err := h.enter(pass); err != nil {
		return err
	}
	defer h.mu.Unlock()
	return h.sync()
}

// sync stores postponed entries and the pass's lazy ones. The lock is held.
func (h *host) sync() error {
	d := h.run
	if d.Unstored || !d.pure {
		return nil
	}
	if len(d.inputs) > 0 {
		return h.record(false, func(*machine.Machine, *machine.Task, int64) error { return nil })
	}
	if err := d.storePostponed(); err != nil {
		h.storeFailed = err
		return err
	}
	if h.task.in(d.Machine) == nil {
		return node.ErrTaskOver
	}
	return nil
}

// quiet reports whether a call has no effect of its own: its record may be stored later.
func quiet(kind nodehost.Kind) bool {
	switch kind {
	case nodehost.KindEmit, nodehost.KindInterrupt, nodehost.KindNow, nodehost.KindSleep, nodehost.KindHeartbeat:
		return true
	}
	return false
}

var _ nodehost.Syncer = (*host)(nil)
