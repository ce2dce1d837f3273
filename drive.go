package fermata

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// drive is a run in the hands of this process: its machine, its values, and the goroutines that work on it, one of
// which owns both at a time (see crew). It ends when nothing can go on by itself, and leaves nothing behind but the
// journal (law N1).
type drive struct {
	rt   *Runtime // nil for Evaluate
	id   string
	plan *plan.Plan
	m    *machine.Machine
	none bool // durability None: nothing is stored

	held       bool // it is stored and left to others
	durability journal.Durability
	vals       values
	known      value.Known    // what of the run's values was looked at before
	captured   []machine.Slot // room for what a task of a dataflow is given
	slots      []plan.Slot    // likewise
	row        journal.RunRow
	inputs     []input         // what is recorded with the next commit
	pure       bool            // what is being done is a calculation: nothing else follows from its outcome
	unstored   []journal.Entry // outcomes of calculations, which are stored with what follows
	queue      queue           // tasks that may start
	idle       bool
	complete   bool
	host       host // of tasks that are alone
	live       *live
	crew       crew
	single     atomic.Pointer[host] // of the task whose function is called with the crew's lock held; nil for none
	follower   Follower             // of the observer; nil for none

	ctx      context.Context
	stop     context.CancelFunc
	done     chan struct{}
	told     bool  // guarded by rt.mu: to stop
	again    bool  // guarded by rt.mu: drive once more after this
	due      int64 // when the run goes on by itself, microseconds; 0 for never
	lost     error // why driving ended before the run did
	setBack  bool  // the store took the run, and the runtime takes it up again
	gone     bool  // a node has ended the goroutine that was driving
	takeUp   takeUp
	failure  error                      // the error that failed the run, while it is known and no task's
	causes   map[string]*fault.Captured // the errors of tasks that have failed for good, while they are known
	tokens   map[string]string          // resume tokens of the interrupts opened here (law H5)
	result   Result
	head     uint64 // of the journal, when driving ended
	services *services
	policies *policies // nil: no pools and no cache
	options  Options   // of Evaluate

	looksOn bool       // it only looks what would follow: nothing takes place, and nothing is stored
	then    *askedThen // the question of an imported run that is compared with what its task asks; nil for none

	convert     converter    // what a migration makes of values, nil for nothing
	conversions []conversion // what it has made of them, to be recorded
}

// input is what came from outside: it makes entries. It is done again when another writer was first (law J3).
type input func(m *machine.Machine) error

var errTimeLimit = errors.New("the run's limit of time was reached")

func (rt *Runtime) newDrive(id string, p *plan.Plan, durability Durability) *drive {
	d := &drive{
		rt: rt, id: id, plan: p, m: machine.New(p), none: durability == None, durability: durability,
		done: make(chan struct{}), services: &rt.services, policies: rt.policies,
	}
	d.ctx, d.stop = context.WithCancel(rt.ctx)
	d.live = newLive(d.none)
	d.host.d, d.host.mu = d, &d.host.own
	d.crew.d = d
	return d
}

// begin records the start of a run.
func (d *drive) begin(ctx context.Context, inputValue any, o startOptions) error {
	codec := d.sized(d.plan.State())
	inputValue, err := settle(codec, inputValue, &d.known, true)
	if err != nil {
		return &Error{Code: CodeInvalid, Run: d.id, Err: err}
	}
	data, err := encoded(codec, inputValue)
	if err != nil {
		return &Error{Code: CodeInvalid, Run: d.id, Err: notStorable(err)}
	}
	if err := d.checkInput(data); err != nil {
		return &Error{Code: CodeInvalid, Run: d.id, Err: err}
	}
	snap, err := copied(codec, inputValue) // neither the snapshot nor the live value is shared with the caller (law N9)
	if err == nil && !d.none {
		inputValue, err = copied(codec, snap)
	}
	if err != nil {
		return &Error{Code: CodeInvalid, Run: d.id, Err: notStorable(err)}
	}
	given, err := givenTo(d.plan, inputValue)
	if err != nil {
		return &Error{Code: CodeInvalid, Run: d.id, Err: err}
	}
	def := d.plan.Definition()
	body := journal.StartedBody{
		Plan: def.Name, PlanVersion: def.Version, PlanKind: def.Kind, Fingerprint: d.plan.Fingerprint(),
		Definition: o.definition, By: o.by, Labels: o.labels, Inputs: given,
	}
	now := d.now()
	d.row = journal.RunRow{
		ID: d.id, Plan: def.Name, Kind: def.Kind, Fingerprint: body.Fingerprint, Definition: o.definition,
		Status: machine.Running, Created: now, Updated: now,
	}
	d.follow()
	if !d.none && !d.held {
		d.rt.lease.live(ctx)
	}
	if err := d.keepOutline(ctx); err != nil {
		return err
	}
	d.vals.expect(d.plan)
	d.vals.put(1, inputValue, snap)
	err = d.commit(ctx, func(m *machine.Machine) error { return m.Begin(now, body, data) })
	if errors.Is(err, journal.ErrConflict) {
		err = conflict("a run of this id exists already")
	} else if err != nil && !d.none {
		d.rt.lease.doubt(d.id)
	}
	if err != nil {
		return d.rt.storeError(d.id, err)
	}
	return nil
}

func (d *drive) checkInput(data []byte) error {
	doc := d.plan.Definition().Input
	if len(doc) == 0 {
		return nil
	}
	compile := schema.Parse
	if d.rt != nil {
		compile = d.rt.schema // which remembers it
	}
	s, err := compile(doc)
	if err != nil {
		return err
	}
	if err := s.Check(data); err != nil {
		return fmt.Errorf("input: %w: %w", ErrInvalid, err)
	}
	return nil
}

// add records an input with the next commit.
func (d *drive) add(in input) { d.inputs = append(d.inputs, in) }

// errOver says that the run has come to its end by somebody else's hand.
var errOver = errors.New("the run is over")

// commit makes entries of the inputs, looks what follows from them, and stores all of it at once (laws J2 and J3).
// When others have written in between and were no drivers, it starts again from what they wrote.
func (d *drive) commit(ctx context.Context, in input) error {
	if in != nil {
		d.add(in)
	}
	for {
		if err := d.play(); err != nil {
			return d.crew.give(err)
		}
		work, err := d.m.Next(d.now())
		if err != nil {
			return d.crew.give(err)
		}
		switch {
		case d.holdsBack(work):
			d.takeUp.heldBack = append(d.takeUp.heldBack, work.Append...)
		case d.postpones(work):
			d.unstored = append(d.unstored, work.Append...)
		default:
			err = d.append(ctx, work.Append)
		}
		if errors.Is(err, journal.ErrConflict) {
			if err = d.rebase(ctx, d.busy(work.Start)); err == nil {
				continue
			}
		}
		if err != nil {
			return d.crew.give(err)
		}
		d.inputs = d.inputs[:0]
		d.queue.push(work.Start)
		d.idle, d.complete = work.Idle, work.Complete
		if work.Doomed && d.plan.Definition().FailFast {
			d.crew.cancel()
		}
		return nil
	}
}

// record is commit for what a running task stores: nothing follows from it yet.
func (d *drive) record(ctx context.Context, in input) error {
	d.add(in)
	for {
		if err := d.play(); err != nil {
			return d.crew.give(err)
		}
		err := d.append(ctx, d.m.Flush())
		if errors.Is(err, journal.ErrConflict) {
			if err = d.rebase(ctx, d.busy(nil)); err == nil {
				continue
			}
		}
		if err == nil {
			d.inputs = d.inputs[:0]
		}
		return d.crew.give(err)
	}
}

func (d *drive) play() error {
	if d.crew.failed != nil {
		return d.crew.failed
	}
	for _, in := range d.inputs {
		if err := in(d.m); err != nil {
			return err
		}
	}
	return nil
}

// append stores entries behind those that were postponed.
func (d *drive) append(ctx context.Context, entries []journal.Entry) error {
	if len(d.unstored) > 0 {
		d.unstored = append(d.unstored, entries...)
		entries = d.unstored
	}
	if len(entries) == 0 {
		return nil
	}
	if d.looksOn {
		return errLeftOff
	}
	if len(d.takeUp.heldBack) > 0 {
		entries = slices.Concat(d.takeUp.heldBack, entries)
	}
	var began time.Time
	if !d.none {
		batch := d.project(entries)
		began = d.watched()
		if err := d.rt.store.Append(context.WithoutCancel(ctx), batch); err != nil {
			return err
		}
		if batch.Row != nil {
			d.row = *batch.Row
		}
		d.row.Head = entries[len(entries)-1].Seq
	}
	d.takeUp.heldBack = nil
	d.live.publish(d, entries)
	d.stored(entries, began)
	clear(d.unstored)
	d.unstored = d.unstored[:0]
	return nil
}

// drive runs what can run until nothing can.
func (d *drive) drive() {
	defer d.limited()()
	d.work()
}

// limited stops the drive when the run's limit of time is reached, until the returned function is called.
func (d *drive) limited() (release func()) {
	limit := d.m.TimeLeft()
	if limit == math.MaxInt64 {
		return func() {}
	}
	ctx, cancel := context.WithCancelCause(d.ctx)
	stop := d.clock().AfterFunc(time.Duration(limit)*time.Microsecond, func() { cancel(errTimeLimit) })
	if limit <= 0 {
		cancel(errTimeLimit)
	}
	d.ctx = ctx
	return func() {
		stop()
		cancel(nil)
	}
}

// work is drive without the limit of time. A node may end the caller's goroutine meanwhile: then d.gone is set, and
// another one has to call it.
func (d *drive) work() {
	err := ErrGoexit
	d.crew.mu.Lock()
	defer func() {
		if d.gone = len(d.crew.left) > 0 && d.rt != nil; !d.gone {
			d.crew.dismiss()
			if d.crew.failed != nil {
				err = d.crew.failed
			}
			d.lost = err
			d.settle()
		}
		d.crew.mu.Unlock()
	}()
	err = d.loop()
	if errors.Is(err, errOver) {
		err = nil
	}
	d.stop()
}

func (d *drive) clock() Clock {
	switch {
	case d.rt != nil:
		return d.rt.clock
	case d.options.Clock != nil:
		return d.options.Clock
	}
	return systemClock{}
}

// loop does what is to be done, together with those that help, until nothing can go on by itself.
func (d *drive) loop() error {
	for {
		did, err := d.step()
		switch {
		case err != nil:
			return err
		case did:
		case d.crew.busy():
			d.crew.wait()
		case d.idle:
			return nil
		default:
			return fmt.Errorf("nothing is to be done, and the run is neither idle nor complete")
		}
	}
}

// step does the next thing that is to be done; false when there is nothing.
func (d *drive) step() (did bool, err error) {
	s, ok, err := d.crew.next()
	switch {
	case err != nil:
		return false, err
	case ok:
		return true, d.start(s)
	case len(d.crew.left) > 0:
		return true, d.failLeft()
	case d.takeUp.block != nil:
		return d.recordBlock()
	case d.complete:
		d.complete = false
		d.crew.cancel() // of those that a Stop has left behind
		return true, d.finishRun()
	case d.crew.poked:
		return true, d.catchUpLive()
	case (d.idle || d.crew.busy()) && !d.none && !Status(d.m.Status()).Ended() && d.m.Due() <= d.now():
		return true, d.commit(d.ctx, func(m *machine.Machine) error { return m.Fire(d.now()) })
	}
	return false, nil
}

// stopped says why the context of the drive is done: the run's limit of time, or somebody stopped driving.
func (d *drive) stopped() error {
	if d.crew.failed != nil {
		return d.crew.failed
	}
	if err := d.store(); err != nil {
		return err
	}
	if errors.Is(context.Cause(d.ctx), errTimeLimit) {
		limit := d.plan.Limits().Time.String()
		d.failure = &LimitError{Limit: "time", Max: limit}
		return d.commit(context.WithoutCancel(d.ctx), func(m *machine.Machine) error {
			return m.End(d.now(), journal.FinishedBody{
				Status: machine.Failed, Limit: "time", Max: limit, Error: d.failure.Error(),
			})
		})
	}
	return ErrStopped
}

// finishRun ends a run whose paths have all ended. Where several have, their values are merged (law G4).
func (d *drive) finishRun() error {
	if slots, ok := d.m.Outcome(nil); ok {
		return d.finishDataflow(slots)
	}
	finish, ending := d.plan.Definition().Finish, d.m.Ending(nil)
	if finish == nil && len(ending.Steps) == 0 {
		return d.commit(d.ctx, func(m *machine.Machine) error { return m.Complete(d.now(), machine.Value{}) })
	}
	var result any
	var data []byte
	err := d.aside(func() (err error) {
		result, err = d.joined(ending, d.plan, nil)
		switch {
		case err == nil && finish != nil:
			result, data, err = d.finished(finish, result)
		case err == nil && !d.none:
			data, err = encoded(d.sized(d.plan.State()), result)
		}
		return err
	})
	if err != nil && fault.Capture(err).Is(journal.ErrCorrupt) {
		return err
	}
	if err != nil {
		return d.endFailed(err)
	}
	d.result.Value, d.result.Output = result, data
	return d.commit(d.ctx, func(m *machine.Machine) error {
		return m.Complete(d.now(), machine.Value{Changed: data != nil, Data: data})
	})
}

// aside makes the result of a run. That is no task's, so nothing else could tell that it ended its goroutine; only Evaluate
// leaves that to its caller, whose goroutine it is (law N7).
func (d *drive) aside(f func() error) error {
	if d.rt == nil {
		return f()
	}
	return onItsOwn(f)
}

// finished is the result that a plan's author makes of the last value, as it is read from the store (law N10).
func (d *drive) finished(finish func(any) (any, error), last any) (result any, data []byte, err error) {
	if result, err = mapped(func() (any, error) { return finish(last) }); err != nil {
		return nil, nil, err
	}
	if data, err = toJSON(result, d.maxValue()); err != nil {
		return nil, nil, err
	}
	err = canonical.Decode(data, &result)
	return result, data, err
}

func (d *drive) now() int64 {
	if d.none {
		return 0
	}
	return d.rt.now()
}

var _ node.Host = (*host)(nil)
