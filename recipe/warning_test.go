package recipe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/golden"
)

// TestWarnings pins what recipes that load leave open, and that most leave nothing open.
func TestWarnings(t *testing.T) {
	cases := golden.Open(t, "testdata/warnings.txtar")
	for _, name := range cases.Names("*.yaml") {
		t.Run(name, func(t *testing.T) {
			r, err := Parse([]byte(cases.Text(t, name)), name, Options{Env: noEnv, Dir: "testdata"})
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, w := range r.Warnings() {
				text.WriteString(w.String() + "\n")
			}
			cases.Compare(t, golden.Beside(name, ".golden"), text.String())
		})
	}
}

// TestForeign checks that a document of coreason.ai/v2 is a recipe, and that what is kept of it can be read.
func TestForeign(t *testing.T) {
	r, err := Parse([]byte(golden.Open(t, "testdata/warnings.txtar").Text(t, "coreason.yaml")), "coreason.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	def := r.Plan().Definition()
	got := []any{
		r.Name(), def.Version, r.Metadata()["owner"], expression.Text(r.Parameters()), expression.Text(r.Presentation()),
		string(def.Presentation), string(def.Nodes[0].Presentation), def.Nodes[1].Presentation == nil,
	}
	expected := []any{
		"research-and-approve", "2", "library", `{"depth":3}`, `{"theme":"dark"}`,
		`{"theme":"dark"}`, `{"color":"#336699","label":"Write it","x":10,"y":20}`, true,
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestForeign_enforced checks that what is enforced in recipes is in those documents, too.
func TestForeign_enforced(t *testing.T) {
	const text = `apiVersion: coreason.ai/v2
kind: RecipeDefinition
state: {persistence: redis}
topology:
  entry_point: start
  nodes: [{type: human, id: ask, prompt: "Go on?"}]
  edges: [{source: ask, target: phantom-node}]
`
	_, err := Parse([]byte(text), "foreign.yaml", Options{})
	const expected = `foreign.yaml:3:22: persistence redis is not configured: there is no store; give the runtime such a store and name its kind in Options.Stores, or write ephemeral, which takes any store
foreign.yaml:5:16: there is no node "start"; known are ask
foreign.yaml:7:33: the edge leads nowhere: there is no node "phantom-node"; known are ask`
	if err == nil {
		t.Fatal("it loads")
	}
	if diff := cmp.Diff(expected, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
