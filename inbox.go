package fermata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// Inbox lists interrupts, the oldest first; with a zero filter those that are open or claimed.
func (rt *Runtime) Inbox(ctx context.Context, f journal.InboxFilter) ([]Interrupt, error) {
	found, err := rt.store.Inbox(ctx, f)
	if err != nil {
		return nil, rt.storeError(f.Run, err)
	}
	list := make([]Interrupt, len(found))
	for i, q := range found {
		list[i] = Interrupt{Interrupt: q}
	}
	return list, nil
}

// Answer closes an interrupt: it checks who answers and what, and commits the answer in one append (law H2). The
// value is anything that encoding/json writes. Then the run is driven on, unless Hold says not to, or the runtime does
// not know its plan.
//
// An answer that does not fit leaves the interrupt open (CodeInvalid, with a *schema.Error). The same answer again is
// accepted and has no effect; a different one is CodeConflict, a late one CodeExpired, a wrong role or token
// CodeForbidden.
func (rt *Runtime) Answer(ctx context.Context, interrupt string, value any, opts ...AnswerOption) error {
	o := optionsOf(opts)
	answer, err := toJSON(value, rt.options.maxValue())
	if err == nil {
		err = sayable(&o)
	}
	if err != nil {
		return notAnAnswer(interrupt, err)
	}
	return rt.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error) {
		return rt.resolve(ctx, q, answer, &o, now, before)
	}, !o.hold)
}

func notAnAnswer(interrupt string, err error) error {
	return &Error{Code: CodeInvalid, Err: fmt.Errorf("interrupt %s: %w", interrupt, err)}
}

// resolve makes the entry of an answer; none where it was given before.
func (rt *Runtime) resolve(
	ctx context.Context, q *journal.Interrupt, answer []byte, o *answerOptions, now int64, before []journal.Interrupt,
) ([]journal.Entry, error) {
	if _, err := rt.admit(ctx, q, answers, o, now, before); err != nil {
		return nil, err
	}
	switch q.State {
	case journal.Answered:
		if sameJSON(q.Answer, answer) {
			return nil, nil
		}
		return nil, &Error{
			Code: CodeConflict, Run: q.Run, Task: q.Task,
			Err: fmt.Errorf("%w: interrupt %s, by %s", ErrAnswered, q.ID, who(q.AnsweredBy)),
		}
	case journal.Expired:
		return nil, &Error{Code: CodeExpired, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s: %w", q.ID, ErrExpired)}
	case journal.Withdrawn:
		return nil, &Error{
			Code: CodeConflict, Run: q.Run, Task: q.Task,
			Err: fmt.Errorf("interrupt %s: %w", q.ID, node.ErrWithdrawn),
		}
	}
	answer, err := rt.taken(q.ResponseSchema, answer)
	if err != nil {
		return nil, &Error{Code: CodeInvalid, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s: %w: %w", q.ID, ErrInvalid, err)}
	}
	body := journal.ResolvedBody{State: journal.Answered, By: o.by, ByName: o.name, Role: o.roleFor(q)}
	body.Resolve(q, answer, now)
	e := interruptEntry(q, journal.InterruptResolved, now, body)
	e.Value = answer
	return []journal.Entry{e}, nil
}

func who(name string) string {
	if name == "" {
		return "somebody who gave no name"
	}
	return name
}

// taken checks an answer against the schema of its question, and gives it in the form in which it is stored: JSON Schema allows
// texts that the node could not read (law H2).
func (rt *Runtime) taken(doc, answer []byte) (json.RawMessage, error) {
	if len(doc) == 0 {
		doc = []byte("{}")
	}
	s, err := rt.schema(doc)
	if err != nil {
		return nil, err
	}
	return s.Normalize(answer)
}

// checkRecorded checks an answer that is in a journal already: older programs stored it as it was given.
func (rt *Runtime) checkRecorded(q *journal.Interrupt, answer []byte) error {
	if len(q.ResponseSchema) == 0 {
		return nil
	}
	s, err := rt.schema(q.ResponseSchema)
	if err != nil {
		return err
	}
	return s.Check(answer)
}

// Claim reserves an open interrupt for one person; only they can answer it, or have somebody else asked, until it is
// released. Claiming what one has claimed is no error.
func (rt *Runtime) Claim(ctx context.Context, interrupt, by, role string, opts ...AnswerOption) error {
	o := optionsOf(opts, As(by), InRole(role))
	if isNobody(o.by) {
		return &Error{Code: CodeInvalid, Err: fmt.Errorf("interrupt %s: a claim needs a name", interrupt)}
	}
	if err := sayable(&o); err != nil {
		return notAnAnswer(interrupt, err)
	}
	return rt.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error) {
		if _, err := rt.admit(ctx, q, claims, &o, now, before); err != nil {
			return nil, err
		}
		switch q.State {
		case journal.Claimed:
			return nil, nil
		case journal.Open:
		default:
			return nil, &Error{Code: CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		body := journal.UpdatedBody{Do: "claim", By: o.by, ByName: o.name}
		body.Update(q)
		return []journal.Entry{interruptEntry(q, journal.InterruptUpdated, now, body)}, nil
	}, false)
}

// Release gives a claimed interrupt back. Whoever has claimed it does, or somebody in the role that may override
// ([InRole], see node.Override).
func (rt *Runtime) Release(ctx context.Context, interrupt, by string, opts ...AnswerOption) error {
	o := optionsOf(opts, As(by))
	if err := sayable(&o); err != nil {
		return notAnAnswer(interrupt, err)
	}
	return rt.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error) {
		switch q.State {
		case journal.Open:
			return nil, nil
		case journal.Claimed:
		default:
			return nil, &Error{Code: CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		over, err := rt.admit(ctx, q, releases, &o, now, before)
		if err != nil {
			return nil, err
		}
		body := journal.UpdatedBody{Do: "release", By: o.by, ByName: o.name, Override: over}
		body.Update(q)
		return []journal.Entry{interruptEntry(q, journal.InterruptUpdated, now, body)}, nil
	}, false)
}

func interruptEntry(q *journal.Interrupt, kind journal.Kind, now int64, body any) journal.Entry {
	path, visit := node.CutTask(q.Task)
	data, _ := json.Marshal(body) //nolint:errchkjson // bodies are strings and numbers
	return journal.Entry{Kind: kind, At: now, Node: path, Visit: uint32(visit), Op: q.ID, Body: data}
}

func (rt *Runtime) interrupt(ctx context.Context, id string) (journal.Interrupt, error) {
	found, err := rt.store.Inbox(ctx, journal.InboxFilter{ID: id, All: true})
	if err != nil {
		return journal.Interrupt{}, rt.storeError("", err)
	}
	if len(found) == 0 {
		return journal.Interrupt{}, &Error{Code: CodeNotFound, Err: fmt.Errorf("%w: interrupt %s", errNoInterrupt, id)}
	}
	return found[0], nil
}

var errNoInterrupt = errors.New("no such interrupt")

// Cancel ends a run, whoever drives it (law F3): its open questions are withdrawn, its tasks are told to stop, and
// what they still say is not taken. A run that has ended is CodeConflict.
func (rt *Runtime) Cancel(ctx context.Context, id, reason, by string) error {
	if err := printable.Check("who cancels the run", by); err != nil {
		return &Error{Code: CodeInvalid, Run: id, Err: err}
	}
	if found, limit := len(reason)+len(by), rt.options.maxValue(); found > limit {
		return &Error{Code: CodeInvalid, Run: id, Err: fmt.Errorf("reason: %w", notStorable(&canonical.Excess{Limit: limit, Found: found}))}
	}
	for {
		row, err := rt.Info(ctx, id)
		if err != nil {
			return err
		}
		if Status(row.Status).Ended() {
			return &Error{Code: CodeConflict, Run: id, Err: conflict("the run is " + row.Status + " already")}
		}
		open, err := rt.store.Inbox(ctx, journal.InboxFilter{Run: id})
		if err != nil {
			return rt.storeError(id, err)
		}
		b, err := rt.cancelBatch(row, open, reason, by)
		if err != nil {
			return err
		}
		if err := rt.holds(&b); err != nil {
			return err
		}
		began := time.Now()
		if err = rt.stampAfter(ctx, &b); err == nil {
			err = rt.store.Append(ctx, b)
		}
		if errors.Is(err, journal.ErrConflict) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return rt.storeError(id, err)
		}
		rt.witness(ctx, row, b.Entries, began)
		rt.mu.Lock()
		if d := rt.drives[id]; d != nil {
			d.stop()
		}
		rt.ringLocked(id)
		rt.mu.Unlock()
		return nil
	}
}

func (rt *Runtime) cancelBatch(row RunInfo, open []journal.Interrupt, reason, by string) (journal.Batch, error) {
	now := rt.now()
	b := journal.Batch{Run: row.ID, After: row.Head}
	for i := range open {
		body := journal.ResolvedBody{State: journal.Withdrawn, By: by, Reason: reason}
		body.Resolve(&open[i], nil, now)
		b.Entries = append(b.Entries, interruptEntry(&open[i], journal.InterruptResolved, now, body))
		if open[i].Deadline != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: row.ID, ID: open[i].ID, Done: true})
		}
	}
	body, err := json.Marshal(journal.FinishedBody{Status: string(Cancelled), Reason: reason, By: by})
	if err != nil {
		return b, err
	}
	b.Entries = append(b.Entries, journal.Entry{Kind: journal.RunFinished, At: now, Body: body})
	for i := range b.Entries {
		b.Entries[i].Seq = row.Head + uint64(i) + 1
	}
	b.Interrupts = open
	row.Status, row.Waiting, row.Updated, row.Error = string(Cancelled), 0, now, reason
	row.Driver, row.Ready = "", false
	b.Row = &row
	return b, nil
}

// schema compiles a schema document, and remembers it.
func (rt *Runtime) schema(doc []byte) (*schema.Schema, error) {
	rt.mu.Lock()
	s := rt.schemas[string(doc)]
	rt.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := schema.Parse(doc)
	if err != nil {
		return nil, err
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if len(rt.schemas) >= 1024 {
		clear(rt.schemas)
	}
	rt.schemas[string(doc)] = s
	return s, nil
}

// sameJSON reports whether two JSON texts hold the same value: 1 and 1.0 are the same.
func sameJSON(a, b []byte) bool {
	x, errX := exact(a)
	y, errY := exact(b)
	return errX == nil && errY == nil && sameValue(x, y)
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && canonical.SameNumber(a.String(), b.String())
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameValue)
	}
	return a == b // texts, booleans and null
}

// exact decodes JSON and keeps its numbers as they are written.
func exact(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
