package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/internal/nodehost"
)

// StepOption changes how a step is kept.
type StepOption func(*stepOptions)

// stepOptions are how one step is kept.
type stepOptions struct {
	kind Kind   // of the call
	undo string // name of the node that undoes it; "" for none
}

// AtMostOnce makes a step record its intent before it happens. After a crash between intent and outcome the step is
// not repeated: Step returns [ErrOutcomeUnknown] (law J5). So it does where do itself returns that error.
func AtMostOnce() StepOption { return func(o *stepOptions) { o.kind = nodehost.KindOnce } }

// Compensate names the node that undoes the step where the run ends without success (law F10). It failed for good, was
// cancelled, has expired or is stuck. The plan declares it for the step's node, such as with graph.Compensation. That node's
// function is given the recorded result of the step, and is kept as durably as any other.
//
// Steps are undone one after the other, the last first, once nothing of the run's own is at work. A step without a recorded
// result is not undone: it failed, or a crash came between the effect and its record. A name that the plan does not declare
// for the node fails the step before it happens.
func Compensate(name string) StepOption { return func(o *stepOptions) { o.undo = name } }

func kindNow(o *stepOptions) { o.kind = nodehost.KindNow }

// Step makes a call once and records its result (law J5). When the task runs again, after a crash or an answer, a
// recorded step returns its recorded value without calling do. The key names the step within its task; the same key in
// a loop is another occurrence.
//
// A step whose effect happened but whose record was lost may happen again, at most once per crash: pass
// [IdempotencyKey] to the outside world, or use [AtMostOnce].
//
// Calls that do makes with its own context belong to the step: once the step is recorded, none of them is repeated.
// Calls with the context outside do not, and a replay that skips the step finds them missing (law N3). A replay
// compares the order of the steps. Steps in goroutines that the node starts have none: each of these goroutines needs
// keys of its own, else the step fails with [ErrSharedKey].
//
// Step returns the recorded value the first time, too (law N10): a T that encoding/json writes, with what it does not
// write empty. Values in interfaces are map[string]any, []any, string, bool, nil and json.Number; a time.Time has UTC
// or a fixed offset, and no monotonic clock. A value that cannot be written is ErrNotStorable.
//
// An error of do is recorded too and comes back as [*StepError], with the marks of [Terminal] and [RetryAfter] and the
// documented errors that it had (law F8); a new attempt of the task tries the step again. Cancellation is not recorded.
func Step[T any](ctx Context, key string, do func(ctx Context) (T, error), opts ...StepOption) (T, error) {
	var zero T
	o := stepOptions{kind: nodehost.KindStep}
	for _, opt := range opts {
		opt(&o)
	}
	kind := o.kind
	op, err := ctx.begin(kind, key)
	switch {
	case err != nil:
		return zero, err
	case op.Done && op.Failure != "":
		return zero, stepError(&op, op.Failure)
	case op.Done:
		return recorded[T](ctx, op)
	case op.Begun:
		return zero, fmt.Errorf("task %s, %s: %w", ctx.Info().Task(), nodehost.CallText(op.ID), ErrOutcomeUnknown)
	}
	if o.undo != "" {
		if err := ctx.canUndo(o.undo); err != nil {
			return zero, err
		}
		op.Undo = o.undo
	}
	if kind == nodehost.KindOnce {
		if err := ctx.host.Intend(ctx.pass, op); err != nil {
			return zero, err
		}
	}
	value, failed := do(ctx.within(op))
	if failed != nil {
		caught := ctx.capture(failed)
		if ctx.Err() != nil || caught.Is(ErrSuspended) {
			return zero, failed
		}
		if kind == nodehost.KindOnce && caught.Is(ErrOutcomeUnknown) {
			return zero, caught // not recorded: it stays begun, and a replay comes to the same
		}
		message := mark(&op, caught)
		if err := ctx.host.Record(ctx.pass, op, nil, message); err != nil {
			return zero, err
		}
		return zero, stepError(&op, message)
	}
	data, kept, err := storable(ctx, &value)
	if err != nil { // the step has happened: a replay, too, has to come to what the node is told now
		message := mark(&op, ctx.capture(fmt.Errorf("task %s, %s: %w: %w", ctx.Info().Task(), nodehost.CallText(op.ID), ErrNotStorable, err)))
		if err := ctx.host.Record(ctx.pass, op, nil, message); err != nil {
			return zero, err
		}
		return zero, stepError(&op, message)
	}
	if err := ctx.host.Record(ctx.pass, op, data, ""); err != nil {
		return zero, err
	}
	return kept, nil
}

// storable is a value as a journal keeps it, and as every later pass reads it. It fails for one that JSON does not write, or
// writes and does not read back as it was (laws N8 and N10).
func storable[T any](ctx Context, value *T) (data []byte, kept T, err error) {
	if data, err = ctx.encode(*value); err != nil || canonical.Plain(value) {
		return data, *value, err
	}
	if err = canonical.Decode(data, &kept); err != nil {
		return nil, kept, fmt.Errorf("the JSON of %s cannot be read back: %w", reflect.TypeFor[T](), err)
	}
	if lost, gone := loss.In(data, &kept); gone {
		return nil, kept, fmt.Errorf("the JSON of %s is not read back unchanged: %q is lost", reflect.TypeFor[T](), lost.Path)
	}
	return data, kept, nil
}

// canUndo checks that the plan can undo a step. A host without a plan knows no better.
func (c Context) canUndo(name string) error {
	if h, ok := c.host.(nodehost.UndoHost); ok {
		return h.CanUndo(name)
	}
	return nil
}

// UndoneKey is what [IdempotencyKey] was in the task or step that the function undoes. It is ""
// in a function that undoes nothing (law F10). A service that was given that key finds by it what has to be undone.
func UndoneKey(ctx context.Context) string {
	c, ok := FromContext(ctx)
	if !ok {
		return ""
	}
	info := c.Info()
	if info.Undoes == "" {
		return ""
	}
	return nodehost.CallText(info.Run + "/" + info.Undoes)
}

type opKey struct{}

type onceKey struct{}

// MustNotRepeat reports whether ctx belongs to an AtMostOnce step or to a call of a tool with Once. Clients that try
// again by themselves must not do so there: where they cannot tell whether a call has happened, they return an error in
// which errors.Is finds [ErrOutcomeUnknown].
func MustNotRepeat(ctx context.Context) bool {
	once, _ := ctx.Value(onceKey{}).(bool)
	return once
}

// IdempotencyKey is the same for every try of a step and for no other step (law J5). Pass it to the outside service.
// Inside the function of a Step it names that step; elsewhere it names the task. A migration that gives the node
// another name while the task is open leaves it as it is.
func IdempotencyKey(ctx context.Context) string {
	c, ok := FromContext(ctx)
	if !ok {
		return ""
	}
	info := c.Info()
	key := info.Run + "/" + cmp.Or(info.Began, info.Task())
	if op, ok := ctx.Value(opKey{}).(string); ok {
		key += "/" + op
	}
	return nodehost.CallText(key)
}

func decode[T any](op nodehost.Op) (T, error) {
	var value T
	if err := canonical.Decode(op.Value, &value); err != nil {
		return value, fmt.Errorf("%s: the recorded value does not fit %s any more: %w", op.ID, reflect.TypeFor[T](), err)
	}
	return value, nil
}

// recorded is decode for a value that an earlier pass has recorded, maybe from another type: all of it has a place in T, or the
// run stops (law J8).
func recorded[T any](ctx Context, op nodehost.Op) (T, error) {
	value, err := decode[T](op)
	lost, gone := loss.Lost{}, false
	if err == nil {
		lost, gone = loss.In(op.Value, &value)
	}
	if err == nil && !gone {
		return value, nil
	}
	changed := &RecordedError{
		Task: ctx.Info().Task(), Call: op.ID, Path: lost.Path, Type: reflect.TypeFor[T]().String(), Near: lost.Near, Err: err,
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // whose text shows the value
		changed.Path, changed.Err = wrong.Field, nil
		changed.Form, _, _ = strings.Cut(wrong.Value, " ") // behind it is the number itself
	} else if _, ok := errors.AsType[*time.ParseError](err); ok { // as above
		changed.Form, changed.Err = "string", nil
	}
	if h, ok := ctx.host.(nodehost.BreakHost); ok {
		h.Break(ctx.pass, changed)
	}
	var zero T
	return zero, changed
}
