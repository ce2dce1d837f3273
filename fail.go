package fermata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// fail takes a failed attempt along its way: another attempt, the node's failure edge, or outwards, once all that is
// at work beside it has ended (laws F1 and F2).
func (d *drive) fail(t *machine.Task, flat *plan.Flat, out any, err error) error {
	cause := d.kept(err)
	if d.blocks(t, cause) {
		return nil
	}
	cause = unsettled(t, flat, cause)
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
		cause = fault.Capture(recorded(&body))
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
func (d *drive) failJoin(j *machine.Join, t *machine.Task, flat *plan.Flat, err error) error {
	cause := d.kept(err)
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
func (d *drive) wayOf(t *machine.Task, flat *plan.Flat, out any, cause *fault.Captured, body journal.FailedBody) (way, error) {
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
	if out != nil {
		if out, err = settle(flat.Owner.State(), out, &d.known, true); err != nil {
			out = nil // a state that cannot be kept cannot travel on: the input does
		}
	}
	if w.target, w.live, err = d.catch(t, flat, out, cause); err != nil {
		return w, err
	}
	if w.target == "" {
		if d.causes == nil {
			d.causes = make(map[string]*fault.Captured)
		}
		d.causes[d.m.TaskID(t)] = cause
		return w, nil
	}
	if out != nil {
		w.value, w.snap = d.changeOnFailure(t, flat, out)
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
func (d *drive) changeOnFailure(t *machine.Task, flat *plan.Flat, out any) (machine.Value, any) {
	if d.none {
		return machine.Value{Changed: true, Delta: true, Base: t.Ref}, nil
	}
	codec := d.sized(flat.Owner.State())
	data, err := encoded(codec, out)
	if err != nil { // it is too large
		return machine.Value{}, nil // a state that cannot be stored cannot travel on: the input does
	}
	snap, err := copied(codec, out)
	if err != nil {
		return machine.Value{}, nil // likewise
	}
	return machine.Value{Changed: true, Data: data}, snap
}

// catch asks a node where its failure goes; "" for nowhere.
func (d *drive) catch(t *machine.Task, flat *plan.Flat, out any, cause *fault.Captured) (string, any, error) {
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
			if fault.Capture(err).Is(journal.ErrCorrupt) {
				return "", nil, err
			}
			d.log().Error("the gate for failures could not be asked", "task", d.m.TaskID(t), "error", fault.Capture(err))
			return "", nil, nil // the codec fails, and the task has failed before
		}
	}
	d.host.own.Lock()
	d.host.observe(t)
	d.host.own.Unlock()
	var target string
	err := fault.Call("Catch", func() (err error) {
		target, err = flat.Catch(node.NewContext(context.WithoutCancel(d.ctx), &d.host, 0), value, cause)
		return err
	})
	if err == nil && target != "" {
		if _, ok := plan.Find(flat.Failures, target); !ok {
			err = invalidRoute(flat, target, flat.Failures)
		}
	}
	if err != nil {
		d.log().Error("the gate for failures failed", "task", d.m.TaskID(t), "error", fault.Capture(err))
		return "", nil, nil
	}
	return target, out, nil
}

// again reports whether a failed task is tried once more.
func again(flat *plan.Flat, t *machine.Task, cause *fault.Captured) bool {
	if int(t.Attempt) >= flat.Retry.Attempts || hopeless(cause) {
		return false
	}
	if tooBusy(cause) {
		return false
	}
	if _, asked := asksAgain(cause); asked {
		return true
	}
	return flat.Retry.Retryable == nil || worthwhile(flat.Retry.Retryable, cause)
}

// unsettled is the failure of a task: of one whose last attempt was cut off in the middle of a call that must not happen
// twice, it says that the outcome of the call is unknown (law J5). As long as there are attempts, the next one says so.
func unsettled(t *machine.Task, flat *plan.Flat, cause *fault.Captured) *fault.Captured {
	if !isAny(cause, ErrTimeout, ErrGoexit) && !cause.Marks.Has(fault.Panic) || again(flat, t, cause) {
		return cause
	}
	for i := range t.Ops {
		if op := &t.Ops[i]; op.Begun && !op.Done {
			return fault.Capture(fmt.Errorf("%w; %s: %w", cause, node.CallText(op.ID), node.ErrOutcomeUnknown))
		}
	}
	return cause
}

// worthwhile asks the author's classification; one that panics, or ends its goroutine, retries nothing.
func worthwhile(retryable func(error) bool, cause error) bool {
	yes := false
	err := fault.Call("Retryable", func() error {
		yes = retryable(cause)
		return nil
	})
	return yes && err == nil
}

// hopeless reports whether another attempt cannot help.
func hopeless(cause *fault.Captured) bool {
	return fatal(cause) || isAny(cause, node.ErrTerminal, node.ErrExpired, ErrInvalidRoute, node.ErrNotStorable,
		node.ErrOutcomeUnknown, ErrLimit, ErrMergeConflict)
}

// fatal reports whether a failure is not the node's to deal with: the journal and the code do not fit.
func fatal(cause *fault.Captured) bool {
	return isAny(cause, ErrMustWait) || !cause.Others && isAny(cause, node.ErrDiverged, journal.ErrCorrupt)
}

func isAny(cause *fault.Captured, any ...error) bool {
	return cause.Marks != nil && slices.ContainsFunc(any, cause.Marks.Is)
}

// codes are what FailedBody.Code says of an error that is of several kinds: the first of these, else the first kind.
var codes = []string{
	fault.Panic, string(CodeExpired), "goexit", "timeout", "invalid_route", "diverged", "outcome_unknown", "not_storable",
	"merge_conflict", string(CodeLimit), "terminal",
}

// kept is an error as the journal keeps it: a text that is too long for that is cut, for everybody (laws N8 and F8).
func (d *drive) kept(err error) *fault.Captured {
	return fault.Capture(err).Within(d.maxValue() / 8) // in JSON a byte may take six
}

// failedBody is what the journal keeps of an error (law F8).
func failedBody(cause *fault.Captured) journal.FailedBody {
	body := journal.FailedBody{Error: cause.Text, Stack: string(cause.Stack())}
	m := cause.Marks
	if m == nil {
		return body
	}
	if len(m.Kinds) > 0 {
		body.Code = m.Kinds[0]
	}
	for _, code := range codes {
		if m.Has(code) {
			body.Code = code
			break
		}
	}
	if crash, ok := errors.AsType[*node.PanicError](cause); ok {
		body.Stack = string(crash.Stack)
	}
	kept := journal.Marks{Kinds: m.Kinds, Details: m.Details}
	if len(kept.Kinds) == 1 {
		kept.Kinds = nil // Code says it
	}
	if len(kept.Kinds)+len(kept.Details) > 0 {
		body.Marks = &kept
	}
	return body
}

// marksOf is what the journal knows of an error beside its text.
func marksOf(code string, m *journal.Marks) *fault.Marks {
	marks := fault.Of(code)
	if m == nil {
		return marks
	}
	if marks == nil {
		marks = new(fault.Marks)
	}
	if marks.Details = m.Details; len(m.Kinds) > 0 {
		marks.Kinds = m.Kinds
	}
	return marks
}

// recorded makes an error of what the journal keeps of it.
func recorded(body *journal.FailedBody) error {
	return &fault.Recorded{Text: body.Error, Marks: marksOf(body.Code, body.Marks)}
}

// diagnostic is the body of a diagnostic that the engine itself makes.
func diagnostic(code, text string) []byte {
	data, _ := json.Marshal(map[string]string{"code": code, "message": text}) //nolint:errchkjson // strings always encode
	return data
}
