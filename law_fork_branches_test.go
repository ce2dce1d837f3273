package fermata_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal/memory"
)

// A fork of a run with branches, joins and maps comes to the same end as the run, wherever it is cut: what was in flight
// starts again from what it has recorded, and nothing of what others had pending is carried along. A cut inside a fact is
// refused.
func TestJ4_AForkOfARunWithBranchesComesToTheSameEnd(t *testing.T) {
	for _, c := range branchCases {
		if len(c.once) > 0 || c.name == "cached nodes in a pool" {
			continue // nobody knows what a step has done that happens once at most; and these runtimes have no pools
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			o := &original{c: crashCase{name: c.name}, w: w, plan: c.build(w).Plan()}
			o.clean = newDrivenTeam(t, c.name, o.plan)
			var err error
			if o.result, err = o.clean.finish(); err != nil {
				t.Fatal(err)
			}
			o.journal = journalOf(t, o.clean.inner, drivenID)
			forks := 0
			for at := 1; at <= len(o.journal); at++ {
				d, err := o.fork(t, memory.New(), o.journal[at-1].Time(), fermata.ForkOptions{At: uint64(at)})
				if known, ok := errors.AsType[*fermata.Error](err); ok && known.Code == fermata.CodeInvalid {
					continue
				}
				if err != nil {
					t.Fatalf("fork at %d: %v", at, err)
				}
				forks++
				d.input, d.script.say = teamInput, said
				got, err := d.finish()
				if err != nil {
					t.Errorf("fork at %d: %v", at, err)
					continue
				}
				where := fmt.Sprintf("fork at %d, %s %s", at, o.journal[at-1].Kind, o.journal[at-1].Node)
				if diff := cmp.Diff(settledState(o.result)[:2], settledState(got)[:2]); diff != "" {
					t.Errorf("%s: (-the run +its fork):\n%s", where, diff)
				}
			}
			if forks < len(o.journal)/2 {
				t.Errorf("of %d places, the run could be forked at %d", len(o.journal), forks)
			}
		})
	}
}
