package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
)

const (
	// settleTime is how long the news of appends gather before others are told, and how long a watcher waits after it
	// was told, so that many are one.
	settleTime = 5 * time.Millisecond
	// Between two attempts to connect again passes a time that doubles from the first to the last of these.
	firstRetry = 50 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// news is the runs whose entries others have not been told of yet.
type news struct {
	mu      sync.Mutex
	runs    map[string]struct{}
	telling bool // somebody sees to it
}

// maxNews bounds the runs that wait: watchers are told that something has changed, and need no more than one for that.
const maxNews = 256

// take is the runs, which are news no more.
func (n *news) take() (runs []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for run := range n.runs {
		runs = append(runs, run)
	}
	clear(n.runs)
	return runs
}

func (n *news) empty() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.runs) == 0
}

// add makes a run news, and reports whether somebody has to tell it.
func (n *news) add(run string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.runs == nil {
		n.runs = make(map[string]struct{})
	}
	if len(n.runs) < maxNews {
		n.runs[run] = struct{}{}
	}
	was := n.telling
	n.telling = true
	return !was
}

// finish reports whether there is nothing more to tell.
func (n *news) finish() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.telling = len(n.runs) > 0
	return !n.telling
}

// tell tells others of a run's entries, soon.
func (s *Store) tell(run string) {
	if s.news.add(run) {
		go s.telling()
	}
}

// telling tells what is news until nothing is. Close tells what is left.
func (s *Store) telling() {
	for wait := settleTime; ; {
		select {
		case <-s.done:
			return
		case <-time.After(wait):
		}
		wait = settleTime
		ctx := context.Background()
		if s.with(ctx, func(c *pgx.Conn) error { return s.tellAll(ctx, c) }) != nil {
			wait = lastRetry
		}
		if s.news.finish() {
			return
		}
	}
}

// tellAll tells what is news. What it cannot tell stays news.
func (s *Store) tellAll(ctx context.Context, c *pgx.Conn) error {
	runs := s.news.take()
	if len(runs) == 0 {
		return nil
	}
	_, err := c.Exec(ctx, announce, s.channel, runs)
	if err != nil {
		for _, run := range runs {
			s.news.add(run)
		}
	}
	return err
}

// Watch implements [journal.Watcher]. It has a connection of its own, on which the server tells of what other stores
// have appended; while nobody writes it does nothing. When the connection breaks it connects again, and calls changed,
// because something may have been missed.
//
// What changes projections is told by the transaction that does it. Of entries alone others are told some
// milliseconds after; a process that is killed in between has not told.
func (s *Store) Watch(ctx context.Context, changed func()) error {
	if s.closed() {
		return s.fail("watch", "", 0, journal.ErrClosed)
	}
	c, err := s.listen(ctx)
	if err != nil {
		return s.fail("watch", "", 0, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	signs := make(chan struct{}, 1)
	go s.hear(ctx, c, signs)
	go func() {
		defer cancel()
		for s.await(ctx, signs) {
			changed()
		}
	}()
	return nil
}

// listen is a connection that is told of appends.
func (s *Store) listen(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ConnectConfig(ctx, s.config.Copy())
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

// hear gives a sign whenever another store has appended, or may have.
func (s *Store) hear(ctx context.Context, c *pgx.Conn, signs chan<- struct{}) {
	for {
		told, err := c.WaitForNotification(ctx)
		if err != nil {
			hangUp(c)
			if c = s.listenAgain(ctx); c == nil {
				return
			}
		}
		if err != nil || !s.isOwn(told.PID) {
			select {
			case signs <- struct{}{}:
			default: // there is one already
			}
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
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.done:
			return false
		case <-settled:
			return true
		case <-signs:
			if settled == nil {
				settled = time.After(settleTime)
			}
		}
	}
}
