package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// desk asks for an answer, and writes it down.
func desk(name string) *graph.Graph[ticket] {
	return graph.New[ticket]("desk").
		Node(name, func(ctx node.Context, t ticket) (ticket, error) {
			answer, err := node.Interrupt[string](ctx, nil, node.ID("answer"))
			t.Answer = t.Text + " " + answer
			return t, err
		}).
		Edge(graph.Start, name).
		MustCompile()
}

// A fork tries another way from a point of a run. What was answered before is kept, unless it is to be asked again.
func ExampleGraph_Fork() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	g := desk("answer")
	run, err := g.Start(ctx, rt, ticket{Text: "Where is the kettle?"})
	if err != nil {
		panic(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	if err := rt.Answer(ctx, res.Interrupts[0].ID, "On the stove."); err != nil {
		panic(err)
	}
	if res, err = run.Wait(ctx); err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.State.Answer)

	fork, err := g.Fork(ctx, rt, run.ID(), graph.ForkOptions[ticket]{
		AskAgain: []string{"answer#1"},
		Edit: func(t ticket) (ticket, error) {
			t.Text = "Where is the tea?"
			return t, nil
		},
	})
	if err != nil {
		panic(err)
	}
	if res, err = fork.Wait(ctx); err != nil {
		panic(err)
	}
	if err := rt.Answer(ctx, res.Interrupts[0].ID, "In the cup."); err != nil {
		panic(err)
	}
	if res, err = fork.Wait(ctx); err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.State.Answer)
	// Output:
	// completed Where is the kettle? On the stove.
	// completed Where is the tea? In the cup.
}

// A typed edit is for states of its type; the answer that was given stays where it is, and so does the run.
func TestJ8_ATypedForkOntoARenamedNode(t *testing.T) {
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	old, now := desk("answer"), desk("reply")
	run, err := old.Start(t.Context(), rt, ticket{Text: "old"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	moves := plan.Migration{Nodes: map[string]string{"answer": "reply"}}
	fork, err := now.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[ticket]{
		Migration: moves, Edit: func(s ticket) (ticket, error) { s.Text = "new"; return s, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = run.Stop(0)
	moved, err := now.Migrate(t.Context(), rt, run.ID(), moves)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range []*graph.Run[ticket]{fork, moved} {
		res, err := r.Wait(t.Context())
		if err != nil || len(res.Interrupts) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		if err := rt.Answer(t.Context(), res.Interrupts[0].ID, "yes"); err != nil {
			t.Fatal(err)
		}
		if res, err = r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		got = append(got, res.State.Answer)
	}
	if diff := cmp.Diff([]string{"new yes", "old yes"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
