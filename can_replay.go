package fermata

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/node"
)

// rehearsalTime is how long the function of a task may take to come by what is recorded of it, where it has no Timeout.
const rehearsalTime = 5 * time.Second

// errLeftOff ends a replay where the journal does: nothing that follows takes place.
var errLeftOff = errors.New("the replay has come to the end of what is recorded")

// rehearse replays the open tasks up to where the journal leaves them (law N3). The error is what the run would be blocked
// for.
func (d *drive) rehearse(ctx context.Context, o *Outlook, replay bool) error {
	var left []string
	for _, t := range d.m.Tasks() {
		if !holdsCalls(t, d.m) {
			continue
		}
		id := d.m.TaskID(t)
		done := false
		if replay && !reasons(t) {
			var err error
			if done, err = d.replays(ctx, t); err != nil {
				o.Task = id
				return err
			}
		}
		if done {
			o.Replayed = append(o.Replayed, id)
		} else {
			left = append(left, id)
		}
	}
	switch {
	case !replay:
		o.Unchecked = "code inside nodes is not checked"
	case len(left) > 0:
		o.Unchecked = "code of " + strings.Join(left, ", ") + " is not checked"
	}
	return nil
}

// holdsCalls reports whether a task has a function that goes on with recorded calls of its attempt.
func holdsCalls(t *machine.Task, m *machine.Machine) bool {
	flat := m.Flat(t)
	return flat.Sub == nil && flat.Run != nil && (t.State == machine.Ready || t.State == machine.Waiting) && !t.Joined() &&
		slices.ContainsFunc(t.Ops, func(op machine.Op) bool { return op.Attempt == t.Attempt })
}

// reasons reports whether a task has asked a model. Its next pass may begin programs and connections for tools before it comes
// to a recorded call.
func reasons(t *machine.Task) bool {
	return slices.ContainsFunc(t.Ops, func(op machine.Op) bool {
		return op.Kind == node.KindReason || op.Kind == node.KindModel || op.Kind == node.KindTool || strings.Contains(op.ID, node.Inside)
	})
}

// replays calls the function of a task once; false where it did not come back in time. The error is ErrDiverged or
// ErrPlanChanged.
func (d *drive) replays(ctx context.Context, t *machine.Task) (done bool, err error) {
	flat := d.m.Flat(t)
	limit := flat.Timeout
	if limit <= 0 {
		limit = rehearsalTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	in, err := d.inputOf(t, flat, true)
	if err != nil {
		return false, err
	}
	h := &host{d: d, leave: cancel}
	h.mu = &h.own
	h.begin(t)
	pass := h.pass.Load()
	ended := make(chan error, 1)
	go func() {
		ended <- onItsOwn(func() (err error) {
			defer captured(&err)
			_, _, err = h.call(flat, node.NewContext(d.scope(ctx, h), h, pass), in)
			return err
		})
	}()
	select {
	case err = <-ended:
	case <-time.After(limit):
		h.end()
		return false, nil
	}
	h.end()
	switch {
	case h.broken != nil:
		return true, h.broken
	case h.suspended:
		return true, h.waitsEarly(t)
	case h.storeFailed != nil:
		return true, nil
	case errors.Is(err, node.ErrDiverged), errors.Is(err, ErrPlanChanged):
		return true, err
	case err == nil && h.skipped() != "":
		return true, &node.DivergedError{Task: d.m.TaskID(t), Expected: h.skipped(), Found: "its end"}
	}
	return true, nil
}

// waitsEarly says which call the journal holds before the one that the function waits in, and the function has not made; nil
// for none (law N3).
func (h *host) waitsEarly(t *machine.Task) error {
	at := t.Op(h.waitFor())
	for i := range t.Ops {
		op := &t.Ops[i]
		if at != nil && op.Place < at.Place && mustCome(op, t.Attempt) && !op.Apart && !h.wasMade(op.ID) {
			return &node.DivergedError{Task: node.TaskID(h.path, int(h.visit)), Expected: op.ID, Found: at.ID}
		}
	}
	return nil
}

// leaveOff ends a replay before a call takes place that the journal has no outcome of. The lock is held.
func (h *host) leaveOff() error {
	h.storeFailed = errLeftOff
	if h.leave != nil {
		h.leave()
	}
	return errLeftOff
}

// takesPlace reports whether a call would do something when a replay comes to it.
func takesPlace(kind node.Kind, known *machine.Op) bool {
	if known == nil {
		return !shows(kind) // which is recorded later
	}
	switch known.Kind {
	case node.KindInterrupt, node.KindSleep:
		return false // it waits
	}
	return !known.Done && !known.Begun
}
