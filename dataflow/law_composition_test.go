package dataflow_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// A graph is a node of another one under any names, as deep as one likes; its tasks are journaled under its path.
func TestG6_GraphsAreNodes(t *testing.T) {
	inner := graphOf(t, follow("a", "x", "y"), follow("b", "y", "z"))
	middle := graphOf(t, inner.As("inner", dataflow.RenameInput("x", "in"), dataflow.RenameOutput("z", "out")), follow("c", "out", "end"))
	as := middle.As("middle", dataflow.RenameOutput("end", "last"), dataflow.RenameOutput("y", "mid"))
	same(t, "inputs, outputs", [][]string{{"{in string false}"}, {"{mid string false}", "{out string false}", "{last string false}"}},
		[][]string{texts(as.Inputs()), texts(as.Outputs())})
	g := graphOf(t, as, follow("d", "last", "done"), follow("before", "start", "in"))
	got, visited, told := outcome(t, g, vals{"start": "s"})
	same(t, "outputs", vals{
		"in": "s before", "mid": "s before a", "out": "s before a b", "last": "s before a b c", "done": "s before a b c d",
	}, got)
	same(t, "visits", []string{
		"before#1 start<run", "middle#1 in<before#1", "middle/inner#1 in<input", "middle/inner/a#1 x<input", "middle/inner/b#1 y<middle/inner/a#1",
		"middle/c#1 out<middle/inner#1", "d#1 last<middle#1",
	}, visited)
	same(t, "one run", 1, len(only(told, "run.started")))
	same(t, "where nothing is kept", got, evaluated(t, g, vals{"start": "s"}))
}

// What a gate in a subgraph did not choose is a value that the subgraph does not bring: whoever needs it outside is skipped.
func TestD9_ASubgraphBringsNotAllItsValues(t *testing.T) {
	inner := graphOf(t, told("gate", "a", "b", dataflow.End), says("a", "x"), says("b", "y"))
	g := graphOf(t, inner.As("inner"), follow("after_x", "x", "x2"), follow("after_y", "y", "y2"), follow("far", "y2", "y3"))
	for _, tt := range []struct {
		pick    string
		want    vals
		skipped []string
	}{
		{"a", vals{"x": "a", "x2": "a after_x"}, []string{
			`node.skipped inner/b#1 gate "gate" did not choose it`, `node.skipped after_y#1 it needs "y", and "inner" brought no value`,
			`node.skipped far#1 it needs "y2", and "after_y" was skipped`,
		}},
		{dataflow.End, vals{}, []string{
			`node.skipped inner/a#1 gate "gate" did not choose it`, `node.skipped inner/b#1 gate "gate" did not choose it`,
			`node.skipped after_x#1 it needs "x", and "inner" brought no value`, `node.skipped after_y#1 it needs "y", and "inner" brought no value`,
			`node.skipped far#1 it needs "y2", and "after_y" was skipped`,
		}},
	} {
		got, _, told := outcome(t, g, vals{"pick": tt.pick})
		same(t, "outputs", tt.want, got)
		same(t, "skipped", tt.skipped, only(told, "node.skipped"))
	}
}

// Inputs of a subgraph keep their defaults and what is bound inside; those that it may do without are optional outside.
func TestD10_DefaultsOfASubgraph(t *testing.T) {
	inner := graphOf(t, dataflow.Func("take", "taken", func(_ node.Context, in struct {
		A string `default:"a"`
		B string
		C *string
	},
	) (string, error) {
		return fmt.Sprint(in.A, in.B, in.C == nil), nil
	}), dataflow.Bind(vals{"b": "bound"}))
	as := inner.As("inner")
	same(t, "inputs", []string{"{a string true}", "{b string true}", "{c string true}"}, texts(as.Inputs()))
	g := graphOf(t, as)
	same(t, "nothing given", vals{"taken": "aboundtrue"}, evaluated(t, g, vals{}))
	got, _, _ := outcome(t, g, vals{"a": "1", "b": "2", "c": "c"})
	same(t, "all given", vals{"taken": "12false"}, got)
}

// A graph runs once for each item; the other inputs are the same for all, and results are in the order of the items.
func TestG5_MapRunsOncePerItem(t *testing.T) {
	type in struct {
		Text   string
		Prefix string `default:"-"`
		Times  int
	}
	one := graphOf(t, dataflow.Func("say", "said", func(_ node.Context, in in) (string, error) {
		return in.Prefix + strings.Repeat(in.Text, in.Times), nil
	}))
	for _, tt := range []struct {
		name  string
		over  []string
		opts  []dataflow.MapOption
		given vals
		want  []string
	}{
		{"over one", []string{"text"}, nil, vals{"text": []string{"a", "b", "c"}, "times": 2}, []string{"-aa", "-bb", "-cc"}},
		{"side by side", []string{"text", "times"}, nil, vals{"text": []string{"a", "b"}, "times": []int{1, 3}, "prefix": "+"}, []string{"+a", "+bbb"}},
		{
			"every combination",
			[]string{"text", "times"},
			[]dataflow.MapOption{dataflow.Product()},
			vals{"text": []string{"a", "b"}, "times": []int{0, 1, 2}},
			[]string{"-", "-a", "-aa", "-", "-b", "-bb"},
		},
		{"one after the other", []string{"text"}, []dataflow.MapOption{dataflow.Limit(1)}, vals{"text": []string{"a", "b"}, "times": 1}, []string{"-a", "-b"}},
		{"no items", []string{"text"}, nil, vals{"text": []string{}, "times": 2}, []string{}},
		{"nil", []string{"text"}, nil, vals{"text": nil, "times": 2}, []string{}},
		{"no combinations", []string{"text", "times"}, []dataflow.MapOption{dataflow.Product()}, vals{"text": []string{"a"}, "times": []int{}}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := graphOf(t, one.Map("each", tt.over, tt.opts...), unary("count", "said", "n", func(all []string) int { return len(all) }))
			got, _, _ := outcome(t, g, tt.given)
			same(t, "outputs", vals{"said": tt.want, "n": len(tt.want)}, got)
			same(t, "where nothing is kept", got, evaluated(t, g, tt.given))
		})
	}
	each := one.Map("each", []string{"text"})
	same(t, "inputs", []string{"{text []string false}", "{prefix string true}", "{times int false}"}, texts(each.Inputs()))
	same(t, "outputs", []string{"{said []string false}"}, texts(each.Outputs()))
}

// Lists of different lengths fail the node, with their names; what is wrong with a map is found when the graph is made.
func TestG5_MapsAreChecked(t *testing.T) {
	one := graphOf(t, dataflow.Func("add", "sum", func(_ node.Context, in struct{ A, B int }) (int, error) { return in.A + in.B, nil }))
	res, err := graphOf(t, one.Map("each", []string{"a", "b"})).Run(timeLimit(t), vals{"a": []int{1, 2}, "b": []int{1}})
	err = errors.Join(err, res.Err)
	if err == nil || !strings.Contains(err.Error(), `task each#1: the lists differ in length: "a" has 2 items, "b" has 1`) {
		t.Errorf("error %v", err)
	}
	for want, part := range map[string]dataflow.Part{
		`node "each": it goes over no list; name the inputs that are lists`:                                           one.Map("each", nil),
		`node "each": it goes over "c", and the graph has no such input`:                                              one.Map("each", []string{"a", "c"}),
		`node "each": it keeps failures as "sum", which the graph writes itself`:                                      one.Map("each", []string{"a"}, dataflow.KeepFailures("sum")),
		`node "each": at most -1 of its items may be at work at once; that may not be negative, and 0 does not limit`: one.Map("each", []string{"a"}, dataflow.Limit(-1)),
	} {
		same(t, "error", "dataflow \"test\":\n  "+want, refusedGraph(t, part).Error())
	}
}

// An item that fails fails the node, unless failures are kept: then the others' results stay in their places.
func TestG5_FailuresAreKeptInTheirPlace(t *testing.T) {
	var c calls
	half := dataflow.Func("half", "h", func(_ node.Context, in struct{ N int }) (int, error) {
		c.add(fmt.Sprint("half ", in.N))
		if in.N%2 > 0 {
			return 0, fmt.Errorf("%d is odd", in.N)
		}
		return in.N / 2, nil
	})
	one := graphOf(t, half)
	g := graphOf(t, one.Map("each", []string{"n"}, dataflow.KeepFailures("failed")), unary("count", "failed", "bad", func(all []string) int {
		n := 0
		for _, text := range all {
			if text != "" {
				n++
			}
		}
		return n
	}))
	got, _, _ := outcome(t, g, vals{"n": []int{4, 3, 6, 5}})
	same(t, "outputs", vals{"h": []int{2, 0, 3, 0}, "failed": []string{"", "3 is odd", "", "5 is odd"}, "bad": 2}, got)
	c.reset()
	rt := newRuntime(t, fermata.Options{})
	res := ends(t, start(t, rt, graphOf(t, one.Map("each", []string{"n"}, dataflow.Limit(1))), vals{"n": []int{4, 3, 6}}), fermata.Failed)
	same(t, "the task", "each#1.2/half#1", asError[*fermata.Error](t, res.Err).Task)
	same(t, "after a failure nothing is begun", []string{"half 3: 1", "half 4: 1"}, c.lines())
}

// A map in a map; a mapped graph with a gate and a loop inside, whose items go round as often as each needs.
func TestG5_MapsNest(t *testing.T) {
	count := graphOf(t, append(refine(0)[:2],
		dataflow.Route("gate", func(_ node.Context, in struct{ Score, Rounds int }) (string, error) {
			if in.Score < in.Rounds {
				return "generate", nil
			}
			return dataflow.End, nil
		}, "generate", dataflow.End),
		dataflow.Branch("odd", func(_ node.Context, in struct{ Rounds int }) (bool, error) { return in.Rounds%2 == 1, nil }, "extra", dataflow.End),
		says("extra", "more"), dataflow.Select("draft", "more"))...)
	row := graphOf(t, count.Map("row", []string{"rounds"}))
	g := graphOf(t, row.Map("table", []string{"rounds"}))
	given := vals{"rounds": [][]int{{1, 3}, {}, {2}}, "prompt": "p"}
	got, visited, _ := outcome(t, g, given)
	want := vals{"draft": [][]string{{"p", "p++"}, {}, {"p+"}}, "more": [][]string{{"extra", "extra"}, {}, {""}}}
	same(t, "outputs", want, got)
	same(t, "where nothing is kept", want, evaluated(t, g, given))
	third := 0
	for _, v := range visited {
		if strings.HasPrefix(v, "table#1.1/row#1.2/generate#") {
			third++
		}
	}
	same(t, "rounds of one item", 3, third)
}

// Items that nothing limits are at work side by side: here each waits for the next one.
func TestG5_ItemsRunSideBySide(t *testing.T) {
	steps := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	chain := dataflow.Func("chain", "done", func(ctx node.Context, in struct{ I int }) (int, error) {
		if in.I+1 < len(steps) {
			select {
			case <-steps[in.I+1]:
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		close(steps[in.I])
		return in.I, nil
	})
	g := graphOf(t, graphOf(t, chain).Map("each", []string{"i"}))
	same(t, "outputs", vals{"done": []int{0, 1, 2}}, evaluated(t, g, vals{"i": []int{0, 1, 2}}))
}

// hypergraph's map_iter: what an item came to is read as it comes, while others are at work. Here the last item goes
// first, and each one waits until a reader has seen the one behind it.
func TestE1_WhatItemsCameToIsReadAsItComes(t *testing.T) {
	rt, _ := inMemory(t)
	var turns []chan struct{}
	for range 3 {
		turns = append(turns, make(chan struct{}))
	}
	square := dataflow.Func("square", "squared", func(ctx node.Context, in struct{ I int }) (int, error) {
		select {
		case <-turns[in.I]:
			return in.I * in.I, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	})
	run := start(t, rt, graphOf(t, graphOf(t, square).Map("each", []string{"i"})), vals{"i": []int{0, 1, 2}})
	close(turns[2])
	var seen []string
	for ev, err := range rt.Events(timeLimit(t), run.ID(), 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Type() != "node.finished" || !strings.HasSuffix(ev.Task(), "/square#1") {
			continue
		}
		data, err := ev.Data()
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, ev.Task()+" "+string(data))
		if left := len(turns) - len(seen); left > 0 {
			close(turns[left-1])
		}
	}
	same(t, "read", []string{
		`each#1.3/square#1 {"value":{"squared":4}}`, `each#1.2/square#1 {"value":{"squared":1}}`, `each#1.1/square#1 {"value":{"squared":0}}`,
	}, seen)
	same(t, "outputs", vals{"squared": []int{0, 1, 4}}, ends(t, run, fermata.Completed).Outputs)
}

// Select leaves out what its values do not need; a gate's choices of what was left out end the path.
func TestD1_SelectLeavesOutTheRest(t *testing.T) {
	g := graphOf(t, follow("a", "x", "y"), follow("b", "y", "z"), follow("c", "y", "w"), told("gate", "d", "e", dataflow.End), says("d", "v"), says("e", "u"))
	for _, tt := range []struct {
		selected []string
		given    vals
		nodes    []string
		want     vals
	}{
		{[]string{"z"}, vals{"x": "x"}, []string{"a", "b"}, vals{"z": "x a b"}},
		{[]string{"w", "y"}, vals{"x": "x"}, []string{"a", "c"}, vals{"w": "x a c", "y": "x a"}},
		{[]string{"v"}, vals{"pick": "d"}, []string{"gate", "d"}, vals{"v": "d"}},
		{[]string{"v"}, vals{"pick": "e"}, []string{"gate", "d"}, vals{}},
		{[]string{"v"}, vals{"pick": dataflow.End}, []string{"gate", "d"}, vals{}},
	} {
		t.Run(fmt.Sprint(tt.selected, tt.given), func(t *testing.T) {
			less, err := g.Select(tt.selected...)
			if err != nil {
				t.Fatal(err)
			}
			got, _, _ := outcome(t, less, tt.given)
			same(t, "nodes", tt.nodes, less.Describe().Nodes)
			same(t, "outputs", tt.want, got)
		})
	}
	_, err := g.Select("zed", "u")
	same(t, "an unknown one", "dataflow \"test\":\n  \"zed\" is selected, and no node writes it", fmt.Sprint(err))
	less, err := g.Select("v")
	if err != nil {
		t.Fatal(err)
	}
	res, err := less.Run(timeLimit(t), vals{"pick": "dd"})
	if !errors.Is(errors.Join(err, res.Err), fermata.ErrInvalidRoute) {
		t.Errorf("a choice that was never declared: %v", err)
	}
}

// Bind adds up, and the graph that it was called on stays as it is.
func TestD10_BindMakesAnotherGraph(t *testing.T) {
	g := graphOf(t, dataflow.Func("take", "taken", func(_ node.Context, in struct{ A, B string }) (string, error) { return in.A + in.B, nil }))
	a, err := g.Bind(vals{"a": "1"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Bind(vals{"b": "2"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "inputs", [][]string{{"{a string false}", "{b string false}"}, {"{a string true}", "{b string false}"}, {"{a string true}", "{b string true}"}},
		[][]string{texts(g.Describe().Inputs), texts(a.Describe().Inputs), texts(b.Describe().Inputs)})
	same(t, "outputs", vals{"taken": "12"}, evaluated(t, b, vals{}))
	same(t, "given", vals{"taken": "x2"}, evaluated(t, b, vals{"a": "x"}))
}

// A graph says what it needs and brings.
func TestD1_Describe(t *testing.T) {
	g := graphOf(t, append(refine(2), dataflow.Bind(vals{"prompt": "p"}))...)
	d := g.Describe()
	str, num := reflect.TypeFor[string](), reflect.TypeFor[int]()
	same(t, "name, nodes", []any{"test", []string{"generate", "evaluate", "gate"}}, []any{d.Name, d.Nodes})
	if want := []dataflow.Value{{Name: "prompt", Type: str, Optional: true}}; !reflect.DeepEqual(want, d.Inputs) {
		t.Errorf("inputs %v", d.Inputs)
	}
	if want := []dataflow.Value{{Name: "draft", Type: str}, {Name: "score", Type: num}, {Name: "feedback", Type: str}}; !reflect.DeepEqual(want, d.Outputs) {
		t.Errorf("outputs %v", d.Outputs)
	}
	same(t, "loops", "generate", d.Loops[0].Head)
	same(t, "kind", "dataflow", g.Plan().Definition().Kind)
}

// What a graph keeps for itself is neither given nor brought, and begins anew with each visit.
func TestG6_LocalValuesBeginAnewWithEachVisit(t *testing.T) {
	type counted struct {
		Tick int
		N    int `default:"0"`
	}
	add := dataflow.Func("add", "n", func(_ node.Context, in counted) (int, error) { return in.N + 1, nil })
	again := dataflow.Branch("again", func(_ node.Context, in struct{ N int }) (bool, error) { return in.N < 3, nil }, add, dataflow.End)
	last := unary("last", "n", "count", func(n int) int { return n })
	see := dataflow.Func("see", "seen", func(_ node.Context, in struct {
		Count int
		Seen  []int `json:"seen,omitempty"`
	},
	) ([]int, error) {
		return append(in.Seen, in.Count), nil
	})
	more := dataflow.Branch("more", func(_ node.Context, in struct{ Seen []int }) (bool, error) { return len(in.Seen) < 3, nil }, "tick", dataflow.End)
	tick := unary("tick", "start", "tick", func(n int) int { return n })

	inner := graphOf(t, add, again, last, dataflow.Local("n"))
	same(t, "inputs", 1, len(inner.Describe().Inputs))
	same(t, "alone", vals{"count": 3}, evaluated(t, inner, vals{"tick": 1}))
	outer := graphOf(t, tick, inner.As("inner"), see, more)
	same(t, "outputs", vals{"tick": 0, "count": 3, "seen": []int{3, 3, 3}}, evaluated(t, outer, vals{"start": 0}))

	same(t, "unknown", `dataflow "test":
  "coun" is local, and no node writes it; did you mean "count"?`, refusedGraph(t, add, again, last, dataflow.Local("coun")).Error())
}
