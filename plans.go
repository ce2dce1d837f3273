package fermata

import (
	"context"
	"maps"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// planID tells the plans of runs apart. The fingerprint alone does not: it covers the shape of a plan and not what its
// nodes do, in which the plans of two definitions differ.
type planID struct{ name, fingerprint, definition string }

// plans are those of the runs that were driven here: an answer or a timer that comes here drives such a run on. Those that
// no run needs any more are forgotten from time to time, so that a program may load definitions for ever. The runtime's lock
// is held in all methods.
type plans struct {
	known map[planID]knownPlan
	most  int    // with more of them it is asked which are needed; 0 for leastPlans
	uses  uint64 // counts put
	asked bool   // that is being asked
}

type knownPlan struct {
	plan *plan.Plan
	used uint64 // which put was the last
}

// leastPlans is with how many plans nobody asks whether they are needed.
const leastPlans = 64

func (k *plans) put(id planID, p *plan.Plan) {
	if k.known == nil {
		k.known = make(map[planID]knownPlan)
	}
	k.uses++
	k.known[id] = knownPlan{p, k.uses}
}

// forget drops the plans that were last put before a time and that are not needed.
func (k *plans) forget(before uint64, needed map[planID]bool) {
	maps.DeleteFunc(k.known, func(id planID, p knownPlan) bool { return p.used <= before && !needed[id] })
}

// forgetPlans drops the plans of runs that have all ended, once there are many. It asks the store again when there are twice
// as many as are needed.
func (rt *Runtime) forgetPlans() {
	rt.mu.Lock()
	before := rt.plans.uses
	due := len(rt.plans.known) > max(rt.plans.most, leastPlans) && !rt.plans.asked
	rt.plans.asked = rt.plans.asked || due
	rt.mu.Unlock()
	if !due {
		return
	}
	needed, err := rt.neededPlans()
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if err == nil {
		rt.plans.forget(before, needed)
		was := rt.kept
		rt.kept = make(map[string]bool, len(rt.plans.known)) // of those that are forgotten it is found out anew
		for _, p := range rt.plans.known {
			if id := p.plan.Fingerprint(); was[id] {
				rt.kept[id] = true
			}
		}
	}
	rt.plans.most, rt.plans.asked = 2*len(rt.plans.known), false
}

// neededPlans are the plans of all runs that have not ended. A run that goes from one status to the other meanwhile was put
// again here, or is another process's.
func (rt *Runtime) neededPlans() (map[planID]bool, error) {
	needed := make(map[planID]bool)
	for _, status := range []Status{Running, Paused} {
		rows, err := rt.store.Runs(rt.ctx, journal.RunFilter{Status: string(status)})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			needed[planID{rows[i].Plan, rows[i].Fingerprint, rows[i].Definition}] = true
		}
	}
	return needed, nil
}

// planOf finds the plan of a run that is not driven: one of those started here, or by Options.Plans; nil for none, and for a
// run that is blocked: its timer lets it go on.
func (rt *Runtime) planOf(ctx context.Context, id string) (*plan.Plan, error) {
	info, err := rt.Info(ctx, id)
	if err != nil || info.Status == string(Blocked) {
		return nil, err
	}
	return rt.planFor(ctx, info)
}

func (rt *Runtime) planFor(ctx context.Context, info RunInfo) (*plan.Plan, error) {
	rt.mu.Lock()
	p := rt.moved[info.ID]
	if p == nil {
		p = rt.plans.known[planID{info.Plan, info.Fingerprint, info.Definition}].plan
	}
	rt.mu.Unlock()
	if p == nil && rt.options.Plans != nil {
		return foundBy(ctx, rt.options.Plans, info)
	}
	return p, nil
}
