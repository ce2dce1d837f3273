package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// refund is what the runs of these examples are about.
type refund struct {
	Cents    int64
	Decision string
}

// approval asks a manager about large refunds.
func approval() *graph.Graph[refund] {
	return graph.New[refund]("refund").
		Node("decide", func(ctx node.Context, r refund) (refund, error) {
			r.Decision = "paid"
			if r.Cents < 10_000 {
				return r, nil
			}
			yes, err := node.Interrupt[bool](ctx, r, node.Prompt("Refund it?"), node.Role("manager"))
			if err != nil {
				return r, err
			}
			if !yes {
				r.Decision = "refused"
			}
			return r, nil
		}).
		Edge(graph.Start, "decide").
		MustCompile()
}

// A run that asks somebody is paused until the answer comes, for as long as it takes.
func Example() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{}) // with a store of its own, in memory
	if err != nil {
		panic(err)
	}
	defer rt.Close()

	run, err := approval().Start(ctx, rt, refund{Cents: 25_000})
	if err != nil {
		panic(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	question := res.Interrupts[0]
	fmt.Println(res.Status, question.Prompt)

	err = rt.Answer(ctx, question.ID, true, fermata.AsPerson("Ada"), fermata.AsRole("manager"))
	if err != nil {
		panic(err)
	}
	res, err = run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.State.Decision)
	// Output:
	// paused Refund it?
	// completed paid
}

// The process that asks and the process that goes on need not be the same: all they share is the store.
func ExampleRuntime_Resume() {
	ctx := context.Background()
	store := memory.New() // or sqlite.Open, to outlive the process
	g := approval()

	first, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		panic(err)
	}
	run, err := g.Start(ctx, first, refund{Cents: 25_000}, fermata.WithID("run_42"))
	if err != nil {
		panic(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		panic(err)
	}
	first.Close()

	second, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		panic(err)
	}
	defer second.Close()
	inbox, err := second.Inbox(ctx, journal.InboxFilter{})
	if err != nil {
		panic(err)
	}
	err = second.Answer(ctx, inbox[0].ID, false, fermata.AsRole("manager"), fermata.Hold())
	if err != nil {
		panic(err)
	}
	again, err := second.Resume(ctx, "run_42", g.Plan())
	if err != nil {
		panic(err)
	}
	res, err := again.Wait(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.Value.(*refund).Decision)
	// Output: completed refused
}

// An answer that is refused leaves its question as it was.
func ExampleRuntime_Answer() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	run, err := approval().Start(ctx, rt, refund{Cents: 25_000})
	if err != nil {
		panic(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	id := res.Interrupts[0].ID

	manager := fermata.AsRole("manager")
	err = rt.Answer(ctx, id, true, fermata.AsRole("clerk"))
	fmt.Println(errors.Is(err, fermata.ErrForbidden))
	err = rt.Answer(ctx, id, "maybe", manager)
	fmt.Println(errors.Is(err, fermata.ErrInvalid))
	err = rt.Answer(ctx, id, true, manager)
	fmt.Println(err)
	err = rt.Answer(ctx, id, true, manager) // the same again
	fmt.Println(err)
	err = rt.Answer(ctx, id, false, manager)
	fmt.Println(errors.Is(err, fermata.ErrAnswered))
	// Output:
	// true
	// true
	// <nil>
	// <nil>
	// true
}

// A failed run is taken up where it failed. What has finished is not done again.
func ExampleRuntime_Retry() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	open := false
	g := graph.New[refund]("bank").
		Node("book", func(_ node.Context, r refund) (refund, error) {
			fmt.Println("booking")
			return r, nil
		}).
		Node("pay", func(_ node.Context, r refund) (refund, error) {
			if !open {
				return r, errors.New("the bank is closed")
			}
			r.Decision = "paid"
			return r, nil
		}).
		Edge(graph.Start, "book").Edge("book", "pay").
		MustCompile()
	run, err := g.Start(ctx, rt, refund{Cents: 500}, fermata.WithID("run_1"))
	if err != nil {
		panic(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.Err)

	open = true
	if run, err = g.Retry(ctx, rt, "run_1"); err != nil {
		panic(err)
	}
	if res, err = run.Wait(ctx); err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.State.Decision)
	// Output:
	// booking
	// failed run run_1, task pay#1: the bank is closed
	// completed paid
}

// Everything that happens in a run is an event, numbered without a gap. A reader that comes back goes on after the last
// one it saw.
func ExampleRuntime_Events() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	run, err := approval().Start(ctx, rt, refund{Cents: 500})
	if err != nil {
		panic(err)
	}
	var last uint64
	for event, err := range rt.Events(ctx, run.ID(), 0, true) {
		if err != nil {
			panic(err)
		}
		fmt.Println(event.Seq(), event.Type())
		if last = event.Seq(); last == 2 {
			break
		}
	}
	for event, err := range rt.Events(ctx, run.ID(), last, true) {
		if err != nil {
			panic(err)
		}
		fmt.Println(event.Seq(), event.Type())
	}
	// Output:
	// 1 run.started
	// 2 node.started
	// 3 node.finished
	// 4 run.finished
}

// A plan that waits for nobody can be run without a runtime. Nothing of it is kept.
func ExampleEvaluate() {
	p := approval().Plan()
	res, err := fermata.Evaluate(context.Background(), p, &refund{Cents: 500}, fermata.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Value.(*refund).Decision)

	_, err = fermata.Evaluate(context.Background(), p, &refund{Cents: 25_000}, fermata.Options{})
	fmt.Println(errors.Is(err, fermata.ErrMustWait))
	// Output:
	// paid
	// true
}

// A service process picks up runs that others have started: it says how the plan of a run is found.
func ExampleOptions_plans() {
	ctx := context.Background()
	store := memory.New()
	plans := map[string]*plan.Plan{"refund": approval().Plan()}

	front, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		panic(err)
	}
	run, err := front.Start(ctx, plans["refund"], &refund{Cents: 25_000}, fermata.WithID("run_7"))
	if err != nil {
		panic(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		panic(err)
	}
	front.Close()

	service, err := fermata.New(fermata.Options{
		Store: store,
		Plans: func(_ context.Context, run fermata.RunInfo) (*plan.Plan, error) { return plans[run.Plan], nil },
	})
	if err != nil {
		panic(err)
	}
	defer service.Close()
	open, err := service.Inbox(ctx, journal.InboxFilter{Run: "run_7"})
	if err != nil {
		panic(err)
	}
	err = service.Answer(ctx, open[0].ID, true, fermata.AsRole("manager")) // drives the run on
	if err != nil {
		panic(err)
	}
	for event, err := range service.Events(ctx, "run_7", 0, true) {
		if err != nil {
			panic(err)
		}
		if event.Type() == "run.finished" {
			fmt.Println("done")
		}
	}
	// Output: done
}

// What happens at a question's deadline is part of the question.
func ExampleRun_Wait() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	g := graph.New[refund]("patient").
		Node("ask", func(ctx node.Context, r refund) (refund, error) {
			decision, err := node.Interrupt[string](ctx, r, node.Options("pay", "refuse"),
				node.Within(20*time.Millisecond), node.OrEscalate("manager", 20*time.Millisecond), node.OrDefault("refuse"))
			r.Decision = decision
			return r, err
		}).
		Edge(graph.Start, "ask").
		MustCompile()
	run, err := g.Start(ctx, rt, refund{})
	if err != nil {
		panic(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status)
	for _, err := range run.Events(ctx, 0) { // nobody answers: until the run has ended
		if err != nil {
			panic(err)
		}
	}
	if res, err = run.Wait(ctx); err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.State.Decision)
	// Output:
	// paused
	// completed refuse
}
