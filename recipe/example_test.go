package recipe_test

import (
	"context"
	"fmt"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// A recipe that calculates, asks a person where the amount is large, and ends.
func Example() {
	const text = `
interface:
  inputs: {amount: {type: number}}
agents:
  score: {kind: expr, set: {risk: "amount > 100 ? 'high' : 'low'"}}
topology:
  entry_point: score
  nodes:
    - {type: agent, id: score, agent_ref: score}
    - {type: human, id: review, prompt: "Refund {{ amount }}?", options: [approve, reject]}
  edges:
    - {source: score, target: review, when: "risk == 'high'"}
`
	ctx := context.Background()
	r, err := recipe.Parse([]byte(text), "refund.yaml", recipe.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()

	inputs, err := r.Input(map[string]any{"amount": 120})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := rt.Start(ctx, r.Plan(), inputs)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := run.Wait(ctx)
	fmt.Println(res.Status, res.Interrupts[0].Prompt, err)

	if err := rt.Answer(ctx, res.Interrupts[0].ID, "approve"); err != nil {
		fmt.Println(err)
		return
	}
	res, err = run.Wait(ctx)
	fmt.Println(res.Status, res.Value, err)
	// Output:
	// paused Refund 120? <nil>
	// completed map[amount:120 review:approve risk:high] <nil>
}

// Everything that is wrong with a recipe is said at once, with its place.
func ExampleError() {
	const text = `
agents: {score: {kind: expr, set: {risk: "'low'"}}}
entry_point: score
nodes:
  - {type: agent, id: score, agent_ref: socre}
  - {type: router, id: gate, input_key: rsk, routes: {low: scor}}
edges:
  - {source: score, target: gate}
`
	_, err := recipe.Parse([]byte(text), "refund.yaml", recipe.Options{})
	fmt.Println(err)
	// Output:
	// refund.yaml:5:41: there is no agent "socre"; did you mean "score"?
	// refund.yaml:6:60: the route leads nowhere: there is no node "scor"; did you mean "score"?
}

// Agents may be Go functions, with types of their own.
func ExampleFunc() {
	type ticket struct{ Text string }
	type label struct {
		Label string `json:"label"`
	}
	classify := recipe.Func(func(_ node.Context, t ticket) (label, error) {
		return label{Label: fmt.Sprintf("%d letters", len(t.Text))}, nil
	})
	opts := recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{"classify": classify}}}
	r, err := recipe.Parse([]byte("entry_point: a\nnodes: [{type: agent, id: a, agent_ref: classify}]\n"), "x.yaml", opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	run, err := rt.Start(context.Background(), r.Plan(), map[string]any{"Text": "hello"})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := run.Wait(context.Background())
	fmt.Println(string(res.Output), err)
	// Output: {"Text":"hello","label":"5 letters"} <nil>
}

// Inputs come from a command line as texts; the recipe's schemas say what they are.
func ExampleRecipe_ParseInput() {
	const text = `
interface: {inputs: {amount: {type: number}, who: {type: string}}}
agents: {a: {kind: expr, set: {x: "1"}}}
entry_point: a
nodes: [{type: agent, id: a, agent_ref: a}]
`
	r, err := recipe.Parse([]byte(text), "x.yaml", recipe.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	inputs, err := r.ParseInput([]string{"amount=12", "who=12"})
	fmt.Printf("%T %T %v\n", inputs["amount"], inputs["who"], err)
	_, err = r.ParseInput([]string{"amuont=12"})
	fmt.Println(err)
	// Output:
	// json.Number string <nil>
	// input "amuont": there is no such input; did you mean "amount"?
}
