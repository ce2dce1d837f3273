package model_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// A provider is one function. What it says is collected, or ranged over as it comes.
func ExampleModel() {
	var echo model.Func = func(_ context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			_ = yield(model.Chunk{Text: "You said: "}, nil) &&
				yield(model.Chunk{Text: req.Prompt()}, nil) &&
				yield(model.Chunk{Usage: &model.Usage{Input: 1, Output: 3}, Finish: model.FinishStop}, nil)
		}
	}
	reply, err := model.Collect(echo.Generate(context.Background(), model.Ask("hello")))
	fmt.Println(reply.Text(), reply.Usage.Output, err)
	// Output: You said: hello 3 <nil>
}

// Prices are micro-dollars for a million tokens; costs come with the usage.
func ExamplePriced() {
	m := model.Priced(scripted.Texts("of course"), model.Prices{Input: model.Dollars(3), Output: model.Dollars(15)})
	reply, err := model.Collect(m.Generate(context.Background(), model.Ask("Would you please help me?")))
	fmt.Println(reply.Usage.Cost, "micro-dollars", err)
	// Output: 45 micro-dollars <nil>
}

// Failures have kinds, and some say when to ask again.
func ExampleError() {
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Err: &model.Error{Kind: model.ErrRateLimited, RetryAfter: 2e9}}}})
	_, err := model.Collect(m.Generate(context.Background(), model.Ask("again")))
	var failed *model.Error
	if errors.Is(err, model.ErrRateLimited) && errors.As(err, &failed) {
		fmt.Println("ask again in", failed.RetryAfter)
	}
	// Output: ask again in 2s
}

// One entry of a set serves all models of a provider.
func ExampleNamed() {
	provider := scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
		return scripted.Reply{Text: "I am " + r.Model}, nil
	}})
	set := model.Set{"openai": provider, model.Default: model.Named(provider, "gpt-5-mini")}
	for _, name := range []string{"openai:gpt-5", ""} {
		m, err := set.Find(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		reply, err := model.Collect(m.Generate(context.Background(), model.Ask("Who are you?")))
		fmt.Println(reply.Text(), err)
	}
	_, err := set.Find("opnai:gpt-5")
	fmt.Println(err)
	// Output:
	// I am gpt-5 <nil>
	// I am gpt-5-mini <nil>
	// no such model: none is called "opnai:gpt-5"; the set has default, openai; did you mean "openai:gpt-5"?
}

// A provider that is busy for a moment is asked again.
func ExampleRetrying() {
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Err: model.ErrUnavailable}, {Text: "here I am"}}})
	patient := model.Retrying(m, model.RetryPolicy{Attempts: 3, Backoff: time.Millisecond})
	reply, err := model.Collect(patient.Generate(context.Background(), model.Ask("hello?")))
	fmt.Println(reply.Text(), err, len(m.Requests()), "requests")
	// Output: here I am <nil> 2 requests
}

// The models of one key share its limits.
func ExampleLimited() {
	key := model.NewLimiter(model.Rate{Requests: 500, Tokens: 200_000, Concurrent: 8})
	set := model.Set{
		"fast":    model.Limited(scripted.Texts("quick"), key),
		"careful": model.Limited(scripted.Texts("slow"), key),
	}
	reply, err := model.Collect(set["fast"].Generate(context.Background(), model.Ask("How?")))
	fmt.Println(reply.Text(), err)
	// Output: quick <nil>
}

// A budget is for the whole program.
func ExampleBudgeted() {
	budget := &model.Budget{Cost: model.Dollars(0.0001)}
	m := model.Priced(scripted.Texts("one two three four", "five"), model.Prices{Input: model.Dollars(3), Output: model.Dollars(25)})
	m = model.Budgeted(m, budget)
	for range 2 {
		reply, err := model.Collect(m.Generate(context.Background(), model.Ask("Count!")))
		fmt.Println(reply.Text(), err)
	}
	fmt.Println(budget.Used().Cost, "micro-dollars")
	// Output:
	// one two three four <nil>
	//  the budget for models is spent: $0.000103 of $0.0001 are used
	// 103 micro-dollars
}
