package recipe_test

import (
	"encoding/json"
	"testing"

	"github.com/fermata-go/fermata/recipe"
)

// Answers that a run would refuse are refused before it begins, by the path of the node (law H2).
func TestH2_AnswersAreCheckedBeforeTheRun(t *testing.T) {
	r, err := recipe.Parse([]byte(`
metadata: {name: asks}
state: {properties: {draft: {type: string, default: "Dear all"}, risk: {type: string, default: low}}}
entry_point: gate
nodes:
  - {type: router, id: gate, input_key: risk, routes: {high: choose}, default_route: choose}
  - {type: human, id: choose, prompt: "Go on?", options: [approve, reject]}
  - {type: human, id: fill, prompt: "How many?", response: {type: object, required: [n], properties: {n: {type: integer, maximum: 3}}}}
  - {type: human, id: check, prompt: "Send it?", review: {value: draft}}
edges: [{source: choose, target: fill}, {source: fill, target: check}]
`), "asks.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ node, answer, want string }{
		{"choose", `"approve"`, ""},
		{"choose", `"maybe"`, `expected "approve" or "reject", found the string "maybe"`},
		{"choose", `true`, `expected a string, found true`},
		{"fill", `{"n":3}`, ""},
		{"fill", `{"n":4}`, "/n: expected at most 3, found 4"},
		{"check", `"approve"`, ""},
		{"check", `{"action":"edit","value":"Hi"}`, ""},
		{"check", `"aprove"`, `/action: expected "approve", "edit" or "reject", found the string "aprove"; did you mean "approve"?`},
		{"gate", `1`, `"gate" is a router: it asks nobody`},
		{"elsewhere", `1`, ""},
	} {
		got := ""
		if err := r.CheckAnswer(tc.node, json.RawMessage(tc.answer)); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s=%s: %s; want %s", tc.node, tc.answer, got, tc.want)
		}
	}
}
