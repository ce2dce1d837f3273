package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// expired asserts that a run has ended at its deadline, and that nothing of it is open.
func expired(t *testing.T, store journal.Store, run string, until time.Time) {
	t.Helper()
	all := entries(t, store, run)
	last := all[len(all)-1]
	if got := bodyOf[journal.FinishedBody](t, &last); last.Kind != journal.RunFinished || got.Status != "expired" || got.Limit != "until" ||
		got.Max != until.UTC().Format(time.RFC3339Nano) || last.Time().Before(until) {
		t.Fatalf("the last entry is %s at %s, %+v; want the end at the deadline %s", last.Kind, last.Time(), got, until)
	}
	if n := count(lines(t, store, run), "run.finished"); n > 1 {
		t.Errorf("the run has %d ends", n)
	}
	rt := newRuntime(t, fermata.Options{Store: store, Clock: newClock()})
	res, err := rt.Result(t.Context(), run, nil)
	limit, ok := errors.AsType[*fermata.LimitError](res.Err)
	var door *fermata.Error
	if err != nil || res.Status != fermata.Expired || !ok || limit.Limit != "until" || !errors.As(res.Err, &door) || door.Code != fermata.CodeExpired ||
		!errors.Is(res.Err, fermata.ErrExpired) || !errors.Is(res.Err, fermata.ErrLimit) {
		t.Errorf("the run is %s: %v, %v", res.Status, res.Err, err)
	}
	open, err := store.Inbox(t.Context(), journal.InboxFilter{Run: run})
	timers, more := store.Timers(t.Context(), 1<<62, 0)
	if len(open)+len(timers) > 0 || err != nil || more != nil {
		t.Errorf("%d questions and %d timers are left: %v, %v", len(open), len(timers), err, more)
	}
}

// waits are graphs that would wait for longer than a day, by what for.
func waits(entered chan<- struct{}) map[string]*graph.Graph[state] {
	return map[string]*graph.Graph[state]{
		"an answer": single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?", node.Within(48*time.Hour))
			return s, err
		}),
		"a message": single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Receive[paid](ctx, "payments")
			return s, err
		}),
		"a time": single(func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, 48*time.Hour) }),
		"a retry": single(func(node.Context, state) (state, error) { return state{}, errFlaky },
			func(n *plan.Node) { n.Retry = plan.Retry{Attempts: 3, Backoff: 48 * time.Hour, Max: 48 * time.Hour} }),
		"a function": single(func(ctx node.Context, s state) (state, error) {
			entered <- struct{}{}
			<-ctx.Done()
			return s, ctx.Err()
		}),
		"a function that succeeds late": single(func(ctx node.Context, s state) (state, error) {
			entered <- struct{}{}
			<-ctx.Done()
			return s, nil
		}),
		"an answer beside a function": graph.New[state]("branches").Node("fork", logged).Node("ask", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?")
			return s, err
		}).Node("work", func(ctx node.Context, s state) (state, error) {
			entered <- struct{}{}
			<-ctx.Done()
			return s, ctx.Err()
		}).Edge(graph.Start, "fork").Edge("fork", "ask").Edge("fork", "work").
			Merge(func(base state, _ []state) (state, error) { return base, nil }).MustCompile(),
	}
}

// A run ends at its deadline and no microsecond earlier, whatever it waits for and wherever its deadline comes from.
func TestF9_ARunExpiresWhateverItWaitsFor(t *testing.T) {
	t.Parallel()
	hour := epoch.Add(time.Hour)
	for from, opts := range map[string][]fermata.StartOption{
		"a time": {fermata.Until(hour)}, "a time after the start": {fermata.Within(time.Hour)},
		"the earliest": {fermata.Until(epoch.Add(2 * time.Hour)), fermata.Within(time.Hour)},
	} {
		entered := make(chan struct{}, 8)
		for name, g := range waits(entered) {
			t.Run(from+", "+name, func(t *testing.T) {
				store, clock := memory.New(), newClock()
				rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
				run := start(t, rt, g, state{}, opts...)
				if strings.Contains(name, "function") {
					<-entered
				}
				rested := func() bool {
					info, err := rt.Info(t.Context(), run.ID())
					return err == nil && (info.Status != "running" || strings.Contains(name, "function") || strings.Contains(name, "retry"))
				}
				eventually(t, "the run waits", rested)
				clock.AdvanceTo(hour.Add(-time.Microsecond))
				if info, err := rt.Info(t.Context(), run.ID()); err != nil || info.Ended() {
					t.Fatalf("before its deadline the run is %s, %v", info.Status, err)
				}
				clock.AdvanceTo(hour)
				eventually(t, "the run ends", func() bool {
					info, err := rt.Info(t.Context(), run.ID())
					return err == nil && info.Ended()
				})
				expired(t, store, run.ID(), hour)
				ends(t, run, fermata.Expired)
			})
		}
	}
}

// The plan's own limit counts waiting, in a run that is not stored as well. One that is over earlier is not touched by it.
func TestF9_ThePlanLimitsTheTimeWithWaiting(t *testing.T) {
	t.Parallel()
	b := graph.New[state]("limited").Node("a", func(ctx node.Context, s state) (state, error) {
		return s, node.Sleep(ctx, time.Duration(s.N)*time.Hour)
	})
	g := b.Edge(graph.Start, "a").Limits(plan.Limits{Within: 2 * time.Hour}).MustCompile()
	store, clock := memory.New(), newClock()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	late, early := start(t, rt, g, state{N: 3}), start(t, rt, g, state{N: 1})
	eventually(t, "both sleep", func() bool {
		timers, err := store.Timers(t.Context(), 1<<62, 0)
		return err == nil && len(timers) == 4
	})
	clock.AdvanceTo(epoch.Add(time.Hour))
	ends(t, early, fermata.Completed)
	clock.AdvanceTo(epoch.Add(2 * time.Hour))
	ends(t, late, fermata.Expired)
	expired(t, store, late.ID(), epoch.Add(2*time.Hour))

	short := graph.New[state]("short").Node("a", func(ctx node.Context, s state) (state, error) {
		<-ctx.Done()
		return s, ctx.Err()
	}).Edge(graph.Start, "a").Limits(plan.Limits{Within: time.Millisecond}).MustCompile()
	if _, err := short.Run(timeLimit(t), state{}); !errors.Is(err, fermata.ErrExpired) || !errors.Is(err, fermata.ErrLimit) {
		t.Errorf("a run that is not stored ends with %v", err)
	}
	if _, err := g.Start(t.Context(), rt, state{}, fermata.Within(-time.Second)); err == nil {
		t.Error("a deadline before the start is taken")
	}
	if _, err := plan.New(plan.Definition{Name: "bad", Limits: plan.Limits{Within: -1}}); err == nil || !strings.Contains(err.Error(), "expires") {
		t.Errorf("the plan is refused with %v", err)
	}
}

// Where the process of a run is gone, or nobody has taken it, any process ends it, also one that does not know its plan, and
// whether or not a process was up when the deadline passed. That is so for a run that is blocked, too.
func TestF9_AnyProcessEndsTheRun(t *testing.T) {
	t.Parallel()
	hour := epoch.Add(time.Hour)
	unknown := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return nil, nil }
	asks := waits(nil)["an answer"]
	for name, c := range map[string]struct {
		opts []fermata.StartOption
		up   bool // the other process is there when the deadline passes
	}{
		"queued": {[]fermata.StartOption{fermata.Queued()}, true}, "queued, all were down": {[]fermata.StartOption{fermata.Queued()}, false},
		"paused": {nil, true}, "paused, all were down": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			store, clock := memory.New(), newClock()
			first := newRuntime(t, fermata.Options{Store: store, Clock: clock})
			run := start(t, first, asks, state{}, append(c.opts, fermata.Until(hour))...)
			if len(c.opts) == 0 {
				ends(t, run, fermata.Paused)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			if !c.up {
				clock.AdvanceTo(hour.Add(time.Minute))
			}
			other := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: unknown})
			clock.AdvanceTo(hour.Add(2 * time.Minute))
			eventually(t, "the run ends", func() bool {
				info, err := other.Info(t.Context(), run.ID())
				return err == nil && info.Ended()
			})
			expired(t, store, run.ID(), hour)
		})
	}
	t.Run("blocked", func(t *testing.T) {
		store, clock := memory.New(), newClock()
		other := single(func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, time.Hour) })
		first := newRuntime(t, fermata.Options{Store: store, Clock: clock})
		run := start(t, first, asks, state{}, fermata.Until(hour))
		id := question(t, run).ID
		first.Close()
		second := newRuntime(t, fermata.Options{Store: store, Clock: clock})
		answer(t, second, id, true, fermata.Hold())
		again, err := other.Resume(t.Context(), second, run.ID())
		if err != nil {
			t.Fatal(err)
		}
		if res := wait(t, again); res.Status != fermata.Blocked {
			t.Fatalf("the run is %s", res.Status)
		}
		clock.AdvanceTo(hour)
		eventually(t, "the run ends", func() bool {
			info, err := second.Info(t.Context(), run.ID())
			return err == nil && info.Ended()
		})
		expired(t, store, run.ID(), hour)
	})
}

// An answer that is on its way when the deadline passes, and is recorded before the end, changes nothing: no node sees it. Here
// it comes from a process whose clock is behind.
func TestF9_AnAnswerOfThatMomentComesTooLate(t *testing.T) {
	t.Parallel()
	hour := epoch.Add(time.Hour)
	for _, late := range []time.Duration{0, time.Microsecond, time.Hour} {
		var passed atomic.Int32
		g := single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?")
			if err == nil {
				passed.Add(1)
			}
			return s, err
		})
		store, clock := memory.New(), newClock()
		first := newRuntime(t, fermata.Options{Store: store, Clock: clock})
		run := start(t, first, g, state{}, fermata.Until(hour))
		id := question(t, run).ID
		first.Close()
		clock.AdvanceTo(hour.Add(late))
		answer(t, newRuntime(t, fermata.Options{Store: store, Clock: newClock()}), id, true, fermata.Hold())
		second := newRuntime(t, fermata.Options{Store: store, Clock: clock})
		ends(t, resume(t, second, g, run.ID()), fermata.Expired)
		expired(t, store, run.ID(), hour)
		if passed.Load() > 0 {
			t.Error("a node has seen the answer")
		}
	}
}

// The deadline is a fact of the run: another plan's limit does not move it. A retry and a fork keep one that is ahead. Where it
// has passed, a retry gives a new one and a fork gets as long again, which is on record.
func TestF9_TheDeadlineIsOnRecord(t *testing.T) {
	t.Parallel()
	limited := func(within time.Duration) *graph.Graph[state] {
		return graph.New[state]("asks").Node("a", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?")
			return s, err
		}).Edge(graph.Start, "a").Limits(plan.Limits{Within: within}).MustCompile()
	}
	store, clock := memory.New(), newClock()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, limited(time.Hour), state{})
	ends(t, run, fermata.Paused)
	until := func(run string) (at []string) {
		timers, err := store.Timers(t.Context(), 1<<62, 0)
		for _, timer := range timers {
			if timer.Run == run {
				at = append(at, time.UnixMicro(timer.Due).UTC().Sub(epoch).String())
			}
		}
		if err != nil {
			t.Error(err)
		}
		return at
	}
	clock.AdvanceTo(epoch.Add(30 * time.Minute))
	early, err := limited(time.Hour).Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{})
	if err != nil {
		t.Fatal(err)
	}
	ends(t, early, fermata.Paused)
	ends(t, resume(t, rt, limited(time.Minute), run.ID()), fermata.Paused)
	if diff := cmp.Diff([][]string{{"1h0m0s"}, {"1h0m0s"}}, [][]string{until(run.ID()), until(early.ID())}); diff != "" {
		t.Errorf("before the deadline (-want +got):\n%s", diff)
	}
	clock.AdvanceTo(epoch.Add(time.Hour))
	eventually(t, "both end", func() bool { return len(until(run.ID()))+len(until(early.ID())) == 0 })
	clock.AdvanceTo(epoch.Add(3 * time.Hour))
	late, err := limited(time.Hour).Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{})
	if err != nil {
		t.Fatal(err)
	}
	ends(t, late, fermata.Paused)
	again, err := limited(time.Minute).Retry(t.Context(), rt, run.ID(), fermata.RetryUntil(epoch.Add(4*time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	ends(t, again, fermata.Paused)
	if diff := cmp.Diff([][]string{{"4h0m0s"}, {"4h0m0s"}}, [][]string{until(run.ID()), until(late.ID())}); diff != "" {
		t.Errorf("after the deadline (-want +got):\n%s", diff)
	}
	clock.AdvanceTo(epoch.Add(4 * time.Hour))
	eventually(t, "both end again", func() bool { return len(until(run.ID()))+len(until(late.ID())) == 0 })
	if all := lines(t, store, late.ID()); !strings.HasPrefix(all[len(all)-1], "run.finished") {
		t.Errorf("the fork ends with %s", all[len(all)-1])
	}
}

// A process that dies at any append, those that end the run among them, leaves a run that another process ends once.
func TestF9_CrashAtEveryAppend(t *testing.T) {
	t.Parallel()
	const id = "run_crash"
	hour := epoch.Add(time.Hour)
	g := graph.New[state]("long").Node("a", logged).Node("b", func(ctx node.Context, s state) (state, error) {
		if err := node.Sleep(ctx, time.Minute); err != nil {
			return s, err
		}
		_, err := node.Interrupt[bool](ctx, "well?")
		return s, err
	}).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	unknown := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return nil, nil }
	for n, seen := 1, true; seen; n++ {
		for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
			store, clock := memory.New(), newClock()
			faulty := journaltest.NewFaulty(store)
			dies(faulty, n, mode)
			dead, err := fermata.New(fermata.Options{Store: faulty, Clock: clock})
			if err != nil {
				t.Fatal(err)
			}
			_, err = g.Start(t.Context(), dead, state{}, fermata.WithID(id), fermata.Until(hour))
			for step := range 3 { // the sleep, the question, the end
				if err == nil {
					before := -1
					eventually(t, fmt.Sprintf("step %d comes to rest", step), func() bool {
						now := faulty.Appends()
						same := now == before
						before = now
						time.Sleep(2 * time.Millisecond)
						return same
					})
					clock.AdvanceTo([]time.Time{epoch.Add(time.Minute), hour, hour}[step])
				}
			}
			dead.Close()
			seen = faulty.Appends() >= n
			later := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: unknown})
			clock.AdvanceTo(hour.Add(time.Minute))
			if _, err := later.Info(t.Context(), id); errors.Is(err, fermata.ErrNotFound) {
				continue
			}
			eventually(t, fmt.Sprintf("append %d, %d: the run ends", n, mode), func() bool {
				info, err := later.Info(t.Context(), id)
				return err == nil && info.Ended()
			})
			expired(t, store, id, hour)
		}
	}
}

// Several processes whose timers ring at the same moment end a run once, also against an answer.
func TestF9_ManyProcessesEndTheRunOnce(t *testing.T) {
	t.Parallel()
	hour := epoch.Add(time.Hour)
	for range 20 {
		store, clock := memory.New(), newClock()
		g := waits(nil)["an answer"]
		plans := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil }
		first := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: plans})
		run := start(t, first, g, state{}, fermata.Until(hour))
		id := question(t, run).ID
		for range 3 {
			newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: plans})
		}
		answered := make(chan error, 1)
		go func() { answered <- first.Answer(context.Background(), id, true) }()
		clock.AdvanceTo(hour)
		err := <-answered
		eventually(t, "the run ends", func() bool {
			info, err := first.Info(t.Context(), run.ID())
			return err == nil && info.Ended()
		})
		if info, _ := first.Info(t.Context(), run.ID()); info.Status == "completed" && err == nil {
			continue // it was answered before
		}
		expired(t, store, run.ID(), hour)
	}
}

// A start whose deadline has passed begins nothing, and says both times; of a run that exists, it says that. A retry of a run whose
// deadline has passed is refused without a new one that is ahead, by whichever call, and then goes on to that one.
func TestF9_ThereIsAWayOnPastTheDeadline(t *testing.T) {
	t.Parallel()
	hour := epoch.Add(time.Hour)
	g := waits(nil)["an answer"]
	store, clock := memory.New(), newClock()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil }})
	var door *fermata.Error
	for _, past := range []time.Time{epoch, epoch.Add(-time.Hour), time.UnixMicro(1)} {
		_, err := g.Start(t.Context(), rt, state{}, fermata.WithID("past"), fermata.Until(past))
		if !errors.As(err, &door) || door.Code != fermata.CodeInvalid || !strings.Contains(err.Error(), past.UTC().Format(time.RFC3339)) ||
			!strings.Contains(err.Error(), epoch.UTC().Format(time.RFC3339)) {
			t.Errorf("a start with the deadline %s: %v", past, err)
		}
		if _, err := rt.Info(t.Context(), "past"); !errors.Is(err, fermata.ErrNotFound) {
			t.Errorf("it has begun a run: %v", err)
		}
	}
	run := start(t, rt, g, state{}, fermata.WithID("r"), fermata.Until(hour))
	id := question(t, run).ID
	clock.AdvanceTo(hour)
	eventually(t, "the run ends", func() bool {
		info, err := rt.Info(t.Context(), "r")
		return err == nil && info.Ended()
	})
	clock.AdvanceTo(hour.Add(time.Minute))
	if _, err := g.Start(t.Context(), rt, state{}, fermata.WithID("r"), fermata.Until(hour)); !errors.Is(err, fermata.ErrConflict) {
		t.Errorf("a second start: %v", err)
	}
	before := len(entries(t, store, "r"))
	bulk := func(opts ...fermata.RetryOption) error {
		for r, err := range rt.RetryRuns(t.Context(), journal.RunQuery{}, fermata.BulkOptions{Retry: opts}) {
			return errors.Join(err, r.Err)
		}
		return errors.New("no run is selected")
	}
	migrate := func(opts ...fermata.RetryOption) error {
		_, err := g.Migrate(t.Context(), rt, "r", plan.Migration{}, opts...)
		return err
	}
	retry := func(opts ...fermata.RetryOption) error {
		_, err := g.Retry(t.Context(), rt, "r", opts...)
		return err
	}
	for name, do := range map[string]func(...fermata.RetryOption) error{"Retry": retry, "Migrate": migrate, "RetryRuns": bulk} {
		if late, ok := errors.AsType[*fermata.LateError](do()); !ok || !late.Until.Equal(hour) || !strings.Contains(late.Error(), "RetryUntil") {
			t.Errorf("%s without a deadline: %v", name, late)
		}
		for _, o := range []fermata.RetryOption{fermata.RetryUntil(hour), fermata.RetryUntil(time.UnixMicro(0)), fermata.RetryWithin(-time.Second)} {
			if err := do(o); !errors.As(err, &door) || door.Code != fermata.CodeInvalid || !strings.Contains(err.Error(), "has passed") {
				t.Errorf("%s with a deadline that has passed: %v", name, err)
			}
		}
	}
	if n := len(entries(t, store, "r")); n != before {
		t.Errorf("refused retries recorded %d entries", n-before)
	}
	if err := retry(fermata.RetryWithin(time.Hour), fermata.RetryUntil(hour.Add(48*time.Hour))); err != nil {
		t.Fatal(err)
	}
	var open []fermata.Interrupt
	eventually(t, "the run asks again", func() bool {
		var err error
		open, err = rt.Inbox(t.Context(), journal.InboxFilter{Run: "r"})
		return err == nil && len(open) == 1
	})
	if err := rt.Answer(t.Context(), id, true); open[0].ID != id && !errors.Is(err, node.ErrWithdrawn) {
		t.Errorf("the old question: %v", err)
	}
	clock.AdvanceTo(hour.Add(time.Hour + time.Minute))
	eventually(t, "the run ends again", func() bool {
		info, err := rt.Info(t.Context(), "r")
		return err == nil && info.Status == "expired"
	})
}
