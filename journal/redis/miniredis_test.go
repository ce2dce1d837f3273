package redis_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/redis"
)

// TestStoreOnMiniredis is the suite on a server written in Go, so that it runs where there is no other. It knows no
// CONFIG: a store on it has been promised nothing.
func TestStoreOnMiniredis(t *testing.T) {
	t.Parallel()
	servers := make(map[journal.Store]*miniredis.Miniredis)
	again := func(t *testing.T, m *miniredis.Miniredis) journal.Store {
		s, err := redis.OpenWith("redis://"+m.Addr(), redis.Options{Accept: redis.Memory})
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Promises(); p.Known || p.Level != redis.Memory {
			t.Errorf("found the promises %+v, expected none", p)
		}
		servers[s] = m
		return s
	}
	journaltest.RunWith(t, journaltest.Options{
		Open: func(t *testing.T) journal.Store {
			m := miniredis.RunT(t)
			tick(t, m)
			return again(t, m)
		},
		Reopen: func(t *testing.T, s journal.Store) journal.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return again(t, servers[s])
		},
		Second: func(t *testing.T, s journal.Store) journal.Store { return again(t, servers[s]) },
	})
}

// tick lets the server's time go on, which stands still by itself.
func tick(t *testing.T, m *miniredis.Miniredis) {
	ctx, cancel := context.WithCancel(context.Background())
	var ticking sync.WaitGroup
	ticking.Go(func() {
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
			m.FastForward(time.Millisecond)
		}
	})
	t.Cleanup(func() {
		cancel()
		ticking.Wait()
	})
}
