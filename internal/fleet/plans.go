package fleet

import (
	"context"
	"maps"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// planID identifies the plan of a run. The fingerprint covers the shape of a plan but not its code, in which
// the plans of two definitions may differ.
type planID struct {
	name        string // of the plan
	fingerprint string // of its shape
	definition  string // the digest of the text that it was made from, "" for none
}

// plans holds the plans of runs that were executed here, so that an answer or a timer can resume them. Unneeded
// plans are dropped from time to time. The fleet's lock is held in all methods.
type plans struct {
	known map[planID]knownPlan // in use
	most  int                  // size that starts a query for needed plans; 0 for leastPlans
	uses  uint64               // counts calls of put
	asked bool                 // a query is in progress
}

// knownPlan is a plan in the table.
type knownPlan struct {
	plan *plan.Plan // the plan
	used uint64     // number of its last put
}

// leastPlans is the size up to which no plan is dropped.
const leastPlans = 64

func (k *plans) put(id planID, p *plan.Plan) {
	if k.known == nil {
		k.known = make(map[planID]knownPlan)
	}
	k.uses++
	k.known[id] = knownPlan{p, k.uses}
}

// forget drops plans that were not put since before and are not needed.
func (k *plans) forget(before uint64, needed map[planID]bool) {
	maps.DeleteFunc(k.known, func(id planID, p knownPlan) bool { return p.used <= before && !needed[id] })
}

// forgetPlans drops plans of ended runs once there are many. It queries the store again at twice the number
// needed.
func (f *Fleet) forgetPlans() {
	f.mu.Lock()
	before := f.plans.uses
	due := len(f.plans.known) > max(f.plans.most, leastPlans) && !f.plans.asked
	f.plans.asked = f.plans.asked || due
	f.mu.Unlock()
	if !due {
		return
	}
	needed, err := f.neededPlans()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.plans.forget(before, needed)
		fingerprints := make(map[string]bool, len(f.plans.known))
		for _, p := range f.plans.known {
			fingerprints[p.plan.Fingerprint()] = true
		}
		f.stateEnv.Outlines.Retain(func(fingerprint string) bool { return fingerprints[fingerprint] })
	}
	f.plans.most, f.plans.asked = 2*len(f.plans.known), false
}

// neededPlans returns the plans of all unfinished runs. A run that changes its status meanwhile was put again
// here, or is another process's.
func (f *Fleet) neededPlans() (map[planID]bool, error) {
	needed := make(map[planID]bool)
	for _, status := range []runtype.Status{runtype.Running, runtype.Paused} {
		rows, err := f.Store.Runs(f.ctx, journal.RunFilter{Status: string(status)})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			needed[planID{rows[i].Plan, rows[i].Fingerprint, rows[i].Definition}] = true
		}
	}
	return needed, nil
}

// planOf returns the plan of a run that is not executed: a known one, or from Options.Plans. It is nil if there
// is none, for a blocked run, which its timer resumes, and for one that is left to other workers.
func (f *Fleet) planOf(ctx context.Context, id string) (*plan.Plan, error) {
	info, err := f.Info(ctx, id)
	if err != nil || info.Status == string(runtype.Blocked) || f.isLeft(&info) {
		return nil, err
	}
	return f.PlanFor(ctx, info)
}

// PlanFor returns the plan of a run: a known one, or from Options.Plans; nil for none.
func (f *Fleet) PlanFor(ctx context.Context, info runtype.RunInfo) (*plan.Plan, error) {
	p := f.knownPlan(&info)
	if p == nil && f.Options.Plans != nil {
		return storage.FindPlan(ctx, f.Options.Plans, info)
	}
	return p, nil
}

// FindPlan returns the plan that a function of the program gives for a run; nil for none. A panic is an error (law N7).
func FindPlan(ctx context.Context, plans func(context.Context, runtype.RunInfo) (*plan.Plan, error), info runtype.RunInfo) (*plan.Plan, error) {
	return storage.FindPlan(ctx, plans, info)
}

// KnownPlans returns how many plans are kept.
func (f *Fleet) KnownPlans() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.plans.known)
}
