package dataflow

import (
	"context"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/plan"
)

// Fork begins a new run that has behind it what a run of this graph had at a seq, and goes its own way from there. Nothing
// that is finished or recorded there is done again (laws J4 and J5). Set changes what nodes have written, as JSON: with Of,
// what the node of that path has; see fermata.Runtime.Fork.
func (g *Graph) Fork(ctx context.Context, rt *fermata.Runtime, id string, o fermata.ForkOptions) (*Run, error) {
	return g.handle(rt)(rt.Fork(ctx, id, g.plan, o))
}

// Migrate drives a run on that was started on another graph, whose nodes had other names (law J8); see
// fermata.Runtime.Migrate.
func (g *Graph) Migrate(ctx context.Context, rt *fermata.Runtime, id string, m plan.Migration) (*Run, error) {
	return g.handle(rt)(rt.Migrate(ctx, id, g.plan, m, ""))
}
