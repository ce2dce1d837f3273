package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// onStores runs a test on each kind of store.
func onStores(t *testing.T, test func(t *testing.T, s journal.Store)) {
	t.Run("memory", func(t *testing.T) { test(t, memory.New()) })
	t.Run("sqlite", func(t *testing.T) { test(t, sqliteStore(t)) })
}

// sqliteStore is a new store in a file, closed with the test.
func sqliteStore(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenWith(filepath.Join(t.TempDir(), "runs.db"), sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// runtimeOn is a runtime that is closed with the test.
func runtimeOn(t *testing.T, s journal.Store) *fermata.Runtime {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return rt
}

// inTime is the context of a test that must not hang.
func inTime(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// asked starts a run that asks one question, and waits until it is open.
func asked(
	t *testing.T, rt *fermata.Runtime, opts ...node.AskOption,
) (*graph.Graph[order], *graph.Run[order], fermata.Interrupt) {
	t.Helper()
	g := chain([]string{"review", "ship"}, func(b *graph.Builder[order]) {
		b.Node("review", newWorld().asks("All right?", opts...)).Node("ship", notes("sent"))
	})
	run, err := g.Start(t.Context(), rt, order{Amount: 10})
	if err != nil {
		t.Fatal(err)
	}
	result, err := run.Wait(inTime(t))
	if err != nil || len(result.Interrupts) != 1 {
		t.Fatalf("expected one question, found %+v, %v", result, err)
	}
	return g, run, result.Interrupts[0]
}

// answers lists the answers that a run's journal holds.
func answers(t *testing.T, s journal.Store, run string) []string {
	t.Helper()
	var list []string
	for _, e := range journalOf(t, s, run) {
		if e.Kind == journal.InterruptResolved {
			list = append(list, string(e.Value))
		}
	}
	return list
}

// A hundred people say the same at the same time, through two runtimes: all are thanked, and it is said once.
func TestH2_100IdenticalAnswersApplyOnce(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		doors := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s)}
		_, run, q := asked(t, doors[0])
		failed := atOnce(100, func(n int) error { return doors[n%2].Answer(t.Context(), q.ID, "yes") })
		for n, err := range failed {
			if err != nil {
				t.Errorf("answer %d: %v", n, err)
			}
		}
		result, err := run.Wait(inTime(t))
		if err != nil {
			t.Fatal(err)
		}
		got := []any{result.Status, result.State.Log, answers(t, s, run.ID())}
		want := []any{fermata.Completed, []string{"review#1: yes", "ship#1: sent"}, []string{`"yes"`}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		checkRow(t, s, run.ID())
	})
}

// A hundred people say different things at the same time: one of them is heard, and the others are told so.
func TestH2_DifferentAnswersConflict(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		doors := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s)}
		g, run, q := asked(t, doors[0])
		failed := atOnce(100, func(n int) error { return doors[n%2].Answer(t.Context(), q.ID, fmt.Sprint(n)) })
		won := -1
		for n, err := range failed {
			known, _ := errors.AsType[*fermata.Error](err)
			switch {
			case err == nil && won >= 0:
				t.Errorf("answers %d and %d were both accepted", won, n)
			case err == nil:
				won = n
			case known == nil || known.Code != fermata.CodeConflict || !errors.Is(err, fermata.ErrAnswered):
				t.Errorf("answer %d: expected a conflict, found %v", n, err)
			}
		}
		run, err := g.Resume(t.Context(), doors[0], run.ID()) // the other door does not know the plan
		if err != nil {
			t.Fatal(err)
		}
		result, err := run.Wait(inTime(t))
		if err != nil {
			t.Fatal(err)
		}
		got := []any{result.Status, result.State.Log, answers(t, s, run.ID())}
		want := []any{
			fermata.Completed, []string{fmt.Sprintf("review#1: %d", won), "ship#1: sent"}, []string{fmt.Sprintf(`"%d"`, won)},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		checkRow(t, s, run.ID())
	})
}

// atOnce calls f n times at the same time.
func atOnce(n int, f func(n int) error) []error {
	failed := make([]error, n)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			failed[i] = f(i)
		})
	}
	close(begin)
	wg.Wait()
	return failed
}

// checkRow looks whether what is listed of a run that has ended is what its journal says.
func checkRow(t *testing.T, s journal.Store, run string) {
	t.Helper()
	rows, err := s.Runs(t.Context(), journal.RunFilter{ID: run})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got := []any{rows[0].Status, rows[0].Waiting, rows[0].Head}
	want := []any{string(fermata.Completed), 0, uint64(len(journalOf(t, s, run)))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status, open questions and head of the row (-want +got):\n%s", diff)
	}
}

// Two runtimes take up one run at the same time, again and again: one of them brings it to its end, the other is told
// that it was not the first.
func TestJ3_TwoRuntimesResumeOneRun(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		for round := range 10 {
			w, stopped, taken, told := newWorld(), make(chan struct{}), make(chan struct{}), make(chan struct{})
			g := chain([]string{"pay"}, func(b *graph.Builder[order]) {
				b.Node("pay", func(ctx node.Context, o order) (order, error) {
					if _, err := w.step(ctx, "first"); err != nil {
						return o, err
					}
					select {
					case <-stopped:
					case <-ctx.Done():
						close(stopped)
						return o, ctx.Err()
					}
					<-taken // both have taken the run up
					if _, err := w.step(ctx, "second"); err != nil {
						return o, err
					}
					<-told // one of them was told
					_, err := w.step(ctx, "third")
					return o.note("done"), err
				})
			})
			run, err := g.Start(t.Context(), runtimeOn(t, s), order{}, fermata.WithID(fmt.Sprintf("run_%d", round)))
			if err != nil {
				t.Fatal(err)
			}
			for w.effects()["first"] == 0 {
				time.Sleep(time.Millisecond)
			}
			_ = run.Stop(0)
			two := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s)}
			runs := make([]*graph.Run[order], 2)
			failed := atOnce(2, func(n int) (err error) {
				runs[n], err = g.Resume(t.Context(), two[n], run.ID())
				return err
			})
			close(taken)
			ends := atOnce(2, func(n int) error {
				if failed[n] == nil {
					_, failed[n] = runs[n].Wait(inTime(t))
				}
				if failed[n] != nil {
					close(told)
				}
				return failed[n]
			})
			err = errors.Join(ends...)
			if (ends[0] == nil) == (ends[1] == nil) || isConflict(err) != nil {
				t.Errorf("round %d: expected that one is told of a conflict, and the other nothing: %q", round, ends)
			}
			if diff := cmp.Diff(map[string]int{"first": 1, "third": 1}, effectsBut(w, "second")); diff != "" || w.effects()["second"] > 2 {
				t.Errorf("round %d: effects %v", round, w.effects())
			}
			checkRow(t, s, run.ID())
		}
	})
}

// effectsBut are the effects without one.
func effectsBut(w *world, name string) map[string]int {
	all := w.effects()
	delete(all, name)
	return all
}

// Whoever waits for a run that nobody here drives any more is told so, and does not wait for ever.
func TestF3_WaitSaysThatNobodyDrives(t *testing.T) {
	for name, opts := range map[string][]node.AskOption{
		"without a deadline": nil,
		"with a deadline":    {node.Within(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			s := memory.New()
			here, elsewhere := runtimeOn(t, s), runtimeOn(t, s)
			_, run, q := asked(t, here, opts...)
			if err := elsewhere.Answer(t.Context(), q.ID, "yes", fermata.Hold()); err != nil {
				t.Fatal(err)
			}
			if result, err := run.Wait(inTime(t)); !errors.Is(err, fermata.ErrStopped) {
				t.Errorf("answered elsewhere and driven by nobody: expected ErrStopped, found %q, %v", result.Status, err)
			}
		})
	}
}

// A run that is told to stop stops, also when something has just come that it could go on with.
func TestF3_StopStops(t *testing.T) {
	s := memory.New()
	rt := runtimeOn(t, s)
	working := make(chan struct{})
	g := chain([]string{"work"}, func(b *graph.Builder[order]) {
		b.Node("work", func(ctx node.Context, o order) (order, error) {
			if _, err := node.Ask[string](ctx, nil, node.ID("aside")); err != nil {
				return o, err
			}
			close(working)
			<-ctx.Done()
			return o, ctx.Err()
		})
	})
	run, err := g.Start(t.Context(), rt, order{})
	if err != nil {
		t.Fatal(err)
	}
	<-working
	open, err := rt.Inbox(t.Context(), journal.InboxFilter{})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d questions, %v", len(open), err)
	}
	if err := rt.Answer(t.Context(), open[0].ID, "yes"); err != nil {
		t.Fatal(err)
	}
	_ = run.Stop(0)
	if result, err := run.Wait(inTime(t)); !errors.Is(err, fermata.ErrStopped) {
		t.Errorf("expected ErrStopped, found %q, %v", result.Status, err)
	}
	list := journalOf(t, s, run.ID())
	if last := list[len(list)-1]; last.Kind != journal.InterruptResolved {
		t.Errorf("behind the answer the journal goes on with %s", last.Kind)
	}
}

// When the store cannot say how a run stands, Wait says that, and not how it stood before.
func TestJ2_WaitDoesNotTellOldNews(t *testing.T) {
	inner := memory.New()
	s := journaltest.NewFaulty(inner)
	here, elsewhere := runtimeOn(t, s), runtimeOn(t, inner)
	_, run, q := asked(t, here)
	if err := elsewhere.Answer(t.Context(), q.ID, "yes", fermata.Hold()); err != nil {
		t.Fatal(err)
	}
	s.FailRead(s.Reads()+1, journaltest.Before)
	result, err := run.Wait(inTime(t))
	if wrong := isFault(err); wrong != nil {
		t.Errorf("%v: found %q with %d questions, %v", wrong, result.Status, len(result.Interrupts), err)
	}
}
