package machine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// A journal is folded with any other plan: what happened, happened, and is no damage. Either the plan has a place for all
// that is open, and the run can be brought to its end on it, or Fits says what has none (law J8).
func TestJ8_AnyOtherPlanFitsOrSaysWhy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := everything
		of.depth = 1
		s := newSimulation(t, drawPlan(t, of))
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if !s.step() {
				break
			}
		}
		q := drawPlan(t, of)
		s.say("replan %s", outline(q))
		s.journal = slices.Clip(s.journal)
		m := New(q)
		for i := range s.journal {
			if err := m.Apply(&s.journal[i]); err != nil {
				s.failf("what happened on the old plan is damage on the new one: %v", err)
			}
		}
		if m.Fits() != "" || m.over() {
			return
		}
		s.m, s.queue = m, nil
		s.take(m.Resume(s.now, journal.ResumedBody{Reason: ReasonReplan, Fingerprint: q.Fingerprint()}), true)
		s.finish()
		if diff := copiedAnywhere(s.m.plan, s.journal); diff != "" {
			s.failf("%s", diff)
		}
	})
}
