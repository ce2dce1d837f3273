package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"
)

// RetryPolicy says how a model is asked again. Its zero value is four tries, about half a second, one second and two
// seconds apart.
type RetryPolicy struct {
	Attempts int           // in all; 1 is a single try. Defaults to 4
	Backoff  time.Duration // before the second try; doubled for each further one. Defaults to 500ms
	Max      time.Duration // the longest backoff. Defaults to 30 seconds
	// Jitter lengthens each wait by up to this share of the backoff, so that what failed together does not come back
	// together. Defaults to 0.5; less than 0 for none.
	Jitter float64
	// Patience is the longest wait that a provider may ask for (Error.RetryAfter). If it asks for more, the error
	// passes to the caller, who can wait without holding a task. Defaults to 1 minute.
	Patience time.Duration
	// Retryable says whether an error is worth another try. Defaults to those that are [ErrRateLimited] or
	// [ErrUnavailable].
	Retryable func(error) bool
}

// Retrying returns a model that is asked again after temporary failures. It waits for the backoff, and at least for as
// long as the provider asks (Error.RetryAfter). All tries are of the same request, with the same Request.Key.
//
// There is another try only as long as nothing was shown. Once a piece of text, of reasoning or of a call has come, an
// error passes as it is: what was shown cannot be taken back. Where nobody sees a reply before it is whole ([Unseen]),
// it is held until then, and a reply that breaks in the middle is asked for again. The usage of the reply includes the
// failed tries.
//
// The last error is the model's own, with how often it was asked in front. It passes at once where the ctx has a
// deadline that does not leave time to wait. A ctx that is done while it waits ends it with the ctx's error.
func Retrying(m Model, p RetryPolicy) Model { return retrying{m, p.filled()} }

func (p RetryPolicy) filled() RetryPolicy {
	if p.Attempts <= 0 {
		p.Attempts = 4
	}
	if p.Backoff <= 0 {
		p.Backoff = 500 * time.Millisecond
	}
	if p.Max <= 0 {
		p.Max = 30 * time.Second
	}
	if p.Jitter == 0 {
		p.Jitter = 0.5
	}
	if p.Patience <= 0 {
		p.Patience = time.Minute
	}
	if p.Retryable == nil {
		p.Retryable = func(err error) bool { return errors.Is(err, ErrRateLimited) || errors.Is(err, ErrUnavailable) }
	}
	return p
}

// wait is how long to wait after that many tries, of which the last failed so; false for not any more.
func (p RetryPolicy) wait(ctx context.Context, tries int, failed error) (time.Duration, bool) {
	if tries >= p.Attempts || ctx.Err() != nil || !p.Retryable(failed) {
		return 0, false
	}
	backoff := p.Backoff
	for i := 1; i < tries && backoff < p.Max; i++ {
		backoff *= 2
	}
	backoff = min(backoff, p.Max)
	wait := backoff
	if known, ok := errors.AsType[*Error](failed); ok {
		if known.RetryAfter > p.Patience {
			return 0, false
		}
		wait = max(wait, known.RetryAfter)
	}
	if p.Jitter > 0 {
		wait += time.Duration(p.Jitter * rand.Float64() * float64(backoff)) //nolint:gosec // nobody gains from guessing a wait
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return 0, false
	}
	return wait, true
}

type retrying struct {
	Model
	policy RetryPolicy
}

// Ready is that of the model, see Ready.
func (m retrying) Ready(name string) error { return ready(m.Model, name) }

// Generate implements Model.
func (m retrying) Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		t := try{holds: unseen(ctx)}
		for tries := 1; ; tries++ {
			err := t.run(m.Model.Generate(ctx, req), yield)
			wait, again := time.Duration(0), false
			if err != nil && !t.shown {
				wait, again = m.policy.wait(ctx, tries, err)
			}
			if !again {
				if err != nil && tries > 1 {
					err = fmt.Errorf("asked %d times: %w", tries, err)
				}
				t.end(err, yield)
				return
			}
			if stopped := sleep(ctx, wait); stopped != nil {
				yield(Chunk{}, fmt.Errorf("waiting to ask again after %w: %w", err, stopped))
				return
			}
		}
	}
}

// Unseen is a context for replies that nobody sees before they are whole.
func Unseen(ctx context.Context) context.Context { return context.WithValue(ctx, unseenKey{}, true) }

type unseenKey struct{}

func unseen(ctx context.Context) bool {
	yes, _ := ctx.Value(unseenKey{}).(bool)
	return yes
}

// try is a request that is being made, and what was before it.
type try struct {
	spent Usage // by the tries that failed
	shown bool  // something came that cannot be taken back
	holds bool  // nobody sees the reply before it is whole
	held  []Chunk
}

// run passes a reply on. Its error is what it ended with, nil also if nobody listens any more.
func (t *try) run(reply iter.Seq2[Chunk, error], yield func(Chunk, error) bool) error {
	before := t.spent
	t.held = t.held[:0]
	for chunk, err := range reply {
		if err != nil {
			return err
		}
		if chunk.Usage != nil {
			t.spent = before.plus(*chunk.Usage)
			sum := t.spent
			chunk.Usage = &sum
		}
		if t.holds {
			t.held = append(t.held, chunk)
			continue
		}
		t.shown = t.shown || chunk.shows()
		if !yield(chunk, nil) {
			return nil
		}
	}
	return nil
}

// end passes on what was held of the last try, and how it ended.
func (t *try) end(err error, yield func(Chunk, error) bool) {
	for _, chunk := range t.held {
		if !yield(chunk, nil) {
			return
		}
	}
	if err != nil {
		yield(Chunk{}, err)
	}
}

// shows reports whether a chunk says anything, besides who says it and what it takes.
func (c *Chunk) shows() bool {
	return c.Text != "" || c.Reasoning != "" || c.Signature != "" || c.Call != nil || c.Finish != ""
}

// plus is the sum of two usages. Its cost is known when both are, and nothing costs nothing.
func (u Usage) plus(v Usage) Usage {
	if u == (Usage{}) {
		return v
	}
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, Cached: u.Cached + v.Cached, Reasoning: u.Reasoning + v.Reasoning,
		Cost: u.Cost + v.Cost, Priced: u.Priced && v.Priced,
	}
}

// sleep waits, or says why it did not.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
