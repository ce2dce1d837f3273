package model_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

var (
	busy    = &model.Error{Kind: model.ErrUnavailable, Message: "busy"}
	limited = func(after time.Duration) error { return &model.Error{Kind: model.ErrRateLimited, RetryAfter: after} }
)

// What is tried again, when, and how it ends. Times are exact: there is no jitter, and the clock is the test's.
func TestRetrying(t *testing.T) {
	took := &model.Usage{Input: 5, Cost: 3, Priced: true}
	tests := map[string]struct {
		policy  model.RetryPolicy
		replies []scripted.Reply
		within  time.Duration // of the ctx, 0 for ever
		want    string        // text, usage, error
		after   time.Duration
		asked   int
	}{
		"nothing fails": {replies: []scripted.Reply{{Text: "well"}}, want: "well 1/1 <nil>", asked: 1},
		"by default three times, twice as long each time": {
			replies: []scripted.Reply{{Err: busy}, {Err: limited(0)}, {Err: busy}, {Text: "well"}},
			want:    "well 1/1 <nil>", after: 3500 * time.Millisecond, asked: 4,
		},
		"no more than that": {
			replies: []scripted.Reply{{Err: busy}, {Err: busy}, {Err: busy}, {Err: busy}, {Text: "too late"}},
			want:    " 0/0 asked 4 times: the model's provider is not available: busy", after: 3500 * time.Millisecond, asked: 4,
		},
		"not longer than Max": {
			policy:  model.RetryPolicy{Attempts: 5, Backoff: 3 * time.Second, Max: 5 * time.Second},
			replies: []scripted.Reply{{Err: busy}, {Err: busy}, {Err: busy}, {Err: busy}, {Text: "well"}},
			want:    "well 1/1 <nil>", after: 18 * time.Second, asked: 5,
		},
		"a Backoff beyond Max": {
			policy:  model.RetryPolicy{Backoff: 3 * time.Second, Max: time.Second},
			replies: []scripted.Reply{{Err: busy}, {Text: "well"}}, want: "well 1/1 <nil>", after: time.Second, asked: 2,
		},
		"as long as the provider asks": {
			replies: []scripted.Reply{{Err: limited(20 * time.Second)}, {Err: limited(time.Millisecond)}, {Text: "well"}},
			want:    "well 1/1 <nil>", after: 21 * time.Second, asked: 3,
		},
		"as long as is patient": {
			replies: []scripted.Reply{{Err: limited(time.Minute)}, {Err: limited(time.Minute + 1)}},
			want:    " 0/0 asked 2 times: the model's provider was asked too often (again in 1m0.000000001s)", after: time.Minute, asked: 2,
		},
		"more patience": {
			policy:  model.RetryPolicy{Patience: time.Hour},
			replies: []scripted.Reply{{Err: limited(time.Hour)}, {Text: "well"}}, want: "well 1/1 <nil>", after: time.Hour, asked: 2,
		},
		"what does not get better": {
			replies: []scripted.Reply{{Err: model.ErrInvalid}}, want: " 0/0 the model's provider does not take the request", asked: 1,
		},
		"a single try": {
			policy: model.RetryPolicy{Attempts: 1}, replies: []scripted.Reply{{Err: busy}},
			want: " 0/0 the model's provider is not available: busy", asked: 1,
		},
		"what the policy says": {
			policy:  model.RetryPolicy{Retryable: func(err error) bool { return errors.Is(err, model.ErrInvalid) }},
			replies: []scripted.Reply{{Err: model.ErrInvalid}, {Err: busy}},
			want:    " 0/0 asked 2 times: the model's provider is not available: busy", after: 500 * time.Millisecond, asked: 2,
		},
		"not after a text": {
			replies: []scripted.Reply{{Text: "half", Err: busy}}, want: "half 0/0 the model's provider is not available: busy", asked: 1,
		},
		"not after reasoning": {
			replies: []scripted.Reply{{Reasoning: "so", Err: busy}}, want: " 0/0 the model's provider is not available: busy", asked: 1,
		},
		"not after a call": {
			replies: []scripted.Reply{{Calls: []model.ToolCall{{ID: "c", Name: "f"}}, Err: busy}},
			want:    " 0/0 the model's provider is not available: busy", asked: 1,
		},
		"what failed is paid, too": {
			replies: []scripted.Reply{
				{Usage: took, Err: busy},
				{Usage: took, Err: busy},
				{Text: "well", Usage: &model.Usage{Input: 5, Output: 1, Cost: 4, Priced: true}},
			},
			want: "well 15/1 $10 <nil>", after: 1500 * time.Millisecond, asked: 3,
		},
		"what failed is paid, and all fail": {
			policy:  model.RetryPolicy{Attempts: 2},
			replies: []scripted.Reply{{Usage: took, Err: busy}, {Err: busy}},
			want:    " 5/0 $3 asked 2 times: the model's provider is not available: busy", after: 500 * time.Millisecond, asked: 2,
		},
		"a cost that is not known stays unknown": {
			replies: []scripted.Reply{{Usage: took, Err: busy}, {Text: "well"}},
			want:    "well 6/1 <nil>", after: 500 * time.Millisecond, asked: 2,
		},
		"no time to wait": {
			replies: []scripted.Reply{{Err: busy}, {Err: limited(10 * time.Second)}}, within: 5 * time.Second,
			want: " 0/0 asked 2 times: the model's provider was asked too often (again in 10s)", after: 500 * time.Millisecond, asked: 2,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := scripted.New(scripted.Script{Replies: tt.replies})
				if tt.policy.Jitter == 0 {
					tt.policy.Jitter = -1
				}
				ctx, begun := t.Context(), time.Now()
				if tt.within > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.within)
					defer cancel()
				}
				r, err := model.Collect(model.Retrying(m, tt.policy).Generate(ctx, model.Ask("?")))
				got := fmt.Sprintf("%s %d/%d", r.Text(), r.Usage.Input, r.Usage.Output)
				if r.Usage.Priced {
					got += fmt.Sprintf(" $%d", r.Usage.Cost)
				}
				got += fmt.Sprintf(" %v", err)
				if got != tt.want || time.Since(begun) != tt.after || len(m.Requests()) != tt.asked {
					t.Errorf("%s\nafter %v and %d tries; want\n%s\nafter %v and %d",
						got, time.Since(begun), len(m.Requests()), tt.want, tt.after, tt.asked)
				}
			})
		})
	}
}

// Waits are never shorter than the backoff or than what the provider asks for, and longer by no more than the jitter.
func TestRetryingWithJitter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		policy := model.RetryPolicy{
			Backoff: time.Duration(rapid.IntRange(1, 1e9).Draw(r, "backoff")),
			Jitter:  rapid.Float64Range(0.01, 1).Draw(r, "jitter"),
		}
		asks := time.Duration(rapid.IntRange(0, 2e9).Draw(r, "retryAfter"))
		var waited time.Duration
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Err: limited(asks)}, {Text: "well"}}})
			if _, err := model.Collect(model.Retrying(m, policy).Generate(t.Context(), model.Ask("?"))); err != nil {
				t.Error(err)
			}
			waited = time.Since(begun)
		})
		least := max(policy.Backoff, asks)
		if most := least + time.Duration(policy.Jitter*float64(policy.Backoff)); waited < least || waited > most {
			r.Errorf("waited %v, want %v to %v", waited, least, most)
		}
	})
}

// Who is not interested any more is not waited for.
func TestRetryingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Err: limited(30 * time.Second)}}})
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		time.AfterFunc(2*time.Second, cancel)
		_, err := model.Collect(model.Retrying(m, model.RetryPolicy{}).Generate(ctx, model.Ask("?")))
		want := "waiting to ask again after the model's provider was asked too often (again in 30s): context canceled"
		if !errors.Is(err, context.Canceled) || err.Error() != want || time.Since(begun) != 2*time.Second || len(m.Requests()) != 1 {
			t.Errorf("after %v and %d tries: %v", time.Since(begun), len(m.Requests()), err)
		}
	})
	m := scripted.Texts("one two three")
	for chunk, err := range model.Retrying(m, model.RetryPolicy{}).Generate(t.Context(), model.Ask("?")) {
		if chunk.Text != "one " || err != nil {
			t.Errorf("%+v, %v", chunk, err)
		}
		break
	}
	if len(m.Requests()) != 1 {
		t.Errorf("%d tries", len(m.Requests()))
	}
}
