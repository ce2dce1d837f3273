package graph

import (
	"context"
	"encoding/json"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/plan"
)

// ForkOptions say where a fork leaves its run and how it differs. See fermata.ForkOptions. The zero value forks at the
// end, and changes nothing.
type ForkOptions[S any] struct {
	At   uint64 // seq of the last entry that is shared; 0 is the end
	ID   string
	By   string
	Hold bool // record only
	// Edit changes the states of type S that are held at At. Those of subgraphs with a state of their own stay.
	Edit func(S) (S, error)
	// Set changes states of any type as JSON, before Edit.
	Set       map[string]json.RawMessage
	Of        string   // one task or node whose state alone is changed
	AskAgain  []string // questions, or tasks, whose answers are not kept
	Migration plan.Migration
}

// Fork starts a new run that continues independently from a seq of another run of this graph. Nothing that is finished
// or recorded there is done again (laws J4 and J5); see fermata.Runtime.Fork.
func (g *Graph[S]) Fork(ctx context.Context, rt *fermata.Runtime, id string, o ForkOptions[S]) (*Run[S], error) {
	erased := fermata.ForkOptions{
		At: o.At, ID: o.ID, By: o.By, Hold: o.Hold, Set: o.Set, Of: o.Of, AskAgain: o.AskAgain, Migration: o.Migration,
	}
	if o.Edit != nil {
		erased.Edit = func(value any) (any, error) {
			state, ok := value.(*S)
			if !ok {
				return nil, fermata.ErrSkip
			}
			edited, err := o.Edit(*state)
			return &edited, err
		}
	}
	return g.handle(rt.Fork(ctx, id, g.plan, erased))
}

// Migrate continues a run of another graph whose nodes had other names (law J8). See fermata.Runtime.Migrate.
func (g *Graph[S]) Migrate(ctx context.Context, rt *fermata.Runtime, id string, m plan.Migration, opts ...fermata.RetryOption) (*Run[S], error) {
	return g.handle(rt.Migrate(ctx, id, g.plan, m, "", opts...))
}
