package watch

import (
	"context"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Any is joined by who is to be woken by every write.
const Any = ""

const (
	// look passes between two questions for the heads of the runs that are read, where a store may miss a write.
	look = 2 * time.Second
	// glance passes between two calls of wake for everybody, whatever the store says.
	glance = time.Minute
	// linger is how long a watch is kept that nobody needs: readers come and go.
	linger = 5 * time.Second
	// Between two attempts to watch passes a time that doubles from the first to the last of these.
	firstRetry = 50 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Room is the readers of a store. A nil Room has none, and nobody is woken.
type Room struct {
	store  journal.Watcher
	wake   func(run string)
	failed func(error)

	watches sync.WaitGroup

	mu      sync.Mutex
	readers map[string]int     // how many have joined, by run
	stop    context.CancelFunc // of the watch; nil while there is none
	idle    *time.Timer        // ends the watch; nil while anybody has joined
	closed  bool
}

// New makes a room. A call of wake must not wait; failed is told why the store cannot be watched, which is tried again.
func New(store journal.Watcher, wake func(run string), failed func(error)) *Room {
	return &Room{store: store, wake: wake, failed: failed, readers: make(map[string]int)}
}

// Join has wake called with the run soon after another process may have written to it, until leave is called. It does
// not wait for the store: where there is no watch yet, wake is called once there is one, for what came before.
func (r *Room) Join(run string) (leave func()) {
	if r == nil {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers[run]++
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
	if r.stop == nil && !r.closed {
		ctx, stop := context.WithCancel(context.Background())
		r.stop = stop
		r.watches.Go(func() { r.watch(ctx) })
	}
	return sync.OnceFunc(func() { r.leave(run) })
}

func (r *Room) leave(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers[run]--; r.readers[run] == 0 {
		delete(r.readers, run)
	}
	if len(r.readers) == 0 && r.stop != nil {
		r.idle = time.AfterFunc(linger, r.rest)
	}
}

// rest ends the watch, unless somebody has joined meanwhile.
func (r *Room) rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.readers) == 0 && r.stop != nil {
		r.stop()
		r.stop, r.idle = nil, nil
	}
}

// Close ends the watch. Nobody is woken any more.
func (r *Room) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.closed = true
	if r.idle != nil {
		r.idle.Stop()
	}
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
	r.mu.Unlock()
	r.watches.Wait()
}

// watch watches the store until ctx is done.
func (r *Room) watch(ctx context.Context) {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := r.begin(ctx)
		if err == nil {
			break
		}
		if ctx.Err() == nil {
			r.failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
	r.hear(ctx, journal.Change{Any: true})
	everybody, heads := time.NewTicker(glance), r.heads(ctx)
	defer everybody.Stop()
	defer heads.stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-everybody.C:
			r.hear(ctx, journal.Change{Any: true})
		case <-heads.tick:
			heads.look()
		}
	}
}

func (r *Room) begin(ctx context.Context) error {
	if s, ok := r.store.(journal.RunWatcher); ok {
		return s.WatchRuns(ctx, func(c journal.Change) { r.hear(ctx, c) })
	}
	return r.store.Watch(ctx, func() { r.hear(ctx, journal.Change{Any: true}) })
}

// hear wakes those that a change is of concern to.
func (r *Room) hear(ctx context.Context, c journal.Change) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	var woken []string
	if c.Any {
		for run := range r.readers {
			woken = append(woken, run)
		}
	} else {
		for _, run := range append(c.Runs, Any) {
			if r.readers[run] > 0 {
				woken = append(woken, run)
			}
		}
	}
	r.mu.Unlock()
	for _, run := range woken {
		r.wake(run)
	}
}
