package recipe_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/recipe"
)

const labelledRecipe = `
metadata: {name: refund}
interface: {inputs: {customer: {type: integer}, team: {type: string, default: ""}}}
labels: {customer: "{{ customer }}", team: "{{ team }}", kind: refund}
agents: {sum: {kind: expr, set: {n: "customer + 1"}}}
entry_point: sum
nodes: [{type: agent, id: sum, agent_ref: sum}]
edges: []
`

// The labels of a recipe are texts over the inputs of a run; those that the start gives count before them.
func TestJ13_ARecipeLabelsItsRuns(t *testing.T) {
	r, err := recipe.Parse([]byte(labelledRecipe), "refund.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	for _, tt := range []struct {
		inputs map[string]any
		opts   []fermata.StartOption
		want   map[string]string
	}{
		{map[string]any{"customer": 7}, nil, map[string]string{"customer": "7", "kind": "refund"}},
		{
			map[string]any{"customer": 8, "team": "red"},
			[]fermata.StartOption{fermata.WithLabel("kind", "other"), fermata.WithLabel("customer", "")},
			map[string]string{"team": "red", "kind": "other"},
		},
	} {
		input, err := r.Input(tt.inputs)
		if err != nil {
			t.Fatal(err)
		}
		run, err := rt.Start(t.Context(), r.Plan(), input, tt.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		info, err := rt.Info(t.Context(), run.ID())
		if diff := cmp.Diff(tt.want, info.Labels); err != nil || diff != "" {
			t.Errorf("%v (-want +got), %v:\n%s", tt.inputs, err, diff)
		}
	}
	input, err := r.Input(map[string]any{"customer": 7, "team": strings.Repeat("x", 256)})
	if err != nil {
		t.Fatal(err)
	}
	var door *fermata.Error
	if _, err = rt.Start(t.Context(), r.Plan(), input); !errors.As(err, &door) || door.Code != fermata.CodeInvalid {
		t.Errorf("a value that is too long: %v", err)
	}
}

// Labels that no run can have are found when the recipe is loaded, with their places.
func TestJ13_BadLabelsOfARecipe(t *testing.T) {
	for change, want := range map[string]string{
		"kind: refund}\nagents":  `label "Kind": expected 1 to 63 letters`,
		"kind: refund} \nagents": "keys that begin with fermata. are the engine",
		`"{{ team }}"`:           `"tam"`,
	} {
		to := map[string]string{
			"kind: refund}\nagents": "Kind: refund}\nagents", "kind: refund} \nagents": "fermata.kind: refund}\nagents", `"{{ team }}"`: `"{{ tam }}"`,
		}[change]
		text := strings.Replace(labelledRecipe, strings.ReplaceAll(change, " \n", "\n"), to, 1)
		_, err := recipe.Parse([]byte(text), "refund.yaml", recipe.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, expected %s", to, err, want)
		}
	}
}
