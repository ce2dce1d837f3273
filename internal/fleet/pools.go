package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/internal/policy"
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
