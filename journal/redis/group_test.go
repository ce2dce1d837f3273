package redis_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis"
)

// TestJ3_AppendsShareRoundTrips has many runs append at once, on a line that breaks now and then: they share round trips,
// each has its own fence, and every journal is whole.
func TestJ3_AppendsShareRoundTrips(t *testing.T) {
	t.Parallel()
	for _, every := range []int{0, 7} {
		l := &line{every: every}
		s := openWith(t, prefix(t), redis.Options{Dialer: l.dial})
		const runs = 64
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() {
				for head := uint64(0); head < 2*steps; head += 2 {
					b := batch(name(i), head)
					if err := insist(t.Context(), s, b); err != nil && !(l.every > 0 && isStored(t.Context(), s, b)) {
						t.Errorf("run %d behind %d: %v", i, head, err)
						return
					}
				}
				if err := insist(t.Context(), s, batch(name(i), 2)); !errors.Is(err, journal.ErrConflict) {
					t.Errorf("run %d: a second append behind 2: %v", i, err)
				}
			})
		}
		wg.Wait()
		for i := range runs {
			var want []journal.Entry
			for head := uint64(0); head < 2*steps; head += 2 {
				want = append(want, batch(name(i), head).Entries...)
			}
			got, err := readAll(t, s, name(i))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("run %d: %v (-want +got):\n%s", i, err, diff)
			}
		}
		if l.mu.Lock(); every == 0 && l.sent >= runs*(steps+1) {
			t.Errorf("%d sendings for %d appends: nothing was shared", l.sent, runs*(steps+1))
		}
		l.mu.Unlock()
	}
}

// insist appends a batch again for as long as the line is cut in each of a store's own attempts, as a runtime does.
func insist(ctx context.Context, s journal.Store, b journal.Batch) error {
	for {
		if err := s.Append(ctx, b); !errors.Is(err, errCut) {
			return err
		}
	}
}

// isStored reports whether the journal holds a batch. A runtime that has lost a store reads the journal: where each answer to
// an append was cut off, the next append of the same is a conflict, and the batch may be there.
func isStored(ctx context.Context, s *redis.Store, b journal.Batch) bool {
	for {
		var stored []journal.Entry
		var failed error
		for e, err := range s.Read(ctx, b.Run, b.After) {
			if stored, failed = append(stored, e), err; err != nil {
				break
			}
		}
		if !errors.Is(failed, errCut) {
			return failed == nil && cmp.Equal(stored, b.Entries)
		}
	}
}

func name(i int) string { return "run_" + string(rune('A'+i)) }
