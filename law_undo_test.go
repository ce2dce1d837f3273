package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// booked is a graph that books a flight and a hotel, and then goes on with last. Both are cancelled where it ends without success.
func booked(w *world, last graph.Func[order], more ...graph.NodeOption) *graph.Graph[order] {
	return bookedThen(w, last, func(*graph.Builder[order]) {}, more...)
}

func bookedThen(w *world, last graph.Func[order], add func(b *graph.Builder[order]), more ...graph.NodeOption) *graph.Graph[order] {
	return chain([]string{"flight", "hotel", "car"}, func(b *graph.Builder[order]) {
		b.Node("flight", w.does("book flight")).Node("hotel", w.does("book hotel")).Node("car", last, more...).
			Undo("flight", "cancel_flight", w.undoes("cancel flight")).Undo("hotel", "cancel_hotel", w.undoes("cancel hotel"))
		add(b)
	})
}

// cancelledAll are the effects of a run that has undone both.
func cancelledAll(more map[string]int) map[string]int {
	all := map[string]int{"book flight": 1, "book hotel": 1, "cancel flight": 1, "cancel hotel": 1}
	maps.Copy(all, more)
	return all
}

// undos are the tasks that undo something in a journal, in their order.
func undos(t *testing.T, store journal.Store, run string) (tasks []string) {
	t.Helper()
	for _, e := range entries(t, store, run) {
		if e.Kind == journal.NodeStarted && e.Attempt == 1 && len(e.Body) > 0 {
			if b := bodyOf[journal.BeginBody](t, &e); b.Undo != "" {
				tasks = append(tasks, node.TaskID(e.Node, int(e.Visit))+" of "+b.Undo)
			}
		}
	}
	return tasks
}

// endsUndone waits until a run has ended, and checks that it undid what it had done.
func endsUndone(t *testing.T, store journal.Store, rt *fermata.Runtime, w *world, run string, want fermata.Status, more map[string]int) fermata.Result {
	t.Helper()
	eventually(t, "the run ends", func() bool {
		info, err := rt.Info(t.Context(), run)
		return err == nil && info.Ended()
	})
	res, err := rt.Result(t.Context(), run, nil)
	if err != nil || res.Status != want {
		t.Fatalf("the run is %s (%v), %v; want %s", res.Status, res.Err, err, want)
	}
	if diff := cmp.Diff(cancelledAll(more), w.effects()); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	all := undos(t, store, run)
	if n := len(all); n < 2 || all[n-2] != "cancel_hotel#1 of hotel#1" || all[n-1] != "cancel_flight#1 of flight#1" {
		t.Errorf("undone were %q", all)
	}
	if info, err := rt.Info(t.Context(), run); err != nil || info.Driver != "" || info.Ready || strings.Contains(info.Error, "undoing") {
		t.Errorf("the row says %+v, %v", info, err)
	}
	timers, err := store.Timers(t.Context(), 1<<62, 0)
	open, more2 := store.Inbox(t.Context(), journal.InboxFilter{Run: run})
	if len(timers)+len(open) > 0 || err != nil || more2 != nil {
		t.Errorf("%d timers and %d questions are left: %v, %v", len(timers), len(open), err, more2)
	}
	return res
}

// A run that fails for good undoes its tasks with what they recorded, the last first.
func TestF10_AFailedRunUndoesTheLastFirst(t *testing.T) {
	t.Parallel()
	w := newWorld()
	rt, store := inMemory(t)
	res, err := booked(w, noCar).Execute(t.Context(), rt, order{})
	if err == nil || !strings.Contains(err.Error(), "task car#1: no car") {
		t.Errorf("the error is %v", err)
	}
	endsUndone(t, store, rt, w, res.Run, fermata.Failed, nil)
	all := lines(t, store, res.Run)
	if diff := cmp.Diff([]string{
		"run.undoing failed no car",
		"node.started cancel_hotel#1", `step.finished cancel_hotel#1 step:cancel hotel#1 = "did cancel hotel"`, "node.finished cancel_hotel#1",
		"node.started cancel_flight#1", `step.finished cancel_flight#1 step:cancel flight#1 = "did cancel flight"`, "node.finished cancel_flight#1",
		"run.finished failed no car",
	}, all[len(all)-8:]); diff != "" {
		t.Error(diff)
	}
}

// lasts are nodes at which a run is while it is cancelled, or expires.
func lasts(entered chan<- struct{}) map[string]graph.Func[order] {
	return map[string]graph.Func[order]{
		"an answer": func(ctx node.Context, o order) (order, error) {
			_, err := node.Interrupt[bool](ctx, "well?", node.Within(48*time.Hour))
			return o, err
		},
		"a time":  func(ctx node.Context, o order) (order, error) { return o, node.Sleep(ctx, 48*time.Hour) },
		"a retry": func(_ node.Context, o order) (order, error) { return o, errFlaky },
		"a message": func(ctx node.Context, o order) (order, error) {
			_, err := node.Receive[paid](ctx, "payments")
			return o, err
		},
		"a function": func(ctx node.Context, o order) (order, error) {
			entered <- struct{}{}
			<-ctx.Done()
			return o, ctx.Err()
		},
	}
}

// A run that is cancelled undoes what it has done, whatever it was at, and whichever process cancels it.
func TestF10_ACancelledRunIsUndone(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"its own process", "another process"} {
		entered := make(chan struct{}, 8)
		for name, last := range lasts(entered) {
			t.Run(from+", "+name, func(t *testing.T) {
				w, store := newWorld(), memory.New()
				g := booked(w, last, func(n *plan.Node) {
					if name == "a retry" {
						n.Retry = plan.Retry{Attempts: 3, Backoff: 48 * time.Hour, Max: 48 * time.Hour}
					}
				})
				rt := newRuntime(t, fermata.Options{Store: store})
				run, err := g.Start(t.Context(), rt, order{})
				if err != nil {
					t.Fatal(err)
				}
				restsAt(t, store, run.ID(), name, entered)
				desk := rt
				if from != "its own process" {
					desk = newRuntime(t, fermata.Options{Store: store})
				}
				for range 2 { // again, it changes nothing
					if err := desk.Cancel(t.Context(), run.ID(), "no trip", "ann"); err != nil {
						if failed, ok := errors.AsType[*fermata.Error](err); !ok || failed.Code != fermata.CodeConflict {
							t.Fatal(err)
						}
					}
				}
				if from != "its own process" && name != "a function" { // which does not write before it is told
					if _, err := g.Resume(t.Context(), rt, run.ID()); err != nil {
						t.Fatal(err)
					}
				}
				res := endsUndone(t, store, rt, w, run.ID(), fermata.Cancelled, nil)
				if !errors.Is(res.Err, fermata.ErrCancelled) || !strings.Contains(res.Err.Error(), "no trip") {
					t.Errorf("its error is %v", res.Err)
				}
			})
		}
	}
}

// restsAt waits until a run is where it is cancelled.
func restsAt(t *testing.T, store journal.Store, run, name string, entered <-chan struct{}) {
	t.Helper()
	if name == "a function" {
		<-entered
		return
	}
	eventually(t, "the run waits", func() bool {
		all := lines(t, store, run)
		last := all[len(all)-1]
		return strings.HasPrefix(last, "run.paused") || strings.HasPrefix(last, "node.retrying")
	})
}

// A run that expires undoes what it has done, also where a process without its plan ends it, and its deadline bounds no undo.
func TestF10_AnExpiredRunIsUndone(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"its own process", "a process without its plan"} {
		entered := make(chan struct{}, 8)
		for name, last := range lasts(entered) {
			if from != "its own process" && (name == "a function" || name == "a retry") {
				continue // its own process is there
			}
			t.Run(from+", "+name, func(t *testing.T) {
				w, store, clock := newWorld(), memory.New(), newClock()
				asks := func(b *graph.Builder[order]) {
					b.Undo("car", "ask", func(ctx node.Context, _ order) error {
						_, err := node.Interrupt[bool](ctx, "well?")
						return err
					}, graph.Unfinished())
				}
				g := bookedThen(w, last, asks, func(n *plan.Node) {
					if name == "a retry" {
						n.Retry = plan.Retry{Attempts: 3, Backoff: 48 * time.Hour, Max: 48 * time.Hour}
					}
				})
				rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
				run, err := g.Start(t.Context(), rt, order{}, fermata.Within(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				restsAt(t, store, run.ID(), name, entered)
				if from != "its own process" {
					if err := rt.Close(); err != nil {
						t.Fatal(err)
					}
					clock.Advance(2 * time.Hour)
					unknown := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return nil, nil }
					desk := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: unknown})
					eventually(t, "the run expires", func() bool {
						return slices.ContainsFunc(lines(t, store, run.ID()), func(l string) bool { return strings.HasPrefix(l, "run.undoing expired") })
					})
					if info, err := desk.Info(t.Context(), run.ID()); err != nil || info.Status != "running" || !info.Ready || !strings.HasPrefix(info.Error, "undoing: ") {
						t.Fatalf("the run is %+v, %v", info, err)
					}
					rt = newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil }})
					if _, err := g.Resume(t.Context(), rt, run.ID()); err != nil {
						t.Fatal(err)
					}
				} else {
					clock.AdvanceTo(epoch.Add(time.Hour))
				}
				var asked []journal.Interrupt
				eventually(t, "the undo asks", func() bool {
					asked, err = store.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
					return err == nil && len(asked) == 1 && asked[0].Task == "ask#1"
				})
				clock.Advance(24 * time.Hour)
				if err := rt.Answer(t.Context(), asked[0].ID, true); err != nil {
					t.Fatal(err)
				}
				res := endsUndone(t, store, rt, w, run.ID(), fermata.Expired, nil)
				if limit, ok := errors.AsType[*fermata.LimitError](res.Err); !ok || limit.Limit != "until" || !errors.Is(res.Err, fermata.ErrExpired) {
					t.Errorf("its error is %v", res.Err)
				}
			})
		}
	}
}

// A task that is at work when the run is cancelled ends first: what it has done by then is recorded, and undone as well.
func TestF10_WhatIsAtWorkEndsBeforeTheUndo(t *testing.T) {
	t.Parallel()
	w, entered := newWorld(), make(chan struct{})
	rt, store := inMemory(t)
	g := bookedThen(w, func(ctx node.Context, o order) (order, error) {
		close(entered)
		<-ctx.Done()
		_, err := node.Step(ctx, "book car", func(ctx node.Context) (booking, error) {
			w.effect(ctx, "book car")
			return booking{Ref: "car"}, nil
		}, node.Compensate("cancel_car"))
		return o, err
	}, func(b *graph.Builder[order]) {
		graph.Compensation(b, "car", "cancel_car", w.cancels("car"))
	})
	run, err := g.Start(t.Context(), rt, order{})
	if err != nil {
		t.Fatal(err)
	}
	<-entered
	if err := rt.Cancel(t.Context(), run.ID(), "", ""); err != nil {
		t.Fatal(err)
	}
	endsUndone(t, store, rt, w, run.ID(), fermata.Cancelled, map[string]int{"book car": 1, "cancel car": 1})
	if all := undos(t, store, run.ID()); all[0] != "cancel_car#1 of car#1/step:book car#1" {
		t.Errorf("undone were %q", all)
	}
}

// What goes on undoes nothing: a retry, a failure that takes an error edge, a run that completes.
func TestF10_WhatGoesOnUndoesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld()
	rt, store := inMemory(t)
	g := bookedThen(w, func(ctx node.Context, o order) (order, error) {
		if ctx.Info().Attempt == 1 {
			return o, errFlaky
		}
		return noCar(ctx, o)
	}, func(b *graph.Builder[order]) { b.Node("walk", w.does("walk")).OnError("car", "walk") }, graph.Retry(2, time.Millisecond))
	res, err := g.Execute(t.Context(), rt, order{})
	if err != nil || res.Status != fermata.Completed {
		t.Fatalf("the run is %s, %v", res.Status, err)
	}
	if diff := cmp.Diff(map[string]int{"book flight": 1, "book hotel": 1, "walk": 1}, w.effects()); diff != "" {
		t.Error(diff)
	}
	if all := undos(t, store, res.Run); len(all) > 0 {
		t.Errorf("undone were %q", all)
	}
}

// An undo that fails leaves its effect: the others run, and the failure of the run names both, there and after a restart.
func TestF10_TheFailureNamesWhatIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld()
	rt, store := inMemory(t)
	g := chain([]string{"flight", "hotel", "car"}, func(b *graph.Builder[order]) {
		b.Node("flight", w.does("book flight")).Node("hotel", w.does("book hotel")).
			Node("car", func(_ node.Context, o order) (order, error) { return o, node.Terminal(fermata.ErrConflict) }).
			Undo("flight", "cancel_flight", w.undoes("cancel flight")).
			Undo("hotel", "cancel_hotel", func(node.Context, order) error { return errors.New("no refund") }, graph.Retry(2, time.Millisecond))
	})
	res, err := g.Execute(t.Context(), rt, order{})
	later, none := newRuntime(t, fermata.Options{Store: store}).Result(t.Context(), res.Run, nil)
	if none != nil {
		t.Fatal(none)
	}
	for when, err := range map[string]error{"live": err, "after a restart": later.Err} {
		left, ok := errors.AsType[*fermata.NotUndoneError](err)
		want := []journal.NotUndone{{Of: "hotel#1", Task: "cancel_hotel#1", Error: "no refund"}}
		if !ok || !errors.Is(err, fermata.ErrConflict) || cmp.Diff(want, left.Left) != "" ||
			!strings.Contains(err.Error(), "task car#1: ") || !strings.Contains(err.Error(), "not undone: hotel#1 (cancel_hotel#1: no refund)") {
			t.Errorf("%s: %v", when, err)
		}
	}
	if info, err := rt.Info(t.Context(), res.Run); err != nil || !strings.Contains(info.Error, "not undone: hotel#1") {
		t.Errorf("the row says %q, %v", info.Error, err)
	}
	all := entries(t, store, res.Run)
	body := bodyOf[journal.FinishedBody](t, &all[len(all)-1])
	if diff := cmp.Diff([]string{"flight#1"}, body.Undone); diff != "" || w.effects()["cancel flight"] != 1 {
		t.Errorf("undone were (-want +got):\n%s%v", diff, w.effects())
	}
}

// A run that has undone something is not retried, and not forked behind what it has undone. Where it is done again, a fork goes on,
// and undoes what it has done itself. A failed run with nothing to undo is retried as before.
func TestF10_AnUndoneRunGoesOnNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld()
	rt, store := inMemory(t)
	g := booked(w, noCar)
	res, _ := g.Execute(t.Context(), rt, order{})
	if _, err := g.Retry(t.Context(), rt, res.Run); err == nil || !strings.Contains(err.Error(), "has undone what it had done") || !errors.Is(err, fermata.ErrConflict) {
		t.Errorf("a retry: %v", err)
	}
	head := uint64(len(entries(t, store, res.Run)))
	var at uint64
	for i, e := range entries(t, store, res.Run) {
		if e.Kind == journal.NodeFinished && e.Node == "flight" {
			at = uint64(i)
		}
	}
	for _, from := range []uint64{0, head - 1, at + 1} {
		_, err := rt.Fork(t.Context(), res.Run, g.Plan(), fermata.ForkOptions{At: from})
		if want := fmt.Sprintf("fork at seq %d or before", at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a fork at %d: %v; want %q", from, err, want)
		}
	}
	fork, err := rt.Fork(t.Context(), res.Run, g.Plan(), fermata.ForkOptions{At: at})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fork.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := lines(t, store, fork.ID())
	if n := count(all, "node.started cancel_"); n != 2 || count(all, "run.finished failed") != 1 {
		t.Errorf("the fork is\n%s", strings.Join(all, "\n"))
	}

	early := chain([]string{"car", "flight"}, func(b *graph.Builder[order]) {
		b.Node("car", noCar).Node("flight", w.does("book flight")).Undo("flight", "cancel_flight", w.undoes("cancel flight"))
	})
	res, _ = early.Execute(t.Context(), rt, order{})
	if _, err := early.Retry(t.Context(), rt, res.Run); err != nil {
		t.Errorf("a retry of a run with nothing to undo: %v", err)
	}
}

// A fork of a run that has not undone anything leaves to that run what it had done before.
func TestF10_AForkUndoesWhatItHasDoneItself(t *testing.T) {
	t.Parallel()
	w := newWorld()
	rt, store := inMemory(t)
	g := booked(w, func(ctx node.Context, o order) (order, error) {
		if ok, err := node.Interrupt[bool](ctx, "a car?"); err != nil || ok {
			return o, err
		}
		return noCar(ctx, o)
	})
	run, err := g.Start(t.Context(), rt, order{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || res.Status != fermata.Paused {
		t.Fatal(res.Status, err)
	}
	fork, err := rt.Fork(t.Context(), run.ID(), g.Plan(), fermata.ForkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	forked, err := fork.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Answer(t.Context(), forked.Interrupts[0].ID, false); err != nil {
		t.Fatal(err)
	}
	if forked, err = fork.Wait(t.Context()); err != nil || forked.Status != fermata.Failed || len(undos(t, store, fork.ID())) != 0 {
		t.Errorf("the fork is %s, %v, and has undone %q", forked.Status, err, undos(t, store, fork.ID()))
	}
	if err := rt.Answer(t.Context(), res.Interrupts[0].ID, false); err != nil {
		t.Fatal(err)
	}
	endsUndone(t, store, rt, w, run.ID(), fermata.Failed, nil)
}

// A plan has to keep what a run may have to undo; a migration says where it is now.
func TestF10_AChangedPlanKeepsItsUndos(t *testing.T) {
	t.Parallel()
	ask := func(ctx node.Context, o order) (order, error) {
		if ok, err := node.Interrupt[bool](ctx, "a car?"); err != nil || ok {
			return o, err
		}
		return noCar(ctx, o)
	}
	build := func(w *world, undo string, steps bool) *graph.Graph[order] {
		return chain([]string{"hotel", "car"}, func(b *graph.Builder[order]) {
			if b.Node("hotel", func(ctx node.Context, o order) (order, error) {
				_, err := node.Step(ctx, "book hotel", func(node.Context) (booking, error) { return booking{"hotel"}, nil }, node.Compensate(undo))
				return o, err
			}).Node("car", ask); steps {
				graph.Compensation(b, "hotel", undo, w.cancels("hotel"))
			}
		})
	}
	w := newWorld()
	rt, store := inMemory(t)
	run, err := build(w, "cancel", true).Start(t.Context(), rt, order{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Answer(t.Context(), res.Interrupts[0].ID, false, fermata.Hold()); err != nil {
		t.Fatal(err)
	}
	second := newRuntime(t, fermata.Options{Store: store})
	_, err = build(w, "cancel", false).Resume(t.Context(), second, run.ID())
	if !errors.Is(err, fermata.ErrPlanChanged) || !strings.Contains(err.Error(), `may have to undo hotel#1/step:book hotel#1 with node "cancel"`) {
		t.Errorf("without the undo: %v", err)
	}
	moved := build(w, "give_back", true)
	again, err := moved.Migrate(t.Context(), second, run.ID(), plan.Migration{Nodes: map[string]string{"cancel": "give_back"}})
	if err != nil {
		t.Fatal(err)
	}
	last, err := again.Wait(t.Context())
	if diff := cmp.Diff([]string{"give_back#1 of hotel#1/step:book hotel#1"}, undos(t, store, run.ID())); diff != "" || err != nil || last.Status != fermata.Failed {
		t.Errorf("the run is %s, %v; undone were (-want +got):\n%s", last.Status, err, diff)
	}
	if w.effects()["cancel hotel"] != 1 {
		t.Errorf("effects: %v", w.effects())
	}
}

// A step names an undo that its node declares, or fails before it happens.
func TestF10_AStepWithoutItsUndoDoesNotHappen(t *testing.T) {
	t.Parallel()
	w := newWorld()
	rt, _ := inMemory(t)
	g := chain([]string{"trip"}, func(b *graph.Builder[order]) {
		b.Node("trip", w.books("flight"))
		graph.Compensation(b, "trip", "cancel_flights", w.cancels("flight"))
	})
	_, err := g.Execute(t.Context(), rt, order{})
	if err == nil || !strings.Contains(err.Error(), `"cancel_flight" undoes steps of it; it declares "cancel_flights"; did you mean "cancel_flights"?`) {
		t.Errorf("the error is %v", err)
	}
	if len(w.effects()) > 0 {
		t.Errorf("effects: %v", w.effects())
	}
}

// An undo knows the idempotency key of what it undoes, and is given the step's result.
func TestF10_AnUndoKnowsTheKey(t *testing.T) {
	t.Parallel()
	keys := make(map[string]string)
	rt, _ := inMemory(t)
	g := chain([]string{"pay", "ship"}, func(b *graph.Builder[order]) {
		b.Node("pay", func(ctx node.Context, o order) (order, error) {
			keys["task"] = node.IdempotencyKey(ctx)
			_, err := node.Step(ctx, "charge", func(ctx node.Context) (int, error) {
				keys["step"] = node.IdempotencyKey(ctx)
				return 7, nil
			}, node.Compensate("refund"))
			return o, err
		}).Node("ship", noCar).Undo("pay", "unpay", func(ctx node.Context, _ order) error {
			keys["undone task"] = node.UndoneKey(ctx)
			return nil
		})
		graph.Compensation(b, "pay", "refund", func(ctx node.Context, sum int) error {
			keys["undone step"], keys["own"], keys["sum"] = node.UndoneKey(ctx), node.IdempotencyKey(ctx), fmt.Sprint(sum)
			return nil
		})
	})
	_, _ = g.Execute(t.Context(), rt, order{})
	if keys["task"] == "" || keys["task"] != keys["undone task"] || keys["step"] == "" || keys["step"] != keys["undone step"] ||
		keys["own"] == keys["step"] || keys["sum"] != "7" {
		t.Errorf("%v", keys)
	}
}

// A run without a store undoes as well, and the limits of a run bound no undo.
func TestF10_RunsThatAreNotStoredUndo(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Run", "a run that is not stored", "a limit of tasks", "a limit of time"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			g := bookedThen(w, func(ctx node.Context, o order) (order, error) {
				if name == "a limit of time" {
					<-ctx.Done()
					return o, ctx.Err()
				}
				return noCar(ctx, o)
			}, func(b *graph.Builder[order]) {
				switch name {
				case "a limit of tasks":
					b.Limits(plan.Limits{Tasks: 2})
				case "a limit of time":
					b.Limits(plan.Limits{Time: 50 * time.Millisecond})
				}
			})
			var err error
			if name == "Run" {
				_, err = g.Run(t.Context(), order{})
			} else {
				var opts []fermata.StartOption
				if name == "a run that is not stored" {
					opts = append(opts, fermata.WithDurability(fermata.None))
				}
				rt, _ := inMemory(t)
				_, err = g.Execute(t.Context(), rt, order{}, opts...)
			}
			if strings.Contains(name, "limit") != errors.Is(err, fermata.ErrLimit) || err == nil || strings.Contains(err.Error(), "not undone") {
				t.Errorf("the error is %v", err)
			}
			if diff := cmp.Diff(cancelledAll(nil), w.effects()); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
		})
	}
}
