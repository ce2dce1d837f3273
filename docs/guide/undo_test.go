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

// [guide: booking]

// Booking is a step's result.
type Booking struct{ What, Key string }

// [guide: end]

func Example_undo() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	books := func(what string) graph.Func[Trip] {
		return func(_ node.Context, t Trip) (Trip, error) {
			t.Notes = append(t.Notes, what+" booked")
			return t, nil
		}
	}
	cancels := func(what string) func(node.Context, Trip) error {
		return func(_ node.Context, t Trip) error {
			fmt.Println("cancel the", what, t.Notes)
			return nil
		}
	}
	// [guide: undo]
	g := graph.New[Trip]("trip")
	g.Node("flight", books("flight"))
	g.Node("hotel", books("hotel"))
	g.Node("car", func(_ node.Context, t Trip) (Trip, error) {
		return t, node.Terminal(errors.New("no car in " + t.To))
	})
	g.Undo("flight", "cancel_flight", cancels("flight"))
	g.Undo("hotel", "cancel_hotel", cancels("hotel"), graph.Retry(5, time.Second))
	g.Edge(graph.Start, "flight").Edge("flight", "hotel").Edge("hotel", "car")
	res, err := g.MustCompile().Execute(ctx, rt, Trip{To: "Porto"}, fermata.WithID("run_7"))
	fmt.Println(res.Status, err)
	// [guide: end]

	// Output:
	// cancel the hotel [flight booked hotel booked]
	// cancel the flight [flight booked]
	// failed run run_7, task car#1: no car in Porto
}

func Example_undoSteps() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: undo steps]
	g := graph.New[Trip]("trip")
	g.Node("book", func(ctx node.Context, t Trip) (Trip, error) {
		for _, what := range []string{"flight", "hotel"} {
			_, err := node.Step(ctx, what, func(ctx node.Context) (Booking, error) {
				return Booking{What: what, Key: node.IdempotencyKey(ctx)}, nil
			}, node.Compensate("cancel"))
			if err != nil {
				return t, err
			}
		}
		return t, errors.New("no car in " + t.To)
	})
	graph.Compensation(g, "book", "cancel", func(ctx node.Context, b Booking) error {
		fmt.Println("cancel the", b.What, b.Key == node.UndoneKey(ctx))
		return nil
	})
	g.Edge(graph.Start, "book")
	_, err := g.MustCompile().Execute(ctx, rt, Trip{To: "Porto"}, fermata.WithID("run_8"))
	fmt.Println(err)
	// [guide: end]

	// Output:
	// cancel the hotel true
	// cancel the flight true
	// run run_8, task book#1: no car in Porto
}
