package fermata_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// A run that is being driven is forked as it stands in its journal; what it is at, and has not recorded, the forks do
// by themselves, with idempotency keys of their own. None disturbs the other.
func TestJ4_ARunIsForkedWhileItIsDriven(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := runtimeOn(t, s)
		w, hold := newWorld(), newGate()
		g := chain([]string{"take", "pay"}, func(b *graph.Builder[order]) {
			b.Node("take", w.does("reserve")).Node("pay", func(ctx node.Context, o order) (order, error) {
				if _, err := w.step(ctx, "look up"); err != nil {
					return o, err
				}
				_, err := node.Step(ctx, "charge", func(ctx node.Context) (int, error) {
					w.effect(ctx, "charge")
					return 0, hold.pass(ctx)
				})
				return o.note("%s paid", ctx.Info().Run), err
			})
		})
		run, err := g.Start(t.Context(), rt, order{}, fermata.WithID("run_0"))
		if err != nil {
			t.Fatal(err)
		}
		hold.waitEntered(t)
		runs := []*graph.Run[order]{run}
		for n := range 3 {
			fork, err := g.Fork(t.Context(), rt, "run_0", graph.ForkOptions[order]{ID: fmt.Sprintf("run_%d", n+1)})
			if err != nil {
				t.Fatal(err)
			}
			hold.waitEntered(t)
			runs = append(runs, fork)
		}
		close(hold.open)
		for n, r := range runs {
			res, err := r.Wait(inTime(t))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"take#1: did reserve", fmt.Sprintf("run_%d paid", n)}
			if diff := cmp.Diff(want, res.State.Log); diff != "" {
				t.Errorf("run %d (-want +got):\n%s", n, diff)
			}
		}
		want := map[string]int{"reserve": 1, "look up": 1, "charge": 4}
		if diff := cmp.Diff(want, w.effects()); diff != "" || len(w.keys["charge"]) != 4 {
			t.Errorf("effects (-want +got):\n%s%d keys of charge", diff, len(w.keys["charge"]))
		}
	})
}

// A fork that is only recorded says how it stands: it waits for somebody, or for somebody to drive it (law F3).
func TestF3_AForkThatIsHeld(t *testing.T) {
	c := newClock()
	rt := newRuntime(t, fermata.Options{Clock: c})
	g := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Node("b", asking).Edge("a", "b")
	})
	run := start(t, rt, g, state{})
	question(t, run)
	paused := forked(t, rt, g, run.ID(), fermata.ForkOptions{Hold: true})
	q := waitFork(t, paused, fermata.Paused).Interrupts
	if len(q) != 1 || q[0].Token == "" {
		t.Fatalf("the held fork asks %+v", q)
	}
	ready := forked(t, rt, g, run.ID(), fermata.ForkOptions{At: 2, Hold: true})
	if res, err := ready.Wait(timeLimit(t)); !errors.Is(err, fermata.ErrStopped) || res.Status != fermata.Running {
		t.Errorf("a fork that nobody drives is %s, %v", res.Status, err)
	}
	question(t, resume(t, rt, g, ready.ID()))
	answer(t, rt, q[0].ID, true) // the runtime knows the plan
	waitFork(t, paused, fermata.Completed)
}

// A fork that sleeps is woken like any run, and what is over when it is made is over at once.
func TestH4_AForkThatSleeps(t *testing.T) {
	c := newClock()
	rt := newRuntime(t, fermata.Options{Clock: c})
	g := single(func(ctx node.Context, s state) (state, error) {
		if err := node.Sleep(ctx, time.Hour); err != nil {
			return s, err
		}
		return logged(ctx, s)
	})
	run := start(t, rt, g, state{})
	eventually(t, "it sleeps", func() bool {
		info, err := rt.Info(t.Context(), run.ID())
		return err == nil && info.Status == string(fermata.Paused)
	})
	early := forked(t, rt, g, run.ID(), fermata.ForkOptions{})
	at := uint64(5)
	eventually(t, "the fork sleeps", func() bool {
		info, err := rt.Info(t.Context(), early.ID())
		return err == nil && info.Status == string(fermata.Paused)
	})
	c.Advance(time.Hour)
	ends(t, run, fermata.Completed)
	waitFork(t, early, fermata.Completed)
	late := forked(t, rt, g, run.ID(), fermata.ForkOptions{At: at})
	if diff := cmp.Diff([]string{"a#1"}, waitFork(t, late, fermata.Completed).Value.(*state).Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
