package dataflow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// failure is what a run that did not complete says.
func failure(t *testing.T, g *dataflow.Graph, v vals) error {
	t.Helper()
	rt := newRuntime(t, fermata.Options{})
	res := ends(t, start(t, rt, g, v), fermata.Failed)
	return res.Err
}

// Nodes that do not wait for each other run side by side: these two wait for each other by a channel.
func TestD5_NodesRunSideBySide(t *testing.T) {
	meet := make(chan string)
	give := dataflow.Func("give", "given", func(ctx node.Context, _ none) (string, error) {
		select {
		case meet <- "hello":
			return "gave", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	take := dataflow.Func("take", "taken", func(ctx node.Context, _ none) (string, error) {
		select {
		case said := <-meet:
			return said, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	g := graphOf(t, give, take)
	same(t, "where nothing is kept", vals{"given": "gave", "taken": "hello"}, evaluated(t, g, vals{}))
	got, _, _ := outcome(t, g, vals{})
	same(t, "on a runtime", vals{"given": "gave", "taken": "hello"}, got)
}

// goroutine is the name of the goroutine that it is called in.
func goroutine() string {
	buf := make([]byte, 64)
	name, _, _ := bytes.Cut(buf[:runtime.Stack(buf, false)], []byte(" ["))
	return string(name)
}

// Call runs everything in the caller's goroutine, one node after the other in declared order: gates, items of maps,
// subgraphs, streams and rounds too.
func TestD5_CallRunsInTheCallersGoroutine(t *testing.T) {
	var order []string // without a lock: the race detector would tell
	note := func(name, in, out string) dataflow.Part {
		return unary(name, in, out, func(s string) string {
			order = append(order, name+" "+goroutine())
			return s
		})
	}
	gate := dataflow.Route("gate", func(_ node.Context, in struct{ Y string }) (string, error) {
		order = append(order, "gate "+goroutine())
		return "chosen", nil
	}, "chosen", dataflow.End)
	g := graphOf(t, note("a", "x", "y"), note("b", "x", "z"), gate, note("chosen", "z", "w"),
		graphOf(t, note("inside", "in", "out")).As("sub", dataflow.RenameInput("in", "y")),
		graphOf(t, note("item", "each", "done")).Map("map", []string{"each"}))
	res, err := g.Call(timeLimit(t), vals{"x": "x", "each": []string{"1", "2"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "outputs", vals{"y": "x", "z": "x", "w": "x", "out": "x", "done": []string{"1", "2"}}, res.Outputs)
	mine := goroutine()
	for i, l := range order {
		if order[i] = strings.TrimSuffix(l, " "+mine); order[i] == l {
			t.Errorf("%s, and the caller is %s", l, mine)
		}
	}
	counted := make(map[string]int)
	for _, l := range order {
		counted[l]++
	}
	same(t, "what ran", map[string]int{"a": 1, "b": 1, "gate": 1, "chosen": 1, "inside": 1, "item": 2}, counted)
	again := order
	order = nil
	if _, err = g.Call(timeLimit(t), vals{"x": "x", "each": []string{"1", "2"}}); err != nil {
		t.Fatal(err)
	}
	for i := range order {
		order[i] = strings.TrimSuffix(order[i], " "+mine)
	}
	same(t, "the order is the same each time", again, order)
}

// Cancelling the context ends a run that nothing keeps, and stops the driving of one that is kept: it is resumed.
func TestF3_Cancelling(t *testing.T) {
	var c calls
	inside := make(chan struct{})
	wait := dataflow.Func("wait", "y", func(ctx node.Context, in struct{ X string }) (string, error) {
		if c.add("wait") > 1 {
			return in.X, nil
		}
		close(inside)
		<-ctx.Done()
		return "", ctx.Err()
	})
	g := graphOf(t, follow("first", "in", "x"), wait)
	for name, evaluate := range map[string]func(context.Context) (dataflow.Result, error){
		"Run":  func(ctx context.Context) (dataflow.Result, error) { return g.Run(ctx, vals{"in": "i"}) },
		"Call": func(ctx context.Context) (dataflow.Result, error) { return g.Call(ctx, vals{"in": "i"}) },
	} {
		c.reset()
		inside = make(chan struct{})
		ctx, cancel := context.WithCancel(timeLimit(t))
		go func() {
			<-inside
			cancel()
		}()
		if _, err := evaluate(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, fermata.ErrStopped) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.reset()
	inside = make(chan struct{})
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"in": "i"})
	<-inside
	_ = run.Stop(0)
	if _, err := run.Wait(timeLimit(t)); !errors.Is(err, fermata.ErrStopped) {
		t.Errorf("stopped: %v", err)
	}
	same(t, "outputs", vals{"x": "i first", "y": "i first"}, ends(t, resume(t, rt, g, run.ID()), fermata.Completed).Outputs)
	same(t, "visits", []string{"first#1 in<run", "wait#1 x<first#1"}, visits(t, store, run.ID()))
	c.reset()
	inside = make(chan struct{})
	run = start(t, rt, g, vals{"in": "i"})
	<-inside
	if err := rt.Cancel(timeLimit(t), run.ID(), "enough", "eve"); err != nil {
		t.Fatal(err)
	}
	ends(t, run, fermata.Cancelled)
}

// A node is tried again as its policy says; backoffs are durable timers by the runtime's clock.
func TestF1_RetryAndTimeout(t *testing.T) {
	var c calls
	again, never := errors.New("again"), errors.New("never")
	flaky := dataflow.Func("flaky", "y", func(_ node.Context, in struct{ Fails int }) (int, error) {
		switch n := c.add("flaky"); {
		case n <= in.Fails:
			return 0, again
		case in.Fails < 0:
			return 0, never
		default:
			return n, nil
		}
	}, dataflow.Retry(3, time.Nanosecond), dataflow.RetryIf(func(err error) bool { return errors.Is(err, again) }))
	g := graphOf(t, flaky)
	got, _, told := outcome(t, g, vals{"fails": 2})
	same(t, "outputs", vals{"y": 3}, got)
	same(t, "journal", []string{"node.retrying flaky#1 again", "node.retrying flaky#1 attempt 2 again"}, only(told, "node.retrying"))
	for fails, want := range map[int]int{3: 3, -1: 1} {
		c.reset()
		if err := failure(t, g, vals{"fails": fails}); !errors.Is(err, again) && !errors.Is(err, never) {
			t.Errorf("%d: %v", fails, err)
		}
		same(t, fmt.Sprint("attempts with ", fails), want, c.all()["flaky"])
	}
	slow := dataflow.Func("slow", "y", func(ctx node.Context, _ none) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}, dataflow.Timeout(time.Millisecond))
	if err := failure(t, graphOf(t, slow), vals{}); !errors.Is(err, fermata.ErrTimeout) || asError[*fermata.Error](t, err).Task != "slow#1" {
		t.Errorf("timeout: %v", err)
	}
	silent := dataflow.Func("silent", "y", func(ctx node.Context, _ none) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}, dataflow.Idle(time.Millisecond))
	if err := failure(t, graphOf(t, silent), vals{}); !errors.Is(err, fermata.ErrIdle) || asError[*fermata.Error](t, err).Task != "silent#1" {
		t.Errorf("idle: %v", err)
	}
}

// Other tasks end when one has failed the run, and their outcomes are kept; with FailFast they are stopped.
func TestF2_OthersEnd(t *testing.T) {
	for _, fast := range []bool{false, true} {
		failed := make(chan struct{})
		broken := dataflow.Func("broken", "x", func(node.Context, none) (int, error) {
			defer close(failed)
			return 0, errors.New("broken")
		})
		other := dataflow.Func("other", "y", func(ctx node.Context, _ none) (int, error) {
			if fast {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			<-failed
			return 1, nil
		})
		parts := []dataflow.Part{broken, other, unary("behind", "y", "z", func(y int) int { return y })}
		if fast {
			parts = append(parts, dataflow.FailFast())
		}
		rt, store := inMemory(t)
		run := start(t, rt, graphOf(t, parts...), vals{})
		res := ends(t, run, fermata.Failed)
		same(t, "the error", "broken#1", asError[*fermata.Error](t, res.Err).Task)
		want := 1
		if fast {
			want = 0
		}
		same(t, "the other's outcome", want, len(only(lines(t, store, run.ID()), "node.finished other#1")))
	}
}

// Reaching a limit fails the run and names the limit (law F4).
func TestF4_LimitsOfTasks(t *testing.T) {
	parts := []dataflow.Part{dataflow.Limits(plan.Limits{Tasks: 3})}
	for i := range 5 {
		parts = append(parts, follow(fmt.Sprintf("n%d", i), fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i+1)))
	}
	g := graphOf(t, parts...)
	want := &fermata.LimitError{Limit: "tasks", Max: "3"}
	same(t, "on a runtime", want, asError[*fermata.LimitError](t, failure(t, g, vals{"v0": "v"})))
	res, err := g.Run(timeLimit(t), vals{"v0": "v"})
	err = errors.Join(err, res.Err)
	same(t, "where nothing is kept", want, asError[*fermata.LimitError](t, err))
	if !errors.Is(err, fermata.ErrLimit) {
		t.Error(err)
	}
}

// A limit of time is one too.
func TestF4_LimitsOfTime(t *testing.T) {
	clock := fermatatest.NewClock(fermatatest.Epoch)
	rt := newRuntime(t, fermata.Options{Clock: clock})
	inside := make(chan struct{})
	wait := dataflow.Func("wait", "y", func(ctx node.Context, _ none) (int, error) {
		close(inside)
		<-ctx.Done()
		return 0, ctx.Err()
	})
	run := start(t, rt, graphOf(t, wait, dataflow.Limits(plan.Limits{Time: time.Minute})), vals{})
	<-inside
	clock.Advance(time.Minute)
	res := ends(t, run, fermata.Failed)
	same(t, "limit", "time", asError[*fermata.LimitError](t, res.Err).Limit)
}

// What a node changes in place is its own: no other node sees it, nor the journal, nor who gave the value or is given it.
func TestN9_ChangesInPlaceAreNotSeen(t *testing.T) {
	type deep struct {
		List []string
		By   map[string][]int
		Ptr  *point
	}
	made := func() deep { return deep{[]string{"a"}, map[string][]int{"n": {1}}, &point{1, 2}} }
	spoil := func(d deep) {
		d.List[0], d.By["n"][0], d.By["m"], d.Ptr.X = "spoilt", 9, nil, 9
	}
	var kept deep
	source := dataflow.Func("source", "v", func(_ node.Context, in struct{ Given deep }) (deep, error) {
		kept = in.Given
		return made(), nil
	})
	spoiler := unary("spoiler", "v", "spoilt", func(d deep) string { spoil(d); return d.List[0] })
	second := unary("second", "v", "other", func(d deep) string { spoil(d); return d.List[0] })
	after := dataflow.Func("after", "seen", func(_ node.Context, in struct {
		V, Given      deep
		Spoilt, Other string
	},
	) ([]deep, error) {
		spoil(kept)
		return []deep{in.V, in.Given}, nil
	})
	g := graphOf(t, source, spoiler, second, after, unary("late", "seen", "last", func(d []deep) []deep { spoil(kept); return d }))
	given := made()
	got, _, _ := outcome(t, g, vals{"given": given})
	same(t, "what was given", made(), given)
	want := vals{"v": made(), "seen": []deep{made(), made()}, "last": []deep{made(), made()}, "spoilt": "spoilt", "other": "spoilt"}
	same(t, "outputs", want, got)
	same(t, "where nothing is kept", want, evaluated(t, g, vals{"given": made()}))
	res, err := g.Call(timeLimit(t), vals{"given": made()})
	same(t, "one after the other", []any{want, nil}, []any{res.Outputs, err})
}

// What all items of a map are given is each item's own, and so is what one item has from a list that another one is in, too.
func TestN9_ItemsShareNothing(t *testing.T) {
	type given struct {
		Item []int
		All  map[string]int
	}
	spoil := dataflow.Func("spoil", "was", func(_ node.Context, in given) (string, error) {
		was := fmt.Sprint(in.Item, in.All)
		in.Item[0], in.All["n"] = in.Item[0]+10, in.All["n"]+10
		return was, nil
	})
	again := dataflow.Func("again", "is", func(_ node.Context, in struct {
		given
		Was string
	},
	) (string, error) {
		return in.Was + fmt.Sprint(in.Item, in.All), nil
	})
	child := graphOf(t, spoil, again, dataflow.Select("is"))
	list := dataflow.Func("list", "item", func(node.Context, none) ([][]int, error) {
		one := []int{1, 2}
		return [][]int{one, one[:1], {3}}, nil
	})
	g := graphOf(t, list, child.Map("each", []string{"item"}))
	made := func() vals { return vals{"all": map[string]int{"n": 1}} }
	want := vals{
		"is":   []string{"[1 2] map[n:1][1 2] map[n:1]", "[1] map[n:1][1] map[n:1]", "[3] map[n:1][3] map[n:1]"},
		"item": [][]int{{1, 2}, {1}, {3}},
	}
	got, _, _ := outcome(t, g, made())
	same(t, "outputs", want, got)
	same(t, "where nothing is kept", want, evaluated(t, g, made()))
	res, err := g.Call(timeLimit(t), made())
	same(t, "one after the other", []any{want, nil}, []any{res.Outputs, err})
}

// With Immutable the values are shared, and the results are the same for nodes that keep the promise.
func TestN9_ImmutableValuesAreShared(t *testing.T) {
	var first *int
	g := graphOf(t, dataflow.Func("make", "all", func(node.Context, none) ([]int, error) { return []int{1, 2, 3}, nil }),
		unary("one", "all", "n", func(all []int) int { first = &all[0]; return len(all) }),
		dataflow.Func("two", "same", func(_ node.Context, in struct {
			All []int
			N   int
		},
		) (bool, error) {
			return first == &in.All[0], nil
		}), dataflow.Immutable())
	same(t, "outputs", vals{"all": []int{1, 2, 3}, "n": 3, "same": true}, evaluated(t, g, vals{}))
}

// A panic fails the task with its stack; errors.Is and As reach what was thrown.
func TestN7_PanicsAreErrors(t *testing.T) {
	thrown := errors.New("thrown")
	for name, part := range map[string]dataflow.Part{
		"a node":   unary("p", "x", "y", func(string) string { panic(thrown) }),
		"a gate":   dataflow.Route("p", func(node.Context, pick) (string, error) { panic(thrown) }, dataflow.End).With(dataflow.RenameInput("pick", "x")),
		"a branch": dataflow.Branch("p", func(node.Context, pick) (bool, error) { panic(thrown) }, "other", dataflow.End).With(dataflow.RenameInput("pick", "x")),
	} {
		err := failure(t, graphOf(t, part, says("other", "z")), vals{"x": "x"})
		found := asError[*node.PanicError](t, err)
		if !errors.Is(err, thrown) || asError[*fermata.Error](t, err).Task != "p#1" || !strings.Contains(string(found.Stack), "law_running_test.go") {
			t.Errorf("%s: %v\n%s", name, err, found.Stack)
		}
	}
}

// ring is a list that can be closed to a ring.
type ring struct {
	Name string
	Next *ring
}

// A value that cannot be stored fails where it is made, with the path to it.
func TestN8_ValuesThatCannotBeStored(t *testing.T) {
	type out struct {
		Fine  string
		Rings []ring `json:"rings"`
	}
	cycle := &ring{Name: "a"}
	cycle.Next = &ring{Name: "b", Next: cycle}
	for _, tt := range []struct {
		name string
		part dataflow.Part
		want string
	}{
		{"one of several outputs", dataflow.Node("make", func(node.Context, none) (out, error) {
			return out{"fine", []ring{{Name: "ok"}, {Name: "bad", Next: cycle}}}, nil
		}), "rings[1].Next.Next.Next: a cycle"},
		{"a single output", dataflow.Func("make", "ring", func(node.Context, none) (*ring, error) { return cycle, nil }), "ring.Next.Next: a cycle"},
		{"not a number", dataflow.Func("make", "n", func(node.Context, none) (map[string]float64, error) {
			zero := 0.0
			return map[string]float64{"x": zero / zero}, nil
		}), `n["x"]: `},
		{"in any", dataflow.Func("make", "v", func(node.Context, none) (any, error) { return []any{1, make(chan int)}, nil }), "v[1]: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := failure(t, graphOf(t, tt.part), vals{})
			if !errors.Is(err, node.ErrNotStorable) || asError[*fermata.Error](t, err).Task != "make#1" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want %q in: %v", tt.want, err)
			}
		})
	}
}

// Events are an iterator over all that happens, from any seq on, to the run's end; breaking off ends the reading alone.
func TestE1_EventsAreAnIterator(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, graphOf(t, refine(2)...), vals{"prompt": "p"})
	var types []string
	for e, err := range run.Events(timeLimit(t), 0) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, strings.TrimSpace(e.Type()+" "+e.Task()))
	}
	ends(t, run, fermata.Completed)
	var want []string
	for _, e := range entries(t, store, run.ID()) {
		text := e.Kind.String()
		if e.Node != "" {
			text += " " + node.TaskID(e.Node, int(e.Visit))
		}
		want = append(want, text)
	}
	same(t, "events", want, types)
	for e, err := range run.Events(timeLimit(t), 3) {
		same(t, "the first after 3", []any{uint64(4), error(nil)}, []any{e.Seq(), err})
		break
	}
}

// A value that is too large for the journal fails where it is made, with its path; so does an input, and the output of a graph.
func TestN8_LargeValuesOfADataflow(t *testing.T) {
	type out struct {
		Small string   `json:"small"`
		Pages []string `json:"pages"`
	}
	const limit = 64 << 10
	long := strings.Repeat("x", 20*limit)
	pages := dataflow.Node("make", func(node.Context, none) (out, error) { return out{"fine", []string{"a", long}}, nil })
	again := dataflow.Func("again", "read", func(_ node.Context, in struct{ Given string }) (string, error) { return in.Given, nil })
	stream := dataflow.Stream("speak", "said", func(node.Context, none) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for range 20 {
				if !yield(long[:limit/10], nil) {
					return
				}
			}
		}
	}, dataflow.Join())
	for name, tt := range map[string]struct {
		part dataflow.Part
		in   vals
		want string
	}{
		"an output":                 {pages, vals{}, "make#1: the value cannot be stored: pages[1]: "},
		"an input":                  {again, vals{"given": long}, "given: "},
		"a value that was streamed": {stream, vals{}, "speak#1"},
	} {
		t.Run(name, func(t *testing.T) {
			rt := newRuntime(t, fermata.Options{MaxValue: limit})
			run, err := graphOf(t, tt.part).Start(timeLimit(t), rt, tt.in)
			if err == nil {
				err = ends(t, run, fermata.Failed).Err
			}
			if !errors.Is(err, node.ErrNotStorable) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "takes more than the limit of 65536 bytes; ") {
				t.Errorf("want %q in: %.500v", tt.want, err)
			}
		})
	}
}
