package executor

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/plan"
)

// BenchmarkAcquire takes a place in a pool that has one, and gives it back: what each call of a node in a pool costs
// when nobody is in its way.
func BenchmarkAcquire(b *testing.B) {
	for name, limits := range map[string]runtype.Pool{
		"places":          {Concurrent: 4},
		"rate":            {Every: time.Nanosecond, Burst: 1 << 30},
		"places and rate": {Concurrent: 4, Every: time.Nanosecond, Burst: 1 << 30},
	} {
		b.Run(name, func(b *testing.B) {
			p, err := policy.NewPolicies(runtype.Options{Pools: map[string]runtype.Pool{"api": limits}})
			if err != nil {
				b.Fatal(err)
			}
			x := &Execution{policies: p}
			x.State = runstate.State{Env: &runstate.Env{Storage: &storage.Storage{Clock: runtype.SystemClock{}}}}
			flat := &plan.Flat{Node: &plan.Node{Name: "a", Pool: "api"}}
			if x.Plan, err = plan.New(plan.Definition{Name: "a", Kind: "graph", Entry: []string{"a"}, Nodes: []plan.Node{{Name: "a", Pool: "api"}}}); err != nil {
				b.Fatal(err)
			}
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				w := work{run: x, flat: flat, h: &host{run: x}}
				_, _, err := poolPolicy{}.attempt(ctx, &w, func(context.Context) (any, chosen, error) { return nil, chosen{}, nil })
				if err != nil {
					b.Fatal(err)
				}
				w.over[0]()
			}
		})
	}
}
