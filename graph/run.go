package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/plan"
)

// Graph is a compiled graph over states of type S. It is immutable and safe for concurrent use.
type Graph[S any] struct {
	plan *plan.Plan
}

// Plan is what the engine runs; it can draw itself.
func (g *Graph[S]) Plan() *plan.Plan { return g.plan }

// Run runs the graph in the caller's goroutine and stores nothing. Branches have goroutines of their own, which have
// ended when it returns. Cancelling ctx ends it. A graph that asks people fails with fermata.ErrMustWait: Start it. The
// state belongs to the run. The services are those that nodes find with node.Service, a model among them. A failure is
// a *fermata.Error, in which the run is called "run". Beside it is the state that the node returned beside its error.
func (g *Graph[S]) Run(ctx context.Context, state S, services ...any) (S, error) {
	res, err := fermata.Evaluate(ctx, g.plan, &state, fermata.Options{Services: services})
	var out S
	if state, ok := res.Value.(*S); ok {
		out = *state
	} else if err == nil {
		err = fmt.Errorf("graph %q: the run is %s and has no result", g.plan.Name(), res.Status)
	}
	return out, err
}

// Start begins a run on a runtime.
func (g *Graph[S]) Start(ctx context.Context, rt *fermata.Runtime, state S, opts ...fermata.StartOption) (*Run[S], error) {
	return g.handle(rt.Start(ctx, g.plan, &state, opts...))
}

// Execute starts a run and waits until it has ended or waits for people: Start and Wait in one call. The error is nil for a run
// that is completed or paused; else it says why the run has not started, has failed, or cannot go on.
func (g *Graph[S]) Execute(ctx context.Context, rt *fermata.Runtime, state S, opts ...fermata.StartOption) (Result[S], error) {
	run, err := g.Start(ctx, rt, state, opts...)
	if err != nil {
		return Result[S]{}, err
	}
	res, err := run.Wait(ctx)
	return res, cmp.Or(err, res.Err)
}

// StartOrSend starts a run with its messages, or sends them to the run that has its id.
// See fermata.Runtime.StartOrSend.
func (g *Graph[S]) StartOrSend(ctx context.Context, rt *fermata.Runtime, state S, opts ...fermata.StartOption) (*Run[S], error) {
	return g.handle(rt.StartOrSend(ctx, g.plan, &state, opts...))
}

// Resume drives a run of this graph on: one that crashed, was stopped, or waited for what has come. A graph that has
// changed must fit the run, or it is fermata.ErrPlanChanged and the run stays as it is (law J8).
func (g *Graph[S]) Resume(ctx context.Context, rt *fermata.Runtime, id string, opts ...fermata.ResumeOption) (*Run[S], error) {
	return g.handle(rt.Resume(ctx, id, g.plan, opts...))
}

// Retry continues a failed run from the tasks that failed (law F2). One whose deadline has passed needs a new one (law F9).
func (g *Graph[S]) Retry(ctx context.Context, rt *fermata.Runtime, id string, opts ...fermata.RetryOption) (*Run[S], error) {
	return g.handle(rt.Retry(ctx, id, g.plan, opts...))
}

// Run is a handle on a run of a graph.
type Run[S any] struct {
	plan *plan.Plan // of its graph
	run  *fermata.Run
}

func (g *Graph[S]) handle(run *fermata.Run, err error) (*Run[S], error) {
	if err != nil {
		return nil, err
	}
	return &Run[S]{plan: g.plan, run: run}, nil
}

// Result is the state of a run.
type Result[S any] struct {
	fermata.Result
	State S // the state that a completed run ended with
}

// ID is the run's id, for example for Resume and Retry.
func (r *Run[S]) ID() string { return r.run.ID() }

// Replaced reports whether the start has replaced the input of this run; see fermata.Debounce.
func (r *Run[S]) Replaced() bool { return r.run.Replaced() }

// Wait returns when the run has ended or waits for people; see fermata.Run.Wait.
func (r *Run[S]) Wait(ctx context.Context) (Result[S], error) {
	res, err := r.run.Wait(ctx)
	out := Result[S]{Result: res}
	if err != nil || res.Status != fermata.Completed {
		return out, err
	}
	if state, ok := res.Value.(*S); ok {
		out.State = *state
		return out, nil
	}
	out.State, err = decoded[S](&res)
	return out, err
}

// State returns the run's state at its last entry, whatever its status (law J1). A paused or failed run has one as well. It is the
// state that a node recorded last, or the one that the run started with. A node that waits or has failed has recorded none, so
// changes that it made before are not in it. While branches go on, it is the state of the branch that recorded last.
func (r *Run[S]) State(ctx context.Context) (S, error) {
	data, err := r.run.State(ctx)
	return stateOf[S](r.plan, r.ID(), data, err)
}

// State returns the state of a run of this graph at its last entry. See [Run.State].
// Any process may execute the run.
func (g *Graph[S]) State(ctx context.Context, rt *fermata.Runtime, id string) (S, error) {
	data, err := rt.State(ctx, id)
	return stateOf[S](g.plan, id, data, err)
}

func stateOf[S any](p *plan.Plan, id string, data []byte, err error) (state S, _ error) {
	if err != nil {
		return state, err
	}
	value, err := p.State().Decode(data)
	kept, ok := value.(*S)
	if err != nil || !ok {
		return state, fmt.Errorf("run %s: the state does not fit %T: %w", id, state, errors.Join(err, fermata.ErrPlanChanged))
	}
	if lost, gone := loss.In(data, kept); gone {
		return state, fmt.Errorf("run %s: the state has %q, and %T has no place for it: %w", id, lost.Path, state, fermata.ErrPlanChanged)
	}
	return *kept, nil
}

// decoded reads the state that a run of another program, or of another plan, has ended with.
func decoded[S any](res *fermata.Result) (state S, err error) {
	if err := json.Unmarshal(res.Output, &state); err != nil {
		return state, fmt.Errorf("run %s: the result does not fit %T: %w", res.Run, state, err)
	}
	if lost, gone := loss.In(res.Output, &state); gone {
		return state, fmt.Errorf("run %s: the result has %q, and %T has no place for it: %w", res.Run, lost.Path, state, fermata.ErrPlanChanged)
	}
	return state, nil
}

// Events yields the run's events after the given seq and goes on with those to come.
func (r *Run[S]) Events(ctx context.Context, after uint64) iter.Seq2[fermata.Event, error] {
	return r.run.Events(ctx, after)
}

// Stop stops driving the run; it stays resumable (law F3). It waits for at most grace, 0 without end, and says which tasks are
// still at work then, in a fermata.UnstoppedError: see [fermata.Run.Stop].
func (r *Run[S]) Stop(grace time.Duration) error { return r.run.Stop(grace) }
