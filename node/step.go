package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// StepOption changes how a step is kept.
type StepOption func(*Kind)

// AtMostOnce makes a step record its intent before it happens. After a crash between intent and outcome the step is
// not repeated: Step returns [ErrOutcomeUnknown] (law J5).
func AtMostOnce() StepOption { return func(k *Kind) { *k = KindOnce } }

func kindNow(k *Kind) { *k = KindNow }

// Step does something once and records what came of it (law J5). When the task is run again, after a crash or an
// answer, a recorded step returns its recorded value without calling do. The key names the step within its task;
// the same key in a loop is another occurrence.
//
// A step whose effect happened but whose record was lost may happen again, at most once per crash: pass
// [IdempotencyKey] to the outside world, or use [AtMostOnce].
//
// What do calls with the context that it is given belongs to the step: once the step is recorded, none of it is made
// again. Calls with the context outside do not, and a replay that skips the step finds them missing (law N3). The
// steps of a task are made one after the other: their order is what a replay is held against.
//
// T must survive encoding/json. An error of do is recorded too and comes back as [*StepError], with the marks of
// [Terminal] and [RetryAfter] that it had; a new attempt of the task tries the step again. Cancellation is not recorded.
func Step[T any](ctx Context, key string, do func(ctx Context) (T, error), opts ...StepOption) (T, error) {
	var zero T
	kind := KindStep
	for _, opt := range opts {
		opt(&kind)
	}
	op, err := ctx.begin(kind, key)
	switch {
	case err != nil:
		return zero, err
	case op.Done && op.Failure != "":
		return zero, op.failed(op.Failure)
	case op.Done:
		return decode[T](op)
	case op.Begun:
		return zero, fmt.Errorf("task %s, %s: %w", ctx.Info().Task(), CallText(op.ID), ErrOutcomeUnknown)
	}
	if kind == KindOnce {
		if err := ctx.host.Intend(ctx.pass, op); err != nil {
			return zero, err
		}
	}
	value, failed := do(ctx.within(op))
	if failed != nil {
		if ctx.Err() != nil || errors.Is(failed, ErrSuspended) {
			return zero, failed
		}
		message := failed.Error()
		if message == "" {
			message = fmt.Sprintf("%T", failed)
		}
		op.mark(failed)
		if err := ctx.host.Record(ctx.pass, op, nil, message); err != nil {
			return zero, err
		}
		return zero, op.failed(message)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return zero, fmt.Errorf("task %s, %s: %w: %w", ctx.Info().Task(), CallText(op.ID), ErrNotStorable, err)
	}
	if err := ctx.host.Record(ctx.pass, op, data, ""); err != nil {
		return zero, err
	}
	if plain(value) {
		return value, nil
	}
	return decode[T](Op{ID: op.ID, Value: data}) // what a replay gets, and nothing that only the first pass has
}

// plain reports whether a value comes back from JSON as it is.
func plain(value any) bool {
	switch value.(type) {
	case string, bool, int, int64, uint64, float64, time.Time:
		return true
	}
	return false
}

type opKey struct{}

// IdempotencyKey is a stable key for the outside world: the same for every try of the same step of the same task of
// the same run, and different for any other (law J5). Inside the function of a Step it names that step; elsewhere
// it names the task.
func IdempotencyKey(ctx context.Context) string {
	c, ok := FromContext(ctx)
	if !ok {
		return ""
	}
	info := c.Info()
	key := info.Run + "/" + info.Task()
	if op, ok := ctx.Value(opKey{}).(string); ok {
		key += "/" + op
	}
	return CallText(key)
}

func decode[T any](op Op) (T, error) {
	var value T
	d := json.NewDecoder(bytes.NewReader(op.Value))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return value, fmt.Errorf("%s: the recorded value does not fit %T any more: %w", op.ID, value, err)
	}
	return value, nil
}
