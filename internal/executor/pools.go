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

// acquire waits for a node's place in its pool; nil if the node has none. The caller releases it. It fails if
// the execution stops.
func (x *Execution) acquire(ctx context.Context, flat *plan.Flat) (*policy.Pool, error) {
	if flat.Pool == "" || x.policies == nil {
		return nil, nil //nolint:nilnil // a nil pool limits nothing
	}
	p := x.policies.Pools[flat.Pool]
	if p == nil {
		return nil, nil //nolint:nilnil // Evaluate with a cache and without pools
	}
	if err := p.Acquire(ctx, x.Storage.Clock); err != nil {
		return nil, err
	}
	return p, nil
}
