package fermata

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// fail takes a failed attempt along its way: another attempt, the node's failure edge, or outwards, once all that is
// at work beside it has ended (laws F1 and F2).
func (d *drive) fail(t *machine.Task, flat *plan.Flat, out any, cause error) error {
	which := d.refer(t)
	w, err := d.wayOf(t, flat, out, cause, failedBody(cause))
	if err != nil {
		return err
	}
	if w.over {
		return nil
	}
	err = d.commit(context.WithoutCancel(d.ctx), which.do(func(m *machine.Machine, t *machine.Task) error {
		return d.send(m, t, &w)
	}))
	if err == nil && !which.gone && w.value.Changed {
		d.vals.put(w.ref, w.live, w.snap)
	}
	return err
}

// failAround deals with the failure of a subgraph, which began with a task inside of it.
func (d *drive) failAround(t, leaf *machine.Task) error {
	body := leaf.Error
	body.RetryAt = 0
	cause := d.causes[d.m.TaskID(leaf)]
	if cause == nil {
		cause = recordedError{message: body.Error, is: sentinels[body.Code]}
	}
	which := d.refer(t)
	w, err := d.wayOf(t, d.m.Flat(t), nil, cause, body)
	if err != nil || w.over {
		return err
	}
	return d.commit(context.WithoutCancel(d.ctx), which.do(func(m *machine.Machine, t *machine.Task) error {
		return d.send(m, t, &w)
	}))
}

// failJoin begins the task of a join whose branches could not be merged, and lets it fail.
func (d *drive) failJoin(j *machine.Join, t *machine.Task, flat *plan.Flat, cause error) error {
	w, err := d.wayOf(t, flat, nil, cause, failedBody(cause))
	if err != nil || w.over {
		return err
	}
	return d.commit(context.WithoutCancel(d.ctx), func(m *machine.Machine) error {
		t, err := m.Joined(d.now(), j, machine.Value{})
		if t == nil || err != nil {
			return err
		}
		return d.send(m, t, &w)
	})
}

// way is where a failure goes.
type way struct {
	body   journal.FailedBody
	again  bool
	over   bool // nowhere: the run was ended by another branch meanwhile
	wait   time.Duration
	target string
	value  machine.Value
	ref    uint64
	live   any
	snap   any
}

// wayOf asks who deals with a failure.
func (d *drive) wayOf(t *machine.Task, flat *plan.Flat, out any, cause error, body journal.FailedBody) (way, error) {
	w := way{body: body}
	if again(flat, t, cause) {
		w.again, w.wait = true, d.waitAfter(flat, t, cause)
		if d.none {
			d.pause(w.wait)
			if w.over = Status(d.m.Status()).Ended(); !w.over && d.ctx.Err() != nil {
				return w, d.stopped()
			}
		}
		return w, nil
	}
	var err error
	if w.target, w.live, err = d.catch(t, flat, out, cause); err != nil {
		return w, err
	}
	if w.target == "" {
		if d.causes == nil {
			d.causes = make(map[string]error)
		}
		d.causes[d.m.TaskID(t)] = cause
		return w, nil
	}
	if out != nil {
		w.value, w.snap, err = d.changeOnFailure(t, flat, out)
	}
	return w, err
}

// send records where a failure goes.
func (d *drive) send(m *machine.Machine, t *machine.Task, w *way) error {
	now := d.now()
	if w.again {
		body := w.body
		if body.RetryAt = now + w.wait.Microseconds(); d.none {
			body.RetryAt = 0
		}
		return m.Retry(now, t, body)
	}
	w.ref = m.Head() + 1
	return m.Fail(now, t, w.body, w.value, w.target)
}

// pause waits between two attempts of a task, or until it is told to stop: because driving stops, or because another
// branch has failed or ended the run, in which there will be no next attempt then.
func (d *drive) pause(wait time.Duration) {
	ctx := d.crew.context()
	d.crew.without(func() { d.nap(ctx, wait) })
}

// nap waits; false when ctx was done before.
func (d *drive) nap(ctx context.Context, wait time.Duration) bool {
	over := make(chan struct{})
	stop := d.clock().AfterFunc(wait, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
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
	d.host.own.Lock()
	d.host.observe(t)
	d.host.own.Unlock()
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
	defer panicked(&err)
	return flat.Catch(ctx, value, cause)
}

// again reports whether a failed task is tried once more.
func again(flat *plan.Flat, t *machine.Task, cause error) bool {
	if int(t.Attempt) >= flat.Retry.Attempts || hopeless(cause) {
		return false
	}
	if _, asked := asksAgain(cause); asked {
		return true
	}
	return flat.Retry.Retryable == nil || worthwhile(flat.Retry.Retryable, cause)
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
		errors.Is(cause, node.ErrNotStorable) || errors.Is(cause, node.ErrOutcomeUnknown) || errors.Is(cause, ErrLimit) ||
		errors.Is(cause, ErrMergeConflict)
}

// fatal reports whether a failure is not the node's to deal with: the journal and the code do not fit.
func fatal(cause error) bool {
	return errors.Is(cause, node.ErrDiverged) || errors.Is(cause, journal.ErrCorrupt) || errors.Is(cause, ErrMustWait)
}

// sentinels are the errors that can be found in one that is only known from the journal, by its code.
var sentinels = map[string]error{
	string(CodeExpired): node.ErrExpired, "timeout": ErrTimeout, "invalid_route": ErrInvalidRoute,
	"merge_conflict": ErrMergeConflict, "diverged": node.ErrDiverged, "outcome_unknown": node.ErrOutcomeUnknown,
	"not_storable": node.ErrNotStorable, "terminal": node.ErrTerminal, string(CodeLimit): ErrLimit,
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
	case errors.Is(cause, ErrMergeConflict):
		body.Code = "merge_conflict"
	case errors.Is(cause, ErrLimit):
		body.Code = string(CodeLimit)
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
