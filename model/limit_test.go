package model_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// slow is a model whose replies take some time and that notes when it was asked what.
type slow struct {
	lasts time.Duration
	reply scripted.Reply
	begun time.Time

	mu    sync.Mutex
	notes []string
	now   int
	most  int // of replies at the same time
}

func (m *slow) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		m.mu.Lock()
		m.notes = append(m.notes, fmt.Sprint(req.System, " at ", time.Since(m.begun)))
		m.now++
		m.most = max(m.most, m.now)
		m.mu.Unlock()
		time.Sleep(m.lasts)
		m.mu.Lock()
		m.now--
		m.mu.Unlock()
		scripted.New(scripted.Script{Replies: []scripted.Reply{m.reply}}).Generate(ctx, req)(yield)
	}
}

// asked is when each request was let through, in their order: within an instant, any may be noted first.
func (m *slow) asked() []string { return slices.Sorted(slices.Values(m.notes)) }

// inOrder asks models at the same time, the first first, and waits for all. Each request is told from others by its system
// text, which is free.
func inOrder(ctx context.Context, models []model.Model, each func(i int) *model.Request) []error {
	errs := make([]error, len(models))
	var wg sync.WaitGroup
	for i, m := range models {
		wg.Go(func() { _, errs[i] = model.Collect(m.Generate(ctx, each(i))) })
		synctest.Wait() // until it is in the queue
	}
	wg.Wait()
	return errs
}

func numbered(i int) *model.Request { return &model.Request{System: fmt.Sprint(i)} }

func repeated(n int, m model.Model) []model.Model {
	all := make([]model.Model, n)
	for i := range all {
		all[i] = m
	}
	return all
}

// When requests get their turn.
func TestLimited(t *testing.T) {
	took := func(tokens int64) scripted.Reply { return scripted.Reply{Usage: &model.Usage{Input: tokens}} }
	big := func(i int) *model.Request { // 100 tokens by the guess
		r := model.Ask(strings.Repeat("x", 400-len(fmt.Sprint(i))))
		r.System = fmt.Sprint(i)
		return r
	}
	tests := map[string]struct {
		rate  model.Rate
		reply scripted.Reply
		lasts time.Duration
		n     int
		each  func(i int) *model.Request
		want  []string
		most  int
	}{
		"no limit":             {n: 3, lasts: time.Second, want: []string{"0 at 0s", "1 at 0s", "2 at 0s"}, most: 3},
		"a minute's worth":     {rate: model.Rate{Requests: 2}, n: 4, want: []string{"0 at 0s", "1 at 0s", "2 at 30s", "3 at 1m0s"}, most: 1},
		"two at the same time": {rate: model.Rate{Concurrent: 2}, lasts: time.Second, n: 5, want: []string{"0 at 0s", "1 at 0s", "2 at 1s", "3 at 1s", "4 at 2s"}, most: 2},
		"tokens as guessed":    {rate: model.Rate{Tokens: 200}, reply: took(100), n: 4, each: big, want: []string{"0 at 0s", "1 at 0s", "2 at 30s", "3 at 1m0s"}, most: 1},
		"fewer than guessed are given back": {
			rate: model.Rate{Tokens: 200}, reply: took(50), n: 4, each: big, want: []string{"0 at 0s", "1 at 0s", "2 at 0s", "3 at 15s"}, most: 1,
		},
		"and wake who waits for them": {
			rate: model.Rate{Tokens: 100}, reply: took(0), lasts: time.Second, n: 3, each: big, want: []string{"0 at 0s", "1 at 1s", "2 at 2s"}, most: 1,
		},
		"more than guessed are owed": {
			rate: model.Rate{Tokens: 200}, reply: took(400), n: 2, each: big, want: []string{"0 at 0s", "1 at 1m30s"}, most: 1,
		},
		"more than a minute's worth": {
			rate: model.Rate{Tokens: 50}, reply: took(100), n: 2, each: big, want: []string{"0 at 0s", "1 at 2m0s"}, most: 1,
		},
		"a failure takes nothing": {
			rate: model.Rate{Tokens: 100}, reply: scripted.Reply{Err: busy}, n: 2, each: big, want: []string{"0 at 0s", "1 at 0s"}, most: 1,
		},
		"unless it says so": {
			rate: model.Rate{Tokens: 100}, reply: scripted.Reply{Err: busy, Usage: &model.Usage{Input: 100}}, n: 2, each: big,
			want: []string{"0 at 0s", "1 at 1m0s"}, most: 1,
		},
		"or said something": {
			rate: model.Rate{Tokens: 100}, reply: scripted.Reply{Text: "half", Err: busy}, n: 2, each: big,
			want: []string{"0 at 0s", "1 at 1m0s"}, most: 1,
		},
		"the strictest limit holds": {
			rate: model.Rate{Requests: 60, Tokens: 200, Concurrent: 1}, reply: took(100), lasts: 40 * time.Second, n: 4, each: big,
			want: []string{"0 at 0s", "1 at 40s", "2 at 1m20s", "3 at 2m0s"}, most: 1,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &slow{lasts: tt.lasts, reply: tt.reply, begun: time.Now()}
				if tt.each == nil {
					tt.each = numbered
				}
				limiter := model.NewLimiter(tt.rate)
				for _, err := range inOrder(t.Context(), repeated(tt.n, model.Limited(m, limiter)), tt.each) {
					if err != nil && !errors.Is(err, busy) {
						t.Error(err)
					}
				}
				if diff := cmp.Diff(tt.want, m.asked()); diff != "" || m.most != tt.most {
					t.Errorf("%d at the same time, want %d; (-want +got):\n%s", m.most, tt.most, diff)
				}
			})
		})
	}
}

// All models of a key share its limits, and wait together when the provider says that one of them has asked too often.
func TestLimitersAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		limiter := model.NewLimiter(model.Rate{Requests: 3, Concurrent: 1}) // nobody is let through while another fails
		fails := &slow{begun: begun, reply: scripted.Reply{Err: limited(90 * time.Second)}}
		short := &slow{begun: begun, reply: scripted.Reply{Err: limited(time.Second)}} // takes nothing back
		works := &slow{begun: begun}
		a, b, c := model.Limited(works, limiter), model.Limited(fails, limiter), model.Limited(short, limiter)
		errs := inOrder(t.Context(), []model.Model{a, b, c, a, a}, numbered)
		var got []string
		for _, err := range errs {
			got = append(got, fmt.Sprint(err))
		}
		want := []string{
			"<nil>", "the model's provider was asked too often (again in 1m30s)", "the model's provider was asked too often (again in 1s)",
			"<nil>", "<nil>",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"0 at 0s", "3 at 1m31s", "4 at 1m31s"}, works.asked()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"2 at 1m30s"}, short.asked()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A provider that wants to be asked again in a year is asked again in ten minutes.
func TestLimitersPauseForTenMinutesAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &slow{begun: time.Now(), reply: scripted.Reply{Err: limited(365 * 24 * time.Hour)}}
		inOrder(t.Context(), repeated(3, model.Limited(m, model.NewLimiter(model.Rate{}))), numbered)
		if diff := cmp.Diff([]string{"0 at 0s", "1 at 10m0s", "2 at 20m0s"}, m.asked()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A failure that does not say when to ask again, or of another kind, pauses nobody.
func TestLimitersPauseOnlyWhenToldTo(t *testing.T) {
	for _, err := range []error{limited(0), &model.Error{Kind: model.ErrUnavailable, RetryAfter: time.Hour}, errLine} {
		synctest.Test(t, func(t *testing.T) {
			m := &slow{begun: time.Now(), reply: scripted.Reply{Err: err}}
			inOrder(t.Context(), repeated(2, model.Limited(m, model.NewLimiter(model.Rate{}))), numbered)
			if diff := cmp.Diff([]string{"0 at 0s", "1 at 0s"}, m.asked()); diff != "" {
				t.Errorf("after %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// What takes longer to grow back than a duration can be is waited for all the same.
func TestLimitedByAnAbsurdUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := model.Limited(scripted.New(scripted.Script{Replies: []scripted.Reply{{Usage: &model.Usage{Output: math.MaxInt64}}}}),
			model.NewLimiter(model.Rate{Tokens: 1}))
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		for _, want := range []error{nil, context.DeadlineExceeded} {
			if _, err := model.Collect(m.Generate(ctx, model.Ask(""))); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
	})
}

// Who gives up leaves the queue and takes nothing along, wherever in it they were.
func TestLimitedIsGivenUp(t *testing.T) {
	for name, rate := range map[string]model.Rate{"rate": {Requests: 1}, "slots": {Concurrent: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &slow{begun: time.Now(), lasts: time.Minute}
				one := model.Limited(m, model.NewLimiter(rate))
				var wg sync.WaitGroup
				errs := make([]error, 4)
				short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				for i := range errs {
					ctx := t.Context()
					if i == 1 || i == 2 { // the head of the queue, and who is behind it
						ctx = short
					}
					wg.Go(func() { _, errs[i] = model.Collect(one.Generate(ctx, numbered(i))) })
					synctest.Wait()
				}
				wg.Wait()
				for i, err := range errs {
					if want := i == 1 || i == 2; errors.Is(err, context.DeadlineExceeded) != want || err != nil != want {
						t.Errorf("request %d: %v", i, err)
					}
				}
				if diff := cmp.Diff([]string{"0 at 0s", "3 at 1m0s"}, m.asked()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A reply that nobody listens to any more makes room, and counts as what it was guessed to take.
func TestLimitedRepliesThatAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		m := model.Limited(scripted.Texts("one two", "three"), model.NewLimiter(model.Rate{Tokens: 100, Concurrent: 1}))
		for _, err := range m.Generate(t.Context(), model.Ask(strings.Repeat("x", 400))) {
			if err != nil {
				t.Error(err)
			}
			break
		}
		r, err := model.Collect(m.Generate(t.Context(), model.Ask(strings.Repeat("x", 40))))
		if r.Text() != "three" || err != nil || time.Since(begun) != 6*time.Second {
			t.Errorf("%q, %v after %v", r.Text(), err, time.Since(begun))
		}
	})
}

// Whatever is asked, in no stretch of time more is let through than a minute's worth and what that time brings, and
// nobody overtakes.
func TestLimitedKeepsTheRate(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rate := model.Rate{Requests: rapid.IntRange(1, 20).Draw(r, "requests"), Tokens: rapid.IntRange(10, 500).Draw(r, "tokens")}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 200), 1, 30).Draw(r, "sizes")
		var mu sync.Mutex
		var at []time.Duration
		var who []string
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			m := model.Func(func(_ context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
				mu.Lock()
				at, who = append(at, time.Since(begun)), append(who, req.Model)
				mu.Unlock()
				u := model.Usage{Input: int64(len(req.System) / 4)}
				return chunks(nil, model.Chunk{Usage: &u}, model.Chunk{Finish: model.FinishStop})
			})
			inOrder(t.Context(), repeated(len(sizes), model.Limited(m, model.NewLimiter(rate))), func(i int) *model.Request {
				return &model.Request{Model: fmt.Sprint(i), System: strings.Repeat("x", 4*sizes[i])}
			})
		})
		for from := range at {
			tokens := 0
			for to := from; to < len(at); to++ {
				if who[to] != fmt.Sprint(to) {
					r.Fatalf("the order is %v", who)
				}
				minutes := (at[to] - at[from] + time.Microsecond).Minutes()
				requests := to - from + 1
				if most := float64(rate.Requests) * (1 + minutes); float64(requests) > most+1e-6 {
					r.Fatalf("%d requests in %v, of %v a minute", requests, at[to]-at[from], rate.Requests)
				}
				// The last one may be larger than the bucket: it waits until that is full.
				if most := float64(rate.Tokens) * (1 + minutes); float64(tokens+min(sizes[to], rate.Tokens)) > most+1e-6 {
					r.Fatalf("%d tokens and %d in %v, of %v a minute", tokens, sizes[to], at[to]-at[from], rate.Tokens)
				}
				tokens += sizes[to]
			}
		}
	})
}
