package graph_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// A service says by itself whether another attempt is welcome, and when. What it has refused is not asked again.
func ExampleRetry() {
	answers := []error{
		node.RetryAfter(errors.New("429 Too Many Requests"), 20*time.Millisecond),
		node.Terminal(errors.New("402 Payment Required")),
	}
	asked := 0
	g := graph.New[ticket]("ask").
		Node("ask", func(_ node.Context, t ticket) (ticket, error) {
			asked++
			return t, answers[asked-1]
		}, graph.Retry(5, time.Hour)).
		Node("apologise", func(ctx node.Context, t ticket) (ticket, error) {
			t.Answer = "Sorry: " + ctx.Cause().Message
			return t, nil
		}).
		Edge(graph.Start, "ask").OnError("ask", "apologise").
		MustCompile()
	t, err := g.Run(context.Background(), ticket{})
	fmt.Println(t.Answer, err)
	fmt.Println(asked, "attempts of 5")
	// Output:
	// Sorry: 402 Payment Required <nil>
	// 2 attempts of 5
}

// However many runs there are, two calls are made at the same time, and no more than the service takes.
func ExamplePool() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{Pools: map[string]fermata.Pool{
		"model": {Concurrent: 2, Every: time.Second / 1000, Burst: 5},
	}})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	var now, most atomic.Int32
	g := graph.New[ticket]("desk").
		Node("ask", func(_ node.Context, t ticket) (ticket, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer now.Add(-1)
			return t, nil
		}, graph.Pool("model")).
		Edge(graph.Start, "ask").
		MustCompile()
	var runs []*graph.Run[ticket]
	for range 10 {
		run, err := g.Start(ctx, rt, ticket{})
		if err != nil {
			panic(err)
		}
		runs = append(runs, run)
	}
	for _, run := range runs {
		if _, err := run.Wait(ctx); err != nil {
			panic(err)
		}
	}
	fmt.Println("never more than two:", most.Load() <= 2)
	// Output: never more than two: true
}

// What was asked once is not asked again, in any run of the runtime, for as long as it may be believed.
func ExampleCache() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	asked := 0
	g := graph.New[ticket]("desk").
		Node("ask", func(_ node.Context, t ticket) (ticket, error) {
			asked++
			t.Answer = "On the stove."
			return t, nil
		}, graph.CacheFor("model 3, prompt 2", 24*time.Hour)).
		Edge(graph.Start, "ask").
		MustCompile()
	for _, text := range []string{"Where is the kettle?", "Where is the kettle?", "Where is the tea?"} {
		run, err := g.Start(ctx, rt, ticket{Text: text})
		if err != nil {
			panic(err)
		}
		for e, err := range run.Events(ctx, 0) {
			if err == nil && (e.Type() == "node.finished" || e.Type() == "node.cached") {
				fmt.Println(text, e.Type())
			}
		}
	}
	fmt.Println("asked", asked, "times")
	// Output:
	// Where is the kettle? node.finished
	// Where is the kettle? node.cached
	// Where is the tea? node.finished
	// asked 2 times
}
