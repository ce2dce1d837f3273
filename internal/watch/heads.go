package watch

import (
	"context"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// heads finds writes without a notification, with one query for all runs that are read.
type heads struct {
	room  *Room              // whose readers it wakes
	ctx   context.Context    // of the watch
	store journal.HeadReader // nil for a store that misses nothing
	seen  map[string]uint64  // heads at the last query, by run
	clock *time.Ticker       // of the queries; nil for none
	tick  <-chan time.Time   // its channel; nil for none
}

func (r *Room) heads(ctx context.Context) *heads {
	h := &heads{room: r, ctx: ctx}
	if store, ok := r.store.(journal.HeadReader); ok {
		h.store, h.clock = store, time.NewTicker(look)
		h.tick = h.clock.C
	}
	return h
}

func (h *heads) stop() {
	if h.clock != nil {
		h.clock.Stop()
	}
}

// look wakes the readers of runs that have moved since the last query, and of new ones. Most of them know
// already, and find nothing.
func (h *heads) look() {
	var runs []string
	h.room.mu.Lock()
	for run := range h.room.readers {
		if run != Any {
			runs = append(runs, run)
		}
	}
	h.room.mu.Unlock()
	if len(runs) == 0 {
		h.seen = nil
		return
	}
	now, err := h.store.Heads(h.ctx, runs)
	if err != nil { // the next query comes soon
		return
	}
	for run, head := range now {
		if before, known := h.seen[run]; !known || before != head {
			h.room.wake(run)
		}
	}
	h.seen = now
}
