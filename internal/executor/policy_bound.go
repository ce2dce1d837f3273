package executor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
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
	b := &bounds{pass: h.pass.Load(), ctx: ctx, idle: flat.Idle, from: time.Now()}
	h.bounds.Store(b)
	ctx = model.OnSignOfLife(ctx, b.sign)
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
			cancel(runtype.ErrTimeout) // it may be faster than the context's own timer
			break wait
		case <-silence.C:
			left := b.left()
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

// bounds watches one pass of a node that has a Timeout or an Idle.
type bounds struct {
	pass uint64          // the pass
	ctx  context.Context // the function's: done when the pass reaches a bound
	idle time.Duration   // how long the pass may be silent; 0 for no limit
	from time.Time       // when the pass began
	last atomic.Int64    // the last sign of life, in nanoseconds since from
	held atomic.Int32    // calls that wait for the store or for a timer: the pass is not silent meanwhile
}

// of returns b if it watches this pass, or nil.
func (b *bounds) of(pass uint64) *bounds {
	if b == nil || b.pass != pass {
		return nil
	}
	return b
}

// reached reports whether the pass has reached a bound, so that its calls are refused even before the attempt has failed.
func (b *bounds) reached() bool {
	if b == nil || b.ctx.Err() == nil {
		return false
	}
	cause := context.Cause(b.ctx)
	return errors.Is(cause, runtype.ErrTimeout) || errors.Is(cause, runtype.ErrIdle)
}

// sign records a sign of life.
func (b *bounds) sign() {
	if b != nil && b.idle > 0 {
		b.last.Store(int64(time.Since(b.from)))
	}
}

// hold suspends the watch for silence until over is called.
func (b *bounds) hold() (over func()) {
	if b == nil || b.idle == 0 {
		return func() {}
	}
	b.held.Add(1)
	return func() {
		b.sign()
		b.held.Add(-1)
	}
}

// left returns how much longer the pass may be silent.
func (b *bounds) left() time.Duration {
	if b.held.Load() > 0 {
		return b.idle
	}
	return b.idle - (time.Since(b.from) - time.Duration(b.last.Load()))
}
