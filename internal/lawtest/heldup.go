package lawtest

import (
	"sync/atomic"
	"testing"
	"time"
)

// HeldUp returns a function that tells whether the machine has held this process up since the call.
// It has where it let the process wait for limit at a time, or for a fifth of the time in all. A bound on how long something takes says
// nothing then.
func HeldUp(t testing.TB, limit time.Duration) func() bool {
	t.Helper()
	var atOnce atomic.Bool
	var late, all atomic.Int64 // nanoseconds
	ctx, nap := t.Context(), limit/10
	go func() {
		for last := time.Now(); ctx.Err() == nil; {
			time.Sleep(nap)
			now := time.Now()
			slept := now.Sub(last)
			last = now
			if slept > limit {
				atOnce.Store(true)
			}
			late.Add(int64(slept - nap))
			all.Add(int64(slept))
		}
	}()
	return func() bool { return atOnce.Load() || late.Load() > all.Load()/5 }
}
