package fermata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Run is a handle on a run. It may be dropped at any time: the run does not depend on it.
type Run struct {
	rt   *Runtime
	id   string
	plan *plan.Plan
	last atomic.Pointer[drive] // the last drive of it that was seen
}

func (rt *Runtime) handle(id string, p *plan.Plan, d *drive) *Run {
	r := &Run{rt: rt, id: id, plan: p}
	r.last.Store(d)
	return r
}

// ID is the run's id.
func (r *Run) ID() string { return r.id }

// Wait returns when the run has ended, or waits for people: Status Paused, with the open interrupts. Sleeps and
// backoffs are waited for. A run that ended without success is no error of Wait: see Result.Err. Wait fails when ctx
// is done, and with ErrStopped when nobody here drives the run any more (law F3).
//
// A store that fails for a while does not end Wait: the runtime takes the run up again by itself (law J2). Where that
// does not work for about half a minute, or the store is full or read-only, Wait fails with CodeStore. The runtime goes on
// trying, and Wait may be called again.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	for {
		changed := r.rt.changes(r.id)
		r.rt.mu.Lock()
		d, closed, trouble, quiet := r.rt.drives[r.id], r.rt.closed, r.rt.trouble[r.id], r.rt.isQuiet(r.id)
		r.rt.mu.Unlock()
		if trouble != nil && d == nil && !quiet {
			return r.troubled(ctx, trouble)
		}
		if d == nil && !quiet {
			d = r.last.Load()
		}
		if d != nil {
			r.last.Store(d)
			select {
			case <-d.done:
			case <-ctx.Done():
				return Result{Run: r.id}, &Error{Code: CodeStopped, Run: r.id, Err: ctx.Err()}
			}
			if r.rt.isSetBack(d) {
				continue
			}
			d = r.rt.since(d)
			result, settled, err := r.settled(ctx, d)
			if errors.Is(err, errDeserted) {
				if changed.hasRung() { // somebody took it up while this looked
					continue
				}
				err = &Error{Code: CodeStopped, Run: r.id, Err: err}
			}
			if settled || err != nil {
				return result, err
			}
			if closed {
				return result, &Error{Code: CodeStopped, Run: r.id, Err: ErrClosed}
			}
		}
		select {
		case <-changed.rung:
			if changed.last != nil {
				r.last.Store(changed.last)
			}
		case <-ctx.Done():
			return Result{Run: r.id}, stoppedBy(ctx, r.id, trouble)
		}
	}
}

// troubled says how a run stands whose last drive was lost: as somebody else has ended it, or why it was lost.
func (r *Run) troubled(ctx context.Context, trouble error) (Result, error) {
	info, err := r.rt.Info(ctx, r.id)
	if err == nil && Status(info.Status).Ended() {
		return r.rt.Result(ctx, r.id, r.plan)
	}
	return Result{Run: r.id, Status: Status(info.Status), Err: trouble}, trouble
}

// settled says how the run stands after its last drive here; false when it will go on by itself.
func (r *Run) settled(ctx context.Context, d *drive) (Result, bool, error) {
	if d.none || d.result.Status.Ended() && !d.setBack {
		return d.given(), true, driveError(d)
	}
	lost := d.lost != nil && !d.setBack // what the store took has been taken up again since
	onTimers := !lost && len(d.result.Interrupts) == 0 && d.result.Status != Blocked
	info, err := r.rt.Info(ctx, r.id)
	if err != nil {
		return d.result, true, err
	}
	if info.Head == d.head && !d.setBack {
		return d.result, !onTimers, driveError(d)
	}
	if ended, _ := r.rt.ended(r.id); ended != nil && ended.head == info.Head {
		return ended.given(), true, driveError(ended)
	}
	result, err := r.rt.Result(ctx, r.id, r.plan) // somebody has written since: an answer, a timer, a cancellation
	if err == nil && lost && !result.Status.Ended() {
		return d.result, true, driveError(d)
	}
	switch ended, driven := r.rt.ended(r.id); {
	case driven: // who drives it knows best what comes of it
		return Result{}, false, nil
	case ended != nil && err == nil && ended.head >= info.Head && ended.result.Status == result.Status:
		return ended.given(), true, driveError(ended) // while this looked
	}
	settled := result.Status.Ended() || result.Status == Blocked || result.Status == Paused && len(result.Interrupts) > 0
	if err == nil && !settled && r.rt.deserted(r.id) && !r.rt.hasTimer(ctx, r.id) {
		return result, true, errDeserted
	}
	return result, settled, err
}

// ended is the drive that took a run to its end, or to where it is blocked, lately; and whether one is at it.
func (rt *Runtime) ended(id string) (last *drive, driven bool) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if d := rt.parked.drives[id]; d != nil && (d.result.Status.Ended() || d.result.Status == Blocked) {
		last = d
	}
	return last, rt.drives[id] != nil
}

// errDeserted says that a run could go on and nobody here is about to drive it.
var errDeserted = fmt.Errorf("%w: it was answered elsewhere, and nobody here drives it on", ErrStopped)

// hasTimer reports whether a run will be woken by the time.
func (rt *Runtime) hasTimer(ctx context.Context, id string) bool {
	timers, err := rt.store.Timers(ctx, math.MaxInt64, 0)
	return err != nil || slices.ContainsFunc(timers, func(t journal.Timer) bool { return t.Run == id })
}

// given is the drive's result with a value of the caller's own (law N9).
func (d *drive) given() Result {
	result := d.result
	if result.Value == nil || d.plan.Definition().Finish != nil {
		return result
	}
	if own, err := copied(resultCodec(d.plan), result.Value); err == nil {
		result.Value = own
	}
	return result
}

// driveError is why driving ended before the run did, nil when it did not.
func driveError(d *drive) error {
	if d.lost == nil {
		return nil
	}
	return d.result.Err
}

// Events yields the run's events after the given seq, and goes on with those to come until the run has ended or ctx
// is done.
func (r *Run) Events(ctx context.Context, after uint64) iter.Seq2[Event, error] {
	d := r.last.Load()
	if d == nil || !d.none {
		return r.rt.Events(ctx, r.id, after, true)
	}
	return func(yield func(Event, error) bool) {
		reader := d.live.attach()
		defer d.live.detach(reader)
		s := &eventSource{rt: r.rt, id: r.id, cursor: after, yield: yield}
		s.follow(ctx, d, reader)
	}
}

// Result says how a run stands, from the store. The plan gives the result its type; without one only Output is set.
func (rt *Runtime) Result(ctx context.Context, id string, p *plan.Plan) (Result, error) {
	info, err := rt.Info(ctx, id)
	if err != nil {
		return Result{Run: id}, err
	}
	r := Result{Run: id, Status: Status(info.Status)}
	switch {
	case !r.Status.Ended():
		if r.Interrupts, err = rt.Inbox(ctx, journal.InboxFilter{Run: id}); err != nil {
			return r, err
		}
		if r.Status == Blocked {
			if r.Err, err = rt.whyBlocked(ctx, info); err != nil {
				return r, err
			}
		}
		return r, rt.countUsage(ctx, &r, info.Head)
	case r.Status != Completed:
		if err := rt.lastWords(ctx, &r, info); err != nil {
			return r, err
		}
		return r, rt.countUsage(ctx, &r, info.Head)
	}
	if r.Output, err = rt.output(ctx, id, &r); err != nil {
		return r, err
	}
	if p == nil || p.Definition().Finish != nil {
		err = canonical.Decode(r.Output, &r.Value)
		return r, err
	}
	codec := resultCodec(p)
	if r.Value, err = decoded(codec, r.Output); err == nil {
		whole := r.Output
		r.Output, err = encoded(codec, r.Value) // as who drove it was given it: the journal has members in the order they came
		if err == nil {
			err = keptWhole(id, whole, r.Output)
		}
		if err != nil {
			r.Value, r.Output = nil, whole
		}
	}
	return r, err
}

// keptWhole checks that the plan's type keeps all of a result (law J8).
func keptWhole(run string, whole, again []byte) error {
	lost, err := loss.Of(whole, again)
	if err != nil || len(lost) == 0 {
		return nil //nolint:nilerr // the journal's own text is JSON
	}
	f := lostIn("the result of the run", lost[0])
	return &Error{Code: CodePlanChanged, Run: run, Err: &PlanChangedError{
		Reason: f.reason, Value: f.value, Diff: "the run has completed; Runtime.Result without a plan gives its result as JSON",
	}}
}

// lastWords reads why a run ended.
func (rt *Runtime) lastWords(ctx context.Context, r *Result, info RunInfo) error {
	for e, err := range rt.store.Read(ctx, info.ID, info.Head-1) {
		if err != nil {
			return rt.storeError(info.ID, err)
		}
		var body journal.FinishedBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return rt.storeError(info.ID, &journal.StoreError{
				Op: "replay", Run: info.ID, Seq: e.Seq,
				Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err),
			})
		}
		r.Err = runError(info.ID, body, nil)
	}
	return nil
}

// output is the result of a completed run. On the way it counts what models took.
func (rt *Runtime) output(ctx context.Context, id string, r *Result) (json.RawMessage, error) {
	var vals values
	final := uint64(0)
	for e, err := range rt.store.Read(ctx, id, 0) {
		if err != nil {
			return nil, rt.storeError(id, err)
		}
		vals.note(&e)
		if err := r.count(&e); err != nil {
			return nil, rt.storeError(id, err)
		}
		if e.Kind == journal.RunFinished {
			if final = e.Base; e.HasValue() {
				final = e.Seq
			}
		}
	}
	data, err := vals.whole(final)
	if err != nil {
		return nil, rt.replayError(id, final, err)
	}
	return data, nil
}

// Evaluate runs a plan in the caller's goroutine, with others beside it while branches are at work, and stores nothing
// (durability None, law J2). The context drives the
// run: when it is done, the run is gone. A plan that has to wait for people fails with ErrMustWait; sleeps hold the
// goroutine.
func Evaluate(ctx context.Context, p *plan.Plan, input any, opts Options) (Result, error) {
	opts = guardOptions(opts)
	d := &drive{id: "run", plan: p, m: machine.New(p), none: true, live: newLive(false), options: opts}
	d.host.d, d.host.mu = d, &d.host.own
	d.crew.d = d
	if opts.Observer == nil && opts.Logger == nil {
		d.m.Unread()
	}
	if err := d.setPolicies(opts); err != nil {
		return Result{}, err
	}
	if len(opts.Services) > 0 {
		d.services = &services{list: opts.Services}
	}
	d.ctx, d.stop = context.WithCancel(ctx)
	defer d.stop()
	if opts.Observer != nil {
		d.id = newID("run_") // what is made of two runs must not be taken for one
		d.follow()
	}
	input, err := settle(p.State(), input, &d.known, true)
	if err != nil {
		return Result{}, &Error{Code: CodeInvalid, Err: err}
	}
	d.vals.expect(p)
	d.vals.put(1, input, nil)
	if len(p.Definition().Input) > 0 && p.Result() == nil { // values of a dataflow have the types of its inputs already
		data, err := encoded(p.State(), input)
		if err == nil {
			err = d.checkInput(data)
		}
		if err != nil {
			return Result{}, &Error{Code: CodeInvalid, Err: err}
		}
	}
	given, err := givenTo(p, input)
	if err != nil {
		return Result{}, &Error{Code: CodeInvalid, Err: err}
	}
	if err := d.m.Begin(0, journal.StartedBody{Plan: p.Name(), Fingerprint: p.Fingerprint(), Inputs: given}, nullInput); err != nil {
		return Result{}, d.wrap(err)
	}
	if err := d.commit(d.ctx, nil); err != nil {
		return Result{}, d.wrap(err)
	}
	d.drive()
	if errors.Is(d.lost, ErrStopped) && ctx.Err() != nil {
		return d.result, &Error{Code: CodeStopped, Err: ctx.Err()}
	}
	return d.result, d.result.Err
}

var nullInput = []byte("null")
