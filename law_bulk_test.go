package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// handled are the results of many runs as lines: "r1", or "r2: conflict".
func handled(t *testing.T, all func(func(fermata.BulkResult, error) bool)) []string {
	t.Helper()
	var lines []string
	for r, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, handledLine(&r))
	}
	return lines
}

func handledLine(r *fermata.BulkResult) string {
	if failed, ok := errors.AsType[*fermata.Error](r.Err); ok {
		return r.Info.ID + ": " + string(failed.Code)
	}
	return r.Info.ID
}

// statusesOf are the statuses of runs, by id.
func statusesOf(t *testing.T, rt *fermata.Runtime, ids ...string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, id := range ids {
		info, err := rt.Info(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		all[id] = info.Status
	}
	return all
}

// Of many runs those are cancelled that the query selects, and that still have a selected status when it is their turn.
func TestF3_SelectedRunsAreCancelled(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := runtimeOn(t, s)
		release := make(chan struct{})
		g := single(func(ctx node.Context, s state) (state, error) {
			if s.N == 1 {
				return s, nil
			}
			if _, err := node.Interrupt[bool](ctx, "Go on?"); err != nil {
				return s, err
			}
			<-release
			return s, nil
		})
		customer := func(id string) fermata.StartOption { return fermata.WithLabel("customer", id) }
		asked := make(map[string]string) // questions by run
		for n, of := range []string{"7", "7", "7", "8"} {
			id := fmt.Sprint("r", n+1)
			run := start(t, rt, g, state{}, fermata.WithID(id), customer(of))
			asked[id] = question(t, run).ID
		}
		ends(t, start(t, rt, g, state{N: 1}, fermata.WithID("ended"), customer("7")), fermata.Completed)

		q := journal.RunQuery{Labels: map[string]string{"customer": "7"}, Statuses: []string{"paused"}}
		want := []string{"r3", "r2", "r1"}
		if diff := cmp.Diff(want, handled(t, rt.CancelRuns(t.Context(), q, fermata.BulkOptions{DryRun: true}))); diff != "" {
			t.Errorf("dry (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{"r1": "paused", "r2": "paused", "r3": "paused"}, statusesOf(t, rt, "r1", "r2", "r3")); diff != "" {
			t.Errorf("after a dry run (-want +got):\n%s", diff)
		}
		var got []string
		for r, err := range rt.CancelRuns(t.Context(), q, fermata.BulkOptions{Reason: "fraud", By: "eve"}) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, handledLine(&r)); len(got) == 1 { // r2 goes on before its turn
				answer(t, rt, asked["r2"], true)
				for statusesOf(t, rt, "r2")["r2"] != "running" {
					if t.Context().Err() != nil {
						t.Fatal("r2 does not go on")
					}
				}
			}
		}
		if diff := cmp.Diff([]string{"r3", "r2: conflict", "r1"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		all := map[string]string{"r1": "cancelled", "r2": "running", "r3": "cancelled", "r4": "paused", "ended": "completed"}
		if diff := cmp.Diff(all, statusesOf(t, rt, "r1", "r2", "r3", "r4", "ended")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		close(release)
		list := entries(t, s, "r1")
		if body := bodyOf[journal.FinishedBody](t, &list[len(list)-1]); body.Reason != "fraud" || body.By != "eve" {
			t.Errorf("the record of the cancellation is %+v", body)
		}
		if again := handled(t, rt.CancelRuns(t.Context(), q, fermata.BulkOptions{})); again != nil {
			t.Errorf("a second call selects %v", again)
		}
	})
}

// Many runs are told in pages, and none of them twice, although each leaves the selection when it is cancelled.
func TestJ14_AllSelectedRunsAreCancelledOnce(t *testing.T) {
	rt, _ := inMemory(t)
	g := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, "Go on?")
		return s, err
	})
	const many = journal.MaxPage + 5
	for n := range many {
		question(t, start(t, rt, g, state{}, fermata.WithID(fmt.Sprintf("r%04d", n))))
	}
	if got := len(handled(t, rt.CancelRuns(t.Context(), journal.RunQuery{Limit: 3}, fermata.BulkOptions{}))); got != 3 {
		t.Errorf("expected the limit of 3 runs, found %d", got)
	}
	got := handled(t, rt.CancelRuns(t.Context(), journal.RunQuery{}, fermata.BulkOptions{}))
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != many-3 || slices.ContainsFunc(got, func(line string) bool { return len(line) != 5 }) {
		t.Errorf("expected %d runs, found %d", many-3, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range rt.CancelRuns(ctx, journal.RunQuery{Statuses: []string{"paused"}}, fermata.BulkOptions{}) {
		if err == nil {
			t.Error("a result, although the context is done")
		}
	}
	for name, q := range map[string]journal.RunQuery{"a status": {Statuses: []string{"completed"}}, "a limit": {Limit: -1}} {
		n := 0
		for _, err := range rt.CancelRuns(t.Context(), q, fermata.BulkOptions{}) {
			if n++; n > 1 || !isCode(err, fermata.CodeInvalid) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

func isCode(err error, code fermata.Code) bool {
	failed, ok := errors.AsType[*fermata.Error](err)
	return ok && failed.Code == code
}

// Of many runs those are retried that the query selects, on the plan of each; one whose plan nobody knows is left alone.
func TestF2_SelectedRunsAreRetried(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := runtimeOn(t, s)
		broken := true
		paper := func(name string) *graph.Graph[state] {
			return graph.New[state](name).Node("a", logged).Node("b", func(ctx node.Context, s state) (state, error) {
				if broken {
					return s, errors.New("out of paper")
				}
				return logged(ctx, s)
			}).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
		}
		letters, bills := paper("letters"), paper("bills")
		ends(t, start(t, rt, letters, state{}, fermata.WithID("r1")), fermata.Failed)
		ends(t, start(t, rt, bills, state{}, fermata.WithID("r2")), fermata.Failed)
		ends(t, start(t, rt, letters, state{}, fermata.WithID("r3")), fermata.Failed)
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		rt, broken = runtimeOn(t, s), false
		plans := func(_ context.Context, info fermata.RunInfo) (*plan.Plan, error) {
			if info.Plan == "letters" {
				return letters.Plan(), nil
			}
			return nil, nil
		}
		if diff := cmp.Diff([]string{"r3", "r2", "r1"}, handled(t, rt.RetryRuns(t.Context(), journal.RunQuery{}, fermata.BulkOptions{DryRun: true}))); diff != "" {
			t.Errorf("dry (-want +got):\n%s", diff)
		}
		var got []string
		for r, err := range rt.RetryRuns(t.Context(), journal.RunQuery{}, fermata.BulkOptions{Plans: plans}) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, handledLine(&r)); r.Run != nil {
				if res, err := r.Run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
					t.Errorf("%s is %s, %v, %v", r.Info.ID, res.Status, res.Err, err)
				}
			}
		}
		if diff := cmp.Diff([]string{"r3", "r2: plan_changed", "r1"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{"r1": "completed", "r2": "failed", "r3": "completed"}, statusesOf(t, rt, "r1", "r2", "r3")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		ended, err := letters.State(t.Context(), rt, "r1")
		if diff := cmp.Diff(state{Log: []string{"a#1", "b#1"}}, ended); diff != "" || err != nil {
			t.Errorf("what had finished ran again: error %v (-want +got):\n%s", err, diff)
		}
	})
}

// Of many runs those are held that are not held already, each with who and why, and only held ones are released.
func TestJ18_SelectedRunsAreHeldAndReleased(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := runtimeOn(t, s)
		g := single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "Go on?")
			return s, err
		})
		changed := single(func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, time.Hour) })
		team := fermata.WithLabel("team", "a")
		for _, id := range []string{"r1", "r2", "r3"} {
			question(t, start(t, rt, g, state{}, fermata.WithID(id), team))
		}
		question(t, start(t, rt, g, state{}, fermata.WithID("other")))
		asked := question(t, start(t, rt, g, state{}, fermata.WithID("blocked"), team)).ID
		answer(t, rt, asked, true, fermata.Hold())
		if res := wait(t, resume(t, rt, changed, "blocked")); res.Status != fermata.Blocked {
			t.Fatalf("the run is %s", res.Status)
		}
		if err := rt.HoldRun(t.Context(), "r2", "mine", "eve"); err != nil {
			t.Fatal(err)
		}
		q := journal.RunQuery{Labels: map[string]string{"team": "a"}}
		held := func() map[string]string {
			all := make(map[string]string)
			for _, id := range []string{"r1", "r2", "r3", "other", "blocked"} {
				res, err := rt.Result(t.Context(), id, nil)
				if err != nil {
					t.Fatal(err)
				}
				if res.Hold != nil {
					all[id] = res.Hold.By + ": " + res.Hold.Note
				}
			}
			return all
		}
		o := fermata.BulkOptions{Reason: "the bank is down", By: "ann"}
		dry := o
		dry.DryRun = true
		want := []string{"blocked", "r3", "r1"}
		if diff := cmp.Diff(want, handled(t, rt.HoldRuns(t.Context(), q, dry))); diff != "" {
			t.Errorf("dry (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{"r2": "eve: mine"}, held()); diff != "" {
			t.Errorf("after a dry run (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, handled(t, rt.HoldRuns(t.Context(), q, o))); diff != "" {
			t.Errorf("hold (-want +got):\n%s", diff)
		}
		by := "ann: the bank is down"
		if diff := cmp.Diff(map[string]string{"r1": by, "r2": "eve: mine", "r3": by, "blocked": by}, held()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		few := q
		few.Limit, few.Statuses = 2, []string{"paused"}
		if diff := cmp.Diff([]string{"r3", "r2"}, handled(t, rt.ReleaseRuns(t.Context(), few, o))); diff != "" {
			t.Errorf("release of two (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"blocked", "r1"}, handled(t, rt.ReleaseRuns(t.Context(), q, o))); diff != "" {
			t.Errorf("release (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{}, held()); diff != "" {
			t.Errorf("after the release (-want +got):\n%s", diff)
		}
		for _, err := range rt.HoldRuns(t.Context(), journal.RunQuery{Statuses: []string{"completed"}}, o) {
			if failed, ok := errors.AsType[*fermata.Error](err); !ok || failed.Code != fermata.CodeInvalid {
				t.Errorf("a hold of what has ended: %v", err)
			}
		}
	})
}

// withoutTimers is a store whose timers nobody may list.
type withoutTimers struct {
	journal.Store
	journal.Leaser
	t *testing.T
}

func (s withoutTimers) Timers(ctx context.Context, due int64, limit int) ([]journal.Timer, error) {
	if due > 1<<60 {
		s.t.Error("the timers of all runs were read")
	}
	return s.Store.Timers(ctx, due, limit)
}

// A run that has not begun is held without a look at the timers of all others, of which there may be very many.
func TestJ18_AQueuedRunIsHeldByItself(t *testing.T) {
	store := memory.New()
	leased, ok := store.(journal.Leaser)
	if !ok {
		t.Fatal("the store knows no leases")
	}
	rt := newRuntime(t, fermata.Options{Store: withoutTimers{store, leased, t}, Lease: time.Minute})
	g := single(func(_ node.Context, s state) (state, error) { return s, nil })
	if _, err := rt.Start(t.Context(), g.Plan(), &state{}, fermata.WithID("r"), fermata.Queued()); err != nil {
		t.Fatal(err)
	}
	if err := rt.HoldRun(t.Context(), "r", "", "ann"); err != nil {
		t.Fatal(err)
	}
	if info, err := rt.Info(t.Context(), "r"); err != nil || info.Status != "paused" {
		t.Errorf("the run is %s, %v", info.Status, err)
	}
}
