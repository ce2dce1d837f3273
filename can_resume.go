package fermata

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Verdict says what would come of resuming a run.
type Verdict string

// The verdicts of [Runtime.CanResume].
const (
	GoesOn      Verdict = "goes_on"      // the run goes on, also on a plan that has changed
	Migrates    Verdict = "migrates"     // it goes on by the migration of Outlook.Nodes and Outlook.Values, given or declared by the plan
	PlanChanged Verdict = "plan_changed" // ErrPlanChanged: the plan has no place for what the run holds (law J8)
	Diverges    Verdict = "diverges"     // ErrDiverged: the code of an open task does not agree with the journal (law N3)
	NeedsRetry  Verdict = "needs_retry"  // the run was set aside after it was taken over too often: somebody has to retry it (law J11)
	Refused     Verdict = "refused"      // something else is against it: Outlook.Reason says what
	PlanUnknown Verdict = "plan_unknown" // this process does not know the plan of the run
	HasEnded    Verdict = "ended"        // the run has ended: there is nothing to resume
)

// Outlook says what would come of resuming a run; see [Runtime.CanResume].
type Outlook struct {
	Run     string  `json:"run"`
	Plan    string  `json:"plan"`
	Status  Status  `json:"status"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"` // why it cannot go on
	Task    string  `json:"task,omitempty"`   // the task whose code diverges
	Value   string  `json:"value,omitempty"`  // the value that has no place in the plan: "amount", "items.0.price"
	Diff    string  `json:"diff,omitempty"`   // how the plan differs from the one that the run was started on
	Hint    string  `json:"hint,omitempty"`   // which names may be the same: a migration can say so

	Nodes  map[string]string `json:"nodes,omitempty"`  // of the migration: new paths of nodes, by their old ones
	Values map[string]string `json:"values,omitempty"` // of the migration: new names of values, by their old ones

	Replayed  []string `json:"replayed,omitempty"`  // the open tasks whose code was replayed and agrees with the journal
	Unchecked string   `json:"unchecked,omitempty"` // what is not known: "code inside nodes is not checked"
}

// CanGoOn reports whether nothing is against resuming the run, as far as that was checked. It is true for a run that has
// ended.
func (o *Outlook) CanGoOn() bool {
	switch o.Verdict {
	case GoesOn, Migrates, HasEnded:
		return true
	}
	return false
}

// ResumeCheck says what [Runtime.CanResume] checks. The zero value checks runs against the plans that the runtime knows.
type ResumeCheck struct {
	// Plans finds the plan that a run would go on with; nil for a run that it does not know. Defaults to the plans of runs
	// that this runtime drove, and Options.Plans.
	Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)

	// Migration is what Migrate would be called with for runs of other plans than those found. Defaults to none. Its function
	// State is called.
	Migration plan.Migration

	// Replay calls the functions of open tasks with what is recorded of them, up to the first call that is not recorded: no
	// step, question, sleep or model call takes place. What a function does outside of such calls it does again, as it does
	// each time that a run goes on. Reasonings are not replayed. Defaults to false: then code inside nodes is not checked.
	Replay bool
}

// CanResume says for runs what would come of resuming them here and now (law J8), and changes nothing: it appends nothing,
// claims nothing, takes no lease, and works beside whichever process drives the runs. The filter selects the runs: one by its
// ID, also when it has ended; else all that have not ended. The outlooks are sorted by plan, then by when the run started.
func (rt *Runtime) CanResume(ctx context.Context, f journal.RunFilter, c ResumeCheck) ([]Outlook, error) {
	rows, err := rt.store.Runs(ctx, f)
	if err != nil {
		return nil, rt.storeError(f.ID, err)
	}
	if len(rows) == 0 && f.ID != "" {
		return nil, &Error{Code: CodeNotFound, Run: f.ID, Err: ErrNotFound}
	}
	if c.Plans == nil {
		c.Plans = rt.planFor
	}
	slices.SortStableFunc(rows, func(a, b RunInfo) int {
		return cmp.Or(cmp.Compare(a.Plan, b.Plan), cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	all := make([]Outlook, 0, len(rows))
	for i := range rows {
		if rows[i].Ended() && f.ID == "" {
			continue
		}
		o, err := rt.outlook(ctx, rows[i], &c)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// outlook is CanResume for one run. Its error is one of the store or the context: all else is a verdict.
func (rt *Runtime) outlook(ctx context.Context, info RunInfo, c *ResumeCheck) (Outlook, error) {
	o := Outlook{Run: info.ID, Plan: info.Plan, Status: Status(info.Status), Verdict: HasEnded}
	if info.Ended() {
		return o, nil
	}
	p, err := foundBy(ctx, c.Plans, info)
	switch {
	case ctx.Err() != nil:
		return o, &Error{Code: CodeStopped, Run: info.ID, Err: ctx.Err()}
	case err != nil:
		o.refuse(err)
		return o, nil
	case p == nil:
		o.Verdict = PlanUnknown
		return o, nil
	}
	d := rt.newDrive(info.ID, p, Sync)
	defer d.stop()
	d.row, d.looksOn = info, true
	err = d.foresee(ctx, &o, c)
	if mends(err) || ctx.Err() != nil {
		return o, err
	}
	if err != nil {
		o.refuse(err)
	}
	return o, nil
}

// foundBy asks a function of the program's for a plan, which need not return (law N7).
func foundBy(ctx context.Context, plans func(context.Context, RunInfo) (*plan.Plan, error), info RunInfo) (p *plan.Plan, err error) {
	err = outside(func() error { p, err = plans(ctx, info); return err })
	return p, err
}

// foresee finds out how the run would go on.
func (d *drive) foresee(ctx context.Context, o *Outlook, c *ResumeCheck) error {
	if err := d.rt.policies.covers(d.id, d.plan); err != nil {
		return err
	}
	if _, err := d.read(ctx, math.MaxUint64); err != nil {
		return err
	}
	why := journal.ResumedBody{}
	o.Verdict = GoesOn
	if !c.Migration.Empty() && d.m.Started().Fingerprint != d.plan.Fingerprint() {
		why = journal.ResumedBody{
			Reason: machine.ReasonReplan, Fingerprint: d.plan.Fingerprint(), Nodes: c.Migration.Nodes, Values: c.Migration.Values,
		}
		d.convert = c.Migration.State
	}
	why, err := d.fitsDeclared(why)
	if err != nil {
		return err
	}
	if why.Reason != "" {
		o.Verdict, o.Nodes, o.Values = Migrates, maps.Clone(why.Nodes), maps.Clone(why.Values)
	}
	if why.Reason == machine.ReasonReplan {
		if err := d.replan(d.m, d.now(), why); err != nil {
			return err
		}
		d.m.Flush() // this machine is nobody's, and what it has made is not stored
	}
	if body, _ := d.m.Blocked(); d.m.Status() == machine.Blocked && body.Code == machine.BlockTakeovers && body.RetryAt == 0 {
		o.Verdict, o.Reason = NeedsRetry, body.Error
		return nil
	}
	return d.rehearse(ctx, o, c.Replay)
}

// refuse notes why a run cannot go on.
func (o *Outlook) refuse(err error) {
	o.Verdict, o.Reason, o.Nodes, o.Values = Refused, err.Error(), nil, nil
	if at, ok := errors.AsType[*Error](err); ok {
		o.Reason = at.Err.Error()
	}
	changed, ok := errors.AsType[*PlanChangedError](err)
	switch {
	case ok:
		o.Verdict = PlanChanged
		o.Reason, o.Value, o.Diff, o.Hint = changed.Reason, changed.Value, changed.Diff, changed.Hint
	case errors.Is(err, ErrPlanChanged):
		o.Verdict = PlanChanged
		if recorded, ok := errors.AsType[*node.RecordedError](err); ok {
			o.Value = recorded.Path
		}
	case errors.Is(err, ErrDiverged):
		o.Verdict = Diverges
	}
}
