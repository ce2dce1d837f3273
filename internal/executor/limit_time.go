package executor

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
)

// Causes that end the context of an execution.
var (
	errTimeLimit = errors.New("the run's limit of time was reached")
	errDeadline  = errors.New("the run's deadline has passed")
)

// deadlineAhead refuses a retry without a deadline ahead, if the run has one (law F9). renewed is the one that the retry gives; 0 for
// none.
func (x *Execution) deadlineAhead(renewed, now int64) error {
	switch until := x.Machine.Until(); {
	case renewed != 0 && renewed <= now:
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: runtype.PastDeadline(renewed, now)}
	case renewed == 0 && until != 0 && until <= now:
		return runtype.Late(x.ID, until, now)
	}
	return nil
}

// refuseStart refuses a start whose deadline has passed, unless its run exists: who starts it again is told that.
func (x *Execution) refuseStart(ctx context.Context, err error) error {
	if !x.Unstored {
		if _, none := x.Info(ctx, x.ID); none == nil {
			return x.StoreError(x.ID, runtype.Conflict("a run of this id exists already"))
		}
	}
	return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: err}
}

// LimitTime stops the execution at the run's time limit, and at its deadline. The caller must call release.
func (x *Execution) LimitTime() (release func()) {
	limit, until := x.Machine.TimeLeft(), x.Machine.Until()
	if limit == math.MaxInt64 && until == 0 || x.Machine.IsUndoing() {
		return func() {}
	}
	ctx, cancel := context.WithCancelCause(x.ctx)
	stop, stopUntil := func() bool { return false }, func() bool { return false }
	if until != 0 {
		stopUntil = x.At(until, func() { cancel(errDeadline) })
	}
	switch {
	case limit <= 0:
		cancel(errTimeLimit)
	case limit != math.MaxInt64:
		stop = x.Storage.Clock.AfterFunc(time.Duration(limit)*time.Microsecond, func() { cancel(errTimeLimit) })
	}
	x.ctx = ctx
	return func() {
		stop()
		stopUntil()
		cancel(nil)
	}
}
