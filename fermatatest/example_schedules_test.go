package fermatatest_test

import (
	"context"
	"fmt"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// Offer is what suppliers are asked for.
type Offer struct {
	Prices map[string]int `json:"prices,omitempty" merge:"union"`
	Best   string         `json:"best,omitempty"`
}

// offers asks two suppliers at the same time.
func offers(north, south graph.Func[Offer]) *graph.Graph[Offer] {
	return graph.New[Offer]("offers").
		Node("north", north).Node("south", south).Node("decide", decide, graph.All()).
		Edge(graph.Start, "north", "south").Edge("north", "decide").Edge("south", "decide").MustCompile()
}

func asks(supplier string, price int) graph.Func[Offer] {
	return func(_ node.Context, o Offer) (Offer, error) {
		o.Prices = map[string]int{supplier: price}
		return o, nil
	}
}

func decide(_ node.Context, o Offer) (Offer, error) {
	o.Best = "north"
	if o.Prices["south"] < o.Prices["north"] {
		o.Best = "south"
	}
	return o, nil
}

func noOffer() any { return &Offer{} }

// Branches that share nothing but their state do the same in any order.
func ExampleSchedules() {
	t := inExample{} // in a test, its t
	report := fermatatest.Schedules(t, offers(asks("north", 7), asks("south", 5)).Plan(), noOffer)
	fmt.Println(report.Result.Status, report.Result.Value.(*Offer).Best)
	fmt.Println("orders beside the declared one:", report.Orders, "and no more:", report.All)
	// Output:
	// completed south
	// orders beside the declared one: 1 and no more: true
}

// A node that looks at what another branch writes is found, with the orders in which it matters.
func ExampleSchedules_shared() {
	t := inExample{}
	best := 10 // which is not in the state
	undercuts := func(supplier string) graph.Func[Offer] {
		return func(ctx node.Context, o Offer) (Offer, error) {
			best--
			return asks(supplier, best)(ctx, o)
		}
	}
	fermatatest.Schedules(t, offers(undercuts("north"), undercuts("south")).Plan(), noOffer,
		fermatatest.Before(func() { best = 10 }), fermatatest.Seed(1))
	// Output:
	// law D11: the order in which tasks come to their end makes a difference
	// first order (-):  north#1 before south#1
	// second order (+): south#1 before north#1
	// task north#1 was given the same, and did something else:
	//   - gives {"prices":{"north":9}}
	//   + gives {"prices":{"north":8}}
	// likely: it reads what is not its input: memory that another branch writes (law N9: a pointer, a map or a counter outside of the state), the time, or randomness. Put it into the state, or read it in a node.Step before the fork
	// to see it again: fermatatest.Seed(1), which finds it in order 1
}

// Four branches can end in 24 orders, which are few enough to try them all.
func ExampleExhaustive() {
	t := inExample{}
	suppliers := []string{"north", "south", "east", "west"}
	g := graph.New[Offer]("offers").Node("decide", decide, graph.All()).Edge(graph.Start, suppliers...)
	for i, name := range suppliers {
		g.Node(name, asks(name, 5+i)).Edge(name, "decide")
	}
	report := fermatatest.Schedules(t, g.MustCompile().Plan(), noOffer, fermatatest.Orders(5), fermatatest.Exhaustive(24))
	fmt.Println("orders beside the declared one:", report.Orders, "and no more:", report.All)
	// Output:
	// orders beside the declared one: 23 and no more: true
}

// What a run does is kept in a file that people read: here, testdata/offers.golden.
func ExampleGolden() {
	t := inExample{name: "offers"}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer rt.Close()
	g := offers(asks("north", 7), asks("south", 5))
	run, err := g.Start(context.Background(), rt, Offer{})
	if err == nil {
		_, err = run.Wait(context.Background())
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	fermatatest.Golden(t, rt, g.Plan(), run.ID())

	// Output:
}
