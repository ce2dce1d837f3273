package fermata_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// ordered is a program of a node: calls of its own goroutine, one after the other, as "step a" or "emit".
type ordered []string

// run makes the calls. What steps do is counted.
func (p ordered) run(ctx node.Context, did *atomic.Int64) error {
	for _, call := range p {
		if err := makes(ctx, call, did); err != nil {
			return err
		}
	}
	return nil
}

func makes(ctx node.Context, call string, did *atomic.Int64) error {
	kind, key, _ := strings.Cut(call, " ")
	act := func(node.Context) (int, error) { did.Add(1); return 1, nil }
	var err error
	switch kind {
	case "step":
		_, err = node.Step(ctx, key, act)
	case "once":
		_, err = node.Step(ctx, key, act, node.AtMostOnce())
	case "outer":
		_, err = node.Step(ctx, key, func(ctx node.Context) (int, error) {
			if _, err := node.Step(ctx, "a", act); err != nil {
				return 0, err
			}
			return 1, node.Emit(ctx, node.EventMessage, key)
		})
	case "emit":
		err = node.Emit(ctx, node.EventMessage, key)
	case "now":
		_, err = node.Now(ctx)
	case "ask":
		_, err = node.Ask[bool](ctx, nil, node.ID(key))
	default:
		panic(call)
	}
	return err
}

// names are the calls with their counts, as the journal has them.
func (p ordered) names() []string {
	kinds := map[string]string{"step": "step:", "once": "once:", "outer": "step:", "emit": "emit:message", "now": "now:now", "ask": "interrupt:"}
	counts, all := map[string]int{}, make([]string, len(p))
	for i, call := range p {
		kind, key, _ := strings.Cut(call, " ")
		name := kinds[kind]
		if strings.HasSuffix(name, ":") {
			name += key
		}
		counts[name]++
		all[i] = fmt.Sprintf("%s#%d", name, counts[name])
	}
	return all
}

func drawOrdered(t *rapid.T) ordered {
	return rapid.SliceOfN(rapid.SampledFrom([]string{
		"step a", "step b", "step c", "once d", "once e", "outer f", "outer g", "emit", "now", "ask x", "ask y",
	}), 1, 6).Draw(t, "calls")
}

// Code that makes its recorded calls in another order is stopped, with both calls named, and nothing of it happens; code that
// makes them in the same order goes on.
func TestN3_TheOrderOfRecordedCallsIsKept(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		first := drawOrdered(r)
		then := rapid.Permutation(first).Draw(r, "then")
		var did atomic.Int64
		passes := func(p ordered) *graph.Graph[state] {
			return single(func(ctx node.Context, s state) (state, error) {
				if err := p.run(ctx, &did); err != nil {
					return s, err
				}
				_, err := node.Interrupt[bool](ctx, nil, node.ID("go on"))
				return s, err
			})
		}
		rt := newRuntimeOf(r, fermata.Options{Store: memory.New()})
		defer rt.Close()
		run, err := passes(first).Start(t.Context(), rt, state{})
		if err != nil {
			r.Fatal(err)
		}
		res, err := run.Wait(t.Context())
		if err != nil || res.Status != fermata.Paused {
			r.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
		before := did.Load()
		for _, q := range res.Interrupts {
			if strings.Contains(q.Op, "go on") {
				err = errors.Join(err, rt.Answer(t.Context(), q.ID, true, fermata.Hold()))
			}
		}
		if run, err = passes(then).Resume(t.Context(), rt, run.ID()); err != nil {
			r.Fatal(err)
		}
		if res, err = run.Wait(t.Context()); err != nil {
			r.Fatal(err)
		}
		if again := did.Load() - before; again != 0 {
			r.Errorf("%d recorded steps happened again", again)
		}
		was, is := first.names(), then.names()
		if slices.Equal(was, is) {
			if res.Status != fermata.Completed {
				r.Errorf("the run is %s: %v", res.Status, res.Err)
			}
			return
		}
		var diverged *node.DivergedError
		if res.Status != fermata.Blocked || !errors.As(res.Err, &diverged) {
			r.Fatalf("the run is %s: %v; want ErrDiverged", res.Status, res.Err)
		}
		if e, f := slices.Index(was, diverged.Expected), slices.Index(was, diverged.Found); e < 0 || f < 0 || e >= f ||
			slices.Index(is, diverged.Expected) < slices.Index(is, diverged.Found) {
			r.Errorf("the journal holds %v, the code made %v, and the error names %s before %s", was, is, diverged.Expected, diverged.Found)
		}
	})
}

func newRuntimeOf(t rapid.TB, o fermata.Options) *fermata.Runtime {
	rt, err := fermata.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

// An order that code keeps is never taken for another one, wherever the run crashes: in loops, with attempts that fail, with
// text that goes on while other calls are made, beside goroutines, in steps, and with models that are asked again.
func TestN3_CodeThatKeepsItsOrderGoesOn(t *testing.T) {
	var did atomic.Int64
	m := scripted.Func(func(string) (string, error) { return "said", nil })
	for name, f := range map[string]graph.Func[state]{
		"a loop": func(ctx node.Context, s state) (state, error) {
			for range 3 {
				if err := (ordered{"step a", "now", "emit", "once b", "outer c"}).run(ctx, &did); err != nil {
					return s, err
				}
			}
			return s, nil
		},
		"attempts": func(ctx node.Context, s state) (state, error) {
			n := ctx.Info().Attempt
			if err := (ordered{"step a", "emit"}).run(ctx, &did); err != nil {
				return s, err
			}
			if n == 2 { // another way than the first attempt's, past what it has recorded
				if err := (ordered{"step new", "outer c"}).run(ctx, &did); err != nil {
					return s, err
				}
			}
			_, err := node.Step(ctx, "fails", func(node.Context) (int, error) {
				if n == 1 {
					return 0, errors.New("not yet")
				}
				return 1, nil
			})
			if err != nil {
				return s, err
			}
			return s, (ordered{"once b", "step z"}).run(ctx, &did)
		},
		"text beside calls": func(ctx node.Context, s state) (state, error) {
			text, err := node.Stream(ctx, "answer")
			if err != nil {
				return s, err
			}
			err = errors.Join((ordered{"step a"}).run(ctx, &did), text.Write("one "), (ordered{"emit", "step b"}).run(ctx, &did), text.Write("two"))
			if err != nil {
				return s, err
			}
			return s, errors.Join(text.Close(), (ordered{"step c"}).run(ctx, &did))
		},
		"goroutines": func(ctx node.Context, s state) (state, error) {
			aside := make(chan error, 2)
			for _, key := range []string{"step left", "step right"} {
				go func() { aside <- makes(ctx, key, &did) }()
			}
			err := (ordered{"step a", "step b", "emit"}).run(ctx, &did)
			err = errors.Join(err, <-aside, <-aside)
			if err != nil {
				return s, err
			}
			return s, (ordered{"step c"}).run(ctx, &did)
		},
		"questions": func(ctx node.Context, s state) (state, error) {
			x, err := node.Ask[bool](ctx, nil, node.ID("x"))
			if err != nil {
				return s, err
			}
			y, err := node.Ask[bool](ctx, nil, node.ID("y"))
			if err != nil {
				return s, err
			}
			if err := makes(ctx, "step a", &did); err != nil {
				return s, err
			}
			if _, err := y.Wait(); err != nil {
				return s, err
			}
			if err := makes(ctx, "step b", &did); err != nil {
				return s, err
			}
			if _, err := x.Wait(); err != nil {
				return s, err
			}
			return s, (ordered{"emit", "step c"}).run(ctx, &did)
		},
		"sleeps": func(ctx node.Context, s state) (state, error) {
			for range 2 {
				if err := (ordered{"step a", "now"}).run(ctx, &did); err != nil {
					return s, err
				}
				if err := node.Sleep(ctx, 1e9); err != nil {
					return s, err
				}
			}
			return s, (ordered{"step b"}).run(ctx, &did)
		},
		"models": func(ctx node.Context, s state) (state, error) {
			if _, err := ctx.LLM().Complete(ctx, "go on", node.Streamed()); err != nil {
				return s, err
			}
			if ctx.Info().Attempt == 2 {
				if err := makes(ctx, "step between", &did); err != nil {
					return s, err
				}
			}
			if _, err := node.Reason[string](ctx, node.Reasoning{Prompt: "think"}); err != nil {
				return s, err
			}
			if ctx.Info().Attempt == 1 {
				return s, errors.New("not yet")
			}
			return s, (ordered{"step c", "emit"}).run(ctx, &did)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := single(f, graph.Retry(2, 0))
			answers := fermatatest.AnswerFunc(func(fermata.Interrupt) any { return true })
			report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} }, answers, fermatatest.WithOptions(fermata.Options{Services: []any{m}}))
			if report.Result.Status != fermata.Completed || report.Crashes == 0 {
				t.Errorf("the run is %s after %d crashes: %v", report.Result.Status, report.Crashes, report.Result.Err)
			}
		})
	}
}

// A reasoning that failed and is made anew in the next attempt keeps the place that it has there, not that of the first.
func TestN3_AReasoningOfALaterAttemptHasItsPlace(t *testing.T) {
	var did atomic.Int64
	asked := 0
	m := scripted.Func(func(string) (string, error) {
		if asked++; asked == 1 {
			return "", errors.New("overloaded")
		}
		return "said", nil
	})
	rt := newRuntime(t, fermata.Options{Services: []any{m}})
	g := single(func(ctx node.Context, s state) (state, error) {
		if ctx.Info().Attempt == 2 {
			if err := makes(ctx, "step before", &did); err != nil {
				return s, err
			}
		}
		if _, err := node.Reason[string](ctx, node.Reasoning{Prompt: "think"}); err != nil {
			return s, err
		}
		_, err := node.Interrupt[bool](ctx, nil)
		return s, err
	}, graph.Retry(2, 0))
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff(int64(1), did.Load()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
