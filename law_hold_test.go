package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

// nothingBegins checks of a journal that nothing began in the run while it was held.
func nothingBegins(t *testing.T, store journal.Store, run string) (holds int) {
	t.Helper()
	held := false
	for _, e := range entries(t, store, run) {
		switch e.Kind {
		case journal.RunHeld:
			held = true
			holds++
		case journal.RunReleased:
			held = false
		case journal.NodeStarted:
			if held && len(e.Value) == 0 { // a merge that was at work may end
				t.Errorf("seq %d: %s#%d begins in a run that is held", e.Seq, e.Node, e.Visit)
			}
		case journal.RunFinished:
			if body := bodyOf[journal.FinishedBody](t, &e); held && body.Status != "cancelled" && body.Status != "expired" {
				t.Errorf("seq %d: the run ends as %s while it is held", e.Seq, body.Status)
			}
		default:
		}
	}
	return holds
}

// Somebody else holds the run just before each append, in a process of their own. It comes to rest, is released, and ends as if
// nothing had happened.
func TestJ18_HoldAtEveryAppend(t *testing.T) {
	t.Parallel()
	interfere(t, 0, func(t *testing.T, _ *driven, other *fermata.Runtime) {
		if err := errors.Join(other.HoldRun(t.Context(), drivenID, "a look", "ann"), other.HoldRun(t.Context(), drivenID, "again", "eve")); err != nil {
			t.Error(err)
		}
	}, heldAndReleased)
}

// heldAndReleased checks the end of a run that was held once at most.
func heldAndReleased(t *testing.T, c crashCase, d *driven, want, got fermata.Result) {
	t.Helper()
	if len(d.faults) > 0 {
		t.Errorf("an operator is no owner, and yet these failed: %q", d.faults)
	}
	sameEnd(t, c, d, want, got)
	if n := nothingBegins(t, d.inner, drivenID); n > 1 {
		t.Errorf("the run was held %d times", n)
	}
	if got.Hold != nil {
		t.Errorf("a run that has ended is held: %+v", got.Hold)
	}
}

// A hold that is over before the owner of the run has noticed it changes nothing.
func TestJ18_HoldAndReleaseAtEveryAppend(t *testing.T) {
	t.Parallel()
	interfere(t, 0, func(t *testing.T, _ *driven, other *fermata.Runtime) {
		for range 2 {
			if err := other.HoldRun(t.Context(), drivenID, "a look", "ann"); err != nil {
				t.Error(err)
			}
			if err := errors.Join(other.ReleaseRun(t.Context(), drivenID, "", "ann"), other.ReleaseRun(t.Context(), drivenID, "", "ann")); err != nil {
				t.Error(err)
			}
		}
	}, func(t *testing.T, c crashCase, d *driven, want, got fermata.Result) {
		if len(d.faults) > 0 {
			t.Errorf("an operator is no owner, and yet these failed: %q", d.faults)
		}
		sameEnd(t, c, d, want, got)
		nothingBegins(t, d.inner, drivenID)
	})
}

// The process that executes a run dies just behind a hold. Neither the hold nor what was at work is lost.
func TestJ18_ACrashKeepsTheHold(t *testing.T) {
	t.Parallel()
	for _, c := range withUndos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			p := c.build(w).Plan()
			clean := newDriven(t, c, p)
			want := clean.undisturbed()
			for n := 2; n <= clean.store.Appends(); n++ {
				for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
					d := newDriven(t, c, p)
					d.fresh = true
					heldAndKilled(d, n, mode)
					got, err := d.finish()
					if err != nil {
						t.Fatalf("append %d: %v", n, err)
					}
					sameEnd(t, c, d, want, got)
					nothingBegins(t, d.inner, drivenID)
				}
			}
		})
	}
}

// heldAndKilled has somebody hold the run before its n-th append, and its process die at the one after.
func heldAndKilled(d *driven, n int, mode journaltest.Mode) {
	d.expects = func(err error) error {
		if cameSecond(err) == nil {
			return nil
		}
		return isFault(err)
	}
	fault := func(k int) error {
		if k == n+1 {
			return errDead
		}
		return nil
	}
	d.store.BeforeAppend = func(k int) error {
		if k == n && d.exists() {
			var other sync.WaitGroup
			other.Go(func() {
				d.meddle(func(t *testing.T, _ *driven, other *fermata.Runtime) {
					if err := other.HoldRun(t.Context(), drivenID, "a look", "ann"); err != nil {
						t.Error(err)
					}
				})
			})
			other.Wait()
		}
		if mode == journaltest.Before {
			return fault(k)
		}
		return nil
	}
	if mode == journaltest.After {
		d.store.AfterAppend = fault
	}
}

// holdable are runs in each way in which an open run can be, by how it is.
func holdable(g *gate) map[string]*graph.Graph[state] {
	return map[string]*graph.Graph[state]{
		"at work": graph.New[state]("at work").Node("a", func(ctx node.Context, s state) (state, error) {
			return s, g.pass(ctx)
		}).Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile(),
		"waiting for an answer": graph.New[state]("asks").Node("a", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "well?")
			return s, err
		}).Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile(),
		"waiting for a message": graph.New[state]("receives").Node("a", func(ctx node.Context, s state) (state, error) {
			_, err := node.Receive[paid](ctx, "payments")
			return s, err
		}).Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile(),
		"waiting for a time": graph.New[state]("sleeps").Node("a", func(ctx node.Context, s state) (state, error) {
			return s, node.Sleep(ctx, time.Hour)
		}).Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile(),
		"waiting for a retry": graph.New[state]("retries").Node("a", func(ctx node.Context, s state) (state, error) {
			if ctx.Info().Attempt == 1 {
				return s, errFlaky
			}
			return s, nil
		}, func(n *plan.Node) { n.Retry = plan.Retry{Attempts: 3, Backoff: time.Hour, Max: time.Hour} }).
			Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile(),
	}
}

// satisfy gives a held run all that it waits for.
func satisfy(ctx context.Context, rt *fermata.Runtime, c *clock, run string) error {
	open, err := rt.Inbox(ctx, journal.InboxFilter{Run: run})
	for _, q := range open {
		err = errors.Join(err, rt.Answer(ctx, q.ID, true))
	}
	err = errors.Join(err, rt.Send(ctx, run, "payments", paid{}))
	c.AdvanceTo(epoch.Add(2 * time.Hour))
	return err
}

// Whatever a run waits for, it can be held, takes in what it waited for, and goes on with it after the release: in the process that
// owns it, and in another one.
func TestJ18_ARunIsHeldWhateverItWaitsFor(t *testing.T) {
	t.Parallel()
	for name := range holdable(newGate()) {
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, from elsewhere: %t", name, elsewhere), func(t *testing.T) {
				t.Parallel()
				heldWhile(t, name, elsewhere)
			})
		}
	}
}

func heldWhile(t *testing.T, name string, elsewhere bool) {
	work, store, clock := newGate(), memory.New(), newClock()
	g := holdable(work)[name]
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	operator := rt
	if elsewhere {
		operator = newRuntime(t, fermata.Options{Store: store, Clock: clock})
	}
	run := start(t, rt, g, state{})
	waits := map[string]journal.Kind{"waiting for a retry": journal.NodeRetrying, "at work": journal.NodeStarted}
	eventually(t, "the run is "+name, func() bool {
		all := entries(t, store, run.ID())
		last := all[len(all)-1].Kind
		return last == waits[name] || last == journal.RunPaused
	})
	ctx := timeLimit(t)
	if err := operator.HoldRun(ctx, run.ID(), "a look", "ann"); err != nil {
		t.Fatal(err)
	}
	if name == "at work" {
		work.waitEntered(t)
		if info, err := rt.Info(ctx, run.ID()); err != nil || info.Status != "running" || info.Error != "held by ann: a look" {
			t.Errorf("while a task is at work, the run is %s, %q, %v", info.Status, info.Error, err)
		}
		close(work.open)
	}
	isHeld(t, wait(t, run).Result)
	if err := satisfy(ctx, operator, clock, run.ID()); err != nil {
		t.Fatal(err)
	}
	isHeld(t, wait(t, run).Result)
	info, err := rt.Info(ctx, run.ID())
	if got, want := [...]string{info.Status, info.Error}, [...]string{"paused", "held by ann: a look"}; err != nil || got != want {
		t.Errorf("the row says %q, %v; want %q", got, err, want)
	}
	if err := operator.ReleaseRun(ctx, run.ID(), "", "ann"); err != nil {
		t.Fatal(err)
	}
	if elsewhere {
		run = resume(t, rt, g, run.ID())
	}
	if res := ends(t, run, fermata.Completed); res.Hold != nil || len(res.State.Log) != 1 {
		t.Errorf("after the release: %+v", res)
	}
	nothingBegins(t, store, run.ID())
	timers, err := store.Timers(ctx, 1<<62, 0)
	if len(timers) > 0 || err != nil {
		t.Errorf("timers are left: %v, %v", timers, err)
	}
}

// isHeld asserts that a run is paused because somebody holds it.
func isHeld(t *testing.T, res fermata.Result) {
	t.Helper()
	if res.Hold == nil || res.Status != fermata.Paused {
		t.Fatalf("the run is %s, held: %+v", res.Status, res.Hold)
	}
	if diff := cmp.Diff([]string{"ann", "a look"}, []string{res.Hold.By, res.Hold.Note}); diff != "" {
		t.Errorf("the hold (-want +got):\n%s", diff)
	}
}
