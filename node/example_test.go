package node_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// bank is a service of the program.
type bank struct{ charges []string }

func (b *bank) charge(key string, cents int) (string, error) {
	b.charges = append(b.charges, key)
	return fmt.Sprintf("receipt for %d cents", cents), nil
}

// order is the state of these examples.
type order struct {
	Cents   int
	Receipt string
	Log     []string
}

// run runs a node on a runtime and answers what it asks.
func run(f graph.Func[order], answer any, services ...any) order {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{Services: services})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	g := graph.New[order]("example").Node("pay", f).Edge(graph.Start, "pay").MustCompile()
	r, err := g.Start(ctx, rt, order{Cents: 350}, fermata.WithID("run_1"))
	if err != nil {
		panic(err)
	}
	res, err := r.Wait(ctx)
	for err == nil && res.Status == fermata.Paused {
		for _, q := range res.Interrupts {
			if err := rt.Answer(ctx, q.ID, answer, fermata.AsPerson("Ada")); err != nil {
				panic(err)
			}
		}
		res, err = r.Wait(ctx)
	}
	if err = errors.Join(err, res.Err); err != nil {
		panic(err)
	}
	return res.State
}

// A step is done once, however often the function around it is run.
func ExampleStep() {
	b := &bank{}
	end := run(func(ctx node.Context, o order) (order, error) {
		b, err := node.Service[*bank](ctx)
		if err != nil {
			return o, err
		}
		receipt, err := node.Step(ctx, "charge", func(ctx node.Context) (string, error) {
			return b.charge(node.IdempotencyKey(ctx), o.Cents)
		})
		if err != nil {
			return o, err
		}
		happy, err := node.Interrupt[bool](ctx, receipt, node.Prompt("Happy?")) // the function is left here, and run again
		if err != nil {
			return o, err
		}
		o.Receipt = fmt.Sprint(receipt, ", happy: ", happy)
		return o, nil
	}, true, b)
	fmt.Println(end.Receipt)
	fmt.Println(b.charges)
	// Output:
	// receipt for 350 cents, happy: true
	// [run_1/pay#1/step:charge#1]
}

// Several questions can be open at once. They are answered in any order, each by its own id.
func ExampleAsk() {
	end := run(func(ctx node.Context, o order) (order, error) {
		colour, err := node.Ask[string](ctx, nil, node.ID("colour"), node.Prompt("Which colour?"))
		if err != nil {
			return o, err
		}
		size, err := node.Ask[string](ctx, nil, node.ID("size"), node.Prompt("Which size?"))
		if err != nil {
			return o, err
		}
		for _, q := range []*node.Asked[string]{colour, size} {
			answer, err := q.Wait()
			if err != nil {
				return o, err
			}
			o.Log = append(o.Log, answer+", says "+q.By())
		}
		return o, nil
	}, "large")
	fmt.Println(end.Log)
	// Output: [large, says Ada large, says Ada]
}

// A question says who may answer, how long they have, and what happens then.
func ExampleInterrupt() {
	end := run(func(ctx node.Context, o order) (order, error) {
		choice, err := node.Interrupt[string](ctx, o,
			node.Prompt("Refund it?"), node.Options("approve", "reject"),
			node.Within(24*time.Hour), node.OrEscalate("manager", 24*time.Hour), node.OrDefault("reject"))
		if err != nil {
			return o, err
		}
		o.Log = append(o.Log, choice)
		return o, nil
	}, "approve")
	fmt.Println(end.Log)
	// Output: [approve]
}

// A sleep holds neither goroutine nor memory, and outlives the process.
func ExampleSleep() {
	end := run(func(ctx node.Context, o order) (order, error) {
		before, err := node.Now(ctx)
		if err != nil {
			return o, err
		}
		if err := node.Sleep(ctx, 10*time.Millisecond); err != nil {
			return o, err
		}
		o.Log = append(o.Log, fmt.Sprint("slept: ", time.Since(before) >= 10*time.Millisecond))
		return o, nil
	}, nil)
	fmt.Println(end.Log)
	// Output: [slept: true]
}

// A model of the program is asked, and what it says is recorded: the node that is run again after the answer gets the
// same draft, and nothing is paid twice.
func ExampleContext_LLM() {
	m := scripted.Texts("Dear customer, …")
	end := run(func(ctx node.Context, o order) (order, error) {
		result, err := ctx.LLM().Complete(ctx, fmt.Sprintf("Write to a customer about %d cents.", o.Cents))
		if err != nil {
			return o, fmt.Errorf("write: %w", err)
		}
		send, err := node.Interrupt[bool](ctx, result.Text, node.Prompt("Send it?"))
		if err != nil {
			return o, err
		}
		o.Log = append(o.Log, fmt.Sprint(result.Text, " ", send, ", for ", result.TokensIn+result.TokensOut, " tokens"))
		return o, nil
	}, true, m)
	fmt.Println(end.Log)
	fmt.Println(len(m.Requests()), "request")
	// Output:
	// [Dear customer, … true, for 10 tokens]
	// 1 request
}
