package fermata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/fleet"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// BulkOptions configure CancelRuns, RetryRuns, HoldRuns and ReleaseRuns. The zero value does it.
type BulkOptions struct {
	// DryRun only yields the selected runs.
	DryRun bool
	// Reason says why, and By who does it. Both are recorded with each cancellation, hold and release.
	Reason, By string
	// Only leaves out the selected runs for which it returns false: they count for no limit. Defaults to leaving out none.
	Only func(run RunInfo) bool
	// Plans returns the plan that a run is retried on. Defaults to Options.Plans, and the plans of runs that this process has executed.
	Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)
	// Retry configures each retry: a new deadline, for runs whose deadline has passed.
	Retry []RetryOption
}

// BulkResult is the outcome of one selected run.
type BulkResult struct {
	Info RunInfo // its row when it was selected
	Run  *Run    // of RetryRuns: the run, which goes on; nil for a dry run and with an error
	Err  error   // why nothing was done to it; nil if it was done, or would be
}

// CancelRuns cancels the runs that a query selects, one by one as the caller reads the results.
// Statuses default to running, paused and blocked; others are refused. Limit is the largest number of runs, 0 for all. A
// run that no longer has a selected status is left alone: its result has a CodeConflict (law F3). So has one that ended meanwhile. The
// sequence ends early with an error if the store fails or ctx is done; a second call goes on, since cancelled runs are not selected again.
func (rt *Runtime) CancelRuns(ctx context.Context, q journal.RunQuery, o BulkOptions) iter.Seq2[BulkResult, error] {
	b := bulk{rt: rt, verb: "cancel", o: &o, statuses: []Status{Running, Paused, Blocked}}
	b.do = func(info *RunInfo, q *journal.RunQuery) (*Run, error) {
		return nil, rt.inbox.CancelIf(ctx, info.ID, o.Reason, o.By, q.Statuses)
	}
	return b.each(ctx, q)
}

// RetryRuns retries the runs that a query selects, one by one as the caller reads the results.
// It is [Runtime.CancelRuns] for [Runtime.Retry]: statuses are failed, expired and blocked, and default to failed and expired.
// A retried run goes on while the next result is read; to retry few at a time, wait for BulkResult.Run before you go on.
func (rt *Runtime) RetryRuns(ctx context.Context, q journal.RunQuery, o BulkOptions) iter.Seq2[BulkResult, error] {
	b := bulk{rt: rt, verb: "retry", o: &o, statuses: []Status{Failed, Expired, Blocked}}
	if len(q.Statuses) == 0 {
		q.Statuses = []string{string(Failed), string(Expired)}
	}
	b.do = func(info *RunInfo, q *journal.RunQuery) (*Run, error) {
		now, err := rt.stillIn(ctx, info.ID, q.Statuses)
		if err != nil {
			return nil, err
		}
		p, err := rt.planOf(ctx, now, o.Plans)
		if err != nil {
			return nil, err
		}
		return rt.Retry(ctx, now.ID, p, o.Retry...)
	}
	return b.each(ctx, q)
}

// HoldRuns holds the runs that a query selects, one by one as the caller reads the results (law J18).
// It is [Runtime.CancelRuns] for [Runtime.HoldRun]: statuses are running, paused and blocked, all by default. Runs that are held already
// are passed over.
func (rt *Runtime) HoldRuns(ctx context.Context, q journal.RunQuery, o BulkOptions) iter.Seq2[BulkResult, error] {
	return rt.changeHolds(ctx, q, &o, "hold", rt.HoldRun, false)
}

// ReleaseRuns releases the held runs that a query selects, one by one as the caller reads the results.
// It is [Runtime.CancelRuns] for [Runtime.ReleaseRun] (law J18): statuses are running, paused and blocked, all by default.
func (rt *Runtime) ReleaseRuns(ctx context.Context, q journal.RunQuery, o BulkOptions) iter.Seq2[BulkResult, error] {
	return rt.changeHolds(ctx, q, &o, "release", rt.ReleaseRun, true)
}

// changeHolds does it to the selected runs that are held, or to those that are not.
func (rt *Runtime) changeHolds(
	ctx context.Context, q journal.RunQuery, o *BulkOptions, verb string, change func(ctx context.Context, id, note, by string) error, held bool,
) iter.Seq2[BulkResult, error] {
	b := bulk{rt: rt, verb: verb, o: o, statuses: []Status{Running, Paused, Blocked}}
	b.only = func(info *RunInfo) (bool, error) {
		if Status(info.Status) == Paused { // nothing else gives such a run an error
			return held == (info.Error != ""), nil
		}
		r, err := rt.Result(ctx, info.ID, nil)
		return held == (r.Hold != nil), err
	}
	b.do = func(info *RunInfo, q *journal.RunQuery) (*Run, error) {
		if _, err := rt.stillIn(ctx, info.ID, q.Statuses); err != nil {
			return nil, err
		}
		return nil, change(ctx, info.ID, o.Reason, o.By)
	}
	return b.each(ctx, q)
}

// stillIn is the row of a run that has one of some statuses; an error where it has another one now.
func (rt *Runtime) stillIn(ctx context.Context, id string, statuses []string) (RunInfo, error) {
	now, err := rt.Info(ctx, id)
	if err == nil && !slices.Contains(statuses, now.Status) {
		err = runtype.NoLonger(&now, statuses)
	}
	return now, err
}

func (rt *Runtime) planOf(ctx context.Context, info RunInfo, plans func(context.Context, RunInfo) (*plan.Plan, error)) (p *plan.Plan, err error) {
	if plans != nil {
		p, err = fleet.FindPlan(ctx, plans, info)
	} else {
		p, err = rt.fleet.PlanFor(ctx, info)
	}
	if err == nil && p == nil {
		err = &Error{Code: CodePlanChanged, Run: info.ID, Err: fmt.Errorf("this process does not know its plan, %q", info.Plan)}
	}
	return p, err
}

// bulk does the same to many runs.
type bulk struct {
	rt       *Runtime                                               // that does it
	verb     string                                                 // for errors
	o        *BulkOptions                                           // of the caller
	statuses []Status                                               // that may be selected, and by default are
	only     func(info *RunInfo) (bool, error)                      // whether it is to be done to one; nil for all
	do       func(info *RunInfo, q *journal.RunQuery) (*Run, error) // does it to one
}

func (b *bulk) each(ctx context.Context, q journal.RunQuery) iter.Seq2[BulkResult, error] {
	return func(yield func(BulkResult, error) bool) {
		if err := b.check(&q); err != nil {
			yield(BulkResult{}, &Error{Code: CodeInvalid, Err: err})
			return
		}
		for left := q.Limit; ; {
			if q.Limit = journal.MaxPage; left > 0 {
				q.Limit = min(left, journal.MaxPage)
			}
			page, err := b.rt.FindRuns(ctx, q)
			if err != nil {
				yield(BulkResult{}, err)
				return
			}
			told := 0
			for i := range page.Runs {
				if err := ctx.Err(); err != nil {
					yield(BulkResult{}, &Error{Code: CodeStopped, Err: err})
					return
				}
				r := BulkResult{Info: page.Runs[i]}
				if b.o.Only != nil && !b.o.Only(r.Info) {
					continue
				}
				if b.only != nil {
					is, err := b.only(&r.Info)
					if err == nil && !is {
						continue
					}
					r.Err = err
				}
				if !b.o.DryRun && r.Err == nil {
					r.Run, r.Err = b.do(&r.Info, &q)
				}
				if failed, ok := errors.AsType[*Error](r.Err); ok && failed.Code == CodeStore {
					yield(r, r.Err)
					return
				}
				if told++; !yield(r, nil) {
					return
				}
			}
			if left > 0 {
				if left -= told; left <= 0 {
					return
				}
			}
			if q.After = page.Next; q.After == "" {
				return
			}
		}
	}
}

// check refuses statuses of runs to which this cannot be done, and gives the default.
func (b *bulk) check(q *journal.RunQuery) error {
	names := make([]string, len(b.statuses))
	for i, s := range b.statuses {
		names[i] = string(s)
	}
	for _, s := range q.Statuses {
		if !slices.Contains(names, s) {
			return fmt.Errorf("%s: expected statuses of runs that can be: %s; found %q", b.verb, strings.Join(names, ", "), s)
		}
	}
	if len(q.Statuses) == 0 {
		q.Statuses = names
	}
	if q.Limit < 0 {
		return fmt.Errorf("%s: expected a limit of 0 or more, found %d", b.verb, q.Limit)
	}
	q.Order = cmp.Or(q.Order, journal.ByCreated)
	return nil
}
