package history

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Verdict is the predicted outcome of resuming a run.
type Verdict string

// The verdicts of [Runtime.CanResume].
const (
	GoesOn      Verdict = "goes_on"      // the run goes on, possibly on a changed plan
	Migrates    Verdict = "migrates"     // it goes on with the migration in Outlook.Nodes and Outlook.Values, given or declared by the plan
	PlanChanged Verdict = "plan_changed" // ErrPlanChanged: the plan has no place for a value or task of the run (law J8)
	Diverges    Verdict = "diverges"     // ErrDiverged: the code of an open task diverged from its journal (law N3)
	NeedsRetry  Verdict = "needs_retry"  // the run was set aside after too many takeovers: it needs Retry (law J11)
	Refused     Verdict = "refused"      // resuming fails for another reason: Outlook.Reason
	PlanUnknown Verdict = "plan_unknown" // this process does not know the plan of the run
	HasEnded    Verdict = "ended"        // the run has ended: there is nothing to resume
)

// Outlook is the predicted outcome of resuming one run. See [Runtime.CanResume].
type Outlook struct {
	Run     string         `json:"run"`              // id of the run
	Plan    string         `json:"plan"`             // name of its plan
	Status  runtype.Status `json:"status"`           // of the run
	Verdict Verdict        `json:"verdict"`          // the prediction
	Reason  string         `json:"reason,omitempty"` // why it cannot go on
	Task    string         `json:"task,omitempty"`   // id of the task whose code diverges
	Value   string         `json:"value,omitempty"`  // the value without a place in the plan: "amount", "items.0.price"
	Diff    string         `json:"diff,omitempty"`   // of the plan and the one that the run was started on
	Hint    string         `json:"hint,omitempty"`   // names that may have changed: a migration can rename them

	Nodes  map[string]string `json:"nodes,omitempty"`  // of the migration: new paths of nodes by old ones
	Values map[string]string `json:"values,omitempty"` // of the migration: new names of values by old ones

	Replayed  []string `json:"replayed,omitempty"`  // open tasks whose code was replayed without divergence
	Unchecked string   `json:"unchecked,omitempty"` // limits of the check: "code inside nodes is not checked"
}

// CanGoOn reports whether the check found nothing against resuming the run. It is true for a run that has
// ended.
func (o *Outlook) CanGoOn() bool {
	switch o.Verdict {
	case GoesOn, Migrates, HasEnded:
		return true
	}
	return false
}

// ResumeCheck configures [Runtime.CanResume]. The zero value checks runs against the plans that the runtime
// knows.
type ResumeCheck struct {
	// Plans returns the plan that a run would go on with; nil for none. Defaults to the plans of runs that this
	// runtime executed, and Options.Plans.
	Plans func(ctx context.Context, run runtype.RunInfo) (*plan.Plan, error)

	// Migration is applied to runs of other plans than those found, as by Migrate. Defaults to none. Its
	// function State is called.
	Migration plan.Migration

	// Replay runs the functions of open tasks against their recorded calls, up to the first unrecorded one. No
	// step, question, sleep or model call takes place; other effects of the function do, as on every replay.
	// Reasonings are not replayed. Defaults to false: code inside nodes is not checked.
	Replay bool
}

// CanResume predicts the outcome of resuming runs in this process (law J8). It changes nothing: it appends
// nothing, claims nothing and takes no lease, so it is safe beside the owners of the runs. The filter selects
// runs: one by its ID, even if it has ended; else all that have not ended. Outlooks are sorted by plan, then by
// start time.
func (h *History) CanResume(ctx context.Context, f journal.RunFilter, c ResumeCheck) ([]Outlook, error) {
	rows, err := h.Store.Runs(ctx, f)
	if err != nil {
		return nil, h.StoreError(f.ID, err)
	}
	if len(rows) == 0 && f.ID != "" {
		return nil, &runtype.Error{Code: runtype.CodeNotFound, Run: f.ID, Err: runtype.ErrNotFound}
	}
	if c.Plans == nil {
		c.Plans = h.Live.PlanFor
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := &rows[i], &rows[j]
		return cmp.Or(cmp.Compare(a.Plan, b.Plan), cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) < 0
	})
	all := make([]Outlook, 0, len(rows))
	for i := range rows {
		if rows[i].Ended() && f.ID == "" {
			continue
		}
		o, err := h.outlook(ctx, rows[i], &c)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// outlook is CanResume for one run. Its error is one of the store or the context; all else is a verdict.
func (h *History) outlook(ctx context.Context, info runtype.RunInfo, c *ResumeCheck) (Outlook, error) {
	o := Outlook{Run: info.ID, Plan: info.Plan, Status: runtype.Status(info.Status), Verdict: HasEnded}
	if info.Ended() {
		return o, nil
	}
	p, err := storage.FindPlan(ctx, c.Plans, info)
	switch {
	case ctx.Err() != nil:
		return o, &runtype.Error{Code: runtype.CodeStopped, Run: info.ID, Err: ctx.Err()}
	case err != nil:
		o.refuse(err)
		return o, nil
	case p == nil:
		o.Verdict = PlanUnknown
		return o, nil
	}
	s := h.NewState(info.ID, p, runtype.Sync)
	s.Row = info
	err = h.foresee(ctx, &s, &o, c)
	if storage.IsTransient(err) || ctx.Err() != nil {
		return o, err
	}
	if err != nil {
		o.refuse(err)
	}
	return o, nil
}

// foresee predicts how the run would go on.
func (h *History) foresee(ctx context.Context, s *runstate.State, o *Outlook, c *ResumeCheck) error {
	if err := h.Rehearsal.Covers(s.ID, s.Plan); err != nil {
		return err
	}
	if _, err := s.Read(ctx, math.MaxUint64); err != nil {
		return err
	}
	why := journal.ResumedBody{}
	o.Verdict = GoesOn
	if !c.Migration.Empty() && s.Machine.Started().Fingerprint != s.Plan.Fingerprint() {
		why = journal.ResumedBody{
			Reason: machine.ReasonReplan, Fingerprint: s.Plan.Fingerprint(), Nodes: c.Migration.Nodes, Values: c.Migration.Values,
		}
		s.Convert = c.Migration.State
	}
	why, err := s.FitsDeclared(ctx, why)
	if err != nil {
		return err
	}
	if why.Reason != "" {
		o.Verdict, o.Nodes, o.Values = Migrates, maps.Clone(why.Nodes), maps.Clone(why.Values)
	}
	if why.Reason == machine.ReasonReplan {
		if err := s.Replan(s.Machine, s.Now(), why); err != nil {
			return err
		}
		s.Machine.Flush() // this machine is a copy, and its entries are not stored
	}
	if body, _ := s.Machine.Blocked(); s.Machine.Status() == machine.Blocked && body.Code == machine.BlockTakeovers && body.RetryAt == 0 {
		o.Verdict, o.Reason = NeedsRetry, body.Error
		return nil
	}
	return h.rehearse(ctx, s, o, c.Replay)
}

// refuse records why a run cannot go on.
func (o *Outlook) refuse(err error) {
	o.Verdict, o.Reason, o.Nodes, o.Values = Refused, err.Error(), nil, nil
	if at, ok := errors.AsType[*runtype.Error](err); ok {
		o.Reason = at.Err.Error()
	}
	changed, ok := errors.AsType[*runtype.PlanChangedError](err)
	switch {
	case ok:
		o.Verdict = PlanChanged
		o.Reason, o.Value, o.Diff, o.Hint = changed.Reason, changed.Value, changed.Diff, changed.Hint
	case errors.Is(err, runtype.ErrPlanChanged):
		o.Verdict = PlanChanged
		if recorded, ok := errors.AsType[*node.RecordedError](err); ok {
			o.Value = recorded.Path
		}
	case errors.Is(err, runtype.ErrDiverged):
		o.Verdict = Diverges
	}
}

// rehearse replays the open tasks up to the end of the journal (law N3). The error is the one that would block
// the run.
func (h *History) rehearse(ctx context.Context, s *runstate.State, o *Outlook, replay bool) error {
	var left []string
	for _, t := range s.Machine.Tasks() {
		if !holdsCalls(t, s.Machine) {
			continue
		}
		id := s.Machine.TaskID(t)
		done := false
		if replay && !reasons(t) {
			var err error
			if done, err = h.Rehearsal.Replays(ctx, s, t, nil); err != nil {
				o.Task = id
				return err
			}
		}
		if done {
			o.Replayed = append(o.Replayed, id)
		} else {
			left = append(left, id)
		}
	}
	switch {
	case !replay:
		o.Unchecked = "code inside nodes is not checked"
	case len(left) > 0:
		o.Unchecked = "code of " + strings.Join(left, ", ") + " is not checked"
	}
	return nil
}

// holdsCalls reports whether a task has a function with recorded calls of its attempt.
func holdsCalls(t *machine.Task, m *machine.Machine) bool {
	flat := m.Flat(t)
	return flat.Sub == nil && flat.Run != nil && (t.State == machine.Ready || t.State == machine.Waiting) && !t.Joined() &&
		slices.ContainsFunc(t.Ops, func(op machine.Op) bool { return op.Attempt == t.Attempt })
}

// reasons reports whether a task has called a model. Its next pass may start tool programs and connections
// before a recorded call.
func reasons(t *machine.Task) bool {
	return slices.ContainsFunc(t.Ops, func(op machine.Op) bool {
		return op.Kind == nodehost.KindReason || op.Kind == nodehost.KindModel || op.Kind == nodehost.KindTool || strings.Contains(op.ID, nodehost.Inside)
	})
}
