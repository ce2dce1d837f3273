package fermata

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Migrate is Replan for a plan in which nodes have other names (law J8). The migration says which: open tasks and
// their questions, tokens and recorded steps find their place by it. It is recorded, and so it is part of the run from
// then on. A name that one of the plans does not have is CodeInvalid; what has no place in spite of the migration is
// ErrPlanChanged.
func (rt *Runtime) Migrate(ctx context.Context, id string, p *plan.Plan, m plan.Migration, definition string) (*Run, error) {
	return rt.resume(ctx, id, p, journal.ResumedBody{
		Reason: machine.ReasonReplan, By: rt.options.Name, Fingerprint: p.Fingerprint(), Definition: definition, Nodes: m.Nodes,
	})
}

// checkMigration checks the names of a migration against the plan that the run has and the one that it is given.
func (d *drive) checkMigration(m plan.Migration) error {
	if len(m.Nodes) == 0 {
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

// fits says why the run cannot go on with this plan, once nodes have moved as why says (law J8).
func (d *drive) fits(why journal.ResumedBody) error {
	if err := d.checkMigration(plan.Migration{Nodes: why.Nodes}); err != nil {
		return err
	}
	if fits := d.m.FitsAfter(why.Nodes); fits != "" {
		return d.planChanged(fits)
	}
	return nil
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
