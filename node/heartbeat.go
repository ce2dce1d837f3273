package node

import (
	"fmt"

	"github.com/fermata-go/fermata/internal/nodehost"
)

// Heartbeat records that the node is alive (law N11) and keeps the value for [LastHeartbeat]. Its Idle then does not
// end the attempt. It may be called often and from any goroutine of the node, also inside of a [Step]: it stores
// nothing itself. The last value is stored at most five seconds after it was given, and when the attempt fails, waits
// or is stopped; a process that is killed loses no more than that. Success stores nothing.
//
// The value is one that encoding/json writes; what cannot be written, or not be read back, is ErrNotStorable (law N8). Heartbeat fails with
// [ErrTaskOver] once the attempt has ended.
func Heartbeat[T any](ctx Context, value T) error {
	h, ok := ctx.host.(nodehost.BeatHost)
	if !ok {
		return nil
	}
	data, _, err := storable(ctx, &value)
	if err != nil {
		return fmt.Errorf("task %s, heartbeat: %w: %w", ctx.Info().Task(), ErrNotStorable, err)
	}
	return h.Beat(ctx.pass, data)
}

// LastHeartbeat returns the last [Heartbeat] of an earlier attempt; false if there is none. After a crash it is the
// last one that was stored, of the attempt that was cut off.
//
// Like [Now] it is a call that replays repeat (law N10): once another call behind it is recorded in an attempt, the attempt
// gets the same value again, whatever it has given to Heartbeat since. A value that T cannot hold, or would leave something out
// of, blocks the run with a [*RecordedError], so that work does not begin at zero again (law J8).
func LastHeartbeat[T any](ctx Context) (value T, ok bool) {
	h, is := ctx.host.(nodehost.BeatHost)
	if !is {
		return value, false
	}
	op, err := ctx.begin(nodehost.KindHeartbeat, "last")
	if err != nil {
		h.Refuse(ctx.pass, err)
		return value, false
	}
	data := op.Value
	if !op.Done {
		data = h.LastBeat(ctx.pass, op)
	}
	if len(data) == 0 {
		return value, false
	}
	op.Value = data
	if value, err = recorded[T](ctx, op); err != nil {
		h.Refuse(ctx.pass, err)
		return value, false
	}
	return value, true
}
