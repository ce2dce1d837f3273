package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// fail handles a failed attempt: it retries, takes the node's failure edge, or fails the graph around it. The
// last waits until running siblings have ended (laws F1 and F2).
func (x *Execution) fail(t *machine.Task, flat *plan.Flat, out any, err error) error {
	cause := x.kept(err)
	if x.blocks(t, cause) {
		return nil
	}
	cause = unsettled(t, flat, cause)
	which := x.refer(t)
	w, err := x.wayOf(t, flat, out, cause, failedBody(cause))
	if err != nil {
		return err
	}
	if w.over {
		return nil
	}
	err = x.commit(context.WithoutCancel(x.ctx), which.do(func(m *machine.Machine, t *machine.Task) error {
		return x.send(m, t, &w)
	}))
	if err == nil && !which.gone && w.value.Changed {
		x.Values.Put(w.ref, w.live, w.snap)
	}
	return err
}

// failAround handles the failure of a subgraph, caused by a task inside it.
func (x *Execution) failAround(t, leaf *machine.Task) error {
	body := leaf.Error
	body.RetryAt = 0
	cause := x.causes[x.Machine.TaskID(leaf)]
	if cause == nil {
		cause = fault.Capture(runstate.Recorded(&body))
	}
	which := x.refer(t)
	w, err := x.wayOf(t, x.Machine.Flat(t), nil, cause, body)
	if err != nil || w.over {
		return err
	}
	return x.commit(context.WithoutCancel(x.ctx), which.do(func(m *machine.Machine, t *machine.Task) error {
		return x.send(m, t, &w)
	}))
}

// failJoin starts the task of a join whose branches could not be merged, and fails it.
func (x *Execution) failJoin(j *machine.Join, t *machine.Task, flat *plan.Flat, err error) error {
	cause := x.kept(err)
	w, err := x.wayOf(t, flat, nil, cause, failedBody(cause))
	if err != nil || w.over {
		return err
	}
	return x.commit(context.WithoutCancel(x.ctx), func(m *machine.Machine) error {
		t, err := m.Joined(x.Now(), j, machine.Value{})
		if t == nil || err != nil {
			return err
		}
		return x.send(m, t, &w)
	})
}

// way is what follows a failure.
type way struct {
	body   journal.FailedBody // the journal entry
	again  bool               // the task is retried
	over   bool               // nothing follows: another branch ended the run
	wait   time.Duration      // before the retry
	target string             // the failure edge's node; "" for none
	value  machine.Value      // what travels along the edge, as stored
	ref    uint64             // of that value
	live   any                // the value in memory
	snap   any                // its snapshot
}

// wayOf decides what follows a failure.
func (x *Execution) wayOf(t *machine.Task, flat *plan.Flat, out any, cause *fault.Captured, body journal.FailedBody) (way, error) {
	w := way{body: body}
	if again(flat, t, cause) {
		w.again, w.wait = true, x.waitAfter(flat, t, cause)
		if x.Unstored {
			x.pause(w.wait)
			if w.over = runtype.Status(x.Machine.Status()).Ended(); !w.over && x.ctx.Err() != nil {
				return w, x.stopped()
			}
		}
		return w, nil
	}
	var err error
	if t.InFlow() { // its handler reads values by their names: none travels along the edge (law D14)
		out = nil
	}
	if out != nil {
		if out, err = runstate.Canonical(flat.Owner.State(), out, &x.Known, true); err != nil {
			out = nil // a state that cannot be stored cannot travel on: the input does
		}
	}
	if w.target, w.live, err = x.catch(t, flat, out, cause); err != nil {
		return w, err
	}
	if w.target == "" {
		if x.causes == nil {
			x.causes = make(map[string]*fault.Captured)
		}
		x.causes[x.Machine.TaskID(t)] = cause
		if x.env == nil && t.Parent() == nil && out != nil {
			x.beside = out
		}
		return w, nil
	}
	if out != nil {
		w.value, w.snap = x.changeOnFailure(t, flat, out)
	}
	return w, err
}

// send records what follows a failure.
func (x *Execution) send(m *machine.Machine, t *machine.Task, w *way) error {
	now := x.Now()
	if w.again {
		body := w.body
		if body.RetryAt = now + w.wait.Microseconds(); x.Unstored {
			body.RetryAt = 0
		}
		return m.Retry(now, t, body)
	}
	w.ref = m.Head() + 1
	return m.Fail(now, t, w.body, w.value, w.target)
}

// pause waits before a retry. It returns early if the execution stops, or if another branch failed or ended the
// run; then there is no retry.
func (x *Execution) pause(wait time.Duration) {
	ctx := x.workers.context()
	x.workers.without(func() { x.nap(ctx, wait) })
}

// nap waits; it returns false if ctx was done first.
func (x *Execution) nap(ctx context.Context, wait time.Duration) bool {
	over := make(chan struct{})
	stop := x.Storage.Clock.AfterFunc(wait, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

// changeOnFailure keeps the state that a node returned with its error (law F1).
func (x *Execution) changeOnFailure(t *machine.Task, flat *plan.Flat, out any) (machine.Value, any) {
	if x.Unstored {
		return machine.Value{Changed: true, Delta: true, Base: t.Ref}, nil
	}
	codec := x.Sized(flat.Owner.State())
	data, err := guard.Encode(codec, out)
	if err != nil { // too large
		return machine.Value{}, nil // a state that cannot be stored cannot travel on: the input does
	}
	snap, err := guard.Copy(codec, out)
	if err != nil {
		return machine.Value{}, nil // likewise
	}
	return machine.Value{Changed: true, Data: data}, snap
}

// catch asks a node's failure gate for a route; "" for none.
func (x *Execution) catch(t *machine.Task, flat *plan.Flat, out any, cause *fault.Captured) (string, any, error) {
	if len(flat.Failures) == 0 || fatal(cause) {
		return "", nil, nil
	}
	if flat.Catch == nil {
		return flat.Failures[0].Name, out, nil
	}
	value := out
	if value == nil && !t.InFlow() {
		var err error
		if value, err = x.Values.Take(t.Ref, flat.Owner.State(), true); err != nil {
			if fault.Capture(err).Is(journal.ErrCorrupt) {
				return "", nil, err
			}
			x.Log.Error("the gate for failures could not be asked", "task", x.Machine.TaskID(t), "error", fault.Capture(err))
			return "", nil, nil // the codec fails, and the task has failed already
		}
	}
	x.host.own.Lock()
	x.host.observe(t)
	x.host.own.Unlock()
	var target string
	err := fault.Call("Catch", func() (err error) {
		target, err = flat.Catch(node.NewContext(context.WithoutCancel(x.ctx), &x.host, 0), value, cause)
		return err
	})
	if err == nil && target != "" {
		if _, ok := plan.Find(flat.Failures, target); !ok {
			err = invalidRoute(flat, target, flat.Failures)
		}
	}
	if err != nil {
		x.Log.Error("the gate for failures failed", "task", x.Machine.TaskID(t), "error", fault.Capture(err))
		return "", nil, nil
	}
	return target, out, nil
}

// unsettled adds ErrOutcomeUnknown to a failure whose last attempt was cut off inside a call that must not
// repeat (law J5). While attempts remain, the next one reports it.
func unsettled(t *machine.Task, flat *plan.Flat, cause *fault.Captured) *fault.Captured {
	if !isAny(cause, runtype.ErrTimeout, runtype.ErrGoexit) && !cause.Marks.Has(fault.Panic) || again(flat, t, cause) {
		return cause
	}
	for i := range t.Ops {
		if op := &t.Ops[i]; op.Begun && !op.Done {
			return fault.Capture(fmt.Errorf("%w; %s: %w", cause, nodehost.CallText(op.ID), node.ErrOutcomeUnknown))
		}
	}
	return cause
}

// hopeless reports whether a retry cannot help.
func hopeless(cause *fault.Captured) bool {
	return fatal(cause) || isAny(cause, node.ErrTerminal, node.ErrExpired, runtype.ErrInvalidRoute, node.ErrNotStorable,
		node.ErrOutcomeUnknown, runtype.ErrLimit, runtype.ErrMergeConflict)
}

// fatal reports whether a failure must not reach the node: the journal and the code do not fit.
func fatal(cause *fault.Captured) bool {
	return isAny(cause, runtype.ErrMustWait) || !cause.Others && isAny(cause, node.ErrDiverged, journal.ErrCorrupt)
}

func isAny(cause *fault.Captured, any ...error) bool {
	return cause.Marks != nil && slices.ContainsFunc(any, cause.Marks.Is)
}

// codes ranks the kinds of errors for FailedBody.Code. An error of several kinds gets the first of these, else
// its own first kind.
var codes = []string{
	fault.Panic, string(runtype.CodeExpired), "goexit", "timeout", "invalid_route", "diverged", "outcome_unknown", "not_storable",
	"merge_conflict", string(runtype.CodeLimit), "terminal",
}

// kept returns an error as the journal stores it. Long texts are cut, also for readers in memory (laws N8 and
// F8).
func (x *Execution) kept(err error) *fault.Captured {
	return fault.Capture(err).Within(x.MaxValue() / 8) // a byte may take six in JSON
}

// failedBody returns an error as the journal stores it (law F8).
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
		kept.Kinds = nil // Code holds it
	}
	if len(kept.Kinds)+len(kept.Details) > 0 {
		body.Marks = &kept
	}
	return body
}

// diagnostic returns the body of a diagnostic made by the engine.
func diagnostic(code, text string) []byte {
	data, _ := json.Marshal(map[string]string{"code": code, "message": text}) //nolint:errchkjson // strings always encode
	return data
}
