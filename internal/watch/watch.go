package watch

import (
	"context"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Any is the run to join for every write.
const Any = ""

const (
	// look is the interval of queries for the heads of runs, if the store may miss a write. A store that cannot be watched misses all.
	look = 2 * time.Second
	// The interval at which a reader of a run is woken if the store notifies nobody: it doubles from the first to the last.
	firstLook = 100 * time.Millisecond
	lastLook  = 5 * time.Minute
	// glance is the interval at which all readers are woken in any case.
	glance = time.Minute
	// linger is how long an unused watch is kept: readers come and go.
	linger = 5 * time.Second
	// Backoff between attempts to watch: it doubles from the first to the last.
	firstRetry = 50 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Room holds the readers of a store. A nil Room has none, and wakes nobody.
type Room struct {
	store  journal.Watcher  // nil for a store without notifications
	wake   func(run string) // called for a run that was written to
	failed func(error)      // called with an error of the store

	watches sync.WaitGroup // running watch goroutines
	over    chan struct{}  // closed by Close

	mu      sync.Mutex         // guards what follows
	readers map[string]int     // how many have joined, by run
	stop    context.CancelFunc // ends the watch; nil while there is none
	idle    *time.Timer        // ends an unused watch; nil while there are readers
	closed  bool               // Close was called
}

// New returns a room. wake must not block. failed gets the errors of the store; the watch is retried. Without a store that
// notifies, readers of a run are woken at growing intervals, and those of Any never.
func New(store journal.Watcher, wake func(run string), failed func(error)) *Room {
	return &Room{store: store, wake: wake, failed: failed, over: make(chan struct{}), readers: make(map[string]int)}
}

// Join calls wake with the run after another process may have written to it, until leave is called. It does not wait
// for the store: a new watch first calls wake for earlier writes.
func (r *Room) Join(run string) (leave func()) {
	if r == nil {
		return func() {}
	}
	if r.store == nil {
		return r.joinAlone(run)
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

// joinAlone is Join for a store that notifies nobody.
func (r *Room) joinAlone(run string) (leave func()) {
	left := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	if run != Any && !r.closed {
		r.watches.Go(func() { r.poll(left, run) })
	}
	return sync.OnceFunc(func() { close(left) })
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

// rest ends the watch if nobody has joined meanwhile.
func (r *Room) rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.readers) == 0 && r.stop != nil {
		r.stop()
		r.stop, r.idle = nil, nil
	}
}

// Close ends the watch. No calls follow.
func (r *Room) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	if !r.closed {
		close(r.over)
	}
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

// watch watches the store until ctx is done. While the store cannot be watched, its heads are queried, and all readers are
// woken now and then, as beside a watch: the reason may last, such as a machine without an inotify instance to spare.
func (r *Room) watch(ctx context.Context) {
	everybody, heads := time.NewTicker(glance), r.heads(ctx)
	defer everybody.Stop()
	defer heads.stop()
	wait := firstRetry
	again := r.try(ctx, wait)
	for {
		select {
		case <-ctx.Done():
			return
		case <-again:
			wait = min(2*wait, lastRetry)
			again = r.try(ctx, wait)
		case <-everybody.C:
			r.hear(ctx, journal.Change{Any: true})
		case <-heads.tick:
			heads.look()
		}
	}
}

// try begins a watch, and wakes all readers for earlier writes. If it fails, it returns a channel that says when to try again.
func (r *Room) try(ctx context.Context, wait time.Duration) (again <-chan time.Time) {
	if err := r.begin(ctx); err != nil {
		if ctx.Err() == nil {
			r.failed(err)
		}
		return time.After(wait)
	}
	r.hear(ctx, journal.Change{Any: true})
	return nil
}

// poll wakes a reader of a run at growing intervals, until it has left. Two runtimes may share a store that notifies nobody.
func (r *Room) poll(left <-chan struct{}, run string) {
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		select {
		case <-left:
			return
		case <-r.over:
			return
		case <-time.After(wait):
			r.wake(run)
		}
	}
}

func (r *Room) begin(ctx context.Context) error {
	if s, ok := r.store.(journal.RunWatcher); ok {
		return s.WatchRuns(ctx, func(c journal.Change) { r.hear(ctx, c) })
	}
	return r.store.Watch(ctx, func() { r.hear(ctx, journal.Change{Any: true}) })
}

// hear wakes the readers that a change concerns.
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
