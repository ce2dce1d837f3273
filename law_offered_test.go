package fermata_test

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// TestJ16_WhatIsLeftToWorkersIsNoticedAtOnce leaves runs to workers in every way that there is, in the process that works and in
// another one. The worker looks by itself only each hour, and the clock stands still while it has something to do: a run that
// takes time to be noticed is seen.
func TestJ16_WhatIsLeftToWorkersIsNoticedAtOnce(t *testing.T) {
	asks := graph.New[state]("asks").Node("work", func(ctx node.Context, s state) (state, error) {
		yes, err := node.Interrupt[bool](ctx, "Go on?")
		if err == nil && yes {
			s.N = 1
		}
		return s, err
	}).Edge(graph.Start, "work").MustCompile()
	adds := single(func(_ node.Context, s state) (state, error) { return s, nil })
	ways := map[string]struct {
		of   *graph.Graph[state]
		wait time.Duration // until the run may be taken
		do   func(t *testing.T, s *pair, by *fermata.Runtime) string
	}{
		"queued": {of: adds, do: func(t *testing.T, s *pair, by *fermata.Runtime) string {
			return start(t, by, adds, state{}, fermata.Queued()).ID()
		}},
		"in a queue": {of: adds, do: func(t *testing.T, s *pair, by *fermata.Runtime) string {
			return start(t, by, adds, state{}, fermata.InQueue("gpu")).ID()
		}},
		"for later": {of: adds, wait: time.Minute, do: func(t *testing.T, s *pair, by *fermata.Runtime) string {
			return start(t, by, adds, state{}, fermata.NotBefore(time.Now().Add(time.Minute))).ID()
		}},
		"started or sent to": {of: adds, do: func(t *testing.T, s *pair, by *fermata.Runtime) string {
			r, err := by.StartOrSend(t.Context(), adds.Plan(), &state{}, fermata.WithID("r"), fermata.Queued(), fermata.WithMessage("m", 1))
			if err != nil {
				t.Fatal(err)
			}
			return r.ID()
		}},
		"answered": {of: asks, do: func(t *testing.T, s *pair, by *fermata.Runtime) string {
			id := left(t, s, asks)
			list, err := by.Inbox(t.Context(), inboxOf(id))
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			if err := by.Answer(t.Context(), list[0].ID, true); err != nil {
				t.Fatal(err)
			}
			return id
		}},
		"released": {of: asks, do: func(t *testing.T, s *pair, by *fermata.Runtime) string {
			id := left(t, s, asks)
			list, err := by.Inbox(t.Context(), inboxOf(id))
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			for _, err := range []error{
				by.HoldRun(t.Context(), id, "", ""), by.Answer(t.Context(), list[0].ID, true), by.ReleaseRun(t.Context(), id, "", ""),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			return id
		}},
		"imported": {of: adds, do: func(t *testing.T, s *pair, by *fermata.Runtime) string {
			from := newPair(t, adds).process(t)
			id := start(t, from, adds, state{}, fermata.Queued()).ID()
			var file bytes.Buffer
			if err := from.Export(t.Context(), id, &file); err != nil {
				t.Fatal(err)
			}
			if _, err := by.Import(t.Context(), &file, fermata.ImportOptions{}); err != nil {
				t.Fatal(err)
			}
			return id
		}},
	}
	for name, way := range ways {
		for _, where := range []string{"here", "elsewhere"} {
			t.Run(name+" "+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newPair(t, way.of)
					rt := s.process(t)
					ctx, stop := context.WithCancel(t.Context())
					worked := make(chan error, 1)
					go func() { worked <- rt.Work(ctx, fermata.WorkOptions{Every: time.Hour}) }()
					by := rt
					if where == "elsewhere" {
						by = s.process(t)
					}
					time.Sleep(time.Second)
					synctest.Wait()
					began := time.Now()
					id := way.do(t, s, by)
					s.awaits(t, id, fermata.Completed)
					stop()
					if err := <-worked; err != nil {
						t.Error(err)
					}
					if took := time.Since(began); took > way.wait+200*time.Millisecond {
						t.Errorf("it was noticed after %v", took)
					}
				})
			})
		}
	}
}

// left is a run that waits for an answer, and whose process is gone.
func left(t *testing.T, s *pair, g *graph.Graph[state]) string {
	t.Helper()
	gone := s.process(t)
	id := start(t, gone, g, state{}).ID()
	s.awaits(t, id, fermata.Paused)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	return id
}

// inboxOf selects the questions of a run.
func inboxOf(run string) journal.InboxFilter { return journal.InboxFilter{Run: run} }

// pair is a store on which several processes work.
type pair struct {
	store journal.Store
	g     *graph.Graph[state]
}

func newPair(_ *testing.T, g *graph.Graph[state]) *pair { return &pair{memory.New(), g} }

func (s *pair) process(t *testing.T) *fermata.Runtime {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Store: s.store, Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return s.g.Plan(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	return rt
}

// awaits waits until the run has a status.
func (s *pair) awaits(t *testing.T, run string, want fermata.Status) {
	t.Helper()
	for range 100_000 {
		rows, err := s.store.Runs(t.Context(), journal.RunFilter{ID: run})
		if err == nil && len(rows) == 1 && rows[0].Status == string(want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("run %s is not %s after %v", run, want, 100_000*10*time.Millisecond)
}
