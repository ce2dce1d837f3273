package fermata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// ForkOptions say where a fork leaves its run, and what is different from there on. The zero value forks at the end,
// and changes nothing.
type ForkOptions struct {
	// At is the seq of the last entry that the fork shares with the run. Defaults to the last entry there is; where
	// AskAgain names questions of tasks that have finished since, to the last one before the first of their answers.
	At uint64
	// ID is the fork's id; one that exists is a conflict. Defaults to a new "run_…".
	ID string
	// By says who forks; it is recorded. Defaults to Options.Name.
	By string
	// Edit changes the values that are held at At: by tokens on their way and by open tasks; at the end of a run, its
	// last value. It is given a value of its own, as the plan's author erases it (*S, map[string]any), and returns what
	// takes its place. A task that was given another value begins again from its top, without the steps that it has
	// recorded.
	Edit func(value any) (any, error)
	// Set changes the same values as JSON, before Edit: by a path ("amount", "items.0.price", or a JSON Pointer,
	// "/a.b/c") the value there. A member that is not there is added to the object that it belongs to; "-" adds to a list.
	Set map[string]json.RawMessage
	// Of limits Edit and Set to the value of one task ("review#2") or of the token on its way to one node ("review").
	// In a dataflow it names what a node has written last, by the node's path, or the run's inputs, by "/". Defaults to all.
	Of string
	// AskAgain names questions, by their ids or by the tasks that asked them, whose answers the fork does not keep.
	// They are asked anew, and what their tasks did after asking is done again. All other answers are kept.
	AskAgain []string
	// Migration says where nodes and values are now, when the plan is not the one that the run has (law J8).
	Migration plan.Migration
	// Definition is the digest of the text that the plan was made from. Defaults to the run's own.
	Definition string
	// Hold only records the fork: this runtime does not drive it.
	Hold bool
}

// Fork begins a new run that has behind it what a run had at a seq, and goes its own way from there. The run that is
// forked stays as it is, whether it has ended or is being driven by somebody.
//
// The fork has a journal of its own, which begins with a copy of the entries up to that seq, and needs the other one no
// more (law J9). Tasks that finished by then are never run again (law J4), and recorded steps are not made again
// (law J5). What was under way, but not recorded, is done by the fork itself, with idempotency keys of its own.
// Questions have other ids and tokens: an answer to one run is none to the other. Deadlines and backoffs stay when they
// are; a deadline that is over already gets the time that it had once more, from now on.
//
// A seq between entries that are one fact, as an outcome and the route that follows from it, is refused with
// CodeInvalid, which names the seqs next to it. A plan that does not fit is ErrPlanChanged (law J8); an edit or a
// question that would make the run forget an AtMostOnce step of unknown outcome is a conflict.
func (rt *Runtime) Fork(ctx context.Context, run string, p *plan.Plan, o ForkOptions) (*Run, error) {
	if rt.ctx.Err() != nil {
		return nil, &Error{Code: CodeStopped, Run: run, Err: ErrClosed}
	}
	f := &fork{rt: rt, from: run, options: o, now: rt.now()}
	for what, text := range map[string]string{"the fork's id": f.options.ID, "who forks the run": f.options.By} {
		if err := printable.Check(what, text); err != nil {
			return nil, &Error{Code: CodeInvalid, Run: run, Err: err}
		}
	}
	if f.options.ID == "" {
		f.options.ID = newID("run_")
	}
	if f.options.By == "" {
		f.options.By = rt.options.Name
	}
	f.d = rt.newDrive(f.options.ID, p, Sync)
	if err := f.make(ctx); err != nil {
		f.d.stop()
		return nil, err
	}
	d := f.d
	if o.Hold {
		d.hold()
		return rt.handle(d.id, p, d), nil
	}
	if err := rt.launch(d); err != nil {
		return nil, err
	}
	return rt.handle(d.id, p, d), nil
}

// fork is a fork being made.
type fork struct {
	rt      *Runtime
	from    string
	options ForkOptions
	now     int64
	d       *drive
	entries []journal.Entry   // of the run, up to the cut; then of the fork
	ids     map[string]string // interrupts of the run -> of the fork
	again   []string          // interrupts of the fork
}

func (f *fork) make(ctx context.Context) error {
	if err := f.read(ctx); err != nil {
		return err
	}
	if err := f.cut(); err != nil {
		return err
	}
	if err := f.copy(); err != nil {
		return err
	}
	if err := f.fold(); err != nil {
		return err
	}
	if err := f.leave(); err != nil {
		return err
	}
	if err := f.edit(); err != nil {
		return err
	}
	return f.store(ctx)
}

func (f *fork) read(ctx context.Context) error {
	for e, err := range f.rt.store.Read(ctx, f.from, 0) {
		if err != nil {
			return f.rt.storeError(f.from, err)
		}
		f.entries = append(f.entries, e)
	}
	if len(f.entries) == 0 || f.entries[0].Kind != journal.RunStarted {
		return &Error{Code: CodeNotFound, Run: f.from, Err: ErrNotFound}
	}
	return nil
}

func (f *fork) invalid(format string, args ...any) error {
	return &Error{Code: CodeInvalid, Run: f.from, Err: fmt.Errorf("fork: "+format, args...)}
}

// cut settles where the fork leaves the run.
func (f *fork) cut() error {
	all, whole := f.entries, machine.WholeFacts(f.entries)
	asked, err := f.asked()
	if err != nil {
		return err
	}
	head := uint64(len(all))
	at := f.options.At
	switch {
	case at > head:
		return f.invalid("expected a seq from 1 to %d, found %d", head, at)
	case at == 0 || at == head:
		if at = head; machine.Completes(&all[head-1]) {
			at-- // a fork goes on: of a completed run, to its end once more
		}
		if f.options.At == 0 {
			for _, q := range asked {
				if q.gone != 0 {
					at = min(at, q.before())
				}
			}
			for at > 1 && !whole[at-1] {
				at--
			}
		}
	}
	if !whole[at-1] {
		return f.invalid("seq %d is in the middle of one fact (%s); %s", at, factAround(all, whole, at), nearestCuts(whole, at))
	}
	for _, q := range asked {
		switch {
		case q.opened > at && f.options.At != 0:
			return f.invalid("interrupt %s was asked at seq %d, after the fork leaves the run at %d: it is asked anew in any case",
				q.id, q.opened, at)
		case q.gone != 0 && q.gone <= at:
			before := q.before()
			for before > 1 && !whole[before-1] {
				before--
			}
			return f.invalid("interrupt %s cannot be asked again at seq %d: task %s has finished at seq %d, and is not run "+
				"again; fork at seq %d, before it was answered", q.id, at, q.task, q.gone, before)
		case q.closed != 0 && q.closed <= at: // else it is open there, and waits for an answer as it is
			f.again = append(f.again, q.id)
		}
	}
	f.options.At, f.entries = at, all[:at:at]
	return nil
}

// askedAgain is a question that the fork asks again.
type askedAgain struct {
	id, task             string
	opened, closed, gone uint64 // when it was asked, was answered, and when its task was over; 0 for not
}

// before is the seq before the question was answered; before its task was over when nobody has answered.
func (q *askedAgain) before() uint64 {
	if q.closed != 0 {
		return min(q.closed, q.gone) - 1
	}
	return q.gone - 1
}

// asked finds the questions that AskAgain names.
func (f *fork) asked() ([]askedAgain, error) {
	if len(f.options.AskAgain) == 0 {
		return nil, nil
	}
	var all []askedAgain
	for i := range f.entries {
		e := &f.entries[i]
		task := taskName(e)
		switch e.Kind {
		case journal.InterruptOpened:
			all = append(all, askedAgain{id: e.Op, task: task, opened: e.Seq})
		case journal.InterruptResolved:
			for j := range all {
				if all[j].id == e.Op {
					all[j].closed = e.Seq
				}
			}
		case journal.RunResumed:
			moves := movesOf(e)
			for j := range all {
				path, visit, _ := strings.Cut(all[j].task, "#")
				all[j].task = moves.Path(path) + "#" + visit
			}
		case journal.NodeFinished, journal.RouteTaken:
			for j := range all {
				if all[j].task == task && all[j].gone == 0 {
					all[j].gone = e.Seq
				}
			}
		default:
		}
	}
	var found []askedAgain
	var names []string
	for _, q := range all {
		names = append(names, q.task, q.id)
	}
	for _, name := range f.options.AskAgain {
		n := len(found)
		for _, q := range all {
			if q.id == name || q.task == name {
				found = append(found, q)
			}
		}
		if len(found) == n {
			return nil, f.invalid("no task or interrupt %q has asked anybody%s", name, nearest.Hint(name, names))
		}
	}
	return found, nil
}

// leave lets the fork go on from where it left the run.
func (f *fork) leave() error {
	d, body := f.d, journal.ResumedBody{By: f.options.By, Nodes: f.options.Migration.Nodes, Values: f.options.Migration.Values}
	if err := d.checkMigration(f.options.Migration); err != nil {
		return err
	}
	if fits := d.m.FitsAfter(body.Nodes); fits != "" {
		return d.planChanged(fits)
	}
	if err := f.takesValues(); err != nil {
		return err
	}
	started := d.m.Started()
	if digest := f.options.Definition; started.Fingerprint != d.plan.Fingerprint() || digest != "" && digest != started.Definition {
		body.Fingerprint, body.Definition = d.plan.Fingerprint(), digest
	}
	for _, id := range f.again {
		body.Again = append(body.Again, f.ids[id])
	}
	if op := d.m.UnsettledByFork(body.Again); op != "" {
		return f.unsettled(op)
	}
	if err := d.m.Fork(f.now, body); err != nil {
		return err
	}
	return d.convertAll(d.m, f.now, body.By)
}

// takesValues converts what the fork holds, and checks that the plan keeps all of it (law J8).
func (f *fork) takesValues() error {
	m, moves := f.d.m, f.options.Migration
	if len(moves.Nodes)+len(moves.Values) > 0 {
		var err error
		m, err = f.d.ahead(func(yield func(journal.Entry, error) bool) {
			for i := range f.entries {
				if !yield(f.entries[i], nil) {
					return
				}
			}
		}, moves)
		if err != nil {
			return err
		}
	}
	return f.d.takesValues(m, moves)
}

func (f *fork) unsettled(op string) error {
	return &Error{Code: CodeConflict, Run: f.from, Err: fmt.Errorf(
		"%w: fork: the outcome of an AtMostOnce step is not known (%s), and the fork would do it again; fork before it was begun", ErrConflict, op)}
}

// store writes the fork: all its entries and their projections at once.
func (f *fork) store(ctx context.Context) error {
	d := f.d
	work, err := d.m.Next(f.now)
	if err != nil {
		return d.rt.storeError(d.id, err)
	}
	entries := slices.Concat(f.entries, work.Append)
	if err := d.keepOutline(ctx); err != nil {
		return err
	}
	err = d.rt.store.Append(context.WithoutCancel(ctx), f.batch(entries))
	if errors.Is(err, ErrConflict) {
		return &Error{Code: CodeConflict, Run: d.id, Err: fmt.Errorf("%w: there is a run with this id already", ErrConflict)}
	}
	if err != nil {
		return d.rt.storeError(d.id, err)
	}
	d.row.Head = d.m.Head()
	d.queue.push(work.Start)
	d.idle, d.complete = work.Idle, work.Complete
	return nil
}

// batch is the fork with all its projections.
func (f *fork) batch(entries []journal.Entry) journal.Batch {
	d := f.d
	started := d.m.Started()
	d.row = journal.RunRow{
		ID: d.id, Plan: d.plan.Name(), Kind: d.plan.Definition().Kind, Fingerprint: started.Fingerprint,
		Definition: started.Definition, Status: d.m.Status(), Error: d.m.Finished().Error,
		Waiting: len(d.m.Interrupts()), Created: f.now, Updated: f.now, Driver: d.driver(),
	}
	row := d.row
	b := journal.Batch{Run: d.id, Entries: entries, Row: &row, Interrupts: append(d.m.Closed(), d.m.Interrupts()...)}
	for i := range d.m.Interrupts() {
		if q := &d.m.Interrupts()[i]; q.Deadline != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: q.ID, Due: q.Deadline})
		}
	}
	for _, t := range d.m.Tasks() {
		b.Timers = append(b.Timers, d.taskTimers(t)...)
	}
	return b
}

// taskTimers are the timers that an open task has: of its sleeps, of a backoff.
func (d *drive) taskTimers(t *machine.Task) []journal.Timer {
	return d.timersAt(t, d.m.Path(t))
}

// timersAt is taskTimers with the ids that they have where the task's node has that path.
func (d *drive) timersAt(t *machine.Task, path string) (timers []journal.Timer) {
	e := journal.Entry{Node: path, Visit: t.Visit}
	if t.State == machine.Backoff {
		timers = append(timers, journal.Timer{Run: d.id, ID: retryID(&e), Due: t.RetryAt})
	}
	for op := range t.Sleeps() {
		e.Op = op.ID
		timers = append(timers, journal.Timer{Run: d.id, ID: timerID(&e), Due: op.Due})
	}
	return timers
}

// hold leaves a fork that nobody here drives, ready to say how it stands.
func (d *drive) hold() {
	d.stop()
	if d.m.Status() == machine.Running {
		d.lost = ErrStopped
	}
	d.settle()
	close(d.done)
	d.live.close()
}
