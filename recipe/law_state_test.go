package recipe_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/recipe"
)

// A recipe has its blackboard.
func TestJ1_TheStateOfARecipeIsItsBlackboard(t *testing.T) {
	rt := fermata.MustNew(fermata.Options{Store: memory.New()})
	t.Cleanup(func() { _ = rt.Close() })
	r, err := recipe.Parse([]byte(`
interface: {inputs: {amount: {type: number}}}
agents:
  score: {kind: expr, set: {risk: "amount > 100 ? 'high' : 'low'"}}
topology:
  entry_point: score
  nodes:
    - {type: agent, id: score, agent_ref: score}
    - {type: human, id: review, prompt: "Refund {{ amount }}?", options: [approve, reject]}
  edges: [{source: score, target: review}]
`), "refund.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	input, err := r.Input(map[string]any{"amount": json.Number("120")})
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(t.Context(), r.Plan(), input)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := run.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"amount":120,"risk":"high"}`, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
