package executor

import (
	"context"
	"errors"
	"math"
	"time"
)

// Causes that end the context of an execution.
var (
	errTimeLimit = errors.New("the run's limit of time was reached")
	errDeadline  = errors.New("the run's deadline has passed")
)

// LimitTime stops the execution at the run's time limit, and at its deadline. The caller must call release.
func (x *Execution) LimitTime() (release func()) {
	limit, until := x.Machine.TimeLeft(), x.Machine.Until()
	if limit == math.MaxInt64 && until == 0 {
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
