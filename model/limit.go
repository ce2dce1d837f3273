package model

import (
	"context"
	"errors"
	"iter"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Rate is how much a provider allows one customer to ask. Zero fields do not limit.
type Rate struct {
	Requests   int // in a minute
	Tokens     int // in a minute, read and said, the cached ones among them
	Concurrent int // replies at the same time
}

// Limiter keeps to a [Rate] that several models share: make one for each key of a provider. It is safe for concurrent
// use, and knows of no other process.
//
// A minute's worth may be asked at once, and then what grows back with time. Requests that have to wait form a queue
// and never overtake.
type Limiter struct {
	turn *semaphore.Weighted // held by the head of the queue until it may go
	open *semaphore.Weighted // of Rate.Concurrent, nil for no limit
	back chan struct{}       // wakes the head: something may have been given back

	mu       sync.Mutex
	requests bucket
	tokens   bucket
	until    time.Time // when the provider takes requests again
}

// NewLimiter makes a limiter that has been idle so far.
func NewLimiter(r Rate) *Limiter {
	now := time.Now()
	l := &Limiter{
		turn: semaphore.NewWeighted(1), back: make(chan struct{}, 1),
		requests: newBucket(r.Requests, now), tokens: newBucket(r.Tokens, now),
	}
	if r.Concurrent > 0 {
		l.open = semaphore.NewWeighted(int64(r.Concurrent))
	}
	return l
}

// Limited is a model that waits for its turn, for as long as the ctx allows. Waiting costs nothing.
//
// How many tokens a request takes is known when it is answered. Until then a guess counts: a quarter of its bytes, and a
// thousand for each picture or document. The reply's usage corrects it, and so does a failure before anything was said,
// which took nothing. When the provider says that it was asked too often, and when to ask again ([ErrRateLimited] with
// Error.RetryAfter), all who share the limiter wait until then, but ten minutes at most: a provider that is mistaken does
// not stop them for a year, and one that is not says it again. The error passes: see [Retrying].
//
// A reply is open until its end or until nobody ranges over it any more. A caller that asks again meanwhile opens
// another reply, and with Rate.Concurrent 1 waits for itself.
func Limited(m Model, l *Limiter) Model { return limitedModel{m, l} }

type limitedModel struct {
	Model
	limiter *Limiter
}

// Generate implements Model.
func (m limitedModel) Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		guess := guessTokens(req)
		if err := m.limiter.enter(ctx, guess); err != nil {
			yield(Chunk{}, err)
			return
		}
		took := guess
		defer func() { m.limiter.leave(guess, took) }()
		known := false // how much it took, or that it took something
		for chunk, err := range m.Model.Generate(ctx, req) {
			if chunk.Usage != nil {
				u := chunk.Usage.Sound()
				took, known = u.Input+u.Output, true
			}
			known = known || chunk.shows()
			if err != nil {
				m.limiter.pause(err)
				if !known {
					took = 0
				}
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// enter waits until a request of so many tokens may be made.
func (l *Limiter) enter(ctx context.Context, tokens int64) error {
	if err := l.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer l.turn.Release(1)
	if l.open != nil {
		if err := l.open.Acquire(ctx, 1); err != nil {
			return err
		}
	}
	for {
		wait := l.take(tokens)
		if wait <= 0 {
			return nil
		}
		if err := l.sleep(ctx, wait); err != nil {
			l.leave(0, 0)
			return err
		}
	}
}

// sleep waits, or until something was given back: the head of the queue then looks again. A pause that was made
// meanwhile it finds when it wakes.
func (l *Limiter) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.back:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// take takes what a request needs, or says how long to wait before looking again.
func (l *Limiter) take(tokens int64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	wait := max(l.until.Sub(now), l.requests.wait(now, 1), l.tokens.wait(now, tokens))
	if wait <= 0 {
		l.requests.take(1)
		l.tokens.take(tokens)
	}
	return wait
}

// leave notes the end of a reply that was guessed to take so much, and took so much.
func (l *Limiter) leave(guess, took int64) {
	if l.open != nil {
		l.open.Release(1)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens.fill(time.Now())
	l.tokens.take(took - guess)
	if took < guess {
		select {
		case l.back <- struct{}{}:
		default: // the head has been told already
		}
	}
}

// longestPause is how long a provider is taken at its word.
const longestPause = 10 * time.Minute

// pause lets nobody ask for as long as the provider said.
func (l *Limiter) pause(failed error) {
	known, ok := errors.AsType[*Error](failed)
	if !ok || known.RetryAfter <= 0 || !errors.Is(failed, ErrRateLimited) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(min(known.RetryAfter, longestPause)); until.After(l.until) {
		l.until = until
	}
}

// bucket holds a minute's worth of something and fills with time. It may owe something: what was taken is known late.
// That, and giving back what was guessed too high, is why it is not a rate.Limiter.
type bucket struct {
	most  float64 // in it, and what flows in within a minute; 0 for no limit
	level float64
	at    time.Time // when that was the level
}

func newBucket(perMinute int, now time.Time) bucket {
	most := float64(max(perMinute, 0))
	return bucket{most: most, level: most, at: now}
}

func (b *bucket) fill(now time.Time) {
	b.level = min(b.most, b.level+now.Sub(b.at).Minutes()*b.most)
	b.at = now
}

// wait is how long it takes until so much is in it. A request for more than it can hold waits until it is full.
func (b *bucket) wait(now time.Time, n int64) time.Duration {
	if b.most == 0 {
		return 0
	}
	b.fill(now)
	missing := min(float64(n), b.most) - b.level
	if missing <= crumb {
		return 0
	}
	const longest = 60 // minutes: whoever has waited looks again, and a duration may not hold more
	return time.Duration(math.Ceil(min(missing/b.most, longest) * float64(time.Minute)))
}

// crumb is so little that it is not waited for: what sums of fractions leave.
const crumb = 1e-6

func (b *bucket) take(n int64) { b.level -= float64(n) }

// guessTokens is about how many tokens a request has: words of English are about four bytes a token.
func guessTokens(r *Request) int64 {
	const bytesPerToken, forMedia = 4, 1000
	size, media := len(r.System)+len(r.Output), 0
	for i := range r.Tools {
		size += len(r.Tools[i].Name) + len(r.Tools[i].Description) + len(r.Tools[i].Input)
	}
	for i := range r.Messages {
		for _, p := range r.Messages[i].Parts {
			size += len(p.Text)
			if p.Call != nil {
				size += len(p.Call.Name) + len(p.Call.Arguments)
			}
			if p.Result != nil {
				size += len(p.Result.Text)
			}
			if p.Media != nil {
				media++
			}
		}
	}
	return int64((size+bytesPerToken-1)/bytesPerToken + media*forMedia)
}
