package fermata

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// bounded is attempt for a node whose time is limited, in all or while it is silent. When the time is up, the function's
// context is done, and the attempt has failed: whatever the function still returns or asks for is refused (law N11). Its
// goroutine is left behind, and holds its place in the pool until it ends.
func (d *drive) bounded(within context.Context, flat *plan.Flat, h *host, in any, place *pool) (any, chosen, error) {
	ctx, cancel := context.WithCancelCause(within)
	defer cancel(nil)
	if flat.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, flat.Timeout, ErrTimeout)
		defer stop()
	}
	type outcome struct {
		out    any
		choice chosen
		err    error
		late   bool
	}
	ended, pass := make(chan outcome, 1), h.pass.Load()
	limit, silence := bound(flat.Timeout), bound(flat.Idle)
	defer limit.Stop()
	defer silence.Stop()
	h.beats.begin(flat.Idle)
	ctx = model.OnSignOfLife(ctx, h.beats.sign)
	go func() {
		o := outcome{err: ErrGoexit}
		defer func() { ended <- o }()
		defer place.release()
		o.out, o.choice, o.err = h.call(flat, node.NewContext(d.scope(ctx, h), h, pass), in)
		o.late = errors.Is(context.Cause(ctx), ErrTimeout)
	}()
	err := fmt.Errorf("%w: more than %s", ErrTimeout, flat.Timeout)
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
			err = fmt.Errorf("%w: nothing for more than %s", ErrIdle, flat.Idle)
			cancel(ErrIdle)
			break wait
		}
	}
	if within.Err() != nil { // it was told to stop, and had its time for that
		return nil, chosen{}, within.Err()
	}
	return nil, chosen{}, err
}

// bound is a timer that goes off after d, and never for 0.
func bound(d time.Duration) *time.Timer {
	if d > 0 {
		return time.NewTimer(d)
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
