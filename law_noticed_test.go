package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// While the store is at an append, nobody who follows the run has seen what is in it.
func TestJ2_FollowersSeeWhatIsStored(t *testing.T) {
	var mu sync.Mutex
	var seen []uint64
	sees := func(seq uint64) bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(seen, seq)
	}
	follows := make(chan bool)
	store := &spy{Store: memory.New(), appending: func(b journal.Batch) {
		if b.After == 0 {
			return // nobody follows yet
		}
		<-follows
		for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
			for _, e := range b.Entries {
				if sees(e.Seq) {
					t.Errorf("entry %d was shown before it was stored", e.Seq)
					return
				}
			}
		}
	}}
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, single(logged), state{}, fermata.WithID("run_1"))
	done := make(chan bool)
	go func() {
		defer close(done)
		for e, err := range run.Events(timeLimit(t), 0) {
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			if seen = append(seen, e.Seq()); len(seen) == 1 {
				close(follows)
			}
			mu.Unlock()
		}
	}()
	ends(t, run, fermata.Completed)
	<-done
	if len(seen) < 3 {
		t.Errorf("the follower saw the entries %v", seen)
	}
}

// The result of a run that is over is read from its journal: one that is damaged is an error that names its place, also
// where nobody has the plan that knows what it should be.
func TestJ6_ADamagedResultIsATypedError(t *testing.T) {
	store := memory.New()
	first := newRuntime(t, fermata.Options{Store: store})
	g := dataflow.Must(dataflow.New("sum", dataflow.Func("add", "sum", func(_ node.Context, in struct{ A int }) (int, error) { return in.A + 1, nil })))
	run, err := g.Start(timeLimit(t), first, dataflow.Values{"a": 1}, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(timeLimit(t)); err != nil {
		t.Fatal(err)
	}
	var seq uint64
	for e, err := range store.Read(t.Context(), "run_1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == journal.RunFinished {
			if seq = e.Base; e.HasValue() {
				seq = e.Seq
			}
		}
	}
	damaged := newRuntime(t, fermata.Options{Store: &spy{Store: store, change: at(seq, func(e *journal.Entry) { e.Value, e.Base = []byte(`{"sum":`), 0 })}})
	_, err = damaged.Result(timeLimit(t), "run_1", nil)
	var stored *journal.StoreError
	if !errors.As(err, &stored) || !errors.Is(err, journal.ErrCorrupt) || stored.Seq != seq {
		t.Errorf("the error is %T: %v, want a *journal.StoreError with ErrCorrupt and seq %d", err, err, seq)
	}
}

// A context that a node has kept from an earlier pass is over, also while a later pass of the same task is at work.
func TestN1_AContextOfAnEarlierPassIsOver(t *testing.T) {
	var kept []node.Context
	var late error
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if kept = append(kept, ctx); len(kept) > 1 {
			_, late = node.Step(kept[0], "late", func(node.Context) (int, error) { return 1, nil })
		}
		ok, err := node.Interrupt[bool](ctx, nil)
		if ok {
			s.N = len(kept)
		}
		return s, err
	}), state{})
	answer(t, rt, question(t, run).ID, true)
	if got := ends(t, run, fermata.Completed).State.N; got != 2 {
		t.Fatalf("the function was called %d times, expected 2", got)
	}
	if !errors.Is(late, node.ErrTaskOver) {
		t.Errorf("a step with the context of the first pass returned %v, want ErrTaskOver", late)
	}
}

// standsAt waits until the row of a run says how it stands.
func standsAt(t *testing.T, rt *fermata.Runtime, id string, want fermata.Status) {
	t.Helper()
	for end := time.Now().Add(soon); ; time.Sleep(time.Millisecond) {
		info, err := rt.Info(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if info.Status == string(want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s is %s, want %s", id, info.Status, want)
		}
	}
}

func sleeps(d time.Duration) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, d) })
}

// A timer fires when its time has come, and not before: who takes the run up in between waits for what is left.
func TestH4_ASleepIsNotCutShort(t *testing.T) {
	clock, store := newClock(), memory.New()
	first := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	start(t, first, sleeps(time.Minute), state{}, fermata.WithID("run_1"))
	standsAt(t, first, "run_1", fermata.Paused)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Minute - 500*time.Millisecond)
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := resume(t, rt, sleeps(time.Minute), "run_1")
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if info, err := rt.Info(t.Context(), "run_1"); err != nil || info.Status == string(fermata.Completed) {
			t.Fatalf("half a second before its time the run is %s: %v", info.Status, err)
		}
	}
	clock.Advance(500 * time.Millisecond)
	ends(t, run, fermata.Completed)
}

// A timer that is due before the one that the runtime waits for is not forgotten.
func TestH4_TheNextTimerComesFirst(t *testing.T) {
	clock := newClock()
	rt := newRuntime(t, fermata.Options{Store: memory.New(), Clock: clock})
	start(t, rt, sleeps(time.Hour), state{}, fermata.WithID("run_late"))
	standsAt(t, rt, "run_late", fermata.Paused)
	start(t, rt, sleeps(time.Minute), state{}, fermata.WithID("run_early"))
	standsAt(t, rt, "run_early", fermata.Paused)
	clock.Advance(time.Minute)
	standsAt(t, rt, "run_early", fermata.Completed)
	standsAt(t, rt, "run_late", fermata.Paused)
}

// Timers of one run that are due within the same second keep their own times: one that fires takes no other with it.
func TestH4_TimersCloseTogetherKeepTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rests := func(d time.Duration) graph.Func[state] {
			return func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, d) }
		}
		asks := func(d time.Duration) graph.Func[state] {
			return func(ctx node.Context, s state) (state, error) {
				_, err := node.Interrupt[bool](ctx, nil, node.Within(d), node.OrDefault(true))
				return s, err
			}
		}
		g := graph.New[state]("close").
			Node("sleeps", rests(time.Minute)).Node("asks", asks(time.Minute+200*time.Millisecond)).
			Node("sleeps_longer", rests(time.Minute+400*time.Millisecond)).Node("asks_longer", asks(time.Minute+600*time.Millisecond)).
			Node("joined", logged, graph.All()).
			Edge(graph.Start, "sleeps", "asks", "sleeps_longer", "asks_longer").
			Edge("sleeps", "joined").Edge("asks", "joined").Edge("sleeps_longer", "joined").Edge("asks_longer", "joined").MustCompile()
		store := memory.New()
		rt := newRuntime(t, fermata.Options{Store: store})
		run := start(t, rt, g, state{})
		time.Sleep(2 * time.Minute)
		standsAt(t, rt, run.ID(), fermata.Completed)
		var got []string
		began := int64(0)
		for e, err := range store.Read(t.Context(), run.ID(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if began == 0 {
				began = e.At
			}
			if e.Kind == journal.TimerFired || e.Kind == journal.InterruptResolved {
				got = append(got, fmt.Sprint(e.Kind, " ", e.Node, " ", time.Duration(e.At-began)*time.Microsecond))
			}
		}
		want := []string{
			"timer.fired sleeps 1m0s", "interrupt.resolved asks 1m0.2s",
			"timer.fired sleeps_longer 1m0.4s", "interrupt.resolved asks_longer 1m0.6s",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("when the timers fire (-want +got):\n%s", diff)
		}
	})
}

// A run that is due and cannot be driven on is looked at again, until it can: nothing else would come for it.
func TestH4_ADueRunIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, g := memory.New(), sleeps(time.Minute)
		first := newRuntime(t, fermata.Options{Store: store})
		start(t, first, g, state{}, fermata.WithID("run_1"))
		standsAt(t, first, "run_1", fermata.Paused)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		began, asked := time.Now(), 0
		rt := newRuntime(t, fermata.Options{Store: store, Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) {
			if asked++; asked <= 3 {
				return nil, errors.New("the plans cannot be read now")
			}
			return g.Plan(), nil
		}})
		time.Sleep(time.Minute + 10*time.Second)
		info, err := rt.Info(t.Context(), "run_1")
		if err != nil {
			t.Fatal(err)
		}
		if took := time.UnixMicro(info.Updated).Sub(began).Round(time.Second); info.Status != string(fermata.Completed) || took != 63*time.Second {
			t.Errorf("the run is %s after %v, expected it to be completed after 1m3s", info.Status, took)
		}
		if asked != 4 {
			t.Errorf("its plan was asked for %d times, expected 4", asked)
		}
	})
}

// failsAt is a store whose timers cannot be listed at some calls, counted from 1.
type failsAt struct {
	journal.Store
	calls int
	which int
}

func (s *failsAt) Timers(ctx context.Context, before int64, limit int) ([]journal.Timer, error) {
	if s.calls++; s.calls == s.which {
		return nil, &journal.StoreError{Op: "timers", Err: errors.New("not now")}
	}
	return s.Store.Timers(ctx, before, limit)
}

// Where the store cannot list its timers, at whichever call, it is asked again a second later, and no timer is forgotten.
func TestH4_TimersThatCannotBeListedAreListedAgain(t *testing.T) {
	for _, x := range []struct {
		what         string
		call         int
		early, later time.Duration
	}{
		{"those that are due", 2, time.Minute + time.Second, 2 * time.Minute},
		{"the next one", 3, time.Minute, 2 * time.Minute},
		{"those that are due, later", 4, time.Minute, 2*time.Minute + time.Second},
	} {
		t.Run(x.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, began := memory.New(), time.Now()
				first := newRuntime(t, fermata.Options{Store: store})
				for id, d := range map[string]time.Duration{"run_early": time.Minute, "run_later": 2 * time.Minute} {
					start(t, first, sleeps(d), state{}, fermata.WithID(id))
					standsAt(t, first, id, fermata.Paused)
				}
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				rt := newRuntime(t, fermata.Options{
					Store: &failsAt{Store: store, which: x.call},
					Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return sleeps(0).Plan(), nil },
				})
				time.Sleep(3 * time.Minute)
				for id, want := range map[string]time.Duration{"run_early": x.early, "run_later": x.later} {
					info, err := rt.Info(t.Context(), id)
					if err != nil {
						t.Fatal(err)
					}
					if at := time.UnixMicro(info.Updated).Sub(began).Round(time.Second); info.Status != string(fermata.Completed) || at != want {
						t.Errorf("%s is %s since %v, expected it to be completed after %v", id, info.Status, at, want)
					}
				}
			})
		})
	}
}

// A function that sees that its time is up and returns a value all the same has failed, whichever of the two its caller sees
// first.
func TestN11_AValueThatComesTooLateIsRefused(t *testing.T) {
	t.Parallel()
	g := single(func(ctx node.Context, s state) (state, error) {
		<-ctx.Done()
		return s, nil
	}, graph.Timeout(100*time.Microsecond))
	for range 300 {
		if _, err := g.Run(t.Context(), state{}); !errors.Is(err, fermata.ErrTimeout) {
			t.Fatalf("the run ends with %v, expected ErrTimeout", err)
		}
	}
}
