package model_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// What spends a budget, and what is said then.
func TestBudgeted(t *testing.T) {
	says := func(u model.Usage) scripted.Reply { return scripted.Reply{Text: "well", Usage: &u} }
	tests := map[string]struct {
		tokens, cost int64
		replies      []scripted.Reply
		want         []string // of two requests
		used         model.Usage
	}{
		"no limit": {
			replies: []scripted.Reply{says(model.Usage{Input: 1e9}), {}}, want: []string{"<nil>", "<nil>"}, used: model.Usage{Input: 1e9 + 1},
		},
		"what is left is enough": {
			tokens: 13, replies: []scripted.Reply{says(model.Usage{Input: 10, Output: 2, Cached: 4, Reasoning: 1}), {}},
			want: []string{"<nil>", "<nil>"}, used: model.Usage{Input: 11, Output: 2, Cached: 4, Reasoning: 1},
		},
		"tokens": {
			tokens: 12, replies: []scripted.Reply{says(model.Usage{Input: 10, Output: 2})},
			want: []string{"<nil>", "the budget for models is spent: 12 of 12 tokens are used"}, used: model.Usage{Input: 10, Output: 2},
		},
		"cost, of which the last reply takes more than is left": {
			cost: model.Dollars(0.25), replies: []scripted.Reply{says(model.Usage{Input: 10, Cost: 1_300_031, Priced: true})},
			want: []string{"<nil>", "the budget for models is spent: $1.300031 of $0.25 are used"},
			used: model.Usage{Input: 10, Cost: 1_300_031, Priced: true},
		},
		"both": {
			tokens: 5, cost: 5, replies: []scripted.Reply{says(model.Usage{Input: 10, Cost: 7, Priced: true})},
			want: []string{"<nil>", "the budget for models is spent: 10 of 5 tokens are used, $0.000007 of $0.000005 are used"},
			used: model.Usage{Input: 10, Cost: 7, Priced: true},
		},
		"what failed is paid": {
			tokens: 12, replies: []scripted.Reply{{Err: busy, Usage: &model.Usage{Input: 12}}},
			want: []string{"the model's provider is not available: busy", "the budget for models is spent: 12 of 12 tokens are used"},
			used: model.Usage{Input: 12},
		},
		"a failure that says nothing took nothing": {
			tokens: 12, cost: 1, replies: []scripted.Reply{{Err: busy}, {Err: busy}},
			want: []string{"the model's provider is not available: busy", "the model's provider is not available: busy"},
		},
		"more than can be is not less than nothing": {
			tokens: 12, cost: 12, replies: []scripted.Reply{says(model.Usage{Input: math.MaxInt64, Output: math.MaxInt64, Cost: math.MaxInt64, Priced: true})},
			want: []string{"<nil>", "the budget for models is spent: 8589934592 of 12 tokens are used, $1125899906.842624 of $0.000012 are used"},
			used: model.Usage{Input: 1 << 32, Output: 1 << 32, Cost: 1 << 50, Priced: true},
		},
		"a reply that breaks took something": {
			tokens: 12, cost: 1, replies: []scripted.Reply{{Text: "half", Err: busy}, {Err: busy}},
			want: []string{"the model's provider is not available: busy", "the model's provider is not available: busy"},
			used: model.Usage{Input: 1, Priced: true},
		},
		"an unknown cost": {
			cost: model.Dollars(20), replies: []scripted.Reply{says(model.Usage{Input: 1})},
			want: []string{"<nil>", "the budget for models is spent: $20.00 cannot be kept to: " +
				`"scripted" does not say what a reply costs; give it prices (model.Priced)`},
			used: model.Usage{Input: 1},
		},
		"unknown tokens": {
			tokens: 7, replies: []scripted.Reply{says(model.Usage{})},
			want: []string{"<nil>", `the budget for models is spent: 7 tokens cannot be kept to: "scripted" does not say how many a reply took`},
		},
		"the last usage of a reply holds": {
			tokens: 12, replies: []scripted.Reply{{
				Chunks: []model.Chunk{{Usage: &model.Usage{Input: 10}}, {Usage: &model.Usage{Input: 10, Output: 1}}}, Usage: &model.Usage{Input: 10, Output: 1},
			}, {}},
			want: []string{"<nil>", "<nil>"}, used: model.Usage{Input: 11, Output: 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			budget := &model.Budget{Tokens: tt.tokens, Cost: tt.cost}
			m := model.Budgeted(scripted.New(scripted.Script{Replies: tt.replies}), budget)
			var got []string
			for range 2 {
				_, err := model.Collect(m.Generate(t.Context(), model.Ask("?")))
				if errors.Is(err, model.ErrBudget) && (budget.Spent() == nil || budget.Spent().Error() != err.Error()) {
					t.Errorf("the request says %v, and the budget %v", err, budget.Spent())
				}
				got = append(got, fmt.Sprint(err))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.used, budget.Used()); diff != "" {
				t.Errorf("used (-want +got):\n%s", diff)
			}
		})
	}
}

// A reply that is given up counts as what it said that it took, or by a guess.
func TestBudgetsCountWhatIsGivenUp(t *testing.T) {
	budget := &model.Budget{Tokens: 100}
	m := model.Budgeted(scripted.New(scripted.Script{Replies: []scripted.Reply{
		{Text: "one two"}, {Chunks: []model.Chunk{{Usage: &model.Usage{Input: 60}}, {Text: "one"}}},
	}}), budget)
	for range 2 {
		for chunk, err := range m.Generate(t.Context(), model.Ask("how many is this, please, at most?")) { // 34 bytes
			if err != nil || chunk.Text != "" {
				break
			}
		}
	}
	if diff := cmp.Diff(model.Usage{Input: 69}, budget.Used()); diff != "" {
		t.Errorf("used (-want +got):\n%s", diff)
	}
	budget.Spend(model.Usage{Output: 31, Input: -5})
	if err := budget.Spent(); err == nil || err.Error() != "the budget for models is spent: 100 of 100 tokens are used" {
		t.Errorf("the budget says %v", err)
	}
}

// Models that share a budget spend it together, at the same time, and nothing is lost.
func TestBudgetsAreShared(t *testing.T) {
	budget := &model.Budget{Tokens: 1e6, Cost: 1e6}
	u := model.Usage{Input: 3, Output: 2, Cost: 7, Priced: true}
	script := scripted.Script{Func: func(*model.Request) (scripted.Reply, error) { return scripted.Reply{Usage: &u}, nil }}
	a, b := model.Budgeted(scripted.New(script), budget), model.Budgeted(scripted.New(script), budget)
	const each = 50
	var wg sync.WaitGroup
	for range each {
		for _, m := range []model.Model{a, b} {
			wg.Go(func() {
				if _, err := model.Collect(m.Generate(t.Context(), model.Ask("?"))); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	want := model.Usage{Input: 2 * each * 3, Output: 2 * each * 2, Cost: 2 * each * 7, Priced: true}
	if diff := cmp.Diff(want, budget.Used()); diff != "" {
		t.Errorf("used (-want +got):\n%s", diff)
	}
}

// All that a request says is in the guess at its size.
func TestTheGuessAtARequest(t *testing.T) {
	four := strings.Repeat("x", 4)
	part := func(p model.Part) *model.Request {
		return &model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{p}}}}
	}
	for name, tt := range map[string]struct {
		req  *model.Request
		want int64
	}{
		"nothing":     {&model.Request{}, 0},
		"the system":  {&model.Request{System: four + "y"}, 2},
		"the output":  {&model.Request{Output: []byte(four)}, 1},
		"a tool":      {&model.Request{Tools: []model.Tool{{Name: four, Description: four, Input: []byte(four)}}}, 3},
		"a text":      {part(model.Part{Text: four}), 1},
		"a call":      {part(model.Part{Kind: model.CallPart, Call: &model.ToolCall{Name: four, Arguments: []byte(four)}}), 2},
		"a result":    {part(model.Part{Kind: model.ResultPart, Result: &model.ToolResult{Text: four}}), 1},
		"one picture": {part(model.Part{Kind: model.MediaPart, Media: &model.Media{Data: []byte(four)}}), 1000},
	} {
		budget := &model.Budget{}
		for _, err := range model.Budgeted(scripted.Texts("one two"), budget).Generate(t.Context(), tt.req) {
			if err != nil {
				t.Error(err)
			}
			break
		}
		if got := budget.Used().Input; got != tt.want {
			t.Errorf("%s is guessed to be %d tokens, want %d", name, got, tt.want)
		}
	}
}
