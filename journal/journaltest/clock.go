package journaltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// testClock checks that the clock of a store goes on as the time does (law J12).
func testClock(t *testing.T, s journal.Store) {
	c, ok := journal.As[journal.Clock](s)
	if !ok {
		t.Skip("the store has no clock of its own")
	}
	began := time.Now()
	first, err := c.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked := time.Now()
	time.Sleep(50 * time.Millisecond)
	slept := time.Now()
	then, err := c.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least, most := slept.Sub(asked), time.Since(began)
	if passed := then.Sub(first); passed < least-10*time.Millisecond || passed > most+10*time.Millisecond {
		t.Errorf("the clock went on by %v, expected %v to %v", passed, least, most)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Now(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Now(t.Context()); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("of a closed store: %v", err)
	}
}
