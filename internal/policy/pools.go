package policy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/plan"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

func checkPool(name string, p runtype.Pool) error {
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
	return &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf("pool %q: %s", name, fault)}
}

// Policies are shared by the nodes of all runs of a runtime.
type Policies struct {
	Pools map[string]*Pool // by name
	Cache runtype.Cache    // of outcomes

	Mu      sync.Mutex         // guards Flights
	Flights map[string]*Flight // work in progress, by cache key
}

// NewPolicies returns the policies of o; nil if it has none.
func NewPolicies(o runtype.Options) (*Policies, error) {
	if o.Pools == nil && o.Cache == nil {
		return nil, nil //nolint:nilnil // a plan that is only evaluated shares nothing
	}
	p := &Policies{Pools: make(map[string]*Pool, len(o.Pools)), Cache: o.Cache}
	for _, name := range slices.Sorted(maps.Keys(o.Pools)) {
		limits := o.Pools[name]
		if err := checkPool(name, limits); err != nil {
			return nil, err
		}
		p.Pools[name] = newPool(limits)
	}
	return p, nil
}

// Covers checks that every pool that a plan names exists.
func (p *Policies) Covers(run string, of *plan.Plan) error {
	for _, name := range of.Pools() {
		if p.Pools[name] != nil {
			continue
		}
		at := slices.IndexFunc(of.Flat(), func(f plan.Flat) bool { return f.Pool == name })
		return &runtype.Error{
			Code: runtype.CodeInvalid, Run: run,
			Err: fmt.Errorf("plan %q: node %q is in pool %q, which Options.Pools does not have%s",
				of.Name(), of.Flat()[at].Path, name, p.knownPools(name)),
		}
	}
	return nil
}

// knownPools lists the pools and suggests the nearest name.
func (p *Policies) knownPools(name string) string {
	if len(p.Pools) == 0 {
		return "; it has none"
	}
	names := slices.Sorted(maps.Keys(p.Pools))
	if hint := nearest.Hint(name, names); hint != "" {
		return hint
	}
	return "; it has " + strings.TrimSpace(runtype.QuoteAll(names))
}

// Pool is a Pool in use.
type Pool struct {
	slots *semaphore.Weighted // nil for no limit
	rate  *rate.Limiter       // nil for no limit
}

func newPool(limits runtype.Pool) *Pool {
	p := &Pool{}
	if limits.Concurrent > 0 {
		p.slots = semaphore.NewWeighted(int64(limits.Concurrent))
	}
	if limits.Every > 0 {
		p.rate = rate.NewLimiter(rate.Every(limits.Every), max(limits.Burst, 1))
	}
	return p
}

// Acquire waits until a function may start in the pool. It takes a slot before a turn: turns taken while
// waiting for slots would be used later, all at once.
func (p *Pool) Acquire(ctx context.Context, clock runtype.Clock) error {
	if p.slots != nil {
		if err := p.slots.Acquire(ctx, 1); err != nil {
			return err
		}
	}
	if p.rate == nil || p.rate.AllowN(clock.Now(), 1) {
		return nil
	}
	if err := p.turn(ctx, clock); err != nil {
		p.Release()
		return err
	}
	return nil
}

// turn waits until the rate allows the next start. Turns are given out in order.
func (p *Pool) turn(ctx context.Context, clock runtype.Clock) error {
	now := clock.Now()
	reserved := p.rate.ReserveN(now, 1)
	if !reserved.OK() {
		return errors.New("the pool's rate lets nothing start") // a burst of at least 1 always does
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

// Release releases a slot. A nil pool has none.
func (p *Pool) Release() {
	if p != nil && p.slots != nil {
		p.slots.Release(1)
	}
}
