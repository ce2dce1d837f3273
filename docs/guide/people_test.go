package guide_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// scratch is a folder for an example's files.
func scratch() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "guide")
	check(err)
	return dir, func() { check(os.RemoveAll(dir)) }
}

// runtime is a runtime in memory.
func runtime(services ...any) *fermata.Runtime {
	rt, err := fermata.New(fermata.Options{Services: services})
	check(err)
	return rt
}

// [guide: claim]

// Claim asks for money back.
type Claim struct {
	Amount  int
	Granted bool
	Receipt string
}

func review(ctx node.Context, c Claim) (Claim, error) {
	granted, err := node.Interrupt[bool](ctx, c,
		node.ID("grant"), node.Prompt("Pay it back?"), node.Role("manager"))
	if err != nil {
		return c, err // it waits: the engine knows what to do
	}
	c.Granted = granted
	return c, nil
}

// [guide: end]

// refunds is the graph of the chapters on people.
func refunds() *graph.Graph[Claim] {
	return graph.New[Claim]("refund").
		Node("review", review, graph.Human()).
		Edge(graph.Start, "review").
		MustCompile()
}

func Example_durable() {
	ctx := context.Background()
	dir, remove := scratch()
	defer remove()
	file := filepath.Join(dir, "refunds.db")
	// [guide: durable]
	g := graph.New[Claim]("refund")
	g.Node("review", review, graph.Human())
	g.Edge(graph.Start, "review")
	refund := g.MustCompile()

	store := sqlite.MustOpen(file)
	rt, err := fermata.New(fermata.Options{Store: store})
	check(err)
	run, err := refund.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID("run_7"))
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, "at", res.Interrupts[0].Task)

	check(rt.Close()) // the process ends here, on purpose or not
	check(store.Close())

	store = sqlite.MustOpen(file) // and another begins, on another day
	rt, err = fermata.New(fermata.Options{Store: store})
	check(err)
	run, err = refund.Resume(ctx, rt, "run_7")
	check(err)
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, "at", res.Interrupts[0].Task)
	// [guide: end]
	check(rt.Close())
	check(store.Close())

	// Output:
	// paused at review#1
	// paused at review#1
}

func Example_answer() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	refund := refunds()
	// [guide: answer]
	run, err := refund.Start(ctx, rt, Claim{Amount: 120})
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	question := res.Interrupts[0]
	fmt.Println(res.Status+":", question.Prompt, string(question.Request))

	err = rt.Answer(ctx, question.ID, true)
	fmt.Println(errors.Is(err, fermata.ErrForbidden)) // it asks for a manager
	err = rt.Answer(ctx, question.ID, "yes, please", fermata.AsRole("manager"))
	fmt.Println(errors.Is(err, fermata.ErrInvalid)) // it asks for a bool
	check(rt.Answer(ctx, question.ID, true, fermata.AsRole("manager"), fermata.AsPerson("Ada")))

	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.State.Granted)
	// [guide: end]

	// Output:
	// paused: Pay it back? {"Amount":120,"Granted":false,"Receipt":""}
	// true
	// true
	// completed true
}

func Example_inbox() {
	ctx := context.Background()
	dir, remove := scratch()
	defer remove()
	file := filepath.Join(dir, "refunds.db")
	refund := refunds()
	// [guide: inbox]
	store := sqlite.MustOpen(file)
	worker, err := fermata.New(fermata.Options{Store: store})
	check(err)
	for _, id := range []string{"run_1", "run_2"} {
		run, err := refund.Start(ctx, worker, Claim{Amount: 120}, fermata.WithID(id))
		check(err)
		_, err = run.Wait(ctx)
		check(err)
	}
	check(worker.Close())
	check(store.Close())

	// Elsewhere: a program that serves the inbox, and finds the plans of runs that it has not started.
	store = sqlite.MustOpen(file)
	desk, err := fermata.New(fermata.Options{
		Store: store,
		Plans: func(_ context.Context, run fermata.RunInfo) (*plan.Plan, error) {
			return refund.Plan(), nil // by run.Plan, where there are several
		},
	})
	check(err)
	open, err := desk.Inbox(ctx, journal.InboxFilter{Role: "manager"})
	check(err)
	for _, q := range open {
		check(desk.Answer(ctx, q.ID, true, fermata.AsRole("manager"), fermata.AsPerson("Ada")))
	}
	for _, id := range []string{"run_1", "run_2"} {
		run, err := refund.Resume(ctx, desk, id)
		check(err)
		res, err := run.Wait(ctx)
		check(err)
		fmt.Println(id, res.Status, res.State.Granted)
	}
	// [guide: end]
	check(desk.Close())
	check(store.Close())

	// Output:
	// run_1 completed true
	// run_2 completed true
}

func Example_fourEyes() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: fourEyes]
	pay := graph.New[Claim]("pay").
		Node("review", func(ctx node.Context, c Claim) (Claim, error) {
			var err error
			c.Granted, err = node.Interrupt[bool](ctx, c, node.Prompt("Pay it back?"), node.Role("manager"),
				node.FourEyes()) // not by who started the run; node.NotBy("…"): nor by who answered that node
			return c, err
		}, graph.Human()).
		Edge(graph.Start, "review").
		MustCompile()
	run, err := pay.Start(ctx, rt, Claim{Amount: 120}, fermata.StartedBy("Sam"))
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	question := res.Interrupts[0].ID

	manager := fermata.AsRole("manager")
	err = rt.Answer(ctx, question, true, fermata.AsPerson("sam"), manager)
	fmt.Println(errors.Is(err, fermata.ErrForbidden)) // Sam started it
	away := fermata.Assignment{Person: "Bob", Note: "I am away"}
	check(rt.Reassign(ctx, question, away, fermata.AsPerson("Ada"), manager))
	err = rt.Answer(ctx, question, true, fermata.AsPerson("Ada"), manager)
	fmt.Println(errors.Is(err, fermata.ErrForbidden)) // it is for Bob now
	check(rt.Answer(ctx, question, true, fermata.AsPerson("Bob"), manager))

	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.State.Granted)
	// [guide: end]

	// Output:
	// true
	// true
	// completed true
}

func Example_deadline() {
	ctx := context.Background()
	clock := fermatatest.NewClock(fermatatest.Epoch)
	// [guide: deadline]
	refund := graph.New[Claim]("refund").
		Node("review", func(ctx node.Context, c Claim) (Claim, error) {
			var err error
			c.Granted, err = node.Interrupt[bool](ctx, c,
				node.Prompt("Pay it back?"), node.Role("manager"),
				node.Within(24*time.Hour), node.OrEscalate("director", 48*time.Hour), node.OrDefault(false))
			return c, err
		}, graph.Human()).
		Edge(graph.Start, "review").
		MustCompile()

	rt, err := fermata.New(fermata.Options{Clock: clock}) // one that stands still, from fermatatest
	check(err)
	run, err := refund.Start(ctx, rt, Claim{Amount: 120})
	check(err)
	for {
		res, err := run.Wait(ctx)
		check(err)
		if res.Status != fermata.Paused {
			fmt.Println(res.Status, res.State.Granted)
			break
		}
		fmt.Println("waits for a", res.Interrupts[0].Role, "until", res.Interrupts[0].DeadlineTime().Format("Jan 2"))
		clock.AdvanceTo(res.Interrupts[0].DeadlineTime())
	}
	// [guide: end]
	check(rt.Close())

	// Output:
	// waits for a manager until Jan 2
	// waits for a director until Jan 4
	// completed false
}

func Example_several() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: several]
	choose := func(ctx node.Context, t Trip) (Trip, error) {
		seat, err := node.Ask[string](ctx, nil, node.ID("seat"), node.Options("aisle", "window"))
		if err != nil {
			return t, err
		}
		meal, err := node.Ask[string](ctx, nil, node.ID("meal"), node.Options("fish", "soup"))
		if err != nil {
			return t, err
		}
		for _, q := range []*node.Asked[string]{seat, meal} { // both are open by now
			answer, err := q.Wait()
			if err != nil {
				return t, err
			}
			t.Notes = append(t.Notes, answer+" by "+q.By())
		}
		return t, nil
	}
	g := graph.New[Trip]("choose").Node("choose", choose).Edge(graph.Start, "choose").MustCompile()
	run, err := g.Start(ctx, rt, Trip{})
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	for _, q := range slices.Backward(res.Interrupts) { // in any order
		check(rt.Answer(ctx, q.ID, q.Options[0], fermata.AsPerson("Ada")))
	}
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Notes)
	// [guide: end]

	// Output: [aisle by Ada fish by Ada]
}

func Example_answerAll() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	choose := func(ctx node.Context, t Trip) (Trip, error) {
		seat, err := node.Ask[string](ctx, nil, node.ID("seat"), node.Options("aisle", "window"))
		if err != nil {
			return t, err
		}
		meal, err := node.Ask[string](ctx, nil, node.ID("meal"), node.Options("fish", "soup"))
		if err != nil {
			return t, err
		}
		for _, q := range []*node.Asked[string]{seat, meal} {
			answer, err := q.Wait()
			if err != nil {
				return t, err
			}
			t.Notes = append(t.Notes, answer)
		}
		return t, nil
	}
	g := graph.New[Trip]("choose").Node("choose", choose).Edge(graph.Start, "choose").MustCompile()
	run, err := g.Start(ctx, rt, Trip{})
	check(err)
	// [guide: answer all]
	res, err := run.Wait(ctx)
	check(err)
	seat, meal := res.Interrupts[0].ID, res.Interrupts[1].ID
	err = rt.AnswerAll(ctx, map[string]any{seat: "window", meal: 7}, fermata.AsPerson("Ada"))
	fmt.Println(errors.Is(err, fermata.ErrInvalid)) // a meal is a text: neither answer is taken
	check(rt.AnswerAll(ctx, map[string]any{seat: "window", meal: "soup"}, fermata.AsPerson("Ada")))
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Notes)
	// [guide: end]

	// Output:
	// true
	// [window soup]
}

// [guide: bank]

// bank stands for the outside world.
type bank struct{ keys []string }

func (b *bank) Pay(key string, amount int) (string, error) {
	b.keys = append(b.keys, key)
	return fmt.Sprintf("receipt for %d", amount), nil
}

// [guide: end]

func Example_step() {
	ctx := context.Background()
	bank := &bank{}
	rt := runtime()
	defer rt.Close()
	// [guide: step]
	pay := func(ctx node.Context, c Claim) (Claim, error) {
		var err error
		c.Receipt, err = node.Step(ctx, "pay", func(ctx node.Context) (string, error) {
			return bank.Pay(node.IdempotencyKey(ctx), c.Amount)
		})
		if err != nil {
			return c, err
		}
		// The function is left here, and run again from its first line when the answer is there.
		c.Granted, err = node.Interrupt[bool](ctx, c.Receipt, node.Prompt("Has the money come?"))
		return c, err
	}
	g := graph.New[Claim]("pay").Node("pay", pay).Edge(graph.Start, "pay").MustCompile()
	run, err := g.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID("run_7"))
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	check(rt.Answer(ctx, res.Interrupts[0].ID, true))
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Receipt, bank.keys)
	// [guide: end]

	// Output: receipt for 120 [run_7/pay#1/step:pay#1]
}

// [guide: once]

func transfer(ctx node.Context, c Claim) (Claim, error) {
	bank, err := node.Service[*bank](ctx)
	if err != nil {
		return c, err
	}
	c.Receipt, err = node.Step(ctx, "transfer", func(ctx node.Context) (string, error) {
		return bank.Pay(node.IdempotencyKey(ctx), c.Amount)
	}, node.AtMostOnce())
	return c, err
}

// settle runs after a crash in the middle of the transfer: only somebody who looks at the account can say what happened.
func settle(ctx node.Context, c Claim) (Claim, error) {
	var err error
	c.Receipt, err = node.Interrupt[string](ctx, ctx.Cause(), node.Prompt("Is the money gone? What is the receipt?"))
	return c, err
}

func payOnce() *graph.Graph[Claim] {
	g := graph.New[Claim]("pay once")
	g.Node("transfer", transfer)
	g.Node("settle", settle, graph.Human())
	g.Edge(graph.Start, "transfer")
	g.OnErrorIs("transfer", node.ErrOutcomeUnknown, "settle")
	return g.MustCompile()
}

// [guide: end]

func Example_service() {
	ctx := context.Background()
	// [guide: service]
	c, err := payOnce().Run(ctx, Claim{Amount: 120}, &bank{}) // on a runtime: fermata.Options{Services: []any{&bank{}}}
	check(err)
	fmt.Println(c.Receipt)
	_, err = payOnce().Run(ctx, Claim{Amount: 120})
	fmt.Println(err)
	// [guide: end]

	// Output:
	// receipt for 120
	// run run, task transfer#1: no such service: *guide_test.bank; add it to Options.Services
}
