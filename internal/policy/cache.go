package policy

import (
	"container/list"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// DefaultCacheEntries is the default size of a cache in memory, in outcomes.
const DefaultCacheEntries = 1024

// NewMemoryCache returns a cache in memory that keeps the most recently used outcomes. With 0 entries it keeps
// DefaultCacheEntries.
func NewMemoryCache(entries int) runtype.Cache {
	if entries <= 0 {
		entries = DefaultCacheEntries
	}
	return &memoryCache{most: entries}
}

// memoryCache is a cache in memory.
type memoryCache struct {
	most int // how many outcomes it keeps

	mu    sync.Mutex               // guards what follows
	order list.List                // of *remembered, most recently used first
	by    map[string]*list.Element // elements of order by key
}

// remembered is one outcome of a memoryCache.
type remembered struct {
	key   string // in the cache
	value []byte // the encoded outcome
}

// Get implements Cache.
func (c *memoryCache) Get(_ context.Context, key string) ([]byte, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.by[key]
	if at == nil {
		return nil, false, nil
	}
	c.order.MoveToFront(at)
	return at.Value.(*remembered).value, true, nil //nolint:forcetypeassert // holds nothing else
}

// Put implements Cache.
func (c *memoryCache) Put(_ context.Context, key string, value []byte, _ time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.by[key]; at != nil {
		at.Value = &remembered{key, value}
		c.order.MoveToFront(at)
		return nil
	}
	if c.by == nil {
		c.by = make(map[string]*list.Element)
	}
	c.by[key] = c.order.PushFront(&remembered{key, value})
	if c.order.Len() > c.most {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.by, last.Value.(*remembered).key) //nolint:forcetypeassert // as above
	}
	return nil
}

// Cached is an outcome as a cache keeps it.
type Cached struct {
	Value   json.RawMessage    `json:"value"`             // that the node returned
	Choice  string             `json:"choice,omitempty"`  // of its gate: a declared name, node.End or node.Stop
	Several []string           `json:"several,omitempty"` // of a gate that chooses several
	From    journal.CachedBody `json:"from"`              // the task that made it
}

// Flight is work that others with the same key wait for.
type Flight struct {
	Over    chan struct{} // closed at its end
	Outcome *Cached       // nil for a failure; written before Over is closed
}
