package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// The tests of this file let the calls fail by which processes tell each other that they live (law J10): whatever
// becomes of them, nothing is lost, and nothing counts twice.

// fault is what becomes of a call. The zero value lets it through.
type fault struct {
	slow   time.Duration // passes first; a caller that does not wait so long has an error
	before bool          // it fails, and has not happened
	after  bool          // it fails, and has happened
}

// The calls that a frayed store makes faults of.
const (
	callBeat     = "beat"
	callLeft     = "left"
	callClaim    = "claim"
	callDeserted = "deserted"
	callAppend   = "append"
)

// frayed is a store that has faults.
type frayed struct {
	journal.Store
	leases journal.Leaser

	mu     sync.Mutex
	calls  map[string]int
	faults func(call string, n int) fault // of the n-th of these calls, from 1
}

var errFrayed = &journal.StoreError{Op: "call", Err: errors.New("the wire is frayed")}

func (f *frayed) call(ctx context.Context, name string, do func() error) error {
	f.mu.Lock()
	f.calls[name]++
	var x fault
	if f.faults != nil {
		x = f.faults(name, f.calls[name])
	}
	f.mu.Unlock()
	select {
	case <-time.After(x.slow):
	case <-ctx.Done():
		return &journal.StoreError{Op: name, Err: ctx.Err()}
	}
	if x.before {
		return errFrayed
	}
	if err := do(); err != nil {
		return err
	}
	if x.after {
		return errFrayed
	}
	return nil
}

func (f *frayed) Append(ctx context.Context, b journal.Batch) error {
	if b.Row != nil && b.Row.Kind == journal.KindDefinition {
		return f.Store.Append(ctx, b)
	}
	return f.call(ctx, callAppend, func() error { return f.Store.Append(ctx, b) })
}

func (f *frayed) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	return f.call(ctx, callBeat, func() error { return f.leases.Beat(ctx, driver, ttl) })
}

func (f *frayed) Left(ctx context.Context, driver string) (left time.Duration, err error) {
	err = f.call(ctx, callLeft, func() error {
		left, err = f.leases.Left(ctx, driver)
		return err
	})
	return left, err
}

func (f *frayed) Claim(ctx context.Context, driver, run string) (claimed bool, err error) {
	err = f.call(ctx, callClaim, func() error {
		claimed, err = f.leases.Claim(ctx, driver, run)
		return err
	})
	return claimed && err == nil, err
}

func (f *frayed) Deserted(ctx context.Context, q journal.WantedQuery) (rows []journal.RunRow, err error) {
	err = f.call(ctx, callDeserted, func() error {
		rows, err = f.leases.Deserted(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// frayed is a process of the shop whose store has faults.
func (s *shop) frayed(name string, faults func(call string, n int) fault) *fermata.Runtime {
	return newRuntime(s.t, fermata.Options{
		Store: &frayed{Store: s.store, leases: s.store.(journal.Leaser), calls: make(map[string]int), faults: faults},
		Name:  name, Logger: slog.New(s),
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return s.plan, nil },
	})
}

// nth makes a fault of some of the calls of a name.
func nth(call string, x fault, which func(n int) bool) func(string, int) fault {
	return func(name string, n int) fault {
		if name == call && which(n) {
			return x
		}
		return fault{}
	}
}

// aBeat is what may become of one beat that others must not notice.
var aBeat = map[string]fault{
	"it is lost":          {before: true},
	"its answer is lost":  {after: true},
	"it takes a second":   {slow: time.Second},
	"it is never over":    {slow: 1000 * time.Hour},
	"it is late and lost": {slow: 2 * time.Second, before: true},
}

// A beat that fails once, or does not come to an end, is tried again in time: nobody takes the run over.
func TestJ10_ABeatIsTriedAgain(t *testing.T) {
	for name, x := range aBeat {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := slow(10 * time.Minute)
				s := newShop(t, g)
				first := s.frayed("first", nth(callBeat, x, func(n int) bool { return n%3 == 2 }))
				other, _ := s.process("other")
				defer s.work(other, "other")()
				run := start(t, first, g, state{})
				s.awaits(run.ID(), fermata.Completed)
				s.told()
			})
		})
	}
}

// A process whose beats fail for as long as its lease is has lost its runs to whoever takes them over: it finds out at
// its next append (law J3), and stops. What both have done counts once.
func TestJ10_WhoCannotBeatLosesTheRun(t *testing.T) {
	for name, x := range map[string]fault{"lost": {before: true}, "never over": {slow: 1000 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				by := make(map[string]int)
				g := graph.New[state]("counted").
					Node("a", func(ctx node.Context, s state) (state, error) {
						_, err := node.Step(ctx, "work", func(ctx node.Context) (int, error) {
							mu.Lock()
							by["a"]++
							mu.Unlock()
							time.Sleep(time.Minute)
							return 0, nil
						})
						s.N++
						return s, err
					}).
					Node("b", func(_ node.Context, s state) (state, error) {
						mu.Lock()
						by["b"]++
						mu.Unlock()
						return s, nil
					}).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
				s := newShop(t, g)
				first := s.frayed("first", nth(callBeat, x, func(n int) bool { return n > 3 }))
				other, _ := s.process("other")
				defer s.work(other, "other")()
				run := start(t, first, g, state{})
				res, err := run.Wait(t.Context())
				if err != nil && !errors.Is(err, fermata.ErrConflict) {
					t.Errorf("the loser says %+v, %v", res, err)
				}
				s.awaits(run.ID(), fermata.Completed)
				s.told("other takes it from first", "other says completed")
				if diff := cmp.Diff(map[string]int{"a": 2, "b": 1}, by); diff != "" { // one effect more, for one loss (law J5)
					t.Errorf("effects (-want +got):\n%s", diff)
				}
				all := lines(t, s.store, run.ID())
				if n := count(all, "node.finished a#1"); n != 1 {
					t.Errorf("the task has %d outcomes: %q", n, all)
				}
				if res := ends(t, run, fermata.Completed); res.State.N != 1 {
					t.Errorf("the state is %+v", res.State)
				}
			})
		})
	}
}

// Where nobody takes it over, a process that cannot say that it lives brings its run to the end all the same.
func TestJ10_WhoCannotBeatGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(10 * time.Minute)
		s := newShop(t, g)
		first := s.frayed("first", nth(callBeat, fault{before: true}, func(int) bool { return true }))
		run := start(t, first, g, state{})
		s.awaits(run.ID(), fermata.Completed)
		if by := s.info(run.ID()).Driver; by != "" {
			t.Errorf("a run that has ended is driven by %q", by)
		}
	})
}

// delayBy is by how much a worker's run is late at most where so many calls in a row have a fault. A worker that met a failure
// of the store looks again after about a second (half of it to one and a half, and 20 ms), and a run that the store took from
// it is taken up after a second, then two, then four, each with up to a quarter more. A claim in doubt is given back when the
// lease is renewed, a third of it later at most.
func delayBy(call string, x fault, times int) (late time.Duration) {
	const again, renewed = 1520 * time.Millisecond, fermata.DefaultLease / 3
	fails := x.before || x.after
	switch {
	case call == callLeft: // not called: nobody has driven the run
		return 0
	case call == callAppend:
		for i := range times {
			late += x.slow
			if fails {
				late += (time.Second << i) * 5 / 4
			}
		}
	case !fails:
		late = x.slow
	case call == callClaim && x.after: // first the claim in doubt is given back
		late = time.Duration(times) * (x.slow + renewed + again)
	default:
		late = time.Duration(times) * (x.slow + again)
	}
	return late
}

// A call by which a worker looks for runs and takes them may fail in any way, once or for a while: the worker takes the
// run as soon as it can. Above all a claim that came through and was not acknowledged does not leave the run with a
// name on it that drives nothing.
func TestJ10_AWorkerTakesWhatItCouldNot(t *testing.T) {
	faults := map[string]fault{
		"lost": {before: true}, "not acknowledged": {after: true}, "slow": {slow: 4 * time.Second}, "slow and lost": {slow: 2 * time.Second, after: true},
	}
	for _, call := range []string{callClaim, callDeserted, callLeft, callAppend} {
		for name, x := range faults {
			for _, times := range []int{1, 3} {
				t.Run(fmt.Sprint(call, "/", name, "/", times), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						g := slow(time.Second)
						s := newShop(t, g)
						front, _ := s.process("front")
						run := start(t, front, g, state{}, fermata.Queued())
						one := s.frayed("one", nth(call, x, func(n int) bool { return n <= times }))
						defer s.work(one, "one")()
						most := time.Second + delayBy(call, x, times)
						if took := s.awaits(run.ID(), fermata.Completed); took > most+100*time.Millisecond {
							t.Errorf("it took %v, expected at most %v", took, most)
						}
						if by := s.info(run.ID()).Driver; by != "" {
							t.Errorf("a run that has ended is driven by %q", by)
						}
						if all := lines(t, s.store, run.ID()); count(all, "node.finished") != 2 {
							t.Errorf("the journal is %q", all)
						}
					})
				})
			}
		}
	}
}

// Of a claim that was made and not acknowledged, others get the run, though the one whose name is on it lives.
func TestJ10_AClaimInDoubtIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(time.Second)
		s := newShop(t, g)
		front, _ := s.process("front")
		run := start(t, front, g, state{}, fermata.Queued())
		one := s.frayed("one", nth(callClaim, fault{after: true}, func(int) bool { return true }))
		defer s.work(one, "one")()
		time.Sleep(30 * time.Second)
		two, _ := s.process("two")
		defer s.work(two, "two")()
		if took := s.awaits(run.ID(), fermata.Completed); took > time.Minute {
			t.Errorf("it took %v", took)
		}
		s.told("two takes it from nobody", "two says completed")
	})
}

// A run whose start was stored and not acknowledged is driven by its starter, as soon as that finds out; where it has
// stopped by then, a worker takes the run.
func TestJ10_AStartInDoubtIsDriven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(time.Second)
		s := newShop(t, g)
		first := s.frayed("first", nth(callAppend, fault{after: true}, func(n int) bool { return n == 1 }))
		worker, _ := s.process("worker")
		defer s.work(worker, "worker")()
		_, err := g.Start(t.Context(), first, state{}, fermata.WithID("run_doubt"))
		refused(t, err, refusal{code: fermata.CodeStore})
		if took := s.awaits("run_doubt", fermata.Completed); took > 4*time.Second {
			t.Errorf("it took %v", took)
		}
		s.told()
		last := s.frayed("last", nth(callAppend, fault{after: true}, func(n int) bool { return n == 1 }))
		_, err = g.Start(t.Context(), last, state{}, fermata.WithID("run_left"))
		refused(t, err, refusal{code: fermata.CodeStore})
		if err := last.Close(); err != nil {
			t.Fatal(err)
		}
		s.awaits("run_left", fermata.Completed)
		s.told("worker takes it from last", "worker says completed")
	})
}

// A caller is told that it could not be known who drives a run, and gets it when it asks again.
func TestJ10_WhoDrivesCannotBeKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := slow(time.Minute)
		s := newShop(t, g)
		gone, wire := s.process("gone")
		run := start(t, gone, g, state{})
		time.Sleep(time.Second)
		wire.set(true)
		time.Sleep(time.Minute)
		other := s.frayed("other", nth(callLeft, fault{before: true}, func(n int) bool { return n == 1 }))
		_, err := g.Resume(t.Context(), other, run.ID())
		refused(t, err, refusal{code: fermata.CodeStore})
		again, err := g.Resume(t.Context(), other, run.ID())
		if err != nil {
			t.Fatal(err)
		}
		s.awaits(run.ID(), fermata.Completed)
		ends(t, again, fermata.Completed)
		wire.set(false)
	})
}

// Four workers bring forty runs to their ends while one in four of the calls between them fails, somehow. Nothing is
// lost: every run completes, and nobody's name is left on it. Nothing counts twice: each task has one outcome, each step
// one record, and a step's effect happens once more at most for each time that the run was taken up anew.
func TestJ10_FaultyLeasesLoseNothing(t *testing.T) {
	seeds := 5
	if exploring() {
		seeds = 200
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { faultyShop(t, uint64(seed)) })
		})
	}
}

func faultyShop(t *testing.T, seed uint64) {
	const runs, tasks = 40, 3
	var mu sync.Mutex
	effects := make(map[string]int)
	work := func(ctx node.Context, s state) (state, error) {
		_, err := node.Step(ctx, "work", func(ctx node.Context) (int, error) {
			mu.Lock()
			effects[ctx.Info().Run]++
			mu.Unlock()
			time.Sleep(7 * time.Second)
			return 0, ctx.Err()
		})
		s.N++
		return s, err
	}
	g := graph.New[state]("works").
		Node("a", work).Node("b", work).
		Node("c", func(ctx node.Context, s state) (state, error) {
			if err := node.Sleep(ctx, time.Minute); err != nil { // a timer, which wakes all of them
				return s, err
			}
			return work(ctx, s)
		}).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").MustCompile()
	s := newShop(t, g)
	front, _ := s.process("front")
	var ids []string
	for range runs {
		ids = append(ids, start(t, front, g, state{}, fermata.Queued()).ID())
	}
	dice := rand.New(rand.NewPCG(seed, 1))
	began := time.Now()
	faults := func(call string, _ int) fault {
		mu.Lock()
		defer mu.Unlock()
		if call == callAppend || time.Since(began) > time.Hour || dice.IntN(4) > 0 {
			return fault{}
		}
		return []fault{{before: true}, {after: true}, {slow: time.Duration(dice.Int64N(int64(8 * time.Second)))}, {slow: time.Hour}}[dice.IntN(4)]
	}
	for i := range 4 {
		name := fmt.Sprint("worker", i)
		defer s.work(s.frayed(name, faults), name)() //nolint:gocritic // all of them work until the end
	}
	for _, id := range ids {
		s.awaits(id, fermata.Completed)
	}
	time.Sleep(time.Minute)
	for _, id := range ids {
		if by := s.info(id).Driver; by != "" {
			t.Errorf("a run that has ended is driven by %q", by)
		}
		all := lines(t, s.store, id)
		if n := count(all, "node.finished"); n != tasks {
			t.Errorf("%d outcomes of %d tasks: %q", n, tasks, all)
		}
		steps, taken := 0, count(all, "run.resumed")
		for _, l := range all {
			if strings.HasPrefix(l, "step.finished") {
				steps++
			}
		}
		mu.Lock()
		if n := effects[id]; steps != tasks || n < tasks || n > tasks+taken {
			t.Errorf("%d effects and %d records of %d steps, in a run that was taken up %d times: %q", n, steps, tasks, taken, all)
		}
		mu.Unlock()
	}
}

// A process that gives a run back, which takes a while, takes it from nobody: neither from a drive of its own that begins
// meanwhile, nor from another process that has claimed it.
func TestJ10_GivingARunBackTakesItFromNobody(t *testing.T) {
	for _, driver := range []string{"one", "two"} {
		t.Run(driver, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := slow(time.Minute)
				s := newShop(t, g)
				front, _ := s.process("front")
				run := start(t, front, g, state{}, fermata.Queued())
				one := s.frayed("one", func(call string, n int) fault {
					switch {
					case call == callClaim && n == 1:
						return fault{after: true} // so that it is given back, at the next beat
					case call == callAppend && n == 1:
						return fault{slow: 10 * time.Second}
					case call == callBeat && n > 1:
						return fault{before: driver != "one"}
					}
					return fault{}
				})
				stop := s.work(one, "one")
				time.Sleep(time.Millisecond)
				stop()
				time.Sleep(4 * time.Second) // it gives it back
				if driver == "one" {
					resume(t, one, g, run.ID())
				} else {
					two := s.frayed("two", nth(callAppend, fault{slow: 30 * time.Second}, func(n int) bool { return n == 1 }))
					defer s.work(two, "two")()
				}
				time.Sleep(20 * time.Second) // it has claimed the run, and has written nothing since
				if info := s.info(run.ID()); !strings.HasPrefix(info.Driver, driver+"@") || info.Status != string(fermata.Running) {
					t.Errorf("the run is %s, driven by %q, expected it to be driven by %s", info.Status, info.Driver, driver)
				}
				s.awaits(run.ID(), fermata.Completed)
			})
		})
	}
}

// A run that a worker has taken, and in which there is nothing to do yet, is nobody's afterwards, and not wanted any more;
// also where the worker's process knows the run from before, and does not read again how it stands.
func TestJ10_ARunWithNothingToDoIsGivenBack(t *testing.T) {
	for _, worker := range []string{"one", "front"} {
		t.Run(worker, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := single(asks)
				s := newShop(t, g)
				front, _ := s.process("front")
				one, _ := s.process("one")
				run := start(t, front, g, state{})
				ids := make(map[string]string)
				for _, q := range ends(t, run, fermata.Paused).Interrupts {
					ids[q.Prompt] = q.ID
				}
				works, desk := one, front
				if worker == "front" {
					works, desk = front, one
				}
				defer s.work(works, worker)()
				answer(t, desk, ids["right?"], "right", fermata.Hold()) // the node waits for the left one first
				time.Sleep(10 * time.Second)
				s.told(worker+" takes it from nobody", worker+" says paused")
				if info := s.info(run.ID()); info.Driver != "" || info.Ready {
					t.Errorf("the run is driven by %q, wanted: %v", info.Driver, info.Ready)
				}
				answer(t, desk, ids["left?"], "left", fermata.Hold())
				s.awaits(run.ID(), fermata.Completed)
			})
		})
	}
}

// mortal is a process that loses its store when it has claimed a run, where no other has before.
type mortal struct {
	*wire
	died *atomic.Bool
}

func (m mortal) Claim(ctx context.Context, driver, run string) (bool, error) {
	claimed, err := m.wire.Claim(ctx, driver, run)
	if claimed && m.died.CompareAndSwap(false, true) {
		m.set(true)
	}
	return claimed, err
}

// A run that is due and that another process has claimed is looked at again, without any worker: that process may be gone.
func TestJ10_ADueRunOfAnotherIsLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sleeps(time.Minute)
		s := newShop(t, g)
		front, _ := s.process("front")
		run := start(t, front, g, state{})
		standsAt(t, front, run.ID(), fermata.Paused)
		if err := front.Close(); err != nil {
			t.Fatal(err)
		}
		var died atomic.Bool
		for _, name := range []string{"one", "two"} {
			newRuntime(t, fermata.Options{
				Store: mortal{newWire(s.store), &died}, Name: name, Logger: slog.New(s),
				Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return s.plan, nil },
			})
		}
		took := s.awaits(run.ID(), fermata.Completed)
		if !died.Load() || took < time.Minute || took > time.Minute+2*fermata.DefaultLease+time.Second {
			t.Errorf("it took %v; a process has claimed it and died: %v", took, died.Load())
		}
	})
}
