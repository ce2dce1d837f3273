package watch

import (
	"context"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// heads looks for writes that nobody has told of, with one question for all runs that are read.
type heads struct {
	room  *Room
	ctx   context.Context
	store journal.HeadReader // nil for a store that misses nothing
	seen  map[string]uint64  // the heads at the last look
	clock *time.Ticker
	tick  <-chan time.Time
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

// look wakes the readers of runs that have moved since the last look, and of those that are read for the first time.
// Most of them know already, and find nothing.
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
	if err != nil { // the next look comes soon
		return
	}
	for run, head := range now {
		if before, known := h.seen[run]; !known || before != head {
			h.room.wake(run)
		}
	}
	h.seen = now
}
