package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
)

// Provider makes models of the provider under test. Each of them replies to any request in its own way.
type Provider struct {
	// Text says Says in two chunks or more, and what it took.
	Text func(t *testing.T) model.Model
	// Calls calls the tools of Wanted, all in one reply.
	Calls func(t *testing.T) model.Model
	// Endless says text without an end. The channel is closed when its service notices that nobody listens.
	Endless func(t *testing.T) (m model.Model, gone <-chan struct{})
	// Fails are failures of each kind.
	Fails map[model.Kind]func(t *testing.T) model.Model
}

// Says is what Provider.Text says.
const Says = "The printer is on fire."

// Wanted is what Provider.Calls calls. The ids are the provider's own, but differ.
func Wanted() []model.ToolCall {
	return []model.ToolCall{
		{Name: "weather", Arguments: json.RawMessage(`{"city":"Porto","days":2}`)},
		{Name: "weather", Arguments: json.RawMessage(`{"city":"Évora","days":1}`)},
	}
}

// Test runs the tests.
func Test(t *testing.T, p Provider) {
	t.Run("Text", func(t *testing.T) { text(t, p.Text(t)) })
	t.Run("EachRangeAsks", func(t *testing.T) { eachRangeAsks(t, p.Text(t)) })
	t.Run("RequestIsKept", func(t *testing.T) { requestIsKept(t, p.Text(t)) })
	t.Run("Concurrent", func(t *testing.T) { concurrent(t, p.Text(t)) })
	t.Run("Calls", func(t *testing.T) { calls(t, p.Calls(t)) })
	t.Run("StopsRanging", func(t *testing.T) {
		m, gone := p.Endless(t)
		stopsRanging(t, m, gone)
	})
	t.Run("Canceled", func(t *testing.T) {
		m, gone := p.Endless(t)
		canceled(t, m, gone)
	})
	t.Run("Deadline", func(t *testing.T) {
		m, gone := p.Endless(t)
		deadline(t, m, gone)
	})
	t.Run("DoneBefore", func(t *testing.T) { doneBefore(t, p.Text(t)) })
	for kind, fails := range p.Fails {
		t.Run("Fails/"+string(kind), func(t *testing.T) { failing(t, fails(t), kind) })
	}
}

// request has a bit of everything, so that a provider that writes to it is found out.
func request() *model.Request {
	temperature := 0.5
	return &model.Request{
		System:      "Be brief.",
		Messages:    []model.Message{model.Says(model.User, "Hello"), model.Says(model.Assistant, "Hello?"), model.Says(model.User, "What is it?")},
		Tools:       []model.Tool{{Name: "weather", Description: "The weather.", Input: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
		MaxTokens:   1000,
		Temperature: &temperature,
		Stop:        []string{"END"},
		Key:         "run_1/ask#0",
	}
}

// text: a reply is its texts, then nothing behind the finish.
func text(t *testing.T, m model.Model) {
	var texts, finishes int
	var r model.Response
	for chunk, err := range m.Generate(t.Context(), request()) {
		if err != nil {
			t.Fatal(err)
		}
		if finishes > 0 {
			t.Errorf("a chunk comes behind the finish: %+v", chunk)
		}
		if chunk.Text != "" {
			texts++
			r.Parts = []model.Part{{Text: r.Text() + chunk.Text}}
		}
		if chunk.Usage != nil {
			r.Usage = *chunk.Usage
		}
		if chunk.Finish != "" {
			r.Finish, finishes = chunk.Finish, finishes+1
		}
		if chunk.Model != "" {
			r.Model = chunk.Model
		}
	}
	if got := r.Text(); got != Says || texts < 2 {
		t.Errorf("it said %q in %d chunks, want %q in two or more", got, texts, Says)
	}
	if r.Finish != model.FinishStop || finishes != 1 {
		t.Errorf("it ended %d times, with %q; want one %q", finishes, r.Finish, model.FinishStop)
	}
	if r.Usage.Input <= 0 || r.Usage.Output <= 0 || r.Model == "" {
		t.Errorf("usage %+v of the model %q, want tokens and a name", r.Usage, r.Model)
	}
}

func eachRangeAsks(t *testing.T, m model.Model) {
	reply := m.Generate(t.Context(), request())
	first, err := model.Collect(reply)
	if err != nil {
		t.Fatal(err)
	}
	second, err := model.Collect(reply)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second range over a reply is not like the first (-first +second):\n%s", diff)
	}
}

func requestIsKept(t *testing.T, m model.Model) {
	req := request()
	if _, err := model.Collect(m.Generate(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(request(), req); diff != "" {
		t.Errorf("the request was changed (-before +after):\n%s", diff)
	}
}

func concurrent(t *testing.T, m model.Model) {
	req := request()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			reply, err := model.Collect(m.Generate(t.Context(), req))
			if err != nil || reply.Text() != Says {
				t.Errorf("it said %q, %v; want %q", reply.Text(), err, Says)
			}
		})
	}
	group.Wait()
}

func calls(t *testing.T, m model.Model) {
	reply, err := model.Collect(m.Generate(t.Context(), request()))
	if err != nil {
		t.Fatal(err)
	}
	got, ids := reply.Calls(), make(map[string]bool)
	for i := range got {
		ids[got[i].ID] = true
		got[i].ID = ""
	}
	if diff := cmp.Diff(Wanted(), got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(ids) != len(Wanted()) || ids[""] {
		t.Errorf("the ids are %v, want a different one for each call", ids)
	}
	if reply.Finish != model.FinishCalls {
		t.Errorf("it ended with %q, want %q", reply.Finish, model.FinishCalls)
	}
}

// patience is for services to notice that nobody listens.
const patience = 20 * time.Second

func waitGone(t *testing.T, gone <-chan struct{}) {
	t.Helper()
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the service goes on talking to nobody")
	}
}

func stopsRanging(t *testing.T, m model.Model, gone <-chan struct{}) {
	for chunk, err := range m.Generate(t.Context(), request()) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Text != "" {
			break
		}
	}
	waitGone(t, gone)
}

func canceled(t *testing.T, m model.Model, gone <-chan struct{}) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	endsWith(t, m, ctx, cancel, context.Canceled)
	waitGone(t, gone)
}

func deadline(t *testing.T, m model.Model, gone <-chan struct{}) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	endsWith(t, m, ctx, func() { <-ctx.Done() }, context.DeadlineExceeded)
	waitGone(t, gone)
}

func doneBefore(t *testing.T, m model.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	endsWith(t, m, ctx, func() {}, context.Canceled)
}

// endsWith calls stop at the first text, and expects the error at the end: the context's own and no failure of a kind.
//
//nolint:revive // the context is what is tested
func endsWith(t *testing.T, m model.Model, ctx context.Context, stop func(), want error) {
	t.Helper()
	var last error
	for chunk, err := range m.Generate(ctx, request()) {
		if last != nil {
			t.Errorf("a chunk comes behind the error: %+v, %v", chunk, err)
		}
		if chunk.Text != "" {
			stop()
		}
		last = err
	}
	if _, kind := errors.AsType[*model.Error](last); !errors.Is(last, want) || kind {
		t.Errorf("it ended with %v, want %v alone", last, want)
	}
}

func failing(t *testing.T, m model.Model, kind model.Kind) {
	_, err := model.Collect(m.Generate(t.Context(), request()))
	if !errors.Is(err, kind) {
		t.Errorf("it failed with %v, want the kind %q", err, kind)
	}
}
