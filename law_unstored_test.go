package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// A run of durability None is not in the store; it ends like any other.
func TestJ2_ARunThatIsNotStored(t *testing.T) {
	rt, store := inMemory(t)
	g := graph.New[state]("none").Node("a", logged).Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	run := start(t, rt, g, state{}, fermata.WithDurability(fermata.None))
	if diff := cmp.Diff([]string{"a#1", "b#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	rows, err := store.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 0 {
		t.Errorf("%d runs in the store, error %v", len(rows), err)
	}
	_, err = g.Resume(t.Context(), rt, run.ID())
	refused(t, err, refusal{fermata.CodeNotFound, fermata.ErrNotFound})
}

// A run that is stored asynchronously has the same journal in the end.
func TestJ2_ARunThatIsStoredAsynchronously(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, twoQuestions(), state{}, fermata.WithDurability(fermata.Async))
	for range 2 {
		answer(t, rt, question(t, run).ID, true)
	}
	ends(t, run, fermata.Completed)
	if got := count(lines(t, store, run.ID()), "node.finished"); got != 3 {
		t.Errorf("%d tasks have finished", got)
	}
}

// Where nothing is kept a run cannot wait for people: it says so, at the question, and no error edge or retry hides it.
func TestN1_NobodyWaitsWithoutAStore(t *testing.T) {
	questions := map[string]graph.Func[state]{
		"interrupt": review(),
		"ask":       asks,
		"swallowed": func(ctx node.Context, s state) (state, error) {
			_, _ = node.Interrupt[bool](ctx, nil)
			return s, nil
		},
	}
	for name, f := range questions {
		g := graph.New[state]("asks").Node("a", f, graph.Retry(3, time.Hour)).Node("rescue", logged).
			Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
		t.Run(name+"/evaluate", func(t *testing.T) {
			_, err := g.Run(timeLimit(t), state{})
			if !errors.Is(err, fermata.ErrMustWait) {
				t.Errorf("the error is %v, want ErrMustWait", err)
			}
		})
		t.Run(name+"/on a runtime", func(t *testing.T) {
			rt, _ := inMemory(t)
			run := start(t, rt, g, state{}, fermata.WithDurability(fermata.None))
			res, err := run.Wait(timeLimit(t))
			if err == nil {
				err = res.Err
			}
			if !errors.Is(err, fermata.ErrMustWait) {
				t.Errorf("the run is %s: %v, want ErrMustWait", res.Status, err)
			}
		})
	}
}

// Sleeps hold the goroutine, and end with its context.
func TestN1_SleepsWithoutAStore(t *testing.T) {
	sleeps := single(func(ctx node.Context, s state) (state, error) {
		if err := node.Sleep(ctx, time.Hour); err != nil {
			return s, err
		}
		return logged(ctx, s)
	})
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got, err := sleeps.Run(t.Context(), state{})
		if err != nil || time.Since(began) != time.Hour {
			t.Errorf("it took %s, error %v", time.Since(began), err)
		}
		if diff := cmp.Diff([]string{"a#1"}, got.Log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err := sleeps.Run(ctx, state{})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// Recorded calls work without a store as well, and each visit and attempt has its own.
func TestJ5_StepsWithoutAStore(t *testing.T) {
	var effects calls
	g := graph.New[state]("steps").
		Node("a", func(ctx node.Context, s state) (state, error) {
			for range 2 {
				if _, err := node.Step(ctx, "pay", func(c node.Context) (int, error) {
					return effects.add(node.IdempotencyKey(c)), nil
				}, node.AtMostOnce()); err != nil {
					return s, err
				}
			}
			if effects.add("attempts") == 1 {
				return s, errFlaky
			}
			s.N++
			return s, node.Emit(ctx, node.EventStatus, s.N)
		}, graph.Retry(2, time.Microsecond)).
		Edge(graph.Start, "a").
		Route("a", func(_ node.Context, s state) (string, error) {
			if s.N < 2 {
				return "a", nil
			}
			return graph.End, nil
		}, "a", graph.End).MustCompile()
	if _, err := g.Run(timeLimit(t), state{}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"attempts: 3", "run/a#1/once:pay#1: 1", "run/a#1/once:pay#2: 1", "run/a#2/once:pay#1: 1", "run/a#2/once:pay#2: 1",
	}
	if diff := cmp.Diff(want, effects.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type greeter interface{ Greet() string }

type english struct{ name string }

func (e *english) Greet() string { return "Hello " + e.name }

type german struct{}

func (german) Greet() string { return "Hallo" }

// Services are found by their type, or by an interface that exactly one of them has.
func TestServices(t *testing.T) {
	find := func(ctx node.Context, s state) (state, error) {
		for _, call := range []func() (any, error){
			func() (any, error) { return node.Service[*english](ctx) },
			func() (any, error) { return node.Service[greeter](ctx) },
			func() (any, error) { return node.Service[fmt.Stringer](ctx) },
			func() (any, error) { return node.Service[*strings.Builder](ctx) },
		} {
			found, err := call()
			switch {
			case err == nil:
				s.Log = append(s.Log, fmt.Sprintf("%T", found))
			case errors.Is(err, node.ErrNoService):
				s.Log = append(s.Log, "none")
			default:
				return s, err
			}
		}
		return s, nil
	}
	tests := map[string]struct {
		services []any
		want     []string
	}{
		"none":                      {nil, []string{"none", "none", "none", "none"}},
		"one":                       {[]any{&english{"Ada"}}, []string{"*fermata_test.english", "*fermata_test.english", "none", "none"}},
		"two that could be meant":   {[]any{&english{"Ada"}, german{}}, []string{"*fermata_test.english", "none", "none", "none"}},
		"three that could be meant": {[]any{&english{"Ada"}, german{}, &english{"Eve"}}, []string{"*fermata_test.english", "none", "none", "none"}},
		"of several kinds":          {[]any{german{}, &strings.Builder{}, time.Second}, []string{"none", "fermata_test.german", "none", "*strings.Builder"}},
	}
	for name, tt := range tests {
		if name == "of several kinds" { // both a builder and a duration are Stringers
			tt.want[2] = "none"
		}
		t.Run(name, func(t *testing.T) {
			rt := newRuntime(t, fermata.Options{Services: tt.services})
			if diff := cmp.Diff(tt.want, ends(t, start(t, rt, single(find), state{}), fermata.Completed).State.Log); diff != "" {
				t.Errorf("on a runtime (-want +got):\n%s", diff)
			}
			got, err := single(find).Run(timeLimit(t), state{}, tt.services...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Log); diff != "" {
				t.Errorf("without a store (-want +got):\n%s", diff)
			}
		})
	}
}

// Evaluate uses the options that it is given.
func TestEvaluateUsesItsOptions(t *testing.T) {
	clock, book := newClock(), &logBook{}
	g := single(func(ctx node.Context, s state) (state, error) {
		ctx.Logger().Info("here")
		now, err := node.Now(ctx)
		s.Text = now.Format(time.DateOnly)
		return s, err
	})
	res, err := fermata.Evaluate(timeLimit(t), g.Plan(), &state{}, fermata.Options{Clock: clock, Logger: book.Logger()})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Value.(*state).Text; got != "2026-03-01" {
		t.Errorf("its clock says %s", got)
	}
	if diff := cmp.Diff([]string{"here"}, book.messages()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// A run can be described while it is there, and its labels are kept.
func TestRunsAreListed(t *testing.T) {
	clock, store := newClock(), journal.Store(nil)
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	g := single(review())
	run := start(t, rt, g, state{}, fermata.WithID("run_1"), fermata.StartedBy("Ada"), fermata.WithLabels(map[string]string{"team": "red"}),
		fermata.WithDefinition("def_1"))
	question(t, run)
	clock.Advance(time.Minute)
	ends(t, start(t, rt, single(logged), state{}, fermata.WithID("run_2")), fermata.Completed)
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	fingerprint := g.Plan().Fingerprint()
	at := epoch.UnixMicro()
	later := epoch.Add(time.Minute).UnixMicro()
	want := []fermata.RunInfo{
		{ID: "run_2", Plan: "single", Kind: "graph", Fingerprint: fingerprint, Status: "completed", Head: 4, Created: later, Updated: later},
		{
			ID: "run_1", Plan: "single", Kind: "graph", Fingerprint: fingerprint, Definition: "def_1", Status: "paused",
			Head: 5, Created: at, Updated: at, Waiting: 1, Labels: map[string]string{"team": "red"},
		},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for e, err := range rt.Events(t.Context(), "run_1", 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		body := bodyOf[journal.StartedBody](t, &e.Entry)
		want := journal.StartedBody{
			Plan: "single", PlanKind: "graph", Fingerprint: fingerprint, Definition: "def_1", By: "Ada", Labels: map[string]string{"team": "red"},
		}
		if diff := cmp.Diff(want, body); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		break
	}
	_, err = rt.Info(t.Context(), "run_3")
	refused(t, err, refusal{fermata.CodeNotFound, fermata.ErrNotFound})
}

// A definition's text is kept by its digest.
func TestDefinitionsAreKept(t *testing.T) {
	rt, _ := inMemory(t)
	var digests []string
	for range 2 {
		digest, err := rt.SaveDefinition(t.Context(), "recipe", []byte("nodes: []"))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
	}
	other, err := rt.SaveDefinition(t.Context(), "dialogue", []byte("nodes: []"))
	if err != nil {
		t.Fatal(err)
	}
	if digests[0] != digests[1] || other == digests[0] {
		t.Errorf("digests %q and %s", digests, other)
	}
	kind, text, err := rt.Definition(t.Context(), digests[0])
	if err != nil || kind != "recipe" || string(text) != "nodes: []" {
		t.Errorf("kind %s, text %q, error %v", kind, text, err)
	}
	_, _, err = rt.Definition(t.Context(), "def_unknown")
	refused(t, err, refusal{fermata.CodeNotFound, fermata.ErrNotFound})
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 0 {
		t.Errorf("%d runs are listed, error %v", len(rows), err)
	}
}
