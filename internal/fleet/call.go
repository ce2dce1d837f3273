package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// AwaitReply returns the answer to a message: the one at seq, or an earlier one with the same id. An earlier one that was refused
// before does not count: its sender has corrected it.
func (f *Fleet) AwaitReply(ctx context.Context, run string, seq uint64, id string) (json.RawMessage, error) {
	after := seq
	if id != "" {
		after = 0 // an earlier one may be answered already
	}
	for e, err := range f.Events(ctx, run, after, true) {
		if err != nil && ctx.Err() != nil {
			break // what could not be read in time says nothing of the message
		}
		if err != nil {
			return nil, err
		}
		switch e.Entry.Kind {
		case journal.RunFinished:
			return nil, unanswered(run, e.Entry.Body)
		case journal.MessageReplied:
			var body journal.RepliedBody
			if err := json.Unmarshal(e.Entry.Body, &body); err != nil {
				return nil, f.StoreError(run, fmt.Errorf("%w: the body of a reply: %w", journal.ErrCorrupt, err))
			}
			same := id != "" && body.ID == id && (!body.Refused || e.Entry.Seq > seq)
			if body.Message != seq && !same {
				continue
			}
			if body.Error != "" {
				return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: run, Task: e.Task(), Err: fmt.Errorf("%w: %s", runtype.ErrRefused, body.Error)}
			}
			return e.Entry.Value, nil
		}
	}
	err := ctx.Err()
	if err == nil {
		err = runtype.ErrClosed
	}
	return nil, &runtype.Error{Code: runtype.CodeStopped, Run: run, Err: fmt.Errorf("waiting for a reply: %w", err)}
}

// unanswered says that a run has ended without an answer.
func unanswered(run string, finished []byte) error {
	var body journal.FinishedBody
	_ = json.Unmarshal(finished, &body) // the status is only shown
	return &runtype.Error{Code: runtype.CodeConflict, Run: run, Err: runtype.Conflict("the run is " + body.Status + " and has not answered the message")}
}

// StartOrSend starts a run with its messages, or sends them to the run that has its id already.
func (f *Fleet) StartOrSend(
	ctx context.Context, p *plan.Plan, input any, send func(run string, messages []runtype.Posted) error, opts []runtype.StartOption,
) (*Run, error) {
	var o runtype.StartOptions
	for _, opt := range opts {
		opt(&o)
	}
	if o.ID == "" || len(o.Messages) == 0 {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: o.ID, Err: errStartOrSend}
	}
	for {
		run, err := f.Start(ctx, p, input, opts...)
		if !errors.Is(err, runtype.ErrConflict) {
			return run, err
		}
		if info, err := f.Info(ctx, o.ID); err == nil && info.Plan != p.Name() {
			return nil, ofAnotherPlan(&info, p)
		}
		if err = send(o.ID, o.Messages); errors.Is(err, runtype.ErrNotFound) { // it was deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		return f.attach(ctx, o.ID, p, o.Queued)
	}
}

// attach continues a run of the plan that exists. One that has ended or that another process executes is left alone.
func (f *Fleet) attach(ctx context.Context, id string, p *plan.Plan, queued bool) (*Run, error) {
	info, err := f.Info(ctx, id)
	switch {
	case errors.Is(err, runtype.ErrNotFound) && !f.isIdle(id): // it is executed here, and not stored
	case err != nil:
		return nil, err
	case info.Plan != p.Name():
		return nil, ofAnotherPlan(&info, p)
	case queued || f.waitsForWorker(&info):
		return f.handle(id, p, nil), nil
	}
	run, err := f.Resume(ctx, id, p)
	if errors.Is(err, runtype.ErrDriven) || errors.Is(err, runtype.ErrConflict) {
		return f.handle(id, p, nil), nil
	}
	return run, err
}

func ofAnotherPlan(info *runtype.RunInfo, p *plan.Plan) error {
	return &runtype.Error{Code: runtype.CodeConflict, Run: info.ID, Err: runtype.Conflict(fmt.Sprintf("the run of this id is of the plan %q, and not of %q", info.Plan, p.Name()))}
}

var errEmptyID = errors.New("WithID: expected an id, found an empty text; leave WithID out for a new id")

var errAttach = errors.New("to attach to a run, give its id (WithID) or its key (Dedup)")

var errStartOrSend = errors.New("StartOrSend needs the run's id (WithID) and a message (WithMessage)")

// elsewhere is Wait for a run that another process executes.
func (r *Run) elsewhere(ctx context.Context) (runtype.Result, error) {
	for {
		info, err := r.rt.Info(ctx, r.id)
		if err != nil {
			return runtype.Result{Run: r.id}, err
		}
		if rests(runtype.Status(info.Status)) {
			if result, err := r.rt.stateEnv.Result(ctx, r.id, r.plan); err != nil || result.Rests() {
				return result, err
			}
		}
		for e, err := range r.rt.Events(ctx, r.id, info.Head, true) {
			if err != nil {
				return runtype.Result{Run: r.id}, err
			}
			if k := e.Entry.Kind; k == journal.RunFinished || k == journal.RunPaused || k == journal.RunBlocked || k == journal.RunHeld {
				break
			}
		}
		if ctx.Err() != nil {
			return runtype.Result{Run: r.id}, &runtype.Error{Code: runtype.CodeStopped, Run: r.id, Err: ctx.Err()}
		}
	}
}

func rests(s runtype.Status) bool { return s.Ended() || s == runtype.Paused || s == runtype.Blocked }
