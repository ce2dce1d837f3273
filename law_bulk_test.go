package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
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
