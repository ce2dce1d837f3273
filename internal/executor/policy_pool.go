package executor

import (
	"context"
	"fmt"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/printable"
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
	return flat.Pool != "" && x.policies.Pool(x.Plan, flat.Pool) != nil // Evaluate may have a cache and no pools
}

func (poolPolicy) attempt(ctx context.Context, w *work, next next) (any, chosen, error) {
	x := w.run
	key, err := poolKey(w)
	if err != nil {
		return nil, chosen{}, err
	}
	release, err := x.policies.Pool(x.Plan, w.flat.Pool).Acquire(ctx, x.policies.Shared(), x.Storage.Clock, policy.Request{
		Pool: w.flat.Pool, Key: key, Run: x.ID, Task: w.h.Info().Task(), Priority: w.priority,
	})
	if err != nil {
		return nil, chosen{}, err
	}
	w.over = append(w.over, release)
	return next(ctx)
}

// longestPoolKey limits keys of pools, in bytes.
const longestPoolKey = 255

// poolKey asks a node for the key under which its task is in the pool.
func poolKey(w *work) (key string, err error) {
	if w.flat.PoolKey == nil {
		return "", nil
	}
	err = guard.Call(func() error { key, err = w.flat.PoolKey(w.in); return err })
	if err == nil {
		err = printable.Check("its key", key)
	}
	if n := len(key); err == nil && n > longestPoolKey {
		err = fmt.Errorf("its key has %d bytes; expected %d at most", n, longestPoolKey)
	}
	if err != nil {
		return "", fmt.Errorf("pool %q: %w", w.flat.Pool, err)
	}
	return key, nil
}
