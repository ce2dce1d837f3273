package plan_test

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// codec keeps values as JSON. Compiling and drawing never call it.
type codec struct{}

func (codec) Encode(value any) ([]byte, error) { return json.Marshal(value) }

func (codec) Decode(data []byte) (any, error) {
	var value any
	err := json.Unmarshal(data, &value)
	return value, err
}

func (codec) Copy(value any) (any, error) { return value, nil }

func (codec) Delta(any, any) ([]byte, any, error) {
	return nil, nil, errors.New("not used in these tests")
}

func (codec) Merge(any, []any) (any, error) {
	return nil, errors.New("not used in these tests")
}

func route(node.Context, any) (string, error)        { return "", nil }
func catch(node.Context, any, error) (string, error) { return "", nil }
func run(_ node.Context, value any) (any, error)     { return value, nil }

func task(name string) plan.Node  { return plan.Node{Name: name, Run: run} }
func gate(name string) plan.Node  { return plan.Node{Name: name, Kind: plan.Router, Route: route} }
func human(name string) plan.Node { return plan.Node{Name: name, Kind: plan.Human, Run: run} }

func sub(name string, p *plan.Plan) plan.Node { return plan.Node{Name: name, Sub: p} }

func edge(from, to string) plan.Edge { return plan.Edge{From: from, To: to, Kind: plan.Plain} }

func choice(from, to, label string) plan.Edge {
	return plan.Edge{From: from, To: to, Kind: plan.Choice, Label: label}
}

func failure(from, to string) plan.Edge { return plan.Edge{From: from, To: to, Kind: plan.Failure} }

func deadline(from, to string) plan.Edge { return plan.Edge{From: from, To: to, Kind: plan.Deadline} }

func define(name, entry string, nodes []plan.Node, edges ...plan.Edge) plan.Definition {
	return plan.Definition{Name: name, Kind: "graph", Entry: []string{entry}, Nodes: nodes, Edges: edges, State: codec{}}
}

func compile(t testing.TB, def plan.Definition) *plan.Plan {
	t.Helper()
	p, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// chain is a plan of n tasks in a row.
func chain(n int) plan.Definition {
	def := define("chain", "n0", nil)
	for i := range n {
		def.Nodes = append(def.Nodes, task("n"+itoa(i)))
		if i > 0 {
			def.Edges = append(def.Edges, edge("n"+itoa(i-1), "n"+itoa(i)))
		}
	}
	return def
}

func itoa(i int) string {
	data, _ := json.Marshal(i) //nolint:errchkjson // a number always encodes
	return string(data)
}

// release is the shape of a release gate: evidence is gathered, a risky change goes to a person, who may send it back.
func release() plan.Definition {
	return define("release", "commits",
		[]plan.Node{
			task("commits"), task("changes"), task("vet"), task("classify"), gate("risk"),
			{Name: "review", Kind: plan.Human, Run: run, Route: route},
			task("revise"), task("notes"),
		},
		edge("commits", "changes"), edge("changes", "vet"), edge("vet", "classify"), edge("classify", "risk"),
		choice("risk", "review", "high"), choice("risk", "notes", "low"),
		choice("review", "notes", "approve"), choice("review", node.Stop, "reject"), choice("review", "revise", "send back"),
		deadline("review", node.Stop), edge("revise", "classify"),
	)
}

// deep is a plan of n gates, each in a branch of the one before, which may also give up.
func deep(n int) plan.Definition {
	def := define("deep", "gate 0", nil)
	for i := range n {
		name := "gate " + itoa(i)
		def.Nodes = append(def.Nodes, gate(name), task("left "+itoa(i)), task("right "+itoa(i)))
		def.Edges = append(def.Edges, choice(name, "left "+itoa(i), "left"), choice(name, "right "+itoa(i), "right"))
		if i+1 < n {
			def.Edges = append(def.Edges, edge("left "+itoa(i), "gate "+itoa(i+1)))
		}
	}
	return def
}

// shapes are the plans whose drawings are pinned.
func shapes(t testing.TB) map[string]*plan.Plan {
	draft := compile(t, define("draft", "write",
		[]plan.Node{task("write"), gate("good"), human("ask the author")},
		edge("write", "good"), choice("good", "write", "again"), choice("good", "ask the author", "unsure"), choice("good", node.End, "yes"),
	))
	middle := compile(t, define("middle", "prepare", []plan.Node{task("prepare"), sub("draft", draft)}, edge("prepare", "draft")))
	pay := define("pay", "quote",
		[]plan.Node{task("quote"), {Name: "charge", Run: run, Catch: catch, Retry: plan.Retry{Attempts: 3, Backoff: time.Second}, Timeout: time.Minute}, human("look"), task("refund"), task("ship")},
		edge("quote", "charge"), edge("charge", "ship"), failure("charge", "look"), failure("charge", "refund"),
		edge("look", "charge"), deadline("look", "refund"), edge("refund", node.Stop),
	)
	pay.Nodes[2].Retry.Max = time.Minute
	pay.Limits = plan.Limits{Tasks: 50, Time: time.Hour, Tokens: 100_000, Cost: 2_500_000}
	pay.Version, pay.Doc = "2", "Charges and ships."
	pay.Input = []byte(`{"type":"object","properties":{"amount":{"type":"number"}}}`)
	all := map[string]*plan.Plan{
		"single":  compile(t, define("single", "only", []plan.Node{task("only")})),
		"chain":   compile(t, chain(4)),
		"release": compile(t, release()),
		"pay":     compile(t, pay),
		"nested": compile(t, define("nested", "start here",
			[]plan.Node{task("start here"), sub("inner", middle), task("publish"), task("give up")},
			edge("start here", "inner"), edge("inner", "publish"), failure("inner", "give up"),
		)),
		"diamonds": compile(t, define("diamonds", "first",
			[]plan.Node{gate("first"), task("left"), task("right"), gate("second"), task("up"), task("down"), task("last"), task("aside")},
			choice("first", "left", ""), choice("first", "right", ""), choice("first", "aside", "neither"),
			edge("left", "second"), edge("right", "second"),
			choice("second", "up", "x > 10"), choice("second", "down", "x <= 10"), edge("up", "last"), edge("down", "last"), edge("aside", "last"),
		)),
		"loops": compile(t, define("loops", "plan",
			[]plan.Node{task("plan"), task("act"), gate("enough"), gate("agreed"), task("report")},
			edge("plan", "act"), edge("act", "enough"), choice("enough", "act", "no"), choice("enough", "agreed", "yes"),
			choice("agreed", "plan", "no"), choice("agreed", "report", "yes"), choice("agreed", "agreed", "ask again"),
		)),
		"deep":     compile(t, deep(8)),
		"branches": compile(t, branches(t)),
		"hostile": compile(t, define(`a "quoted" <plan> %%{init}%%`, "END",
			[]plan.Node{gate("END"), task(`say "hi"]; end`), task("`code` & \\\"more\\"), human("日本語 — ünï")},
			choice("END", `say "hi"]; end`, "a|b\n-->\x1b[31m c"), choice("END", "`code` & \\\"more\\", `"]; evil -> x [label="`),
			choice("END", "日本語 — ünï", "a very long condition that goes on and on, and then some more, until nobody would read it"), choice("END", node.End, ""),
		)),
	}
	maps.Copy(all, flows(t))
	return all
}

func several(node.Context, any) ([]string, error) { return nil, nil }

// branches is a plan with all that runs side by side: entries, a fork, a gate that chooses several, joins of both kinds,
// and maps.
func branches(t testing.TB) plan.Definition {
	t.Helper()
	send := compile(t, define("send", "write", []plan.Node{task("write"), human("approve")}, edge("write", "approve")))
	both := define("both", "left", []plan.Node{task("left"), task("right"), {Name: "sum", Run: run, Join: plan.All}}, edge("left", "sum"), edge("right", "sum"))
	both.Entry = []string{"left", "right"}
	split := func(any) ([]any, error) { return nil, nil }
	gather := func(any, []plan.Item) (any, error) { return nil, nil }
	def := define("branches", "plan",
		[]plan.Node{
			task("plan"), task("search"), task("read"), gate("enough"), sub("weigh", compile(t, both)),
			{Name: "draft", Run: run, Join: plan.All},
			{Name: "pick", Kind: plan.Router, RouteMany: several},
			{Name: "notify", Sub: send, Map: &plan.Map{Split: split, Gather: gather, Limit: 2}},
			{Name: "store", Sub: send, Map: &plan.Map{Split: split, Gather: gather, Keep: true}},
			{Name: "log", Run: run, Join: plan.Each},
			task("watch"),
		},
		edge("plan", "search"), edge("plan", "read"), edge("plan", "weigh"), edge("search", "enough"), choice("enough", "search", "no"),
		choice("enough", "draft", "yes"), edge("read", "draft"), edge("weigh", "draft"), edge("draft", "pick"),
		choice("pick", "notify", "people wait"), choice("pick", "store", "worth keeping"), choice("pick", node.End, "nothing to do"),
		edge("notify", "log"), edge("store", "log"), failure("store", "log"), edge("watch", "log"),
	)
	def.Entry = []string{"plan", "watch"}
	return def
}
