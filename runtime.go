package fermata

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/fermata-go/fermata/internal/machine"
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

	mu      sync.Mutex
	drives  map[string]*drive        // the runs that are driven now
	loading map[string]chan struct{} // the runs that are being taken up; closed when that is done
	bells   map[string]*bell         // who waits for a change of a run
	plans   plans                    // of the runs that were driven here
	kept    map[string]bool          // fingerprints of plans whose outlines are stored
	waking  map[string]int           // runs for which an answer is being recorded that they will be driven on for
	moved   map[string]*plan.Plan    // of runs that were resumed here on another plan than the recorded one
	schemas map[string]*schema.Schema
	parked  parking
	trouble map[string]error // why a run that had to go on by itself could not
	alarm   alarm
	lease   lease
	worker  *worker // while Work is at it
	closed  bool
}

// New makes a runtime. Close it when the program ends.
func New(o Options) (*Runtime, error) {
	rt := &Runtime{
		options: o, store: o.Store, log: o.Logger, clock: o.Clock,
		drives: make(map[string]*drive), loading: make(map[string]chan struct{}), bells: make(map[string]*bell),
		kept: make(map[string]bool), schemas: make(map[string]*schema.Schema),
		trouble: make(map[string]error), moved: make(map[string]*plan.Plan), waking: make(map[string]int),
	}
	if rt.store == nil {
		rt.store = memory.New()
	}
	if rt.log == nil {
		rt.log = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	}
	if rt.clock == nil {
		rt.clock = systemClock{}
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
	rt.alarm.rt = rt
	rt.lease.open(rt)
	if o.Plans != nil {
		if err := rt.alarm.load(rt.ctx); err != nil {
			rt.cancel()
			return nil, rt.storeError("", err)
		}
	}
	return rt, nil
}

// Close stops driving, waits until all tasks have returned, and leaves every run resumable (law F3). A store that the
// runtime was given stays open.
func (rt *Runtime) Close() error {
	rt.mu.Lock()
	if rt.closed {
		rt.mu.Unlock()
		return nil
	}
	rt.closed = true
	rt.mu.Unlock()
	rt.cancel()
	rt.alarm.stop()
	rt.wg.Wait()
	rt.lease.close()
	rt.mu.Lock()
	for id := range rt.bells {
		rt.ringLocked(id)
	}
	rt.mu.Unlock()
	if rt.options.Store == nil {
		return rt.store.Close()
	}
	return nil
}

// Start begins a run of p. The input is the value of the plan's first token, as the author's package erases it: *S
// for a graph of S, map[string]any for a recipe. It belongs to the run from here on.
func (rt *Runtime) Start(ctx context.Context, p *plan.Plan, input any, opts ...StartOption) (*Run, error) {
	var o startOptions
	for _, opt := range opts {
		opt(&o)
	}
	if o.id == "" {
		o.id = newID("run_")
	}
	if rt.ctx.Err() != nil {
		return nil, &Error{Code: CodeStopped, Run: o.id, Err: ErrClosed}
	}
	if err := rt.policies.covers(o.id, p); err != nil {
		return nil, err
	}
	if o.queued && o.durability == None {
		return nil, &Error{Code: CodeInvalid, Run: o.id, Err: errors.New("a run that is not stored cannot be queued: nobody would find it")}
	}
	d := rt.newDrive(o.id, p, o.durability)
	d.held = o.queued
	if err := d.begin(ctx, input, o); err != nil {
		return nil, err
	}
	if o.queued {
		d.hold()
		return rt.handle(o.id, p, d), nil
	}
	if err := rt.launch(d); err != nil {
		return nil, err
	}
	return rt.handle(o.id, p, d), nil
}

// Resume drives a run on: one that crashed, that was stopped, or that waited for what has come since. A run that this
// runtime drives already is not driven twice; of one that still waits, Wait says so. One that another process drives
// and that lives is refused with a *DrivenError (law J10). The plan must fit the run
// (law J8): its fingerprint is the recorded one, or every open task and token still has its place in it; otherwise
// Resume fails with ErrPlanChanged and the difference of the two plans.
func (rt *Runtime) Resume(ctx context.Context, id string, p *plan.Plan) (*Run, error) {
	return rt.resume(ctx, id, p, journal.ResumedBody{})
}

// Replan is Resume on a plan that has changed, and records it: from here on the run is pinned to p. The definition is
// the digest of the text that p was made from, or "".
func (rt *Runtime) Replan(ctx context.Context, id string, p *plan.Plan, definition string) (*Run, error) {
	return rt.resume(ctx, id, p, journal.ResumedBody{
		Reason: machine.ReasonReplan, By: rt.options.Name, Fingerprint: p.Fingerprint(), Definition: definition,
	})
}

// Retry continues a failed run from the tasks that failed (law F2). What finished stays finished (law J4).
func (rt *Runtime) Retry(ctx context.Context, id string, p *plan.Plan) (*Run, error) {
	return rt.resume(ctx, id, p, journal.ResumedBody{Reason: machine.ReasonRetry, By: rt.options.Name})
}

func (rt *Runtime) resume(ctx context.Context, id string, p *plan.Plan, why journal.ResumedBody) (*Run, error) {
	if err := rt.policies.covers(id, p); err != nil {
		return nil, err
	}
	for {
		rt.mu.Lock()
		if d := rt.drives[id]; d != nil {
			d.again = d.again || why.Reason == "" // it may have looked before what is resumed for was written
			rt.mu.Unlock()
			if why.Reason != "" {
				return nil, &Error{Code: CodeConflict, Run: id, Err: conflict("the run is being driven; stop it first")}
			}
			return rt.handle(id, p, d), nil
		}
		loading := rt.loading[id]
		if loading == nil {
			rt.loading[id] = make(chan struct{})
			rt.mu.Unlock()
			break
		}
		rt.mu.Unlock()
		select {
		case <-loading: // an answer, a timer and a caller may take the run up at the same time
		case <-ctx.Done():
			return nil, &Error{Code: CodeStopped, Run: id, Err: ctx.Err()}
		}
	}
	defer rt.loaded(id)
	d := rt.newDrive(id, p, Sync)
	d.unpark(ctx)
	err := d.load(ctx, why)
	if err == nil {
		err = rt.launch(d)
	}
	if err != nil {
		d.stop()
		return nil, err
	}
	return rt.handle(id, p, d), nil
}

// loaded lets others take up the run that was being loaded.
func (rt *Runtime) loaded(id string) {
	rt.mu.Lock()
	close(rt.loading[id])
	delete(rt.loading, id)
	rt.mu.Unlock()
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
	delete(rt.trouble, d.id)
	if d.plan.Fingerprint() != d.m.Started().Fingerprint {
		rt.moved[d.id] = d.plan
	}
	rt.plans.put(planID{d.row.Plan, d.m.Started().Fingerprint, d.m.Started().Definition}, d.plan)
	rt.kept[d.plan.Fingerprint()] = true
	rt.wg.Go(func() {
		defer rt.landed(d)
		d.drive()
	})
	rt.ringLocked(d.id)
	return nil
}

// landed takes a drive off the list, and drives the run again where something came up while it was ending.
func (rt *Runtime) landed(d *drive) {
	rt.lease.giveBack(d)
	if d.due != 0 {
		rt.alarm.set(d.due)
	}
	rt.mu.Lock()
	delete(rt.drives, d.id)
	rt.parked.put(d)
	if d.lost != nil && !d.none {
		rt.trouble[d.id] = d.result.Err
	}
	if d.result.Status.Ended() {
		delete(rt.moved, d.id)
	}
	again := d.again && !rt.closed && !d.told
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
	return rt.drives[id] == nil && rt.loading[id] == nil && rt.waking[id] == 0
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
		_, err = rt.Resume(rt.ctx, id, p)
	}
	if errors.Is(err, ErrDriven) { // who drives it hears of it
		return
	}
	if err != nil {
		rt.log.Error("a run could not be driven on", "run", id, "error", err)
		rt.mu.Lock()
		rt.trouble[id] = err
		rt.ringLocked(id)
		rt.mu.Unlock()
	}
}

// planOf finds the plan of a run that is not driven: one of those started here, or by Options.Plans; nil for none.
func (rt *Runtime) planOf(ctx context.Context, id string) (*plan.Plan, error) {
	info, err := rt.Info(ctx, id)
	if err != nil {
		return nil, err
	}
	return rt.planFor(ctx, info)
}

func (rt *Runtime) planFor(ctx context.Context, info RunInfo) (*plan.Plan, error) {
	rt.mu.Lock()
	p := rt.moved[info.ID]
	if p == nil {
		p = rt.plans.known[planID{info.Plan, info.Fingerprint, info.Definition}].plan
	}
	rt.mu.Unlock()
	if p == nil && rt.options.Plans != nil {
		return rt.options.Plans(ctx, info)
	}
	return p, nil
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

func (rt *Runtime) now() int64 { return rt.clock.Now().UnixMicro() }

// newID makes an id that sorts by the time it was made.
func newID(prefix string) string {
	id, err := uuid.NewV7()
	if err != nil { // only without a source of randomness
		panic(err)
	}
	return prefix + id.String()
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

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

// bell tells whoever waits that something about a run has changed.
type bell struct {
	rung chan struct{} // closed at the next change
	last *drive        // the drive whose end was the change; nil for another change
}

// hasRung reports whether the change has come.
func (b *bell) hasRung() bool {
	select {
	case <-b.rung:
		return true
	default:
		return false
	}
}

// changes returns the bell that is rung at the run's next change.
func (rt *Runtime) changes(id string) *bell {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	b := rt.bells[id]
	if b == nil {
		b = &bell{rung: make(chan struct{})}
		rt.bells[id] = b
	}
	if rt.closed {
		close(b.rung)
		delete(rt.bells, id)
	}
	return b
}

func (rt *Runtime) ringLocked(id string) {
	if b := rt.bells[id]; b != nil {
		close(b.rung)
		delete(rt.bells, id)
	}
}

func (rt *Runtime) ring(id string) {
	rt.mu.Lock()
	rt.ringLocked(id)
	rt.mu.Unlock()
}
