package executor

import (
	"context"
	"slices"
	"testing"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// turnPolicy has nodes that are retried take turns: no two of them run at once, whatever their runs.
type turnPolicy struct {
	turn chan struct{} // full while a node has the turn
}

func (turnPolicy) governs(_ *Execution, flat *plan.Flat) bool { return flat.Retry.Attempts > 1 }

func (p turnPolicy) attempt(ctx context.Context, w *work, next next) (any, chosen, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, chosen{}, ctx.Err()
	}
	w.over = append(w.over, func() { <-p.turn })
	return next(ctx)
}

// A policy is one value: with it in the list, nodes run under it and under the others.
func TestAPolicyIsOneValue(t *testing.T) {
	turns := turnPolicy{turn: make(chan struct{}, 1)}
	all := nodePolicies
	nodePolicies = append(slices.Clone(all), turns)
	t.Cleanup(func() { nodePolicies = all })

	taken := make(chan int, 3)
	run := func(_ node.Context, in any) (any, error) {
		taken <- len(turns.turn)
		return in, nil
	}
	p, err := plan.New(plan.Definition{
		Name: "turns", Entry: []string{"a", "b", "c"}, State: value.Dynamic(),
		Nodes: []plan.Node{
			{Name: "a", Run: run, Retry: plan.Retry{Attempts: 2}},
			{Name: "b", Run: run, Retry: plan.Retry{Attempts: 2}, Pool: "p", Cache: &plan.Cache{Version: "1"}},
			{Name: "c", Run: run, Cache: &plan.Cache{Version: "1"}}, // has no turn of its own
		},
		Edges: []plan.Edge{{From: "a", To: node.End}, {From: "b", To: node.End}, {From: "c", To: node.End}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Evaluate(t.Context(), p, map[string]any{}, runtype.Options{Pools: map[string]runtype.Pool{"p": {Concurrent: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(taken) != 3 || len(turns.turn) != 0 {
		t.Errorf("%d nodes ran, and %d turns were not given back; want 3 and none", len(taken), len(turns.turn))
	}
	if first, second := <-taken, <-taken; first+second+<-taken < 2 {
		t.Error("a node that is retried ran without its turn")
	}
}
