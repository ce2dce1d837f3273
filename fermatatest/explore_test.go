package fermatatest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/lawtest"
)

// Random graphs do the same in any order of completion, with crashes and without: forks, joins of both kinds, several
// entries, gates that choose several, loops around all of that, subgraphs, maps, failures, questions and sleeps (laws
// G1 to G6 and N9, D7 for what waits for a round, D11; J4, J5 and H4 for what is left behind).
func TestD11_RandomGraphsAreConfluent(t *testing.T) {
	var choices, crashes atomic.Uint64
	draws, graphs := lawtest.Draw(t, 1000, func(r *rand.Rand, i uint64) (counts bool, wrong string) {
		g := sketched(r, "g", 0)
		if !g.fit() {
			return false, ""
		}
		found, report := exploreSketch(g, i)
		choices.Add(uint64(report.Choices))
		crashes.Add(uint64(report.Crashes))
		if found != "" {
			return true, shrunken(g, i, found)
		}
		return true, ""
	})
	t.Logf("of %d sketches %d are graphs; %d choices in their first orders, %d crashes", draws, graphs, choices.Load(), crashes.Load())
}

// exploreSketch tries orders of one graph.
func exploreSketch(g *sketch, seed uint64) (found string, report ScheduleReport) {
	built, err := g.build()
	if err != nil {
		return "", report
	}
	x := &explorer{
		plan: built.Plan(), input: func() any { return &trace{Deep: []int{7}} }, once: make(map[string]bool), patience: time.Hour,
		search: search{orders: 2, exhaustive: 1, seed: seed, seeded: true, crashes: seed%2 == 0, hasty: true},
		people: people{answer: func(q fermata.Interrupt) any {
			if strings.Contains(q.Op, "late") {
				return NoAnswer
			}
			return "to " + nodeOf(q.Task)
		}},
	}
	s, err := newScheduler(new(testing.T), x)
	if err != nil {
		return err.Error(), report
	}
	report, list := s.explore()
	switch res := report.Result; {
	case len(list) > 0 && strings.Contains(strings.Join(list, ""), "the run's limit of tasks"):
		// how much is begun beside what fails depends on who is faster (law F2), and so does whether that is too much
	case len(list) > 0:
		return strings.Join(list, "\n"), report
	case !res.Status.Ended():
		return fmt.Sprintf("law F5: the run is %s and has not ended", res.Status), report
	case res.Status == fermata.Stuck:
		return fmt.Sprintf("law F5: the run is stuck: %v", res.Err), report
	case errors.Is(res.Err, fermata.ErrMergeConflict): // forks that overlap may leave no base to append to
	case res.Err != nil && !strings.Contains(res.Err.Error(), "on purpose") && !strings.Contains(res.Err.Error(), "limit"):
		return fmt.Sprintf("law G4: the run fails, and nothing in it does: %v", res.Err), report
	}
	return "", report
}

// shrunken makes a graph that fails smaller as long as it fails, and shows it.
func shrunken(g *sketch, seed uint64, found string) string {
	for again, tries := true, 0; again && tries < 400; {
		again = false
		for _, c := range g.smaller() {
			if !c.fit() {
				continue
			}
			tries++
			if f, _ := exploreSketch(c, seed); f != "" {
				g, found, again = c, f, true
				break
			}
		}
	}
	built, err := g.build()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s\n\n%s\n%s", found, g, built.Plan().Text())
}
