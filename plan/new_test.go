package plan_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// line is a definition of a few tasks in a row, to be spoilt.
func line(names ...string) plan.Definition {
	def := define("spoilt", names[0], nil)
	for i, name := range names {
		def.Nodes = append(def.Nodes, task(name))
		if i > 0 {
			def.Edges = append(def.Edges, edge(names[i-1], name))
		}
	}
	return def
}

func spoil(def plan.Definition, how func(*plan.Definition)) plan.Definition {
	how(&def)
	return def
}

// invalid holds one definition for each message that New can give.
func invalid(t *testing.T) map[string]plan.Definition {
	inner := compile(t, chain(2))
	return map[string]plan.Definition{
		"nothing":         {},
		"plan-name":       spoil(line("a"), func(d *plan.Definition) { d.Name = "x\x1b[2J" }),
		"node-names":      spoil(line("a", "b/c", "d#2", "e\n", "\xff", ""), func(*plan.Definition) {}),
		"duplicate-names": spoil(line("a", "b"), func(d *plan.Definition) { d.Nodes = append(d.Nodes, task("a"), task("b")) }),
		"no-state":        spoil(line("a"), func(d *plan.Definition) { d.State = nil }),
		"limits":          spoil(line("a"), func(d *plan.Definition) { d.Limits = plan.Limits{Tasks: -2, Time: -time.Second, Tokens: -1, Cost: -5} }),
		"schemas":         spoil(line("a"), func(d *plan.Definition) { d.Input, d.Output = []byte(`{"type": }`), []byte(`["string"]`) }),
		"schema-cut-off":  spoil(line("a"), func(d *plan.Definition) { d.Input, d.Output = []byte(`{"type":`), []byte(`{} {}`) }),
		"schema-plain":    spoil(line("a"), func(d *plan.Definition) { d.Input, d.Output = []byte(`null`), []byte(`12`) }),
		"no-entry":        spoil(line("a"), func(d *plan.Definition) { d.Entry = nil }),
		"unknown-entry":   spoil(line("review"), func(d *plan.Definition) { d.Entry = []string{"reveiw"} }),
		"end-as-entry":    spoil(line("a"), func(d *plan.Definition) { d.Entry = []string{node.End} }),
		"several-entries": spoil(line("a", "b"), func(d *plan.Definition) { d.Entry = []string{"a", "b"} }),
		"unknown-ends": spoil(line("classify", "review"), func(d *plan.Definition) {
			d.Edges = append(d.Edges, edge("clasify", "review"), failure("classify", "rewiev"), failure("review", "elsewhere"))
		}),
		"reserved-words": spoil(line("a"), func(d *plan.Definition) {
			d.Edges = append(d.Edges, edge("START", "a"), edge("a", "END"), failure("a", "stop"))
		}),
		"out-of-end": spoil(line("a"), func(d *plan.Definition) { d.Edges = append(d.Edges, edge(node.End, "a"), edge(node.Stop, "a")) }),
		"edge-kind":  spoil(line("a"), func(d *plan.Definition) { d.Edges = append(d.Edges, plan.Edge{From: "a", To: node.End, Kind: "maybe"}) }),
		"duplicate-edges": spoil(line("a", "b"), func(d *plan.Definition) {
			d.Edges = append(d.Edges, edge("a", "b"), failure("a", "b"), failure("a", "b"))
		}),
		"fork": spoil(line("a", "b", "c"), func(d *plan.Definition) { d.Edges = append(d.Edges, edge("a", "c"), edge("a", node.End)) }),
		"wide-fork": spoil(line("a", "b", "c", "d", "e", "f", "g"), func(d *plan.Definition) {
			for _, to := range []string{"c", "d", "e", "f", "g"} {
				d.Edges = append(d.Edges, edge("a", to))
			}
		}),
		"fork-endless": spoil(line("a", "b", "c"), func(d *plan.Definition) {
			d.Nodes[2].Route = route
			d.Edges = append(d.Edges, edge("b", "a"), choice("c", "a", ""), choice("c", node.End, ""))
		}),
		"entry-twice": spoil(line("a"), func(d *plan.Definition) { d.Entry = []string{"a", "a"} }),
		"joins": spoil(line("a", "b", "c"), func(d *plan.Definition) {
			d.Nodes[0].Join, d.Nodes[0].Merge = "some", func(any, []any) (any, error) { return nil, nil }
			d.Nodes[1].Map = &plan.Map{Limit: -1}
			d.Nodes[1].Route, d.Nodes[1].RouteMany = route, several
			d.Nodes[2] = sub("c", inner)
			d.Nodes[2].Map = &plan.Map{Split: func(any) ([]any, error) { return nil, nil }}
			d.Nodes[2].In = func(value any) (any, error) { return value, nil }
		}),
		"gate-plain":     spoil(line("a", "b"), func(d *plan.Definition) { d.Nodes[0].Route = route }),
		"gate-empty":     spoil(line("a", "b"), func(d *plan.Definition) { d.Nodes[1].Route = route }),
		"choice-no-gate": spoil(line("a", "b"), func(d *plan.Definition) { d.Edges[0].Kind = plan.Choice }),
		"failures":       spoil(line("a", "b", "c"), func(d *plan.Definition) { d.Edges = append(d.Edges, failure("a", "b"), failure("a", "c")) }),
		"catch-empty":    spoil(line("a"), func(d *plan.Definition) { d.Nodes[0].Catch = catch }),
		"policies": spoil(line("a"), func(d *plan.Definition) {
			d.Nodes[0].Retry = plan.Retry{Attempts: -1, Backoff: -2, Max: -3}
			d.Nodes[0].Timeout = -4
		}),
		"policies-shared": spoil(line("a", "b"), func(d *plan.Definition) {
			d.Nodes[0].Retry.Jitter, d.Nodes[0].Pool, d.Nodes[0].Cache = 1.5, "a\x1b[2J", &plan.Cache{TTL: -1}
			d.Nodes[1] = sub("b", inner)
			d.Nodes[1].Retry.Jitter, d.Nodes[1].Pool, d.Nodes[1].Cache = math.NaN(), "db", &plan.Cache{Version: "1"}
		}),
		"node-kind":        spoil(line("a"), func(d *plan.Definition) { d.Nodes[0].Kind = "robot" }),
		"sub-missing":      spoil(line("a"), func(d *plan.Definition) { d.Nodes[0].Kind = plan.Sub }),
		"sub-kind":         spoil(line("a"), func(d *plan.Definition) { d.Nodes[0] = plan.Node{Name: "a", Kind: plan.Human, Sub: inner} }),
		"sub-run":          spoil(line("a"), func(d *plan.Definition) { d.Nodes[0].Sub = inner }),
		"sub-not-compiled": spoil(line("a"), func(d *plan.Definition) { d.Nodes[0] = sub("a", &plan.Plan{}) }),
		"in-and-out":       spoil(line("a"), func(d *plan.Definition) { d.Nodes[0].In = func(value any) (any, error) { return value, nil } }),
		"unreachable": spoil(line("a"), func(d *plan.Definition) {
			d.Nodes = append(d.Nodes, task("b"), task("c"), task("d"))
			d.Edges = append(d.Edges, edge("b", "c"), edge("c", "a"), failure("d", "d"))
		}),
		"loop-of-one":  spoil(line("a"), func(d *plan.Definition) { d.Edges = append(d.Edges, edge("a", "a")) }),
		"loop-no-gate": spoil(line("a", "b", "c"), func(d *plan.Definition) { d.Edges = append(d.Edges, edge("c", "b")) }),
		"loop-gate-inside": spoil(line("a", "b", "c"), func(d *plan.Definition) {
			d.Nodes[2].Route = route
			d.Edges = append(d.Edges, choice("c", "a", ""), choice("c", "b", ""))
		}),
		"loop-failure-out": spoil(line("a", "b"), func(d *plan.Definition) {
			d.Edges = append(d.Edges, edge("b", "a"), failure("b", node.Stop), deadline("a", node.End))
		}),
		"loop-long": spoil(line("a", "b", "c", "d", "e", "f", "g", "h"), func(d *plan.Definition) { d.Edges = append(d.Edges, edge("h", "a")) }),
		"many": spoil(line("a"), func(d *plan.Definition) {
			for i := range 40 {
				d.Nodes = append(d.Nodes, task("n"+itoa(i)))
			}
		}),
	}
}

// Every message is pinned, and so is the order of problems: of the plan, of its nodes, of its edges.
func TestNewReportsAllProblems(t *testing.T) {
	for name, def := range invalid(t) {
		t.Run(name, func(t *testing.T) {
			p, err := plan.New(def)
			if err == nil || p != nil {
				t.Fatalf("New accepted the definition")
			}
			golden.Open(t, "testdata/errors/*.txtar").Compare(t, name+".txt", err.Error()+"\n")
		})
	}
}

func TestErrorSaysWhere(t *testing.T) {
	def := line("a", "b")
	def.Nodes[1].Timeout = -1
	def.Edges = append(def.Edges, failure("b", "c"))
	_, err := plan.New(def)
	got, ok := errors.AsType[*plan.Error](err)
	if !ok {
		t.Fatalf("expected a *plan.Error, found %T", err)
	}
	want := &plan.Error{Plan: "spoilt", Problems: []plan.Problem{
		{
			Code: plan.BadPolicy, Message: "its timeout is -1ns; it may not be negative, and 0 is none",
			Node: "b", NodeIndex: 1, EdgeIndex: -1,
		},
		{
			Code: plan.UnknownNode, Message: `it leads nowhere: there is no node "c"`,
			Edge: failure("b", "c"), Found: "c", NodeIndex: -1, EdgeIndex: 1,
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestNewAccepts(t *testing.T) {
	inner := compile(t, chain(2))
	for name, def := range map[string]plan.Definition{
		"F6: a node named END":            define("p", "END", []plan.Node{task("END"), task("STOP")}, edge("END", "STOP"), edge("STOP", node.End)),
		"a node that passes the value on": define("p", "a", []plan.Node{{Name: "a"}}),
		"a gate to END":                   define("p", "a", []plan.Node{gate("a")}, choice("a", node.End, "")),
		"a subgraph that routes":          define("p", "a", []plan.Node{{Name: "a", Sub: inner, Route: route}}, choice("a", node.Stop, "")),
		"G7: a loop that a choice leaves": define("p", "a", []plan.Node{task("a"), gate("b")},
			edge("a", "b"), choice("b", "a", ""), choice("b", node.End, "")),
		"G7: a loop that a node of an inner loop leaves": define("p", "a", []plan.Node{gate("a"), gate("b")},
			choice("a", "b", ""), choice("a", "a", ""), choice("b", "a", ""), choice("b", "b", ""), choice("b", node.Stop, "")),
		"G7: success leaves a loop over a failure edge": define("p", "pay", []plan.Node{task("pay"), human("fix")},
			failure("pay", "fix"), edge("fix", "pay")),
		"a node that is tried again by its own failure edge": define("p", "a", []plan.Node{task("a")}, failure("a", "a")),
		"a node that only a deadline leads to":               define("p", "a", []plan.Node{human("a"), task("b")}, deadline("a", "b")),
		"several failure edges with a Catch": define("p", "a", []plan.Node{{Name: "a", Catch: catch}, task("b")},
			failure("a", "b"), failure("a", node.End)),
		"one target by edges of several kinds": define("p", "a", []plan.Node{task("a"), task("b")},
			edge("a", "b"), failure("a", "b"), deadline("a", "b")),
		"a schema that is a boolean": spoil(line("a"), func(d *plan.Definition) { d.Input = []byte(" true ") }),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := plan.New(def); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNewFillsInKinds(t *testing.T) {
	def := define("p", "a", []plan.Node{{Name: "a"}, {Name: "b", Sub: compile(t, chain(1))}}, plan.Edge{From: "a", To: "b"})
	got := compile(t, def).Definition()
	kinds := []string{string(got.Nodes[0].Kind), string(got.Nodes[1].Kind), string(got.Edges[0].Kind)}
	if diff := cmp.Diff([]string{"task", "subgraph", "plain"}, kinds); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if def.Nodes[0].Kind != "" || def.Edges[0].Kind != "" {
		t.Error("New changed its caller's definition")
	}
}

func TestNewCopiesItsDefinition(t *testing.T) {
	def := line("a", "b")
	def.Input, def.Output = []byte(`true`), []byte(`true`)
	def.Nodes[0].Cache = &plan.Cache{Version: "1"}
	p := compile(t, def)
	before := p.Text() + string(p.Outline())
	def.Nodes[0].Cache.Version = "2"
	if got := p.Definition().Nodes[0].Cache.Version; got != "1" {
		t.Errorf("the version of the cache changed with the definition: %s", got)
	}
	def.Entry[0], def.Nodes[0].Name, def.Edges[0].To = "b", "changed", "a"
	copy(def.Input, "null")
	copy(def.Output, "null")
	if diff := cmp.Diff(before, p.Text()+string(p.Outline())); diff != "" {
		t.Errorf("the plan changed with its definition (-before +after)\n%s", diff)
	}
	if got := string(p.Definition().Input) + string(p.Definition().Output); got != "truetrue" {
		t.Errorf("the schemas changed with the definition: %s", got)
	}
}

// A few plans that use each other twice lay out to more nodes than any memory holds.
func TestNewBoundsTheLayout(t *testing.T) {
	p := compile(t, chain(1))
	for range 64 {
		next, err := plan.New(define("p", "a", []plan.Node{sub("a", p), sub("b", p)}, edge("a", "b")))
		if err == nil {
			p = next
			continue
		}
		want := `plan "p": with all subgraphs laid out there are 196606 nodes; at most 131072 are allowed`
		if got := err.Error(); got != want {
			t.Errorf("expected %s\nfound    %s", want, got)
		}
		return
	}
	t.Error("New laid out 2^64 nodes")
}
