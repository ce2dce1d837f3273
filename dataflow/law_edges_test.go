package dataflow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// problemsOf is what a graph is refused for.
func problemsOf(t *testing.T, parts ...dataflow.Part) []dataflow.Problem {
	t.Helper()
	found, ok := errors.AsType[*dataflow.ConfigError](refusedGraph(t, parts...))
	if !ok {
		t.Fatal("it is no ConfigError")
	}
	return found.Problems
}

// Whoever reads a value follows all who write it, in whatever order they are declared.
func TestD1_EdgesFollowFromNames(t *testing.T) {
	parts := []dataflow.Part{follow("clean", "raw", "cleaned"), follow("embed", "cleaned", "embedded"), follow("classify", "embedded", "result")}
	want := []string{"clean#1 raw<run", "embed#1 cleaned<clean#1", "classify#1 embedded<embed#1"}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		var shuffled []dataflow.Part
		for _, i := range order {
			shuffled = append(shuffled, parts[i])
		}
		got, visited, _ := outcome(t, graphOf(t, shuffled...), vals{"raw": "r"})
		same(t, "outputs", vals{"cleaned": "r clean", "embedded": "r clean embed", "result": "r clean embed classify"}, got)
		same(t, "visits", want, visited)
	}
}

// What nodes mean by a name is one type, and two nodes write one name only where they can never both run.
func TestD1_ConflictsAreFoundWhenTheGraphIsMade(t *testing.T) {
	number := unary("number", "n", "x", func(n int) int { return n })
	text := unary("text", "x", "y", func(s string) string { return s })
	other := says("other", "x")
	many := dataflow.RouteMany("many", func(_ node.Context, in pick) ([]string, error) { return []string{in.Pick}, nil }, "a", "b")
	both := dataflow.Func("both", "z", func(_ node.Context, in struct{ X, Y string }) (string, error) { return in.X + in.Y, nil })
	for _, tt := range []struct {
		name  string
		parts []dataflow.Part
		want  dataflow.Problem
	}{
		{"types that differ", []dataflow.Part{number, text}, dataflow.Problem{
			Code: dataflow.TypeMismatch, Node: "text", Port: "x", Expected: "int", Found: "string",
			Message: `it reads "x" as string, and node "number" writes it as int`,
		}},
		{"two who read", []dataflow.Part{text, unary("third", "x", "z", func(bool) int { return 0 })}, dataflow.Problem{
			Code: dataflow.TypeMismatch, Node: "third", Port: "x", Expected: "string", Found: "bool",
			Message: `it reads "x" as bool, and node "text" reads it as string`,
		}},
		{"two who write", []dataflow.Part{says("a", "x"), other}, dataflow.Problem{
			Code: plan.Conflict, Node: "other", Port: "x",
			Message: `it writes "x", and so does "a": two nodes may write one value only when a gate chooses between them, and no gate does`,
		}},
		{"one of them chosen", []dataflow.Part{told("gate", "a", dataflow.End), says("a", "x"), other}, dataflow.Problem{
			Code: plan.Conflict, Node: "other", Port: "x",
			Message: `it writes "x", and so does "a": two nodes may write one value only when a gate chooses between them; "other" runs always`,
		}},
		{"a gate that may choose both", []dataflow.Part{many, says("a", "x"), says("b", "x")}, dataflow.Problem{
			Code: plan.Conflict, Node: "b", Port: "x",
			Message: `it writes "x", and so does "a": two nodes may write one value only when a gate chooses between them; gate "many" may choose both`,
		}},
		{"both of two that exclude each other", []dataflow.Part{told("gate", "a", "b"), says("a", "x"), says("b", "y"), both}, dataflow.Problem{
			Code: plan.NeverRuns, Node: "both",
			Message: `it can never run: it needs values that only different choices of gate "gate" bring`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := problemsOf(t, tt.parts...)
			if tt.want.Port == "" {
				found[0].Port = ""
			}
			same(t, "problems", []dataflow.Problem{tt.want}, found)
			if is := errors.Is(&dataflow.ConfigError{Problems: found}, dataflow.ErrConflict); is != (tt.want.Code == plan.Conflict) {
				t.Errorf("it is a conflict: %v", is)
			}
		})
	}
}

// Problems are not told one by one: those of nodes and types come together, as do those of gates, and those of edges.
func TestD1_ProblemsComeTogether(t *testing.T) {
	err := refusedGraph(t, dataflow.Func[none, int]("no", "q", nil), unary("n", "x", "z", func(int) int { return 0 }), says("a", "x"))
	same(t, "nodes and types", `dataflow "test":
  node "no": it has no function
  node "n": it reads "x" as int, and node "a" writes it as string`, err.Error())
	err = refusedGraph(t, says("alpha", "x"), told("gate", "alpa", "beta"), told("other", "alpha", "gat"))
	same(t, "gates", `dataflow "test":
  node "gate": target "alpa": it leads nowhere: there is no node "alpa"; did you mean "alpha"?
  node "gate": target "beta": it leads nowhere: there is no node "beta"
  node "other": target "gat": it leads nowhere: there is no node "gat"; did you mean "gate"?`, err.Error())
}

// A node that reads what it writes is not started again by its own write: its first value is the run's.
func TestD2_AnAccumulatorReadsItsOwnValue(t *testing.T) {
	type said struct {
		Messages []string
		New      string
	}
	add := dataflow.Func("add", "messages", func(_ node.Context, in said) ([]string, error) { return append(in.Messages, in.New), nil })
	g := graphOf(t, add, unary("count", "messages", "n", func(all []string) int { return len(all) }))
	got, visited, _ := outcome(t, g, vals{"messages": []string{"hi"}, "new": "there"})
	same(t, "outputs", vals{"messages": []string{"hi", "there"}, "n": 2}, got)
	same(t, "visits", []string{"add#1 messages<run new<run", "count#1 messages<add#1"}, visited)
	_, err := g.Input(vals{"new": "there"})
	same(t, "error", `input "messages" is missing: expected a value of type []string, which node "add" needs`, fmt.Sprint(err))
}

// Every write starts those who read it once more, also that of an equal value; an equal value costs nothing, so that it
// keeps the name of the task that wrote it first (law J7).
func TestD3_EveryWriteIsAVersion(t *testing.T) {
	type round struct {
		N    int
		Same string
	}
	work := dataflow.Node("work", func(_ node.Context, in struct {
		N int `json:"n,omitempty"`
	},
	) (round, error) {
		return round{in.N + 1, "always"}, nil
	})
	gate := dataflow.Route("gate", func(_ node.Context, in struct{ N int }) (string, error) {
		if in.N < 3 {
			return "work", nil
		}
		return dataflow.End, nil
	}, "work", dataflow.End)
	var c calls
	reader := unary("reader", "same", "seen", c.add)
	still := constant("still", "kept", "equal")
	again := dataflow.Func("again", "last", func(_ node.Context, in struct {
		Kept string
		Seen int
	},
	) (string, error) {
		return fmt.Sprint(in.Kept, in.Seen), nil
	})
	got, visited, _ := outcome(t, graphOf(t, work, gate, reader, still, again), vals{})
	same(t, "outputs", vals{"n": 3, "same": "always", "seen": 3, "kept": "equal", "last": "equal3"}, got)
	same(t, "visits", []string{
		"work#1", "still#1", "gate#1 n<work#1", "reader#1 same<work#1", "again#1 kept<still#1 seen<reader#1",
		"work#2 n<work#1", "gate#2 n<work#2", "reader#2 same<work#2", "again#2 kept<still#1 seen<reader#2",
		"work#3 n<work#2", "gate#3 n<work#3", "reader#3 same<work#3", "again#3 kept<still#1 seen<reader#3",
	}, visited)
}

// The value of an input is that of an edge, else the run's, else the one that is bound, else the default.
func TestD10_Precedence(t *testing.T) {
	var take dataflow.Part = dataflow.Func("take", "taken", func(_ node.Context, in struct {
		X string `default:"default"`
	},
	) (string, error) {
		return in.X, nil
	})
	bind := dataflow.Bind(vals{"x": "bound"})
	gate := dataflow.Branch("gate", func(_ node.Context, in struct{ Write bool }) (bool, error) { return in.Write, nil }, "write", dataflow.End)
	write := says("write", "x")
	for _, tt := range []struct {
		name  string
		parts []dataflow.Part
		given vals
		want  string
	}{
		{"the default", []dataflow.Part{take}, vals{}, "default"},
		{"bound before the default", []dataflow.Part{take, bind}, vals{}, "bound"},
		{"the run's before what is bound", []dataflow.Part{take, bind}, vals{"x": "run"}, "run"},
		{"the run's before the default", []dataflow.Part{take}, vals{"x": "run"}, "run"},
		{"an edge before all", []dataflow.Part{take, gate, write}, vals{"write": true}, "write"},
		{"the default where nothing comes over the edge", []dataflow.Part{take, gate, write}, vals{"write": false}, "default"},
	} {
		got, _, _ := outcome(t, graphOf(t, tt.parts...), tt.given)
		same(t, tt.name, tt.want, got["taken"].(string))
	}
	same(t, "bound where a node writes", []dataflow.Problem{{
		Code: plan.BadPort, Node: "write", Port: "x", Message: `a value is bound to "x", which the node writes; bind what nobody writes`,
	}}, problemsOf(t, take, gate, write, bind))
	same(t, "bound to nothing", []dataflow.Problem{{
		Code: plan.BadPort, Port: "y", Found: "y", Message: `a value is bound to "y", and no node reads it`,
	}}, problemsOf(t, take, dataflow.Bind(vals{"y": 1})))
	same(t, "bound to another type", []dataflow.Problem{{
		Code: dataflow.TypeMismatch, Port: "x", Expected: "string", Found: "int", Message: `the value bound to "x" is a int; node "take" reads it as string`,
	}}, problemsOf(t, take, dataflow.Bind(vals{"x": 1})))
}

// What is bound stays the caller's: the graph has a copy (law N9), which can be kept (law N8).
func TestN9_WhatIsBoundIsCopied(t *testing.T) {
	list := []string{"a"}
	take := unary("take", "x", "taken", func(all []string) string { first := all[0]; all[0] = "spoilt"; return first })
	g := graphOf(t, take, dataflow.Bind(vals{"x": list}))
	list[0] = "changed"
	for range 2 {
		same(t, "outputs", vals{"taken": "a"}, evaluated(t, g, vals{}))
	}
	same(t, "a value that cannot be kept", []dataflow.Problem{{
		Code: plan.BadPort, Node: "any", Message: "the bound value cannot be stored: x[1]: a function has no JSON form",
	}}, problemsOf(t, unary("any", "x", "y", func(any) int { return 0 }), dataflow.Bind(vals{"x": []any{1, func() {}}})))
}

// What a node writes is not the run's to give, unless the run begins behind that node.
func TestD10_EntryLetsARunBeginBehindANode(t *testing.T) {
	g := graphOf(t, follow("first", "in", "a"), follow("second", "a", "b"), follow("third", "b", "c"), follow("aside", "in", "d"))
	_, err := g.Input(vals{"in": "i", "b": "given"})
	want := &dataflow.InputError{
		Graph: "test", Input: "b",
		Reason: `node "second" writes it; to give it to a run, let the run begin behind that node (see Entry)`,
	}
	if found, ok := errors.AsType[*dataflow.InputError](err); !ok || !errors.Is(err, dataflow.ErrInput) {
		t.Fatal(err)
	} else {
		same(t, "error", want, found)
	}
	behind, err := g.Entry("third")
	if err != nil {
		t.Fatal(err)
	}
	got, visited, told := outcome(t, behind, vals{"b": "given"})
	same(t, "outputs", vals{"c": "given third"}, got)
	same(t, "visits", []string{"third#1 b<run"}, visited)
	same(t, "journal", []string{"run.started", "node.started third#1", "node.finished third#1", "run.finished completed"}, told)
	_, err = g.Entry("thrid")
	slip := `there is no node "thrid" to be an entry; did you mean "third"?`
	same(t, "a slip", "dataflow \"test\":\n  "+slip, first(err, slip))
}

// In a loop, a run can begin in the middle: what lies before runs when a gate brings the round there.
func TestD10_EntryInTheMiddleOfALoop(t *testing.T) {
	generate := dataflow.Func("generate", "draft", func(_ node.Context, in struct {
		Prompt   string
		Feedback string `json:"feedback,omitempty"`
	},
	) (string, error) {
		return in.Prompt + in.Feedback, nil
	})
	gate := dataflow.Route("gate", func(_ node.Context, in struct{ Feedback string }) (string, error) {
		if len(in.Feedback) < 6 {
			return "generate", nil
		}
		return dataflow.End, nil
	}, "generate", dataflow.End)
	evaluate := unary("evaluate", "draft", "feedback", func(s string) string { return "!" + s })
	g := graphOf(t, generate, evaluate, gate, dataflow.Entry("evaluate"))
	got, visited, _ := outcome(t, g, vals{"prompt": "ab", "draft": "mine"})
	same(t, "outputs", vals{"draft": "ab!mine", "feedback": "!ab!mine"}, got)
	same(t, "visits", []string{
		"evaluate#1 draft<run", "gate#1 feedback<evaluate#1", "generate#1 feedback<evaluate#1 prompt<run",
		"evaluate#2 draft<generate#1", "gate#2 feedback<evaluate#2",
	}, visited)
}

// A run that is stuck, refused or given too little names what it lacks; nothing has run by then.
func TestF5_RefusedInputsRunNothing(t *testing.T) {
	var c calls
	count := func(name, in, out string) dataflow.Part {
		return unary(name, in, out, func(s string) string { c.add(name); return s })
	}
	g := graphOf(t, count("a", "x", "y"), count("b", "y", "z"), count("c", "w", "v"))
	rt, _ := inMemory(t)
	for _, v := range []vals{{}, {"x": "1"}, {"x": "1", "w": "2", "z": "3"}, {"x": 1, "w": "2"}} {
		_, err1 := g.Call(timeLimit(t), v)
		_, err2 := g.Run(timeLimit(t), v)
		_, err3 := g.Start(timeLimit(t), rt, v)
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, dataflow.ErrInput) {
				t.Errorf("%v: %v", v, err)
			}
		}
	}
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	same(t, "what has run", []any{0, []string(nil), error(nil)}, []any{len(rows), c.lines(), err})
	ends(t, start(t, rt, g, vals{"x": "1", "w": "2"}), fermata.Completed)
}
