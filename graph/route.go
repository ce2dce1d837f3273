package graph

import (
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// startGate is the node at which a route from Start chooses. Its tasks have that name.
const startGate = "(start)"

// Route makes a node a gate: after it, choose picks one of the targets. From [Start], choose picks where the run begins,
// by the state that it was given; that choice is a task called "(start)".
func (b *Builder[S]) Route(from string, choose RouteFunc[S], targets ...string) *Builder[S] {
	if !b.canRoute(from, choose != nil) {
		return b
	}
	from = b.gate(from)
	b.routes[from] = func(ctx node.Context, v any) (string, error) {
		return choose(ctx, *v.(*S)) //nolint:forcetypeassert // the codec makes nothing else
	}
	return b.edges(from, plan.Choice, targets)
}

// RouteMany makes a node a gate that chooses several of its targets. Each begins a branch. See [Builder.Route] about Start.
func (b *Builder[S]) RouteMany(from string, choose RouteManyFunc[S], targets ...string) *Builder[S] {
	if !b.canRoute(from, choose != nil) {
		return b
	}
	from = b.gate(from)
	b.many[from] = func(ctx node.Context, v any) ([]string, error) {
		return choose(ctx, *v.(*S)) //nolint:forcetypeassert // the codec makes nothing else
	}
	return b.edges(from, plan.Choice, targets)
}

// canRoute reports what is wrong with a route, and whether there is one at all.
func (b *Builder[S]) canRoute(from string, is bool) bool {
	at, name := from, from
	if from == Start {
		at, name = startGate, "Start"
	}
	switch {
	case !is:
		b.problem("route from %q has no function", name)
	case b.routes[at] != nil || b.many[at] != nil:
		b.problem("node %q has two routes", name)
	}
	return is
}

// gate is the node that chooses: the node itself, or one that is made for Start.
func (b *Builder[S]) gate(from string) string {
	if from != Start {
		return from
	}
	if b.routes[startGate] == nil && b.many[startGate] == nil {
		b.add(plan.Node{Name: startGate, Kind: plan.Router, Doc: "where the run begins"}, nil)
		b.def.Entry = append(b.def.Entry, startGate)
	}
	return startGate
}
