package runstate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// CheckMigration checks a migration's names against the run's plan and the new one.
func (s *State) CheckMigration(m plan.Migration) error {
	if len(m.Nodes)+len(m.Values) == 0 {
		return nil
	}
	_, was, err := s.Definition(context.Background(), storage.OutlineID(s.Machine.Started().Fingerprint))
	if err != nil {
		was = nil // the old names are unknown
	}
	if err := m.Check(was, s.Plan); err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: s.ID, Err: fmt.Errorf("migration: %w", err)}
	}
	return nil
}

// fits returns why the run cannot go on with this plan after the migration in why (law J8). It also computes
// the converted values.
func (s *State) fits(ctx context.Context, why journal.ResumedBody) error {
	moves := plan.Migration{Nodes: why.Nodes, Values: why.Values, State: s.Convert}
	if err := s.CheckMigration(moves); err != nil {
		return err
	}
	if fits := s.Machine.FitsAfter(why.Nodes); fits != "" {
		return s.PlanChanged(fits)
	}
	m := s.Machine
	again := why.Reason == machine.ReasonRetry && CanRetry(m.Status())
	if again || len(why.Nodes)+len(why.Values) > 0 {
		var err error
		if m, err = s.folded(s.Store.Read(ctx, s.ID, 0)); err != nil {
			return err
		}
	}
	if again { // failed tasks are open again
		if err := m.Resume(s.Now(), journal.ResumedBody{Reason: machine.ReasonRetry}); err != nil {
			return err
		}
		m.Flush() // this machine is a copy
		if fits := m.FitsAfter(why.Nodes); fits != "" {
			return s.PlanChanged(fits)
		}
	}
	if m != s.Machine {
		m.Rename(moves.Nodes, moves.Values)
	}
	return s.TakesValues(m, moves)
}

// CanRetry reports whether a run of this status can be retried.
func CanRetry(status string) bool {
	return status == machine.Failed || status == machine.Expired || status == machine.Blocked
}

// FitsDeclared is fits with the plan's declared migration, if the caller gave none. It returns how the run goes
// on.
func (s *State) FitsDeclared(ctx context.Context, why journal.ResumedBody) (journal.ResumedBody, error) {
	with := s.declared(why)
	if err := s.fits(ctx, with); err != nil {
		return why, err
	}
	if len(with.Nodes)+len(s.conversions) == 0 && len(why.Nodes)+len(why.Values) == 0 {
		return why, nil
	}
	return with, nil
}

// declared adds the plan's declared renames.
func (s *State) declared(why journal.ResumedBody) journal.ResumedBody {
	started := s.Machine.Started()
	retry := why.Reason == machine.ReasonRetry && CanRetry(s.Machine.Status())
	if why.Reason != "" && why.Reason != machine.ReasonReplan && !retry || len(why.Nodes)+len(why.Values) > 0 || s.Convert != nil ||
		s.Plan.Definition().Renamed == nil || runtype.Status(s.Machine.Status()).Ended() && !retry {
		return why
	}
	_, was, err := s.Definition(context.Background(), storage.OutlineID(started.Fingerprint))
	if err != nil {
		return why
	}
	moves := s.Plan.Applicable(was)
	if moves.Empty() {
		return why
	}
	if why.Reason == "" {
		why = journal.ResumedBody{
			Reason: machine.ReasonReplan, By: s.Options.Name, Fingerprint: s.Plan.Fingerprint(), Definition: started.Definition,
		}
	}
	if retry && why.Fingerprint == "" { // from here on the run has the names of this plan
		why.Fingerprint, why.Definition = s.Plan.Fingerprint(), started.Definition
	}
	why.Nodes, why.Values, s.Convert = moves.Nodes, moves.Values, moves.State
	return why
}

// keepsValues checks that the plan has a place for all values of the run (law J8). For an unchanged fingerprint
// it only checks declared reads of nodes, and states that the fingerprint does not cover.
func (s *State) keepsValues(m *machine.Machine) error {
	kept := make(map[uint64][]byte) // JSON of decoded and kept values
	h := inventory{m: m, data: func(ref uint64) []byte {
		if data := kept[ref]; data != nil {
			return data
		}
		for i := range s.conversions {
			if s.conversions[i].base == ref {
				return s.conversions[i].data
			}
		}
		if c := s.Values.Find(ref); c != nil {
			return c.Data
		}
		return nil
	}, knew: s.formerNames()}
	var fault *misfit
	switch {
	case m.Started().Fingerprint != s.Plan.Fingerprint(), len(s.conversions) > 0:
		fault = h.misfit()
	default:
		h.live = func(ref uint64, codec plan.Codec) (any, error) {
			data := h.data(ref)
			v, err := s.Values.Peek(ref, codec)
			if err == nil {
				kept[ref] = data
			}
			return v, err
		}
		fault = h.undescribed(s.Plan)
	}
	if fault == nil { // reads of nodes are not in the fingerprint
		fault = h.untaken()
	}
	if fault != nil {
		err := s.PlanChanged(fault.reason)
		changed, _ := errors.AsType[*runtype.PlanChangedError](err)
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

// formerNames returns a lookup of the values in the dataflows of the run's pinned plan; none if that is
// unknown.
func (s *State) formerNames() func(scope, name string) bool {
	var names map[string]bool
	return func(scope, name string) bool {
		if names == nil {
			_, was, err := s.Definition(context.Background(), storage.OutlineID(s.Machine.Started().Fingerprint))
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

// MovesOf returns the migration in a Resumed entry.
func MovesOf(e *journal.Entry) plan.Migration {
	if !bytes.Contains(e.Body, []byte(`"nodes"`)) { // as most of them
		return plan.Migration{}
	}
	var body journal.ResumedBody
	if json.Unmarshal(e.Body, &body) != nil { // the machine has folded it already
		return plan.Migration{}
	}
	return plan.Migration{Nodes: body.Nodes}
}

// projectMoves projects a migration: questions move to renamed tasks, and timers get new ids.
func (s *State) projectMoves(b *journal.Batch, moves plan.Migration) {
	b.Interrupts = append(b.Interrupts, s.Machine.Interrupts()...)
	for _, t := range s.Machine.Tasks() {
		now := s.TaskTimers(t)
		for _, path := range moves.Sources(s.Machine.Path(t)) {
			for i, old := range s.timersAt(t, path) {
				if old.ID != now[i].ID {
					b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: old.ID, Done: true})
				}
			}
		}
		b.Timers = append(b.Timers, now...)
	}
}

// renamed returns the removed node that an added one may have replaced, "" for none.
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
