package executor

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// rehearsalTime limits the replay of a task whose node has no Timeout.
const rehearsalTime = 5 * time.Second

// errLeftOff ends a rehearsal at the end of the journal: no further call takes place.
var errLeftOff = errors.New("the replay has come to the end of what is recorded")

// Replays runs a task's function once against its recorded calls. See [Execution.replays].
func (v *Env) Replays(ctx context.Context, s *runstate.State, t *machine.Task, check question.Check) (done bool, err error) {
	d := v.New(s)
	defer d.Stop()
	d.rehearses, d.check = true, check
	return d.replays(ctx, t)
}

// Covers checks that every pool that a plan names exists.
func (v *Env) Covers(run string, p *plan.Plan) error { return v.Policies.Covers(run, p) }

// replays runs a task's function once against its recorded calls. It returns false if the function did not
// return in time. The error is ErrDiverged or ErrPlanChanged.
func (x *Execution) replays(ctx context.Context, t *machine.Task) (done bool, err error) {
	flat := x.Machine.Flat(t)
	limit := flat.Timeout
	if limit <= 0 {
		limit = rehearsalTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	in, err := x.inputOf(t, flat, true)
	if err != nil {
		return false, err
	}
	h := &host{run: x, leave: cancel}
	h.mu = &h.own
	h.begin(t)
	pass := h.pass.Load()
	ended := make(chan error, 1)
	go func() {
		ended <- guard.OnOwnGoroutine(func() (err error) {
			defer guard.Capture(&err)
			_, _, err = h.call(flat, node.NewContext(x.scope(ctx, h), h, pass), in)
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
	case errors.Is(err, node.ErrDiverged), errors.Is(err, runtype.ErrPlanChanged):
		return true, err
	case err == nil && h.skipped() != "":
		return true, &node.DivergedError{Task: x.Machine.TaskID(t), Expected: h.skipped(), Found: "its end"}
	}
	return true, nil
}

// waitsEarly returns an error if the function waits before a call that the journal holds first (law N3).
func (h *host) waitsEarly(t *machine.Task) error {
	at := t.Op(h.waitFor())
	for i := range t.Ops {
		op := &t.Ops[i]
		if at != nil && op.Place < at.Place && mustCome(op, t.Attempt) && !op.Apart && !h.wasMade(op.ID) {
			return &node.DivergedError{Task: nodehost.TaskID(h.path, int(h.visit)), Expected: op.ID, Found: at.ID}
		}
	}
	return nil
}

// leaveOff ends a rehearsal before a call without a recorded outcome. The lock is held.
func (h *host) leaveOff() error {
	h.storeFailed = errLeftOff
	if h.leave != nil {
		h.leave()
	}
	return errLeftOff
}

// takesPlace reports whether a call would have an effect when a replay reaches it.
func takesPlace(kind nodehost.Kind, known *machine.Op) bool {
	if known == nil {
		return !shows(kind) // shown values are recorded later
	}
	switch known.Kind {
	case nodehost.KindInterrupt, nodehost.KindSleep:
		return false // it waits
	}
	return !known.Done && !known.Begun
}
