package dataflow_test

import (
	"testing"
	"time"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/plan"
)

// Policies of a graph are those of its nodes that say nothing else. Gates are not cached by them.
func TestF1_DefaultsAreForNodesThatSayNothingElse(t *testing.T) {
	add := func(x int) int { return x + 1 }
	inner := graphOf(t, unary("in", "x", "z", add))
	g := graphOf(t, dataflow.Defaults(dataflow.Retry(3, time.Second), dataflow.Timeout(time.Minute), dataflow.Cache("v1")),
		unary("plain", "a", "b", add), unary("own", "b", "c", add, dataflow.Retry(1, 0), dataflow.Timeout(0), dataflow.NoCache()),
		unary("with", "c", "x", add).With(dataflow.Cache("v2")), told("gate", "sub", dataflow.End), inner.As("sub"))
	got := make(map[string][]any)
	def := g.Plan().Definition()
	for i := range def.Nodes {
		n, version := def.Nodes[i], ""
		if n.Cache != nil {
			version = n.Cache.Version
		}
		got[n.Name] = []any{n.Retry.Attempts, n.Timeout, version}
	}
	same(t, "policies", map[string][]any{
		"plain": {3, time.Minute, "v1"}, "own": {1, time.Duration(0), ""}, "with": {3, time.Minute, "v2"},
		"gate": {3, time.Minute, ""}, "sub": {0, time.Duration(0), ""},
	}, got)
}

// What is about one node is no default.
func TestD1_DefaultsArePolicies(t *testing.T) {
	for name, opt := range map[string]dataflow.NodeOption{
		"a name": dataflow.Rename("b"), "an input": dataflow.RenameInput("a", "b"), "a text": dataflow.Doc("x"), "a version": dataflow.Version("1"),
		"a fallback": dataflow.Fallback("a"),
	} {
		found := problemsOf(t, dataflow.Defaults(opt), says("a", "x"))
		same(t, name, []dataflow.Problem{{
			Code:    plan.BadNode,
			Message: "Defaults has an option that is about one node; expected Retry, RetryIf, Timeout, Idle, Pool, Cache or NoCache",
		}}, found)
	}
}
