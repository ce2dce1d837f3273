package fermata

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"sync"

	"github.com/google/uuid"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/watch"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Runtime drives runs. It owns their goroutines and timers; one per process and store is enough for any number of
// runs. All methods may be called from several goroutines.
type Runtime struct {
	options  Options
	store    journal.Store
	log      *slog.Logger
	clock    Clock
	services services
	policies *policies

	ctx    context.Context // of everything that is driven; done once Close is called
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	drives   map[string]*drive        // the runs that are driven now
	loading  map[string]chan struct{} // the runs that are being taken up; closed when that is done
	bells    map[string]*bell         // who waits for a change of a run
	plans    plans                    // of the runs that were driven here
	kept     map[string]bool          // fingerprints of plans whose outlines are stored
	waking   map[string]int           // runs for which an answer is being recorded that they will be driven on for
	moved    map[string]*plan.Plan    // of runs that were resumed here on another plan than the recorded one
	schemas  map[string]*schema.Schema
	parked   parking
	trouble  map[string]error // why a run that had to go on by itself could not
	recovery recovery
	room     *watch.Room // of those who are told of other processes' writes; nil where the store does not tell
	alarm    alarm
	lease    lease
	worker   *worker // while Work is at it
	closed   bool
	done     chan struct{} // closed when all that Close waits for has ended
}

// New makes a runtime. Close it when the program ends.
func New(o Options) (*Runtime, error) {
	if err := printable.Check("Options.Name", o.Name); err != nil { // law H9
		return nil, &Error{Code: CodeInvalid, Err: err}
	}
	o = guardOptions(o)
	rt := &Runtime{
		options: o, store: o.Store, log: o.Logger,
		done: make(chan struct{}), drives: make(map[string]*drive), loading: make(map[string]chan struct{}), bells: make(map[string]*bell),
		kept: make(map[string]bool), schemas: make(map[string]*schema.Schema),
		trouble: make(map[string]error), moved: make(map[string]*plan.Plan), waking: make(map[string]int),
	}
	if rt.store == nil {
		rt.store = memory.New()
	}
	rt.store = guardStore(rt.store)
	if rt.log == nil {
		rt.log = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	}
	rt.services = services{list: o.Services}
	if o.Cache == nil {
		o.Cache = NewMemoryCache(0)
	}
	var err error
	if rt.policies, err = newPolicies(o); err != nil {
		return nil, err
	}
	rt.ctx, rt.cancel = context.WithCancel(context.Background())
	if rt.clock, err = rt.newClock(); err != nil {
		rt.cancel()
		return nil, rt.storeError("", err)
	}
	rt.alarm.rt = rt
	rt.recovery = recovery{first: firstRecovery, last: lastRecovery, runs: make(map[string]*setback)}
	rt.lease.open(rt)
	if s, ok := watcher(rt.store); ok {
		rt.room = watch.New(s, rt.told, func(err error) { rt.log.Warn("writes of other processes are not noticed at once", "error", err) })
	}
	if o.Plans != nil {
		if err := rt.alarm.load(rt.ctx); err != nil {
			rt.cancel()
			return nil, rt.storeError("", err)
		}
	}
	if c, ok := rt.clock.(*storeClock); ok {
		rt.wg.Go(func() { c.follow(rt.ctx) })
	}
	return rt, nil
}

// Start begins a run of p. The input is the value of the plan's first token, as the author's package erases it: *S
// for a graph of S, map[string]any for a recipe. It belongs to the run from here on.
func (rt *Runtime) Start(ctx context.Context, p *plan.Plan, input any, opts ...StartOption) (*Run, error) {
	var o startOptions
	for _, opt := range opts {
		opt(&o)
	}
	named := o.id != ""
	if !named {
		o.id = newID("run_")
	}
	if rt.ctx.Err() != nil {
		return nil, &Error{Code: CodeStopped, Run: o.id, Err: ErrClosed}
	}
	if err := o.check(rt.options.maxValue()); err != nil {
		return nil, err
	}
	if err := rt.policies.covers(o.id, p); err != nil {
		return nil, err
	}
	if o.queued && o.durability == None {
		return nil, &Error{Code: CodeInvalid, Run: o.id, Err: errors.New("a run that is not stored cannot be queued: nobody would find it")}
	}
	if named { // an earlier try to start it may be taken up again by the runtime once this one is stored
		if _, err := rt.load(ctx, o.id, nil); err != nil {
			return nil, err
		}
		defer rt.loaded(o.id)
	}
	d := rt.newDrive(o.id, p, o.durability)
	d.held = o.queued
	driven := false
	defer func() {
		if !driven { // also where a method of the input ends this goroutine, which is the caller's own
			d.stop()
		}
	}()
	if err := d.begin(ctx, input, o); err != nil {
		if !o.queued && !d.none && d.row.ID != "" {
			rt.adopt(ctx, o.id, err, setback{plan: p, created: d.row.Created})
		}
		return nil, err
	}
	if o.queued {
		d.hold()
		return rt.handle(o.id, p, d), nil
	}
	if err := rt.launch(d); err != nil {
		if errors.Is(err, errDriven) { // this one is not stored
			err = &Error{Code: CodeConflict, Run: o.id, Err: conflict("a run of this id is being driven")}
		}
		return nil, err
	}
	driven = true
	return rt.handle(o.id, p, d), nil
}

// Resume drives a run on: one that crashed, that was stopped, or that waited for what has come since. A run that this
// runtime drives already is not driven twice; of one that still waits, Wait says so. One that another process drives
// and that lives is refused with a *DrivenError (law J10). The plan must fit the run
// (law J8): its fingerprint is the recorded one, or every open task and token still has its place in it; otherwise
// Resume fails with ErrPlanChanged and the difference of the two plans.
func (rt *Runtime) Resume(ctx context.Context, id string, p *plan.Plan) (*Run, error) {
	return rt.resume(ctx, id, p, journal.ResumedBody{}, nil)
}

// Replan is Resume on a plan that has changed, and records it: from here on the run is pinned to p. The definition is
// the digest of the text that p was made from, or "".
func (rt *Runtime) Replan(ctx context.Context, id string, p *plan.Plan, definition string) (*Run, error) {
	return rt.resume(ctx, id, p, journal.ResumedBody{
		Reason: machine.ReasonReplan, By: rt.options.Name, Fingerprint: p.Fingerprint(), Definition: definition,
	}, nil)
}

// Retry continues a failed run from the tasks that failed (law F2), and a blocked one, whose takeovers count anew. What
// finished stays finished (law J4). The plan must fit the run as in Resume, and what it declares as renamed is renamed (law J8).
func (rt *Runtime) Retry(ctx context.Context, id string, p *plan.Plan) (*Run, error) {
	return rt.resume(ctx, id, p, journal.ResumedBody{Reason: machine.ReasonRetry, By: rt.options.Name}, nil)
}

// migrate is resume with a function that converts what the run holds, nil for none.
func (rt *Runtime) migrate(ctx context.Context, id string, p *plan.Plan, why journal.ResumedBody, was *string, convert converter) (*Run, error) {
	if err := rt.policies.covers(id, p); err != nil {
		return nil, err
	}
	switch d, err := rt.load(ctx, id, func(d *drive) {
		d.again = d.again || why.Reason == "" // it may have looked before what is resumed for was written
	}); {
	case err != nil:
		return nil, err
	case d != nil && why.Reason != "":
		return nil, &Error{Code: CodeConflict, Run: id, Err: conflict("the run is being driven; stop it first")}
	case d != nil:
		return rt.handle(id, p, d), nil
	}
	defer rt.loaded(id)
	d := rt.newDrive(id, p, Sync)
	if d.takeUp.tries = was != nil; d.takeUp.tries {
		d.takeUp.was = *was
	}
	d.convert = convert
	driven := false
	defer func() {
		if !driven { // also where code of the program's that reads what the run holds ends this goroutine
			d.stop()
		}
	}()
	d.unpark(ctx, why)
	err := d.load(ctx, why)
	if err == nil {
		err = rt.launch(d)
	}
	if driven = err == nil; !driven {
		rt.adopt(ctx, id, err, setback{plan: p, head: d.row.Head})
		return nil, err
	}
	return rt.handle(id, p, d), nil
}

// errDriven says that this runtime drives the run already.
var errDriven = errors.New("the run is driven already")

// launch hands a drive to a goroutine of its own.
func (rt *Runtime) launch(d *drive) error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return &Error{Code: CodeStopped, Run: d.id, Err: ErrClosed}
	}
	if rt.drives[d.id] != nil {
		return errDriven
	}
	rt.drives[d.id] = d
	rt.recovered(d.id)
	delete(rt.trouble, d.id)
	if d.plan.Fingerprint() != d.m.Started().Fingerprint {
		rt.moved[d.id] = d.plan
	}
	rt.plans.put(planID{d.row.Plan, d.m.Started().Fingerprint, d.m.Started().Definition}, d.plan)
	rt.wg.Go(func() { rt.carry(d, d.limited()) })
	rt.ringLocked(d.id)
	return nil
}

// carry drives, on another goroutine where a node ends this one (law N7).
func (rt *Runtime) carry(d *drive, release func()) {
	defer func() {
		if d.gone {
			rt.wg.Go(func() { rt.carry(d, release) })
			return
		}
		release()
		rt.landed(d)
	}()
	d.work()
}

// landed takes a drive off the list, and drives the run again where something came up while it was ending.
func (rt *Runtime) landed(d *drive) {
	rt.mu.Lock()
	kept := mends(d.lost) && !d.told && !rt.closed
	rt.mu.Unlock()
	if !kept { // what the store took is taken up again
		rt.lease.giveBack(d)
	}
	if d.due != 0 {
		rt.alarm.set(d.due)
	}
	rt.mu.Lock()
	delete(rt.drives, d.id)
	rt.parked.put(d)
	if d.lost != nil && !d.none {
		rt.trouble[d.id] = d.result.Err
	}
	lost := d.lost != nil && !d.none && !d.told && rt.setBack(d.id, d.result.Err, setback{plan: d.plan, head: d.row.Head})
	d.setBack = lost
	if !lost {
		delete(rt.recovery.runs, d.id)
	}
	if d.result.Status.Ended() {
		delete(rt.moved, d.id)
	}
	again := d.again && !rt.closed && !d.told && !lost
	if again {
		rt.waking[d.id]++
	}
	d.live.close()
	close(d.done)
	if b := rt.bells[d.id]; b != nil {
		b.last = d
	}
	rt.ringLocked(d.id)
	w := rt.worker
	rt.mu.Unlock()
	if again {
		rt.wake(d.id)
		rt.woken(d.id)
	}
	rt.forgetPlans()
	if lost {
		w.notice() // its place is free
		return
	}
	if kept { // it was told to stop meanwhile
		rt.lease.doubt(d.id)
	}
	w.rested(d)
}

// willWake notes that a run is about to be driven on, until done is called: whoever waits for it goes on waiting.
func (rt *Runtime) willWake(id string) (done func()) {
	rt.mu.Lock()
	rt.waking[id]++
	rt.mu.Unlock()
	return func() { rt.woken(id) }
}

func (rt *Runtime) woken(id string) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.waking[id]--; rt.waking[id] == 0 {
		delete(rt.waking, id)
	}
	rt.ringLocked(id)
}

// deserted reports whether nobody here drives a run or is about to.
func (rt *Runtime) deserted(id string) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.drives[id] == nil && rt.loading[id] == nil && rt.waking[id] == 0 && !rt.isRecovering(id)
}

// wake drives a run on after something has been recorded for it, where this runtime knows its plan.
func (rt *Runtime) wake(id string) {
	rt.mu.Lock()
	if d := rt.drives[id]; d != nil {
		d.again = true
		d.crew.poke()
		rt.ringLocked(id)
		rt.mu.Unlock()
		return
	}
	closed := rt.closed
	rt.ringLocked(id)
	rt.mu.Unlock()
	if closed {
		return
	}
	defer rt.willWake(id)() // until the run is driven, or it is known why it is not
	var err error
	p := rt.parkedPlan(id)
	if p == nil {
		p, err = rt.planOf(rt.ctx, id)
	}
	if err == nil && p != nil {
		err = rt.takeUp(rt.ctx, id, p, "")
	}
	rt.couldNot(id, err)
}

// cutShort is err, or ErrClosed for what the runtime had begun by itself when it was closed.
func (rt *Runtime) cutShort(id string, err error) error {
	if rt.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return &Error{Code: CodeStopped, Run: id, Err: ErrClosed}
	}
	return err
}

// couldNot notes why a run that had to go on by itself could not.
func (rt *Runtime) couldNot(id string, err error) {
	if errors.Is(err, ErrDriven) { // who drives it hears of it
		return
	}
	if err = rt.cutShort(id, err); err != nil {
		if !errors.Is(err, ErrClosed) {
			rt.log.Error("a run could not be driven on", "run", id, "error", err)
		}
		rt.adopt(rt.ctx, id, err, setback{}) // its plan is known, or found again
		rt.mu.Lock()
		rt.trouble[id] = err
		rt.ringLocked(id)
		rt.mu.Unlock()
	}
}

// Info describes a run.
func (rt *Runtime) Info(ctx context.Context, id string) (RunInfo, error) {
	rows, err := rt.store.Runs(ctx, journal.RunFilter{ID: id})
	if err != nil {
		return RunInfo{}, rt.storeError(id, err)
	}
	if len(rows) == 0 {
		return RunInfo{}, &Error{Code: CodeNotFound, Run: id, Err: ErrNotFound}
	}
	return rows[0], nil
}

// Runs lists runs, newest first.
func (rt *Runtime) Runs(ctx context.Context, f journal.RunFilter) ([]RunInfo, error) {
	rows, err := rt.store.Runs(ctx, f)
	if err != nil {
		return nil, rt.storeError("", err)
	}
	return rows, nil
}

func (rt *Runtime) storeError(run string, err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, ErrConflict):
		return &Error{Code: CodeConflict, Run: run, Err: err}
	case errors.Is(err, journal.ErrNotFound):
		return &Error{Code: CodeNotFound, Run: run, Err: err}
	}
	return &Error{Code: CodeStore, Run: run, Err: err}
}

// newID makes an id that sorts by the time it was made.
func newID(prefix string) string {
	id, err := uuid.NewV7()
	if err != nil { // only without a source of randomness
		panic(err)
	}
	return prefix + id.String()
}

// services are what the program offers to its nodes, found by type.
type services struct {
	list []any
	mu   sync.Mutex
	seen map[reflect.Type]any
}

func (s *services) find(t reflect.Type) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.seen[t]; ok {
		return found
	}
	var found any
	for _, service := range s.list {
		have := reflect.TypeOf(service)
		if have == t {
			found = service
			break
		}
		if t.Kind() == reflect.Interface && have.Implements(t) {
			if found != nil {
				found = nil // two could be meant
				break
			}
			found = service
		}
	}
	if s.seen == nil {
		s.seen = make(map[reflect.Type]any)
	}
	s.seen[t] = found
	return found
}
