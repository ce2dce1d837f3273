package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/plan"
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
	case p.Shared && p.Concurrent > mostShared:
		fault = fmt.Sprintf("Concurrent is %d; a shared pool has at most %d places, since each change of one writes all of them", p.Concurrent, mostShared)
	case p.Burst > 0 && p.Every == 0:
		fault = fmt.Sprintf("Burst is %d, and Every is not set; a burst is what may go beyond a rate", p.Burst)
	default:
		return nil
	}
	return &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf("pool %q: %s", name, fault)}
}

// mostShared is how many places a shared pool may have.
const mostShared = 1000

// Policies are shared by the nodes of all runs of a runtime.
type Policies struct {
	Cache runtype.Cache // of outcomes

	pools  map[string]*Pool // of the options, by name
	shared *Shared          // the pools that processes share; nil without them

	Mu      sync.Mutex         // guards what follows
	Flights map[string]*Flight // work in progress, by cache key
	named   map[string]*Pool   // pools that plans declare, by name
}

// NewPolicies returns the policies of o; nil if it has none.
func NewPolicies(o runtype.Options) (*Policies, error) {
	if o.Pools == nil && o.Cache == nil {
		return nil, nil //nolint:nilnil // a plan that is only evaluated shares nothing
	}
	p := &Policies{Cache: o.Cache, pools: make(map[string]*Pool, len(o.Pools)), named: make(map[string]*Pool)}
	for _, name := range slices.Sorted(maps.Keys(o.Pools)) {
		limits := o.Pools[name]
		if err := checkPool(name, limits); err != nil {
			return nil, err
		}
		p.pools[name] = newPool(limits)
	}
	return p, nil
}

// Share gives the pools that processes share their places (law J20). why says why there can be none, where s is nil; then a
// shared pool is refused.
func (p *Policies) Share(s *Shared, why string) error {
	if p.shared = s; s != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.pools)) {
		if p.pools[name].limits.Shared {
			return &runtype.Error{Code: runtype.CodeInvalid, Err: fmt.Errorf("pool %q is shared: %s", name, why)}
		}
	}
	return nil
}

// Shared returns the pools that processes share; nil without them.
func (p *Policies) Shared() *Shared {
	if p == nil {
		return nil
	}
	return p.shared
}

// Pool returns the pool of a node of a plan: that of the options or, without one, that of the plan. It is nil for a plan that
// is only evaluated and has nobody to share a pool with.
func (p *Policies) Pool(of *plan.Plan, name string) *Pool {
	if p == nil {
		return nil
	}
	if own := p.pools[name]; own != nil {
		return own
	}
	declared, ok := of.PoolNamed(name)
	if !ok || p.shared == nil {
		return nil
	}
	limits := runtype.Pool{Concurrent: declared.Concurrent, Every: declared.Every, Burst: declared.Burst, Shared: true}
	p.Mu.Lock()
	defer p.Mu.Unlock()
	was := p.named[name]
	if was == nil || was.limits != limits {
		was = newPool(limits)
		p.named[name] = was
	}
	return was
}

// Covers checks that every pool that a plan names exists.
func (p *Policies) Covers(run string, of *plan.Plan) error {
	for _, name := range of.Pools() {
		if p.Pool(of, name) != nil {
			continue
		}
		at := slices.IndexFunc(of.Flat(), func(f plan.Flat) bool { return f.Pool == name })
		why := "which Options.Pools does not have" + p.knownPools(name)
		if _, declared := of.PoolNamed(name); declared {
			why = "which is shared by all processes: that needs leases, and a store with cells (journal.Leaser and journal.Swapper)"
		}
		return &runtype.Error{
			Code: runtype.CodeInvalid, Run: run,
			Err: fmt.Errorf("plan %q: node %q is in pool %q, %s", of.Name(), of.Flat()[at].Path, name, why),
		}
	}
	return nil
}

// knownPools lists the pools and suggests the nearest name.
func (p *Policies) knownPools(name string) string {
	if len(p.pools) == 0 {
		return "; it has none"
	}
	names := slices.Sorted(maps.Keys(p.pools))
	if hint := nearest.Hint(name, names); hint != "" {
		return hint
	}
	return "; it has " + strings.TrimSpace(runtype.QuoteAll(names))
}
