package dataflow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// counting is a node that counts how often its function is called.
func counting(c *calls, name, input, output string, opts ...dataflow.NodeOption) *dataflow.NodeDef {
	return unary(name, input, output, func(s string) string {
		c.add(name)
		return s + " " + name
	}, opts...)
}

// cached runs a graph to its end and returns its outputs and which tasks were taken from the cache.
func cached(t *testing.T, rt *fermata.Runtime, store journal.Store, g *dataflow.Graph, v vals) (vals, []string) {
	t.Helper()
	run := start(t, rt, g, v)
	res := ends(t, run, fermata.Completed)
	var hits []string
	for _, l := range only(lines(t, store, run.ID()), "node.cached ") {
		hits = append(hits, strings.TrimPrefix(l, "node.cached "))
	}
	return res.Outputs, hits
}

// An equal input brings the outcome that another run has had: recorded and shown as a hit, with whose it is.
func TestD13_AHitIsRecordedAndShown(t *testing.T) {
	for name, cache := range map[string]func(journal.Store) fermata.Cache{
		"in memory":  func(journal.Store) fermata.Cache { return nil },
		"in a store": func(s journal.Store) fermata.Cache { return fermata.NewStoreCache(s, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var c calls
			store := memory.New()
			rt := newRuntime(t, fermata.Options{Store: store, Cache: cache(store)})
			g := graphOf(t, counting(&c, "a", "x", "y", dataflow.Cache("1")), counting(&c, "b", "y", "z"))
			first := start(t, rt, g, vals{"x": "1"})
			want := ends(t, first, fermata.Completed).Outputs
			second := start(t, rt, g, vals{"x": "1"})
			var seen []string
			for e, err := range second.Events(timeLimit(t), 0) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Type() == "node.cached" {
					body := bodyOf[journal.CachedBody](t, &e.Entry)
					seen = append(seen, fmt.Sprint(e.Task(), " of ", body.Task, " ", body.Run == first.ID(), body.At > 0))
				}
			}
			same(t, "events", []string{"a#1 of a#1 true true"}, seen)
			same(t, "outputs", want, ends(t, second, fermata.Completed).Outputs)
			same(t, "calls", []string{"a: 1", "b: 2"}, c.lines())
			same(t, "visits", []string{"a#1 x<run", "b#1 y<a#1"}, visits(t, store, second.ID()))
			_, hits := cached(t, rt, store, g, vals{"x": "2"})
			same(t, "another input", []any{[]string(nil), []string{"a: 2", "b: 3"}}, []any{hits, c.lines()})
		})
	}
}

// A cache in a store outlives the process.
func TestD13_AStoreCacheOutlivesTheProcess(t *testing.T) {
	var c calls
	g := graphOf(t, counting(&c, "a", "x", "y", dataflow.Cache("1")))
	file := onDisk(t)
	for i := range 2 {
		file.process(t, func(_ *fermata.Runtime, store journal.Store) {
			rt := newRuntime(t, fermata.Options{Store: store, Cache: fermata.NewStoreCache(store, nil)})
			defer rt.Close()
			got, hits := cached(t, rt, store, g, vals{"x": "1"})
			same(t, "outputs", vals{"y": "1 a"}, got)
			same(t, "hits", i, len(hits))
		})
	}
	same(t, "calls", []string{"a: 1"}, c.lines())
}

// The key is the node with its version and the values of its inputs: neither who wrote these, nor how often, nor the names
// and versions of nodes before it.
func TestD13_TheKeyOfAnOutcome(t *testing.T) {
	var c calls
	cachedA := counting(&c, "a", "x", "y", dataflow.Cache("1"))
	for _, tt := range []struct {
		name  string
		parts []dataflow.Part
		given vals
		hit   bool
	}{
		{"the same", []dataflow.Part{cachedA}, vals{"x": "v"}, true},
		{"another writer of the same value", []dataflow.Part{cachedA, constant("upstream", "x", "v")}, vals{}, true},
		{"that writer with a version", []dataflow.Part{cachedA, constant("upstream", "x", "v").With(dataflow.Version("9"))}, vals{}, true},
		{"bound", []dataflow.Part{cachedA, dataflow.Bind(vals{"x": "v"})}, vals{}, true},
		{"another value", []dataflow.Part{cachedA}, vals{"x": "w"}, false},
		{"another version", []dataflow.Part{cachedA.With(dataflow.Cache("2"))}, vals{"x": "v"}, false},
		{"another node", []dataflow.Part{cachedA.With(dataflow.Rename("b"))}, vals{"x": "v"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, store := inMemory(t)
			cached(t, rt, store, graphOf(t, cachedA), vals{"x": "v"})
			_, hits := cached(t, rt, store, graphOf(t, tt.parts...), tt.given)
			same(t, "hit", tt.hit, len(hits) == 1)
		})
	}
}

// In a loop, a node that is given what it was given before is not called again, and those behind it still see a new version.
func TestD13_InALoop(t *testing.T) {
	var c calls
	work := counts("work", "n")
	steady := unary("steady", "n", "even", func(n int) int { c.add("steady"); return n / 10 })
	again := unary("again", "even", "seen", func(int) int { return c.add("again") }, dataflow.Cache("1"))
	g := graphOf(t, work, steady, again, until("gate", "n", 4, "work"))
	rt, store := inMemory(t)
	got, hits := cached(t, rt, store, g, vals{})
	same(t, "outputs", vals{"n": 4, "even": 0, "seen": 1}, got)
	same(t, "hits", []string{"again#2", "again#3", "again#4"}, hits)
	same(t, "calls", []string{"again: 1", "steady: 4"}, c.lines())
}

// A gate is cached only when it says so; then a hit takes its decision again.
func TestD13_ACachedGateRestoresItsDecision(t *testing.T) {
	var c calls
	choose := func(opts ...dataflow.NodeOption) *dataflow.NodeDef {
		return dataflow.Route("gate", func(_ node.Context, in pick) (string, error) {
			c.add("gate")
			return in.Pick, nil
		}, "a", "b").With(opts...)
	}
	chooseMany := dataflow.RouteMany("gate", func(_ node.Context, in pick) ([]string, error) {
		c.add("gate")
		return []string{"b", in.Pick}, nil
	}, "a", "b", "c").With(dataflow.Cache("1"))
	for _, tt := range []struct {
		name  string
		parts []dataflow.Part
		calls int
		hits  []string
		want  vals
	}{
		{"not by itself", []dataflow.Part{choose(), dataflow.CacheAll("1")}, 2, []string{"b#1"}, vals{"y": "b"}},
		{"when it says so", []dataflow.Part{choose(dataflow.Cache("1")), dataflow.CacheAll("1")}, 1, []string{"gate#1", "b#1"}, vals{"y": "b"}},
		{"several", []dataflow.Part{chooseMany}, 1, []string{"gate#1"}, vals{"y": "b", "z": "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.reset()
			rt, store := inMemory(t)
			parts := slices.Concat(tt.parts, []dataflow.Part{says("a", "x"), says("b", "y"), says("c", "z")})
			pick := "b"
			if tt.name == "several" {
				pick = "c"
			} else {
				parts = parts[:len(parts)-1]
			}
			g := graphOf(t, parts...)
			cached(t, rt, store, g, vals{"pick": pick})
			got, hits := cached(t, rt, store, g, vals{"pick": pick})
			same(t, "the second run", []any{tt.want, tt.hits, tt.calls}, []any{got, hits, c.all()["gate"]})
		})
	}
}

// CacheAll caches every node but gates, interrupts and those that say NoCache or have a version of their own.
func TestD13_CacheAll(t *testing.T) {
	var c calls
	g := graphOf(t, counting(&c, "a", "x", "y"), counting(&c, "b", "y", "z", dataflow.NoCache()), counting(&c, "c", "z", "w", dataflow.Cache("own")),
		dataflow.Interrupt[string, string]("ask", "w", "said"), dataflow.CacheAll("all"))
	versions := make(map[string]string)
	for _, n := range g.Plan().Definition().Nodes {
		if n.Cache != nil {
			versions[n.Name] = n.Cache.Version
		}
	}
	same(t, "versions", map[string]string{"a": "all", "c": "own"}, versions)
	rt, store := inMemory(t)
	for i := range 2 {
		run := start(t, rt, g, vals{"x": "1"})
		ends(t, run, fermata.Paused)
		if err := run.Answer(timeLimit(t), fmt.Sprint("answer ", i)); err != nil {
			t.Fatal(err)
		}
		same(t, "said", fmt.Sprint("answer ", i), ends(t, run, fermata.Completed).Outputs["said"].(string))
		same(t, "hits", 2*i, len(only(lines(t, store, run.ID()), "node.cached")))
	}
	same(t, "calls", []string{"a: 1", "b: 2", "c: 1"}, c.lines())
}

// Failures and what people have answered are not kept.
func TestD13_FailuresAndInterruptsAreNotCached(t *testing.T) {
	var c calls
	flaky := dataflow.Func("flaky", "y", func(_ node.Context, in struct{ X string }) (string, error) {
		if c.add("flaky") == 1 {
			return "", errors.New("not yet")
		}
		return in.X, nil
	}, dataflow.Cache("1"))
	ask := dataflow.Func("ask", "z", func(ctx node.Context, in struct{ Y string }) (string, error) {
		c.add("ask")
		return node.Interrupt[string](ctx, in.Y)
	}, dataflow.Cache("1"))
	g := graphOf(t, flaky, ask)
	rt, store := inMemory(t)
	ends(t, start(t, rt, g, vals{"x": "1"}), fermata.Failed)
	for i := range 2 {
		run := start(t, rt, g, vals{"x": "1"})
		ends(t, run, fermata.Paused)
		if err := run.Answer(timeLimit(t), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		same(t, "outputs", vals{"y": "1", "z": fmt.Sprint(i)}, ends(t, run, fermata.Completed).Outputs)
		var want []string
		if i > 0 {
			want = []string{"node.cached flaky#1"}
		}
		same(t, "hits", want, only(lines(t, store, run.ID()), "node.cached"))
	}
	same(t, "calls", []string{"ask: 4", "flaky: 2"}, c.lines())
}

// Of equal work that is asked for at the same time, one is done: here by the items of a map.
func TestD13_EqualWorkAtTheSameTimeIsDoneOnce(t *testing.T) {
	var c calls
	all := make(chan struct{})
	slow := dataflow.Func("slow", "y", func(ctx node.Context, in struct{ X string }) (string, error) {
		c.add("slow " + in.X)
		select {
		case <-all:
			return in.X + "!", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}, dataflow.Cache("1"))
	g := graphOf(t, graphOf(t, slow).Map("each", []string{"x"}))
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"x": []string{"a", "a", "b", "a"}})
	begun := 0
	for e, err := range run.Events(timeLimit(t), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type() == "node.started" && strings.Contains(e.Task(), "/slow#") {
			if begun++; begun == 4 {
				close(all)
			}
		}
	}
	same(t, "outputs", []string{"a!", "a!", "b!", "a!"}, ends(t, run, fermata.Completed).Outputs["y"].([]string))
	same(t, "calls", []string{"slow a: 1", "slow b: 1"}, c.lines())
	same(t, "hits", 2, len(only(lines(t, store, run.ID()), "node.cached")))
}

// Outcomes grow old by the runtime's clock.
func TestD13_OutcomesGrowOld(t *testing.T) {
	var c calls
	clock := fermatatest.NewClock(fermatatest.Epoch)
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock, Cache: fermata.NewStoreCache(store, clock)})
	g := graphOf(t, counting(&c, "a", "x", "y", dataflow.CacheFor("1", time.Hour)))
	var got []int
	for _, later := range []time.Duration{0, 59 * time.Minute, 2 * time.Minute, time.Minute} {
		clock.Advance(later)
		_, hits := cached(t, rt, store, g, vals{"x": "1"})
		got = append(got, len(hits))
	}
	same(t, "hits", []int{0, 1, 0, 1}, got)
}

// A value from the cache belongs to whoever is given it (law N9).
func TestN9_ValuesFromTheCacheAreNotShared(t *testing.T) {
	list := dataflow.Func("list", "all", func(node.Context, none) ([]string, error) { return []string{"a", "b"}, nil }, dataflow.Cache("1"))
	spoil := unary("spoil", "all", "first", func(all []string) string {
		first := all[0]
		all[0] = "spoilt"
		return first
	})
	g := graphOf(t, list, spoil)
	rt, store := inMemory(t)
	for range 3 {
		got, _ := cached(t, rt, store, g, vals{})
		same(t, "outputs", vals{"all": []string{"a", "b"}, "first": "a"}, got)
	}
}

// A cache that fails costs a call and fails no run.
func TestD13_ACacheThatFailsFailsNoRun(t *testing.T) {
	var c calls
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Cache: broken{}})
	for range 2 {
		got, hits := cached(t, rt, store, graphOf(t, counting(&c, "a", "x", "y", dataflow.Cache("1"))), vals{"x": "1"})
		same(t, "outputs", []any{vals{"y": "1 a"}, []string(nil)}, []any{got, hits})
	}
	same(t, "calls", []string{"a: 2"}, c.lines())
}

type broken struct{}

func (broken) Get(context.Context, string) ([]byte, bool, error) {
	return nil, false, errors.New("gone")
}

func (broken) Put(context.Context, string, []byte, time.Duration) error { return errors.New("gone") }
