package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// ForkOptions say where a fork begins, and what it changes. The zero value forks at the end and changes
// nothing.
type ForkOptions struct {
	// At is the seq of the last entry that the fork copies. Defaults to the last entry. If AskAgain names
	// questions of tasks that have finished since, it defaults to the entry before the first of their answers.
	At uint64
	// ID is the fork's id; one that exists is a conflict. Defaults to a new "run_…".
	ID string
	// By says who forks; it is recorded. Defaults to Options.Name.
	By string // By names who forks; it is recorded. Defaults to Options.Name.
	// Edit changes the values held at At: by tokens, by open tasks, or at the end by the run. It owns its
	// argument, in the form of the plan's author (*S, map[string]any), and returns the replacement. A task
	// whose value changed starts again without its recorded steps.
	Edit func(value any) (any, error)
	// Set changes the same values as JSON, before Edit. Keys are paths ("amount", "items.0.price", or a JSON
	// Pointer, "/a.b/c"). A missing member is added to its object; "-" appends to a list.
	Set map[string]json.RawMessage
	// Of limits Edit and Set to the value of one task ("review#2"), or of the token on its way to one node
	// ("review"). In a dataflow it names a node's last output by path, or the run's inputs by "/". Defaults to
	// all.
	Of string
	// AskAgain names questions, by id or by task, whose answers the fork drops. They are asked again, and their
	// tasks repeat later calls. Other answers are kept.
	AskAgain []string
	// Migration maps renamed nodes and values if the plan is not the run's own (law J8).
	Migration plan.Migration
	// Definition is the digest of the text that the plan was made from. Defaults to the run's own.
	Definition string
	// Breaks are the breakpoints of the fork; it has none of the run that it comes from (law J19).
	Breaks journal.Breaks
	// Hold only stores the fork: this runtime does not execute it.
	Hold bool
}

// Fork stores a fork, and returns its state and next steps.
func (h *History) Fork(ctx context.Context, run string, p *plan.Plan, o ForkOptions) (runstate.State, *machine.Work, error) {
	f := &fork{from: run, options: o, now: h.Storage.Now()}
	for what, text := range map[string]string{"the fork's id": f.options.ID, "who forks the run": f.options.By} {
		if err := printable.Check(what, text); err != nil {
			return runstate.State{}, nil, &runtype.Error{Code: runtype.CodeInvalid, Run: run, Err: err}
		}
	}
	if f.options.ID == "" {
		f.options.ID = storage.NewID("run_")
	}
	if f.options.By == "" {
		f.options.By = h.Options.Name
	}
	s := h.NewState(f.options.ID, p, runtype.Sync)
	f.s = &s
	if err := f.make(ctx); err != nil {
		return s, nil, err
	}
	work, err := f.store(ctx)
	return s, work, err
}

// TryFork returns how a fork would differ from its run before it continues, and stores nothing.
func (h *History) TryFork(ctx context.Context, run string, p *plan.Plan, o ForkOptions) (*Difference, error) {
	if o.ID == "" {
		o.ID = storage.NewID("run_")
	}
	s := h.NewState(o.ID, p, runtype.Sync)
	f := &fork{from: run, options: o, now: h.Storage.Now(), s: &s}
	if err := f.make(ctx); err != nil {
		return nil, err
	}
	_, entries, err := f.continued()
	if err != nil {
		return nil, err
	}
	x, err := h.look(ctx, At{Run: run})
	if err != nil {
		return nil, err
	}
	y, err := h.lookAt(At{Run: o.ID}, func(yield func(journal.Entry, error) bool) {
		for i := range entries {
			if !yield(entries[i], nil) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return differ(x, y)
}

// fork is a fork in progress.
type fork struct {
	from    string            // id of the forked run
	options ForkOptions       // of the call
	now     int64             // in microseconds
	s       *runstate.State   // of the fork
	entries []journal.Entry   // of the run, up to the cut; then of the fork
	ids     map[string]string // interrupt ids of the fork, by those of the run
	again   []string          // interrupts that the fork asks again
}

func (f *fork) make(ctx context.Context) error {
	if err := f.read(ctx); err != nil {
		return err
	}
	for _, step := range []func() error{f.cut, f.copy, f.fold, f.leave, f.edit} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fork) read(ctx context.Context) error {
	for e, err := range f.s.Store.Read(ctx, f.from, 0) {
		if err != nil {
			return f.s.StoreError(f.from, err)
		}
		f.entries = append(f.entries, e)
	}
	if len(f.entries) == 0 || f.entries[0].Kind != journal.RunStarted {
		return &runtype.Error{Code: runtype.CodeNotFound, Run: f.from, Err: runtype.ErrNotFound}
	}
	return nil
}

func (f *fork) invalid(format string, args ...any) error {
	return &runtype.Error{Code: runtype.CodeInvalid, Run: f.from, Err: fmt.Errorf("fork: "+format, args...)}
}

// cut determines where the fork leaves the run.
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
			at-- // a fork of a completed run ends it once more
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
			return f.invalid("interrupt %s was asked at seq %d, after the fork leaves the run at %d: it is asked again in any case",
				q.id, q.opened, at)
		case q.gone != 0 && q.gone <= at:
			before := q.before()
			for before > 1 && !whole[before-1] {
				before--
			}
			return f.invalid("interrupt %s cannot be asked again at seq %d: task %s has finished at seq %d, and is not run "+
				"again; fork at seq %d, before it was answered", q.id, at, q.task, q.gone, before)
		case q.closed != 0 && q.closed <= at: // otherwise it is open there, and waits for an answer
			f.again = append(f.again, q.id)
		}
	}
	if err := f.notUndone(at, whole); err != nil {
		return err
	}
	f.options.At, f.entries = at, all[:at:at]
	return nil
}

// askedAgain is a question that the fork asks again.
type askedAgain struct {
	id, task             string // of the interrupt, and of its task
	opened, closed, gone uint64 // seqs of question, answer and end of the task; 0 for none
}

// before returns the seq before the answer, or before the end of the task if there is none.
func (q *askedAgain) before() uint64 {
	if q.closed != 0 {
		return min(q.closed, q.gone) - 1
	}
	return q.gone - 1
}

// asked returns the questions that AskAgain names.
func (f *fork) asked() ([]askedAgain, error) {
	if len(f.options.AskAgain) == 0 {
		return nil, nil
	}
	var all []askedAgain
	for i := range f.entries {
		e := &f.entries[i]
		task := runstate.TaskName(e)
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
			moves := runstate.MovesOf(e)
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

// leave continues the fork from its cut.
func (f *fork) leave() error {
	d, body := f.s, journal.ResumedBody{By: f.options.By, Nodes: f.options.Migration.Nodes, Values: f.options.Migration.Values}
	if err := d.CheckMigration(f.options.Migration); err != nil {
		return err
	}
	if breaks := &f.options.Breaks; !breaks.Empty() {
		if err := runstate.CheckBreaks(d.Plan, breaks); err != nil {
			return f.invalid("%w", err)
		}
		body.Breaks = breaks
	}
	if fits := d.Machine.FitsAfter(body.Nodes); fits != "" {
		return d.PlanChanged(fits)
	}
	if err := f.takesValues(); err != nil {
		return err
	}
	started := d.Machine.Started()
	if digest := f.options.Definition; started.Fingerprint != d.Plan.Fingerprint() || digest != "" && digest != started.Definition {
		body.Fingerprint, body.Definition = d.Plan.Fingerprint(), digest
	}
	for _, id := range f.again {
		body.Again = append(body.Again, f.ids[id])
	}
	if op := d.Machine.UnsettledByFork(body.Again); op != "" {
		return f.unsettled(op)
	}
	if err := d.Machine.Fork(f.now, body); err != nil {
		return err
	}
	return d.ConvertAll(d.Machine, f.now, body.By)
}

// takesValues converts the fork's values, and checks that the plan keeps all of them (law J8).
func (f *fork) takesValues() error {
	m, moves := f.s.Machine, f.options.Migration
	if len(moves.Nodes)+len(moves.Values) > 0 {
		var err error
		m, err = f.s.Ahead(func(yield func(journal.Entry, error) bool) {
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
	return f.s.TakesValues(m, moves)
}

func (f *fork) unsettled(op string) error {
	return &runtype.Error{Code: runtype.CodeConflict, Run: f.from, Err: fmt.Errorf(
		"%w: fork: the outcome of an AtMostOnce step is not known (%s), and the fork would do it again; fork before it was begun", runtype.ErrConflict, op)}
}

// continued returns the next steps of the fork, and its entries with those that begin them.
func (f *fork) continued() (*machine.Work, []journal.Entry, error) {
	work, err := f.s.Machine.Next(f.now)
	if err != nil {
		return nil, nil, f.s.StoreError(f.s.ID, err)
	}
	return work, slices.Concat(f.entries, work.Append), nil
}

// store writes the fork with its projections in one append. It returns the next steps.
func (f *fork) store(ctx context.Context) (*machine.Work, error) {
	d := f.s
	work, entries, err := f.continued()
	if err != nil {
		return nil, err
	}
	if err := d.KeepOutline(ctx); err != nil {
		return nil, err
	}
	err = d.Store.Append(context.WithoutCancel(ctx), f.batch(entries))
	if errors.Is(err, runtype.ErrConflict) {
		return nil, &runtype.Error{Code: runtype.CodeConflict, Run: d.ID, Err: fmt.Errorf("%w: there is a run with this id already", runtype.ErrConflict)}
	}
	if err != nil {
		return nil, d.StoreError(d.ID, err)
	}
	d.Row.Head = d.Machine.Head()
	return work, nil
}

// batch returns the fork with all its projections.
func (f *fork) batch(entries []journal.Entry) journal.Batch {
	d := f.s
	started := d.Machine.Started()
	d.Row = journal.RunRow{
		ID: d.ID, Plan: d.Plan.Name(), Kind: d.Plan.Definition().Kind, Fingerprint: started.Fingerprint,
		Definition: started.Definition, Status: d.Machine.Status(), Error: d.Machine.Error(),
		Waiting: len(d.Machine.Interrupts()), Created: f.now, Updated: f.now, Driver: d.RowOwner(),
		Labels: label.Findable(d.Machine.Labels()), Turn: started.Turn,
	}
	row := d.Row
	b := journal.Batch{Run: d.ID, Entries: entries, Row: &row, Interrupts: append(d.Machine.Closed(), d.Machine.Interrupts()...)}
	for i := range d.Machine.Interrupts() {
		if q := &d.Machine.Interrupts()[i]; q.Deadline != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: d.ID, ID: q.ID, Due: q.Deadline})
		}
	}
	b.Timers = append(b.Timers, d.Deadline()...)
	for _, t := range d.Machine.Tasks() {
		b.Timers = append(b.Timers, d.TaskTimers(t)...)
	}
	return b
}
