package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

var errFlaky = errors.New("flaky")

// fails is a node that fails the first n times it is called.
func failing(n int) graph.Func[state] {
	var made atomic.Int32
	return func(ctx node.Context, s state) (state, error) {
		if int(made.Add(1)) <= n {
			return s, errFlaky
		}
		return logged(ctx, s)
	}
}

// A failure is first met with the node's retry policy; each attempt and its wait is recorded.
func TestF1_RetriesComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, store := inMemory(t)
		g := graph.New[state]("retry").
			Node("a", failing(3), graph.Retry(4, time.Second)).
			Node("rescue", logged).
			Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
		began := time.Now()
		run := start(t, rt, g, state{})
		res := ends(t, run, fermata.Completed)
		if diff := cmp.Diff([]string{"a#1"}, res.State.Log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if took := time.Since(began); took != 7*time.Second {
			t.Errorf("it took %s, want backoffs of 1, 2 and 4 seconds", took)
		}
		want := []string{
			"run.started", "node.started a#1",
			"node.retrying a#1 flaky", "node.started a#1 attempt 2",
			"node.retrying a#1 attempt 2 flaky", "node.started a#1 attempt 3",
			"node.retrying a#1 attempt 3 flaky", "node.started a#1 attempt 4",
			"node.finished a#1 attempt 4", "run.finished completed",
		}
		if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
			t.Errorf("journal (-want +got):\n%s", diff)
		}
		noTimers(t, store)
	})
}

// A backoff is a durable timer: it goes on in another process.
func TestF1_BackoffOutlivesTheProcess(t *testing.T) {
	clock, store := newClock(), memory.New()
	g := single(failing(1), graph.Retry(2, 30*time.Second))
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, g, state{})
	eventually(t, "the first attempt has failed", func() bool { return count(lines(t, store, run.ID()), "node.retrying") == 1 })
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	later := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run = resume(t, later, g, run.ID())
	eventually(t, "nothing is driven", func() bool { return count(lines(t, store, run.ID()), "node.started") == 1 })
	clock.Advance(30 * time.Second)
	ends(t, run, fermata.Completed)
	noTimers(t, store)
}

// way is what becomes of a failure.
type way struct {
	name  string
	build func(b *graph.Builder[state])
	want  state
	fails bool
}

// ways are those that the failure of node a can take.
func ways() []way {
	// With is what a failing node returns beside its error.
	node1 := func(with func(s state) state) graph.Func[state] {
		return func(_ node.Context, s state) (state, error) {
			s.Log = append(s.Log, "tried")
			s.Tags["touched"]++
			return with(s), errFlaky
		}
	}
	same := func(s state) state { return s }
	zero := func(state) state { return state{} }
	rescue := func(ctx node.Context, s state) (state, error) {
		s.Text = fmt.Sprintf("%s: %s", ctx.Cause().Task, ctx.Cause().Message)
		return s, nil
	}
	return []way{
		{
			"the state that came with the error",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(same)).Node("rescue", rescue).OnError("a", "rescue")
			},
			state{Log: []string{"input", "tried"}, Text: "a#1: flaky", Tags: map[string]int{"kept": 1, "touched": 1}},
			false,
		},
		{
			"the input, where no state came with it",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(zero)).Node("rescue", rescue).OnError("a", "rescue")
			},
			state{Log: []string{"input"}, Text: "a#1: flaky", Tags: map[string]int{"kept": 1}},
			false,
		},
		{
			"the state of the last attempt",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(same), graph.Retry(3, time.Millisecond)).Node("rescue", rescue).OnError("a", "rescue")
			},
			state{Log: []string{"input", "tried"}, Text: "a#1: flaky", Tags: map[string]int{"kept": 1, "touched": 1}},
			false,
		},
		{
			"a catch that chooses",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(same)).Node("rescue", rescue).Node("other", logged)
				b.Catch("a", func(_ node.Context, s state, cause error) (string, error) {
					if errors.Is(cause, errFlaky) && len(s.Log) == 2 {
						return "rescue", nil
					}
					return "other", nil
				}, "rescue", "other")
			},
			state{Log: []string{"input", "tried"}, Text: "a#1: flaky", Tags: map[string]int{"kept": 1, "touched": 1}},
			false,
		},
		{
			"a catch to the end",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(same))
				b.Catch("a", func(node.Context, state, error) (string, error) { return graph.End, nil }, graph.End)
			},
			state{Log: []string{"input", "tried"}, Tags: map[string]int{"kept": 1, "touched": 1}},
			false,
		},
		{
			"a catch that lets it go on",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(same)).Node("rescue", rescue)
				b.Catch("a", func(node.Context, state, error) (string, error) { return "", nil }, "rescue")
			},
			state{},
			true,
		},
		{
			"a catch that fails",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(same)).Node("rescue", rescue)
				b.Catch("a", func(node.Context, state, error) (string, error) { return "", errors.New("the catch failed") }, "rescue")
			},
			state{},
			true,
		},
		{
			"a catch that chooses what it did not declare",
			func(b *graph.Builder[state]) {
				b.Node("a", node1(same)).Node("rescue", rescue)
				b.Catch("a", func(node.Context, state, error) (string, error) { return "rescu", nil }, "rescue")
			},
			state{},
			true,
		},
		{
			"no error edge",
			func(b *graph.Builder[state]) { b.Node("a", node1(same)) },
			state{},
			true,
		},
	}
}

// The way of a failure: retries, then the error edge, then the run.
func TestF1_TheWayOfAFailure(t *testing.T) {
	input := state{Log: []string{"input"}, Tags: map[string]int{"kept": 1}}
	for _, tt := range ways() {
		b := graph.New[state]("way").Edge(graph.Start, "a")
		tt.build(b)
		g := b.MustCompile()
		check := func(t *testing.T, got state, err error) {
			t.Helper()
			if tt.fails {
				if !errors.Is(err, errFlaky) {
					t.Errorf("the error is %v, want %v", err, errFlaky)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		fresh := func() state { return state{Log: []string{"input"}, Tags: map[string]int{"kept": 1}} }
		t.Run(tt.name+"/on a runtime", func(t *testing.T) {
			rt, _ := inMemory(t)
			res := wait(t, start(t, rt, g, input))
			check(t, res.State, res.Err)
		})
		t.Run(tt.name+"/without a store", func(t *testing.T) {
			got, err := g.Run(timeLimit(t), fresh())
			check(t, got, err)
		})
	}
}

// Without a store a backoff is waited for just the same.
func TestF1_BackoffWithoutAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got, err := single(failing(2), graph.Retry(3, time.Second)).Run(t.Context(), state{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"a#1"}, got.Log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s, want backoffs of 1 and 2 seconds", took)
		}
	})
}

// An author can say which errors are worth another attempt.
func TestF1_OnlyRetryableErrorsAreRetried(t *testing.T) {
	rt, store := inMemory(t)
	permanent := errors.New("permanent")
	made := 0
	run := start(t, rt, single(func(_ node.Context, s state) (state, error) {
		if made++; made == 2 {
			return s, fmt.Errorf("card: %w", permanent)
		}
		return s, errFlaky
	}, graph.Retry(5, time.Millisecond), graph.RetryIf(func(err error) bool { return !errors.Is(err, permanent) })), state{})
	res := ends(t, run, fermata.Failed)
	if !errors.Is(res.Err, permanent) {
		t.Errorf("the error is %v", res.Err)
	}
	if got := count(lines(t, store, run.ID()), "node.started"); got != 2 {
		t.Errorf("%d attempts", got)
	}
}

// An attempt that takes too long fails with ErrTimeout, and is tried again like any other.
func TestF1_Timeouts(t *testing.T) {
	rt, store := inMemory(t)
	var made atomic.Int32
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if made.Add(1) == 1 {
			<-ctx.Done()
			return s, ctx.Err()
		}
		return logged(ctx, s)
	}, graph.Retry(2, time.Millisecond), graph.Timeout(20*time.Millisecond)), state{})
	ends(t, run, fermata.Completed)
	want := []string{
		"run.started", "node.started a#1", "node.retrying a#1 the attempt took too long: more than 20ms", "node.started a#1 attempt 2",
		"node.finished a#1 attempt 2", "run.finished completed",
	}
	if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// A function that goes on after its time is left behind: what it still asks for is refused, and it is not mistaken for
// the task that runs meanwhile.
func TestF1_WhatATimeoutLeavesBehind(t *testing.T) {
	rt, _ := inMemory(t)
	leave, left := make(chan struct{}), make(chan []string, 1)
	hold := newGate()
	g := graph.New[state]("left").
		Node("slow", func(ctx node.Context, s state) (state, error) {
			before := node.IdempotencyKey(ctx)
			<-leave
			_, err := node.Step(ctx, "late", func(node.Context) (int, error) { return 1, nil })
			left <- []string{before, node.IdempotencyKey(ctx), ctx.Info().Task(), fmt.Sprint(errors.Is(err, node.ErrTaskOver))}
			return s, nil
		}, graph.Timeout(10*time.Millisecond)).
		Node("rescue", func(ctx node.Context, s state) (state, error) { return s, hold.pass(ctx) }).
		Edge(graph.Start, "slow").OnError("slow", "rescue").MustCompile()
	run := start(t, rt, g, state{}, fermata.WithID("run_left"))
	hold.waitEntered(t) // the engine has given up waiting for slow
	close(leave)
	if diff := cmp.Diff([]string{"run_left/slow#1", "run_left/slow#1", "slow#1", "true"}, <-left); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	close(hold.open)
	ends(t, run, fermata.Completed)
}

// A failed run is taken up at the task that failed; what finished is not run again.
func TestF2_RetryContinuesFromTheFailedTask(t *testing.T) {
	rt, store := inMemory(t)
	var visits, steps calls
	broken := true
	visit := func(ctx node.Context, s state) (state, error) {
		visits.add(ctx.Info().Task())
		return logged(ctx, s)
	}
	g := graph.New[state]("retry").
		Node("a", visit).
		Node("b", func(ctx node.Context, s state) (state, error) {
			if _, err := node.Step(ctx, "charge", func(node.Context) (int, error) { return steps.add("charge"), nil }); err != nil {
				return s, err
			}
			if _, err := node.Step(ctx, "ship", func(node.Context) (int, error) {
				if broken {
					return 0, errors.New("no lorry")
				}
				return steps.add("ship"), nil
			}); err != nil {
				return s, err
			}
			return visit(ctx, s)
		}).
		Node("c", visit).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").MustCompile()
	run := start(t, rt, g, state{})
	res := ends(t, run, fermata.Failed)
	refused(t, res.Err, refusal{code: fermata.CodeFailed})
	var e *fermata.Error
	if errors.As(res.Err, &e); e.Task != "b#1" {
		t.Errorf("the error names task %q, want b#1", e.Task)
	}
	broken = false
	again, err := g.Retry(timeLimit(t), rt, run.ID())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a#1", "b#1", "c#1"}, ends(t, again, fermata.Completed).State.Log); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a#1: 1", "b#1: 1", "c#1: 1"}, visits.lines()); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"charge: 1", "ship: 1"}, steps.lines()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	want := []string{
		"run.started", "node.started a#1", "node.finished a#1", "node.started b#1",
		"step.finished b#1 step:charge#1 = 1", "step.finished b#1 step:ship#1 no lorry",
		"node.failed b#1 no lorry", "run.finished failed no lorry",
		"run.resumed retry", "node.started b#1 attempt 2", "step.finished b#1 attempt 2 step:ship#1 = 1",
		"node.finished b#1 attempt 2", "node.started c#1", "node.finished c#1", "run.finished completed",
	}
	if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// Only a failed or expired run can be retried.
func TestF2_OnlyFailedRunsAreRetried(t *testing.T) {
	rt, store := inMemory(t)
	hold := newGate()
	nodes := map[string]graph.Func[state]{
		"completed": logged,
		"paused":    review(),
		"running":   func(ctx node.Context, s state) (state, error) { return s, hold.pass(ctx) },
		"cancelled": review(),
	}
	for status, f := range nodes {
		t.Run(status, func(t *testing.T) {
			g := single(f)
			run := start(t, rt, g, state{})
			switch status {
			case "running":
				hold.waitEntered(t)
			case "cancelled":
				question(t, run)
				if err := rt.Cancel(t.Context(), run.ID(), "", ""); err != nil {
					t.Fatal(err)
				}
			default:
				wait(t, run)
			}
			before := lines(t, store, run.ID())
			_, err := g.Retry(timeLimit(t), rt, run.ID())
			refused(t, err, refusal{fermata.CodeConflict, fermata.ErrConflict})
			if diff := cmp.Diff(before, lines(t, store, run.ID())); diff != "" {
				t.Errorf("the journal changed:\n%s", diff)
			}
		})
	}
	close(hold.open)
}

// A question that was open when its run failed is asked again by a retry, and the old one stays withdrawn.
func TestF2_RetryAsksAgain(t *testing.T) {
	clock, store := newClock(), memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	g := single(review(node.Within(time.Hour)))
	run := start(t, rt, g, state{})
	old := question(t, run)
	clock.Advance(time.Hour)
	ends(t, run, fermata.Expired)
	run, err := g.Retry(timeLimit(t), rt, run.ID())
	if err != nil {
		t.Fatal(err)
	}
	q := question(t, run)
	if q.ID == old.ID || interruptNow(t, rt, old.ID).State != "expired" {
		t.Errorf("the old question is open again")
	}
	answer(t, rt, q.ID, decision{Approve: true})
	ends(t, run, fermata.Completed)
}

// Stop, Close and the end of the process leave a run as it is; it can be resumed and ends as if nothing had been.
func TestF3_StoppingLeavesARunResumable(t *testing.T) {
	tests := map[string]func(t *testing.T, rt *fermata.Runtime, run *graph.Run[state]){
		"stop":  func(_ *testing.T, _ *fermata.Runtime, run *graph.Run[state]) { _ = run.Stop(0) },
		"close": func(t *testing.T, rt *fermata.Runtime, _ *graph.Run[state]) { _ = rt.Close() },
	}
	for name, stop := range tests {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			hold := newGate()
			g := graph.New[state]("stopped").
				Node("a", logged).
				Node("b", func(ctx node.Context, s state) (state, error) {
					if err := hold.pass(ctx); err != nil {
						return s, err
					}
					return logged(ctx, s)
				}, graph.Retry(3, time.Millisecond)).
				Node("rescue", logged).
				Edge(graph.Start, "a").Edge("a", "b").OnError("b", "rescue").MustCompile()
			rt := newRuntime(t, fermata.Options{Store: store, Name: "first"})
			run := start(t, rt, g, state{})
			hold.waitEntered(t)
			mustReturn(t, name, func() { stop(t, rt, run) })
			_, err := run.Wait(timeLimit(t))
			refused(t, err, refusal{code: fermata.CodeStopped})
			info, err := rt.Info(t.Context(), run.ID())
			if err != nil || info.Status != string(fermata.Running) {
				t.Fatalf("the run is %s, error %v", info.Status, err)
			}
			close(hold.open)
			later := newRuntime(t, fermata.Options{Store: store, Name: "second"})
			run = resume(t, later, g, run.ID())
			if diff := cmp.Diff([]string{"a#1", "b#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := []string{
				"run.started", "node.started a#1", "node.finished a#1", "node.started b#1",
				"run.resumed recovered", "node.finished b#1", "run.finished completed",
			}
			if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
		})
	}
}

// Cancel ends a run, whoever drives it and whatever it does.
func TestF3_CancelEndsTheRun(t *testing.T) {
	hold := newGate()
	tests := map[string]struct {
		f    graph.Func[state]
		wait func(t *testing.T, run *graph.Run[state])
		want []string
	}{
		"while it works": {
			func(ctx node.Context, s state) (state, error) { return s, hold.pass(ctx) },
			func(t *testing.T, _ *graph.Run[state]) { hold.waitEntered(t) },
			[]string{"run.started", "node.started a#1", "run.finished cancelled changed our minds"},
		},
		"while it waits": {
			review(),
			func(t *testing.T, run *graph.Run[state]) { question(t, run) },
			[]string{
				"run.started", "node.started a#1", "interrupt a#1 interrupt:interrupt#1", "node.suspended a#1 interrupt:interrupt#1", "run.paused",
				"interrupt.resolved a#1 withdrawn", "run.finished changed our minds cancelled",
			},
		},
	}
	for name, tt := range tests {
		for _, by := range []string{"its driver", "another process"} {
			t.Run(name+"/by "+by, func(t *testing.T) {
				rt, store := inMemory(t)
				canceller := rt
				if by == "another process" {
					canceller = newRuntime(t, fermata.Options{Store: store})
				}
				run := start(t, rt, single(tt.f), state{})
				tt.wait(t, run)
				if err := canceller.Cancel(t.Context(), run.ID(), "changed our minds", "Ada"); err != nil {
					t.Fatal(err)
				}
				if by == "another process" {
					select {
					case hold.open <- struct{}{}: // the driver notices with its next append
					default:
					}
				}
				res, err := canceller.Result(timeLimit(t), run.ID(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if res.Status != fermata.Cancelled || !errors.Is(res.Err, fermata.ErrCancelled) {
					t.Errorf("the run is %s: %v", res.Status, res.Err)
				}
				res2 := ends(t, run, fermata.Cancelled)
				refused(t, res2.Err, refusal{fermata.CodeCancelled, fermata.ErrCancelled})
				got := lines(t, store, run.ID())
				want := append([]string(nil), tt.want...)
				want[len(want)-1] = "run.finished changed our minds cancelled"
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("journal (-want +got):\n%s", diff)
				}
				refused(t, rt.Cancel(t.Context(), run.ID(), "again", ""), refusal{fermata.CodeConflict, fermata.ErrConflict})
				_, err = single(tt.f).Retry(timeLimit(t), rt, run.ID())
				refused(t, err, refusal{code: fermata.CodeConflict})
			})
		}
	}
}

// Resuming a run that has ended is no error: Wait says how it ended.
func TestF3_ResumingWhatHasEnded(t *testing.T) {
	tests := map[fermata.Status]graph.Func[state]{
		fermata.Completed: logged,
		fermata.Failed:    failing(99),
	}
	for status, f := range tests {
		t.Run(string(status), func(t *testing.T) {
			rt, store := inMemory(t)
			g := single(f)
			want := ends(t, start(t, rt, g, state{}), status)
			before := lines(t, store, want.Run)
			for range 2 {
				got := ends(t, resume(t, rt, g, want.Run), status)
				if diff := cmp.Diff(want.State, got.State); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if (got.Err == nil) != (want.Err == nil) {
					t.Errorf("the error is %v, want %v", got.Err, want.Err)
				}
			}
			if diff := cmp.Diff(before, lines(t, store, want.Run)); diff != "" {
				t.Errorf("the journal changed:\n%s", diff)
			}
		})
	}
}

// The context of Evaluate drives the run: when it is done, so is the run.
func TestF3_TheContextOfEvaluate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := graph.New[state]("cancelled").
		Node("a", func(nc node.Context, s state) (state, error) {
			cancel()
			return s, nc.Err()
		}, graph.Retry(3, time.Hour)).
		Node("rescue", logged).
		Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
	_, err := g.Run(ctx, state{})
	refused(t, err, refusal{fermata.CodeStopped, context.Canceled})
}

// A limit of tasks fails the run and is named; with more room it can go on.
func TestF4_TheLimitOfTasks(t *testing.T) {
	loop := func(tasks int) *graph.Graph[state] {
		return graph.New[state]("loop").
			Node("a", func(_ node.Context, s state) (state, error) { s.N++; return s, nil }).
			Edge(graph.Start, "a").
			Route("a", func(_ node.Context, s state) (string, error) {
				if s.N < 10 {
					return "a", nil
				}
				return graph.End, nil
			}, "a", graph.End).
			Limits(plan.Limits{Tasks: tasks}).MustCompile()
	}
	check := func(t *testing.T, err error) {
		t.Helper()
		refused(t, err, refusal{fermata.CodeLimit, fermata.ErrLimit})
		var limit *fermata.LimitError
		if !errors.As(err, &limit) {
			t.Fatalf("the error is %v, want a *LimitError in it", err)
		}
		if diff := cmp.Diff(fermata.LimitError{Limit: "tasks", Max: "4"}, *limit); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	t.Run("on a runtime", func(t *testing.T) {
		rt, store := inMemory(t)
		run := start(t, rt, loop(4), state{})
		check(t, ends(t, run, fermata.Failed).Err)
		if got := count(lines(t, store, run.ID()), "node.started"); got != 4 {
			t.Errorf("%d tasks started", got)
		}
		stored, err := rt.Result(t.Context(), run.ID(), nil)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, stored.Err, refusal{fermata.CodeLimit, fermata.ErrLimit})
		more := loop(20)
		again, err := more.Retry(timeLimit(t), rt, run.ID())
		if err != nil {
			t.Fatal(err)
		}
		if got := ends(t, again, fermata.Completed).State.N; got != 10 {
			t.Errorf("it counted to %d", got)
		}
	})
	t.Run("without a store", func(t *testing.T) {
		_, err := loop(4).Run(timeLimit(t), state{})
		check(t, err)
	})
}

// A limit of time fails the run and is named. Time in which a run waits for people does not count.
func TestF4_TheLimitOfTime(t *testing.T) {
	t.Parallel()
	build := func(f graph.Func[state]) *graph.Graph[state] {
		return graph.New[state]("slow").Node("a", f, graph.Retry(3, time.Millisecond)).Edge(graph.Start, "a").
			Limits(plan.Limits{Time: 50 * time.Millisecond}).MustCompile()
	}
	slow := build(func(ctx node.Context, s state) (state, error) {
		<-ctx.Done()
		return s, ctx.Err()
	})
	check := func(t *testing.T, err error) {
		t.Helper()
		refused(t, err, refusal{fermata.CodeLimit, fermata.ErrLimit})
		var limit *fermata.LimitError
		if !errors.As(err, &limit) {
			t.Fatalf("the error is %v, want a *LimitError in it", err)
		}
		if diff := cmp.Diff(fermata.LimitError{Limit: "time", Max: "50ms"}, *limit); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	t.Run("on a runtime", func(t *testing.T) {
		rt, store := inMemory(t)
		run := start(t, rt, slow, state{})
		check(t, ends(t, run, fermata.Failed).Err)
		want := []string{"run.started", "node.started a#1", "run.finished failed the run's limit of time (50ms) was reached"}
		if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
			t.Errorf("journal (-want +got):\n%s", diff)
		}
	})
	t.Run("without a store", func(t *testing.T) {
		_, err := slow.Run(timeLimit(t), state{})
		check(t, err)
	})
	t.Run("waiting does not count", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { // so that only the wait takes time
			rt, _ := inMemory(t)
			run := start(t, rt, build(review()), state{})
			q := question(t, run)
			time.Sleep(100 * time.Millisecond)
			answer(t, rt, q.ID, decision{})
			ends(t, run, fermata.Completed)
			_ = rt.Close()
		})
	})
	t.Run("waiting in a sleep does not count", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			rt, _ := inMemory(t)
			run := start(t, rt, build(func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, 100*time.Millisecond) }), state{})
			ends(t, run, fermata.Completed)
			_ = rt.Close()
		})
	})
}

// End and Stop are no names: nodes may be called that, and the strings are not the ends.
func TestF6_NodesMayBeCalledEnd(t *testing.T) {
	g := graph.New[state]("ends").
		Node("END", logged).Node("Stop", logged).Node("end", logged).
		Edge(graph.Start, "END").Edge("END", "Stop").Edge("end", graph.End).
		Route("Stop", func(node.Context, state) (string, error) { return "end", nil }, "end", graph.End, graph.Stop).MustCompile()
	got, err := g.Run(timeLimit(t), state{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"END#1", "Stop#1", "end#1"}, got.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wrong := graph.New[state]("ends").Node("a", logged).Edge(graph.Start, "a").
		Route("a", func(node.Context, state) (string, error) { return "END", nil }, graph.End).MustCompile()
	if _, err := wrong.Run(timeLimit(t), state{}); !errors.Is(err, fermata.ErrInvalidRoute) {
		t.Errorf("the string END was taken for the end: %v", err)
	}
}

// Stop ends the run from anywhere; End ends only the path it is on.
func TestF6_StopEndsTheRun(t *testing.T) {
	inner := func(to string) *graph.Graph[state] {
		return graph.New[state]("inner").Node("x", logged).Edge(graph.Start, "x").
			Route("x", func(node.Context, state) (string, error) { return to, nil }, graph.End, graph.Stop).MustCompile()
	}
	for name, tt := range map[string]struct {
		to   string
		want []string
	}{
		"END":  {graph.End, []string{"in/x#1", "after#1"}},
		"Stop": {graph.Stop, []string{"in/x#1"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New[state]("outer").Sub("in", inner(tt.to)).Node("after", logged).
				Edge(graph.Start, "in").Edge("in", "after").MustCompile()
			rt, _ := inMemory(t)
			if diff := cmp.Diff(tt.want, ends(t, start(t, rt, g, state{}), fermata.Completed).State.Log); diff != "" {
				t.Errorf("on a runtime (-want +got):\n%s", diff)
			}
			got, err := g.Run(timeLimit(t), state{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Log); diff != "" {
				t.Errorf("without a store (-want +got):\n%s", diff)
			}
		})
	}
}

// A gate that chooses what it did not declare fails, with the nearest name; no retry helps, an error edge does.
func TestF7_AGateKeepsItsWord(t *testing.T) {
	build := func() *graph.Builder[state] {
		return graph.New[state]("gate").
			Node("a", logged, graph.Retry(3, time.Millisecond)).Node("review", logged).Node("close", logged).
			Edge(graph.Start, "a").
			Route("a", func(node.Context, state) (string, error) { return "reviw", nil }, "review", "close", graph.End)
	}
	_, err := build().MustCompile().Run(timeLimit(t), state{})
	var invalid *fermata.InvalidRouteError
	if !errors.As(err, &invalid) {
		t.Fatalf("the error is %v, want an *InvalidRouteError in it", err)
	}
	want := `gate "a" chose "reviw"; it declares "review", "close", "END"; did you mean "review"?`
	if got := invalid.Error(); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	rt, store := inMemory(t)
	g := build().Node("rescue", logged).OnError("a", "rescue").MustCompile()
	run := start(t, rt, g, state{})
	ends(t, run, fermata.Completed)
	all := lines(t, store, run.ID())
	if count(all, "node.retrying") != 0 || count(all, "node.finished rescue#1") != 1 {
		t.Errorf("the failure took another way: %q", all)
	}
}

// A node may come by the errors of another run, which it has started, say. They are its own failure, and block nothing.
func TestF1_ErrorsOfOtherRunsAreOnesOwn(t *testing.T) {
	for _, other := range []error{fermata.ErrPlanChanged, node.ErrDiverged, fermata.ErrConflict, fermata.ErrStopped, node.ErrSuspended} {
		t.Run(other.Error(), func(t *testing.T) {
			rt, _ := inMemory(t)
			g := graph.New[state]("p").
				Node("calls", func(_ node.Context, s state) (state, error) { return s, fmt.Errorf("the other run: %w", other) }).
				Node("rescue", func(ctx node.Context, s state) (state, error) {
					s.Text = "rescued"
					if !errors.Is(ctx.Cause(), other) {
						t.Errorf("the cause is %v", ctx.Cause())
					}
					return s, nil
				}).
				Edge(graph.Start, "calls").OnError("calls", "rescue").MustCompile()
			if res := ends(t, start(t, rt, g, state{}), fermata.Completed); res.State.Text != "rescued" {
				t.Errorf("found %+v", res)
			}
		})
	}
}
