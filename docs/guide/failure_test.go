package guide_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

func Example_retry() {
	ctx := context.Background()
	// [guide: retry]
	answers := []error{
		errors.New("connection reset"),
		node.RetryAfter(errors.New("429 Too Many Requests"), 20*time.Millisecond),
		node.Terminal(errors.New("402 Payment Required")),
	}
	attempts := 0
	g := graph.New[Trip]("book")
	g.Node("book", func(ctx node.Context, t Trip) (Trip, error) {
		attempts = ctx.Info().Attempt
		return t, answers[attempts-1]
	},
		graph.Retry(5, 10*time.Millisecond), graph.Jitter(0.1),
		graph.RetryIf(func(err error) bool { return strings.Contains(err.Error(), "reset") }))
	g.Edge(graph.Start, "book")
	_, err := g.MustCompile().Run(ctx, Trip{})
	fmt.Println(attempts, "attempts of 5:", errors.Is(err, node.ErrTerminal))
	// [guide: end]

	// Output: 3 attempts of 5: true
}

// [guide: errors]

var errSoldOut = errors.New("sold out")

// delayError says that a flight is late.
type delayError struct{ Hours int }

func (e *delayError) Error() string { return fmt.Sprintf("%d hours late", e.Hours) }

// [guide: end]

func Example_errorEdges() {
	ctx := context.Background()
	notes := func(text string) graph.Func[Trip] {
		return func(ctx node.Context, t Trip) (Trip, error) {
			t.Notes = append(t.Notes, text+": "+ctx.Cause().Message)
			return t, nil
		}
	}
	// [guide: error edges]
	g := graph.New[Trip]("book")
	g.Node("book", func(_ node.Context, t Trip) (Trip, error) {
		switch t.To {
		case "Porto":
			return t, fmt.Errorf("flight to %s: %w", t.To, errSoldOut)
		case "Oslo":
			return t, &delayError{Hours: 3}
		}
		return t, errors.New("no such airport")
	})
	g.Node("train", notes("take the train"))
	g.Node("wait", notes("wait"))
	g.Node("apologise", notes("sorry"))
	g.Edge(graph.Start, "book")
	g.OnErrorIs("book", errSoldOut, "train")
	graph.OnErrorAs[*delayError](g, "book", "wait")
	g.OnError("book", "apologise") // all others
	book := g.MustCompile()
	for _, to := range []string{"Porto", "Oslo", "Atlantis"} {
		t, err := book.Run(ctx, Trip{To: to})
		check(err)
		fmt.Println(t.Notes[0])
	}
	// [guide: end]

	// Output:
	// take the train: flight to Porto: sold out
	// wait: 3 hours late
	// sorry: no such airport
}

func Example_handledFailures() {
	ctx := context.Background()
	// [guide: handlers]
	type order struct{ City string }
	type offer struct{ Price int }
	ask := dataflow.Node("ask", func(_ node.Context, o order) (offer, error) {
		if o.City == "Oslo" {
			return offer{}, errors.New("the partner is down")
		}
		return offer{Price: 90}, nil
	}, dataflow.Retry(2, time.Millisecond))
	guess := dataflow.Node("guess", func(ctx node.Context, o order) (offer, error) {
		fmt.Println("a guess, as", ctx.Cause())
		return offer{Price: 120}, nil
	})
	tell := dataflow.Unary("tell", "price", "reply", dataflow.Plain(func(price int) string { return fmt.Sprint("from ", price) }))
	g := dataflow.Must(dataflow.New("offer", ask, guess, tell, dataflow.OnError(ask, guess)))
	for _, city := range []string{"Porto", "Oslo"} {
		res, err := g.Run(ctx, dataflow.Values{"city": city})
		check(err)
		fmt.Println(city, res.Outputs["reply"])
	}
	// [guide: end]

	// Output:
	// Porto from 90
	// a guess, as the partner is down
	// Oslo from 120
}

func Example_catch() {
	ctx := context.Background()
	// [guide: catch]
	g := graph.New[Trip]("book")
	g.Node("book", func(_ node.Context, t Trip) (Trip, error) {
		t.Days++ // what a node returns beside its error is what goes over the error edge
		return t, errSoldOut
	})
	g.Edge(graph.Start, "book")
	g.Catch("book", func(_ node.Context, t Trip, cause error) (string, error) {
		if errors.Is(cause, errSoldOut) && t.Days < 3 {
			return "book", nil // a day later
		}
		return "", nil // the run fails
	}, "book")
	_, err := g.MustCompile().Run(ctx, Trip{})
	fmt.Println(err)
	// [guide: end]

	// Output: run run, task book#3: sold out
}

func Example_retryRun() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: retry run]
	var flights, hotels atomic.Int32
	down := true
	g := graph.New[Offer]("booking")
	g.Node("flight", func(ctx node.Context, o Offer) (Offer, error) { flights.Add(1); return flight(ctx, o) })
	g.Node("hotel", func(ctx node.Context, o Offer) (Offer, error) {
		if hotels.Add(1); down {
			return o, errors.New("the hotel's service is down")
		}
		return hotel(ctx, o)
	})
	g.Node("confirm", confirm, graph.All())
	g.Edge(graph.Start, "flight", "hotel")
	g.Edge("flight", "confirm").Edge("hotel", "confirm")
	booking := g.MustCompile()

	run, err := booking.Start(ctx, rt, Offer{To: "Porto"})
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.Status)

	down = false // the next morning
	run, err = booking.Retry(ctx, rt, run.ID())
	check(err)
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.State.Notes)
	fmt.Println("flights:", flights.Load(), "hotels:", hotels.Load())
	// [guide: end]

	// Output:
	// failed
	// completed [flight found hotel found in all 420]
	// flights: 1 hotels: 2
}

func Example_failFast() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: fail fast]
	g := graph.New[Offer]("booking")
	g.FailFast()
	g.Node("flight", func(ctx node.Context, o Offer) (Offer, error) {
		<-ctx.Done() // it would search for hours
		return o, ctx.Err()
	})
	g.Node("hotel", func(_ node.Context, o Offer) (Offer, error) { return o, errors.New("all hotels are full") })
	g.Node("confirm", confirm, graph.All())
	g.Edge(graph.Start, "flight", "hotel")
	g.Edge("flight", "confirm").Edge("hotel", "confirm")
	run, err := g.MustCompile().Start(ctx, rt, Offer{To: "Porto"}, fermata.WithID("run_7"))
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.Err)
	// [guide: end]

	// Output: run run_7, task hotel#1: all hotels are full
}

func Example_heartbeat() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	check(err)
	defer rt.Close()
	hotels := []string{"Ada", "Bela", "Cara", "Dora"}
	// [guide: heartbeat]
	g := graph.New[Trip]("hotels").Node("hotels", func(ctx node.Context, t Trip) (Trip, error) {
		next, _ := node.LastHeartbeat[int](ctx) // 0 at first
		for i := next; i < len(hotels); i++ {
			if i == 2 && ctx.Info().Attempt == 1 {
				return t, errors.New("the line went dead")
			}
			fmt.Println("attempt", ctx.Info().Attempt, "looks at", hotels[i])
			if err := node.Heartbeat(ctx, i+1); err != nil {
				return t, err
			}
		}
		return t, nil
	}, graph.Idle(time.Minute), graph.Retry(3, time.Millisecond)).Edge(graph.Start, "hotels").MustCompile()
	run, err := g.Start(ctx, rt, Trip{To: "Porto"})
	check(err)
	_, err = run.Wait(ctx)
	check(err)
	// [guide: end]

	// Output:
	// attempt 1 looks at Ada
	// attempt 1 looks at Bela
	// attempt 2 looks at Cara
	// attempt 2 looks at Dora
}

func Example_limits() {
	ctx := context.Background()
	// [guide: limits]
	m := model.Priced(scripted.Func(func(string) (string, error) { return "longer still", nil }),
		model.Prices{Input: model.Dollars(3), Output: model.Dollars(15)})
	g := graph.New[Trip]("write")
	g.Node("write", func(ctx node.Context, t Trip) (Trip, error) {
		said, err := ctx.LLM().Complete(ctx, "More about "+t.To)
		if err != nil {
			return t, err
		}
		t.Notes = append(t.Notes, said.Text)
		return t, nil
	}, graph.Timeout(time.Minute))
	g.Edge(graph.Start, "write")
	g.Route("write", func(node.Context, Trip) (string, error) { return "write", nil }, "write", graph.End)
	g.Limits(plan.Limits{
		Tasks:  1000,                // visits of nodes
		Time:   time.Hour,           // at work; waiting for people does not count
		Tokens: 20,                  // read and said, in all
		Cost:   model.Dollars(0.50), // micro-dollars
	})
	_, err := g.MustCompile().Run(ctx, Trip{To: "Porto"}, m)
	fmt.Println(errors.Is(err, fermata.ErrLimit))
	fmt.Println(err)
	// [guide: end]

	// Output:
	// true
	// run run: the run's limit of tokens (20) was reached
}

func Example_defaults() {
	ctx := context.Background()
	attempts := make(map[string]int)
	fails := func(ctx node.Context, t Trip) (Trip, error) {
		attempts[ctx.Info().Node]++
		if ctx.Info().Attempt == 1 {
			return t, errors.New("connection reset")
		}
		return t, nil
	}
	pay := func(_ node.Context, t Trip) (Trip, error) { return t, nil }
	// [guide: defaults]
	g := graph.New[Trip]("book").Defaults(graph.Retry(3, time.Millisecond), graph.Timeout(time.Minute))
	g.Node("flight", fails)
	g.Node("hotel", fails)
	g.Node("pay", pay, graph.Retry(1, 0)) // a node's own option counts: one attempt, within the minute of all nodes
	// [guide: end]
	g.Edge(graph.Start, "flight").Edge("flight", "hotel").Edge("hotel", "pay")
	_, err := g.MustCompile().Run(ctx, Trip{})
	fmt.Println(attempts, err)

	// Output:
	// map[flight:2 hotel:2] <nil>
}

func Example_tasksLeft() {
	ctx := context.Background()
	// [guide: tasks left]
	g := graph.New[Trip]("search").Limits(plan.Limits{Tasks: 4})
	g.Node("search", func(ctx node.Context, t Trip) (Trip, error) {
		if ctx.Info().TasksLeft == 1 { // this is the last one
			t.Notes = append(t.Notes, "the best so far")
			return t, nil
		}
		t.Notes = append(t.Notes, "another try")
		return t, nil
	})
	g.Edge(graph.Start, "search")
	g.Route("search", func(ctx node.Context, _ Trip) (string, error) {
		if ctx.Info().TasksLeft == 1 {
			return graph.End, nil
		}
		return "search", nil
	}, "search", graph.End)
	t, err := g.MustCompile().Run(ctx, Trip{})
	check(err)
	fmt.Println(t.Notes)
	// [guide: end]

	// Output:
	// [another try another try another try the best so far]
}

func Example_pool() {
	ctx := context.Background()
	// [guide: pool]
	asked := 0
	g := graph.New[Trip]("quote").
		Node("quote", func(ctx node.Context, t Trip) (Trip, error) {
			asked++
			return quote(ctx, t)
		}, graph.Pool("airline"), graph.CacheFor("prices of May", 24*time.Hour)).
		Edge(graph.Start, "quote").
		MustCompile()

	rt, err := fermata.New(fermata.Options{Pools: map[string]fermata.Pool{
		"airline": {Concurrent: 4, Every: time.Second / 50, Burst: 10}, // 4 at once, 50 a second
	}})
	check(err)
	defer rt.Close()
	for _, to := range []string{"Porto", "Porto", "Oslo"} {
		run, err := g.Start(ctx, rt, Trip{To: to, Days: 2})
		check(err)
		_, err = run.Wait(ctx)
		check(err)
	}
	fmt.Println("asked", asked, "times")
	// [guide: end]

	// Output: asked 2 times
}

func Example_model() {
	ctx := context.Background()
	// [guide: model]
	propose := func(ctx node.Context, t Trip) (Trip, error) {
		said, err := ctx.LLM().Complete(ctx, "A sentence about "+t.To,
			node.System("You work for a travel agency."), node.Streamed())
		if err != nil {
			return t, err
		}
		send, err := node.Interrupt[bool](ctx, said.Text, node.Prompt("Send it?"))
		if err != nil {
			return t, err // left here; when the answer comes, the model is not asked again
		}
		if send {
			t.Notes = append(t.Notes, said.Text)
		}
		return t, nil
	}
	m := scripted.Texts("Porto is worth a mass.") // in tests; a program brings a model.Model of a provider
	rt, err := fermata.New(fermata.Options{Services: []any{m}})
	check(err)
	// [guide: end]
	defer rt.Close()
	g := graph.New[Trip]("propose").Node("propose", propose).Edge(graph.Start, "propose").MustCompile()
	// [guide: model used]
	run, err := g.Start(ctx, rt, Trip{To: "Porto"})
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	check(rt.Answer(ctx, res.Interrupts[0].ID, true))
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Notes, "asked", len(m.Requests()), "time")
	fmt.Println(res.Usage.Input, "tokens read,", res.Usage.Output, "said")
	// [guide: end]

	// Output:
	// [Porto is worth a mass.] asked 1 time
	// 10 tokens read, 5 said
}
