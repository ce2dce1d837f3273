package policy

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/fermata-go/fermata/internal/place"
	"github.com/fermata-go/fermata/internal/runtype"
)

// Pool is a pool in use. One with keys has the limits for each key.
type Pool struct {
	limits runtype.Pool        // that it was made with
	whole  *limiter            // of tasks without a key
	mu     sync.Mutex          // guards keys
	keys   map[string]*limiter // of tasks with a key, by key
}

// mostKeys is how many keys of a pool may be unused before they are forgotten.
const mostKeys = 256

func newPool(limits runtype.Pool) *Pool { return &Pool{limits: limits, whole: newLimiter(limits)} }

// Acquire waits until a function may start in the pool, and returns what gives its place back.
func (p *Pool) Acquire(ctx context.Context, shared *Shared, clock runtype.Clock, r Request) (release func(), err error) {
	if p.limits.Shared && shared != nil {
		return shared.Acquire(ctx, r, place.Limits{Most: p.limits.Concurrent, Every: p.limits.Every, Burst: max(p.limits.Burst, 1)})
	}
	if r.Key == "" {
		return p.whole.release, p.whole.acquire(ctx, clock)
	}
	l := p.use(r.Key, clock)
	if err := l.acquire(ctx, clock); err != nil {
		p.leave(l)
		return nil, err
	}
	return func() {
		l.release()
		p.leave(l)
	}, nil
}

// use returns the limiter of a key.
func (p *Pool) use(key string, clock runtype.Clock) *limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys == nil {
		p.keys = make(map[string]*limiter)
	}
	l := p.keys[key]
	if l == nil {
		if len(p.keys) >= mostKeys {
			p.forget(clock)
		}
		l = newLimiter(p.limits)
		p.keys[key] = l
	}
	l.users++
	return l
}

func (p *Pool) leave(l *limiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.users--
}

// forget drops the keys that are as good as new. The lock is held.
func (p *Pool) forget(clock runtype.Clock) {
	now := clock.Now()
	for key, l := range p.keys {
		if l.users == 0 && (l.rate == nil || l.rate.TokensAt(now) >= float64(l.rate.Burst())) {
			delete(p.keys, key)
		}
	}
}

// limiter is the limit of a pool, or of a key of one, in this process.
type limiter struct {
	slots   *semaphore.Weighted // nil for no limit
	rate    *rate.Limiter       // nil for no limit
	release func()              // gives a slot back
	users   int                 // tasks with a place or waiting for one. The lock of the pool guards it
}

func newLimiter(limits runtype.Pool) *limiter {
	p := &limiter{release: func() {}}
	if limits.Concurrent > 0 {
		p.slots = semaphore.NewWeighted(int64(limits.Concurrent))
		p.release = func() { p.slots.Release(1) }
	}
	if limits.Every > 0 {
		p.rate = rate.NewLimiter(rate.Every(limits.Every), max(limits.Burst, 1))
	}
	return p
}

// acquire waits until a function may start. It takes a slot before a turn: turns taken while waiting for slots would be used
// later, all at once.
func (p *limiter) acquire(ctx context.Context, clock runtype.Clock) error {
	if p.slots != nil {
		if err := p.slots.Acquire(ctx, 1); err != nil {
			return err
		}
	}
	if p.rate == nil || p.rate.AllowN(clock.Now(), 1) {
		return nil
	}
	if err := p.turn(ctx, clock); err != nil {
		p.release()
		return err
	}
	return nil
}

// turn waits until the rate allows the next start. Turns are given out in order.
func (p *limiter) turn(ctx context.Context, clock runtype.Clock) error {
	now := clock.Now()
	reserved := p.rate.ReserveN(now, 1)
	if !reserved.OK() {
		return errors.New("the pool's rate lets nothing start") // a burst of at least 1 always does
	}
	due := make(chan struct{})
	stop := clock.AfterFunc(reserved.DelayFrom(now), func() { close(due) })
	select {
	case <-due:
		return nil
	case <-ctx.Done():
		stop()
		reserved.CancelAt(clock.Now())
		return ctx.Err()
	}
}
