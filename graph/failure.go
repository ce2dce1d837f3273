package graph

import (
	"errors"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// filter is an error edge and what it is for; nil for every failure.
type filter struct {
	match func(error) bool
	to    string
}

// catchBy takes the first error edge that is for a failure; those for every failure come last.
func catchBy(filters []filter) node.CatchFunc {
	return func(_ node.Context, _ any, cause error) (string, error) {
		for _, f := range filters {
			if f.match != nil && f.match(cause) {
				return f.to, nil
			}
		}
		for _, f := range filters {
			if f.match == nil {
				return f.to, nil
			}
		}
		return "", nil
	}
}

// OnError leads to a node when from has failed for good. The node there finds the reason with node.Context.Cause.
// Beside OnErrorIs and OnErrorAs it is for the failures that these do not take, wherever it is declared.
func (b *Builder[S]) OnError(from, to string) *Builder[S] { return b.onError(from, to, nil) }

// OnErrorIs is OnError for failures that errors.Is finds target in. Of several that do, the first declared is taken.
// The failure of a recorded step has a text and no cause (see node.StepError): return what you look for outside of steps.
func (b *Builder[S]) OnErrorIs(from string, target error, to string) *Builder[S] {
	if target == nil {
		b.problem("error edge %q -> %q: it is for no error; OnError is for all of them", from, to)
		return b
	}
	return b.onError(from, to, func(err error) bool { return errors.Is(err, target) })
}

// OnErrorAs is OnError for failures that errors.As finds an E in.
func OnErrorAs[E error, S any](b *Builder[S], from, to string) *Builder[S] {
	return b.onError(from, to, func(err error) bool {
		_, ok := errors.AsType[E](err)
		return ok
	})
}

func (b *Builder[S]) onError(from, to string, match func(error) bool) *Builder[S] {
	known := false
	for _, f := range b.filters[from] {
		known = known || f.to == to
		if match == nil && f.match == nil {
			b.problem("node %q has two error edges for every failure, to %q and to %q; Catch chooses among several", from, f.to, to)
		}
	}
	b.filters[from] = append(b.filters[from], filter{match: match, to: to})
	if known {
		return b // several filters may lead to one node
	}
	return b.edges(from, plan.Failure, []string{to})
}

// Catch chooses where from's failure goes.
func (b *Builder[S]) Catch(from string, choose CatchFunc[S], targets ...string) *Builder[S] {
	switch {
	case choose == nil:
		b.problem("catch of %q has no function", from)
		return b
	case b.catches[from] != nil:
		b.problem("node %q has two catches", from)
	}
	b.catches[from] = func(ctx node.Context, v any, cause error) (string, error) {
		return choose(ctx, *v.(*S), cause) //nolint:forcetypeassert // the codec makes nothing else
	}
	return b.edges(from, plan.Failure, targets)
}
