package guide_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// [guide: order]

// Deposit is what the payment provider reports.
type Deposit struct {
	Amount int `json:"amount"`
}

// Purchase is paid in parts.
type Purchase struct {
	Total, Paid int
	Status      string
}

func collect(ctx node.Context, o Purchase) (Purchase, error) {
	for o.Paid < o.Total {
		p, err := node.Receive[Deposit](ctx, "payments", node.Within(7*24*time.Hour))
		switch {
		case errors.Is(err, node.ErrNoMessage):
			o.Status = "abandoned"
			return o, nil
		case err != nil:
			return o, err // it waits: the engine knows what to do
		}
		o.Paid += p.Amount
	}
	o.Status = "paid"
	return o, nil
}

// [guide: end]

func purchases() *graph.Graph[Purchase] {
	return graph.New[Purchase]("order").Node("collect", collect).Edge(graph.Start, "collect").MustCompile()
}

func Example_messages() {
	ctx := context.Background()
	// [guide: messages]
	rt, err := fermata.New(fermata.Options{})
	check(err)
	run, err := purchases().Start(ctx, rt, Purchase{Total: 100}, fermata.WithID("order-7"))
	check(err)
	// In the handler of the provider's webhook, in this process or another one:
	check(rt.Send(ctx, "order-7", "payments", Deposit{60}, fermata.MessageID("evt_1")))
	check(rt.Send(ctx, "order-7", "payments", Deposit{60}, fermata.MessageID("evt_1"))) // sent again: no effect
	check(rt.Send(ctx, "order-7", "payments", Deposit{40}, fermata.MessageID("evt_2")))
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Status, res.State.Paid)
	// [guide: end]
	check(rt.Close())
	// Output: paid 100
}

func Example_calls() {
	ctx := context.Background()
	rt := runtime()
	// [guide: calls]
	counter := graph.New[Purchase]("counter").
		Node("serve", func(ctx node.Context, o Purchase) (Purchase, error) {
			for {
				m, err := node.ReceiveMessage[int](ctx, "add")
				switch {
				case err != nil:
					return o, err
				case m.Value < 0:
					err = m.Refuse(errors.New("a deposit is not negative"))
				default:
					o.Paid += m.Value
					err = m.Reply(o.Paid)
				}
				if err != nil || m.Value == 0 {
					return o, err
				}
			}
		}).
		Edge(graph.Start, "serve").
		MustCompile()
	run, err := counter.Start(ctx, rt, Purchase{})
	check(err)
	for _, n := range []int{5, -1, 7, 0} {
		var sum int
		err := rt.Call(ctx, run.ID(), "add", n, &sum)
		fmt.Println(n, sum, errors.Is(err, fermata.ErrRefused))
	}
	// [guide: end]
	check(rt.Close())
	// Output:
	// 5 5 false
	// -1 0 true
	// 7 12 false
	// 0 12 false
}

func Example_startOrSend() {
	ctx := context.Background()
	rt := runtime()
	// [guide: startOrSend]
	for _, p := range []Deposit{{60}, {40}} { // whichever comes first starts the run
		_, err := purchases().StartOrSend(ctx, rt, Purchase{Total: 100},
			fermata.WithID("order-8"), fermata.WithMessage("payments", p))
		check(err)
	}
	run, err := purchases().Resume(ctx, rt, "order-8")
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Status, res.State.Paid)
	// [guide: end]
	check(rt.Close())
	// Output: paid 100
}
