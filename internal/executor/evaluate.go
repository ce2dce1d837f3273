package executor

import (
	"context"
	"errors"
	"log/slog"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// evaluation allocates an execution and its dependencies together.
type evaluation struct {
	execution Execution        // of the plan
	env       runstate.Env     // of its state
	storage   storage.Storage  // with a clock and a log, and no store
	schemas   question.Schemas // of its questions
}

// discarding is a logger that drops everything.
var discarding = slog.New(slog.DiscardHandler)

// Evaluate runs a plan on the caller's goroutine and stores nothing (durability None, law J2). Branches use
// further goroutines. The run ends with its context. A plan that has to wait for people fails with ErrMustWait;
// sleeps hold the goroutine.
func Evaluate(ctx context.Context, p *plan.Plan, input any, opts runtype.Options) (runtype.Result, error) {
	opts = storage.GuardOptions(opts)
	e := &evaluation{schemas: question.Schemas{}, storage: storage.Storage{Options: opts, Log: opts.Logger, Clock: opts.Clock}}
	e.env = runstate.Env{Storage: &e.storage, Schemas: &e.schemas}
	if e.storage.Clock == nil {
		e.storage.Clock = runtype.SystemClock{}
	}
	if e.storage.Log == nil {
		e.storage.Log = discarding
	}
	d := &e.execution
	d.State = e.env.NewState("run", p, runtype.None)
	d.furnish(ctx)
	if opts.Observer == nil && opts.Logger == nil {
		d.Machine.Unread()
	}
	if err := d.setPolicies(opts); err != nil {
		return runtype.Result{}, err
	}
	if len(opts.Services) > 0 {
		d.services = &Services{List: opts.Services}
	}
	d.life.Done() // the caller's context may have a deadline, whose error must stay the first
	defer d.Stop()
	if opts.Observer != nil {
		d.ID = storage.NewID("run_") // ids of two runs must differ
		d.follow()
	}
	input, err := runstate.Canonical(p.State(), input, &d.Known, true)
	if err != nil {
		return runtype.Result{}, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	d.Values.Expect(p)
	d.Values.Put(1, input, nil)
	if len(p.Definition().Input) > 0 && p.Result() == nil { // inputs of a dataflow are checked by their own types
		data, err := guard.Encode(p.State(), input)
		if err == nil {
			err = d.CheckInput(data)
		}
		if err != nil {
			return runtype.Result{}, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
		}
	}
	given, err := givenTo(p, input)
	if err != nil {
		return runtype.Result{}, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	body := &journal.StartedBody{Plan: p.Name(), Fingerprint: p.Fingerprint(), Inputs: given}
	if err := (&runtype.StartOptions{}).SetDeadline(body, e.storage.Now(), p.Limits()); err != nil {
		return runtype.Result{}, d.wrap(err)
	}
	if err := d.Machine.Begin(0, body, nullInput); err != nil {
		return runtype.Result{}, d.wrap(err)
	}
	if err := d.commit(d.ctx, nil); err != nil {
		return runtype.Result{}, d.wrap(err)
	}
	d.execute()
	if errors.Is(d.Lost, runtype.ErrStopped) && ctx.Err() != nil {
		return d.Outcome, &runtype.Error{Code: runtype.CodeStopped, Err: ctx.Err()}
	}
	if d.Outcome.Err != nil && d.Outcome.Value == nil {
		d.Outcome.Value = d.besideError()
	}
	return d.Outcome, d.Outcome.Err
}

// besideError returns the value of a run that failed: the one that the failing node returned beside its error, or the outputs of
// a dataflow as far as they were written. It is nil for none.
func (x *Execution) besideError() any {
	slots, ok := x.Machine.Outcome(nil)
	if !ok {
		return x.beside
	}
	value, err := x.gathered(x.Plan.Result().Gather, x.Plan, slots, true)
	if err != nil {
		return nil // the run has failed for another reason
	}
	return value
}

var nullInput = []byte("null")
