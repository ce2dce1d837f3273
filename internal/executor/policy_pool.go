package executor

import (
	"context"

	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/plan"
)

// setPolicies gives an evaluated run its own pools and cache, if its options have any.
func (x *Execution) setPolicies(o runtype.Options) (err error) {
	if x.policies, err = policy.NewPolicies(o); err == nil && o.Pools != nil {
		err = x.policies.Covers("", x.Plan)
	}
	return err
}

// poolPolicy has a node wait for a place in its pool. The goroutine of the node's function gives the place back: one that
// overruns its timeout keeps it until it returns.
type poolPolicy struct{}

func (poolPolicy) governs(x *Execution, flat *plan.Flat) bool {
	return flat.Pool != "" && x.policies != nil && x.policies.Pools[flat.Pool] != nil // Evaluate may have a cache and no pools
}

func (poolPolicy) attempt(ctx context.Context, w *work, next next) (any, chosen, error) {
	place := w.run.policies.Pools[w.flat.Pool]
	if err := place.Acquire(ctx, w.run.Storage.Clock); err != nil {
		return nil, chosen{}, err
	}
	w.over = append(w.over, place.Release)
	return next(ctx)
}
