package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// timely is a graph that sleeps for N milliseconds, waits as long for an answer that does not come, and fails once and
// tries again after as long.
func timely(d time.Duration) *graph.Graph[state] {
	return graph.New[state]("timely").
		Node("nap", func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, d) }).
		Node("ask", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?", node.Within(d), node.OrDefault(true))
			return s, err
		}).
		Node("again", func(ctx node.Context, s state) (state, error) {
			if ctx.Info().Attempt == 1 {
				return s, errFlaky
			}
			return s, nil
		}, func(n *plan.Node) { n.Retry = plan.Retry{Attempts: 2, Backoff: d, Max: d} }).
		Edge(graph.Start, "nap").Edge("nap", "ask").Edge("ask", "again").MustCompile()
}

// timed is a store that notes when timers were set and when what they were set for came, by the clock of the test.
type timed struct {
	journal.Store
	journal.Leaser

	mu   sync.Mutex
	set  map[string]time.Time // by run and by what for
	took map[string]time.Duration
	last map[string]int64 // the time of the last entry of a run
	back []string         // entries before the one before them
}

func newTimed(s journal.Store) *timed {
	return &timed{
		Store: s, Leaser: s.(journal.Leaser), set: make(map[string]time.Time), took: make(map[string]time.Duration), last: make(map[string]int64),
	}
}

func (s *timed) Append(ctx context.Context, b journal.Batch) error {
	if err := s.Store.Append(ctx, b); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range b.Entries {
		e := &b.Entries[i]
		if e.At < s.last[b.Run] {
			s.back = append(s.back, fmt.Sprintf("%s %d: %s is %d µs before the one before it", b.Run, e.Seq, e.Kind, s.last[b.Run]-e.At))
		}
		s.last[b.Run] = e.At
		switch what := b.Run + " " + e.Node; e.Kind {
		case journal.TimerSet, journal.InterruptOpened, journal.NodeRetrying:
			s.set[what] = time.Now()
		case journal.TimerFired, journal.InterruptResolved:
			s.took[what] = time.Since(s.set[what])
		case journal.NodeStarted:
			if e.Attempt == 2 {
				s.took[what] = time.Since(s.set[what])
			}
		}
	}
	return nil
}

// check checks that all of n runs waited three times for want, give or take most.
func (s *timed) check(t *testing.T, n int, want, most time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.took) != 3*n {
		t.Errorf("%d waits have ended, expected %d", len(s.took), 3*n)
	}
	for what, took := range s.took {
		if (took - want).Abs() > most {
			t.Errorf("%s waited for %v, expected %v", what, took, want)
		}
	}
	for _, b := range s.back {
		t.Error(b)
	}
}

// withClock is a store with the clock of its server.
type withClock struct {
	*timed
	now func(ctx context.Context) (time.Time, error)
}

func (s *withClock) Now(ctx context.Context) (time.Time, error) { return s.now(ctx) }

// processClock is what a process takes for the time of day, and for the time that has passed.
type processClock = func() (time.Time, time.Duration)

// skewed is a clock that is wrong by skew, and goes astray by so many parts in a million.
func skewed(skew time.Duration, ppm int64) processClock {
	began := time.Now()
	return func() (time.Time, time.Duration) {
		passed := time.Since(began)
		passed += passed / 1000 * time.Duration(ppm) / 1000
		return began.Add(skew + passed), passed
	}
}

// outOfStep are processes on one store whose clocks are wrong, each with a worker that may take any run.
func outOfStep(t *testing.T, g *graph.Graph[state], stores []journal.Store, clocks []processClock) (processes []*fermata.Runtime) {
	t.Helper()
	for i, now := range clocks {
		o := fermata.WithProcessClock(fermata.Options{
			Store: stores[i], Name: strconv.Itoa(i), Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
			Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil },
		}, now)
		rt := newRuntime(t, o)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- rt.Work(ctx, fermata.WorkOptions{Every: time.Minute}) }()
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Log(err)
			}
		})
		processes = append(processes, rt)
	}
	return processes
}

// TestJ12_TheStoresClockCounts checks that processes whose clocks are an hour apart wait on a server as long as they should.
func TestJ12_TheStoresClockCounts(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"postgres", "redis"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			here, there := handles(t)[kind](t)
			t.Cleanup(func() {
				for _, s := range []journal.Store{here, there} {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
			})
			const wait = 1500 * time.Millisecond
			g, s := timely(wait), newTimed(here)
			one := &withClock{s, here.(journal.Clock).Now}
			other := &withClock{&timed{Store: s, Leaser: there.(journal.Leaser)}, there.(journal.Clock).Now}
			other.timed.set, other.timed.took, other.timed.last = make(map[string]time.Time), make(map[string]time.Duration), make(map[string]int64)
			rts := outOfStep(t, g, []journal.Store{one, other}, []processClock{skewed(time.Hour, 0), skewed(-time.Hour, 0)})
			var runs []*graph.Run[state]
			for i := range 4 {
				runs = append(runs, start(t, rts[i%2], g, state{}))
			}
			for _, run := range runs {
				endsSomewhere(t, rts[0], run.ID())
			}
			s.check(t, len(runs), wait, time.Second)
		})
	}
}

// endsSomewhere waits until a run is completed, whoever drives it.
func endsSomewhere(t *testing.T, rt *fermata.Runtime, run string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		info, err := rt.Info(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if info.Status == string(fermata.Completed) {
			return
		}
		if info.Ended() || time.Since(began) > 2*time.Minute {
			t.Fatalf("run %s is %s: %s", run, info.Status, info.Error)
		}
	}
}

// TestJ12_ClocksMayBeAsWrongAsTheyLike draws how wrong the clocks of processes are and how fast they go astray, and how long
// the server takes to say the time, on either way.
func TestJ12_ClocksMayBeAsWrongAsTheyLike(t *testing.T) {
	seed, rounds := uint64(1), 4
	if n, err := strconv.Atoi(os.Getenv("EXPLORE")); err == nil {
		seed, rounds = uint64(time.Now().UnixNano()), n
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	upTo := func(d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) }
	for round := range rounds {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wait := time.Second + upTo(10*time.Minute)
				g, s := timely(wait), newTimed(memory.New())
				ahead, trip := upTo(48*time.Hour)-24*time.Hour, []time.Duration{upTo(300 * time.Millisecond), upTo(300 * time.Millisecond)}
				delays := rand.New(rand.NewPCG(seed, uint64(round)))
				server := func(context.Context) (time.Time, error) {
					s.mu.Lock()
					out, back := delays.Int64N(int64(trip[0])+1), delays.Int64N(int64(trip[1])+1)
					s.mu.Unlock()
					time.Sleep(time.Duration(out))
					now := time.Now().Add(ahead)
					time.Sleep(time.Duration(back))
					return now, nil
				}
				var stores []journal.Store
				var clocks []processClock
				for range 2 + r.IntN(2) {
					stores = append(stores, &withClock{s, server})
					clocks = append(clocks, skewed(upTo(48*time.Hour)-24*time.Hour, r.Int64N(400)-200))
				}
				rts := outOfStep(t, g, stores, clocks)
				n := 1 + r.IntN(4)
				for i := range n {
					start(t, rts[i%len(rts)], g, state{}, fermata.WithID(fmt.Sprintf("run_%d", i)))
				}
				time.Sleep(3*wait + 5*time.Second)
				for i := range n {
					endsSomewhere(t, rts[0], fmt.Sprintf("run_%d", i))
				}
				s.check(t, n, wait, time.Second)
			})
		})
	}
}

// TestJ12_AServerWhoseClockIsSet checks that processes follow a server whose clock is set while they wait, and that no entry
// of a run is before the one before it.
func TestJ12_AServerWhoseClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-15 * time.Minute, 15 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const wait = 30 * time.Minute
				g, s := timely(wait), newTimed(memory.New())
				began := time.Now()
				stores := []journal.Store{&withClock{s, func(context.Context) (time.Time, error) {
					if now := time.Now(); now.Sub(began) > 10*time.Minute {
						return now.Add(by), nil
					}
					return time.Now(), nil
				}}}
				rt := outOfStep(t, g, stores, []processClock{skewed(0, 0)})[0]
				run := start(t, rt, g, state{})
				time.Sleep(2 * time.Hour)
				endsSomewhere(t, rt, run.ID())
				delete(s.took, run.ID()+" ask")
				delete(s.took, run.ID()+" again") // by then the new time holds for all
				for what, took := range s.took {
					if want := wait - by; (took - want).Abs() > 6*time.Second {
						t.Errorf("%s took %v, expected %v", what, took, want)
					}
				}
				for _, b := range s.back {
					t.Error(b)
				}
			})
		})
	}
}

// TestJ12_TheMachinesClockIsSet checks that a process on a store of its own machine waits as long as it should when the
// machine's clock is set back, and follows a clock that is set forward: the machine may have slept.
func TestJ12_TheMachinesClockIsSet(t *testing.T) {
	for by, want := range map[time.Duration]time.Duration{-15 * time.Minute: 30 * time.Minute, 15 * time.Minute: 15 * time.Minute} {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const wait = 30 * time.Minute
				g, s := timely(wait), newTimed(memory.New())
				began := time.Now()
				wall := func() (time.Time, time.Duration) {
					now := time.Now()
					passed := now.Sub(began)
					if passed > 10*time.Minute {
						now = now.Add(by) // the time of day is set, and the time that has passed is not
					}
					return now, passed
				}
				rt := outOfStep(t, g, []journal.Store{s}, []processClock{wall})[0]
				run := start(t, rt, g, state{})
				time.Sleep(2 * time.Hour)
				endsSomewhere(t, rt, run.ID())
				if took := s.took[run.ID()+" nap"]; (took - want).Abs() > fermata.MachineLook {
					t.Errorf("a sleep of %v took %v, expected %v", wait, took, want)
				}
				for _, b := range s.back {
					t.Error(b)
				}
			})
		})
	}
}

// TestJ12_AnAnswerIsNotBeforeItsQuestion checks that what somebody appends whose clock is behind is not before what the run's
// driver wrote, in the journal and in the lists (law J12).
func TestJ12_AnAnswerIsNotBeforeItsQuestion(t *testing.T) {
	asksOnce := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, "well?")
		return s, err
	})
	for name, do := range map[string]func(rt *fermata.Runtime, run, question string) error{
		"answer": func(rt *fermata.Runtime, _, q string) error {
			return rt.Answer(t.Context(), q, json.RawMessage("true"), fermata.Hold())
		},
		"resume": func(rt *fermata.Runtime, run, q string) error {
			if err := rt.Answer(t.Context(), q, json.RawMessage("true"), fermata.Hold()); err != nil {
				return err
			}
			again, err := rt.Resume(t.Context(), run, asksOnce.Plan())
			if err == nil {
				_, err = again.Wait(t.Context())
			}
			return err
		},
		"claim":  func(rt *fermata.Runtime, _, q string) error { return rt.Claim(t.Context(), q, "ann", "") },
		"cancel": func(rt *fermata.Runtime, run, _ string) error { return rt.Cancel(t.Context(), run, "", "ann") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTimed(memory.New())
			first := newRuntime(t, fermata.WithProcessClock(fermata.Options{Store: s}, skewed(time.Hour, 0)))
			run := start(t, first, asksOnce, state{})
			q := ends(t, run, fermata.Paused).Interrupts[0].ID
			if err := do(newRuntime(t, fermata.Options{Store: s}), run.ID(), q); err != nil {
				t.Fatal(err)
			}
			for _, b := range s.back {
				t.Error(b)
			}
			last := int64(0)
			for e, err := range s.Read(t.Context(), run.ID(), 0) {
				if last = e.At; err != nil {
					t.Fatal(err)
				}
			}
			found, err := s.Inbox(t.Context(), journal.InboxFilter{ID: q, All: true})
			if err != nil || len(found) != 1 || found[0].Resolved != 0 && name != "resume" && found[0].Resolved != last {
				t.Errorf("the list has %+v, %v; the journal says %d", found, err, last)
			}
		})
	}
}

// TestJ12_AStoreWithoutItsClock checks that a runtime says so when the store's time cannot be read at the start, and counts on
// when it cannot be read later.
func TestJ12_AStoreWithoutItsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &withClock{newTimed(memory.New()), func(context.Context) (time.Time, error) { return time.Time{}, errCut }}
		_, err := fermata.New(fermata.Options{Store: broken})
		refused(t, err, refusal{fermata.CodeStore, errCut})
		asked := 0
		broken.now = func(context.Context) (time.Time, error) {
			if asked++; asked > 1 {
				return time.Time{}, errCut
			}
			return time.Now().Add(-time.Hour), nil
		}
		rt := newRuntime(t, fermata.WithProcessClock(fermata.Options{Store: broken}, skewed(time.Hour, 0)))
		const wait = 10 * time.Minute
		run := start(t, rt, timely(wait), state{})
		time.Sleep(3*wait + time.Minute)
		endsSomewhere(t, rt, run.ID())
		broken.check(t, 1, wait, time.Second)
	})
}
