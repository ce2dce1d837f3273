package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Backoff before a blocked run is tried again, and between takeovers, in microseconds. Each wait doubles the
// last, up to the maximum.
const (
	FirstRetry = int64(time.Second / time.Microsecond)
	MostRetry  = int64(time.Minute / time.Microsecond)
)

// block is the reason why an execution may start nothing more.
type block struct {
	body  journal.BlockedBody // the journal entry to record
	cause error               // the error behind it; nil for a limit of takeovers
	done  bool                // recorded
	again bool                // the run was blocked before, and this attempt made no progress
}

func (b *block) why() error {
	if b == nil {
		return nil
	}
	return b.cause
}

// takeUp says how this process came to own the run, and what is stored about it.
type takeUp struct {
	Tries       bool            // resumed automatically, so the limits of takeovers apply; false for a caller's Resume
	Was         string          // the previous owner
	heldBack    []journal.Entry // the resumption of a blocked run: stored with the first progress
	mayHoldBack bool            // the next entries may be held back
	retryAt     int64           // when a blocked run is tried next, in microseconds
	block       *block          // why nothing more may start; nil while anything may
}

// standing returns the run's status at the end of the execution.
func (x *Execution) standing() runtype.Status {
	if x.TakeUp.block != nil && x.TakeUp.block.again && x.TakeUp.block.done {
		return runtype.Blocked
	}
	return runtype.Status(x.Machine.Status())
}

// blocks reports whether node code diverged from its journal (law N3). Such a task has not failed: nothing of
// it is recorded, running tasks end, and the run is blocked.
func (x *Execution) blocks(t *machine.Task, cause *fault.Captured) bool {
	if x.Unstored || cause.Others || !errors.Is(cause, node.ErrDiverged) && !errors.Is(cause, runtype.ErrPlanChanged) {
		return false
	}
	if x.TakeUp.block == nil {
		body := journal.BlockedBody{Code: machine.BlockDiverged, Error: cause.Error(), Task: x.Machine.TaskID(t)}
		if errors.Is(cause, runtype.ErrPlanChanged) {
			body.Code = machine.BlockPlan
		}
		x.TakeUp.block = &block{body: body, cause: cause}
	}
	return true
}

// recordBlock records that the run is blocked, once no task is running. If it was blocked before without
// progress since, only its row changes, so the journal does not grow with each attempt.
func (x *Execution) recordBlock() (did bool, err error) {
	b := x.TakeUp.block
	if x.workers.busy() || b.done {
		return false, nil
	}
	b.done = true
	if len(x.TakeUp.heldBack) == 0 {
		now := x.Now()
		b.body.RetryAt = now + FirstRetry
		return true, x.commit(context.WithoutCancel(x.ctx), func(m *machine.Machine) error { return m.Block(now, b.body) })
	}
	x.forget()
	x.TakeUp.heldBack, x.postponed = nil, x.postponed[:0]
	x.idle, x.complete, b.again, b.body.RetryAt = true, false, true, x.TakeUp.retryAt
	row := x.Row
	row.Error, row.Driver, row.Ready = b.body.Error, "", false
	err = x.Store.Append(context.WithoutCancel(x.ctx), journal.Batch{Run: x.ID, After: row.Head, Row: &row})
	switch {
	case err == nil:
		x.Row = row
	case !errors.Is(err, journal.ErrConflict): // otherwise an answer was stored meanwhile; the lease is released as it is
		return true, x.workers.give(err)
	}
	return true, nil
}

// takeOver takes over a run whose owner was lost. It sets the run aside if owners were lost too often without
// progress, or too quickly (law J11).
func (x *Execution) takeOver(now int64) {
	why := journal.ResumedBody{Reason: machine.ReasonRecovered, By: x.Options.Name}
	if x.TakeUp.Was == "" || x.TakeUp.Was == x.Owner {
		x.add(func(m *machine.Machine) error { return m.Resume(now, why) })
		return
	}
	n, last := x.Machine.Takeovers()
	why.Takeover, why.Lost = true, x.Machine.AtWork()
	limit := x.env.Takeovers()
	at := last + backoff(n)
	switch {
	case !x.TakeUp.Tries || n == 0 || limit < 0:
	case n >= limit:
		x.setAside(now, 0, n, why.Lost)
		return
	case at > now:
		x.setAside(now, at, n, why.Lost)
		return
	}
	x.add(func(m *machine.Machine) error { return m.Resume(now, why) })
}

// backoff returns how long to wait after the n-th takeover, in microseconds.
func backoff(n int) int64 { return min(FirstRetry<<min(max(n-1, 0), 16), MostRetry) }

func (x *Execution) setAside(now, retryAt int64, n int, lost []string) {
	at := "between two tasks"
	if len(lost) > 0 {
		at = "with " + strings.Join(lost, ", ") + " at work"
	}
	text := fmt.Sprintf("its process was lost %d times, %s, and nothing got done in between", n+1, at)
	body := journal.BlockedBody{Code: machine.BlockTakeovers, Error: text, Tasks: lost, Takeovers: n, RetryAt: retryAt}
	if len(lost) == 1 {
		body.Task = lost[0]
	}
	x.TakeUp.block = &block{body: body, done: true}
	x.add(func(m *machine.Machine) error { return m.Block(now, body) })
}

// unblock resumes a blocked run. A run that was set aside stays so until it is retried, and the execution is
// idle. For others, the next attempt is scheduled before this one starts, since the resumption itself is stored
// only with progress.
func (x *Execution) unblock(ctx context.Context, now int64) error {
	body, since := x.Machine.Blocked()
	if body.Code == machine.BlockTakeovers {
		if x.idle = body.RetryAt == 0 || x.TakeUp.Tries && now < body.RetryAt; !x.idle {
			why := journal.ResumedBody{Reason: machine.ReasonRecovered, By: x.Options.Name, Takeover: true, Lost: body.Tasks}
			x.add(func(m *machine.Machine) error { return m.Resume(now, why) })
		}
		return nil
	}
	x.TakeUp.retryAt = now + min(max(now-since, FirstRetry), MostRetry)
	for {
		row := x.Row
		row.Driver, row.Ready = x.Owner, false
		err := x.Store.Append(ctx, journal.Batch{
			Run: x.ID, After: row.Head, Row: &row, Timers: []journal.Timer{{Run: x.ID, ID: storage.BlockTimer, Due: x.TakeUp.retryAt}},
		})
		if err == nil {
			x.Row = row
			break
		}
		if errors.Is(err, journal.ErrConflict) {
			err = x.rebase(ctx, nil) // an answer was stored
		}
		if errors.Is(err, errOver) {
			return x.found(ctx)
		}
		if err != nil {
			return x.StoreError(x.ID, err)
		}
	}
	x.TakeUp.mayHoldBack = true
	why := journal.ResumedBody{Reason: machine.ReasonRecovered, By: x.Options.Name}
	x.add(func(m *machine.Machine) error { return m.Resume(now, why) })
	return nil
}

// holdsBack reports whether the new entries say only that a blocked run was resumed. They are stored with the
// first progress.
func (x *Execution) holdsBack(work *machine.Work) bool {
	may := x.TakeUp.mayHoldBack
	x.TakeUp.mayHoldBack = false
	return may && len(work.Append) == 1 && work.Append[0].Kind == journal.RunResumed
}

// holdBackAgain repeats the resumption in a machine that was folded anew.
func (x *Execution) holdBackAgain() error {
	if len(x.TakeUp.heldBack) == 0 {
		return nil
	}
	e := &x.TakeUp.heldBack[0]
	if err := x.Machine.Resume(e.At, storage.BodyOf[journal.ResumedBody](e)); err != nil {
		return err
	}
	x.TakeUp.heldBack = slices.Clone(x.Machine.Flush())
	return nil
}
