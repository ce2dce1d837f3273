package executor

import (
	"context"
	"errors"
	"math"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// finalize sets the run's status and result at the end of an execution.
func (x *Execution) finalize() {
	r := &x.Outcome
	x.Head = x.Row.Head
	x.Known.Rest()
	if r.Status.Ended() { // the run had ended before
		return
	}
	r.Run, r.Status = x.ID, x.standing()
	r.Usage, r.UsageByNode = x.Machine.Usage(), x.Machine.UsageByNode()
	r.Messages = nil
	for _, q := range x.Machine.Queued() {
		r.Messages = append(r.Messages, runtype.UntakenOf(q.Seq, q.Body, q.At))
	}
	body, since := x.Machine.Held()
	r.Hold = runtype.HoldOf(&body, since)
	if x.Lost != nil {
		r.Err = x.wrap(x.Lost)
		return
	}
	switch r.Status {
	case runtype.Completed:
		if r.Output == nil && r.Value == nil {
			if err := x.takeLast(); err != nil {
				x.Outcome.Err = x.wrap(err)
			}
		}
	case runtype.Blocked:
		body, _ := x.Machine.Blocked()
		if x.TakeUp.block != nil {
			body, x.Due = x.TakeUp.block.body, x.TakeUp.block.body.RetryAt
		}
		r.Interrupts, r.Err = x.interrupts(), runstate.BlockedError(x.ID, body, x.TakeUp.block.why())
	case runtype.Running, runtype.Paused:
		r.Value, r.Output = nil, nil // of an end that a hold has put off
		if due := x.Machine.Due(); due != math.MaxInt64 {
			x.Due = due
		}
		r.Interrupts, x.OnMail = x.interrupts(), r.Status == runtype.Paused && x.Machine.OnMessages()
	default:
		finished, cause := x.Machine.Finished(), x.failure
		if known := x.causes[finished.Task]; cause == nil && known != nil {
			cause = known
		}
		r.Err = runstate.RunError(x.ID, finished, cause)
	}
}

// lastValue sets the result of a plan that makes none itself: the value of the last path.
func (x *Execution) takeLast() error {
	if x.env == nil || !runsAuthorsCode(x.Plan) {
		return x.lastValue()
	}
	return x.aside(x.lastValue)
}

func (x *Execution) lastValue() error {
	if x.env == nil { // the caller gets it as it is
		value, err := x.Values.Take(x.Machine.Final(), x.Plan.State(), false)
		x.Outcome.Value = value
		return err
	}
	value, err := x.Values.Peek(x.Machine.Final(), x.Plan.State()) // each reader gets a copy: ResultCopy
	if err == nil {
		x.Outcome.Value = value
		x.Outcome.Output, err = guard.Encode(x.Plan.State(), value)
	}
	return err
}

func (x *Execution) interrupts() []runtype.Interrupt {
	open := x.Machine.Interrupts()
	if len(open) == 0 {
		return nil
	}
	list := make([]runtype.Interrupt, len(open))
	for i, q := range open {
		list[i] = runtype.Interrupt{Interrupt: q, Token: x.Tokens.Of(q.ID)}
	}
	return list
}

func (x *Execution) wrap(err error) error {
	var known *runtype.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, runtype.ErrStopped):
		return &runtype.Error{Code: runtype.CodeStopped, Run: x.ID, Err: err}
	case errors.Is(err, journal.ErrConflict):
		return &runtype.Error{Code: runtype.CodeConflict, Run: x.ID, Err: err}
	case errors.As(err, new(*journal.StoreError)):
		return &runtype.Error{Code: runtype.CodeStore, Run: x.ID, Err: err}
	}
	return &runtype.Error{Code: runtype.CodeInternal, Run: x.ID, Err: err}
}

// ResultCopy returns the result with a value of the caller's own (law N9).
func (x *Execution) ResultCopy() runtype.Result {
	result := x.Outcome
	if result.Value == nil || x.Plan.Definition().Finish != nil {
		return result
	}
	codec := runstate.ResultCodec(x.Plan)
	if k, ok := codec.(interface{ Detached() plan.Codec }); ok {
		codec = k.Detached()
	}
	if own, err := guard.Copy(codec, result.Value); err == nil {
		result.Value = own
	}
	return result
}

// AtWork returns the running tasks; known is false while they change.
func (x *Execution) AtWork() (tasks []string, known bool) {
	if h := x.single.Load(); h != nil {
		return []string{h.Info().Task()}, true
	}
	if !x.workers.mu.TryLock() {
		return nil, false
	}
	defer x.workers.mu.Unlock()
	for h := range x.workers.out {
		tasks = append(tasks, h.Info().Task())
	}
	return tasks, len(tasks) > 0
}

// catchUp folds entries written since the execution ended. It returns false if they are more than answers and messages.
func (x *Execution) catchUp(ctx context.Context) bool {
	for e, err := range x.Store.Read(ctx, x.ID, x.Machine.Head()) {
		if err != nil {
			return false
		}
		if !machine.FromOutside(e.Kind) {
			return false
		}
		if x.Machine.Apply(&e) != nil {
			return false
		}
		x.recall(&e)
		x.Row.Head, x.Row.Updated = e.Seq, max(x.Row.Updated, e.At)
		x.Row.Ready = true // the writer of the answer may have set it
	}
	x.Row.Status, x.Row.Waiting, x.Row.Error = x.Machine.Status(), len(x.Machine.Interrupts()), x.Machine.Error()
	x.Machine.Closed()
	return !runtype.Status(x.Machine.Status()).Ended()
}

// TakeFrom continues from a paused execution if the journal has not moved on. A migration reads values in their
// stored form.
func (x *Execution) TakeFrom(ctx context.Context, was *Execution, why journal.ResumedBody) {
	if was.Outcome.Status == runtype.Blocked || was.Plan != x.Plan || x.Convert != nil || len(why.Nodes)+len(why.Values) > 0 || !was.catchUp(ctx) {
		return
	}
	x.Machine, x.Values, x.Row, x.Durability, x.follower = was.Machine, was.Values, was.Row, was.Durability, was.follower
	if x.Checkpointed = was.Checkpointed; x.follower != nil {
		x.Seen = x.recall
	}
}

// Continue takes the next steps of the run, once their entries are stored.
func (x *Execution) Continue(work *machine.Work) {
	x.queue.push(work.Start)
	x.idle, x.complete = work.Idle, work.Complete
}

// Rest leaves a fork that this process does not execute, ready to report its status.
func (x *Execution) Rest() {
	x.Stop()
	if x.Machine.Status() == machine.Running {
		x.Lost = runtype.ErrStopped
	}
	x.finalize()
	close(x.Done)
	x.Stream.Close()
}
