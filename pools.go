package fermata

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
)

// Pool is a limit that nodes share by its name, in all runs of a runtime. A node of a pool waits for its place before
// its function is called, in the order in which the nodes came. The wait counts for the run's limit of time and not for
// the node's timeout. The place is given back when the function returns, also when it returns to wait for a person or a
// timer: coming back, it takes a place anew. A function that goes on after its timeout keeps its place until it returns.
//
// A pool limits one runtime. It is not stored, and others that drive runs of the same store have pools of their own.
// The zero value limits nothing.
type Pool struct {
	Concurrent int           // how many functions may run at the same time. Defaults to any number
	Every      time.Duration // one function may start in this time, on average: time.Second/50 is 50 a second. Defaults to no limit
	Burst      int           // how many may start at once after nothing has started for a while. Defaults to 1
}

func (p Pool) check(name string) error {
	var fault string
	switch {
	case name == "":
		fault = "a pool needs a name; nodes without a pool have none"
	case p.Concurrent < 0:
		fault = fmt.Sprintf("Concurrent is %d; it may not be negative, and 0 is any number", p.Concurrent)
	case p.Every < 0:
		fault = fmt.Sprintf("Every is %s; it may not be negative, and 0 is no limit", p.Every)
	case p.Burst < 0:
		fault = fmt.Sprintf("Burst is %d; it may not be negative, and 0 is 1", p.Burst)
	case p.Burst > 0 && p.Every == 0:
		fault = fmt.Sprintf("Burst is %d, and Every is not set; a burst is what may go beyond a rate", p.Burst)
	default:
		return nil
	}
	return &Error{Code: CodeInvalid, Err: fmt.Errorf("pool %q: %s", name, fault)}
}

// policies are what the nodes of all runs of a runtime share.
type policies struct {
	pools map[string]*pool
	cache Cache

	mu      sync.Mutex
	flights map[string]*flight // what is being worked out now, by the key in the cache
}

// newPolicies makes what o says; nil where it says nothing.
func newPolicies(o Options) (*policies, error) {
	if o.Pools == nil && o.Cache == nil {
		return nil, nil //nolint:nilnil // a plan that is only evaluated shares nothing, and pays for nothing
	}
	p := &policies{pools: make(map[string]*pool, len(o.Pools)), cache: o.Cache}
	for _, name := range slices.Sorted(maps.Keys(o.Pools)) {
		limits := o.Pools[name]
		if err := limits.check(name); err != nil {
			return nil, err
		}
		p.pools[name] = newPool(limits)
	}
	return p, nil
}

// covers checks that there is every pool that a plan names.
func (p *policies) covers(run string, of *plan.Plan) error {
	for _, name := range of.Pools() {
		if p.pools[name] != nil {
			continue
		}
		at := slices.IndexFunc(of.Flat(), func(f plan.Flat) bool { return f.Pool == name })
		return &Error{
			Code: CodeInvalid, Run: run,
			Err: fmt.Errorf("plan %q: node %q is in pool %q, which Options.Pools does not have%s",
				of.Name(), of.Flat()[at].Path, name, p.knownPools(name)),
		}
	}
	return nil
}

// setPolicies gives a run that is only evaluated pools and a cache of its own, where its options have them.
func (d *drive) setPolicies(o Options) (err error) {
	if d.policies, err = newPolicies(o); err == nil && o.Pools != nil {
		err = d.policies.covers("", d.plan)
	}
	return err
}

// knownPools says which pools there are, and which one may be meant.
func (p *policies) knownPools(name string) string {
	if len(p.pools) == 0 {
		return "; it has none"
	}
	names := slices.Sorted(maps.Keys(p.pools))
	if hint := nearest.Hint(name, names); hint != "" {
		return hint
	}
	return "; it has " + strings.TrimSpace(quoteAll(names))
}

// pool is a Pool at work.
type pool struct {
	slots *semaphore.Weighted // nil for any number
	rate  *rate.Limiter       // nil for any rate
}

func newPool(limits Pool) *pool {
	p := &pool{}
	if limits.Concurrent > 0 {
		p.slots = semaphore.NewWeighted(int64(limits.Concurrent))
	}
	if limits.Every > 0 {
		p.rate = rate.NewLimiter(rate.Every(limits.Every), max(limits.Burst, 1))
	}
	return p
}

// acquire waits until a function may start in the pool. A place comes before a turn: a turn that was taken while others
// still held all places would be used later, together with those that come then.
func (p *pool) acquire(ctx context.Context, clock Clock) error {
	if p.slots != nil {
		if err := p.slots.Acquire(ctx, 1); err != nil {
			return err
		}
	}
	if p.rate == nil || p.rate.AllowN(clock.Now(), 1) {
		return nil
	}
	if err := p.turn(ctx, clock); err != nil {
		p.release()
		return err
	}
	return nil
}

// turn waits for the next time at which the rate lets a function start. The times are given out in order.
func (p *pool) turn(ctx context.Context, clock Clock) error {
	now := clock.Now()
	reserved := p.rate.ReserveN(now, 1)
	if !reserved.OK() {
		return errors.New("the pool's rate lets nothing start") // a burst of 1 and more always does
	}
	due := make(chan struct{})
	stop := clock.AfterFunc(reserved.DelayFrom(now), func() { close(due) })
	select {
	case <-due:
		return nil
	case <-ctx.Done():
		stop()
		reserved.CancelAt(clock.Now())
		return ctx.Err()
	}
}

// release gives a place back. A nil pool has nothing to give.
func (p *pool) release() {
	if p != nil && p.slots != nil {
		p.slots.Release(1)
	}
}

// acquire waits for a node's place in its pool, which the caller releases once the function has returned; nil where
// the node is in none. It fails when driving stops meanwhile.
func (d *drive) acquire(ctx context.Context, flat *plan.Flat) (*pool, error) {
	if flat.Pool == "" || d.policies == nil {
		return nil, nil //nolint:nilnil // a nil pool limits nothing
	}
	p := d.policies.pools[flat.Pool]
	if p == nil {
		return nil, nil //nolint:nilnil // as above: Evaluate with a cache and without pools
	}
	if err := p.acquire(ctx, d.clock()); err != nil {
		return nil, err
	}
	return p, nil
}
