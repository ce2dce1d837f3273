package fermata_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// exits is a node that ends its goroutine as often as the state's N says, by attempts.
func exits(ctx node.Context, s state) (state, error) {
	if ctx.Info().Attempt <= s.N {
		runtime.Goexit()
	}
	return logged(ctx, s)
}

// TestN7_Goexit checks that a node which ends its goroutine fails its attempt, and takes the ways of errors.
func TestN7_Goexit(t *testing.T) {
	caught := func(route func(node.Context, state, error) (string, error)) *graph.Graph[state] {
		return graph.New[state]("caught").Node("a", exits).Node("b", logged).Edge(graph.Start, "a").Edge("a", graph.End).
			Catch("a", route, "b").MustCompile()
	}
	for name, test := range map[string]struct {
		g    *graph.Graph[state]
		n    int
		end  fermata.Status
		want []string
	}{
		"fails the run":           {g: single(exits), n: 1, end: fermata.Failed},
		"with a time limit":       {g: single(exits, graph.Timeout(time.Minute)), n: 1, end: fermata.Failed},
		"tried again":             {g: single(exits, graph.Retry(3, time.Microsecond)), n: 2, end: fermata.Completed, want: []string{"a#1"}},
		"caught":                  {g: caught(func(node.Context, state, error) (string, error) { return "b", nil }), n: 1, end: fermata.Completed, want: []string{"b#1"}},
		"its catch does the same": {g: caught(func(node.Context, state, error) (string, error) { runtime.Goexit(); return "", nil }), n: 1, end: fermata.Failed},
		"whether to try again does the same": {
			g: single(exits, graph.Retry(3, time.Microsecond), graph.RetryIf(func(error) bool { runtime.Goexit(); return true })), n: 1, end: fermata.Failed,
		},
		"in a step": {g: single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, "s", func(node.Context) (int, error) { runtime.Goexit(); return 0, nil })
			return s, err
		}), end: fermata.Failed},
		"in a branch": {
			g: graph.New[state]("fork").Node("a", exits).Node("b", exits).Node("j", logged, graph.All()).
				Edge(graph.Start, "a").Edge(graph.Start, "b").Edge("a", "j").Edge("b", "j").MustCompile(),
			n: 1, end: fermata.Failed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt, store := inMemory(t)
			run := start(t, rt, test.g, state{N: test.n})
			res := ends(t, run, test.end)
			if test.end == fermata.Completed && !slices.Equal(res.State.Log, test.want) {
				t.Errorf("the run has gone over %v, want %v", res.State.Log, test.want)
			}
			again, err := rt.Result(t.Context(), run.ID(), test.g.Plan())
			if err != nil {
				t.Fatal(err)
			}
			if test.end == fermata.Failed && (!errors.Is(res.Err, fermata.ErrGoexit) || !errors.Is(again.Err, fermata.ErrGoexit)) {
				t.Errorf("the error is %v, and %v as recorded; want ErrGoexit in both", res.Err, again.Err)
			}
			if n := count(lines(t, store, run.ID()), "run.resumed"); n != 0 {
				t.Errorf("the run was resumed %d times", n)
			}
		})
	}
}

// TestJ10_AWorkerDoesNotRunGoexitAgain checks that a worker does not take up again and again what ends its goroutine.
func TestJ10_AWorkerDoesNotRunGoexitAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		g := single(func(node.Context, state) (state, error) { calls++; runtime.Goexit(); return state{}, nil })
		s := newShop(t, g)
		rt, _ := s.process("one")
		defer s.workWith(rt, fermata.WorkOptions{})()
		run := start(t, rt, g, state{}, fermata.Queued())
		s.awaits(run.ID(), fermata.Failed)
		time.Sleep(time.Minute)
		if calls != 1 {
			t.Errorf("the node was called %d times", calls)
		}
	})
}

// TestF3_CloseInsideOfANode checks that a node which closes its runtime is told so at once, that the runtime is closed once the
// node has returned, and that the run can be resumed.
func TestF3_CloseInsideOfANode(t *testing.T) {
	for name, opts := range map[string][]graph.NodeOption{"without": nil, "with a time limit": {graph.Timeout(time.Minute)}} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			rt, err := fermata.New(fermata.Options{Store: store})
			if err != nil {
				t.Fatal(err)
			}
			told := make(chan error, 1)
			g := single(func(_ node.Context, s state) (state, error) {
				if s.N++; rt != nil {
					told <- rt.Close()
				}
				return s, nil
			}, opts...)
			run := start(t, rt, g, state{})
			select {
			case err := <-told:
				if !errors.Is(err, fermata.ErrInside) {
					t.Errorf("the node is told %v", err)
				}
			case <-time.After(soon):
				t.Fatal("the node waits for itself")
			}
			mustReturn(t, "wait", func() { _, _ = run.Wait(context.WithoutCancel(t.Context())) })
			rt = nil
			again, _ := fermata.New(fermata.Options{Store: store})
			defer again.Close()
			res := wait(t, resume(t, again, g, run.ID()))
			if res.Status != fermata.Completed || res.State.N != 1 {
				t.Errorf("the run is %s with %d", res.Status, res.State.N)
			}
		})
	}
}

// TestF3_ANodeMayCloseAnotherRuntime checks that a runtime which drives nothing is closed when the call returns.
func TestF3_ANodeMayCloseAnotherRuntime(t *testing.T) {
	rt, _ := inMemory(t)
	ends(t, start(t, rt, single(func(_ node.Context, s state) (state, error) {
		other, err := fermata.New(fermata.Options{})
		if err != nil {
			return s, err
		}
		return s, other.Close()
	}), state{}), fermata.Completed)
}
