package runstate

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/replay"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Env holds what the states of all runs of a process share. Its fields are set once.
type Env struct {
	*storage.Storage
	*question.Schemas
	Outlines *Outlines                                     // of plans that stores have
	Recent   func(run string, head uint64) *runtype.Result // the result of an execution here that ended at that head; nil for none
	Long     uint64                                        // from how many entries on a run has checkpoints; 0 for never
	Owner    string                                        // the process's name in the rows of the runs that it owns; "" where there are no leases (law J10)
}

// State is the state of a run according to its journal: fold, values and row. It runs no nodes, only the
// author's codecs and migrations. One goroutine uses it at a time.
type State struct {
	*Env
	ID         string             // of the run
	Plan       *plan.Plan         // that the run goes on with
	Machine    *machine.Machine   // the fold of the journal
	Row        journal.RunRow     // as stored
	Durability journal.Durability // of the run
	Unstored   bool               // durability None: nothing is stored
	Held       bool               // stored and left to others: its row names no owner

	Values Values          // that tokens and tasks refer to
	Known  value.Known     // parts of the run's values that were inspected before
	Tokens question.Tokens // of interrupts opened here (law H5)

	converting

	Seen func(e *journal.Entry) // is given each entry that is read; nil for nobody

	Checkpointed uint64 // seq of the checkpoint that the run was read from, 0 for none
}

// converting is the migration of a run's values.
type converting struct {
	Convert     Converter    // converts them; nil for none
	conversions []conversion // converted values, to be recorded
}

// NewState returns the state of a run before its first entry.
func (v *Env) NewState(id string, p *plan.Plan, durability runtype.Durability) State {
	return State{Env: v, ID: id, Plan: p, Machine: machine.New(p), Unstored: durability == runtype.None, Durability: durability}
}

// Now returns the time in microseconds; 0 for a run that is not stored.
func (s *State) Now() int64 {
	if s.Unstored {
		return 0
	}
	return s.Storage.Now()
}

// Outlines are the fingerprints of plans whose outlines are stored.
type Outlines struct {
	mu   sync.Mutex      // guards kept
	kept map[string]bool // by fingerprint
}

func (o *Outlines) has(fingerprint string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept[fingerprint]
}

func (o *Outlines) add(fingerprint string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept == nil {
		o.kept = make(map[string]bool)
	}
	o.kept[fingerprint] = true
}

// Each calls f with each fingerprint.
func (o *Outlines) Each(f func(fingerprint string)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for fingerprint := range o.kept {
		f(fingerprint)
	}
}

// Retain forgets all fingerprints for which keep is false.
func (o *Outlines) Retain(keep func(fingerprint string) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for fingerprint := range o.kept {
		if !keep(fingerprint) {
			delete(o.kept, fingerprint)
		}
	}
}

// KeepOutline stores the plan's fingerprinted outline once, for later diffs (law J8).
func (s *State) KeepOutline(ctx context.Context) error {
	fingerprint := s.Plan.Fingerprint()
	if s.Unstored || s.Outlines.has(fingerprint) {
		return nil
	}
	if err := s.SaveText(ctx, storage.OutlineID(fingerprint), OutlineKind, s.Plan.Outline()); err != nil {
		return err
	}
	s.Outlines.add(fingerprint)
	return nil
}

// Read folds the stored journal into a new machine and returns the entries after the given seq. It finds the values
// that are referred to. A long run is read from its last checkpoint (law J6).
func (s *State) Read(ctx context.Context, after uint64) ([]journal.Entry, error) {
	var news []journal.Entry
	o := replay.Options{After: after, Whole: s.Long == 0 || s.Row.Head < s.Long}
	switch {
	case s.Seen != nil: // an observer recalls all of a run
		o.After, o.Each = 0, func(e *journal.Entry) {
			if s.Seen(e); e.Seq > after {
				news = append(news, *e)
			}
		}
	case after != math.MaxUint64:
		o.Each = func(e *journal.Entry) { news = append(news, *e) }
	}
	s.Values = Values{}
	r, err := replay.Open(ctx, s.Store, s.ID, s.Plan, o)
	if err != nil {
		return nil, s.StoreError(s.ID, err)
	}
	s.Machine, s.Checkpointed = r.Machine(), r.At()
	for _, ref := range s.Machine.Refs() {
		data, err := r.Whole(ref)
		if err != nil {
			return nil, s.ReplayError(s.ID, ref, err)
		}
		s.Values.Add(Cell{Ref: ref, Data: data})
	}
	s.Machine.Closed()
	s.Row.Head = s.Machine.Head()
	return news, nil
}

// PlanChanged returns the error of a run whose plan is another one than it was started on. It lists the changes.
func (s *State) PlanChanged(reason string) error {
	diff, hint := "the outline of the plan it was started on is not in the store", ""
	if _, was, err := s.Definition(context.Background(), storage.OutlineID(s.Machine.Started().Fingerprint)); err == nil {
		if changes, err := plan.Diff(was, s.Plan.Outline()); err == nil {
			diff, hint = changes.String(), renamed(changes)
		}
	}
	return &runtype.Error{Code: runtype.CodePlanChanged, Run: s.ID, Err: &runtype.PlanChangedError{Reason: reason, Diff: diff, Hint: hint}}
}

// OutlineKind is the kind of those texts.
const OutlineKind = "outline"

// CheckInput refuses an input that does not match the schema of the plan's input.
func (s *State) CheckInput(data []byte) error {
	doc := s.Plan.Definition().Input
	if len(doc) == 0 {
		return nil
	}
	compiled, err := s.Schema(doc)
	if err != nil {
		return err
	}
	if err := compiled.Check(data); err != nil {
		return fmt.Errorf("input: %w: %w", runtype.ErrInvalid, err)
	}
	return nil
}

// RowOwner returns the owner in the run's row. It is "" for a run that waits, has ended, or is left to others.
func (s *State) RowOwner() string {
	if s.Held || s.Unstored || runtype.Status(s.Machine.Status()) != runtype.Running {
		return ""
	}
	return s.Owner
}
