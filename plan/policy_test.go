package plan_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/plan"
)

// shared is a plan whose nodes share pools and a cache, inside a subgraph and outside.
func shared(t *testing.T) plan.Definition {
	t.Helper()
	nodes := func(pools ...string) []plan.Node {
		var all []plan.Node
		for i, pool := range pools {
			n := task("n" + itoa(i))
			n.Pool = pool
			all = append(all, n)
		}
		return all
	}
	inner := compile(t, define("inner", "n0", nodes("model", "db"), edge("n0", "n1")))
	def := define("shared", "n0", nodes("model", "", "api"), edge("n0", "n1"), edge("n1", "n2"), edge("n2", "in"))
	def.Nodes[1].Cache = &plan.Cache{Version: "v1", TTL: time.Minute}
	def.Nodes[1].Retry = plan.Retry{Attempts: 2, Jitter: 0.5}
	def.Nodes = append(def.Nodes, sub("in", inner))
	return def
}

func TestPoolsAreListedOnce(t *testing.T) {
	p := compile(t, shared(t))
	if diff := cmp.Diff([]string{"api", "db", "model"}, p.Pools()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p.Pools()[0] = "changed"
	if got := p.Pools()[0]; got != "api" {
		t.Errorf("the plan's pools changed with its caller's: %s", got)
	}
}

// J8: policies may change under a run.
func TestJ8_PoliciesDoNotPinARun(t *testing.T) {
	with, without := shared(t), shared(t)
	for i := range without.Nodes {
		n := &without.Nodes[i]
		n.Pool, n.Cache, n.Retry = "", nil, plan.Retry{}
	}
	if compile(t, with).Fingerprint() != compile(t, without).Fingerprint() {
		t.Error("the fingerprint covers pools, caches or jitter")
	}
}

func TestPoliciesAreInTheDocument(t *testing.T) {
	text, err := compile(t, shared(t)).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Nodes []map[string]any }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, n := range doc.Nodes {
		got = append(got, []any{n["pool"], n["cache"], n["retry"]})
	}
	want := []any{
		[]any{"model", nil, nil},
		[]any{nil, map[string]any{"version": "v1", "ttl_ms": 60000.0}, map[string]any{"attempts": 2.0, "jitter": 0.5}},
		[]any{"api", nil, nil},
		[]any{nil, nil, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
