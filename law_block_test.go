package fermata_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// killer is a node that takes its process with it, as the test sees it, as long as it is armed.
type killer struct {
	armed atomic.Bool
	calls atomic.Int64
}

func (k *killer) run(ctx node.Context, s state) (state, error) {
	k.calls.Add(1)
	if k.armed.Load() {
		<-ctx.Done()
		return s, ctx.Err()
	}
	s.N++
	return s, nil
}

// dies lets a worker take a run and be lost while the node is at work. It returns how long it took until it was taken.
func (s *shop) dies(name string, k *killer) time.Duration {
	s.t.Helper()
	rt, wire := s.process(name)
	calls, began := k.calls.Load(), time.Now()
	stop := s.workWith(rt, fermata.WorkOptions{})
	for k.calls.Load() == calls {
		if time.Since(began) > 10*time.Minute {
			s.t.Fatal("nobody takes the run")
		}
		time.Sleep(10 * time.Millisecond)
	}
	wire.set(true)
	go func() {
		_ = rt.Close()
		stop()
	}()
	return time.Since(began)
}

// TestJ11_ARunIsSetAside checks that a run which takes its processes with it is taken over a bounded number of times, that its
// status, its reason and its journal say so, that nobody takes it then, and that Retry takes it up, with a count that begins anew.
func TestJ11_ARunIsSetAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k killer
		k.armed.Store(true)
		g := graph.New[state]("kills").Node("charge", k.run).Edge(graph.Start, "charge").MustCompile()
		s := newShop(t, g)
		first, _ := s.process("starts")
		run := start(t, first, g, state{}, fermata.Queued())
		var last time.Duration
		for i := range fermata.DefaultTakeovers + 1 {
			last = s.dies("p"+strconv.Itoa(i), &k)
		}
		if last < 8*time.Second {
			t.Errorf("the last takeover came after %v, expected a backoff", last)
		}
		rt, _ := s.process("last")
		stop := s.workWith(rt, fermata.WorkOptions{})
		defer func() { _ = rt.Close(); stop() }() // a node that it should not have called does not come back by itself
		s.awaits(run.ID(), fermata.Blocked)
		time.Sleep(time.Hour)
		info := s.info(run.ID())
		if info.Status != string(fermata.Blocked) || info.Driver != "" || !strings.Contains(info.Error, "its process was lost 6 times, with charge#1 at work") {
			t.Errorf("the run is %s, driven by %q: %s", info.Status, info.Driver, info.Error)
		}
		if n := k.calls.Load(); n != fermata.DefaultTakeovers+1 {
			t.Errorf("the node was called %d times", n)
		}
		var takeovers, blocked int
		for _, e := range entries(t, s.store, run.ID()) {
			switch e.Kind {
			case journal.RunResumed:
				if body := bodyOf[journal.ResumedBody](t, &e); body.Takeover {
					takeovers++
					if !slices.Equal(body.Lost, []string{"charge#1"}) {
						t.Errorf("a takeover has lost %v", body.Lost)
					}
				}
			case journal.RunBlocked:
				blocked++
			}
		}
		if takeovers != fermata.DefaultTakeovers || blocked > fermata.DefaultTakeovers {
			t.Errorf("the journal has %d takeovers and %d blocks", takeovers, blocked)
		}
		res, err := rt.Result(t.Context(), run.ID(), g.Plan())
		var why *fermata.BlockedError
		if err != nil || res.Status != fermata.Blocked || !errors.As(res.Err, &why) || !errors.Is(res.Err, fermata.ErrBlocked) || !why.RetryAt.IsZero() {
			t.Errorf("the result is %+v, %v", res, err)
		}
		again := resume(t, rt, g, run.ID())
		if res := wait(t, again); res.Status != fermata.Blocked || k.calls.Load() != fermata.DefaultTakeovers+1 {
			t.Errorf("Resume is no Retry: %s, %d calls", res.Status, k.calls.Load())
		}
		retries, wire := s.process("retries")
		if _, err := retries.Retry(t.Context(), run.ID(), g.Plan()); err != nil {
			t.Fatal(err)
		}
		for k.calls.Load() == fermata.DefaultTakeovers+1 {
			time.Sleep(10 * time.Millisecond)
		}
		wire.set(true) // it is lost as the others were, and the takeover that follows is the first one again
		go func() { _ = retries.Close() }()
		k.armed.Store(false)
		s.awaits(run.ID(), fermata.Completed)
	})
}

// TestJ11_ProgressCountsAnew checks that a run which gets something done between its takeovers is not set aside, and that one
// which is set aside can be cancelled.
func TestJ11_ProgressCountsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k killer
		k.armed.Store(true)
		g := single(func(ctx node.Context, s state) (state, error) {
			for i := range 12 {
				did := false
				if _, err := node.Step(ctx, "s"+strconv.Itoa(i), func(node.Context) (int, error) { did = true; return i, nil }); err != nil {
					return s, err
				}
				if did && i < 11 {
					k.calls.Add(1)
					<-ctx.Done()
					return s, ctx.Err()
				}
			}
			return s, nil
		})
		s := newShop(t, g)
		first, _ := s.process("starts")
		run := start(t, first, g, state{}, fermata.Queued())
		for i := range 11 {
			s.dies("p"+strconv.Itoa(i), &k)
		}
		rt, _ := s.process("last")
		defer s.workWith(rt, fermata.WorkOptions{})()
		s.awaits(run.ID(), fermata.Completed)
	})
}

// TestJ11_ABlockedRunIsCancelledAndAnswered checks what people may do with a run that is set aside.
func TestJ11_ABlockedRunIsCancelledAndAnswered(t *testing.T) {
	for _, cancel := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var k killer
			k.armed.Store(true)
			g := graph.New[state]("beside").Node("ask", review()).Node("kill", k.run).Node("j", logged, graph.All()).
				Edge(graph.Start, "ask").Edge(graph.Start, "kill").Edge("ask", "j").Edge("kill", "j").MustCompile()
			s := newShop(t, g)
			first, _ := s.process("starts")
			run := start(t, first, g, state{}, fermata.Queued())
			for i := range fermata.DefaultTakeovers + 1 {
				s.dies("p"+strconv.Itoa(i), &k)
			}
			rt, _ := s.process("last")
			defer s.workWith(rt, fermata.WorkOptions{})()
			s.awaits(run.ID(), fermata.Blocked)
			for s.info(run.ID()).Error == "" || !strings.Contains(s.info(run.ID()).Error, "6 times") {
				time.Sleep(time.Second)
			}
			open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
			if err != nil || len(open) != 1 {
				t.Fatalf("open are %v, %v", open, err)
			}
			if cancel {
				if err := rt.Cancel(t.Context(), run.ID(), "enough", "ann"); err != nil {
					t.Fatal(err)
				}
				s.awaits(run.ID(), fermata.Cancelled)
				return
			}
			answer(t, rt, open[0].ID, decision{Approve: true})
			time.Sleep(time.Minute)
			if info := s.info(run.ID()); info.Status != string(fermata.Blocked) || info.Waiting != 0 || k.calls.Load() != fermata.DefaultTakeovers+1 {
				t.Errorf("after the answer the run is %s, waits for %d answers, and was called %d times", info.Status, info.Waiting, k.calls.Load())
			}
			k.armed.Store(false)
			if _, err := rt.Retry(t.Context(), run.ID(), g.Plan()); err != nil {
				t.Fatal(err)
			}
			s.awaits(run.ID(), fermata.Completed)
		})
	}
}

// deployed are two versions of a node that waits: the journal of the one is not the way of the other.
func deployed(step string) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Step(ctx, step, func(node.Context) (int, error) { return 1, nil }); err != nil {
			return s, err
		}
		if err := node.Sleep(ctx, time.Hour); err != nil {
			return s, err
		}
		return logged(ctx, s)
	})
}

// TestJ11_DivergedRunsGoOnWithFittingCode checks that runs whose code diverged stay open, with a journal that does not grow
// however often they are tried, and that a worker with fitting code takes them up by itself.
func TestJ11_DivergedRunsGoOnWithFittingCode(t *testing.T) {
	t.Parallel()
	renamed := graph.New[state]("single").Node("other", logged).Edge(graph.Start, "other").MustCompile()
	for name, test := range map[string]struct {
		bad *graph.Graph[state]
		is  error
	}{"another step": {deployed("renamed"), fermata.ErrDiverged}, "another plan": {renamed, fermata.ErrPlanChanged}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				good := deployed("first")
				s := newShop(t, good)
				v1, _ := s.process("v1")
				stop := s.workWith(v1, fermata.WorkOptions{})
				var runs []string
				for range 5 {
					runs = append(runs, start(t, v1, good, state{}, fermata.Queued()).ID())
				}
				time.Sleep(time.Minute)
				stop()
				_ = v1.Close()
				s.plan = test.bad.Plan()
				v2, _ := s.process("v2")
				stop = s.workWith(v2, fermata.WorkOptions{Every: time.Minute}) // a day of queries every few seconds takes long
				time.Sleep(2 * time.Hour)
				heads := make(map[string]uint64)
				for _, run := range runs {
					info := s.info(run)
					if heads[run] = info.Head; info.Status != string(fermata.Blocked) || info.Driver != "" {
						t.Errorf("the run is %s, driven by %q: %s", info.Status, info.Driver, info.Error)
					}
					res, err := v2.Result(t.Context(), run, nil)
					if err != nil || !errors.Is(res.Err, test.is) || !errors.Is(res.Err, fermata.ErrBlocked) {
						t.Errorf("the result is %v, %v", res.Err, err)
					}
				}
				time.Sleep(24 * time.Hour)
				for _, run := range runs {
					if info := s.info(run); info.Head != heads[run] {
						t.Errorf("the journal has grown from %d to %d", heads[run], info.Head)
					}
				}
				stop()
				_ = v2.Close()
				s.plan = good.Plan()
				v3, _ := s.process("v3")
				defer s.workWith(v3, fermata.WorkOptions{})()
				for _, run := range runs {
					if took := s.awaits(run, fermata.Completed); took > 2*time.Minute {
						t.Errorf("the run went on after %v", took)
					}
				}
			})
		})
	}
}

// TestJ11_WhoDrivesIsTold checks that a caller who drives a run himself is told why it is blocked, and goes on with code that fits.
func TestJ11_WhoDrivesIsTold(t *testing.T) {
	asks := func(step string) *graph.Graph[state] {
		return single(func(ctx node.Context, s state) (state, error) {
			if _, err := node.Step(ctx, step, func(node.Context) (int, error) { return 1, nil }); err != nil {
				return s, err
			}
			return review()(ctx, s)
		})
	}
	rt, store := inMemory(t)
	good := asks("first")
	run := start(t, rt, good, state{})
	q := question(t, run)
	if err := rt.Answer(t.Context(), q.ID, decision{Approve: true}, fermata.Hold()); err != nil {
		t.Fatal(err)
	}
	head := len(entries(t, store, run.ID()))
	res, err := resume(t, rt, asks("renamed"), run.ID()).Wait(timeLimit(t))
	var diverged *node.DivergedError
	if err != nil || res.Status != fermata.Blocked || !errors.As(res.Err, &diverged) {
		t.Errorf("the run is %s: %v, %v", res.Status, res.Err, err)
	}
	news := entries(t, store, run.ID())[head:]
	if len(news) != 2 || news[0].Kind != journal.RunResumed || news[1].Kind != journal.RunBlocked {
		t.Errorf("of the pass that failed is recorded %v", news)
	}
	ends(t, resume(t, rt, good, run.ID()), fermata.Completed)
}

// TestJ11_OtherTimersOfABlockedRunWait checks that a run whose code diverged is tried when its own backoff says so, and not when
// a sleep of it is over.
func TestJ11_OtherTimersOfABlockedRunWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const long = time.Hour
		var tries []time.Duration
		began := time.Now()
		version := func(step string) *graph.Graph[state] {
			return graph.New[state]("beside").
				Node("a", func(ctx node.Context, s state) (state, error) {
					tries = append(tries, time.Since(began))
					if _, err := node.Step(ctx, step, func(node.Context) (int, error) { return 1, nil }); err != nil {
						return s, err
					}
					return s, node.Sleep(ctx, time.Minute)
				}).
				Node("b", func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, long) }).
				Node("j", logged, graph.All()).
				Edge(graph.Start, "a", "b").Edge("a", "j").Edge("b", "j").MustCompile()
		}
		s := newShop(t, version("one"))
		first, _ := s.process("first")
		run := start(t, first, version("one"), state{})
		standsAt(t, first, run.ID(), fermata.Paused)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		s.plan = version("other").Plan()
		second, _ := s.process("second")
		s.awaits(run.ID(), fermata.Blocked)
		time.Sleep(long - time.Since(began) - time.Second)
		synctest.Wait() // for a try of this moment
		before := len(tries)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if before < 3 || len(tries) > before {
			t.Errorf("it was tried at %v: expected several tries, and none when the sleep is over", tries)
		}
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
		s.plan = version("one").Plan()
		s.process("third")
		s.awaits(run.ID(), fermata.Completed)
	})
}
