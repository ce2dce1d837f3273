package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// This file lets the last of several starts with one key begin (law J21).

var (
	// errLetGo says that the run which held the key holds it no more, or changed meanwhile.
	errLetGo = errors.New("the run that waited has changed")

	errNoWorkers = errors.New("a debounced start needs workers: a store that knows who lives (journal.Leaser), and leases")
)

// debounce starts a run, or replaces the input of the one that waits with the key.
func (f *Fleet) debounce(ctx context.Context, p *plan.Plan, input any, o runtype.StartOptions) (*Run, error) {
	if f.lease.store == nil {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Err: errNoWorkers}
	}
	for {
		run, err := f.start(ctx, p, input, o)
		if !finds(err, errLetGo) {
			return run, err
		}
		if ctx.Err() != nil {
			return nil, &runtype.Error{Code: runtype.CodeStopped, Err: ctx.Err()}
		}
	}
}

// standing is what the journal of a run says about its start.
type standing struct {
	started journal.StartedBody // its first entry
	input   uint64              // seq of the entry that holds its input
	begun   bool                // somebody has executed it, or it was blocked
	latest  int64               // time of the last entry
}

// replace records that a start has replaced the input of a run that waits. d has found that run, which holds its key, when
// it was to record its own start. The result is errLetGo where the start is to be tried again.
func (f *Fleet) replace(ctx context.Context, held *runtype.DuplicateError, d *owned, o *runtype.StartOptions) (*Run, error) {
	info, err := f.Info(ctx, held.Run)
	switch {
	case errors.Is(err, runtype.ErrNotFound) || err == nil && info.Dedup != held.Key:
		return nil, errLetGo
	case err != nil:
		return nil, err
	}
	is, err := f.standing(ctx, &info)
	if err != nil {
		return nil, err
	}
	if !is.started.Debounced {
		return nil, &runtype.Error{Code: runtype.CodeConflict, Run: info.ID, Err: held}
	}
	if info.Plan != d.Plan.Name() {
		return nil, &runtype.Error{Code: runtype.CodeConflict, Run: info.ID, Err: runtype.Conflict(fmt.Sprintf(
			"the run that waits with the key %q is of the plan %q, and not of %q: let keys begin with the plan's name", held.Key, info.Plan, d.Plan.Name()))}
	}
	if !f.fits(is, d.Opening.Started) {
		return nil, f.letGo(ctx, info, is.latest, o.By)
	}
	now := f.Now()
	body := journal.ResumedBody{
		Reason: machine.ReasonReplaced, By: o.By, Labels: d.Opening.Started.Labels, Until: d.Opening.Started.Until,
		NotBefore: o.Debounce.Begins(info.Created, now),
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	b := journal.Batch{Run: info.ID, After: info.Head, Row: &info, Driver: new(info.Driver)}
	b.Entries = []journal.Entry{{
		Seq: info.Head + 1, At: max(now, is.latest), Kind: journal.RunResumed, Base: is.input, Value: d.Opening.Input, Body: text,
	}}
	if body.Until != 0 {
		b.Timers = []journal.Timer{{Run: info.ID, ID: storage.UntilTimer, Due: body.Until}}
	}
	info.NotBefore, info.Labels, info.Updated = body.NotBefore, d.Row.Labels, b.Entries[0].At
	if err := f.append(ctx, &b); err != nil {
		return nil, err
	}
	if body.Until != 0 {
		f.timers.set(body.Until)
	}
	f.offer()
	f.Notify(info.ID)
	r := f.handle(info.ID, d.Plan, nil)
	r.replaced = true
	return r, nil
}

// append stores a batch of somebody who does not execute the run; errLetGo where another one was first.
func (f *Fleet) append(ctx context.Context, b *journal.Batch) error {
	err := f.Store.Append(context.WithoutCancel(ctx), *b)
	if errors.Is(err, journal.ErrConflict) {
		return errLetGo
	}
	return f.StoreError(b.Run, err)
}

// letGo records that a run whose input cannot be replaced holds its key no more. It begins as it is.
func (f *Fleet) letGo(ctx context.Context, info runtype.RunInfo, latest int64, by string) error {
	text, err := json.Marshal(journal.ResumedBody{Reason: machine.ReasonReplaced, By: by})
	if err != nil {
		return err
	}
	b := journal.Batch{Run: info.ID, After: info.Head, Row: &info, Driver: new(info.Driver)}
	b.Entries = []journal.Entry{{Seq: info.Head + 1, At: max(f.Now(), latest), Kind: journal.RunResumed, Body: text}}
	info.Dedup, info.Updated = "", b.Entries[0].At
	if err := f.append(ctx, &b); err != nil {
		return err
	}
	return errLetGo
}

// fits reports whether a run that waits can have the input of a start: nobody has begun it, its deadline is ahead, and it is
// of the same version of the plan.
func (f *Fleet) fits(is *standing, o *journal.StartedBody) bool {
	if is.begun || is.started.Until != 0 && is.started.Until <= f.Now() {
		return false
	}
	return is.started.Fingerprint == o.Fingerprint && is.started.Definition == o.Definition && slices.Equal(is.started.Inputs, o.Inputs)
}

// standing reads the journal of a run up to the head of its row.
func (f *Fleet) standing(ctx context.Context, info *runtype.RunInfo) (*standing, error) {
	is := &standing{input: 1}
	for e, err := range f.Store.Read(ctx, info.ID, 0) {
		if err != nil {
			return nil, f.StoreError(info.ID, err)
		}
		if e.Seq > info.Head {
			break
		}
		is.latest = e.At
		switch e.Kind {
		case journal.RunStarted:
			err = json.Unmarshal(e.Body, &is.started)
		case journal.RunBlocked, journal.RunFinished, journal.RunUndoing:
			is.begun = true
		case journal.RunResumed:
			var body journal.ResumedBody
			err = json.Unmarshal(e.Body, &body)
			if body.Reason != machine.ReasonReplaced {
				is.begun = true
				continue
			}
			if is.input = e.Seq; body.Until != 0 {
				is.started.Until = body.Until
			}
		default:
		}
		if err != nil {
			return nil, f.StoreError(info.ID, &journal.StoreError{Op: "replay", Run: info.ID, Seq: e.Seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err)})
		}
	}
	return is, nil
}

// duplicate returns which run holds the key that a start asks for, nil where its error is another one. It may be one of the
// program, whose methods may panic (law N7).
func duplicate(err error) (held *runtype.DuplicateError) {
	_ = guard.Call(func() error { held, _ = errors.AsType[*runtype.DuplicateError](err); return nil })
	return held
}

// finds is errors.Is for an error that may be one of the program.
func finds(err, target error) (found bool) {
	_ = guard.Call(func() error { found = errors.Is(err, target); return nil })
	return found
}
