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
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Migrate is Replan for a plan in which nodes or values have other names, or states another type (law J8). The migration
// says which: open tasks and their questions, tokens, values and recorded steps find their place by it. It is recorded
// with all that it made of values, in one append, and so it is part of the run from then on. A run that has failed is retried
// with it (law F2). A name that one of the plans does not have is CodeInvalid; what has no place in spite of the migration is
// ErrPlanChanged.
func (rt *Runtime) Migrate(ctx context.Context, id string, p *plan.Plan, m plan.Migration, definition string) (*Run, error) {
	why := journal.ResumedBody{
		Reason: machine.ReasonReplan, By: rt.options.Name, Fingerprint: p.Fingerprint(), Definition: definition, Nodes: m.Nodes, Values: m.Values,
	}
	if info, err := rt.Info(ctx, id); err == nil && info.Ended() && canRetry(info.Status) {
		why.Reason = machine.ReasonRetry
	}
	return rt.migrate(ctx, id, p, why, nil, m.State)
}

// resume takes a run up. Was is nil where somebody has asked for it.
func (rt *Runtime) resume(ctx context.Context, id string, p *plan.Plan, why journal.ResumedBody, was *string) (*Run, error) {
	return rt.migrate(ctx, id, p, why, was, nil)
}

// checkMigration checks the names of a migration against the plan that the run has and the one that it is given.
func (d *drive) checkMigration(m plan.Migration) error {
	if len(m.Nodes)+len(m.Values) == 0 {
		return nil
	}
	_, was, err := d.rt.Definition(context.Background(), outlineID(d.m.Started().Fingerprint))
	if err != nil {
		was = nil // then what was is not known
	}
	if err := m.Check(was, d.plan); err != nil {
		return &Error{Code: CodeInvalid, Run: d.id, Err: fmt.Errorf("migration: %w", err)}
	}
	return nil
}

// fits says why the run cannot go on with this plan, once nodes and values have moved as why says (law J8). It finds what
// the migration makes of values.
func (d *drive) fits(why journal.ResumedBody) error {
	moves := plan.Migration{Nodes: why.Nodes, Values: why.Values, State: d.convert}
	if err := d.checkMigration(moves); err != nil {
		return err
	}
	if fits := d.m.FitsAfter(why.Nodes); fits != "" {
		return d.planChanged(fits)
	}
	m := d.m
	again := why.Reason == machine.ReasonRetry && canRetry(m.Status())
	if again || len(why.Nodes)+len(why.Values) > 0 {
		var err error
		if m, err = d.folded(d.rt.store.Read(d.ctx, d.id, 0)); err != nil {
			return err
		}
	}
	if again { // what has failed is open again
		if err := m.Resume(d.now(), journal.ResumedBody{Reason: machine.ReasonRetry}); err != nil {
			return err
		}
		m.Flush() // this machine is nobody's
		if fits := m.FitsAfter(why.Nodes); fits != "" {
			return d.planChanged(fits)
		}
	}
	if m != d.m {
		m.Rename(moves.Nodes, moves.Values)
	}
	return d.takesValues(m, moves)
}

// canRetry reports whether a run of a status is one that a retry takes up.
func canRetry(status string) bool {
	return status == machine.Failed || status == machine.Expired || status == machine.Blocked
}

// fitsDeclared is fits with the migration that the plan brings along, where the run is taken up without one of its own. It
// returns how the run goes on: as it was asked for where that moves nothing.
func (d *drive) fitsDeclared(why journal.ResumedBody) (journal.ResumedBody, error) {
	with := d.declared(why)
	if err := d.fits(with); err != nil {
		return why, err
	}
	if len(with.Nodes)+len(d.conversions) == 0 && len(why.Nodes)+len(why.Values) == 0 {
		return why, nil
	}
	return with, nil
}

// declared adds what the plan declares as renamed.
func (d *drive) declared(why journal.ResumedBody) journal.ResumedBody {
	started := d.m.Started()
	retry := why.Reason == machine.ReasonRetry && canRetry(d.m.Status())
	if why.Reason != "" && why.Reason != machine.ReasonReplan && !retry || len(why.Nodes)+len(why.Values) > 0 || d.convert != nil ||
		d.plan.Definition().Renamed == nil || Status(d.m.Status()).Ended() && !retry {
		return why
	}
	_, was, err := d.rt.Definition(context.Background(), outlineID(started.Fingerprint))
	if err != nil {
		return why
	}
	moves := d.plan.Applicable(was)
	if moves.Empty() {
		return why
	}
	if why.Reason == "" {
		why = journal.ResumedBody{
			Reason: machine.ReasonReplan, By: d.rt.options.Name, Fingerprint: d.plan.Fingerprint(), Definition: started.Definition,
		}
	}
	if retry && why.Fingerprint == "" { // from here on the run has the names of this plan
		why.Fingerprint, why.Definition = d.plan.Fingerprint(), started.Definition
	}
	why.Nodes, why.Values, d.convert = moves.Nodes, moves.Values, moves.State
	return why
}

// keepsValues checks that the plan has a place for all that the run holds (law J8). On the plan that wrote the journal
// there is nothing to check but what its nodes read, where the plan says so, and states that its fingerprint does not cover.
func (d *drive) keepsValues(m *machine.Machine) error {
	kept := make(map[uint64][]byte) // the text of what was decoded for good
	h := inventory{m: m, data: func(ref uint64) []byte {
		if data := kept[ref]; data != nil {
			return data
		}
		for i := range d.conversions {
			if d.conversions[i].base == ref {
				return d.conversions[i].data
			}
		}
		if c := d.vals.find(ref); c != nil {
			return c.data
		}
		return nil
	}, knew: d.formerNames()}
	var fault *misfit
	switch {
	case m.Started().Fingerprint != d.plan.Fingerprint(), len(d.conversions) > 0:
		fault = h.misfit()
	default:
		h.live = func(ref uint64, codec plan.Codec) (any, error) {
			data := h.data(ref)
			c, err := d.vals.known(ref, codec)
			if err != nil {
				return nil, err
			}
			kept[ref] = data
			return c.live, nil
		}
		fault = h.undescribed(d.plan)
	}
	if fault == nil { // what nodes read is no part of the fingerprint
		fault = h.untaken()
	}
	if fault != nil {
		err := d.planChanged(fault.reason)
		changed, _ := errors.AsType[*PlanChangedError](err)
		changed.Value = fault.value
		if changed.Diff == (&plan.Changes{}).String() {
			changed.Diff = "nodes and edges are the same: it is about what they read"
		}
		if fault.hint != "" {
			changed.Hint = fault.hint
		}
		return err
	}
	return nil
}

// formerNames tells which values the dataflows of the plan had that the run is pinned to, none where that is not known.
func (d *drive) formerNames() func(scope, name string) bool {
	var names map[string]bool
	return func(scope, name string) bool {
		if names == nil {
			_, was, err := d.rt.Definition(context.Background(), outlineID(d.m.Started().Fingerprint))
			if err == nil {
				names, err = plan.ValuesOf(was)
			}
			if err != nil {
				names = map[string]bool{}
			}
		}
		return names[scope+"/"+name]
	}
}

// movesOf is the migration of an entry that lets a run go on.
func movesOf(e *journal.Entry) plan.Migration {
	var body journal.ResumedBody
	if json.Unmarshal(e.Body, &body) != nil { // the machine has folded it by now
		return plan.Migration{}
	}
	return plan.Migration{Nodes: body.Nodes}
}

// projectMoves adds what a migration has changed: questions have the names of other tasks, and timers other ids.
func (d *drive) projectMoves(b *journal.Batch, moves plan.Migration) {
	b.Interrupts = append(b.Interrupts, d.m.Interrupts()...)
	for _, t := range d.m.Tasks() {
		now := d.taskTimers(t)
		for _, path := range moves.Sources(d.m.Path(t)) {
			for i, old := range d.timersAt(t, path) {
				if old.ID != now[i].ID {
					b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: old.ID, Done: true})
				}
			}
		}
		b.Timers = append(b.Timers, now...)
	}
}

// renamed says which of the nodes that are gone may be one that is new, "" for none.
func renamed(c plan.Changes) string {
	var pairs, taken []string
	for _, old := range c.Removed {
		now := nearest.Name(old, c.Added)
		if now == "" && len(c.Removed) == 1 && len(c.Added) == 1 {
			now = c.Added[0]
		}
		if now != "" && !slices.Contains(taken, now) {
			taken = append(taken, now)
			pairs = append(pairs, fmt.Sprintf("%s is %s now", old, now))
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "if " + strings.Join(pairs, ", and ") + ", a migration can say so"
}
