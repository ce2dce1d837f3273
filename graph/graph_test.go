package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// order is what the graphs of these tests are about.
type order struct {
	Items  []string `json:"items,omitempty"`
	Cents  int64    `json:"cents,omitempty"`
	Status string   `json:"status,omitempty"`
}

func same(_ node.Context, o order) (order, error) { return o, nil }

func set(status string) graph.Func[order] {
	return func(_ node.Context, o order) (order, error) {
		o.Status = strings.TrimSpace(o.Status + " " + status)
		return o, nil
	}
}

func to(target string) graph.RouteFunc[order] {
	return func(node.Context, order) (string, error) { return target, nil }
}

func always(target string) graph.CatchFunc[order] {
	return func(node.Context, order, error) (string, error) { return target, nil }
}

// Each mistake in a graph is an error of Compile that says where it is and what to do. All mistakes are reported at once.
func TestG7_MistakesAreErrorsOfCompile(t *testing.T) {
	child := graph.New[int]("child").Node("x", func(_ node.Context, n int) (int, error) { return n, nil }).Edge(graph.Start, "x").MustCompile()
	begin := func() *graph.Builder[order] { return graph.New[order]("shop").Node("a", same).Edge(graph.Start, "a") }
	tests := []struct {
		name string
		b    *graph.Builder[order]
		want []string
	}{
		{"nothing", graph.New[order]("shop"), []string{`plan "shop": there is no node; a plan needs at least one`}},
		{"no start", graph.New[order]("shop").Node("a", same), []string{`no entry is named; name the node where the run starts`}},
		{"a start that is not there", graph.New[order]("shop").Node("abc", same).Edge(graph.Start, "abd"), []string{
			`the entry is not known: there is no node "abd"; did you mean "abc"?`,
		}},
		{"two starts at one node", begin().Edge(graph.Start, "a"), []string{`the entry "a" is named twice; one is enough`}},
		{"branches that meet", begin().Node("b", same).Node("c", same).Node("d", same).Edge("a", "b", "c").Edge("b", "d").Edge("c", "d"), []string{
			`node "d": branches of node "a" meet here (from "b" and "c"): say whether the node fires for each of them (Each), or once with all of them merged (All)`,
		}},
		{"an edge to nowhere", begin().Edge("a"), []string{`edge from "a": it leads nowhere; name the node that comes next, or End`}},
		{"a target that is not there", begin().Node("review", same).Edge("a", "reveiw"), []string{
			`edge "a" -> "reveiw": it leads nowhere: there is no node "reveiw"; did you mean "review"?`,
		}},
		{"the word END", begin().Edge("a", "END"), []string{`there is no node "END"; the end of a path is node.End, the end of the run node.Stop`}},
		{"back to the start", begin().Edge("a", graph.Start), []string{`the run starts there and does not come back`}},
		{"an edge out of the end", begin().Edge(graph.End, "a"), []string{`edge END -> "a"`}},
		{"no function", begin().Node("b", nil).Edge("a", "b"), []string{`graph "shop": node "b" has no function`}},
		{"a name twice", begin().Node("a", same), []string{`node "a": nodes 1 and 2 have this name; every node needs one of its own`}},
		{"a name with a slash", begin().Node("x/y", same).Edge("a", "x/y"), []string{`holds '/', which task ids are built with; use another character`}},
		{"a route of nothing", begin().Route("b", to("a"), "a"), []string{`"b"`}},
		{"a route without a function", begin().Route("a", nil, "a", graph.End), []string{`graph "shop": route from "a" has no function`}},
		{"two routes", begin().Route("a", to("a"), graph.End).Route("a", to("a"), graph.Stop), []string{`graph "shop": node "a" has two routes`}},
		{"a route and an edge", begin().Node("b", same).Route("a", to("b"), "b", graph.End).Edge("a", "b"), []string{
			`a gate goes only where its Route says; make the edge a choice, or take the Route away`,
		}},
		{"a target twice", begin().Route("a", to("a"), graph.End, graph.End), []string{`there is a choice edge between these two already; one is enough`}},
		{"a route to nowhere", begin().Route("a", to("a")), []string{`it has a Route and nothing to choose from`}},
		{"a loop that nothing leaves", begin().Node("b", same).Edge("a", "b").Edge("b", "a"), []string{
			`the loop "a" -> "b" -> "a" never ends: no gate is in it; let one of its nodes choose, and lead a choice out`,
		}},
		{"an island", begin().Node("b", same), []string{`node "b": the run never gets here: no edge leads to it`}},
		{"two error edges", begin().Node("b", same).Node("c", same).OnError("a", "b").OnError("a", "c"), []string{
			`two error edges for every failure, to`,
		}},
		{"a catch of nothing", begin().Catch("b", always(""), "a"), []string{`"b"`}},
		{"a catch without a function", begin().Catch("a", nil, graph.End), []string{`graph "shop": catch of "a"`}},
		{"two catches", begin().Catch("a", always(""), graph.End).Catch("a", always(""), graph.Stop), []string{`graph "shop": node "a" has two catches`}},
		{"a subgraph that is nil", begin().Sub("b", nil).Edge("a", "b"), []string{`graph "shop": subgraph "b" is nil`}},
		{
			"a subgraph without mappings", graph.SubOf[order, int](begin(), "b", child, nil, nil).Edge("a", "b"),
			[]string{`graph "shop": subgraph "b": a graph and both mappings are needed`},
		},
		{
			"negative policies", graph.New[order]("shop").Node("a", same, graph.Retry(-1, -time.Second), graph.Timeout(-1)).
				Edge(graph.Start, "a").Limits(plan.Limits{Tasks: -2, Time: -1}),
			[]string{`it is tried -1 times`, `its backoff is -1s`, `its timeout is -1ns`, `the limit of tasks is -2`, `the limit of time is -1ns`},
		},
		{"many at once", begin().Node("b", nil).Edge("a", "x").Route("y", to(""), "z").Sub("s", nil).Node("i", same), []string{
			`node "b" has no function`, `"x"`, `"y"`, `subgraph "s" is nil`, `node "i": the run never gets here`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := tt.b.Compile()
			if err == nil || g != nil {
				t.Fatalf("it compiled, with error %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %s:\n%v", want, err)
				}
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Error("MustCompile did not panic")
					}
				}()
				tt.b.MustCompile()
			}()
		})
	}
}

// The state and the graph are checked together.
func TestG7_AStateThatCannotBeKeptIsReportedWithTheRest(t *testing.T) {
	type bad struct{ F func() }
	_, err := graph.New[bad]("shop").Node("a", func(_ node.Context, s bad) (bad, error) { return s, nil }).Edge(graph.Start, "b").Compile()
	for _, want := range []string{"bad.F", `there is no node "b"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %s: %v", want, err)
		}
	}
}

// The methods of a builder may be called in any order.
func TestBuilderTakesItsPartsInAnyOrder(t *testing.T) {
	parts := []func(b *graph.Builder[order]){
		func(b *graph.Builder[order]) { b.Route("a", to("b"), "b", graph.End) },
		func(b *graph.Builder[order]) { b.Catch("b", always("c"), "c", graph.End) },
		func(b *graph.Builder[order]) { b.Edge(graph.Start, "a") },
		func(b *graph.Builder[order]) { b.Node("c", set("caught")) },
		func(b *graph.Builder[order]) {
			b.Node("b", func(_ node.Context, o order) (order, error) { return o, errors.New("no luck") })
		},
		func(b *graph.Builder[order]) { b.Node("a", set("routed")) },
	}
	for shift := range parts {
		b := graph.New[order]("shop")
		for i := range parts {
			parts[(i+shift)%len(parts)](b)
		}
		g, err := b.Compile()
		if err != nil {
			t.Errorf("from part %d on: %v", shift, err)
			continue
		}
		got, err := g.Run(t.Context(), order{})
		if err != nil || got.Status != "routed caught" {
			t.Errorf("from part %d on it ends with %q, error %v", shift, got.Status, err)
		}
	}
}

// A compiled graph does not change any more, whatever is done to its builder.
func TestACompiledGraphIsImmutable(t *testing.T) {
	b := graph.New[order]("shop").Node("a", set("a")).Edge(graph.Start, "a")
	first := b.MustCompile()
	fingerprint, text := first.Plan().Fingerprint(), first.Plan().Text()
	second := b.Node("b", set("b")).Edge("a", "b").Version("2").Limits(plan.Limits{Tasks: 1}).MustCompile()
	if first.Plan().Fingerprint() != fingerprint || first.Plan().Text() != text || second.Plan().Fingerprint() == fingerprint {
		t.Error("the first graph changed, or the second is the same")
	}
	got, err := first.Run(t.Context(), order{})
	if err != nil || got.Status != "a" {
		t.Errorf("it ends with %q, error %v", got.Status, err)
	}
}

// Options are policies of the plan's node.
func TestOptionsOfANode(t *testing.T) {
	errOnly := errors.New("only this one")
	g := graph.New[order]("shop").Version("7").Limits(plan.Limits{Tasks: 5, Time: time.Hour}).
		Node("a", same, graph.Retry(3, time.Second), graph.RetryIf(func(err error) bool { return errors.Is(err, errOnly) }), graph.Timeout(time.Minute),
			graph.Version("2"), graph.Doc("Asks."), graph.Human()).
		Edge(graph.Start, "a").MustCompile()
	def := g.Plan().Definition()
	n := def.Nodes[0]
	if !n.Retry.Retryable(errOnly) || n.Retry.Retryable(errors.New("another")) {
		t.Error("RetryIf is not what the node has")
	}
	n.Retry.Retryable, n.Run = nil, nil
	want := plan.Node{Name: "a", Kind: plan.Human, Doc: "Asks.", Version: "2", Timeout: time.Minute, Retry: plan.Retry{Attempts: 3, Backoff: time.Second}}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if def.Version != "7" || def.Kind != "graph" || def.Limits != (plan.Limits{Tasks: 5, Time: time.Hour}) || len(def.Output) == 0 {
		t.Errorf("the plan has version %s, kind %s, limits %v and an output schema of %d bytes", def.Version, def.Kind, def.Limits, len(def.Output))
	}
}

// A graph is drawn from what it declares.
func TestAGraphIsDrawn(t *testing.T) {
	child := graph.New[order]("child").Node("x", same).Edge(graph.Start, "x").MustCompile()
	g := graph.New[order]("shop").Node("ask", same, graph.Human()).Sub("pack", child).Node("rescue", same).
		Edge(graph.Start, "ask").Route("ask", to("pack"), "pack", "ask", graph.End).OnError("pack", "rescue").OnDeadline("ask", "rescue").MustCompile()
	for name, text := range map[string]string{"Mermaid": g.Plan().Mermaid(), "DOT": g.Plan().DOT(), "text": g.Plan().Text()} {
		for _, want := range []string{"ask", "pack", "rescue", "x"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not show %s:\n%s", name, want, text)
			}
		}
	}
}

// States may be of any type that JSON keeps.
func TestStatesOfManyTypes(t *testing.T) {
	runs(t, 1, func(n int) int { return n + 1 }, 2)
	runs(t, "a", func(s string) string { return s + "b" }, "ab")
	runs(t, []string{"a"}, func(s []string) []string { return append(s, "b") }, []string{"a", "b"})
	runs(t, map[string]int{"a": 1}, func(m map[string]int) map[string]int { m["b"] = 2; return m }, map[string]int{"a": 1, "b": 2})
	runs(t, &order{Cents: 1}, func(o *order) *order { o.Cents++; return o }, &order{Cents: 2})
	runs(t, [2]bool{true, false}, func(a [2]bool) [2]bool { a[1] = true; return a }, [2]bool{true, true})
	runs(t, any(map[string]any{"a": "x"}), func(v any) any { return []any{v} }, any([]any{map[string]any{"a": "x"}}))
	runs(t, time.Duration(5), func(d time.Duration) time.Duration { return 2 * d }, time.Duration(10))
}

// runs runs a graph over a state: without a store, with one, and through a restart.
func runs[S any](t *testing.T, input S, f func(S) S, want S) {
	t.Helper()
	change := func(_ node.Context, s S) (S, error) { return f(s), nil }
	ask := func(ctx node.Context, s S) (S, error) { _, err := node.Interrupt[bool](ctx, nil); return s, err }
	plain := graph.New[S]("plain").Node("a", change).Edge(graph.Start, "a").MustCompile()
	g := graph.New[S]("asks").Node("a", change).Node("ask", ask).Edge(graph.Start, "a").Edge("a", "ask").MustCompile()
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	run, err := g.Start(t.Context(), rt, input)
	if err != nil {
		t.Fatal(err)
	}
	q := asked(t, run)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	rt = newRuntime(t, fermata.Options{Store: store})
	if run, err = g.Resume(t.Context(), rt, run.ID()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Answer(t.Context(), q.ID, true); err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || res.Status != fermata.Completed {
		t.Fatalf("%T: the run is %s (%v), error %v", input, res.Status, res.Err, err)
	}
	if diff := cmp.Diff(want, res.State); diff != "" {
		t.Errorf("%T, through a restart (-want +got):\n%s", input, diff)
	}
	got, err := plain.Run(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%T, without a store (-want +got):\n%s", input, diff)
	}
}

func newRuntime(t *testing.T, o fermata.Options) *fermata.Runtime {
	t.Helper()
	rt, err := fermata.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	return rt
}

func asked[S any](t *testing.T, run *graph.Run[S]) fermata.Interrupt {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	res, err := run.Wait(ctx)
	if err != nil || res.Status != fermata.Paused || len(res.Interrupts) != 1 {
		t.Fatalf("the run is %s (%v) with %d questions, error %v", res.Status, res.Err, len(res.Interrupts), err)
	}
	return res.Interrupts[0]
}

// The typed front door does what the runtime's does.
func TestATypedRun(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	broken := true
	g := graph.New[order]("shop").
		Node("ask", func(ctx node.Context, o order) (order, error) {
			cents, err := node.Interrupt[int64](ctx, o.Items, node.Prompt("How much?"))
			o.Cents = cents
			return o, err
		}).
		Node("pay", func(_ node.Context, o order) (order, error) {
			if broken {
				return o, errors.New("no money")
			}
			o.Status = "paid"
			return o, nil
		}).
		Edge(graph.Start, "ask").Edge("ask", "pay").MustCompile()
	run, err := g.Start(t.Context(), rt, order{Items: []string{"tea"}}, fermata.WithID("run_shop"))
	if err != nil || run.ID() != "run_shop" {
		t.Fatalf("run %v, error %v", run, err)
	}
	q := asked(t, run)
	if err := rt.Answer(t.Context(), q.ID, 350); err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || res.Status != fermata.Failed || res.Err == nil {
		t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	if diff := cmp.Diff(order{}, res.State); diff != "" {
		t.Errorf("a run that did not complete has a state:\n%s", diff)
	}
	broken = false
	if run, err = g.Retry(t.Context(), rt, run.ID()); err != nil {
		t.Fatal(err)
	}
	res, err = run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := order{Items: []string{"tea"}, Cents: 350, Status: "paid"}
	if diff := cmp.Diff(want, res.State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	seq := uint64(0)
	for e, err := range run.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seq++; e.Seq() != seq {
			t.Fatalf("event %d comes where %d is due", e.Seq(), seq)
		}
	}
	later := newRuntime(t, fermata.Options{Store: store})
	again, err := g.Resume(t.Context(), later, run.ID())
	if err != nil {
		t.Fatal(err)
	}
	if res, err = again.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, res.State); diff != "" {
		t.Errorf("in another process (-want +got):\n%s", diff)
	}
	if _, err := g.Resume(t.Context(), later, "run_unknown"); !errors.Is(err, fermata.ErrNotFound) {
		t.Errorf("an unknown run is resumed with %v", err)
	}
	if _, err := g.Retry(t.Context(), later, run.ID()); !errors.Is(err, fermata.ErrConflict) {
		t.Errorf("a completed run is retried with %v", err)
	}
}

// One graph serves any number of runs at once.
func TestAGraphServesManyRunsAtOnce(t *testing.T) {
	rt := newRuntime(t, fermata.Options{})
	g := graph.New[order]("many").
		Node("a", func(_ node.Context, o order) (order, error) {
			o.Items = append(o.Items, fmt.Sprint("of ", o.Cents))
			return o, nil
		}).
		Edge(graph.Start, "a").
		Route("a", func(_ node.Context, o order) (string, error) {
			if len(o.Items) < 10 {
				return "a", nil
			}
			return graph.End, nil
		}, "a", graph.End).MustCompile()
	check := func(i int, got order, err error) {
		if err != nil || len(got.Items) != 10 || got.Items[9] != fmt.Sprint("of ", i) {
			t.Errorf("run %d ended with %v, error %v", i, got, err)
		}
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			got, err := g.Run(t.Context(), order{Cents: int64(i)})
			check(i, got, err)
		})
		wg.Go(func() {
			run, err := g.Start(t.Context(), rt, order{Cents: int64(i)})
			if err != nil {
				t.Error(err)
				return
			}
			res, err := run.Wait(t.Context())
			check(i, res.State, err)
		})
	}
	wg.Wait()
}

// A state that is the zero value beside an error stands for the input; any other is what travels on.
func TestF1_TheStateBesideAnError(t *testing.T) {
	for _, tt := range []struct {
		name string
		out  order
		want order
	}{
		{"none", order{}, order{Cents: 5, Status: "caught"}},
		{"one", order{Cents: 7}, order{Cents: 7, Status: "caught"}},
		{"an empty list is one", order{Items: []string{}}, order{Status: "caught"}}, // and left out of the JSON, so that it is nil (law N10)
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := graph.New[order]("error").
				Node("a", func(node.Context, order) (order, error) { return tt.out, errors.New("no luck") }).
				Node("b", set("caught")).
				Edge(graph.Start, "a").OnError("a", "b").MustCompile()
			got, err := g.Run(t.Context(), order{Cents: 5})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
