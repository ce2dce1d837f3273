package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// pooled is a runtime with one pool, named "api".
func pooled(t *testing.T, p fermata.Pool) (*fermata.Runtime, journal.Store) {
	t.Helper()
	store := memory.New()
	return newRuntime(t, fermata.Options{Store: store, Pools: map[string]fermata.Pool{"api": p}}), store
}

// pooling makes a runtime with a pool, as pooled does.
type pooling func(t *testing.T, p fermata.Pool) (*fermata.Runtime, journal.Store)

// eachPool runs a test with a pool of one process, and with one that processes share (law J20): one process sees no difference.
func eachPool(t *testing.T, test func(t *testing.T, pooled pooling)) {
	t.Run("of one process", func(t *testing.T) { test(t, pooled) })
	t.Run("shared", func(t *testing.T) {
		test(t, func(t *testing.T, p fermata.Pool) (*fermata.Runtime, journal.Store) {
			p.Shared = true
			return pooled(t, p)
		})
	})
}

// inAPI is a graph of one node in that pool.
func inAPI(f graph.Func[state], opts ...graph.NodeOption) *graph.Graph[state] {
	return single(f, append(opts, graph.Pool("api"))...)
}

// load notes how many are at work at the same time.
type load struct {
	mu        sync.Mutex
	now, most int
	order     []string
}

func (l *load) enter(who string) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now++
	l.most = max(l.most, l.now)
	l.order = append(l.order, who)
	return func() {
		l.mu.Lock()
		l.now--
		l.mu.Unlock()
	}
}

// Nodes of different graphs and runs share the places of a pool, and get them in the order in which they came.
func TestPools_RunsShareThePlacesInOrder(t *testing.T) {
	eachPool(t, testPoolsRunsShareThePlacesInOrder)
}

func testPoolsRunsShareThePlacesInOrder(t *testing.T, pooled pooling) {
	synctest.Test(t, func(t *testing.T) {
		rt, _ := pooled(t, fermata.Pool{Concurrent: 2})
		var l load
		work := func(ctx node.Context, s state) (state, error) {
			defer l.enter(s.Text)()
			time.Sleep(time.Second - time.Duration(s.N))
			return logged(ctx, s)
		}
		graphs := []*graph.Graph[state]{inAPI(work), graph.New[state]("outer").Sub("in", inAPI(work)).Edge(graph.Start, "in").MustCompile()}
		began := time.Now()
		var runs []*graph.Run[state]
		var want []string
		for i := range 10 {
			name := fmt.Sprintf("run %d", i)
			earlier := 0
			if i == 0 { // so that no two places are given back at the same time
				earlier = int(time.Second / 2)
			}
			run, err := graphs[i%2].Start(t.Context(), rt, state{Text: name, N: earlier})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // it stands in the line
			runs, want = append(runs, run), append(want, name)
		}
		for _, run := range runs {
			if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
				t.Fatalf("the run is %s, %v", res.Status, err)
			}
		}
		if l.most != 2 {
			t.Errorf("%d functions ran at the same time, want 2", l.most)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("10 functions of a second in 2 places took %s", took)
		}
		if diff := cmp.Diff(want, l.order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// A rate follows the runtime's clock: the burst starts at once, and the others one by one, in order.
func TestPools_ARateFollowsTheClock(t *testing.T) {
	clock := &fermatatest.Clock{}
	rt := newRuntime(t, fermata.Options{
		Clock: clock, Pools: map[string]fermata.Pool{"api": {Every: 10 * time.Second, Burst: 2}},
	})
	started := make(chan string, 16)
	g := inAPI(func(ctx node.Context, s state) (state, error) {
		started <- fmt.Sprintf("%s at %s", s.Text, clock.Now().Sub(fermatatest.Epoch))
		return logged(ctx, s)
	})
	var got []string
	next := func() {
		select {
		case text := <-started:
			got = append(got, text)
		case <-time.After(soon):
			t.Fatalf("nothing started after %v", got)
		}
	}
	waits := func() (until time.Time) {
		eventually(t, "somebody waits", func() (ok bool) { until, ok = clock.Next(); return ok })
		return until
	}
	var runs []*graph.Run[state]
	for i := range 5 {
		runs = append(runs, start(t, rt, g, state{Text: fmt.Sprintf("run %d", i)}))
		if i < 2 {
			next()
			continue
		}
		waits()
		if i == 2 {
			clock.Advance(10*time.Second - time.Nanosecond)
			if len(started) > 0 {
				t.Fatal("the third one starts before its time")
			}
			clock.Advance(time.Nanosecond)
			next()
		}
	}
	for range 2 {
		clock.AdvanceTo(waits())
		next()
	}
	for _, run := range runs {
		ends(t, run, fermata.Completed)
	}
	want := []string{"run 0 at 0s", "run 1 at 0s", "run 2 at 10s", "run 3 at 20s", "run 4 at 30s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With places and a rate, a turn is taken by who has a place: what waited for a place does not start in a bunch.
func TestPools_PlacesAndARate(t *testing.T) { eachPool(t, testPoolsPlacesAndARate) }

func testPoolsPlacesAndARate(t *testing.T, pooled pooling) {
	synctest.Test(t, func(t *testing.T) {
		rt, _ := pooled(t, fermata.Pool{Concurrent: 1, Every: time.Second})
		began := time.Now()
		var starts []time.Duration
		g := inAPI(func(_ node.Context, s state) (state, error) {
			starts = append(starts, time.Since(began))
			time.Sleep(time.Duration(s.N) * time.Second)
			return s, nil
		})
		var runs []*graph.Run[state]
		for _, seconds := range []int{5, 0, 0} {
			run, err := g.Start(t.Context(), rt, state{N: seconds})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			runs = append(runs, run)
		}
		for _, run := range runs {
			if _, err := run.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]time.Duration{0, 5 * time.Second, 6 * time.Second}, starts); diff != "" {
			t.Errorf("starts (-want +got):\n%s", diff)
		}
	})
}

// The wait for a place is not the node's: its timeout begins when its function does.
func TestPools_TheWaitIsOutsideOfTheTimeout(t *testing.T) {
	eachPool(t, testPoolsTheWaitIsOutsideOfTheTimeout)
}

func testPoolsTheWaitIsOutsideOfTheTimeout(t *testing.T, pooled pooling) {
	synctest.Test(t, func(t *testing.T) {
		rt, _ := pooled(t, fermata.Pool{Concurrent: 1})
		g := inAPI(func(ctx node.Context, s state) (state, error) {
			time.Sleep(8 * time.Second)
			return logged(ctx, s)
		}, graph.Timeout(10*time.Second))
		var runs []*graph.Run[state]
		for range 3 {
			run, err := g.Start(t.Context(), rt, state{})
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, run)
		}
		for _, run := range runs {
			if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
				t.Errorf("the run is %s, %v, %v", res.Status, res.Err, err)
			}
		}
	})
}

// However a function ends, its place is free again. What comes next gets it, and only then.
func TestPools_APlaceIsGivenBack(t *testing.T) { eachPool(t, testPoolsAPlaceIsGivenBack) }

func testPoolsAPlaceIsGivenBack(t *testing.T, pooled pooling) {
	tests := map[string]struct {
		f     graph.Func[state]
		opts  []graph.NodeOption
		end   fermata.Status
		takes time.Duration // until the place is free
	}{
		"returns":       {f: logged, end: fermata.Completed},
		"fails":         {f: func(_ node.Context, s state) (state, error) { return s, errors.New("no") }, end: fermata.Failed},
		"panics":        {f: func(node.Context, state) (state, error) { panic("no") }, end: fermata.Failed},
		"panics, timed": {f: func(node.Context, state) (state, error) { panic("no") }, opts: []graph.NodeOption{graph.Timeout(time.Second)}, end: fermata.Failed},
		"exits":         {f: func(_ node.Context, s state) (state, error) { runtime.Goexit(); return s, nil }, end: fermata.Failed},
		"exits, timed": {
			f:    func(_ node.Context, s state) (state, error) { runtime.Goexit(); return s, nil },
			opts: []graph.NodeOption{graph.Timeout(time.Second)}, end: fermata.Failed,
		},
		"asks": {f: review(), end: fermata.Paused},
		"is out of time, and listens": {
			f:    func(ctx node.Context, s state) (state, error) { <-ctx.Done(); return s, ctx.Err() },
			opts: []graph.NodeOption{graph.Timeout(time.Second)}, end: fermata.Failed, takes: time.Second,
		},
		"is out of time, and goes on": {
			f:    func(_ node.Context, s state) (state, error) { time.Sleep(time.Minute); return s, nil },
			opts: []graph.NodeOption{graph.Timeout(time.Second)}, end: fermata.Failed, takes: time.Minute,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rt, _ := pooled(t, fermata.Pool{Concurrent: 1})
				began := time.Now()
				first, err := inAPI(test.f, test.opts...).Start(t.Context(), rt, state{})
				if err != nil {
					t.Fatal(err)
				}
				if res, err := first.Wait(t.Context()); err != nil || res.Status != test.end {
					t.Errorf("the run is %s (%v), %v, want %s", res.Status, res.Err, err, test.end)
				}
				second, err := inAPI(logged).Start(t.Context(), rt, state{})
				if err != nil {
					t.Fatal(err)
				}
				if res, err := second.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
					t.Errorf("the next run is %s, %v", res.Status, err)
				}
				if took := time.Since(began); took != test.takes {
					t.Errorf("the place was free after %s, want %s", took, test.takes)
				}
			})
		})
	}
}

// A task that sleeps or asks holds no place meanwhile (law N1), and takes one to go on.
func TestN1_ATaskThatWaitsHoldsNoPlace(t *testing.T) { eachPool(t, testN1ATaskThatWaitsHoldsNoPlace) }

func testN1ATaskThatWaitsHoldsNoPlace(t *testing.T, pooled pooling) {
	synctest.Test(t, func(t *testing.T) {
		rt, _ := pooled(t, fermata.Pool{Concurrent: 1})
		var l load
		sleeper := inAPI(func(ctx node.Context, s state) (state, error) {
			defer l.enter("sleeper")()
			if err := node.Sleep(ctx, time.Hour); err != nil {
				return s, err
			}
			return logged(ctx, s)
		})
		worker := inAPI(func(ctx node.Context, s state) (state, error) {
			defer l.enter("worker")()
			time.Sleep(2 * time.Hour)
			return logged(ctx, s)
		})
		began := time.Now()
		var runs []*graph.Run[state]
		for _, g := range []*graph.Graph[state]{sleeper, worker} {
			run, err := g.Start(t.Context(), rt, state{})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			runs = append(runs, run)
		}
		for _, run := range runs {
			if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
				t.Errorf("the run is %s, %v", res.Status, err)
			}
		}
		if diff := cmp.Diff([]string{"sleeper", "worker", "sleeper"}, l.order); diff != "" || l.most != 1 {
			t.Errorf("%d at the same time; order (-want +got):\n%s", l.most, diff)
		}
		if took := time.Since(began); took != 2*time.Hour {
			t.Errorf("it took %s, want 2h: the sleeper is awake after one hour, and has no place", took)
		}
	})
}

// Stopping to drive ends the wait for a place or a turn, the run stays resumable (law F3), and nothing is lost of the
// pool.
func TestF3_StoppingEndsTheWait(t *testing.T) { eachPool(t, testF3StoppingEndsTheWait) }

func testF3StoppingEndsTheWait(t *testing.T, pooled pooling) {
	for name, pool := range map[string]fermata.Pool{
		"place": {Concurrent: 1}, "turn": {Every: time.Hour}, "both": {Concurrent: 2, Every: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rt, _ := pooled(t, pool)
				began := time.Now()
				g := inAPI(func(ctx node.Context, s state) (state, error) { time.Sleep(time.Minute); return logged(ctx, s) })
				var runs []*graph.Run[state]
				for range 3 {
					run, err := g.Start(t.Context(), rt, state{})
					if err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					runs = append(runs, run)
				}
				_ = runs[1].Stop(0)
				if _, err := runs[1].Wait(t.Context()); !errors.Is(err, fermata.ErrStopped) {
					t.Errorf("the error is %v, want ErrStopped", err)
				}
				if took := time.Since(began); took != 0 {
					t.Errorf("it stopped after %s", took)
				}
				again, err := g.Resume(t.Context(), rt, runs[1].ID())
				if err != nil {
					t.Fatal(err)
				}
				for _, run := range []*graph.Run[state]{runs[0], runs[2], again} {
					if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
						t.Errorf("the run is %s, %v", res.Status, err)
					}
				}
			})
		})
	}
}

// A run's limit of time counts while it waits for a pool, and ends the wait (law F4).
func TestF4_TheLimitOfTimeEndsTheWait(t *testing.T) { eachPool(t, testF4TheLimitOfTimeEndsTheWait) }

func testF4TheLimitOfTimeEndsTheWait(t *testing.T, pooled pooling) {
	synctest.Test(t, func(t *testing.T) {
		rt, _ := pooled(t, fermata.Pool{Concurrent: 1})
		hold, err := inAPI(func(_ node.Context, s state) (state, error) { time.Sleep(time.Hour); return s, nil }).
			Start(t.Context(), rt, state{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		g := graph.New[state]("limited").Node("a", logged, graph.Pool("api")).Edge(graph.Start, "a").
			Limits(plan.Limits{Time: time.Minute}).MustCompile()
		run, err := g.Start(t.Context(), rt, state{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil || res.Status != fermata.Failed || !errors.Is(res.Err, fermata.ErrLimit) {
			t.Errorf("the run is %s, %v, %v", res.Status, res.Err, err)
		}
		if _, err := hold.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A plan that names a pool which there is not is refused wherever it would be driven, before anything is stored.
func TestPools_AnUnknownPoolIsRefused(t *testing.T) { eachPool(t, testPoolsAnUnknownPoolIsRefused) }

func testPoolsAnUnknownPoolIsRefused(t *testing.T, pooled pooling) {
	g := graph.New[state]("refund").Sub("check", inAPI(review())).Edge(graph.Start, "check").MustCompile()
	tests := map[string]struct {
		pools map[string]fermata.Pool
		want  string
	}{
		"none":    {nil, `plan "refund": node "check/a" is in pool "api", which Options.Pools does not have; it has none`},
		"similar": {map[string]fermata.Pool{"apis": {}, "db": {}}, `plan "refund": node "check/a" is in pool "api", which Options.Pools does not have`},
		"others":  {map[string]fermata.Pool{"database": {}}, `plan "refund": node "check/a" is in pool "api", which Options.Pools does not have; it has "database"`},
	}
	with, store := pooled(t, fermata.Pool{})
	waiting := start(t, with, g, state{})
	question(t, waiting)
	for name, test := range tests {
		rt := newRuntime(t, fermata.Options{Store: store, Pools: test.pools})
		_, started := g.Start(timeLimit(t), rt, state{}, fermata.WithID("run_refused"))
		_, resumed := g.Resume(timeLimit(t), rt, waiting.ID())
		for id, err := range map[string]error{"run_refused": started, waiting.ID(): resumed} {
			refused(t, err, refusal{code: fermata.CodeInvalid})
			if !strings.HasPrefix(err.Error(), "run "+id+": "+test.want) || name == "similar" && !strings.Contains(err.Error(), `"apis"`) {
				t.Errorf("%s: the error is %v\nwant %s", name, err, test.want)
			}
		}
	}
	rows, err := store.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 1 {
		t.Errorf("there are %d runs, %v", len(rows), err)
	}
}

func TestPools_OptionsAreChecked(t *testing.T) {
	for want, pools := range map[string]map[string]fermata.Pool{
		`pool "a": Concurrent is -1; it may not be negative, and 0 is any number`:          {"a": {Concurrent: -1}},
		`pool "a": Every is -1s; it may not be negative, and 0 is no limit`:                {"a": {Every: -time.Second}, "b": {Burst: 1}},
		`pool "a": Burst is -2; it may not be negative, and 0 is 1`:                        {"a": {Every: 1, Burst: -2}},
		`pool "a": Burst is 2, and Every is not set; a burst is what may go beyond a rate`: {"a": {Burst: 2}},
		`pool "": a pool needs a name; nodes without a pool have none`:                     {"": {}},
	} {
		_, err := fermata.New(fermata.Options{Pools: pools})
		refused(t, err, refusal{code: fermata.CodeInvalid})
		if err.Error() != want {
			t.Errorf("the error is %v\nwant %s", err, want)
		}
	}
}

// A plan that is only evaluated has nobody to share a pool with, unless it is given pools.
func TestPools_Evaluate(t *testing.T) {
	g := inAPI(logged)
	if _, err := g.Run(t.Context(), state{}); err != nil {
		t.Errorf("without pools: %v", err)
	}
	_, err := fermata.Evaluate(t.Context(), g.Plan(), &state{}, fermata.Options{Pools: map[string]fermata.Pool{"other": {}}})
	refused(t, err, refusal{code: fermata.CodeInvalid})
	synctest.Test(t, func(t *testing.T) {
		loop := graph.New[state]("loop").
			Node("a", func(_ node.Context, s state) (state, error) { s.N++; return s, nil }, graph.Pool("api")).
			Edge(graph.Start, "a").
			Route("a", func(_ node.Context, s state) (string, error) {
				if s.N < 4 {
					return "a", nil
				}
				return graph.End, nil
			}, "a", graph.End).MustCompile()
		began := time.Now()
		_, err := fermata.Evaluate(t.Context(), loop.Plan(), &state{}, fermata.Options{
			Pools: map[string]fermata.Pool{"api": {Every: time.Second}},
		})
		if took := time.Since(began); err != nil || took != 3*time.Second {
			t.Errorf("four visits took %s, %v", took, err)
		}
	})
}

// Hundreds of runs and a small pool, on real goroutines: never more at the same time than there are places, and all
// come to their end, although many are stopped while they wait.
func TestPools_ManyRuns(t *testing.T) { eachPool(t, testPoolsManyRuns) }

func testPoolsManyRuns(t *testing.T, pooled pooling) {
	rt, _ := pooled(t, fermata.Pool{Concurrent: 3, Every: 10 * time.Microsecond, Burst: 5})
	var l load
	g := graph.New[state]("many").
		Node("a", func(ctx node.Context, s state) (state, error) {
			defer l.enter("a")()
			runtime.Gosched()
			return logged(ctx, s)
		}, graph.Pool("api"), graph.Timeout(time.Minute)).
		Node("b", func(ctx node.Context, s state) (state, error) {
			defer l.enter("b")()
			runtime.Gosched()
			return logged(ctx, s)
		}, graph.Pool("api")).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			run, err := g.Start(context.Background(), rt, state{})
			if err == nil && i%3 == 0 { // stopped once, somewhere
				_ = run.Stop(0)
				if _, err = run.Wait(context.Background()); err == nil || errors.Is(err, fermata.ErrStopped) {
					run, err = g.Resume(context.Background(), rt, run.ID())
				}
			}
			if err != nil {
				t.Error(err)
				return
			}
			res, err := run.Wait(context.Background())
			if diff := cmp.Diff([]string{"a#1", "b#1"}, res.State.Log); err != nil || diff != "" {
				t.Errorf("the run is %s, %v %s", res.Status, err, diff)
			}
		})
	}
	mustReturn(t, "all runs", wg.Wait)
	if l.most > 3 {
		t.Errorf("%d at the same time", l.most)
	}
}

// Wherever a run is interrupted, a pool has no part in what comes of it.
func TestJ1_CrashesInPools(t *testing.T) {
	g := graph.New[state]("pools").
		Node("a", logged, graph.Pool("api")).
		Node("b", func(ctx node.Context, s state) (state, error) {
			if err := node.Sleep(ctx, time.Hour); err != nil {
				return s, err
			}
			_, err := node.Step(ctx, "pay", func(node.Context) (int, error) { return 1, nil })
			s.Log = append(s.Log, ctx.Info().Task())
			return s, err
		}, graph.Pool("api"), graph.Timeout(time.Minute)).
		Node("c", logged, graph.Pool("other")).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").MustCompile()
	report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} }, fermatatest.WithOptions(fermata.Options{
		Pools: map[string]fermata.Pool{"api": {Concurrent: 1, Every: time.Hour}},
	}))
	if last, ok := report.Result.Value.(*state); !ok || len(last.Log) != 3 || report.Crashes == 0 {
		t.Errorf("the result is %+v, after %d crashes", report.Result, report.Crashes)
	}
}
