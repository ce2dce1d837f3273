package dataflow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// pick is the input of gates that do as they are told.
type pick struct{ Pick string }

// told is a gate that chooses what it is told.
func told(name string, targets ...string) *dataflow.NodeDef {
	return dataflow.Route(name, func(_ node.Context, in pick) (string, error) { return in.Pick, nil }, targets...)
}

// says is a node that writes its own name.
func says(name, output string) *dataflow.NodeDef { return constant(name, output, name) }

// A gate lets one of its targets run, and what follows from it; End ends the path.
func TestD8_RouteChoosesOne(t *testing.T) {
	g := graphOf(t, told("gate", "a", "b", dataflow.End), says("a", "x"), says("b", "y"), follow("after", "y", "z"))
	for _, tt := range []struct {
		pick string
		want vals
		ran  []string
	}{
		{"a", vals{"x": "a"}, []string{"gate#1 pick<run", "a#1"}},
		{"b", vals{"y": "b", "z": "b after"}, []string{"gate#1 pick<run", "b#1", "after#1 y<b#1"}},
		{dataflow.End, vals{}, []string{"gate#1 pick<run"}},
	} {
		got, visited, _ := outcome(t, g, vals{"pick": tt.pick})
		same(t, "outputs", tt.want, got)
		same(t, "visits", tt.ran, visited)
	}
	same(t, "targets", []string{"a", "b"}, told("gate", "a", "b", dataflow.End).Targets())
}

// The choices may be of a type of their own.
func TestF7_TypedDecisions(t *testing.T) {
	type next string
	const (
		again next = "a"
		done  next = dataflow.End
	)
	gate := dataflow.Route("gate", func(_ node.Context, in struct{ N int }) (next, error) {
		if in.N > 1 {
			return again, nil
		}
		return done, nil
	}, again, done)
	many := dataflow.RouteMany("many", func(_ node.Context, in struct{ N int }) ([]next, error) {
		return []next{again, "b"}[:in.N], nil
	}, again, "b")
	g := graphOf(t, gate, says("a", "x"))
	same(t, "one", []vals{{"x": "a"}, {}}, []vals{evaluated(t, g, vals{"n": 2}), evaluated(t, g, vals{"n": 0})})
	g = graphOf(t, many, says("a", "x"), says("b", "y"))
	same(t, "many", []vals{{"x": "a"}, {"x": "a", "y": "b"}}, []vals{evaluated(t, g, vals{"n": 1}), evaluated(t, g, vals{"n": 2})})
}

// A gate that chooses several lets them run side by side: here each waits for the other.
func TestD8_RouteManyChoosesSeveral(t *testing.T) {
	meet := make(chan string)
	wait := func(name string, send bool) *dataflow.NodeDef {
		return dataflow.Func(name, "of_"+name, func(ctx node.Context, _ none) (string, error) {
			if send {
				select {
				case meet <- name:
					return "gave", nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			}
			select {
			case from := <-meet:
				return "took from " + from, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		})
	}
	gate := dataflow.RouteMany("gate", func(_ node.Context, in struct{ All []string }) ([]string, error) { return in.All, nil },
		"a", "b", "c", dataflow.End)
	g := graphOf(t, gate, wait("a", true), wait("b", false), says("c", "of_c"))
	got, _, told := outcome(t, g, vals{"all": []string{"b", "a"}})
	same(t, "outputs", vals{"of_a": "gave", "of_b": "took from a"}, got)
	same(t, "skipped", []string{`node.skipped c#1 gate "gate" did not choose it`}, only(told, "node.skipped"))
	same(t, "END with others", vals{"of_c": "c"}, evaluated(t, g, vals{"all": []string{"c", dataflow.End}}))
	res, err := g.Run(timeLimit(t), vals{"all": []string{}})
	if err == nil {
		err = res.Err
	}
	if !errors.Is(err, fermata.ErrInvalidRoute) {
		t.Errorf("a gate that chose nothing: %v", err)
	}
}

// Targets are names of nodes or the nodes themselves, one of each where one likes.
func TestF7_NodesAsTargets(t *testing.T) {
	yes, no := says("yes", "said"), says("no", "said")
	is := func(_ node.Context, in struct{ N int }) (bool, error) { return in.N > 0, nil }
	for name, gate := range map[string]*dataflow.NodeDef{
		"nodes":           dataflow.Branch("gate", is, yes, no),
		"names":           dataflow.Branch("gate", is, "yes", "no"),
		"a node, a name":  dataflow.Branch("gate", is, yes, "no"),
		"a name, a node":  dataflow.Branch("gate", is, "yes", no),
		"a typed name":    dataflow.Branch("gate", is, pickName("yes"), no),
		"names of a gate": dataflow.Route("gate", func(_ node.Context, in struct{ N int }) (string, error) { return "no", nil }, yes.Name(), no.Name()),
	} {
		same(t, name, []string{"yes", "no"}, gate.Targets())
		g := graphOf(t, gate, yes, no)
		want := []vals{{"said": "yes"}, {"said": "no"}}
		if name == "names of a gate" {
			want[0] = want[1]
		}
		same(t, name, want, []vals{evaluated(t, g, vals{"n": 1}), evaluated(t, g, vals{"n": 0})})
	}
	end := graphOf(t, dataflow.Branch("gate", is, yes, dataflow.End), yes)
	same(t, "END", []vals{{"said": "yes"}, {}}, []vals{evaluated(t, end, vals{"n": 1}), evaluated(t, end, vals{"n": 0})})
}

type pickName string

// A gate that chooses nothing takes its fallback; without one, choosing nothing is an error.
func TestF7_FallbackIsTakenForNothing(t *testing.T) {
	a, b := says("a", "x"), says("b", "y")
	for name, gate := range map[string]*dataflow.NodeDef{
		"a name":           told("gate", "a").With(dataflow.Fallback("b")),
		"a node":           told("gate", "a").With(dataflow.Fallback(b)),
		"declared already": told("gate", "a", "b").With(dataflow.Fallback("b")),
		"of many": dataflow.RouteMany("gate", func(_ node.Context, in pick) ([]string, error) {
			if in.Pick == "" {
				return nil, nil
			}
			return []string{in.Pick}, nil
		}, "a").With(dataflow.Fallback(b)),
	} {
		same(t, name, []string{"a", "b"}, gate.Targets())
		g := graphOf(t, gate, a, b)
		same(t, name, []vals{{"x": "a"}, {"y": "b"}}, []vals{evaluated(t, g, vals{"pick": "a"}), evaluated(t, g, vals{"pick": ""})})
	}
	end := graphOf(t, told("gate", "a").With(dataflow.Fallback(dataflow.End)), a)
	same(t, "END", vals{}, evaluated(t, end, vals{"pick": ""}))
	same(t, "the definition stays as it is", []string{"a"}, told("gate", "a").Targets())
}

// A gate that chooses what it did not declare fails the run with an error that names the nearest target, wherever it runs.
func TestF7_InvalidRoutesNameTheNearest(t *testing.T) {
	many := dataflow.RouteMany("gate", func(_ node.Context, in pick) ([]string, error) { return []string{"retrieve", in.Pick}, nil },
		"retrieve", "generate")
	for _, tt := range []struct {
		name string
		gate *dataflow.NodeDef
		pick string
		want fermata.InvalidRouteError
	}{
		{
			"a slip", told("gate", "retrieve", "generate"), "genrate",
			fermata.InvalidRouteError{Node: "gate", Target: "genrate", Declared: []string{"retrieve", "generate"}, Hint: `; did you mean "generate"?`},
		},
		{
			"a node that it did not declare", told("gate", "retrieve", dataflow.End), "generate",
			fermata.InvalidRouteError{Node: "gate", Target: "generate", Declared: []string{"retrieve", "END"}},
		},
		{
			"the string END", told("gate", "retrieve", dataflow.End), "END",
			fermata.InvalidRouteError{Node: "gate", Target: "END", Declared: []string{"retrieve", "END"}, Hint: "; the end of a path is the constant END, and the end of the run Stop: a text of that name is a node's"},
		},
		{
			"END, which was not declared", told("gate", "retrieve"), dataflow.End,
			fermata.InvalidRouteError{Node: "gate", Target: "END", Declared: []string{"retrieve"}},
		},
		{
			"nothing", told("gate", "retrieve"), "",
			fermata.InvalidRouteError{Node: "gate", Target: "", Declared: []string{"retrieve"}},
		},
		{
			"one of many", many, "generat",
			fermata.InvalidRouteError{Node: "gate", Target: "generat", Declared: []string{"retrieve", "generate"}, Hint: `; did you mean "generate"?`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := graphOf(t, tt.gate, says("retrieve", "x"), says("generate", "y"))
			rt := newRuntime(t, fermata.Options{})
			kept := ends(t, start(t, rt, g, vals{"pick": tt.pick}), fermata.Failed)
			res, err := g.Run(timeLimit(t), vals{"pick": tt.pick})
			if err == nil {
				err = res.Err
			}
			for where, err := range map[string]error{"on a runtime": kept.Err, "where nothing is kept": err} {
				found, ok := errors.AsType[*fermata.InvalidRouteError](err)
				if !ok || !errors.Is(err, fermata.ErrInvalidRoute) {
					t.Fatalf("%s: %v", where, err)
				}
				same(t, where, &tt.want, found)
			}
		})
	}
}

// A node may be called "END": END is a value of its own.
func TestF6_ANodeNamedENDIsANode(t *testing.T) {
	g := graphOf(t, told("gate", "END", dataflow.End), says("END", "x"))
	same(t, "the node", vals{"x": "END"}, evaluated(t, g, vals{"pick": "END"}))
	same(t, "the end", vals{}, evaluated(t, g, vals{"pick": dataflow.End}))
}

// What is wrong with a gate is found when the graph is made, with the node, the target and the nearest name.
func TestF7_TargetsAreCheckedWhenTheGraphIsMade(t *testing.T) {
	a := says("a", "x")
	is := func(node.Context, none) (bool, error) { return true, nil }
	for _, tt := range []struct {
		name  string
		parts []dataflow.Part
		want  []dataflow.Problem
	}{
		{"a slip", []dataflow.Part{told("gate", "retriev", dataflow.End), says("retrieve", "x")}, []dataflow.Problem{{
			Code: plan.UnknownNode, Node: "gate", Found: "retriev", Nearest: "retrieve",
			Message: `target "retriev": it leads nowhere: there is no node "retriev"; did you mean "retrieve"?`,
		}}},
		{"no targets", []dataflow.Part{told("gate"), a}, []dataflow.Problem{{
			Code: plan.BadNode, Node: "gate", Message: "it has no targets to choose from",
		}}},
		{"twice", []dataflow.Part{told("gate", "a", "a"), a}, []dataflow.Problem{{
			Code: plan.BadNode, Node: "gate", Message: `it names the target "a" twice`,
		}}},
		{"no name, Stop", []dataflow.Part{told("gate", "", node.Stop), a}, []dataflow.Problem{
			{Code: plan.BadNode, Node: "gate", Message: "one of its targets has no name"},
			{Code: plan.BadNode, Node: "gate", Message: "a gate of a dataflow cannot stop the run; End ends a path"},
		}},
		{"a branch with one target", []dataflow.Part{dataflow.Branch("gate", is, "a", a), a}, []dataflow.Problem{{
			Code: plan.BadNode, Node: "gate", Message: `it names the target "a" twice`,
		}}},
		{"no node", []dataflow.Part{dataflow.Branch("gate", is, "a", (*dataflow.NodeDef)(nil)), a}, []dataflow.Problem{{
			Code: plan.BadNode, Node: "gate", Message: "one of its targets has no name",
		}}},
		{"no function", []dataflow.Part{dataflow.Branch[none]("gate", nil, "a", dataflow.End), a}, []dataflow.Problem{{
			Code: plan.BadNode, Node: "gate", Message: "it has no function",
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := refusedGraph(t, tt.parts...)
			found, ok := errors.AsType[*dataflow.ConfigError](err)
			if !ok {
				t.Fatalf("error %v", err)
			}
			same(t, "problems", tt.want, found.Problems[:min(len(tt.want), len(found.Problems))])
		})
	}
}

// Targets of which one gate chooses one may write the same value, and a chain of gates tells further ones apart.
func TestD1_ExclusiveProducers(t *testing.T) {
	outer := dataflow.Route("outer", func(_ node.Context, in struct{ First string }) (string, error) { return in.First, nil }, "inner", "c")
	inner := told("inner", "a", "b")
	g := graphOf(t, outer, inner, says("a", "x"), says("b", "x"), says("c", "x"), follow("last", "x", "y"))
	for _, tt := range []struct{ first, pick, want string }{{"c", "a", "c"}, {"inner", "a", "a"}, {"inner", "b", "b"}} {
		same(t, fmt.Sprint(tt), vals{"x": tt.want, "y": tt.want + " last"}, evaluated(t, g, vals{"first": tt.first, "pick": tt.pick}))
	}
}

// A gate can be tested as what it is, and knows what it reads.
func TestN1_GatesCanBeCalledByThemselves(t *testing.T) {
	type score struct {
		Score     float64
		Threshold float64 `default:"0.9"`
	}
	good := func(_ node.Context, in score) (string, error) {
		if in.Score >= in.Threshold {
			return dataflow.End, nil
		}
		return "generate", nil
	}
	def := dataflow.Route("good_enough", good, "generate", dataflow.End)
	to, err := good(node.Context{}, score{0.5, 0.6})
	same(t, "called by itself", []any{"generate", nil}, []any{to, err})
	same(t, "inputs", []string{"{score float64 false}", "{threshold float64 true}"}, texts(def.Inputs()))
	same(t, "outputs, targets", []any{[]string(nil), []string{"generate"}, ""}, []any{texts(def.Outputs()), def.Targets(), def.CacheVersion()})
}
