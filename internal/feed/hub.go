package feed

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
)

const (
	// pace is the shortest time between two reads at the present. So a run that changes all the time is told five times a second.
	pace = 200 * time.Millisecond
	// earlyWait is how long a read is waited with for a transaction that is still on its way, if there is no sign of it.
	earlyWait = time.Second
	// glance is the time between two reads without a sign. A process that is killed gives none of its last writes.
	glance = 15 * time.Second
	// glanceAlone is the same for a store that gives no signs.
	glanceAlone = time.Second
	// kept is how many blocks a follower may be behind.
	kept = 64
	// Backoff after a failure of the store: it doubles from the first to the last.
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Told is a change with the cursor behind it.
type Told struct {
	journal.RunChange
	Cursor string // changes behind it are those that a follower has not seen, and perhaps some that it has
}

// Options are what a hub needs beside its store.
type Options struct {
	Join   func() (leave func()) // lets Sign be called until leave is; nil for a store that gives no signs
	Failed func(error)           // called with an error of the store, which is asked again
}

// Hub has the followers of a store.
type Hub struct {
	store journal.Feeder
	o     Options
	signs chan struct{} // holds one where something may have been written
	over  chan struct{} // closed by Close

	begin sync.Mutex // held while a reader is started

	mu        sync.Mutex         // guards what follows
	followers int                // at the present, or on their way there
	stop      context.CancelFunc // ends the reader; nil while there is none
	blocks    [kept]block        // the last ones, by their number modulo kept
	n         uint64             // how many blocks there have been
	notifier  chan struct{}      // closed with the next block
	closed    bool               // Close was called
}

// block is what the reader has read at once.
type block struct {
	told []Told
	err  error // ends all followers
}

// New returns a hub. It reads nothing while nobody follows.
func New(store journal.Feeder, o Options) *Hub {
	return &Hub{store: store, o: o, signs: make(chan struct{}, 1), over: make(chan struct{}), notifier: make(chan struct{})}
}

// Sign says that something may have been written. A nil hub has nobody to tell.
func (h *Hub) Sign() {
	if h == nil {
		return
	}
	select {
	case h.signs <- struct{}{}:
	default: // there is one already
	}
}

// Close ends the hub. Followers come to their end.
func (h *Hub) Close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	close(h.over)
	if h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// Now returns the cursor of the present.
func (h *Hub) Now(ctx context.Context) (string, error) {
	page, err := h.store.Feed(ctx, journal.FeedQuery{After: journal.FeedNow, Limit: 1})
	return page.Began, err
}

// Follow yields the changes behind a cursor, and with follow those to come until ctx is done. An error comes last.
func (h *Hub) Follow(ctx context.Context, after string, follow bool) iter.Seq2[Told, error] {
	return func(yield func(Told, error) bool) {
		f := &follower{hub: h, cursor: after, yield: yield}
		if follow {
			if err := h.enter(ctx); err != nil {
				f.fail(ctx, err)
				return
			}
			defer h.leave()
		}
		for f.catchUp(ctx) && follow && f.live(ctx) {
		}
	}
}

// enter adds a follower. There is a reader from then on, which has begun.
func (h *Hub) enter(ctx context.Context) error {
	h.begin.Lock()
	defer h.begin.Unlock()
	h.mu.Lock()
	h.followers++
	runs := h.stop != nil || h.closed
	h.mu.Unlock()
	if runs {
		return nil
	}
	leave := func() {}
	if h.o.Join != nil {
		leave = h.o.Join() // before the first read, so that no sign is missed
	}
	at, err := h.Now(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.followers--
	}
	if err != nil || h.closed {
		leave()
		return err
	}
	reading, stop := context.WithCancel(context.Background())
	h.stop = stop
	r := &reader{hub: h, ctx: reading, cursor: at, early: make(map[string]uint64)}
	go func() {
		defer leave()
		r.read()
	}()
	return nil
}

func (h *Hub) leave() {
	h.begin.Lock() // a reader that is about to begin is stopped then
	defer h.begin.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.followers--; h.followers == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
		clear(h.blocks[:])
	}
}

// publish gives all followers a block.
func (h *Hub) publish(b block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.blocks[h.n%kept] = b
	h.n++
	close(h.notifier)
	h.notifier = make(chan struct{})
}

// reader reads what is new for all followers.
type reader struct {
	hub    *Hub
	ctx    context.Context
	cursor string
	early  map[string]uint64 // marks of what was told early, by run
}

func (r *reader) read() {
	wait, retry := glance, firstRetry
	for r.await(wait) {
		early, err := r.pages()
		if errors.Is(err, journal.ErrQuery) {
			err = r.again(err)
		}
		switch {
		case err != nil:
			if r.ctx.Err() == nil {
				r.hub.o.Failed(err)
			}
			r.pause(retry)
			wait, retry = 0, min(2*retry, lastRetry)
			continue
		case early:
			wait = earlyWait
		case r.hub.o.Join == nil:
			wait = glanceAlone
		default:
			wait = glance
		}
		retry = firstRetry
		r.pause(pace)
	}
}

// again begins at the present, after the order of the store has begun anew. All who follow get the error.
func (r *reader) again(failed error) error {
	cursor, err := r.hub.Now(r.ctx)
	if err != nil {
		return err
	}
	r.cursor = cursor
	clear(r.early)
	r.hub.publish(block{err: failed})
	return nil
}

// await waits for a sign, at most so long. It is false when there is no more to wait for.
func (r *reader) await(most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-r.ctx.Done():
		return false
	case <-r.hub.signs:
	case <-timer.C:
	}
	return true
}

func (r *reader) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.ctx.Done():
	case <-timer.C:
	}
}

// pages tells all that is new, and reports whether some of it is early.
func (r *reader) pages() (early bool, err error) {
	for more := true; more; {
		page, err := r.hub.store.Feed(r.ctx, journal.FeedQuery{After: r.cursor, Limit: journal.MaxPage})
		if err != nil {
			return false, err
		}
		told := r.news(&page)
		r.cursor, more, early = page.Next, page.More, page.Early > 0
		if len(told) > 0 {
			r.hub.publish(block{told: told})
		}
	}
	return early, nil
}

// news is what a page has that was not told early before.
func (r *reader) news(page *journal.FeedPage) []Told {
	final := len(page.Changes) - page.Early
	before := r.early
	if page.Early > 0 || len(before) > 0 && !page.More {
		r.early = make(map[string]uint64)
	}
	var told []Told
	for i, c := range page.Changes {
		if mark, known := before[c.Row.ID]; !known || mark != c.Mark {
			told = append(told, Told{c, page.Began})
		}
		if i >= final {
			r.early[c.Row.ID] = c.Mark
		}
	}
	if len(told) > 0 {
		told[len(told)-1].Cursor = page.Next
	}
	return told
}

// follower is one who follows.
type follower struct {
	hub    *Hub
	cursor string // behind what it was told
	at     uint64 // number of the next block
	yield  func(Told, error) bool
}

func (f *follower) fail(ctx context.Context, err error) {
	if ctx.Err() == nil {
		f.yield(Told{}, err)
	}
}

// catchUp reads the store up to the present. It is false when the follower has left.
func (f *follower) catchUp(ctx context.Context) bool {
	f.hub.mu.Lock()
	f.at = f.hub.n // what is told from here on was stored before, or is in a later block
	f.hub.mu.Unlock()
	for {
		page, err := f.hub.store.Feed(ctx, journal.FeedQuery{After: f.cursor, Limit: journal.MaxPage})
		if err != nil {
			f.fail(ctx, err)
			return false
		}
		for i, c := range page.Changes {
			t := Told{c, page.Began}
			if i == len(page.Changes)-1 {
				t.Cursor = page.Next
			}
			if !f.yield(t, nil) {
				return false
			}
		}
		f.cursor = page.Next
		if page.Early > 0 && len(page.Changes) == journal.MaxPage { // there may be more of them
			select {
			case <-ctx.Done():
				return false
			case <-f.hub.over:
				return false
			case <-time.After(pace):
			}
		} else if !page.More {
			return true
		}
	}
}

// live yields what the reader reads. It is false when the follower has left, and true when it has fallen behind.
func (f *follower) live(ctx context.Context) bool {
	h := f.hub
	for {
		h.mu.Lock()
		if h.n-f.at > kept {
			h.mu.Unlock()
			return true
		}
		if f.at == h.n {
			notifier := h.notifier
			h.mu.Unlock()
			select {
			case <-notifier:
				continue
			case <-ctx.Done():
				return false
			case <-h.over:
				return false
			}
		}
		b := h.blocks[f.at%kept]
		h.mu.Unlock()
		f.at++
		if b.err != nil {
			f.fail(ctx, b.err)
			return false
		}
		for _, t := range b.told {
			if !f.yield(t, nil) {
				return false
			}
			f.cursor = t.Cursor
		}
	}
}
