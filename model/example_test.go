package model_test

import (
	"context"
	"errors"
	"fmt"
	"iter"

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
