package postgres

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// quietTime is how long the news of appends gather before others are told, and how long a watcher waits after it was
// told, so that many are one.
const quietTime = 5 * time.Millisecond

// A notification holds the ids of runs, with newlines between them, or anyRun where they are too many or too odd. The
// server takes payloads of less than 8000 bytes.
const (
	maxPayload = 7900
	anyRun     = ""
)

// news is the runs that others have not been told of yet.
type news struct {
	mu      sync.Mutex
	runs    map[string]struct{}
	any     bool // there are too many to name them
	telling bool // somebody sees to it
}

// maxNews bounds the runs that wait to be told. Beyond it, any run may have changed.
const maxNews = 4096

// take is what is to be told, which is news no more.
func (n *news) take() (payloads []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.any {
		n.any = false
		clear(n.runs)
		return []string{anyRun}
	}
	var payload strings.Builder
	for run := range n.runs {
		if payload.Len() > 0 && payload.Len()+1+len(run) > maxPayload {
			payloads = append(payloads, payload.String())
			payload.Reset()
		}
		if payload.Len() > 0 {
			payload.WriteByte('\n')
		}
		payload.WriteString(run)
	}
	if payload.Len() > 0 {
		payloads = append(payloads, payload.String())
	}
	clear(n.runs)
	return payloads
}

func (n *news) empty() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.runs) == 0 && !n.any
}

// add makes a run news, and reports whether somebody has to tell it.
func (n *news) add(run string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.runs == nil {
		n.runs = make(map[string]struct{})
	}
	switch {
	case n.any:
	case len(n.runs) >= maxNews, len(run) > maxPayload, run == "", strings.Contains(run, "\n"), !isText(run):
		n.any = true
	default:
		n.runs[run] = struct{}{}
	}
	was := n.telling
	n.telling = true
	return !was
}

// missed makes it news that any run may have changed: what was to be told is lost.
func (n *news) missed() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.any = true
}

// finish reports whether there is nothing more to tell.
func (n *news) finish() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.telling = len(n.runs) > 0 || n.any
	return !n.telling
}

// tell tells others of a write to a run, soon.
func (s *Store) tell(run string) {
	if s.news.add(run) {
		go s.telling()
	}
}

// telling tells what is news until nothing is. Close tells what is left.
func (s *Store) telling() {
	for wait := quietTime; ; {
		select {
		case <-s.done:
			return
		case <-time.After(wait):
		}
		ctx := context.Background()
		if s.once(ctx, func(c *pgx.Conn) error { return s.tellAll(ctx, c) }) == nil {
			wait = quietTime
		} else {
			wait = min(max(2*wait, firstRetry), lastRetry)
		}
		if s.news.finish() {
			return
		}
	}
}

// tellAll tells others of all news. News that it cannot tell stay news.
func (s *Store) tellAll(ctx context.Context, c *pgx.Conn) error {
	payloads := s.news.take()
	if len(payloads) == 0 {
		return nil
	}
	_, err := c.Exec(ctx, s.sql.of(announce), s.channel, payloads)
	if err != nil {
		s.news.missed()
	}
	return err
}
