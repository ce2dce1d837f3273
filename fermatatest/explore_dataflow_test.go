package fermatatest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/plan"
)

// Random dataflows do the same in any order of completion, with crashes and without: gates of both kinds, loops around each
// other, values that are accumulated, subgraphs, maps, failures, questions and sleeps (laws D1 to D12, J4, J5, H4). Where
// nothing is kept, at once or one after the other, the same comes of them.
func TestD11_RandomDataflowsAreConfluent(t *testing.T) {
	var choices, crashes, stuck atomic.Uint64
	draws, graphs := lawtest.Draw(t, 300, func(r *rand.Rand, i uint64) (counts bool, wrong string) {
		s := shaped(r, 2)
		g, err := s.build("g")
		if err != nil {
			return false, ""
		}
		found, report := exploreShape(s, g, i)
		choices.Add(uint64(report.Choices))
		crashes.Add(uint64(report.Crashes))
		if report.Result.Status == fermata.Stuck {
			stuck.Add(1)
		}
		if found != "" {
			return true, shrunkenShape(s, i, found)
		}
		return true, ""
	})
	t.Logf("of %d shapes %d are graphs; %d choices in their first orders, %d crashes, %d stuck runs",
		draws, graphs, choices.Load(), crashes.Load(), stuck.Load())
}

// given are the inputs of a run: those that it must have, and some of the others.
func (s *shape) given(g *dataflow.Graph, seed uint64) dataflow.Values {
	v := make(dataflow.Values)
	for _, in := range g.Describe().Inputs {
		switch {
		case in.Optional && digest(seed, in.Name)%2 > 0:
		case in.Type == reflect.TypeFor[string]():
			v[in.Name] = "run." + in.Name
		case in.Type == reflect.TypeFor[[]string]():
			v[in.Name] = []string{"run." + in.Name, "and more"}
		}
	}
	return v
}

// exploreShape tries orders of one dataflow.
func exploreShape(s *shape, g *dataflow.Graph, seed uint64) (found string, report ScheduleReport) {
	v := s.given(g, seed)
	x := &explorer{
		plan: g.Plan(), input: func() any { return g.MustInput(v) }, once: make(map[string]bool), patience: time.Hour,
		search: search{orders: 2, exhaustive: 1, seed: seed, seeded: true, crashes: seed%2 == 0, hasty: true},
		people: people{answer: func(q fermata.Interrupt) any {
			if strings.Contains(q.Op, "late") {
				return NoAnswer
			}
			return "to " + nodeOf(q.Task)
		}},
	}
	sched, err := newScheduler(new(testing.T), x)
	if err != nil {
		return err.Error(), report
	}
	report, list := sched.explore()
	switch res := report.Result; {
	case res.Err != nil && strings.Contains(res.Err.Error(), "limit of tasks"):
		return "", report // how much is begun before that is a matter of order (law F2)
	case len(list) > 0:
		return strings.Join(list, "\n"), report
	case !res.Status.Ended():
		return fmt.Sprintf("law F5: the run is %s and has not ended", res.Status), report
	case res.Status != fermata.Completed && res.Status != fermata.Stuck:
		return fmt.Sprintf("the run is %s, and nothing in it fails: %v", res.Status, res.Err), report
	case s.waits():
		return "", report
	}
	want, err := g.Outputs(report.Result)
	if err != nil && report.Result.Status == fermata.Completed {
		return err.Error(), report
	}
	for _, sequential := range []bool{false, true} {
		res, err := g.Evaluate(context.Background(), v, fermata.Options{Sequential: sequential})
		switch {
		case report.Result.Status == fermata.Stuck && errors.Is(err, fermata.ErrStuck):
		case err != nil:
			return fmt.Sprintf("where nothing is kept, sequential %t: %v", sequential, err), report
		case !gocmp.Equal(want, res.Outputs):
			return fmt.Sprintf("where nothing is kept, sequential %t (-kept +not kept):\n%s", sequential, gocmp.Diff(want, res.Outputs)), report
		}
	}
	return "", report
}

// shrunkenShape makes a dataflow that fails smaller as long as it fails, and shows it.
func shrunkenShape(s *shape, seed uint64, found string) string {
	for again, tries := true, 0; again && tries < 400; {
		again = false
		for _, c := range s.smaller() {
			g, err := c.build("g")
			if err != nil {
				continue
			}
			tries++
			if f, _ := exploreShape(c, g, seed); f != "" {
				s, found, again = c, f, true
				break
			}
		}
	}
	g, err := s.build("g")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s\n\n%s\n%s", found, s, g.Plan().Text())
}

// build makes a graph of a shape.
func (s *shape) build(name string) (*dataflow.Graph, error) {
	parts := []dataflow.Part{dataflow.Limits(plan.Limits{Tasks: 150})}
	for i := range s.nodes {
		p := &s.nodes[i]
		if p.sub == nil {
			parts = append(parts, p.node())
			continue
		}
		inner, err := p.sub.build(name + p.name)
		if err != nil {
			return nil, err
		}
		more, err := p.around(inner)
		if err != nil {
			return nil, err
		}
		parts = append(parts, more...)
	}
	if len(s.entry) > 0 {
		parts = append(parts, dataflow.Entry(s.entry...))
	}
	return dataflow.New(name, parts...)
}
