package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// costly is a node that counts how often it is called, and with what.
func costly(c *calls) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		n := c.add("call")
		price, err := node.Step(ctx, "price", func(node.Context) (int, error) { return 100 + s.N, nil })
		s.N = price
		s.Text += fmt.Sprintf(" call %d", n)
		return s, err
	}
}

// cachedRun runs a graph to its end on a runtime, and returns what it ended with and what the journal holds of node a.
func cachedRun(t *testing.T, rt *fermata.Runtime, store journal.Store, g *graph.Graph[state], s state) (state, []string) {
	t.Helper()
	run := start(t, rt, g, s)
	res := ends(t, run, fermata.Completed)
	var ofA []string
	for _, line := range lines(t, store, run.ID()) {
		if strings.Contains(line, " a#") {
			ofA = append(ofA, line)
		}
	}
	return res.State, ofA
}

// A hit gives the value that the function would, is recorded in its place with whose it is, is an event, and calls
// nothing.
func TestD13_AHitIsRecordedAndShown(t *testing.T) {
	rt, store := inMemory(t)
	var c calls
	g := graph.New[state]("prices").Node("a", costly(&c), graph.CacheFor("v1", time.Hour)).Node("b", logged).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	first, ofFirst := cachedRun(t, rt, store, g, state{N: 7, Text: "x", Tags: map[string]int{"p": 1, "q": 2}})
	run := start(t, rt, g, state{N: 7, Text: "x", Tags: map[string]int{"q": 2, "p": 1}})
	var events []string
	for e, err := range run.Events(timeLimit(t), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if events = append(events, e.Type()); e.Type() != "node.cached" {
			continue
		}
		var data struct{ Run, Task string }
		if text, err := e.Data(); err != nil || json.Unmarshal(text, &data) != nil || data.Run == run.ID() || data.Task != "a#1" {
			t.Errorf("the event's data: %s, %v", text, err)
		}
	}
	second := ends(t, run, fermata.Completed).State
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("states (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"call": 1}, c.all()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"node.started a#1", "step.finished a#1 step:price#1 = 107", "node.finished a#1"}, ofFirst); diff != "" {
		t.Errorf("the first run (-want +got):\n%s", diff)
	}
	want := []string{"run.started", "node.started", "node.cached", "node.started", "node.finished", "run.finished"}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events of the second run (-want +got):\n%s", diff)
	}
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind != journal.NodeCached {
			continue
		}
		from := bodyOf[journal.CachedBody](t, &e)
		if from.Task != "a#1" || from.Run == run.ID() || from.At == 0 || from.At > e.At {
			t.Errorf("whose outcome it is: %+v", from)
		}
	}
	other := newRuntime(t, fermata.Options{Store: store}) // which has nothing but the journal
	if diff := cmp.Diff(first, ends(t, resume(t, other, g, run.ID()), fermata.Completed).State); diff != "" {
		t.Errorf("from the journal (-first +got):\n%s", diff)
	}
}

// What is looked for is the node with its version and its input. What lies before it, behind it and around it, the
// node's other policies and the plan's version do not count.
func TestD13_TheKeyOfAnOutcome(t *testing.T) {
	var c calls
	base := func(name, before, at, version string) *graph.Graph[state] {
		pass := func(_ node.Context, s state) (state, error) { return s, nil }
		return graph.New[state](name).Node(before, pass).Node(at, costly(&c), graph.Cache(version)).
			Edge(graph.Start, before).Edge(before, at).MustCompile()
	}
	subgraph := graph.New[state]("outer").Sub("in", base("p", "b", "a", "v1")).Edge(graph.Start, "in").MustCompile()
	otherwise := graph.New[state]("p").Node("a", costly(&c), graph.CacheFor("v1", time.Hour), graph.Version("9"), graph.Retry(5, 0)).
		Node("z", logged).Edge(graph.Start, "a").Edge("a", "z").Version("7").MustCompile()
	type doc = map[string]int
	tests := []struct {
		name string
		g    *graph.Graph[state]
		in   state
		hit  bool
	}{
		{"the same", base("p", "b", "a", "v1"), state{N: 1, Tags: doc{"x": 1, "y": 2}}, true},
		{"another node before it", base("p", "c", "a", "v1"), state{N: 1, Tags: doc{"y": 2, "x": 1}}, true},
		{"in a subgraph", subgraph, state{N: 1, Tags: doc{"x": 1, "y": 2}}, true},
		{"other policies, another plan version", otherwise, state{N: 1, Tags: doc{"x": 1, "y": 2}}, true},
		{"another cache version", base("p", "b", "a", "v2"), state{N: 1, Tags: doc{"x": 1, "y": 2}}, false},
		{"another node", base("p", "b", "d", "v1"), state{N: 1, Tags: doc{"x": 1, "y": 2}}, false},
		{"another plan", base("q", "b", "a", "v1"), state{N: 1, Tags: doc{"x": 1, "y": 2}}, false},
		{"another input", base("p", "b", "a", "v1"), state{N: 2, Tags: doc{"x": 1, "y": 2}}, false},
		{"an input that differs in its depth", base("p", "b", "a", "v1"), state{N: 1, Tags: doc{"x": 1, "y": 3}}, false},
		{"names and version that read the same together", base("pb", "b", "a", "v1"), state{N: 1, Tags: doc{"x": 1, "y": 2}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rt, store := inMemory(t)
			cachedRun(t, rt, store, base("p", "b", "a", "v1"), state{N: 1, Tags: doc{"x": 1, "y": 2}})
			before := c.all()["call"]
			ends(t, start(t, rt, test.g, test.in), fermata.Completed)
			if hit := c.all()["call"] == before; hit != test.hit {
				t.Errorf("a hit: %v, want %v", hit, test.hit)
			}
		})
	}
}

// A value from the cache is the task's own (law N9).
func TestN9_ValuesFromTheCacheAreNotShared(t *testing.T) {
	rt, store := inMemory(t)
	g := graph.New[state]("own").
		Node("a", func(_ node.Context, s state) (state, error) { s.Tags = map[string]int{"x": 1}; return s, nil }, graph.Cache("1")).
		Node("b", func(_ node.Context, s state) (state, error) { s.Tags["x"]++; return s, nil }).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	for range 3 {
		if got, _ := cachedRun(t, rt, store, g, state{}); got.Tags["x"] != 2 {
			t.Errorf("x is %d", got.Tags["x"])
		}
	}
}

// A gate in the cache restores its decision: to a node, to End, and to Stop. Neither function is called.
func TestD13_ACachedGateRestoresItsDecision(t *testing.T) {
	for target, want := range map[string]string{"left": "left#1", graph.End: "", graph.Stop: ""} {
		rt, store := inMemory(t)
		var c calls
		g := graph.New[state]("gate").
			Node("a", func(_ node.Context, s state) (state, error) { c.add("node"); s.N++; return s, nil }, graph.Cache("1")).
			Node("left", logged).Edge(graph.Start, "a").
			Route("a", func(node.Context, state) (string, error) { c.add("route"); return target, nil }, "left", graph.End, graph.Stop).
			MustCompile()
		first, ofFirst := cachedRun(t, rt, store, g, state{})
		second, ofSecond := cachedRun(t, rt, store, g, state{})
		if diff := cmp.Diff(first, second); diff != "" || strings.Join(second.Log, " ") != want {
			t.Errorf("%q: states %v (-first +second):\n%s", target, second.Log, diff)
		}
		ofFirst[1] = "node.cached a#1"
		if diff := cmp.Diff(ofFirst, ofSecond); diff != "" {
			t.Errorf("%q: journals of the gate (-want +got):\n%s", target, diff)
		}
		if diff := cmp.Diff([]string{"node: 1", "route: 1"}, c.lines()); diff != "" {
			t.Errorf("%q: calls (-want +got):\n%s", target, diff)
		}
	}
}

// Whatever has failed, asked, or swallowed that it has to wait is not kept; what came after a failed attempt, or after
// a sleep, is.
func TestD13_FailuresAndInterruptsAreNotCached(t *testing.T) {
	var c calls
	tests := map[string]struct {
		f    graph.Func[state]
		hit  bool
		asks bool
	}{
		"fails": {f: func(_ node.Context, s state) (state, error) { return s, errFlaky }},
		"fails, then not": {hit: true, f: func(ctx node.Context, s state) (state, error) {
			if ctx.Info().Attempt == 1 {
				return s, errFlaky
			}
			return s, nil
		}},
		"panics": {f: func(node.Context, state) (state, error) { panic("no") }},
		"asks": {asks: true, f: func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, nil)
			return s, err
		}},
		"swallows the question": {asks: true, f: func(ctx node.Context, s state) (state, error) {
			_, _ = node.Interrupt[bool](ctx, nil)
			return s, nil
		}},
		"sleeps": {hit: true, f: func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, time.Minute) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cache := &watched{Cache: fermata.NewMemoryCache(0)}
				rt := newRuntime(t, fermata.Options{Cache: cache})
				g := graph.New[state]("kept").
					Node("a", func(ctx node.Context, s state) (state, error) { c.add(name); return test.f(ctx, s) },
						graph.Cache("1"), graph.Retry(2, time.Second)).
					Node("rescue", logged).Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
				for range 2 {
					run, err := g.Start(t.Context(), rt, state{})
					if err != nil {
						t.Fatal(err)
					}
					res, err := run.Wait(t.Context())
					if test.asks && err == nil {
						if err = rt.Answer(t.Context(), res.Interrupts[0].ID, true); err == nil {
							res, err = run.Wait(t.Context())
						}
					}
					if err != nil || res.Status != fermata.Completed {
						t.Fatalf("the run is %s, %v, %v", res.Status, res.Err, err)
					}
				}
				hits, puts := cache.counts()
				if kept := puts > 0; kept != test.hit || hits > 0 != test.hit {
					t.Errorf("it was kept %d times and found %d times; want it kept: %v", puts, hits, test.hit)
				}
			})
		})
	}
}

// What cannot be stored fails where it is made (law N8), and is not kept either.
func TestN8_WhatCannotBeStoredIsNotCached(t *testing.T) {
	type open struct{ V any }
	cache := &watched{Cache: fermata.NewMemoryCache(0)}
	rt := newRuntime(t, fermata.Options{Cache: cache})
	g := graph.New[open]("open").
		Node("a", func(_ node.Context, s open) (open, error) { s.V = make(chan int); return s, nil }, graph.Cache("1")).
		Edge(graph.Start, "a").MustCompile()
	run, err := g.Start(timeLimit(t), rt, open{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Failed || !errors.Is(res.Err, node.ErrNotStorable) {
		t.Errorf("the run is %s, %v, %v", res.Status, res.Err, err)
	}
	called := false
	use := graph.New[open]("open").
		Node("a", func(_ node.Context, s open) (open, error) { called = true; return s, nil }, graph.Cache("1")).
		Edge(graph.Start, "a").MustCompile()
	in := &open{V: make(chan int)} // it is refused where nothing is stored, too (law N10)
	if _, err := fermata.Evaluate(t.Context(), use.Plan(), in, fermata.Options{Cache: cache}); !errors.Is(err, node.ErrNotStorable) || called {
		t.Errorf("called: %v, %v", called, err)
	}
	if _, puts := cache.counts(); puts != 0 {
		t.Errorf("it was kept %d times", puts)
	}
}

// watched counts what is found in a cache and what is put into it.
type watched struct {
	fermata.Cache
	mu         sync.Mutex
	hits, puts int
}

func (w *watched) Get(ctx context.Context, key string) ([]byte, bool, error) {
	value, ok, err := w.Cache.Get(ctx, key)
	w.mu.Lock()
	defer w.mu.Unlock()
	if ok {
		w.hits++
	}
	return value, ok, err
}

func (w *watched) Put(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	w.mu.Lock()
	w.puts++
	w.mu.Unlock()
	return w.Cache.Put(ctx, key, value, ttl)
}

func (w *watched) counts() (hits, puts int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hits, w.puts
}

// A task that has recorded something goes its own way: it is not given another's outcome in place of the answer that it
// was waiting for, nor of a step that it has made (laws N5 and J5).
func TestN5_AnAnswerIsNotReplacedByAHit(t *testing.T) {
	rt, store := inMemory(t)
	var c calls
	g := single(func(ctx node.Context, s state) (state, error) {
		if c.add("pass") == 1 { // the first run asks, all others do not
			yes, err := node.Interrupt[string](ctx, nil)
			s.Text = yes
			return s, err
		}
		if s.Text = "no question"; c.all()["pass"] == 3 {
			yes, err := node.Interrupt[string](ctx, nil)
			s.Text = yes
			return s, err
		}
		return s, nil
	}, graph.Cache("1"))
	waiting := start(t, rt, g, state{})
	q := question(t, waiting)
	other, _ := cachedRun(t, rt, store, g, state{})
	answer(t, rt, q.ID, "an answer")
	if got := ends(t, waiting, fermata.Completed).State.Text; got != "an answer" || other.Text != "no question" {
		t.Errorf("the run that asked ended with %q, the other one with %q", got, other.Text)
	}
}

// Why a task runs is no part of its value: behind an error edge nothing is looked up, and nothing is kept.
func TestD13_ATaskBehindAnErrorEdgeIsNotCached(t *testing.T) {
	rt, _ := inMemory(t)
	n := 0
	g := graph.New[state]("rescue").
		Node("a", func(_ node.Context, s state) (state, error) { n++; return state{}, fmt.Errorf("failure %d", n) }).
		Node("rescue", func(ctx node.Context, s state) (state, error) { s.Text = ctx.Cause().Message; return s, nil }, graph.Cache("1")).
		Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
	for _, want := range []string{"failure 1", "failure 2"} {
		if got := ends(t, start(t, rt, g, state{}), fermata.Completed).State.Text; got != want {
			t.Errorf("expected %q, found %q", want, got)
		}
	}
}

// An outcome is used up to its TTL, by the runtime's clock and by the plan that asks; then it is replaced.
func TestD13_TheTTL(t *testing.T) {
	for name, open := range map[string]func(clock fermata.Clock, store journal.Store) fermata.Cache{
		"memory": func(fermata.Clock, journal.Store) fermata.Cache { return fermata.NewMemoryCache(0) },
		"store": func(clock fermata.Clock, store journal.Store) fermata.Cache {
			return fermata.NewStoreCache(store, clock)
		},
	} {
		t.Run(name, func(t *testing.T) {
			clock, store := newClock(), memory.New()
			rt := newRuntime(t, fermata.Options{Store: store, Clock: clock, Cache: open(clock, store)})
			var c calls
			hour, day := single(costly(&c), graph.CacheFor("1", time.Hour)), single(costly(&c), graph.CacheFor("1", 24*time.Hour))
			for i, step := range []struct {
				g     *graph.Graph[state]
				after time.Duration
				calls int
			}{
				{hour, 0, 1},
				{hour, time.Hour - time.Microsecond, 1},
				{day, time.Microsecond, 1},
				{hour, 0, 2}, // an hour old
				{hour, 59 * time.Minute, 2},
				{day, 23 * time.Hour, 2},
				{day, time.Minute, 3},
			} {
				clock.Advance(step.after)
				ends(t, start(t, rt, step.g, state{}), fermata.Completed)
				if got := c.all()["call"]; got != step.calls {
					t.Errorf("step %d: %d calls, want %d", i, got, step.calls)
				}
			}
		})
	}
}

// Equal work at the same time is done once, whatever the runs; the others wait for it, and not for more.
func TestD13_EqualWorkIsDoneOnce(t *testing.T) {
	rt, store := inMemory(t)
	var c calls
	hold := newGate()
	g := single(func(ctx node.Context, s state) (state, error) {
		n := c.add(s.Text)
		if err := hold.pass(ctx); err != nil {
			return s, err
		}
		s.N = n
		return s, nil
	}, graph.CacheFor("1", time.Hour))
	var runs []*graph.Run[state]
	for range 8 {
		runs = append(runs, start(t, rt, g, state{Text: "same"}))
	}
	other := start(t, rt, g, state{Text: "other"})
	hold.waitEntered(t)
	hold.waitEntered(t)
	close(hold.open)
	cached := 0
	for _, run := range append(runs, other) {
		if got := ends(t, run, fermata.Completed).State.N; got != 1 {
			t.Errorf("a run ended with call %d", got)
		}
		cached += count(lines(t, store, run.ID()), "node.cached a#1")
	}
	if diff := cmp.Diff([]string{"other: 1", "same: 1"}, c.lines()); diff != "" || cached != 7 {
		t.Errorf("%d hits, want 7; calls (-want +got):\n%s", cached, diff)
	}
}

// When the work comes to nothing, the next one does it: a failure is no one's but the task's that has it.
func TestD13_FailedWorkIsDoneByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t, fermata.Options{Pools: map[string]fermata.Pool{"api": {Concurrent: 1}}})
		var c calls
		g := single(func(_ node.Context, s state) (state, error) {
			n := c.add("call")
			time.Sleep(time.Minute)
			switch n {
			case 1:
				return s, errFlaky
			case 2:
				panic("no")
			}
			s.N = n
			return s, nil
		}, graph.Cache("1"), graph.Pool("api"))
		began := time.Now()
		ended := make(map[string]int)
		var runs []*graph.Run[state]
		for range 5 {
			run, err := g.Start(t.Context(), rt, state{})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			runs = append(runs, run)
		}
		for _, run := range runs {
			res, err := run.Wait(t.Context())
			if err != nil {
				t.Error(err)
			}
			ended[fmt.Sprintf("%s with call %d", res.Status, res.State.N)]++
		}
		if diff := cmp.Diff(map[string]int{"failed with call 0": 2, "completed with call 3": 3}, ended); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"call: 3"}, c.lines()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if took := time.Since(began); took != 3*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// Who waits for the work of another run stops when it is told to (law F3), and leaves the work alone. When the one that
// works is stopped, another one does it.
func TestF3_StoppingEndsTheWaitForEqualWork(t *testing.T) {
	for _, worker := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			rt, _ := inMemory(t)
			var c calls
			g := single(func(ctx node.Context, s state) (state, error) {
				s.N = c.add("call")
				select {
				case <-ctx.Done():
					return s, ctx.Err()
				case <-time.After(time.Hour):
					return s, nil
				}
			}, graph.Cache("1"))
			var runs []*graph.Run[state]
			for range 3 {
				run, err := g.Start(t.Context(), rt, state{})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				runs = append(runs, run)
			}
			stopped, want := 1, 1
			if worker {
				stopped, want = 0, 2
			}
			_ = runs[stopped].Stop(0)
			if _, err := runs[stopped].Wait(t.Context()); !errors.Is(err, fermata.ErrStopped) {
				t.Errorf("the error is %v, want ErrStopped", err)
			}
			again, err := g.Resume(t.Context(), rt, runs[stopped].ID())
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range []*graph.Run[state]{again, runs[2], runs[1-stopped]} {
				if res, err := run.Wait(t.Context()); err != nil || res.State.N != want {
					t.Errorf("the run is %s with call %d, %v; want call %d", res.Status, res.State.N, err, want)
				}
			}
		})
	}
}

// A cache that fails, or that gives what is no outcome of the node, costs a call and fails no run; it is logged.
func TestD13_ABrokenCacheCostsACall(t *testing.T) {
	for name, broken := range map[string]fermata.Cache{
		"fails":                   broken{err: errors.New("out of reach")},
		"not JSON":                broken{value: "<html>"},
		"another value":           broken{value: `{"value":{"n":"seven"},"from":{"run":"r","task":"a#1","at":1}}`},
		"a choice of another one": broken{value: `{"value":{},"choice":"gone","from":{"run":"r","task":"a#1","at":1}}`},
	} {
		var c calls
		var log logBook
		store := memory.New()
		rt := newRuntime(t, fermata.Options{Store: store, Cache: broken, Logger: log.Logger()})
		_, got := cachedRun(t, rt, store, single(costly(&c), graph.Cache("1")), state{})
		if diff := cmp.Diff("node.finished a#1", got[len(got)-1]); diff != "" || c.all()["call"] != 1 {
			t.Errorf("%s: %v %v", name, got, c.all())
		}
		if logged := len(log.messages()) > 0; logged != (name != "a choice of another one") {
			t.Errorf("%s: logged %q", name, log.messages())
		}
	}
}

type broken struct {
	err   error
	value string
}

func (b broken) Get(context.Context, string) ([]byte, bool, error) {
	return []byte(b.value), b.err == nil, b.err
}

func (b broken) Put(context.Context, string, []byte, time.Duration) error { return b.err }

// Outcomes in a store outlive the runtime; no listing of runs shows them.
func TestD13_OutcomesInAStore(t *testing.T) {
	for name, store := range caches(t) {
		t.Run(name, func(t *testing.T) { outcomesInAStore(t, store) })
	}
}

// caches are stores that a cache may lie in.
func caches(t *testing.T) map[string]journal.Store {
	t.Helper()
	onDisk, err := sqlite.OpenWith(filepath.Join(t.TempDir(), "runs.db"), sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := onDisk.Close(); err != nil {
			t.Error(err)
		}
	})
	return map[string]journal.Store{"memory": memory.New(), "sqlite": onDisk}
}

func outcomesInAStore(t *testing.T, store journal.Store) {
	t.Helper()
	clock := newClock()
	var c calls
	g := single(costly(&c), graph.CacheFor("1", time.Hour))
	for range 3 {
		cache := fermata.NewStoreCache(store, clock)
		rt := newRuntime(t, fermata.Options{Store: store, Clock: clock, Cache: cache})
		cachedRun(t, rt, store, g, state{})
		rows, err := rt.Runs(t.Context(), journal.RunFilter{Plan: "cache"})
		if err != nil || len(rows) != 0 {
			t.Errorf("%d outcomes are listed as runs, %v", len(rows), err)
		}
	}
	if diff := cmp.Diff([]string{"call: 1"}, c.lines()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// Of the outcomes in a store, those that are too old are removed: by hand, and once in an hour by whoever writes.
func TestD13_OldOutcomesAreRemoved(t *testing.T) {
	for name, store := range caches(t) {
		t.Run(name, func(t *testing.T) { oldOutcomesAreRemoved(t, store) })
	}
}

func oldOutcomesAreRemoved(t *testing.T, store journal.Store) {
	t.Helper()
	clock := newClock()
	cache := fermata.NewStoreCache(store, clock)
	put := func(key string, ttl time.Duration) {
		t.Helper()
		if err := cache.Put(t.Context(), "cache_"+key, []byte(`{"n":1}`), ttl); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(want ...string) {
		t.Helper()
		rows, err := store.Runs(t.Context(), journal.RunFilter{Definition: true})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]bool)
		for _, row := range rows {
			got[row.ID] = true
		}
		all := make(map[string]bool)
		for _, key := range want {
			all["cache_"+key] = true
			if value, ok, err := cache.Get(t.Context(), "cache_"+key); !ok || err != nil || string(value) != `{"n":1}` {
				t.Errorf("%s: %s, %v, %v", key, value, ok, err)
			}
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	}
	put("minutes", 10*time.Minute)
	put("hours", 5*time.Hour)
	put("ever", 0)
	clock.Advance(10 * time.Minute)
	kept("minutes", "hours", "ever")
	if n, err := cache.Prune(t.Context()); n != 1 || err != nil {
		t.Errorf("%d removed, %v; want 1", n, err)
	}
	kept("hours", "ever")
	put("minutes", 10*time.Minute)
	put("minutes", 20*time.Minute) // in the place of the first
	clock.Advance(30 * time.Minute)
	put("x", 0)
	kept("minutes", "hours", "ever", "x")
	clock.Advance(30 * time.Minute)
	put("y", 0)
	kept("hours", "ever", "x", "y")
}

// Many may put and look at the same time: whoever finds something finds all of what one of them has put.
func TestD13_ManyUseOneCache(t *testing.T) {
	all := map[string]fermata.Cache{"in memory": fermata.NewMemoryCache(4)}
	for name, store := range caches(t) {
		all["in a store: "+name] = fermata.NewStoreCache(store, nil)
	}
	for name, cache := range all {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := range 20 {
					key := fmt.Sprintf("cache_%d", n%5)
					text := fmt.Sprintf(`{"key":%q,"by":"%d"}`, key, i)
					if err := cache.Put(t.Context(), key, []byte(text), time.Hour); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					value, ok, err := cache.Get(t.Context(), key)
					var found struct{ Key string }
					if err != nil || ok && (json.Unmarshal(value, &found) != nil || found.Key != key) {
						t.Errorf("%s: %s, %v", name, value, err)
					}
				}
			})
		}
		wg.Wait()
	}
}

// A cache in memory keeps those that were used last.
func TestD13_ACacheInMemoryIsBounded(t *testing.T) {
	cache := fermata.NewMemoryCache(3)
	ctx := t.Context()
	for _, do := range []string{"+a", "+b", "+c", "?a", "+d", "+a", "+e"} {
		if key := do[1:]; do[0] == '+' {
			if err := cache.Put(ctx, key, []byte(do), time.Hour); err != nil {
				t.Fatal(err)
			}
		} else if _, ok, err := cache.Get(ctx, key); !ok || err != nil {
			t.Errorf("%s is not there, %v", key, err)
		}
	}
	var kept []string
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if _, ok, _ := cache.Get(ctx, key); ok {
			kept = append(kept, key)
		}
	}
	if diff := cmp.Diff([]string{"a", "d", "e"}, kept); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where nothing is stored, a cache serves just the same; a plan that is only evaluated has none of its own.
func TestD13_WithoutAStore(t *testing.T) {
	var c calls
	g := single(costly(&c), graph.Cache("1"))
	rt, _ := inMemory(t)
	for range 2 {
		ends(t, start(t, rt, g, state{}, fermata.WithDurability(fermata.None)), fermata.Completed)
	}
	for range 2 {
		if _, err := g.Run(t.Context(), state{}); err != nil {
			t.Fatal(err)
		}
	}
	cache := fermata.NewMemoryCache(0)
	var results []string
	for range 2 {
		res, err := fermata.Evaluate(t.Context(), g.Plan(), &state{}, fermata.Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(res.Value)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, string(data))
	}
	if diff := cmp.Diff([]string{"call: 4"}, c.lines()); diff != "" || results[0] != results[1] {
		t.Errorf("results %q; calls (-want +got):\n%s", results, diff)
	}
}

// Wherever a run with cached nodes is interrupted, its result is the same; a loop that comes back to a value that it
// has had finds its outcome, and an outcome that was not recorded any more is found by the process after the crash.
func TestJ1_CrashesWithACache(t *testing.T) {
	var c calls
	g := graph.New[state]("loop").
		Node("a", func(ctx node.Context, s state) (state, error) {
			c.add("a")
			paid, err := node.Step(ctx, "pay", func(node.Context) (int, error) { c.add("pay"); return 10, nil })
			s.N += paid
			return s, err
		}, graph.CacheFor("1", time.Hour)).
		Node("back", func(_ node.Context, s state) (state, error) { s.N -= 10; return s, nil }, graph.Cache("1")).
		Edge(graph.Start, "a").Edge("a", "back").
		Route("back", func(ctx node.Context, s state) (string, error) { return "visits", nil }, "visits").
		Node("visits", func(_ node.Context, s state) (state, error) { return s, nil }).
		Route("visits", func(ctx node.Context, s state) (string, error) {
			if ctx.Info().Visit < 3 {
				return "a", nil
			}
			return "end", nil
		}, "a", "end").
		Node("end", logged).
		MustCompile()
	report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} },
		fermatatest.Effects(func() map[string]int { return map[string]int{"pay": c.all()["pay"]} }))
	last, ok := report.Result.Value.(*state)
	if !ok || len(last.Log) != 1 || last.N != 0 || report.Crashes == 0 {
		t.Errorf("the result is %+v, after %d crashes", report.Result, report.Crashes)
	}
	if hits := count(strings.Split(strings.Join(report.Appends, ", "), ", "), "node.cached"); hits != 4 {
		t.Errorf("%d hits without a crash, want 4: %q", hits, report.Appends)
	}
}

// A process dies after it has put an outcome into the cache and before it has recorded it. The next one finds it.
func TestJ1_AHitAfterACrash(t *testing.T) {
	store := memory.New()
	cache := fermata.NewStoreCache(store, nil)
	var c calls
	dies := &dying{Cache: cache}
	g := single(func(_ node.Context, s state) (state, error) { s.N = c.add("call"); return s, nil }, graph.CacheFor("1", time.Hour))
	first := newRuntime(t, fermata.Options{Store: &refusing{Store: store, dead: &dies.dead}, Cache: dies})
	run := start(t, first, g, state{})
	if _, err := run.Wait(timeLimit(t)); err == nil {
		t.Fatal("the process did not die")
	}
	second := newRuntime(t, fermata.Options{Store: store, Cache: cache})
	if got := ends(t, resume(t, second, g, run.ID()), fermata.Completed).State.N; got != 1 {
		t.Errorf("the run ended with call %d", got)
	}
	want := []string{"run.started", "node.started a#1", "run.resumed recovered", "node.cached a#1", "run.finished completed"}
	if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// dying is a cache after whose first Put the process is dead.
type dying struct {
	fermata.Cache
	dead atomic.Bool
}

func (d *dying) Put(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	defer d.dead.Store(true)
	return d.Cache.Put(ctx, key, value, ttl)
}

// refusing is the store of a process that may be dead.
type refusing struct {
	journal.Store
	dead *atomic.Bool
}

func (r *refusing) Append(ctx context.Context, b journal.Batch) error {
	if r.dead.Load() {
		return &journal.StoreError{Op: "append", Run: b.Run, Err: journal.ErrClosed}
	}
	return r.Store.Append(ctx, b)
}
