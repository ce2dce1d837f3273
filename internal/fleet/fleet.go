package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/executor"
	"github.com/fermata-go/fermata/internal/feed"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/internal/watch"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/plan"
)

// Fleet executes the runs of one process. It owns their goroutines and timers. All methods may be called from
// several goroutines.
type Fleet struct {
	*storage.Storage                   // the store with clock and log
	*question.Schemas                  // compiled schemas of questions
	stateEnv          *runstate.Env    // shared by the states of runs
	env               *executor.Env    // shared by the executions
	policies          *policy.Policies // pools and caches; nil for none

	ctx    context.Context    // of all executions; done once Close is called
	cancel context.CancelFunc // cancels ctx
	done   chan struct{}      // closed when Close has nothing left to wait for
	goroutines

	mu sync.Mutex // guards the table, closed, worker and notes on runs
	table
	closed bool    // Close was called
	worker *worker // set during Work; nil otherwise
	timers timers  // wakes runs whose time has come
	lease  lease   // owns the runs of this process
}

// goroutines are those of a fleet.
type goroutines struct {
	wg    sync.WaitGroup // counts all of them
	spare chan *owned    // to those that have carried a run, and wait for another one
	feed  *feed.Hub      // reads for the followers of all runs; nil for a store that tells no changes
}

// table holds what a fleet knows about runs, by id. The fleet's lock guards it.
type table struct {
	executions map[string]*owned        // running executions
	loading    map[string]chan struct{} // runs that are being started or resumed; closed at the end of that, nil while nobody waits for it
	waking     map[string]int           // number of WillWake calls in progress
	paused     pausedCache              // recently ended executions, ready to go on
	trouble    map[string]error         // why a run that had to go on by itself could not
	recovery   recovery                 // runs to resume after a failure of the store
	notifiers  map[string]*notifier     // of goroutines that wait for a change of a run
	moved      map[string]*plan.Plan    // plans of runs that were resumed here on a new plan
	plans      plans                    // of the runs that were executed here
}

// owned is an execution of this process with notes about it. The fleet's lock guards them.
type owned struct {
	executor.Execution        // the execution
	stopRequested      bool   // Stop was called
	again              int    // how often the run was to be executed once more after this
	setBack            bool   // a failing store ended it, and the run is resumed later
	place              int    // in the order of the paused cache
	release            func() // ends the run's limit of time
}

// open returns an execution of a run whose journal is not read yet.
func (f *Fleet) open(s *runstate.State) *owned {
	d := &owned{}
	f.env.Open(&d.Execution, s)
	return d
}

// New returns the fleet of a runtime. Close it when the program ends.
func New(o runtype.Options) (*Fleet, error) {
	if err := printable.Check("Options.Name", o.Name); err != nil { // law H9
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	if o.Lease > 0 && o.Lease < runtype.ShortestLease && o.Clock == nil {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf(
			"Options.Lease is %v; expected at least %v, since it is renewed three times as often; 0 is %v, and a negative one turns leases off",
			o.Lease, runtype.ShortestLease, runtype.DefaultLease)}
	}
	o = storage.GuardOptions(o)
	rt := &Fleet{
		Storage: &storage.Storage{Options: o, Store: o.Store, Log: o.Logger},
		Schemas: &question.Schemas{},
		done:    make(chan struct{}), goroutines: goroutines{spare: make(chan *owned)},
		table: table{
			executions: make(map[string]*owned), loading: make(map[string]chan struct{}), waking: make(map[string]int),
			trouble: make(map[string]error), notifiers: make(map[string]*notifier), moved: make(map[string]*plan.Plan),
		},
	}
	if rt.Store == nil {
		rt.Store = memory.New()
	}
	rt.Store = storage.GuardStore(rt.Store, func() { rt.feed.Sign() })
	if rt.Log == nil {
		rt.Log = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	}
	if o.Cache == nil {
		o.Cache = policy.NewMemoryCache(0)
	}
	var err error
	if rt.policies, err = policy.NewPolicies(o); err != nil {
		return nil, err
	}
	rt.ctx, rt.cancel = context.WithCancel(context.Background())
	if rt.Clock, err = rt.NewClock(rt.ctx); err != nil {
		rt.cancel()
		return nil, rt.StoreError("", err)
	}
	rt.timers.rt = rt
	rt.recovery = recovery{first: firstRecovery, last: lastRecovery, runs: make(map[string]*setback)}
	rt.lease.open(rt)
	if err = rt.sharePools(); err != nil {
		rt.cancel()
		return nil, err
	}
	rt.stateEnv = &runstate.Env{Storage: rt.Storage, Schemas: rt.Schemas, Outlines: &runstate.Outlines{}, Recent: rt.recent, Owner: rt.lease.driver}
	if o.Store != nil {
		rt.stateEnv.Long = long
	}
	rt.env = &executor.Env{Ctx: rt.ctx, Services: &executor.Services{List: o.Services}, Policies: rt.policies, Leases: &rt.lease, Takeovers: rt.takeovers}
	rt.env.Room = watch.New(storage.WatcherOf(rt.Store), rt.wrote, func(err error) {
		rt.Log.Warn("watching writes of other processes failed; they are noticed late", "error", err)
	})
	rt.openFeed()
	if o.Plans != nil {
		if err := rt.timers.load(rt.ctx); err != nil {
			rt.cancel()
			return nil, rt.StoreError("", err)
		}
	}
	if c, ok := rt.Clock.(*storage.StoreClock); ok {
		rt.wg.Go(func() { c.Follow(rt.ctx) })
	}
	return rt, nil
}

// States returns what the states of its runs share.
func (f *Fleet) States() *runstate.Env { return f.stateEnv }

// Rehearsal returns the environment in which tasks run without effects.
func (f *Fleet) Rehearsal() *executor.Env { return f.env }

// IsLeased reports whether runs have owners (law J10).
func (f *Fleet) IsLeased() bool { return f.lease.store != nil }

// Open fails once the fleet is closed.
func (f *Fleet) Open(run string) error {
	if f.ctx.Err() != nil {
		return &runtype.Error{Code: runtype.CodeStopped, Run: run, Err: runtype.ErrClosed}
	}
	return nil
}

// Start starts a run of p. The input is the value of the plan's first token, as the author's package erases it:
// *S for a graph of S, map[string]any for a recipe. The run owns it from here on.
func (f *Fleet) Start(ctx context.Context, p *plan.Plan, input any, opts ...runtype.StartOption) (*Run, error) {
	o := runtype.StartOptionsOf(opts)
	if o.Named && o.ID == "" {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Err: errEmptyID}
	}
	switch {
	case o.Debounce.On:
		return f.debounce(ctx, p, input, o)
	case !o.Attach:
		return f.start(ctx, p, input, o)
	}
	if o.ID == "" && o.Turn.Dedup == "" {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Err: errAttach}
	}
	for {
		run, err := f.start(ctx, p, input, o)
		if !finds(err, runtype.ErrConflict) {
			return run, err
		}
		id := o.ID
		if held := duplicate(err); held != nil {
			id = held.Run
		}
		if run, err = f.attach(ctx, id, p, o.Queued); !errors.Is(err, runtype.ErrNotFound) {
			return run, err
		}
	}
}

func (f *Fleet) start(ctx context.Context, p *plan.Plan, input any, o runtype.StartOptions) (*Run, error) {
	if !o.Named {
		o.ID = storage.NewID("run_")
	}
	if f.ctx.Err() != nil {
		return nil, &runtype.Error{Code: runtype.CodeStopped, Run: o.ID, Err: runtype.ErrClosed}
	}
	if err := o.Check(f.MaxValue()); err != nil {
		return nil, err
	}
	if err := f.policies.Covers(o.ID, p); err != nil {
		return nil, err
	}
	if o.Queued && o.Durability == runtype.None {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: o.ID, Err: errors.New("a run that is not stored cannot be queued: nobody would find it")}
	}
	if o.Named { // an earlier start may be resumed by the runtime once this one is stored
		if _, err := f.load(ctx, o.ID, nil); err != nil {
			return nil, err
		}
		defer f.loaded(o.ID)
	}
	s := f.stateEnv.NewState(o.ID, p, o.Durability)
	d := f.open(&s)
	d.Held = o.Queued
	handedOver := false
	defer func() {
		if !handedOver { // also if a method of the input ends this goroutine, which is the caller's own
			d.Stop()
		}
	}()
	if err := d.Begin(ctx, input, o); err != nil {
		if held := duplicate(err); held != nil && o.Debounce.On {
			return f.replace(ctx, held, d, &o)
		}
		if !o.Queued && !d.Unstored && d.Row.ID != "" {
			f.adopt(ctx, o.ID, err, setback{plan: p, created: d.Row.Created})
		}
		return nil, err
	}
	f.watchDeadline(&d.State)
	if o.Queued {
		d.Rest()
		f.offer()
		return f.handle(o.ID, p, d), nil
	}
	if err := f.launch(d); err != nil {
		if errors.Is(err, errExecuted) { // this run is not stored
			err = &runtype.Error{Code: runtype.CodeConflict, Run: o.ID, Err: runtype.Conflict("a run with this id is being executed")}
		}
		return nil, err
	}
	handedOver = true
	return f.handle(o.ID, p, d), nil
}

// Resume continues a run that crashed, was stopped, or got what it waited for. A run that this runtime executes
// already is not executed twice; if it still waits, Wait says so. A run that another live process owns is
// refused with a *DrivenError (law J10). The plan must fit the run (law J8): either it has the recorded
// fingerprint, or every open task and token still has its place in it. Otherwise Resume fails with
// ErrPlanChanged and a diff of the plans.
func (f *Fleet) Resume(ctx context.Context, id string, p *plan.Plan, opts ...runtype.ResumeOption) (*Run, error) {
	return f.resume(ctx, id, p, journal.ResumedBody{Breaks: runtype.BreaksOf(opts)}, nil)
}

// Replan is Resume on a changed plan, and records it: from here on the run is pinned to p. The definition is
// the digest of the text that p was made from, or "".
func (f *Fleet) Replan(ctx context.Context, id string, p *plan.Plan, definition string) (*Run, error) {
	return f.resume(ctx, id, p, journal.ResumedBody{
		Reason: machine.ReasonReplan, By: f.Options.Name, Fingerprint: p.Fingerprint(), Definition: definition,
	}, nil)
}

// Retry continues a failed run from the tasks that failed (law F2). It continues a blocked run with a new count of
// takeovers. Finished tasks stay finished (law J4). The plan must fit the run as in Resume; renames that it declares
// are applied (law J8). If the run's deadline has passed, the retry gives a new one (law F9).
func (f *Fleet) Retry(ctx context.Context, id string, p *plan.Plan, opts ...runtype.RetryOption) (*Run, error) {
	by, err := f.retrier(id, opts)
	if err != nil {
		return nil, err
	}
	why := journal.ResumedBody{Reason: machine.ReasonRetry, By: by, Until: runtype.Deadline(opts, f.Now())}
	return f.resume(ctx, id, p, why, nil)
}

// retrier is who retries a run, for the record.
func (f *Fleet) retrier(id string, opts []runtype.RetryOption) (string, error) {
	by := runtype.WhoRetries(opts)
	if err := printable.Check("who retries the run", by); err != nil {
		return "", &runtype.Error{Code: runtype.CodeInvalid, Run: id, Err: err}
	}
	return cmp.Or(by, f.Options.Name), nil
}

// migrate is resume with a function that converts the run's values, nil for none.
func (f *Fleet) migrate(ctx context.Context, id string, p *plan.Plan, why journal.ResumedBody, was *string, convert runstate.Converter) (*Run, error) {
	if err := f.policies.Covers(id, p); err != nil {
		return nil, err
	}
	switch d, err := f.load(ctx, id, func(d *owned) {
		if why.Reason == "" { // it may have looked before the cause of the resumption was stored
			d.again++
		}
	}); {
	case err != nil:
		return nil, err
	case d != nil && (why.Reason != "" || why.Breaks != nil):
		return nil, &runtype.Error{Code: runtype.CodeConflict, Run: id, Err: runtype.Conflict("the run is being executed; stop it first")}
	case d != nil:
		return f.handle(id, p, d), nil
	}
	defer f.loaded(id)
	s := f.stateEnv.NewState(id, p, runtype.Sync)
	d := f.open(&s)
	if d.TakeUp.Tries = was != nil; d.TakeUp.Tries {
		d.TakeUp.Was = *was
	}
	d.Convert = convert
	handedOver := false
	defer func() {
		if !handedOver { // also if code of the program ends this goroutine
			d.Stop()
		}
	}()
	f.mu.Lock()
	kept := f.paused.take(id)
	f.mu.Unlock()
	if kept != nil {
		d.TakeFrom(ctx, &kept.Execution, why)
	}
	err := d.Load(ctx, why)
	if err == nil {
		err = f.launch(d)
	}
	if handedOver = err == nil; !handedOver {
		f.adopt(ctx, id, err, setback{plan: p, head: d.Row.Head})
		return nil, err
	}
	return f.handle(id, p, d), nil
}

// errExecuted says that this runtime executes the run already.
var errExecuted = errors.New("the run is executed already")

// WillWake announces a Wake until done is called: Wait goes on waiting for the run.
func (f *Fleet) WillWake(id string) (done func()) {
	f.mu.Lock()
	f.waking[id]++
	f.mu.Unlock()
	return func() { f.woken(id) }
}

func (f *Fleet) woken(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waking[id]--; f.waking[id] == 0 {
		delete(f.waking, id)
	}
	f.notifyLocked(id)
}

// Deserted reports whether this process neither executes a run nor is about to.
func (f *Fleet) Deserted(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.executions[id] == nil && !f.isLoading(id) && f.waking[id] == 0 && !f.isRecovering(id)
}

// Wake resumes a run after something was recorded for it, if this process knows its plan.
func (f *Fleet) Wake(id string) {
	f.mu.Lock()
	if d := f.executions[id]; d != nil {
		d.again++
		d.SignalWrite()
		f.notifyLocked(id)
		f.mu.Unlock()
		return
	}
	closed := f.closed
	f.notifyLocked(id)
	f.mu.Unlock()
	if closed {
		return
	}
	defer f.WillWake(id)() // until the run is executed, or cannot be
	var err error
	p := f.pausedPlan(id)
	if p == nil {
		p, err = f.planOf(f.ctx, id)
	}
	if err != nil || p == nil {
		f.couldNot(id, err, false)
		return
	}
	f.couldNot(id, f.takeUp(f.ctx, id, p, ""), true)
}

// cutShort returns err, or ErrClosed for work of the runtime itself that Close has ended.
func (f *Fleet) cutShort(id string, err error) error {
	if f.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return &runtype.Error{Code: runtype.CodeStopped, Run: id, Err: runtype.ErrClosed}
	}
	return err
}

// couldNot records why a run that had to go on by itself could not. adopted says that err is of takeUp, which has
// scheduled another attempt after a failure of the store: that attempt may have ended well meanwhile, and then the run is
// in no trouble.
func (f *Fleet) couldNot(id string, err error, adopted bool) {
	if errors.Is(err, runtype.ErrDriven) { // its owner is notified
		return
	}
	if err = f.cutShort(id, err); err != nil {
		if !errors.Is(err, runtype.ErrClosed) {
			f.Log.Error("resuming a run failed", "run", id, "error", err)
		}
		adopted = adopted && storage.IsTransient(err) && !errors.Is(err, journal.ErrReadOnly)
		if !adopted {
			f.adopt(f.ctx, id, err, setback{}) // its plan is known, or looked up again
		}
		f.mu.Lock()
		if !adopted && f.executions[id] == nil {
			f.trouble[id] = err
		}
		f.notifyLocked(id)
		f.mu.Unlock()
	}
}

// recent returns the result of an execution that ended at this head of the run's journal; nil for none.
func (f *Fleet) recent(run string, head uint64) *runtype.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.paused.executions[run]; d != nil && d.Head == head {
		return &d.Outcome
	}
	return nil
}

// Continue executes a fork whose first entries are stored. With hold it leaves the run to others.
func (f *Fleet) Continue(s runstate.State, work *machine.Work, hold bool) (*Run, error) {
	d := f.open(&s)
	f.watchDeadline(&d.State)
	d.Continue(work)
	if hold {
		d.Rest()
		return f.handle(d.ID, d.Plan, d), nil
	}
	if err := f.launch(d); err != nil {
		d.Stop()
		return nil, err
	}
	return f.handle(d.ID, d.Plan, d), nil
}

// Migrate is Replan for a plan with renamed nodes or values, or another state type (law J8). The migration maps
// the old names: open tasks and their questions, tokens, values and recorded steps follow it. It is recorded
// with all converted values in one append. A failed run is retried with it (law F2). A name that neither plan
// has is CodeInvalid. A value without a place despite the migration is ErrPlanChanged.
func (f *Fleet) Migrate(ctx context.Context, id string, p *plan.Plan, m plan.Migration, definition string, opts ...runtype.RetryOption) (*Run, error) {
	by, err := f.retrier(id, opts)
	if err != nil {
		return nil, err
	}
	why := journal.ResumedBody{
		Reason: machine.ReasonReplan, By: by, Fingerprint: p.Fingerprint(), Definition: definition, Nodes: m.Nodes, Values: m.Values,
	}
	if info, err := f.Info(ctx, id); err == nil && info.Ended() && runstate.CanRetry(info.Status) {
		why.Reason, why.Until = machine.ReasonRetry, runtype.Deadline(opts, f.Now())
	}
	return f.migrate(ctx, id, p, why, nil, m.State)
}

// resume resumes a run. was is nil if a caller asked for it.
func (f *Fleet) resume(ctx context.Context, id string, p *plan.Plan, why journal.ResumedBody, was *string) (*Run, error) {
	return f.migrate(ctx, id, p, why, was, nil)
}

// Executing returns how many runs are executed, or are about to be.
func (f *Fleet) Executing() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.executions) + len(f.loading) + len(f.waking)
}

// RecoverAfter sets the first wait before a run is resumed after a failure of the store. Defaults to a second.
func (f *Fleet) RecoverAfter(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recovery.first = d
}
