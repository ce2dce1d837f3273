package guide_test

import (
	"context"
	"fmt"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// [guide: trip]

// Trip is what the graph carries: a plain struct.
type Trip struct {
	To     string
	Days   int
	Price  int
	Notes  []string
	Stamps map[string]string
}

func quote(_ node.Context, t Trip) (Trip, error) {
	t.Price = 100 + 80*t.Days
	return t, nil
}

func note(_ node.Context, t Trip) (Trip, error) {
	t.Notes = append(t.Notes, fmt.Sprintf("%s for %d days: %d", t.To, t.Days, t.Price))
	return t, nil
}

// [guide: end]

// check ends an example that does not go as it should.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

func Example_first() {
	ctx := context.Background()
	// [guide: first]
	g := graph.New[Trip]("trip")
	g.Node("quote", quote)
	g.Node("note", note)
	g.Edge(graph.Start, "quote")
	g.Edge("quote", "note")
	trip, err := g.Compile()
	check(err)

	t, err := trip.Run(ctx, Trip{To: "Porto", Days: 3})
	check(err)
	fmt.Println(t.Notes[0])
	// [guide: end]

	// Output: Porto for 3 days: 340
}

func Example_values() {
	ctx := context.Background()
	// [guide: values]
	stamp := func(_ node.Context, t Trip) (Trip, error) {
		t.Stamps["passport"] = "used" // in place: the state is the node's own
		return t, nil
	}
	g := graph.New[Trip]("border")
	g.Node("stamp", stamp)
	g.Node("refuse", func(_ node.Context, t Trip) (Trip, error) {
		return t, fmt.Errorf("no visa for %s", t.To)
	})
	g.Edge(graph.Start, "stamp").Edge("stamp", "refuse")
	border := g.MustCompile()

	_, err := border.Run(ctx, Trip{To: "Atlantis", Stamps: map[string]string{}})
	fmt.Println(err)
	// [guide: end]

	// Output: run run, task refuse#1: no visa for Atlantis
}

func Example_loop() {
	ctx := context.Background()
	// [guide: loop]
	shorten := func(_ node.Context, t Trip) (Trip, error) {
		t.Days--
		return t, nil
	}
	tooDear := func(_ node.Context, t Trip) (string, error) {
		if t.Price > 500 {
			return "shorten", nil
		}
		return graph.End, nil
	}
	g := graph.New[Trip]("bargain")
	g.Node("quote", quote)
	g.Node("shorten", shorten)
	g.Edge(graph.Start, "quote")
	g.Route("quote", tooDear, "shorten", graph.End)
	g.Edge("shorten", "quote")
	g.Limits(plan.Limits{Tasks: 100})
	bargain := g.MustCompile()

	t, err := bargain.Run(ctx, Trip{To: "Porto", Days: 14})
	check(err)
	fmt.Println(t.Days, "days for", t.Price)
	// [guide: end]

	// Output: 5 days for 500
}

func Example_problems() {
	// [guide: problems]
	_, err := graph.New[Trip]("trip").
		Node("quote", quote).
		Node("note", note).
		Edge(graph.Start, "quote").
		Edge("quote", "noet").
		Edge("note", "quote").
		Compile()
	fmt.Println(err)
	// [guide: end]

	// Output:
	// plan "trip" has 2 problems:
	//   node "note": the run never gets here: no edge leads to it
	//   edge "quote" -> "noet": it leads nowhere: there is no node "noet"; did you mean "note"?
}

// bargain is the graph of the chapter on loops.
func bargain() *graph.Graph[Trip] {
	return graph.New[Trip]("bargain").
		Node("quote", quote).
		Node("shorten", note).
		Edge(graph.Start, "quote").
		Route("quote", func(node.Context, Trip) (string, error) { return graph.End, nil }, "shorten", graph.End).
		Edge("shorten", "quote").
		MustCompile()
}

func Example_drawing() {
	bargain := bargain()
	// [guide: drawing]
	fmt.Print(bargain.Plan().Text())
	// [guide: end]

	// Output:
	// bargain
	//
	//  ○ START
	//  │
	//  ◇ quote
	//  ├→ END
	//  │
	//  ● shorten
	//  └↺ quote
}

func Example_mermaid() {
	fmt.Print(bargain().Plan().Mermaid())
	// Output:
	// flowchart TD
	//   start([START])
	//   n0{"quote"}
	//   n1["shorten"]
	//   finish([END])
	//   start --> n0
	//   n0 --> n1
	//   n0 --> finish
	//   n1 --> n0
}
