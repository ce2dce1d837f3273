package recipe_test

import (
	"testing"

	"github.com/fermata-go/fermata/recipe"
)

// What is declared must fit; what is not declared may be anything.
func TestN8_CheckBlackboard(t *testing.T) {
	r, err := recipe.Parse([]byte(`
interface: {inputs: {amount: {type: integer}, reason: {type: string}}}
state: {properties: {draft: {type: string}, reason: {type: [string, "null"]}}}
topology: {entry_point: a, nodes: [{type: human, id: a, prompt: Well}]}
`), "r.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		board map[string]any
		want  string
	}{
		{map[string]any{"amount": 1, "draft": "x", "reason": nil, "a": []any{1}}, ""},
		{map[string]any{}, ""},
		{map[string]any{"amount": "1", "draft": 2}, "amount: expected an integer, found the string \"1\"\ndraft: expected a string, found the number 2"},
	} {
		got := ""
		if err := r.CheckBlackboard(tt.board); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%v: %q, want %q", tt.board, got, tt.want)
		}
	}
}
