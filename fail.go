package fermata

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// fail takes a failed attempt along its way: another attempt, the node's failure edge, the failure edge of a
// subgraph around it, the end of the run (law F1).
func (d *drive) fail(t *machine.Task, flat *plan.Flat, out any, cause error) error {
	body := failedBody(cause)
	index, visit := t.Node, t.Visit
	if again(flat, t, cause) {
		wait := d.waitAfter(flat, t, cause)
		if d.none && !d.pause(wait) {
			return d.stopped()
		}
		return d.commit(context.WithoutCancel(d.ctx), func(m *machine.Machine) error {
			task := m.Task(index, visit)
			if task == nil {
				return errOver
			}
			now := d.now()
			body.RetryAt = now + wait.Microseconds()
			if d.none {
				body.RetryAt = 0
			}
			return m.Retry(now, task, body)
		})
	}
	steps, live, err := d.failureWay(t, flat, out, cause)
	if err != nil {
		return err
	}
	err = d.commit(context.WithoutCancel(d.ctx), func(m *machine.Machine) error {
		return d.recordFailure(m, steps, body)
	})
	if err != nil {
		return err
	}
	if last := steps[len(steps)-1]; last.value.Changed {
		d.vals.put(d.m.LastValue(), live, last.snap)
	}
	return nil
}

// pause waits in the goroutine of the drive; false when driving was stopped meanwhile.
func (d *drive) pause(wait time.Duration) bool {
	over := make(chan struct{})
	stop := d.clock().AfterFunc(wait, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return true
	case <-d.ctx.Done():
		return false
	}
}

// failing is one task on the way of a failure: the one that failed, and the subgraphs that it fails with it.
type failing struct {
	index  int
	visit  uint32
	path   string
	target string
	value  machine.Value
	snap   any
	wait   time.Duration // of the subgraph around it, where that is tried again
}

// failureWay asks who deals with a failure, from the inside out.
func (d *drive) failureWay(t *machine.Task, flat *plan.Flat, out any, cause error) ([]failing, any, error) {
	var steps []failing
	for {
		step := failing{index: t.Node, visit: t.Visit, path: d.m.TaskID(t)}
		target, value, err := d.catch(t, flat, out, cause)
		if err != nil {
			return nil, nil, err
		}
		step.target = target
		if target != "" && out != nil && len(steps) == 0 {
			if step.value, step.snap, err = d.changeOnFailure(t, flat, out); err != nil {
				return nil, nil, err
			}
		}
		steps = append(steps, step)
		if target != "" || t.Parent == nil {
			d.noteFailure(target, cause)
			return steps, value, nil
		}
		t, out = t.Parent, nil
		flat = d.m.Flat(t)
		if again(flat, t, cause) { // recordFailure tries the subgraph again
			wait := d.waitAfter(flat, t, cause)
			if d.none && !d.pause(wait) {
				return nil, nil, ErrStopped
			}
			steps[len(steps)-1].wait = wait
			return steps, nil, nil
		}
	}
}

func (d *drive) noteFailure(target string, cause error) {
	if target == "" {
		d.failure = cause
	}
}

// changeOnFailure keeps the state that a node returned with its error (law F1).
func (d *drive) changeOnFailure(t *machine.Task, flat *plan.Flat, out any) (machine.Value, any, error) {
	if d.none {
		return machine.Value{Changed: true, Delta: true, Base: t.Ref}, nil, nil
	}
	codec := flat.Owner.State()
	data, err := codec.Encode(out)
	if err != nil {
		return machine.Value{}, nil, nil //nolint:nilerr // a state that cannot be stored cannot travel on: the input does
	}
	snap, err := codec.Copy(out)
	return machine.Value{Changed: true, Data: data}, snap, err
}

// catch asks a node where its failure goes; "" for nowhere.
func (d *drive) catch(t *machine.Task, flat *plan.Flat, out any, cause error) (string, any, error) {
	if len(flat.Failures) == 0 || fatal(cause) {
		return "", nil, nil
	}
	if flat.Catch == nil {
		return flat.Failures[0].Name, out, nil
	}
	value := out
	if value == nil {
		var err error
		if value, err = d.vals.take(t.Ref, flat.Owner.State(), true); err != nil {
			return "", nil, err
		}
	}
	d.host.observe(t, flat)
	target, err := caught(flat, node.NewContext(context.WithoutCancel(d.ctx), &d.host, 0), value, cause)
	if err == nil && target != "" {
		if _, ok := plan.Find(flat.Failures, target); !ok {
			err = invalidRoute(flat, target, flat.Failures)
		}
	}
	if err != nil {
		d.log().Error("the gate for failures failed", "task", d.m.TaskID(t), "error", err)
		return "", nil, nil
	}
	return target, out, nil
}

func caught(flat *plan.Flat, ctx node.Context, value any, cause error) (target string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &node.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return flat.Catch(ctx, value, cause)
}

func (d *drive) recordFailure(m *machine.Machine, steps []failing, body journal.FailedBody) error {
	now := d.now()
	for i, step := range steps {
		t := m.Task(step.index, step.visit)
		if t == nil {
			return errOver
		}
		if err := m.Fail(now, t, body, step.value, step.target); err != nil {
			return err
		}
		if step.target != "" {
			return nil
		}
		if i < len(steps)-1 {
			continue
		}
		if t.Parent != nil { // the subgraph has attempts left
			again := body
			again.RetryAt = now
			if !d.none {
				again.RetryAt += step.wait.Microseconds()
			}
			return m.Retry(now, t.Parent, again)
		}
	}
	end := journal.FinishedBody{Status: machine.Failed, Error: body.Error, Code: body.Code, Task: steps[0].path}
	if body.Code == string(CodeExpired) {
		end.Status = machine.Expired
	}
	return m.End(now, end)
}

// again reports whether a failed task is tried once more.
func again(flat *plan.Flat, t *machine.Task, cause error) bool {
	if int(t.Attempt) >= flat.Retry.Attempts || hopeless(cause) {
		return false
	}
	return flat.Retry.Retryable == nil || asksAgain(cause) || worthwhile(flat.Retry.Retryable, cause)
}

// worthwhile asks the author's classification; one that panics retries nothing.
func worthwhile(retryable func(error) bool, cause error) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return retryable(cause)
}

// hopeless reports whether another attempt cannot help.
func hopeless(cause error) bool {
	return fatal(cause) || errors.Is(cause, node.ErrTerminal) ||
		errors.Is(cause, node.ErrExpired) || errors.Is(cause, ErrInvalidRoute) ||
		errors.Is(cause, node.ErrNotStorable) || errors.Is(cause, node.ErrOutcomeUnknown)
}

// fatal reports whether a failure is not the node's to deal with: the journal and the code do not fit.
func fatal(cause error) bool {
	return errors.Is(cause, node.ErrDiverged) || errors.Is(cause, journal.ErrCorrupt) || errors.Is(cause, ErrMustWait)
}

// sentinels are the errors that can be found in one that is only known from the journal, by its code.
var sentinels = map[string]error{
	string(CodeExpired): node.ErrExpired, "timeout": ErrTimeout, "invalid_route": ErrInvalidRoute,
	"diverged": node.ErrDiverged, "outcome_unknown": node.ErrOutcomeUnknown, "not_storable": node.ErrNotStorable,
	"terminal": node.ErrTerminal,
}

// failedBody is what the journal keeps of an error.
func failedBody(cause error) journal.FailedBody {
	body := journal.FailedBody{Error: cause.Error()}
	if body.Error == "" {
		body.Error = "an error without a text"
	}
	var panicked *node.PanicError
	switch {
	case errors.As(cause, &panicked):
		body.Code, body.Stack = "panic", string(panicked.Stack)
	case errors.Is(cause, node.ErrExpired):
		body.Code = string(CodeExpired)
	case errors.Is(cause, ErrTimeout):
		body.Code = "timeout"
	case errors.Is(cause, ErrInvalidRoute):
		body.Code = "invalid_route"
	case errors.Is(cause, node.ErrDiverged):
		body.Code = "diverged"
	case errors.Is(cause, node.ErrOutcomeUnknown):
		body.Code = "outcome_unknown"
	case errors.Is(cause, node.ErrNotStorable):
		body.Code = "not_storable"
	case errors.Is(cause, node.ErrTerminal):
		body.Code = "terminal"
	}
	return body
}

// diagnostic is the body of a diagnostic that the engine itself makes.
func diagnostic(code, text string) []byte {
	data, _ := json.Marshal(map[string]string{"code": code, "message": text}) //nolint:errchkjson // strings always encode
	return data
}
