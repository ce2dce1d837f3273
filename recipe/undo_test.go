package recipe_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// tripRecipe books a flight and a hotel, and undoes both where there is no car; a person cancels the flight.
const tripRecipe = `
interface: {inputs: {to: {type: string}}, outputs: {}}
entry_point: flight
nodes:
  - {type: agent, id: flight, agent_ref: book, inputs_map: {what: to}, outputs_map: {flight: ref}, undo: cancel_flight}
  - {type: agent, id: hotel, agent_ref: book, inputs_map: {what: to}, outputs_map: {hotel: ref}, undo: cancel_hotel}
  - {type: agent, id: car, agent_ref: car, undo: cancel_car}
  - {type: agent, id: cancel_hotel, agent_ref: cancel, inputs_map: {ref: hotel}, max_retries: 1}
  - {type: human, id: cancel_flight, prompt: "Please cancel the flight {{ flight }}", options: [done]}
  - {type: agent, id: cancel_car, agent_ref: cancel, inputs_map: {ref: to}, unfinished: true}
edges:
  - {source: flight, target: hotel}
  - {source: hotel, target: car}
`

// Nodes of a recipe undo others, agents as well as people, wherever the run crashes.
func TestF10_RecipesUndo(t *testing.T) {
	t.Parallel()
	calls := make(map[string]int)
	library := &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"book": func(ctx node.Context, args map[string]any) (any, error) {
			return node.Step(ctx, "book", func(node.Context) (map[string]any, error) {
				return map[string]any{"ref": ctx.Info().Node + " to " + args["what"].(string)}, nil
			})
		},
		"car": func(node.Context, map[string]any) (any, error) { return nil, node.Terminal(errors.New("no car")) },
		"cancel": func(ctx node.Context, args map[string]any) (any, error) {
			if ctx.Info().Attempt == 1 && ctx.Info().Node == "cancel_hotel" {
				return nil, errors.New("no answer")
			}
			return node.Step(ctx, "cancel", func(node.Context) (any, error) {
				calls[args["ref"].(string)]++
				return map[string]any{"to": 7}, nil // which is put nowhere
			})
		},
	}}
	r, err := recipe.Parse([]byte(tripRecipe), "trip.yaml", recipe.Options{Library: library})
	if err != nil {
		t.Fatal(err)
	}
	input, err := r.Input(map[string]any{"to": "Porto"})
	if err != nil {
		t.Fatal(err)
	}
	report := fermatatest.Crash(t, r.Plan(), func() any { return input }, fermatatest.Answers(map[string][]any{"cancel_flight": {"done"}}))
	if report.Result.Status != fermata.Failed {
		t.Errorf("the run is %s: %v", report.Result.Status, report.Result.Err)
	}
	if calls["hotel to Porto"] == 0 || calls["Porto"] == 0 || len(calls) != 2 {
		t.Errorf("calls: %v", calls)
	}
	store := memory.New()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	run, err := rt.Start(context.Background(), r.Plan(), input)
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || res.Status != fermata.Paused || res.Interrupts[0].Prompt != "Please cancel the flight flight to Porto" {
		t.Fatalf("the run is %s, %v: %+v", res.Status, err, res.Interrupts)
	}
	var tasks []string
	for e, err := range store.Read(t.Context(), run.ID(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == journal.NodeStarted && e.Attempt == 1 {
			tasks = append(tasks, e.Node)
		}
	}
	if diff := cmp.Diff([]string{"flight", "hotel", "car", "cancel_car", "cancel_hotel", "cancel_flight"}, tasks); diff != "" {
		t.Error(diff)
	}
}
