package fermata_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// undone is a graph whose second node fails, and whose first one is undone by f.
func undoneBy(f func(ctx node.Context) error, more func(*graph.Builder[state])) *graph.Graph[state] {
	b := graph.New[state]("undone").
		Node("a", func(_ node.Context, s state) (state, error) { s.N++; return s, nil }).
		Node("b", func(_ node.Context, s state) (state, error) { return s, errors.New("no luck") }).
		Edge(graph.Start, "a").Edge("a", "b").
		Undo("a", "ua", func(ctx node.Context, _ state) error { return f(ctx) }, graph.Retry(3, time.Second))
	if more != nil {
		more(b)
	}
	return b.MustCompile()
}

// A deadline and a limit of time that come while a run undoes what it has done change nothing: each undo is called once, and
// ends.
func TestF10_NoTimeBoundsAnUndo(t *testing.T) {
	for name, bound := range map[string]func() ([]fermata.StartOption, func(*graph.Builder[state])){
		"a deadline": func() ([]fermata.StartOption, func(*graph.Builder[state])) {
			return []fermata.StartOption{fermata.Within(400 * time.Millisecond)}, nil
		},
		"a limit of time": func() ([]fermata.StartOption, func(*graph.Builder[state])) {
			return nil, func(b *graph.Builder[state]) { b.Limits(plan.Limits{Time: 400 * time.Millisecond}) }
		},
		"both": func() ([]fermata.StartOption, func(*graph.Builder[state])) {
			return []fermata.StartOption{fermata.Within(400 * time.Millisecond)}, func(b *graph.Builder[state]) {
				b.Limits(plan.Limits{Time: 300 * time.Millisecond})
			}
		},
	} {
		for what, undo := range map[string]func(ctx node.Context) error{
			"works": func(ctx node.Context) error {
				time.Sleep(600 * time.Millisecond)
				return ctx.Err()
			},
			"works in a step": func(ctx node.Context) error {
				_, err := node.Step(ctx, "once", func(ctx node.Context) (int, error) {
					time.Sleep(600 * time.Millisecond)
					return 1, ctx.Err()
				}, node.AtMostOnce())
				return err
			},
			"waits for a time": func(ctx node.Context) error { return node.Sleep(ctx, time.Hour) },
		} {
			t.Run(name+", an undo that "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var calls atomic.Int32
					opts, more := bound()
					g := undoneBy(func(ctx node.Context) error { calls.Add(1); return undo(ctx) }, more)
					rt, err := fermata.New(fermata.Options{Store: memory.New()})
					if err != nil {
						t.Fatal(err)
					}
					defer func() { _ = rt.Close() }()
					run, err := g.Start(t.Context(), rt, state{}, opts...)
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
					defer cancel()
					res, lost := run.Wait(ctx)
					if err := res.Err; lost != nil || err == nil || res.Status != fermata.Failed || strings.Contains(err.Error(), "not undone") || !strings.Contains(err.Error(), "no luck") {
						t.Errorf("%s, %v, %v", res.Status, err, lost)
					}
					if want := map[bool]int32{true: 2, false: 1}[what == "waits for a time"]; calls.Load() != want {
						t.Errorf("the undo was called %d times, want %d", calls.Load(), want)
					}
				})
			})
		}
	}
}

// To cancel a run that undoes changes nothing, whatever its undo is at, from the process that owns it and from another one.
func TestF10_ACancelChangesNoUndo(t *testing.T) {
	tried := false
	for what, undo := range map[string]func(ctx node.Context) error{
		"asks": func(ctx node.Context) error {
			_, err := node.Interrupt[bool](ctx, "Is it undone?")
			return err
		},
		"waits for a message": func(ctx node.Context) error {
			_, err := node.Receive[bool](ctx, "done")
			return err
		},
		"waits for a time": func(ctx node.Context) error { return node.Sleep(ctx, time.Minute) },
		"is tried again": func(node.Context) error {
			if tried = !tried; tried {
				return errors.New("not yet")
			}
			return nil
		},
		"works": func(ctx node.Context) error {
			time.Sleep(10 * time.Second)
			return ctx.Err()
		},
	} {
		for _, where := range []string{"here", "elsewhere", "here while it is held", "elsewhere while it is held"} {
			t.Run(what+", cancelled "+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					tried = false
					s := newPair(t, undoneBy(undo, nil))
					rt := s.process(t)
					by := rt
					if strings.HasPrefix(where, "elsewhere") {
						by = s.process(t)
					}
					held := strings.HasSuffix(where, "held")
					run, err := s.g.Start(t.Context(), rt, state{}, fermata.WithID("r"))
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(500 * time.Millisecond)
					synctest.Wait()
					if held {
						if err := by.HoldRun(t.Context(), "r", "a look", "Eve"); err != nil {
							t.Fatal(err)
						}
						time.Sleep(100 * time.Millisecond)
						synctest.Wait()
					}
					before := s.entries(t, "r")
					if !slices.Contains(before, journal.RunUndoing.String()) {
						t.Fatalf("it does not undo: %q", before)
					}
					if err := by.Cancel(t.Context(), "r", "enough", "Eve"); err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(before, s.entries(t, "r")); diff != "" {
						t.Errorf("the cancel has changed something (-before +after):\n%s", diff)
					}
					if held {
						if err := by.ReleaseRun(t.Context(), "r", "", "Eve"); err != nil {
							t.Fatal(err)
						}
					}
					open, err := by.Inbox(t.Context(), inboxOf("r"))
					if err != nil {
						t.Fatal(err)
					}
					for _, q := range open {
						if err := by.Answer(t.Context(), q.ID, true); err != nil {
							t.Fatal(err)
						}
					}
					if what == "waits for a message" {
						if err := by.Send(t.Context(), "r", "done", true); err != nil {
							t.Fatal(err)
						}
					}
					s.awaits(t, "r", fermata.Failed)
					if res, err := rt.Result(t.Context(), run.ID(), nil); err != nil || res.Err == nil || strings.Contains(res.Err.Error(), "not undone") {
						t.Errorf("%v, %v", res.Err, err)
					}
				})
			})
		}
	}
}

// entries are the kinds of the entries of a run.
func (s *pair) entries(t *testing.T, run string) (kinds []string) {
	t.Helper()
	for e, err := range s.store.Read(t.Context(), run, 0) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, e.Kind.String())
	}
	return kinds
}
