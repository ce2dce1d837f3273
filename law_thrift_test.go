package fermata_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/teststore"
	"github.com/fermata-go/fermata/node"
)

// TestAPauseIsTwoAppends lists all that a store is asked for a run that asks and is answered. A process that has the run in memory
// reads nothing (ADR 075); one that takes it over reads its journal once. Wait asks for the row of a run that paused before the call,
// because another process may have written since: so the node goes on only when the test waits for the run.
func TestAPauseIsTwoAppends(t *testing.T) { synctest.Test(t, aPauseIsTwoAppends) }

func aPauseIsTwoAppends(t *testing.T) {
	store := teststore.NewLedger()
	here, there := newRuntime(t, fermata.Options{Store: store}), newRuntime(t, fermata.Options{Store: store})
	g := graph.New[state]("asks").Node("ask", func(ctx node.Context, s state) (state, error) {
		synctest.Wait() // the test is in Wait, and nothing else is under way
		_, err := node.Interrupt[bool](ctx, "may I?")
		return s, err
	}).Edge(graph.Start, "ask").Edge("ask", graph.End).MustCompile()
	expect := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, store.Take()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	pause := func() (*graph.Run[state], graph.Result[state]) {
		t.Helper()
		run, err := g.Start(t.Context(), here, state{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil || res.Status != fermata.Paused {
			t.Fatal(res, err)
		}
		return run, res
	}
	end := func(run *graph.Run[state]) {
		t.Helper()
		if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
			t.Fatal(res, err)
		}
	}

	pause()
	store.Take() // the first run has stored the plan's definition
	run, res := pause()
	expect("a run that asks", "append [run.started node.started]", "append [interrupt node.suspended run.paused]")
	if err := here.Answer(t.Context(), res.Interrupts[0].ID, true); err != nil {
		t.Fatal(err)
	}
	end(run)
	expect("an answer", "append [interrupt.resolved run.resumed]", "append [node.finished run.finished]")

	_, res = pause()
	store.Take()
	if err := there.Answer(t.Context(), res.Interrupts[0].ID, true, fermata.Hold()); err != nil {
		t.Fatal(err)
	}
	expect("an answer in another process", "inbox", "runs", "inbox", "timers", "read after 4", "append [interrupt.resolved]")
	run, err := g.Resume(t.Context(), there, res.Run)
	if err != nil {
		t.Fatal(err)
	}
	end(run)
	expect("going on in another process", "runs", "read after 0", "append [run.resumed]", "append [node.finished run.finished]")
}
