package policy

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/journal"
)

// StoreCache is a cache in a journal.Store: outcomes outlive the process, and processes share them.
type StoreCache struct {
	store journal.Store // holds a journal for each outcome
	clock runtype.Clock // for expiry

	mu     sync.Mutex // guards pruned
	pruned time.Time  // when Put last removed expired outcomes
}

// NewStoreCache returns a cache in a store. Each outcome is a journal of its own, which no listing of runs
// shows. The clock decides about expiry; it should be the runtime's. Nil is the system's.
func NewStoreCache(store journal.Store, clock runtype.Clock) *StoreCache {
	if clock == nil {
		clock = runtype.SystemClock{}
	}
	return &StoreCache{store: store, clock: clock, pruned: clock.Now()}
}

// pruneEvery is how often Put removes expired outcomes.
const pruneEvery = time.Hour

// cacheKind marks the row of a cached outcome.
const cacheKind = "cache"

// Get implements Cache.
func (c *StoreCache) Get(ctx context.Context, key string) ([]byte, bool, error) {
	for e, err := range c.store.Read(ctx, key, 0) {
		if errors.Is(err, journal.ErrNotFound) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		return e.Value, true, nil
	}
	return nil, false, nil
}

// Put implements Cache. Of two concurrent writes, one is kept. Once an hour it also removes expired outcomes.
func (c *StoreCache) Put(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	now := c.clock.Now()
	until := int64(0)
	if ttl > 0 {
		until = now.Add(ttl).UnixMicro()
	}
	batch := journal.Batch{
		Run:     key,
		Entries: []journal.Entry{{Seq: 1, At: now.UnixMicro(), Kind: journal.Definition, Value: value}},
		Row: &journal.RunRow{
			ID: key, Kind: "definition", Plan: cacheKind, Status: string(runtype.Completed), Created: now.UnixMicro(),
			Updated: until, // so that pruning need not read the entries; 0 for ever
		},
	}
	err := c.store.Append(ctx, batch)
	if errors.Is(err, journal.ErrConflict) { // there is an earlier one
		if err = c.store.Delete(ctx, key); err == nil {
			err = c.store.Append(ctx, batch)
		}
	}
	if err != nil && !errors.Is(err, journal.ErrConflict) {
		return err
	}
	c.mu.Lock()
	due := now.Sub(c.pruned) >= pruneEvery
	if due {
		c.pruned = now
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	_, err = c.Prune(ctx)
	return err
}

// Prune removes expired outcomes, and returns how many.
func (c *StoreCache) Prune(ctx context.Context) (removed int, err error) {
	rows, err := c.store.Runs(ctx, journal.RunFilter{Definition: true, Plan: cacheKind})
	if err != nil {
		return 0, err
	}
	now := c.clock.Now().UnixMicro()
	for i := range rows {
		if until := rows[i].Updated; until == 0 || until > now {
			continue
		}
		if err := c.store.Delete(ctx, rows[i].ID); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
