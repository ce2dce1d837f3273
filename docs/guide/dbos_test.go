package guide_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// Checkout is what a purchase carries.
type Checkout struct {
	Item     string
	Reserved string
	Paid     string
}

func Example_dbosWorkflow() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: dbos workflow]
	checkout := graph.Of("checkout", func(ctx node.Context, c Checkout) (Checkout, error) {
		var err error
		c.Reserved, err = node.Step(ctx, "reserve", func(node.Context) (string, error) {
			return "a " + c.Item + " is put aside", nil
		})
		if err != nil {
			return c, err
		}
		c.Paid, err = node.Step(ctx, "pay", func(ctx node.Context) (string, error) {
			return "paid with the key " + node.IdempotencyKey(ctx), nil
		})
		return c, err
	}, graph.Retry(3, time.Second)).MustCompile()

	run, err := checkout.Start(ctx, rt, Checkout{Item: "teapot"}, fermata.WithID("order-7"))
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Reserved + ", " + res.State.Paid)
	// [guide: end]

	// Output:
	// a teapot is put aside, paid with the key order-7/checkout#1/step:pay#1
}

func Example_dbosQueue() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	report := graph.New[Trip]("report").Node("write", func(_ node.Context, t Trip) (Trip, error) { return t, nil }).
		Edge(graph.Start, "write").MustCompile()
	// [guide: dbos queue]
	run, err := report.Start(ctx, rt, Trip{To: "Porto"},
		fermata.InQueue("reports"), // workers of this queue take it
		fermata.Priority(5),
		fermata.NotBefore(time.Now().Add(time.Hour)),
		fermata.Dedup("customer-7"), // one open run for each customer
		fermata.Within(24*time.Hour))
	check(err)

	_, err = report.Start(ctx, rt, Trip{To: "Oslo"}, fermata.InQueue("reports"), fermata.Dedup("customer-7"))
	held, ok := errors.AsType[*fermata.DuplicateError](err)
	fmt.Println(ok && held.Run == run.ID())

	same, err := report.Start(ctx, rt, Trip{To: "Oslo"}, fermata.InQueue("reports"), fermata.Dedup("customer-7"), fermata.Attach())
	check(err)
	fmt.Println(same.ID() == run.ID())
	// [guide: end]

	// Output:
	// true
	// true
}

// Page is a document that is indexed when nobody edits it any more.
type Page struct {
	Text  string
	Index []string // what was indexed
}

func Example_dbosDebouncer() {
	ctx := context.Background()
	clock := fermatatest.NewClock(fermatatest.Epoch)
	rt, err := fermata.New(fermata.Options{Clock: clock})
	check(err)
	defer rt.Close()
	// [guide: dbos debouncer]
	pages := graph.New[Page]("pages")
	pages.Node("collect", func(ctx node.Context, p Page) (Page, error) {
		text, err := node.Receive[string](ctx, "edit") // the first one, however long that takes
		for err == nil {
			p.Text = text
			text, err = node.Receive[string](ctx, "edit", node.Within(30*time.Second))
		}
		if errors.Is(err, node.ErrNoMessage) {
			return p, nil // half a minute of silence
		}
		return p, err
	})
	pages.Node("index", func(ctx node.Context, p Page) (Page, error) {
		p.Index = append(p.Index, p.Text)
		return p, nil
	})
	pages.Edge(graph.Start, "collect").Edge("collect", "index")
	pages.Route("index", func(node.Context, Page) (string, error) { return "collect", nil }, "collect", graph.End)
	g := pages.MustCompile()

	for _, text := range []string{"He", "Hell", "Hello"} {
		_, err := g.StartOrSend(ctx, rt, Page{}, fermata.WithID("page-7"), fermata.WithMessage("edit", text))
		check(err)
	}
	// [guide: end]
	for {
		p, err := g.State(ctx, rt, "page-7")
		check(err)
		if len(p.Index) > 0 {
			fmt.Println(p.Index)
			break
		}
		if at, ok := clock.Next(); ok {
			clock.AdvanceTo(at)
		}
		time.Sleep(time.Millisecond)
	}

	// Output:
	// [Hello]
}

func Example_dbosEvent() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: dbos event]
	g := graph.New[Checkout]("paid").
		Node("reserve", func(_ node.Context, c Checkout) (Checkout, error) {
			c.Reserved = "shelf 4"
			return c, nil
		}).
		Node("pay", func(ctx node.Context, c Checkout) (Checkout, error) {
			if err := node.Label(ctx, "stage", "paying"); err != nil { // found by Runtime.FindRuns
				return c, err
			}
			var err error
			c.Paid, err = node.Interrupt[string](ctx, c.Item, node.Prompt("How was it paid?"))
			return c, err
		}).
		Edge(graph.Start, "reserve").Edge("reserve", "pay").MustCompile()
	run, err := g.Start(ctx, rt, Checkout{Item: "teapot"}, fermata.WithID("order-8"))
	check(err)
	res, err := run.Wait(ctx) // it is paused
	check(err)
	now, err := g.State(ctx, rt, "order-8") // in any process, at any time
	check(err)
	info, err := rt.Info(ctx, "order-8")
	check(err)
	fmt.Println(res.Status, now.Reserved, info.Labels["stage"])
	// [guide: end]

	// Output:
	// paused shelf 4 paying
}
