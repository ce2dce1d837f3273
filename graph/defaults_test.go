package graph_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// policies are those of a node, by its name.
type policies struct {
	Attempts      int
	Timeout, Idle time.Duration
	Pool, Cache   string
	Pure          bool
}

func policiesOf(p *plan.Plan) map[string]policies {
	all := make(map[string]policies)
	for _, f := range p.Flat() {
		got := policies{Attempts: f.Retry.Attempts, Timeout: f.Timeout, Idle: f.Idle, Pool: f.Pool, Pure: f.Pure}
		if f.Cache != nil {
			got.Cache = f.Cache.Version
		}
		all[f.Path] = got
	}
	return all
}

// LangGraph's set_node_defaults: policies of all nodes of a graph, and a node's own take their place. Subgraphs keep theirs.
func TestF1_DefaultsAreForNodesThatSayNothingElse(t *testing.T) {
	inner := graph.Of("in", same).MustCompile()
	b := graph.New[order]("shop").
		Node("first", same).
		Defaults(graph.Retry(3, time.Second), graph.Timeout(time.Minute), graph.Idle(time.Second), graph.Pool("few")).
		Node("own", same, graph.Retry(1, 0), graph.Timeout(0), graph.Pool("")).
		Node("cached", same, graph.Cache("v1"), graph.Pure()).
		Sub("sub", inner).
		Edge(graph.Start, "first").Edge("first", "own").Edge("own", "cached").Edge("cached", "sub")
	want := map[string]policies{
		"first":  {Attempts: 3, Timeout: time.Minute, Idle: time.Second, Pool: "few"},
		"own":    {Attempts: 1, Idle: time.Second},
		"cached": {Attempts: 3, Timeout: time.Minute, Idle: time.Second, Pool: "few", Cache: "v1", Pure: true},
		"sub":    {}, "sub/in": {},
	}
	for range 2 { // a builder may be compiled twice
		if diff := cmp.Diff(want, policiesOf(b.MustCompile().Plan())); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	later := b.Defaults(graph.Retry(5, 0)).MustCompile()
	if got := policiesOf(later.Plan())["first"].Attempts; got != 5 {
		t.Errorf("after another call %d attempts, want 5", got)
	}
}

// A retry by default is a retry.
func TestF1_ADefaultIsInForce(t *testing.T) {
	attempts := 0
	g := graph.Of("pay", func(ctx node.Context, o order) (order, error) {
		if attempts = ctx.Info().Attempt; attempts < 3 {
			return o, errors.New("not yet")
		}
		return o, nil
	}).Defaults(graph.Retry(3, time.Microsecond)).MustCompile()
	if _, err := g.Run(t.Context(), order{}); err != nil || attempts != 3 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

// What is about one node is no default.
func TestG7_DefaultsArePolicies(t *testing.T) {
	for name, opt := range map[string]graph.NodeOption{
		"a join": graph.All(), "a text": graph.Doc("x"), "a version": graph.Version("1"), "a limit of a map": graph.Limit(2), "a person": graph.Human(),
		"a merge": graph.MergeWith(func(o order, _ []order) (order, error) { return o, nil }),
	} {
		_, err := graph.Of("a", same).Defaults(graph.Retry(2, 0), opt).Compile()
		if err == nil || !strings.Contains(err.Error(), `graph "a": Defaults has an option that is about one node; expected Retry`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
