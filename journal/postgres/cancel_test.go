package postgres_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// leaver is a caller that stops waiting when the n-th thing of its call is sent.
type leaver struct {
	mu     sync.Mutex
	left   int    // things to send until it stops; negative: never
	leave  func() // stops waiting
	closed atomic.Int32
}

func (l *leaver) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	return leaving{c, l}, err
}

type leaving struct {
	net.Conn
	of *leaver
}

func (c leaving) Write(p []byte) (int, error) {
	c.of.mu.Lock()
	if c.of.left--; c.of.left == 0 {
		c.of.leave()
	}
	c.of.mu.Unlock()
	return c.Conn.Write(p)
}

func (c leaving) Close() error {
	c.of.closed.Add(1)
	return c.Conn.Close()
}

// TestJ3_ACallerThatStopsWaitingCostsNoConnection stops waiting at each thing that a call sends. The server ends what it was asked for:
// the connection is used again, so that the next call needs no other one, and Close does not wait for the server to notice.
func TestJ3_ACallerThatStopsWaitingCostsNoConnection(t *testing.T) {
	t.Parallel()
	const patience = time.Second // of the store, with a server that is to end what it does
	starved := lawtest.HeldUp(t, patience/10)
	l := &leaver{left: -1}
	s := open(t, postgres.Options{Schema: newSchema(t), Dial: l.dial, Conns: 1})
	create(t, s, "run_1")
	head := uint64(2)
	calls := map[string]func(context.Context) error{
		"append": func(ctx context.Context) error {
			return s.Append(ctx, journal.Batch{Run: "run_1", After: head, Entries: step(head, []byte(`1`))})
		},
		"read": func(ctx context.Context) error {
			_, err := readAll(ctx, s, "run_1")
			return err
		},
		"claim": func(ctx context.Context) error {
			_, err := s.Claim(ctx, "somebody", "run_1")
			return err
		},
		"beat": func(ctx context.Context) error { return s.Beat(ctx, "somebody", time.Minute) },
		"runs": func(ctx context.Context) error {
			_, err := s.Runs(ctx, journal.RunFilter{})
			return err
		},
	}
	slow := false
	for name, call := range calls {
		left := false
		for n := 1; n == 1 || left; n++ {
			asked := time.Now()
			list, err := readAll(t.Context(), s, "run_1")
			slow = slow || time.Since(asked) > patience/10 // the server is held up, and this process may be not
			if err != nil {
				t.Fatalf("%s, after %d: %v", name, n-1, err)
			}
			head = list[len(list)-1].Seq
			ctx, cancel := context.WithCancel(t.Context())
			l.mu.Lock()
			l.left, l.leave = n, cancel
			l.mu.Unlock()
			_ = call(ctx) // done or not: the journal says
			left = ctx.Err() != nil
			cancel()
			l.mu.Lock()
			l.left = -1
			l.mu.Unlock()
		}
	}
	if closed := l.closed.Load(); closed != 0 && !slow && !starved() {
		t.Errorf("%d connections were closed, expected none", closed)
	}
	closeIt(t, s)
}
