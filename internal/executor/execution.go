package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/stream"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Execution is a run that this process executes: its state and its goroutines. One goroutine owns the state at
// a time (see workers). An execution ends when the run cannot go on by itself. Everything that lasts is in the
// journal (law N1).
type Execution struct {
	runstate.State
	pending
	readers
	rehearsal
	Ending

	env      *Env             // shared by all executions; nil for Evaluate
	services *Services        // for nodes
	policies *policy.Policies // pools and caches; nil for none

	workers workers              // its goroutines
	host    host                 // serves tasks that run alone
	single  atomic.Pointer[host] // host of the task that runs with the workers' lock held; nil for none
	scratch                      // reused memory

	ctx    context.Context // of the tasks: life, or one with the run's time limit
	life   life            // done once the execution is to stop
	TakeUp takeUp          // how this process came to own the run
}

// Stop ends the context of the tasks.
func (x *Execution) Stop() { x.life.stop() }

// pending holds what an execution records and does next. The workers' lock guards it.
type pending struct {
	Opening   Opening         // of a debounced start
	inputs    []input         // recorded with the next commit
	pure      bool            // the running task is a calculation: its outcome has no effect of its own
	postponed []journal.Entry // outcomes of calculations, stored with the next effect
	together                  // outcomes of branches, stored in one append
	queue     queue           // tasks that may start
	idle      bool            // nothing can go on by itself
	complete  bool            // all paths have ended; the run has to be finished
}

// readers are shown the entries of an execution.
type readers struct {
	Stream   stream.Stream    // live events of the run
	follower runtype.Follower // from the observer; nil for none
}

// rehearsal is an execution without effects: it only checks what would happen.
type rehearsal struct {
	rehearses bool           // nothing takes place, and nothing is stored
	check     question.Check // compares a question with the one that its task asks; nil for none
}

// room is the memory of an execution's lists while they are short, as those of most are.
type room struct {
	inputs [2]input         // for the machine
	starts [1]machine.Start // of tasks
	made   [1]made          // outcomes that a commit takes along
	waits  [1]waiting       // calls at which a task stopped
}

// scratch is memory that tasks reuse, one after the other.
type scratch struct {
	room      room           // first memory of short lists
	finishing finishing      // the last task's success
	now       int64          // the time of the current commit, in microseconds
	captured  []machine.Slot // captured inputs of the task
	slots     []plan.Slot    // the same, decoded
}

// Ending says how an execution has ended. Its fields are set before Done is closed.
type Ending struct {
	Done    chan struct{}              // closed when the execution has ended
	Outcome runtype.Result             // the run's status and result
	Head    uint64                     // of the journal at the end
	Due     int64                      // when the run goes on by itself, in microseconds; 0 for never
	OnMail  bool                       // the run waits for a message, and for no time but that of the call
	Lost    error                      // why the execution ended before the run did; nil if it did not
	Gone    bool                       // a node ended the executing goroutine: another one must go on
	failure error                      // the run's failure, if it is no task's
	causes  map[string]*fault.Captured // errors of tasks that failed for good, by task
	beside  any                        // of Evaluate: the value that the failing node returned beside its error; nil for none
}

// input makes entries for an event from outside. It runs again after a conflict (law J3).
type input func(m *machine.Machine) error

// furnish connects the parts of a new execution, whose tasks end with a context, and gives its lists their first memory.
func (x *Execution) furnish(ctx context.Context) {
	x.life.parent, x.ctx = ctx, &x.life
	x.host.run, x.host.mu, x.workers.run = x, &x.host.own, x
	x.inputs, x.queue.list = x.room.inputs[:0], x.room.starts[:0]
	x.host.made, x.host.waits = x.room.made[:0], x.room.waits[:0]
}

// Begin records the start of a run.
func (x *Execution) Begin(ctx context.Context, inputValue any, o runtype.StartOptions) error {
	codec, callers := x.Sized(x.Plan.State()), inputValue
	inputValue, err := runstate.Canonical(codec, callers, &x.Known, true)
	if err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: err}
	}
	data, err := guard.Encode(codec, inputValue)
	if err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: runtype.NotStorable(err)}
	}
	if err := x.CheckInput(data); err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: err}
	}
	snap, err := guard.Copy(codec, inputValue)
	if err == nil && !x.Unstored && !runstate.IsCopy(inputValue, callers) { // the caller may change its own (law N9)
		inputValue, err = guard.Copy(codec, snap)
	}
	if err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: runtype.NotStorable(err)}
	}
	given, err := givenTo(x.Plan, inputValue)
	breaks, none := x.breaksOf(&o)
	if err = cmp.Or(err, none); err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: err}
	}
	def := x.Plan.Definition()
	if o.Labels, err = x.labelsOf(inputValue, &o); err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: err}
	}
	if o.Schedule != "" {
		runtype.WithLabel(runtype.ScheduleLabel, o.Schedule)(&o)
	}
	body := &journal.StartedBody{
		Plan: def.Name, PlanVersion: def.Version, PlanKind: def.Kind, Fingerprint: x.Plan.Fingerprint(),
		Definition: o.Definition, By: o.By, Labels: label.Set(o.Labels), Inputs: given,
		Turn: x.turnOf(&o), Breaks: breaks, Debounced: o.Debounce.On,
	}
	messages, err := x.outgoing(o.Messages)
	if err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: x.ID, Err: err}
	}
	now := x.openedAt(&o, body, data)
	if err := o.SetDeadline(body, x.Storage.Now(), def.Limits); err != nil { // also of a run that is not stored
		return x.refuseStart(ctx, err)
	}
	x.Row = journal.RunRow{
		ID: x.ID, Plan: def.Name, Kind: def.Kind, Fingerprint: body.Fingerprint, Definition: o.Definition,
		Status: machine.Running, Created: now, Updated: now, Labels: label.Findable(o.Labels),
		Turn: body.Turn,
	}
	x.follow()
	if !x.Unstored && !x.Held {
		x.env.Leases.KeepAlive(ctx)
	}
	if err := x.KeepOutline(ctx); err != nil {
		return err
	}
	x.Values.Expect(x.Plan)
	x.Values.Put(1, inputValue, snap)
	err = x.commit(ctx, func(m *machine.Machine) error { return cmp.Or(m.Begin(now, body, data), post(m, now, messages)) })
	if errors.Is(err, journal.ErrConflict) {
		err = runtype.Conflict("a run of this id exists already")
	} else if err != nil && !x.Unstored {
		x.env.Leases.ReturnLater(x.ID)
	}
	if err != nil {
		return x.StoreError(x.ID, err)
	}
	return nil
}

// add records an input with the next commit.
func (x *Execution) add(in input) { x.inputs = append(x.inputs, in) }

// errOver says that another writer ended the run.
var errOver = errors.New("the run is over")

// commit applies inputs, computes what follows and stores all of it at once (laws J2 and J3). After a conflict
// with a writer that is no owner, it starts again from what was written.
func (x *Execution) commit(ctx context.Context, in input) error {
	if in != nil {
		x.add(in)
	}
	for {
		x.now = x.Now() // reading a clock costs as much as a node that does little
		if err := x.play(); err != nil {
			return x.workers.give(err)
		}
		work, err := x.next()
		if err != nil {
			return x.workers.give(err)
		}
		switch {
		case x.holdsBack(work):
			x.TakeUp.heldBack = append(x.TakeUp.heldBack, work.Append...)
		case x.postpones(work):
			x.postponed = append(x.postponed, work.Append...)
		default:
			err = x.append(ctx, work.Append)
		}
		if errors.Is(err, journal.ErrConflict) {
			if err = x.rebase(ctx, x.busy(work.Start)); err == nil {
				continue
			}
		}
		if err != nil {
			return x.workers.give(err)
		}
		x.afterStored()
		x.Continue(work)
		x.failFast(work)
		return nil
	}
}

// next asks the machine what follows. Timers that an input has set for now are due.
func (x *Execution) next() (*machine.Work, error) {
	at := max(x.now, x.Machine.Latest())
	if x.TakeUp.block != nil || len(x.workers.left) > 0 {
		return x.Machine.Next(at)
	}
	return x.Machine.NextToEnd(at)
}

// record is commit for entries of a running task: nothing follows from them yet.
func (x *Execution) record(ctx context.Context, in input) error {
	if len(x.onStored) > 0 { // something follows from the outcomes that wait
		defer x.workers.call()
		return x.commit(ctx, in)
	}
	x.add(in)
	for {
		if err := x.play(); err != nil {
			return x.workers.give(err)
		}
		err := x.append(ctx, x.Machine.Flush())
		if errors.Is(err, journal.ErrConflict) {
			if err = x.rebase(ctx, x.busy(nil)); err == nil {
				continue
			}
		}
		if err == nil {
			x.inputs = x.inputs[:0]
		}
		return x.workers.give(err)
	}
}

func (x *Execution) play() error {
	if x.workers.failed != nil {
		return x.workers.failed
	}
	for _, in := range x.inputs {
		if err := in(x.Machine); err != nil {
			return err
		}
	}
	return nil
}

// append stores entries, preceded by postponed ones.
func (x *Execution) append(ctx context.Context, entries []journal.Entry) error {
	if len(x.postponed) > 0 {
		x.postponed = append(x.postponed, entries...)
		entries = x.postponed
	}
	if len(entries) == 0 {
		return nil
	}
	if x.rehearses {
		return errLeftOff
	}
	if len(x.TakeUp.heldBack) > 0 {
		entries = slices.Concat(x.TakeUp.heldBack, entries)
	}
	var began time.Time
	if !x.Unstored {
		batch, memory := x.Project(entries)
		began = x.watched()
		if err := x.Store.Append(x.lasting(ctx), batch); err != nil {
			return err
		}
		if batch.Row != nil {
			x.Row = *batch.Row
		}
		memory.Release()
		x.Row.Head = entries[len(entries)-1].Seq
	}
	x.TakeUp.heldBack = nil
	wanted := x.Stream.Publish(x.ID, entries)
	x.stored(entries, began, wanted)
	clear(x.postponed)
	x.postponed = x.postponed[:0]
	return nil
}

// lasting returns a context that no stop request ends: an append that has begun is finished.
func (x *Execution) lasting(ctx context.Context) context.Context {
	switch {
	case ctx == x.ctx: // it has no values
		return context.Background()
	case ctx.Done() == nil:
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// execute continues the run until it cannot go on by itself.
func (x *Execution) execute() {
	defer x.LimitTime()()
	x.Work()
}

// Work is execute without the time limit. If a node ends the caller's goroutine, it sets Gone, and another
// goroutine must call Work.
func (x *Execution) Work() {
	err := runtype.ErrGoexit
	x.workers.mu.Lock()
	defer func() {
		if x.Gone = len(x.workers.left) > 0 && x.env != nil; !x.Gone {
			x.workers.dismiss()
			if x.workers.failed != nil {
				err = x.workers.failed
			}
			x.Lost = err
			x.finalize()
		}
		x.workers.mu.Unlock()
	}()
	err = x.loop()
	if errors.Is(err, errOver) {
		err = nil
	}
	x.Stop()
}

// loop starts ready tasks, with helpers, until nothing can go on by itself.
func (x *Execution) loop() error {
	for {
		did, err := x.step()
		switch {
		case err != nil:
			return err
		case did:
		case x.workers.busy():
			x.workers.wait()
		case x.idle:
			return nil
		default:
			return fmt.Errorf("no work left, and the run is neither idle nor complete")
		}
	}
}

// step does one piece of work; false if there is none.
func (x *Execution) step() (did bool, err error) {
	if x.outcomesDue() && x.workers.lost == nil {
		return true, x.storeOutcomes()
	}
	if x.leaveOff() {
		return true, x.lookAgain()
	}
	s, ok, err := x.workers.next()
	switch {
	case err != nil:
		return false, err
	case ok:
		return true, x.start(s)
	case len(x.workers.left) > 0:
		return true, x.failLeft()
	case x.TakeUp.block != nil:
		return x.recordBlock()
	case x.complete:
		x.complete = false
		x.workers.cancel() // running tasks that a Stop has left behind
		return true, x.finishRun()
	case x.workers.writeSignalled:
		return true, x.catchUpLive()
	case (x.idle || x.workers.busy()) && !x.Unstored && !runtype.Status(x.Machine.Status()).Ended() && x.Machine.Due() <= x.Now():
		return true, x.commit(x.ctx, func(m *machine.Machine) error { return m.Fire(x.Now()) })
	}
	return false, nil
}

// stopped returns why the execution's context is done: the time limit, the deadline, or a stop request.
func (x *Execution) stopped() error {
	if x.workers.failed != nil {
		return x.workers.failed
	}
	if err := errors.Join(x.storePostponed(), x.storeOutcomes()); err != nil {
		return err
	}
	if errors.Is(context.Cause(x.ctx), errDeadline) {
		return x.commit(context.WithoutCancel(x.ctx), func(m *machine.Machine) error { return m.Expire(x.Now()) })
	}
	if errors.Is(context.Cause(x.ctx), errTimeLimit) {
		limit := x.Plan.Limits().Time.String()
		x.failure = &runtype.LimitError{Limit: "time", Max: limit}
		return x.commit(context.WithoutCancel(x.ctx), func(m *machine.Machine) error {
			return m.End(x.Now(), journal.FinishedBody{
				Status: machine.Failed, Limit: "time", Max: limit, Error: x.failure.Error(),
			})
		})
	}
	return runtype.ErrStopped
}

// finishRun ends a run whose paths have all ended. Values of several paths are merged (law G4).
func (x *Execution) finishRun() error {
	if slots, ok := x.Machine.Outcome(nil); ok {
		return x.finishDataflow(slots)
	}
	finish, ending := x.Plan.Definition().Finish, x.Machine.Ending(nil)
	if finish == nil && len(ending.Steps) == 0 {
		return x.commit(x.ctx, func(m *machine.Machine) error { return m.Complete(x.Now(), machine.Value{}) })
	}
	var result any
	var data []byte
	err := x.aside(func() (err error) {
		result, err = x.joined(ending, x.Plan, nil)
		switch {
		case err == nil && finish != nil:
			result, data, err = x.finished(finish, result)
		case err == nil && !x.Unstored:
			data, err = guard.Encode(x.Sized(x.Plan.State()), result)
		}
		return err
	})
	if err != nil && fault.Capture(err).Is(journal.ErrCorrupt) {
		return err
	}
	if err != nil {
		return x.endFailed(err)
	}
	x.Outcome.Value, x.Outcome.Output = result, data
	return x.commit(x.ctx, func(m *machine.Machine) error {
		return m.Complete(x.Now(), machine.Value{Changed: data != nil, Data: data})
	})
}

// aside runs code that makes a run's result, on a goroutine of its own. It belongs to no task, so an ended
// goroutine would go unnoticed. Evaluate runs it on its caller's goroutine (law N7).
func (x *Execution) aside(f func() error) error {
	if x.env == nil || !runsAuthorsCode(x.Plan) {
		return f()
	}
	return guard.OnOwnGoroutine(f)
}

// runsAuthorsCode reports whether making a plan's result may call the author's functions or methods.
func runsAuthorsCode(p *plan.Plan) bool {
	codec, known := p.State().(interface{ Own() bool })
	return !known || codec.Own() || p.Definition().Finish != nil || p.Definition().Merge != nil || p.Result() != nil
}

// finished returns the result that a plan's author makes of the last value. That value is read back from its
// stored form (law N10).
func (x *Execution) finished(finish func(any) (any, error), last any) (result any, data []byte, err error) {
	if result, err = guard.Result(func() (any, error) { return finish(last) }); err != nil {
		return nil, nil, err
	}
	if data, err = question.ToJSON(result, x.MaxValue()); err != nil {
		return nil, nil, err
	}
	err = canonical.Decode(data, &result)
	return result, data, err
}

var _ nodehost.Host = (*host)(nil)

// SignalWrite signals a journal write by another writer. It never blocks.
func (x *Execution) SignalWrite() { x.workers.signalWrite() }
