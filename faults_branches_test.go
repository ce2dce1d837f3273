package fermata_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/plan"
)

// newDrivenTeam is newDriven for the graphs with branches.
func newDrivenTeam(t *testing.T, name string, p *plan.Plan) *driven {
	d := newDriven(t, crashCase{name: name}, p)
	d.script.say, d.input = said, teamInput
	return d
}

// Every call of the store fails once while several tasks are at work: the run stops, says that it was the store, and
// comes to the same end when it is taken up again. Nothing hangs.
func TestJ2_StoreFaultsWithBranches(t *testing.T) {
	t.Parallel()
	for _, c := range branchCases {
		if c.name == "cached nodes in a pool" {
			continue // the runtimes of this test have no pools
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := c.build(newWorld()).Plan()
			clean := newDrivenTeam(t, c.name, p)
			want := clean.undisturbed()
			clean.everyFault(func(place string, fresh bool, set func(*journaltest.Faulty)) {
				d := newDrivenTeam(t, c.name, p)
				d.fresh = fresh
				set(d.store)
				got, err := d.finish()
				if err != nil {
					t.Errorf("%s: %v", place, err)
					return
				}
				if len(c.once) > 0 && got.Err != nil {
					return // nobody knows what a step has done that happens once at most
				}
				if diff := cmp.Diff(settledState(want), settledState(got)); diff != "" {
					t.Errorf("%s: (-without a fault +with):\n%s", place, diff)
				}
				journalOf(t, d.inner, drivenID)
			})
		})
	}
}

// Somebody else takes a run with branches and finishes it, or cancels it, or claims what is open, while one is about to
// write: one of them commits, the other is told so, and nothing hangs.
func TestJ3_OthersMeddleWithBranches(t *testing.T) {
	for what, act := range map[string]func(t *testing.T, d *driven, other *fermata.Runtime){
		"takes it": func(t *testing.T, d *driven, _ *fermata.Runtime) {
			if strings.HasPrefix(d.c.name, "a map with a limit") {
				return // whoever only answers may have the run driven on, and then two of them wait for two clocks
			}
			if _, err := d.beside().finish(); err != nil {
				t.Errorf("whoever took the run failed: %v", err)
			}
		},
		"cancels it": func(t *testing.T, _ *driven, other *fermata.Runtime) {
			if err := other.Cancel(t.Context(), drivenID, "enough", "other"); err != nil {
				t.Error(err)
			}
		},
		"claims and answers": func(t *testing.T, d *driven, other *fermata.Runtime) {
			open, err := other.Inbox(t.Context(), journal.InboxFilter{Run: drivenID})
			for _, q := range open {
				err = errors.Join(err, other.Claim(t.Context(), q.ID, "eve", ""))
				if value := d.answerTo(q); value != nil {
					err = errors.Join(err, other.Answer(t.Context(), q.ID, value, fermata.AsPerson("eve"), fermata.Hold()))
				} else {
					err = errors.Join(err, other.Release(t.Context(), q.ID, "eve"))
				}
			}
			if err != nil && !errors.Is(err, fermata.ErrExpired) {
				t.Error(err)
			}
		},
	} {
		for _, c := range branchCases {
			if c.name == "cached nodes in a pool" {
				continue
			}
			t.Run(what+", "+c.name, func(t *testing.T) {
				t.Parallel()
				p := c.build(newWorld()).Plan()
				clean := newDrivenTeam(t, c.name, p)
				want := clean.undisturbed()
				for n := 1; n <= clean.store.Appends(); n++ {
					d := newDrivenTeam(t, c.name, p)
					d.meddleBefore(n, act)
					got, err := d.finish()
					if err != nil {
						t.Fatalf("append %d: %v", n, err)
					}
					if strings.HasPrefix(what, "claims") && len(d.faults) > 0 {
						t.Errorf("append %d: people are no drivers, and yet these failed: %q", n, d.faults)
					}
					all := journalOf(t, d.inner, drivenID)
					if last := all[len(all)-1]; last.Kind != journal.RunFinished {
						t.Errorf("append %d: the journal ends with %s", n, last.Kind)
					}
					if got.Status == fermata.Cancelled || len(c.once) > 0 && got.Err != nil {
						continue
					}
					if diff := cmp.Diff(settledState(want), settledState(got)); diff != "" {
						t.Errorf("append %d: (-undisturbed +disturbed):\n%s", n, diff)
					}
				}
			})
		}
	}
}
