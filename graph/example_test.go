package graph_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// ticket is what the graphs of these examples carry.
type ticket struct {
	Text   string
	Label  string
	Answer string
	Tries  int
}

func classify(_ node.Context, t ticket) (ticket, error) {
	t.Label = "question"
	if len(t.Text) > 20 {
		t.Label = "complaint"
	}
	return t, nil
}

func byLabel(_ node.Context, t ticket) (string, error) {
	if t.Label == "complaint" {
		return "review", nil
	}
	return "close", nil
}

func review(_ node.Context, t ticket) (ticket, error) {
	t.Answer = "We are sorry."
	return t, nil
}

func closeTicket(_ node.Context, t ticket) (ticket, error) {
	if t.Answer == "" {
		t.Answer = "Thank you."
	}
	return t, nil
}

// Nodes are functions from state to state; edges and routes say what comes next.
func Example() {
	g := graph.New[ticket]("triage")
	g.Node("classify", classify)
	g.Node("review", review)
	g.Node("close", closeTicket)
	g.Edge(graph.Start, "classify")
	g.Route("classify", byLabel, "review", "close")
	g.Edge("review", "close")
	triage, err := g.Compile()
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"Where are you?", "The kettle does not whistle."} {
		t, err := triage.Run(context.Background(), ticket{Text: text})
		if err != nil {
			panic(err)
		}
		fmt.Println(t.Label+":", t.Answer)
	}
	fmt.Print(triage.Plan().Text())
	// Output:
	// question: Thank you.
	// complaint: We are sorry.
	// triage
	//
	//  ○ START
	//  │
	//  ◇ classify
	//  ├─ ● review
	//  │  └→ close
	//  ├→ close
	//  │
	//  ● close
	//  │
	//  ◎ END
}

// Compile finds what is wrong before anything runs, all of it at once.
func ExampleBuilder_Compile() {
	_, err := graph.New[ticket]("triage").
		Node("classify", classify).
		Node("review", review).
		Edge(graph.Start, "classify").
		Route("classify", byLabel, "reviw", "close").
		Compile()
	fmt.Println(err)
	// Output:
	// plan "triage" has 3 problems:
	//   node "review": the run never gets here: no edge leads to it
	//   edge "classify" -> "reviw": it leads nowhere: there is no node "reviw"; did you mean "review"?
	//   edge "classify" -> "close": it leads nowhere: there is no node "close"
}

// A loop needs a gate that can leave it. Limits bound it besides.
func ExampleBuilder_Route() {
	g := graph.New[ticket]("patience").
		Node("try", func(_ node.Context, t ticket) (ticket, error) { t.Tries++; return t, nil }).
		Edge(graph.Start, "try").
		Route("try", func(_ node.Context, t ticket) (string, error) {
			if t.Tries < 3 {
				return "try", nil
			}
			return graph.End, nil
		}, "try", graph.End).
		Limits(plan.Limits{Tasks: 100}).
		MustCompile()
	t, err := g.Run(context.Background(), ticket{})
	fmt.Println(t.Tries, err)
	// Output: 3 <nil>
}

// A node that fails is tried again, and then its failure takes the error edge.
func ExampleBuilder_OnError() {
	g := graph.New[ticket]("careful").
		Node("look up", func(_ node.Context, t ticket) (ticket, error) {
			t.Tries++
			return t, errors.New("the shelf is empty")
		}, graph.Retry(3, time.Millisecond)).
		Node("apologise", func(ctx node.Context, t ticket) (ticket, error) {
			t.Answer = "Sorry: " + ctx.Cause().Message + "."
			return t, nil
		}).
		Edge(graph.Start, "look up").
		OnError("look up", "apologise").
		MustCompile()
	t, err := g.Run(context.Background(), ticket{})
	fmt.Println(t.Answer, err)
	// Output: Sorry: the shelf is empty. <nil>
}

// A graph over another state is a node through two mappings.
func ExampleSubOf() {
	type text struct{ Words []string }
	count := graph.New[text]("count").
		Node("split", func(_ node.Context, t text) (text, error) { t.Words = append(t.Words, "and more"); return t, nil }).
		Edge(graph.Start, "split").
		MustCompile()
	g := graph.New[ticket]("outer")
	graph.SubOf(g, "count", count,
		func(t ticket) (text, error) { return text{Words: []string{t.Text}}, nil },
		func(t ticket, result text) (ticket, error) { t.Answer = fmt.Sprint(result.Words); return t, nil })
	outer := g.Edge(graph.Start, "count").MustCompile()
	t, err := outer.Run(context.Background(), ticket{Text: "tea"})
	fmt.Println(t.Answer, err)
	// Output: [tea and more] <nil>
}

// On a runtime a run is kept: it can wait for people and be resumed by another process.
func ExampleGraph_Start() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	g := graph.New[ticket]("desk").
		Node("answer", func(ctx node.Context, t ticket) (ticket, error) {
			answer, err := node.Interrupt[string](ctx, nil, node.Prompt(t.Text))
			t.Answer = answer
			return t, err
		}, graph.Human()).
		Edge(graph.Start, "answer").
		MustCompile()
	run, err := g.Start(ctx, rt, ticket{Text: "Where is the kettle?"})
	if err != nil {
		panic(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.Interrupts[0].Prompt)
	if err := rt.Answer(ctx, res.Interrupts[0].ID, "On the stove."); err != nil {
		panic(err)
	}
	if res, err = run.Wait(ctx); err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.State.Answer)
	// Output:
	// paused Where is the kettle?
	// completed On the stove.
}
