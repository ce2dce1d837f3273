package fermatatest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
)

// fromEnvironment is a number of the environment's.
func fromEnvironment(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is no number: %v", name, text, err)
	}
	return n
}

// Random graphs do the same in any order of completion, with crashes and without: forks, joins of both kinds, several
// entries, gates that choose several, loops around all of that, subgraphs, maps, failures, questions and sleeps (laws
// G1 to G6 and N9, D7 for what waits for a round, D11; J4, J5 and H4 for what is left behind).
func TestD11_RandomGraphsAreConfluent(t *testing.T) {
	seed := uint64(1)
	if os.Getenv("FERMATA_EXPLORE") != "" {
		seed = rand.Uint64()
	}
	graphs := fromEnvironment(t, "FERMATA_EXPLORE", 1000)
	seed = fromEnvironment(t, "FERMATA_SEED", seed)
	t.Logf("%d graphs; SEED=%d", graphs, seed)
	var next, built, failed, choices, crashes atomic.Uint64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for built.Load() < graphs && failed.Load() < 6 {
				i := next.Add(1)
				r := rand.New(rand.NewPCG(seed, i))
				g := sketched(r, "g", 0)
				if !g.fit() {
					continue
				}
				built.Add(1)
				found, report := exploreSketch(g, i)
				choices.Add(uint64(report.Choices))
				crashes.Add(uint64(report.Crashes))
				if found != "" {
					failed.Add(1)
					t.Errorf("SEED=%d, graph %d:\n%s", seed, i, shrunken(g, i, found))
				}
			}
		})
	}
	workers.Wait()
	t.Logf("of %d sketches %d are graphs; %d choices in their first orders, %d crashes", next.Load(), built.Load(), choices.Load(), crashes.Load())
}

// exploreSketch tries orders of one graph.
func exploreSketch(g *sketch, seed uint64) (found string, report ScheduleReport) {
	built, err := g.build()
	if err != nil {
		return "", report
	}
	x := &explorer{
		plan: built.Plan(), input: func() any { return &trace{Deep: []int{7}} }, once: make(map[string]bool), patience: time.Hour,
		orders: 2, exhaustive: 1, seed: seed, seeded: true, crashes: seed%2 == 0, hasty: true,
		answer: func(q fermata.Interrupt) any {
			if strings.Contains(q.Op, "late") {
				return NoAnswer
			}
			return "to " + nodeOf(q.Task)
		},
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
