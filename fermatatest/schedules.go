package fermatatest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// ScheduleReport says what [Schedules] has looked at.
type ScheduleReport struct {
	Result  fermata.Result // of the first order: what can happen first in declared order, does
	Orders  int            // how many others were tried
	All     bool           // there are no more
	Choices int            // in the first order: how often several things could have happened
	Crashes int
	Seed    uint64
}

// Schedules runs a plan in several orders of completion and requires equal results (law D11). The same tasks with the
// same inputs do the same, and the result is the same. A difference is an error of t with the two orders, the first
// task that differs, how it differs, which law that breaks, and what is likely the cause.
//
// Before each pass over a node's function the task waits for its turn. When no function runs, one of the waiting tasks
// is chosen, or a question is answered, or time passes. So functions run one at a time, and the seed alone decides. The
// time is that of a testing/synctest bubble: sleeps, backoffs and deadlines take no time, and a function may not wait
// for a goroutine that it has not started itself. The input is made again for each run.
//
// People answer by [Answers] or [AnswerFunc]; a question that nobody answers stays open until its deadline. [Before]
// resets what nodes keep outside of the state. The visits of a node behind an Each join are numbered in the order in
// which they come, so of those it counts what they did, and not which was first. Where a run or a subgraph fails or is
// stopped, it does not matter how far the other branches have come (law F2).
//
// t is a *testing.T, or speaks for one.
func Schedules(t testing.TB, p *plan.Plan, input func() any, opts ...ScheduleOption) ScheduleReport {
	t.Helper()
	x := &explorer{plan: p, input: input, once: make(map[string]bool), patience: time.Hour, search: search{orders: 50}}
	for _, opt := range opts {
		opt.schedule(x)
	}
	if x.exhaustive == 0 {
		x.exhaustive = x.orders
	}
	if !x.seeded {
		h := fnv.New64a()
		h.Write([]byte(t.Name()))
		x.seed = h.Sum64()
	}
	s, err := newScheduler(t, x)
	if err != nil {
		t.Errorf("the plan cannot be explored: %v", err)
		return ScheduleReport{Seed: x.seed}
	}
	report, found := s.explore()
	for _, text := range found {
		t.Error(text)
	}
	return report
}

// scheduler tries orders of one plan.
type scheduler struct {
	x      *explorer
	t      testing.TB
	plan   *plan.Plan // with gates
	hold   atomic.Pointer[gates]
	inside atomic.Int64 // how many functions have been called and have not returned
	given  map[string]any
	used   map[string]int
	timed  bool          // the plan limits time, so that time may not pass while a task waits for its turn
	limit  time.Duration // of the run

	comparison *comparison
	first      *order
	report     ScheduleReport
}

func newScheduler(t testing.TB, x *explorer) (*scheduler, error) {
	s := &scheduler{x: x, t: t, given: make(map[string]any), used: make(map[string]int), limit: x.plan.Limits().Time}
	var err error
	s.plan, err = gated(x.plan, func(ctx node.Context) (func(), error) {
		if err := s.hold.Load().hold(ctx); err != nil {
			return nil, err
		}
		s.inside.Add(1)
		return func() { s.inside.Add(-1) }, nil
	})
	if err != nil {
		return nil, err
	}
	s.timed = s.limit > 0 || slices.ContainsFunc(s.plan.Flat(), func(f plan.Flat) bool { return f.Bounded() })
	s.comparison = newComparison(s.plan)
	return s, nil
}

// inOrder lets happen what is first in declared order.
func inOrder(int) int { return 0 }

// explore tries orders until one makes a difference.
func (s *scheduler) explore() (ScheduleReport, []string) {
	s.report.Seed = s.x.seed
	s.first = s.fly("in the first order", inOrder, death{})
	s.report.Result, s.report.Choices = s.first.trial.result, len(s.first.picks)
	if found := s.broken(s.first); found != nil {
		return s.report, found
	}
	if !s.x.hasty {
		if again := s.fly("in the first order, once more", inOrder, death{}); s.differs(again) {
			return s.report, s.tellAgain(again)
		}
	}
	if s.x.crashes && s.crash(s.first, 0) {
		return s.report, s.found(s.first, 0)
	}
	return s.report, s.try()
}

// try tries other orders: all of them where they are few, else some.
func (s *scheduler) try() []string {
	all, total := s.first.picks, 1
	for _, p := range all {
		if total *= p.of; total > s.x.exhaustive {
			break
		}
	}
	prefix := next(all)
	s.report.All = total <= s.x.exhaustive
	for i := 1; ; i++ {
		r := rand.New(rand.NewPCG(s.x.seed, uint64(i))) //nolint:gosec // it shall be the same for the same seed
		fly := func(n int) int { return r.IntN(n) }
		switch {
		case s.report.All && prefix == nil:
			return nil
		case s.report.All && i > s.x.exhaustive:
			s.report.All = false // there are more than it looked like
			return nil
		case s.report.All:
			fly = replay(prefix)
		case i > s.x.orders || len(all) == 0:
			return nil
		case i == 1:
			fly = func(n int) int { return n - 1 }
		}
		o := s.fly(fmt.Sprintf("in order %d", i), fly, death{})
		s.report.Orders++
		prefix = next(o.picks)
		if s.fails(o) || s.x.crashes && s.crash(o, i) {
			return s.found(o, i)
		}
	}
}

// crash runs an order once more with a process that dies. It reports whether that makes a difference, which it leaves
// in o.
func (s *scheduler) crash(o *order, i int) bool {
	if o.appends == 0 {
		return false
	}
	r := rand.New(rand.NewPCG(s.x.seed, ^uint64(i))) //nolint:gosec // it shall be the same for the same seed
	d := death{at: 1 + r.IntN(o.appends), after: r.IntN(2) == 0}
	crashed := s.fly(fmt.Sprintf("in order %d with a %v", i, d), replay(taken(o.picks)), d)
	s.report.Crashes += crashed.crashes
	if crashed.trial.broken == nil && crashed.trial.unknownOutcomes() {
		return false
	}
	if s.fails(crashed) {
		*o = *crashed
		return true
	}
	return false
}

// fails reports whether an order breaks a law, or makes a difference.
func (s *scheduler) fails(o *order) bool { return len(o.trial.broken) > 0 || s.differs(o) }

func (s *scheduler) differs(o *order) bool {
	return o.told == nil || s.comparison.compare(s.first.told, o.told) != nil
}

// broken are the laws that an order has broken by itself.
func (s *scheduler) broken(o *order) (found []string) {
	for _, v := range o.trial.broken {
		found = append(found, v.String())
	}
	return found
}

// taken is what was picked.
func taken(picks []pick) (list []int) {
	for _, p := range picks {
		list = append(list, p.at)
	}
	return list
}

// replay picks what was picked before, and then what is first.
func replay(list []int) pilot {
	return func(int) int {
		if len(list) == 0 {
			return 0
		}
		at := list[0]
		list = list[1:]
		return at
	}
}

// next is the order that follows in the tree of all orders; nil behind the last.
func next(picks []pick) []int {
	list := taken(picks)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i]+1 < picks[i].of {
			list[i]++
			return list[:i+1]
		}
	}
	return nil
}

// found makes an order that fails as near to the first one as it can, and tells it.
func (s *scheduler) found(o *order, i int) []string {
	o = s.shrink(o)
	again := fmt.Sprintf("to see it again: fermatatest.Seed(%d)", s.x.seed)
	if i > 0 {
		again += fmt.Sprintf(", which finds it in order %d", i)
	}
	if found := s.broken(o); found != nil {
		return append(found, fmt.Sprintf("this happens when %s\n%s", o.inWords(), again))
	}
	d := s.comparison.compare(s.first.told, o.told)
	if d == nil { // it was not the same the next time
		return []string{fmt.Sprintf("law D11: a difference was found in order %d, and not again in the same order: something depends on "+
			"what no order explains (randomness, the time outside of the run, memory that outlives it: see fermatatest.Before)", i)}
	}
	return []string{fmt.Sprintf("law %s: the order in which tasks come to their end makes a difference\n"+
		"first order (-):  %s\nsecond order (+): %s\n%s:\n%slikely: %s\n%s",
		d.law, s.first.declared(o), o.inWords(), d.what, d.diff(), d.likely, again)}
}

// tellAgain tells what differs when nothing was changed.
func (s *scheduler) tellAgain(again *order) []string {
	if found := s.broken(again); found != nil {
		return found
	}
	d := s.comparison.compare(s.first.told, again.told)
	return []string{fmt.Sprintf("law J1: the same order, run twice, makes a difference\n%s:\n%slikely: %s", d.what, d.diff(),
		"it depends on randomness, or on memory that outlives the run: keep it in the state, or reset it by fermatatest.Before")}
}

func (d *divergence) diff() string { return lineDiff(d.was, d.is, -1) }

// inWords says what was otherwise than in the first order.
func (o *order) inWords() string {
	var parts []string
	for _, p := range o.picks {
		if p.at > 0 {
			parts = append(parts, fmt.Sprintf("%s before %s", p.name, p.instead))
		}
	}
	if o.crashes > 0 {
		parts = append(parts, fmt.Sprintf("the process dies (%v), and another one takes over", o.deaths))
	}
	if len(parts) == 0 {
		return "everything happens in declared order"
	}
	return strings.Join(parts, "; ")
}

// declared says the same of the first order.
func (o *order) declared(second *order) string {
	var parts []string
	for _, p := range second.picks {
		if p.at > 0 {
			parts = append(parts, fmt.Sprintf("%s before %s", p.instead, p.name))
		}
	}
	if len(parts) == 0 {
		return "without a crash"
	}
	return strings.Join(parts, "; ")
}

// mostShrinking is how many runs are spent on finding the shortest story.
const mostShrinking = 300

// shrink finds an order that fails and is as near to the first one as it can be.
func (s *scheduler) shrink(o *order) *order {
	best, runs := o, 0
	better := func(list []int, d death) bool {
		if runs++; runs > mostShrinking {
			return false
		}
		c := s.fly(o.trial.where, replay(list), d)
		if !s.fails(c) {
			return false
		}
		best = c
		return true
	}
	if o.deaths.at > 0 {
		better(taken(o.picks), death{})
	}
	for k := 0; k < len(best.picks) && runs < mostShrinking/2; k++ { // the shortest beginning
		if better(taken(best.picks)[:k], best.deaths) {
			break
		}
	}
	for k := 0; k < len(best.picks); k++ {
		list := taken(best.picks)
		if list[k] == 0 {
			continue
		}
		list[k] = 0
		if better(list, best.deaths) {
			k = -1
		}
	}
	return best
}
