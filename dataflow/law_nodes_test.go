package dataflow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

type point struct{ X, Y int }

// everything are defaults of all kinds.
type everything struct {
	Text    string         `default:"as it is"`
	Number  int            `default:"-7"`
	Ratio   float64        `default:"0.25"`
	Small   uint8          `default:"255"`
	Flag    bool           `default:"true"`
	Within  time.Duration  `default:"1m30s"`
	Where   point          `default:"{\"X\":1,\"Y\":2}"`
	Names   []string       `default:"[\"a\",\"b\"]"`
	Counts  map[string]int `default:"{\"n\":3}"`
	Pointed *int           `default:"4"`
	Empty   string         `default:""`
}

// A value that the run is not given takes its default; one that it is given does not, not even when that is zero.
func TestD10_DefaultsOfAllKinds(t *testing.T) {
	nought, four, five := 0, 4, 5
	g := graphOf(t, dataflow.Func("take", "taken", func(_ node.Context, in everything) (everything, error) { return in, nil }))
	for _, tt := range []struct {
		name  string
		given vals
		want  everything
	}{
		{"nothing is given", vals{}, everything{
			Text: "as it is", Number: -7, Ratio: 0.25, Small: 255, Flag: true, Within: 90 * time.Second,
			Where: point{1, 2}, Names: []string{"a", "b"}, Counts: map[string]int{"n": 3}, Pointed: &four,
		}},
		{"zero values are given", vals{
			"text": "", "number": 0, "ratio": 0.0, "small": uint8(0), "flag": false, "within": time.Duration(0), "where": point{},
			"names": []string{}, "counts": map[string]int{}, "pointed": 0, "empty": "",
		}, everything{Names: []string{}, Counts: map[string]int{}, Pointed: &nought}},
		{"others are given", vals{"text": "x", "within": time.Second, "where": point{3, 4}, "names": []string{"c"}, "pointed": 5}, everything{
			Text: "x", Number: -7, Ratio: 0.25, Small: 255, Flag: true, Within: time.Second,
			Where: point{3, 4}, Names: []string{"c"}, Counts: map[string]int{"n": 3}, Pointed: &five,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept, _, _ := outcome(t, g, tt.given)
			same(t, "on a runtime", vals{"taken": tt.want}, kept)
			same(t, "where nothing is kept", vals{"taken": tt.want}, evaluated(t, g, tt.given))
		})
	}
}

// A default belongs to each task alone: what a node does with it does not come back (law N9).
func TestN9_DefaultsAreNotShared(t *testing.T) {
	spoil := dataflow.Func("spoil", "spoilt", func(_ node.Context, in everything) (int, error) {
		in.Names[0], in.Counts["n"], *in.Pointed = "spoilt", 0, 0
		return 0, nil
	})
	g := graphOf(t, spoil, dataflow.Func("take", "taken", func(_ node.Context, in struct {
		Spoilt int
		Names  []string       `default:"[\"a\",\"b\"]"`
		Counts map[string]int `default:"{\"n\":3}"`
	},
	) (string, error) {
		return fmt.Sprint(in.Names, in.Counts), nil
	}))
	for range 2 {
		same(t, "outputs", vals{"spoilt": 0, "taken": "[a b] map[n:3]"}, evaluated(t, g, vals{}))
	}
}

// A pointer, omitempty and omitzero make an input that can be missing; it is the zero value then.
func TestD10_OptionalInputs(t *testing.T) {
	type in struct {
		Must  string
		Ptr   *string
		Empty string `json:"empty,omitempty"`
		Zero  int    `json:",omitzero"`
	}
	def := dataflow.Func("take", "taken", func(_ node.Context, in in) (string, error) {
		ptr := "nil"
		if in.Ptr != nil {
			ptr = *in.Ptr
		}
		return fmt.Sprintf("%s %s %q %d", in.Must, ptr, in.Empty, in.Zero), nil
	})
	str := reflect.TypeFor[string]()
	same(t, "inputs", []string{"{must string false}", "{ptr string true}", "{empty string true}", "{zero int true}"}, texts(def.Inputs()))
	same(t, "outputs", []string{"{taken string false}"}, texts(def.Outputs()))
	if got := def.Inputs()[0].Type; got != str {
		t.Errorf("type %s", got)
	}
	g := graphOf(t, def)
	same(t, "without", vals{"taken": `m nil "" 0`}, evaluated(t, g, vals{"must": "m"}))
	same(t, "with", vals{"taken": `m here "e" 4`}, evaluated(t, g, vals{"must": "m", "ptr": "here", "empty": "e", "zero": 4}))
	_, err := g.Input(vals{})
	same(t, "error", `input "must" is missing: expected a value of type string, which node "take" needs`, fmt.Sprint(err))
	if input, ok := errors.AsType[*dataflow.InputError](err); !ok || !errors.Is(err, dataflow.ErrInput) {
		t.Errorf("%T", err)
	} else {
		same(t, "input error", &dataflow.InputError{Graph: "test", Input: "must", Missing: true, Needed: []string{"take"}, Expected: "string"}, input)
	}
}

func texts[T any](list []T) []string {
	var all []string
	for _, v := range list {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

type base struct {
	ID       string
	Language string `default:"en"`
}

type Deeper struct{ Depth int }

// What one node writes as a value, another one may read by a pointer, which is nil where nobody has written it.
func TestD10_APointerReadsAValueThatMayBeMissing(t *testing.T) {
	read := dataflow.Func("read", "seen", func(_ node.Context, in struct{ X *string }) (string, error) {
		if in.X == nil {
			return "nothing", nil
		}
		*in.X += ", seen"
		return *in.X, nil
	})
	g := graphOf(t, read, told("gate", "write", dataflow.End), says("write", "x"), follow("other", "x", "y"))
	same(t, "written", vals{"x": "write", "y": "write other", "seen": "write, seen"}, evaluated(t, g, vals{"pick": "write"}))
	same(t, "not written", vals{"seen": "nothing"}, evaluated(t, g, vals{"pick": dataflow.End}))
}

// Names are those of json tags, or the Go name in snake case; embedded structs belong to the struct around them.
func TestD1_NamesOfValues(t *testing.T) {
	type in struct {
		base
		Deeper
		TopK       int
		HTTPStatus string
		UserID     int
		X1Y        int
		Tagged     int      `json:"called-so,omitempty"`
		Hidden     chan int `json:"-"`
		private    int
		Ünder_Line bool
	}
	def := dataflow.Func("take", "taken", func(_ node.Context, in in) (string, error) {
		in.private++
		return fmt.Sprint(in.ID, in.Language, in.Depth, in.TopK, in.HTTPStatus, in.Tagged), nil
	})
	same(t, "inputs", []string{
		"{id string false}", "{language string true}", "{depth int false}", "{top_k int false}", "{http_status string false}",
		"{user_id int false}", "{x1_y int false}", "{called-so int true}", "{ünder_line bool false}",
	}, texts(def.Inputs()))
	g := graphOf(t, def)
	got, _, _ := outcome(t, g, vals{
		"id": "i", "depth": 2, "top_k": 3, "http_status": "ok", "user_id": 4, "x1_y": 5, "called-so": 6, "ünder_line": true,
	})
	same(t, "outputs", vals{"taken": "ien2 3ok6"}, got)
}

type byPointer struct{ *Deeper }

// badNode is a node that is refused, and what for.
type badNode struct {
	name string
	part dataflow.Part
	want string
}

func badNodes() []badNode {
	one := func(node.Context, struct{ X int }) (int, error) { return 0, nil }
	return []badNode{
		{
			"no struct", dataflow.Func("a", "y", func(node.Context, int) (int, error) { return 0, nil }),
			`node "a": its input: expected a struct, whose fields are the values, found int`,
		},
		{
			"no struct as output", dataflow.Node("a", func(node.Context, none) (string, error) { return "", nil }),
			`node "a": its output: expected a struct, whose fields are the values, found string`,
		},
		{
			"an embedded pointer", dataflow.Func("a", "y", func(node.Context, byPointer) (int, error) { return 0, nil }),
			`node "a": its input: field .Deeper.Depth is behind an embedded pointer; embed the struct itself`,
		},
		{"a default that does not fit", dataflow.Func("a", "y", func(node.Context, struct {
			N int `default:"many"`
		},
		) (int, error) {
			return 0, nil
		}), `node "a": its input: field .N: its default "many" is no int: invalid character 'm' looking for beginning of value`},
		{"a duration that is none", dataflow.Func("a", "y", func(node.Context, struct {
			D time.Duration `default:"5"`
		},
		) (int, error) {
			return 0, nil
		}), `node "a": its input: field .D: its default "5" is no time.Duration: time: missing unit in duration "5"`},
		{"two fields of one name", dataflow.Func("a", "y", func(node.Context, struct {
			TopK  int
			Other int `json:"top_k"`
		},
		) (int, error) {
			return 0, nil
		}), `node "a": its input: two fields of struct { TopK int; Other int "json:\"top_k\"" } are called "top_k"`},
		{"no function", dataflow.Func[none, int]("a", "y", nil), `node "a": it has no function`},
		{
			"a name with a dot", dataflow.Func("a", "y.z", one),
			"node \"a\": the name \"y.z\" of a value holds one of / # . , \" \\ and the back quote",
		},
		{"an empty name", dataflow.Func("a", "", one), `node "a": the name "" of a value is empty`},
		{
			"a name to be renamed that is not there", dataflow.Func("a", "total", one, dataflow.RenameOutput("totl", "sum")),
			`node "a": it has no output "totl" to be renamed; did you mean "total"?`,
		},
		{
			"a fallback of what is no gate", dataflow.Func("a", "y", one, dataflow.Fallback("b")),
			`node "a": it has a fallback and is no gate`,
		},
		{
			"a channel", dataflow.Func("a", "y", func(node.Context, none) (chan int, error) { return nil, nil }),
			`node "a": y: a channel has no JSON form`,
		},
	}
}

// What cannot be a node is reported when the graph is made, with all that is wrong with it.
func TestN8_BadNodesAreReported(t *testing.T) {
	for _, tt := range badNodes() {
		t.Run(tt.name, func(t *testing.T) {
			err := refusedGraph(t, tt.part)
			if !errors.Is(err, dataflow.ErrConfig) || errors.Is(err, dataflow.ErrConflict) {
				t.Errorf("the error is not one of the configuration: %v", err)
			}
			same(t, "error", "dataflow \"test\":\n  "+tt.want, first(err, tt.want))
		})
	}
	if err := refusedGraph(t, nil); err.Error() != "dataflow \"test\":\n  one of the graph's parts is nil" {
		t.Error(err)
	}
	if err := refusedGraph(t, (*dataflow.NodeDef)(nil), dataflow.Option(nil)); !errors.Is(err, dataflow.ErrConfig) {
		t.Error(err)
	}
	if err := refusedGraph(t); !errors.Is(err, dataflow.ErrConfig) {
		t.Error(err)
	}
}

// first is the beginning of an error that is as long as what is wanted: more may be wrong for the same reason.
func first(err error, want string) string {
	text := err.Error()
	return text[:min(len(text), len("dataflow \"test\":\n  ")+len(want))]
}

// The function of a node stays what it is, and can be tested with what a runtime would give it.
func TestN1_FunctionsCanBeCalledByThemselves(t *testing.T) {
	type query struct {
		Text string
		TopK int `default:"2"`
	}
	type hits struct {
		Docs   []string
		Scores []float64
	}
	search := func(ctx node.Context, in query) (hits, error) {
		docs, err := node.Step(ctx, "look up", func(node.Context) ([]string, error) { return []string{"about " + in.Text}, nil })
		return hits{Docs: docs, Scores: []float64{float64(in.TopK)}}, err
	}
	c := fermatatest.NewContext(t)
	var got hits
	if err := c.Do(func(ctx node.Context) (err error) {
		got, err = search(ctx, query{Text: "holds", TopK: 3})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	c.Replay()
	same(t, "called by itself", hits{Docs: []string{"about holds"}, Scores: []float64{3}}, got)
	def := dataflow.Node("search", search, dataflow.Cache("v3"), dataflow.Version("2"))
	same(t, "name, version", []string{"search", "v3"}, []string{def.Name(), def.CacheVersion()})
	same(t, "inputs", []string{"{text string false}", "{top_k int true}"}, texts(def.Inputs()))
	same(t, "outputs", []string{"{docs []string false}", "{scores []float64 false}"}, texts(def.Outputs()))
	same(t, "targets", []string(nil), def.Targets())
	same(t, "in a graph", vals{"docs": []string{"about holds"}, "scores": []float64{2}}, evaluated(t, graphOf(t, def), vals{"text": "holds"}))
}

// Whoever reads one of several outputs follows; a definition serves any number of graphs, and its options make others.
func TestD1_DefinitionsAreValues(t *testing.T) {
	type found struct{ Docs, Scores string }
	find := dataflow.Node("find", func(_ node.Context, in struct{ Query string }) (found, error) {
		return found{"docs of " + in.Query, "scores of " + in.Query}, nil
	})
	other := find.With(dataflow.Rename("again"), dataflow.RenameInput("query", "docs"), dataflow.RenameOutput("docs", "more"),
		dataflow.RenameOutput("scores", "better"))
	same(t, "the first", []any{"find", []string{"{query string false}"}, []string{"{docs string false}", "{scores string false}"}},
		[]any{find.Name(), texts(find.Inputs()), texts(find.Outputs())})
	same(t, "the second", []any{"again", []string{"{docs string false}"}, []string{"{more string false}", "{better string false}"}},
		[]any{other.Name(), texts(other.Inputs()), texts(other.Outputs())})
	got, visited, _ := outcome(t, graphOf(t, other, follow("last", "better", "end"), find), vals{"query": "q"})
	same(t, "outputs", vals{
		"docs": "docs of q", "scores": "scores of q", "more": "docs of docs of q", "better": "scores of docs of q",
		"end": "scores of docs of q last",
	}, got)
	same(t, "visits", []string{"find#1 query<run", "again#1 docs<find#1", "last#1 better<again#1"}, visited)
	same(t, "alone", vals{"docs": "docs of q", "scores": "scores of q"}, evaluated(t, graphOf(t, find), vals{"query": "q"}))
}

// Values of a run are taken as they are, as JSON, or as a number of another type that is the same number.
func TestN8_WhatARunIsGivenMustFit(t *testing.T) {
	g := graphOf(t, dataflow.Func("take", "taken", func(_ node.Context, in struct {
		N     int8
		R     float64
		Where point
		List  []string
		Any   any
	},
	) (string, error) {
		return fmt.Sprint(in.N, in.R, in.Where, in.List, in.Any), nil
	}))
	right := vals{"n": 3, "r": 2, "where": json.RawMessage(`{"X":5,"Y":6}`), "list": nil, "any": nil}
	same(t, "outputs", vals{"taken": "3 2 {5 6} [] <nil>"}, evaluated(t, g, right))
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"n", 300, `input "n": expected int8, found int: 300 does not fit`},
		{"n", 1.5, `input "n": expected int8, found float64: 1.5 does not fit`},
		{"n", nil, `input "n": expected int8, found <nil>: nil is no value of it`},
		{"n", "3", `input "n": expected int8, found string: the types differ`},
		{
			"where", json.RawMessage(`[1]`),
			`input "where": expected dataflow_test.point, found json.RawMessage: json: cannot unmarshal array into Go value of type dataflow_test.point`,
		},
		{"list", []any{"a"}, `input "list": expected []string, found []interface {}: the types differ`},
		{"lst", nil, `input "lst": no node reads it; did you mean "list"?`},
		{"taken", "x", `input "taken": node "take" writes it; to give it to a run, let the run begin behind that node (see Entry)`},
	} {
		given := vals{tt.name: tt.value}
		for name, v := range right {
			if _, ok := given[name]; !ok {
				given[name] = v
			}
		}
		_, err := g.Call(timeLimit(t), given)
		if same(t, tt.name, tt.want, fmt.Sprint(err)); !errors.Is(err, dataflow.ErrInput) {
			t.Errorf("%v is no input error", err)
		}
	}
}

// Results are found by name and type.
func TestN8_GetFindsAValueAndItsType(t *testing.T) {
	v := vals{"reply": "yes", "n": 3}
	reply, err := dataflow.Get[string](v, "reply")
	same(t, "reply", []any{"yes", error(nil)}, []any{reply, err})
	_, err = dataflow.Get[string](v, "n")
	same(t, "another type", `value "n": expected string, found int`, fmt.Sprint(err))
	_, err = dataflow.Get[string](v, "rply")
	same(t, "another name", `there is no value "rply"; did you mean "reply"?`, fmt.Sprint(err))
}

// Policies of a node are those of the engine (law F1).
func TestF1_PoliciesAreThePlans(t *testing.T) {
	worth := errors.New("worth another try")
	def := unary("a", "x", "y", func(x int) int { return x }, dataflow.Retry(3, time.Second), dataflow.Timeout(time.Minute),
		dataflow.RetryIf(func(err error) bool { return errors.Is(err, worth) }), dataflow.Pool("few"), dataflow.Version("2"), dataflow.Doc("it does a"))
	n := graphOf(t, def, dataflow.Limits(plan.Limits{Tasks: 9}), dataflow.GraphVersion("7")).Plan().Definition()
	got := n.Nodes[0]
	same(t, "policies", []any{3, time.Second, time.Minute, "few", "2", "it does a", true, false, 9, "7"}, []any{
		got.Retry.Attempts, got.Retry.Backoff, got.Timeout, got.Pool, got.Version, got.Doc,
		got.Retry.Retryable(worth), got.Retry.Retryable(errors.New("other")), n.Limits.Tasks, n.Version,
	})
	rt := newRuntime(t, fermata.Options{})
	if _, err := graphOf(t, def).Start(timeLimit(t), rt, vals{"x": 1}); err == nil {
		t.Error("a pool that the runtime does not have was taken")
	}
}
