package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/plan"
)

// boundPolicy keeps a node's Timeout and Idle. At the limit, the function's context is canceled and the attempt has
// failed; later results and calls are refused (law N11). The goroutine is left behind and keeps its place in the pool
// until it returns.
type boundPolicy struct{}

func (boundPolicy) governs(_ *Execution, flat *plan.Flat) bool { return flat.Bounded() }

func (boundPolicy) attempt(within context.Context, w *work, next next) (any, chosen, error) {
	flat, h := w.flat, w.h
	ctx, cancel := context.WithCancelCause(within)
	defer cancel(nil)
	if flat.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, flat.Timeout, runtype.ErrTimeout)
		defer stop()
	}
	type outcome struct {
		out    any
		choice chosen
		err    error
		late   bool
	}
	ended := make(chan outcome, 1)
	limit, silence := bound(flat.Timeout), bound(flat.Idle)
	defer limit.Stop()
	defer silence.Stop()
	h.beats.begin(flat.Idle)
	ctx = model.OnSignOfLife(ctx, h.beats.sign)
	go func() {
		o := outcome{err: runtype.ErrGoexit}
		defer func() { ended <- o }()
		o.out, o.choice, o.err = next(ctx)
		o.late = errors.Is(context.Cause(ctx), runtype.ErrTimeout)
	}()
	err := fmt.Errorf("%w: more than %s", runtype.ErrTimeout, flat.Timeout)
wait:
	for {
		select {
		case o := <-ended:
			if !o.late {
				return o.out, o.choice, o.err
			}
			break wait
		case <-limit.C:
			break wait
		case <-silence.C:
			left := h.beats.left()
			if left > 0 {
				silence.Reset(left)
				continue
			}
			err = fmt.Errorf("%w: nothing for more than %s", runtype.ErrIdle, flat.Idle)
			cancel(runtype.ErrIdle)
			break wait
		}
	}
	if within.Err() != nil { // the execution was stopped, and the grace period is over
		return nil, chosen{}, within.Err()
	}
	return nil, chosen{}, err
}

// bound returns a timer that fires after d, or never if d is 0.
func bound(d time.Duration) *time.Timer {
	if d > 0 {
		return time.NewTimer(d)
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
