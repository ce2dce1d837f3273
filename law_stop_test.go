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

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// TestF3_StopSaysWhoDoesNotHeed checks that Stop waits for its grace and names the tasks that are still at work, whether one is
// alone or several are; that nobody else gets the run before they have returned, and that what a single one came to is kept.
func TestF3_StopSaysWhoDoesNotHeed(t *testing.T) {
	for name, c := range map[string]struct {
		g    func(deaf graph.Func[state]) *graph.Graph[state]
		want []string
	}{
		"alone":   {func(f graph.Func[state]) *graph.Graph[state] { return single(f) }, []string{"a#1"}},
		"bounded": {func(f graph.Func[state]) *graph.Graph[state] { return single(f, graph.Idle(10*time.Hour)) }, []string{"a#1"}},
		"branches": {func(f graph.Func[state]) *graph.Graph[state] {
			return graph.New[state]("b").Node("a", logged).Node("x", f).Node("y", f).Node("heeds", func(ctx node.Context, s state) (state, error) {
				<-ctx.Done()
				return s, ctx.Err()
			}).Node("z", func(_ node.Context, s state) (state, error) { return s, nil }, graph.All()).
				Edge(graph.Start, "a").Edge("a", "x").Edge("a", "y").Edge("a", "heeds").Edge("x", "z").Edge("y", "z").Edge("heeds", "z").MustCompile()
		}, []string{"x#1", "y#1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, leave := memory.New(), make(chan struct{})
				g := c.g(func(_ node.Context, s state) (state, error) {
					<-leave
					s.N++
					return s, nil
				})
				first, other := newRuntime(t, fermata.Options{Store: store}), newRuntime(t, fermata.Options{Store: store})
				run := start(t, first, g, state{})
				synctest.Wait()
				began := time.Now()
				err := run.Stop(3 * time.Second)
				if took := time.Since(began); took != 3*time.Second {
					t.Errorf("it waited for %v", took)
				}
				known, ok := errors.AsType[*fermata.UnstoppedError](err)
				if !ok || !errors.Is(err, fermata.ErrStopped) {
					t.Fatalf("it says %v", err)
				}
				if slices.Sort(known.Tasks); !slices.Equal(known.Tasks, c.want) || known.Grace != 3*time.Second {
					t.Errorf("it says %v; expected %q", err, c.want)
				}
				time.Sleep(time.Hour)
				if _, err := g.Resume(t.Context(), other, run.ID()); !errors.Is(err, fermata.ErrDriven) {
					t.Errorf("another one resumes the run: %v", err)
				}
				close(leave)
				if err := run.Stop(0); err != nil {
					t.Errorf("once they have returned: %v", err)
				}
				all := lines(t, store, run.ID())
				finished := 0
				for _, task := range c.want {
					finished += len(slices.DeleteFunc(slices.Clone(all), func(l string) bool { return !strings.Contains(l, "node.finished "+task) }))
				}
				if len(c.want) == 1 && finished != 1 {
					t.Errorf("%d of the outcomes of %q are kept", finished, c.want)
				}
				if info, err := first.Info(t.Context(), run.ID()); err != nil || info.Driver != "" {
					t.Errorf("it is driven by %q, %v", info.Driver, err)
				}
			})
		})
	}
}

// TestF3_StopInTime checks that Stop says nothing where all tasks heed their context, or nobody drives.
func TestF3_StopInTime(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		<-ctx.Done()
		return s, context.Cause(ctx)
	}), state{})
	for range 2 {
		if err := run.Stop(time.Minute); err != nil {
			t.Error(err)
		}
	}
}

// Whoever closes a runtime that is being closed waits, too: what comes next is the store (law F3).
func TestF3_ASecondCloseWaitsForTheTasks(t *testing.T) {
	rt, _ := inMemory(t)
	inside, leave := make(chan bool), make(chan bool)
	var left atomic.Bool
	start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		inside <- true
		<-leave
		left.Store(true)
		return s, nil
	}), state{})
	<-inside
	all := make(chan bool, 2)
	for range cap(all) {
		go func() {
			if err := rt.Close(); err != nil {
				t.Error(err)
			}
			all <- left.Load()
		}()
	}
	select {
	case <-all:
		t.Error("a Close did not wait for the task")
	case <-time.After(20 * time.Millisecond):
	}
	close(leave)
	for range cap(all) {
		if !<-all {
			t.Error("a Close returned before the task did")
		}
	}
}
