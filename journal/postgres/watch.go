package postgres

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/fermata-go/fermata/journal"
)

// Between two attempts to connect again passes a time that doubles from the first to the last of these.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Watch implements [journal.Watcher], see [Store.WatchRuns].
func (s *Store) Watch(ctx context.Context, changed func()) error {
	return s.WatchRuns(ctx, func(journal.Change) { changed() })
}

// WatchRuns implements [journal.RunWatcher]. It has a connection of its own, on which the server notifies it of the
// writes of other stores; while nobody writes it does nothing. When the connection breaks it connects again, and any
// run may have changed meanwhile.
//
// Others are told some milliseconds after a write, of all that was written until then; a process that is killed in
// between has not told.
func (s *Store) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	if s.closed() {
		return s.fail("watch", "", 0, journal.ErrClosed)
	}
	c, err := s.listen(ctx)
	if err != nil {
		return s.fail("watch", "", 0, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &heard{signs: make(chan struct{}, 1)}
	go s.hear(ctx, c, h)
	go func() {
		defer cancel()
		for s.await(ctx, h.signs) {
			changed(h.take())
		}
	}()
	return nil
}

// heard is what a watcher was told and has not passed on.
type heard struct {
	signs chan struct{} // holds one where there is something

	mu   sync.Mutex
	runs map[string]struct{}
	any  bool
}

// add takes note of a notification.
func (h *heard) add(payload string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if payload == anyRun {
		h.any = true
	} else if !h.any {
		if h.runs == nil {
			h.runs = make(map[string]struct{})
		}
		for run := range strings.SplitSeq(payload, "\n") {
			h.runs[run] = struct{}{}
		}
		h.any = len(h.runs) > maxNews
	}
	select {
	case h.signs <- struct{}{}:
	default: // there is one already
	}
}

func (h *heard) take() journal.Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	runs, all := h.runs, h.any
	h.runs, h.any = nil, false
	if all {
		return journal.Change{Any: true}
	}
	return journal.Change{Runs: slices.Collect(maps.Keys(runs))}
}

// listen is a connection that is told of appends.
func (s *Store) listen(ctx context.Context) (*pgx.Conn, error) {
	config := s.config.Copy()
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()} // at once: the connection is not kept
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if _, err := c.Exec(ctx, "LISTEN "+pgx.Identifier{s.channel}.Sanitize()); err != nil {
		hangUp(c)
		return nil, err
	}
	return c, nil
}

// hangUp closes a connection of a watcher, and waits no longer for the server than it must.
func hangUp(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx) // nothing was written through it
}

// hear takes note of what other stores have written, or may have.
func (s *Store) hear(ctx context.Context, c *pgx.Conn, h *heard) {
	for {
		told, err := c.WaitForNotification(ctx)
		if err != nil {
			hangUp(c)
			if c = s.listenAgain(ctx); c == nil {
				return
			}
			h.add(anyRun)
			continue
		}
		if !s.isOwn(told.PID) {
			h.add(told.Payload)
		}
	}
}

// listenAgain connects until it works; none when ctx is done.
func (s *Store) listenAgain(ctx context.Context) *pgx.Conn {
	for wait := firstRetry; ctx.Err() == nil; wait = min(2*wait, lastRetry) {
		if c, err := s.listen(ctx); err == nil {
			return c
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return nil
}

// isOwn reports whether the server means one of our connections, whose appends this process knows.
func (s *Store) isOwn(connection uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own[connection]
}

// await waits for a sign, and a moment for those that follow at once. It is false when there is no more to wait for.
func (s *Store) await(ctx context.Context, signs <-chan struct{}) bool {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.done:
			return false
		case <-quiet:
			return true
		case <-signs:
			if quiet == nil {
				quiet = time.After(quietTime)
			}
		}
	}
}
