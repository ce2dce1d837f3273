package fermata

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// DefaultTakeovers is how often a run is taken over before it is set aside, unless WorkOptions.Takeovers says otherwise.
const DefaultTakeovers = 5

// Waits before a blocked run is tried again, and between takeovers, in microseconds: at first and at most. Each is as long
// as all before it together.
const (
	firstRetry = int64(time.Second / time.Microsecond)
	mostRetry  = int64(time.Minute / time.Microsecond)
)

// blockTimer is the id of the timer that lets a blocked run be tried again.
const blockTimer = "blocked"

// BlockedError says why a run cannot be driven on now (law J11). It matches ErrBlocked, and ErrDiverged or ErrPlanChanged
// where that is the reason.
type BlockedError struct {
	Code    string // diverged, plan_changed, takeovers
	Reason  string
	RetryAt time.Time // when it was to be tried again first; zero: when somebody calls Retry
	Cause   error     // a *node.DivergedError where it has just happened here, else nil
}

func (e *BlockedError) Error() string {
	text := fmt.Sprintf("%v: %s", ErrBlocked, e.Reason)
	if e.RetryAt.IsZero() {
		return text + "; retry it once that is mended"
	}
	return text + "; it is tried again by itself"
}

// Is reports whether target is ErrBlocked or the error of the reason.
func (e *BlockedError) Is(target error) bool {
	switch e.Code {
	case machine.BlockDiverged:
		return target == ErrBlocked || target == node.ErrDiverged
	case machine.BlockPlan:
		return target == ErrBlocked || target == ErrPlanChanged
	}
	return target == ErrBlocked
}

// Unwrap is the cause.
func (e *BlockedError) Unwrap() error { return e.Cause }

func blockedError(run string, body journal.BlockedBody, cause error) error {
	err := &BlockedError{Code: body.Code, Reason: body.Error, Cause: cause}
	if body.RetryAt != 0 {
		err.RetryAt = time.UnixMicro(body.RetryAt).UTC()
	}
	return &Error{Code: CodeBlocked, Run: run, Task: body.Task, Err: err}
}

// whyBlocked reads why a run is blocked. The journal has the first reason, the row the latest.
func (rt *Runtime) whyBlocked(ctx context.Context, info RunInfo) (why, err error) {
	var body journal.BlockedBody
	for e, err := range rt.store.Read(ctx, info.ID, 0) {
		if err == nil && e.Kind == journal.RunBlocked {
			body = journal.BlockedBody{}
			err = json.Unmarshal(e.Body, &body)
		}
		if err != nil {
			return nil, rt.storeError(info.ID, err)
		}
	}
	body.Error = cmp.Or(info.Error, body.Error)
	return blockedError(info.ID, body, nil), nil
}

// block is why nothing more of a run may begin in a drive.
type block struct {
	body  journal.BlockedBody
	cause error
	done  bool // it is recorded
	again bool // it was blocked before, and nothing has come of taking it up
}

func (b *block) why() error {
	if b == nil {
		return nil
	}
	return b.cause
}

// takeUp is how a run was taken up, and what may become of that.
type takeUp struct {
	tries       bool            // by itself, and not by somebody who asked for it: the limits of takeovers hold
	was         string          // who drove the run before
	heldBack    []journal.Entry // that a blocked run was taken up: stored with what comes of it, if anything does
	mayHoldBack bool            // what is made next may be held back
	retryAt     int64           // of a blocked run: when it is tried next
	block       *block          // why nothing more may begin
}

// standing is how the run stands when driving ends.
func (d *drive) standing() Status {
	if d.takeUp.block != nil && d.takeUp.block.again && d.takeUp.block.done {
		return Blocked
	}
	return Status(d.m.Status())
}

// blocks reports whether a task could not go on because code and journal do not agree (law N3). That is no failure of the
// task: nothing of it is recorded, what is at work ends, and the run is blocked.
func (d *drive) blocks(t *machine.Task, cause *fault.Captured) bool {
	if d.none || cause.Others || !errors.Is(cause, node.ErrDiverged) && !errors.Is(cause, ErrPlanChanged) {
		return false
	}
	if d.takeUp.block == nil {
		body := journal.BlockedBody{Code: machine.BlockDiverged, Error: cause.Error(), Task: d.m.TaskID(t)}
		if errors.Is(cause, ErrPlanChanged) {
			body.Code = machine.BlockPlan
		}
		d.takeUp.block = &block{body: body, cause: cause}
	}
	return true
}

// recordBlock records that the run is blocked, once nobody is at work. Where it was blocked before and nothing has come of
// taking it up, only its row says so: however often it is tried, the journal does not grow.
func (d *drive) recordBlock() (did bool, err error) {
	b := d.takeUp.block
	if d.crew.busy() || b.done {
		return false, nil
	}
	b.done = true
	if len(d.takeUp.heldBack) == 0 {
		now := d.now()
		b.body.RetryAt = now + firstRetry
		return true, d.commit(context.WithoutCancel(d.ctx), func(m *machine.Machine) error { return m.Block(now, b.body) })
	}
	d.takeUp.heldBack, d.unstored, d.inputs = nil, d.unstored[:0], d.inputs[:0]
	d.idle, d.complete, b.again, b.body.RetryAt = true, false, true, d.takeUp.retryAt
	row := d.row
	row.Error, row.Driver, row.Ready = b.body.Error, "", false
	err = d.rt.store.Append(context.WithoutCancel(d.ctx), journal.Batch{Run: d.id, After: row.Head, Row: &row})
	switch {
	case err == nil:
		d.row = row
	case !errors.Is(err, journal.ErrConflict): // else somebody has answered; the run is given back as it is
		return true, d.crew.give(err)
	}
	return true, nil
}

// takeOver takes up a run that nobody drives, and that was being driven. Where its drivers were lost too often since it
// last got further, or too soon one after the other, it is set aside (law J11).
func (d *drive) takeOver(now int64) {
	why := journal.ResumedBody{Reason: machine.ReasonRecovered, By: d.rt.options.Name}
	if d.takeUp.was == "" || d.takeUp.was == d.rt.lease.driver {
		d.add(func(m *machine.Machine) error { return m.Resume(now, why) })
		return
	}
	n, last := d.m.Takeovers()
	why.Takeover, why.Lost = true, d.m.AtWork()
	limit := d.rt.takeovers()
	at := last + backoff(n)
	switch {
	case !d.takeUp.tries || n == 0 || limit < 0:
	case n >= limit:
		d.setAside(now, 0, n, why.Lost)
		return
	case at > now:
		d.setAside(now, at, n, why.Lost)
		return
	}
	d.add(func(m *machine.Machine) error { return m.Resume(now, why) })
}

// backoff is how long after the n-th takeover the next one may come, in microseconds.
func backoff(n int) int64 { return min(firstRetry<<min(max(n-1, 0), 16), mostRetry) }

func (d *drive) setAside(now, retryAt int64, n int, lost []string) {
	at := "between two tasks"
	if len(lost) > 0 {
		at = "with " + strings.Join(lost, ", ") + " at work"
	}
	text := fmt.Sprintf("its process was lost %d times, %s, and nothing got done in between", n+1, at)
	body := journal.BlockedBody{Code: machine.BlockTakeovers, Error: text, Tasks: lost, Takeovers: n, RetryAt: retryAt}
	if len(lost) == 1 {
		body.Task = lost[0]
	}
	d.takeUp.block = &block{body: body, done: true}
	d.add(func(m *machine.Machine) error { return m.Block(now, body) })
}

// takeovers is how often runs may be taken over; negative for any number.
func (rt *Runtime) takeovers() int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.worker == nil {
		return DefaultTakeovers
	}
	return rt.worker.options.Takeovers
}

// takeUp is Resume for a run that goes on by itself. Was is who drove it before, "" for nobody or where that is not known.
func (rt *Runtime) takeUp(ctx context.Context, id string, p *plan.Plan, was string) error {
	err := onItsOwn(func() error { // the goroutine is the engine's, and what the run holds is read by code of the program's
		_, err := rt.resume(ctx, id, p, journal.ResumedBody{}, &was)
		return err
	})
	if err == ErrGoexit { //nolint:errorlint // it is nobody's error
		err = &Error{Code: CodeInternal, Run: id, Err: fmt.Errorf("the run could not be read: %w", err)}
	}
	return err
}

// unblock takes a blocked run up. One that was set aside stays so until it is retried: then d is idle. Others are tried: that
// they were taken up is stored with what comes of it, so the next try is put off before this one begins.
func (d *drive) unblock(ctx context.Context, now int64) error {
	body, since := d.m.Blocked()
	if body.Code == machine.BlockTakeovers {
		if d.idle = body.RetryAt == 0 || d.takeUp.tries && now < body.RetryAt; !d.idle {
			why := journal.ResumedBody{Reason: machine.ReasonRecovered, By: d.rt.options.Name, Takeover: true, Lost: body.Tasks}
			d.add(func(m *machine.Machine) error { return m.Resume(now, why) })
		}
		return nil
	}
	d.takeUp.retryAt = now + min(max(now-since, firstRetry), mostRetry)
	for {
		row := d.row
		row.Driver, row.Ready = d.rt.lease.driver, false
		err := d.rt.store.Append(ctx, journal.Batch{
			Run: d.id, After: row.Head, Row: &row, Timers: []journal.Timer{{Run: d.id, ID: blockTimer, Due: d.takeUp.retryAt}},
		})
		if err == nil {
			d.row = row
			break
		}
		if errors.Is(err, journal.ErrConflict) {
			err = d.rebase(ctx, nil) // somebody has answered
		}
		if errors.Is(err, errOver) {
			return d.found(ctx)
		}
		if err != nil {
			return d.rt.storeError(d.id, err)
		}
	}
	d.takeUp.mayHoldBack = true
	why := journal.ResumedBody{Reason: machine.ReasonRecovered, By: d.rt.options.Name}
	d.add(func(m *machine.Machine) error { return m.Resume(now, why) })
	return nil
}

// holdsBack reports whether what was just made says only that a blocked run was taken up: it is stored with what comes of
// that.
func (d *drive) holdsBack(work *machine.Work) bool {
	may := d.takeUp.mayHoldBack
	d.takeUp.mayHoldBack = false
	return may && len(work.Append) == 1 && work.Append[0].Kind == journal.RunResumed
}

// holdBackAgain takes up the run in a machine that was folded anew.
func (d *drive) holdBackAgain() error {
	if len(d.takeUp.heldBack) == 0 {
		return nil
	}
	e := &d.takeUp.heldBack[0]
	if err := d.m.Resume(e.At, bodyOf[journal.ResumedBody](e)); err != nil {
		return err
	}
	d.takeUp.heldBack = slices.Clone(d.m.Flush())
	return nil
}

// blockFor blocks a run that this runtime has claimed, and whose plan does not fit (law J8).
func (rt *Runtime) blockFor(ctx context.Context, run string, changed error) error {
	for {
		row, err := rt.Info(ctx, run)
		if err != nil || row.Driver != rt.lease.driver || row.Ended() {
			return err
		}
		now := rt.now()
		b := journal.Batch{Run: run, After: row.Head, Row: &row, Driver: &rt.lease.driver}
		due := now + min(max(now-row.Updated, firstRetry), mostRetry)
		if row.Status != string(Blocked) {
			due = now + firstRetry
			body, err := json.Marshal(journal.BlockedBody{Code: machine.BlockPlan, Error: changed.Error(), RetryAt: due})
			if err != nil {
				return err
			}
			b.Entries = []journal.Entry{{Seq: row.Head + 1, At: now, Kind: journal.RunBlocked, Body: body}}
			row.Status, row.Updated = string(Blocked), now
		}
		row.Error, row.Driver, row.Ready = changed.Error(), "", false
		b.Timers = []journal.Timer{{Run: run, ID: blockTimer, Due: due}}
		if err = rt.stampAfter(ctx, &b); err == nil {
			err = rt.store.Append(ctx, b)
		}
		if errors.Is(err, journal.ErrConflict) {
			continue
		}
		if err == nil {
			rt.witness(ctx, row, b.Entries, time.Now())
			rt.alarm.set(due)
			rt.ring(run)
		}
		return err
	}
}
