package fermata_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// sluggish is a store whose appends take a while, and which counts them.
type sluggish struct {
	journal.Store
	mu      sync.Mutex
	appends int
}

func (s *sluggish) Append(ctx context.Context, b journal.Batch) error {
	s.mu.Lock()
	s.appends++
	s.mu.Unlock()
	time.Sleep(2 * time.Millisecond)
	return s.Store.Append(ctx, b)
}

// items is a map over n items, numbered by N.
func items(n int, item graph.Func[state], opts ...graph.NodeOption) *graph.Graph[state] {
	b := graph.New[state]("items")
	graph.Map(b, "each", func(state) ([]state, error) {
		all := make([]state, n)
		for i := range all {
			all[i].N = i
		}
		return all, nil
	}, graph.New[state]("item").Node("work", item, opts...).Edge(graph.Start, "work").MustCompile(), func(s state, done []state) (state, error) {
		for _, d := range done {
			s.Log = append(s.Log, d.Text)
		}
		return s, nil
	})
	return b.Edge(graph.Start, "each").MustCompile()
}

// Outcomes of branches that come while others are about to start or to come share an append, and each is stored once.
func TestJ2_OutcomesOfBranchesShareAppends(t *testing.T) {
	const n = 64
	store := &sluggish{Store: memory.New()}
	rt := newRuntime(t, fermata.Options{Store: store})
	g := items(n, func(_ node.Context, s state) (state, error) {
		s.Text = fmt.Sprint("done ", s.N)
		return s, nil
	})
	run, err := g.Start(t.Context(), rt, state{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Completed {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	var want []string
	for i := range n {
		want = append(want, fmt.Sprint("done ", i))
	}
	if diff := cmp.Diff(want, res.State.Log); diff != "" {
		t.Errorf("the items' results (-want +got):\n%s", diff)
	}
	finished := make(map[string]int)
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.NodeFinished && strings.HasSuffix(e.Node, "work") {
			finished[e.Node]++
		}
	}
	if len(finished) != n {
		t.Errorf("outcomes of %d items are stored, expected %d: %v", len(finished), n, finished)
	}
	for task, times := range finished {
		if times != 1 {
			t.Errorf("the outcome of %s is stored %d times", task, times)
		}
	}
	if store.appends > n/2 {
		t.Errorf("%d items took %d appends", n, store.appends)
	}
}

// An outcome is stored while its siblings are at work, however long they take.
func TestJ2_AnOutcomeDoesNotWaitForItsSiblings(t *testing.T) {
	for _, bounded := range []bool{false, true} {
		stored := make(chan struct{})
		rt, _ := inMemory(t)
		var opts []graph.NodeOption
		if bounded {
			opts = append(opts, graph.Timeout(time.Minute))
		}
		g := items(20, func(ctx node.Context, s state) (state, error) {
			if s.N == 0 {
				return s, nil
			}
			select {
			case <-stored:
				return s, nil
			case <-ctx.Done():
				return s, ctx.Err()
			}
		}, opts...)
		run, err := g.Start(t.Context(), rt, state{})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for e, err := range run.Events(timeLimit(t), 0) {
				if err == nil && e.Type() == "node.finished" {
					close(stored)
					return
				}
			}
		}()
		if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
			t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
	}
}

// What a branch records while outcomes of others wait is stored with them, and what follows from those starts at once.
func TestJ2_AStepStoresTheOutcomesThatWait(t *testing.T) {
	rt, _ := inMemory(t)
	followed := make(chan struct{})
	var once sync.Once
	child := graph.New[state]("item").
		Node("first", func(ctx node.Context, s state) (state, error) {
			if s.N%2 == 0 {
				return s, nil
			}
			if _, err := node.Step(ctx, "step", func(node.Context) (int, error) { return s.N, nil }); err != nil {
				return s, err
			}
			select {
			case <-followed:
				return s, nil
			case <-ctx.Done():
				return s, ctx.Err()
			}
		}).
		Node("second", func(_ node.Context, s state) (state, error) {
			once.Do(func() { close(followed) })
			return s, nil
		}).
		Edge(graph.Start, "first").Edge("first", "second").MustCompile()
	b := graph.New[state]("steps")
	graph.Map(b, "each", func(state) ([]state, error) {
		return []state{{N: 0}, {N: 1}, {N: 2}, {N: 3}, {N: 4}, {N: 5}}, nil
	}, child, func(s state, _ []state) (state, error) { return s, nil })
	run, err := b.Edge(graph.Start, "each").MustCompile().Start(t.Context(), rt, state{})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
}
