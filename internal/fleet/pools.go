package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/place"
	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// sharePools lets the pools that processes share have their places in the store (law J20).
func (f *Fleet) sharePools() error {
	l := &f.lease
	cells, ok := storage.Capability[journal.Swapper](f.Store)
	switch {
	case l.store == nil && f.Options.Lease < 0:
		return f.policies.Share(nil, "its places need leases, and Options.Lease is negative")
	case l.store == nil || !ok:
		return f.policies.Share(nil, fmt.Sprintf(
			"its places need a store with leases and cells (journal.Leaser and journal.Swapper); %T has none", storage.Unguarded(f.Store)))
	}
	return f.policies.Share(policy.NewShared(policy.SharedEnv{
		Store: cells, Driver: l.driver, Lease: l.patient(), KeepAlive: l.KeepAlive, Left: l.left,
		Join: func(name string) func() { return f.env.Room.Join(name) }, At: f.At, Now: f.Now, Log: f.Log,
	}), "")
}

// left is how long the last sign of life of a process counts. It is 0 for one that is known to be gone. While the store
// does not tell, a process is taken to be alive.
func (l *lease) left(ctx context.Context, driver string) time.Duration {
	if isGone(driver) {
		return 0
	}
	left, err := l.store.Left(ctx, driver)
	if err != nil {
		return l.patient()
	}
	return left
}

// closePools gives back places of functions that were left behind, and waits for those that are being given back.
func (f *Fleet) closePools() {
	if shared := f.policies.Shared(); shared != nil {
		ctx, cancel := context.WithTimeout(context.Background(), f.lease.patient())
		defer cancel()
		shared.Close(ctx)
	}
}

// Places lists the places of shared pools, and the waits for them; of all pools if the name is "".
func (f *Fleet) Places(ctx context.Context, pool string) ([]runtype.Place, error) {
	cells, ok := storage.Capability[journal.Swapper](f.Store)
	leases, leased := storage.Capability[journal.Leaser](f.Store)
	if !ok || !leased {
		return nil, nil
	}
	prefix := place.Prefix
	if pool != "" {
		prefix = place.Name(pool, "")
	}
	all, err := cells.Cells(ctx, prefix, 0)
	if err != nil {
		return nil, f.StoreError("", err)
	}
	alive := make(map[string]bool)
	lives := func(e place.Entry) bool {
		if _, known := alive[e.Driver]; !known && err == nil {
			var left time.Duration
			left, err = leases.Left(ctx, e.Driver)
			alive[e.Driver] = left > 0 && !isGone(e.Driver)
		}
		return alive[e.Driver]
	}
	var list []runtype.Place
	for _, c := range all {
		of, key, ok := place.Split(c.Name)
		ledger, damaged := place.Decode(c.Value)
		if !ok || damaged != nil { // the next process that writes it makes it anew
			continue
		}
		ahead := 0
		for _, e := range slices.Concat(ledger.Held, ledger.Waiting) {
			if !lives(e) || e.Got != 0 && ledger.Rated {
				continue
			}
			p := runtype.Place{Pool: of, Key: key, Run: e.Run, Task: e.Task, Driver: e.Driver, Priority: e.Priority, Since: time.UnixMicro(e.Since)}
			if e.Got != 0 {
				p.Got = time.UnixMicro(e.Got)
			} else {
				p.Ahead = ahead
				ahead++
			}
			list = append(list, p)
		}
	}
	if err != nil {
		return nil, f.StoreError("", err)
	}
	return list, nil
}

// sweepPlaces removes what lost processes have left in the ledgers of shared pools, and rates that have passed. Nothing
// depends on it but space: processes that wait for a place do the same for their pool.
func (l *lease) sweepPlaces(ctx context.Context) {
	cells, ok := storage.Capability[journal.Swapper](l.rt.Store)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	all, err := cells.Cells(ctx, place.Prefix, 0)
	for _, c := range all {
		ledger, damaged := place.Decode(c.Value)
		swept := ledger.Swept(l.rt.Now(), func(driver string) bool { return driver == l.driver || l.left(ctx, driver) > 0 })
		if err == nil && (damaged != nil || !swept.Same(&ledger)) {
			_, _, err = cells.Swap(ctx, c.Name, c.Value, swept.Encode())
		}
	}
	if err != nil && ctx.Err() == nil {
		l.rt.Log.Warn("removing the places of lost processes failed", "error", err)
	}
}
