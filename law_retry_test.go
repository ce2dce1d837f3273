package fermata_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

var errRefused = errors.New("the card was refused")

// in makes an error within a step.
func in(err error) func(node.Context) error {
	return func(ctx node.Context) error {
		_, failed := node.Step(ctx, "charge", func(node.Context) (int, error) { return 0, err })
		return failed
	}
}

func plainly(err error) func(node.Context) error { return func(node.Context) error { return err } }

// Whatever wraps it and whatever the policy says: a terminal error is not tried again, takes the error edge, and says
// in the journal what it is.
func TestF1_ATerminalErrorIsNotTriedAgain(t *testing.T) {
	tests := map[string]func(node.Context) error{
		"plain":                 plainly(node.Terminal(errRefused)),
		"wrapped":               plainly(fmt.Errorf("order 7: %w", node.Terminal(errRefused))),
		"joined":                plainly(errors.Join(errors.New("and"), node.Terminal(errRefused))),
		"also asks for a wait":  plainly(node.RetryAfter(node.Terminal(errRefused), time.Second)),
		"asks for a wait in it": plainly(node.Terminal(node.RetryAfter(errRefused, time.Second))),
		"in a step":             in(node.Terminal(errRefused)),
		"in a step, wrapped":    in(fmt.Errorf("order 7: %w", node.Terminal(errRefused))),
		"in a step in a step": func(ctx node.Context) error {
			_, err := node.Step(ctx, "outer", func(ctx node.Context) (int, error) {
				return 0, in(node.Terminal(errRefused))(ctx)
			})
			return err
		},
	}
	for name, fail := range tests {
		t.Run(name, func(t *testing.T) {
			rt, store := inMemory(t)
			all := graph.RetryIf(func(error) bool { return true })
			g := graph.New[state]("terminal").
				Node("a", func(ctx node.Context, s state) (state, error) { return s, fail(ctx) }, graph.Retry(5, time.Hour), all).
				Node("rescue", logged).Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
			run := start(t, rt, g, state{})
			ends(t, run, fermata.Completed)
			var kinds []string
			for _, e := range entries(t, store, run.ID()) {
				if e.Node == "a" && e.Op == "" {
					kinds = append(kinds, e.Kind.String())
				}
				if e.Kind == journal.NodeFailed && bodyOf[journal.FailedBody](t, &e).Code != "terminal" {
					t.Errorf("the failure is recorded as %s", e.Body)
				}
			}
			if diff := cmp.Diff([]string{"node.started", "node.failed", "route.taken"}, kinds); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Of a run that failed with a terminal error, the journal alone says so.
func TestF1_ATerminalErrorIsFoundInTheResult(t *testing.T) {
	rt, store := inMemory(t)
	g := single(func(_ node.Context, s state) (state, error) { return s, node.Terminal(errRefused) }, graph.Retry(5, 0))
	run := start(t, rt, g, state{})
	if err := ends(t, run, fermata.Failed).Err; !errors.Is(err, node.ErrTerminal) || !errors.Is(err, errRefused) {
		t.Errorf("the error is %v", err)
	}
	other := newRuntime(t, fermata.Options{Store: store})
	if err := ends(t, resume(t, other, g, run.ID()), fermata.Failed).Err; !errors.Is(err, node.ErrTerminal) {
		t.Errorf("from the journal, the error is %v", err)
	}
}

// retries are the waits before each further attempt of a run, as the journal has them.
func retries(t *testing.T, store journal.Store, run string) (waits []time.Duration) {
	t.Helper()
	for _, e := range entries(t, store, run) {
		if e.Kind == journal.NodeRetrying {
			waits = append(waits, time.Duration(bodyOf[journal.FailedBody](t, &e).RetryAt-e.At)*time.Microsecond)
		}
	}
	return waits
}

// An error that asks for a wait gets it: in place of the backoff, beyond its maximum, whether the policy would have
// tried again or not, and no oftener than the policy allows.
func TestF1_AnErrorSaysWhenToTryAgain(t *testing.T) {
	busy := errors.New("busy")
	tests := []struct {
		name string
		fail func(node.Context) error
		want []time.Duration
	}{
		{"plain", plainly(node.RetryAfter(busy, time.Hour)), []time.Duration{time.Hour, time.Hour}},
		{"wrapped", plainly(fmt.Errorf("call: %w", node.RetryAfter(busy, 3*time.Second))), []time.Duration{3 * time.Second, 3 * time.Second}},
		{"at once", plainly(node.RetryAfter(busy, -time.Second)), []time.Duration{0, 0}},
		{"in a step", in(node.RetryAfter(busy, time.Hour)), []time.Duration{time.Hour, time.Hour}},
		{"at once, in a step", in(node.RetryAfter(busy, 0)), []time.Duration{time.Microsecond, time.Microsecond}},
		{"not marked", plainly(busy), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rt, store := inMemory(t)
				none := graph.RetryIf(func(error) bool { return false })
				g := single(func(ctx node.Context, s state) (state, error) { return s, test.fail(ctx) }, graph.Retry(3, time.Minute), none)
				run, err := g.Start(t.Context(), rt, state{})
				if err != nil {
					t.Fatal(err)
				}
				res, err := run.Wait(t.Context())
				if err != nil || res.Status != fermata.Failed {
					t.Fatalf("the run is %s, %v", res.Status, err)
				}
				if diff := cmp.Diff(test.want, retries(t, store, run.ID())); diff != "" {
					t.Errorf("waits (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A subgraph that is tried again waits for what the error inside asked for.
func TestF1_AnErrorInASubgraphSaysWhenToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, store := inMemory(t)
		inner := single(func(_ node.Context, s state) (state, error) { return s, node.RetryAfter(errors.New("busy"), time.Hour) })
		g := graph.New[state]("outer").Sub("in", inner, graph.Retry(2, time.Second)).Edge(graph.Start, "in").MustCompile()
		run, err := g.Start(t.Context(), rt, state{})
		if err != nil {
			t.Fatal(err)
		}
		if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Failed {
			t.Fatalf("the run is %s, %v", res.Status, err)
		}
		if diff := cmp.Diff([]time.Duration{time.Hour}, retries(t, store, run.ID())); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	})
}

// Jitter lengthens a wait by up to its share, and by something else for each run, task and attempt.
func TestF1_JitterSpreadsTheWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, store := inMemory(t)
		g := single(func(_ node.Context, s state) (state, error) { return s, errors.New("busy") },
			graph.Retry(3, time.Minute), graph.Jitter(0.5))
		seen := make(map[time.Duration]bool)
		for range 20 {
			run, err := g.Start(t.Context(), rt, state{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			waits := retries(t, store, run.ID())
			if len(waits) != 2 {
				t.Fatalf("there were %d further attempts, want 2", len(waits))
			}
			for _, wait := range waits { // the second backoff is bounded by a minute, too
				if wait < time.Minute || wait > 90*time.Second {
					t.Errorf("a wait of %s", wait)
				}
				seen[wait] = true
			}
		}
		if len(seen) < 35 {
			t.Errorf("of 40 waits, %d differ", len(seen))
		}
	})
}

// A step that failed for good, or that asked for a wait, did so also for the process that finds it in the journal: the
// run goes the same way wherever it is interrupted.
func TestJ5_AStepsClassificationSurvivesACrash(t *testing.T) {
	tests := map[string]struct {
		err  error
		want int // attempts
	}{
		"terminal":    {node.Terminal(errRefused), 1},
		"retry after": {node.RetryAfter(errRefused, time.Hour), 3},
		"plain":       {errRefused, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			marked := func(err error) bool { return !errors.As(err, new(*node.StepError)) } // only what is marked is retried
			g := graph.New[state]("crash").
				Node("a", func(ctx node.Context, s state) (state, error) { return s, in(test.err)(ctx) },
					graph.Retry(3, time.Minute), graph.RetryIf(marked), graph.Jitter(1)).
				Node("rescue", logged).Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
			report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} })
			if report.Result.Status != fermata.Completed || report.Crashes == 0 {
				t.Fatalf("the run is %s, and there were %d crashes", report.Result.Status, report.Crashes)
			}
			attempts := 0
			for _, line := range report.Appends {
				attempts += count([]string{line}, "step.finished")
			}
			if attempts != test.want {
				t.Errorf("there were %d attempts, want %d: %q", attempts, test.want, report.Appends)
			}
		})
	}
}

// A journal that was written before steps had marks is read as it is: nothing is terminal, and nothing asks to wait.
func TestJ9_AStepWithoutMarks(t *testing.T) {
	store := memory.New()
	clock := newClock()
	g := single(func(ctx node.Context, s state) (state, error) { return s, in(node.Terminal(errRefused))(ctx) }, graph.Retry(2, 0))
	first := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, first, g, state{})
	ends(t, run, fermata.Failed)
	old := memory.New()
	batch := journal.Batch{Run: run.ID(), Row: &journal.RunRow{ID: run.ID(), Plan: "single", Status: "running", Fingerprint: g.Plan().Fingerprint()}}
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.StepFinished {
			e.Body = []byte(`{"error":"the card was refused"}`)
		}
		if batch.Entries = append(batch.Entries, e); e.Kind == journal.StepFinished {
			break
		}
	}
	if err := old.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	second := newRuntime(t, fermata.Options{Store: old, Clock: clock})
	resume(t, second, g, run.ID())
	eventually(t, "another attempt", func() bool { return count(lines(t, old, run.ID()), "node.retrying a#1") == 1 })
}
