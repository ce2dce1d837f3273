package dataflow

import (
	"context"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/plan"
)

// Fork starts a new run that continues independently from a seq of another run of this graph. Nothing that is finished
// or recorded there is done again (laws J4 and J5). Set changes what nodes have written, as JSON: with Of, what the
// node of that path has; see fermata.Runtime.Fork.
func (g *Graph) Fork(ctx context.Context, rt *fermata.Runtime, id string, o fermata.ForkOptions) (*Run, error) {
	return g.handle(rt)(rt.Fork(ctx, id, g.plan, o))
}

// Migrate continues a run of another graph whose nodes had other names (law J8). See fermata.Runtime.Migrate.
func (g *Graph) Migrate(ctx context.Context, rt *fermata.Runtime, id string, m plan.Migration) (*Run, error) {
	return g.handle(rt)(rt.Migrate(ctx, id, g.plan, m, ""))
}
