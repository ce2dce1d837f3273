package node_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/node"
)

// The arguments of a tool are an object, never null, also where Go has a map for them.
func TestN8_ArgumentsOfAToolAreAnObject(t *testing.T) {
	tool, err := node.NewTool("count", "counts", func(_ node.Context, in map[string]int) (int, error) { return len(in), nil })
	if err != nil {
		t.Fatal(err)
	}
	var input map[string]any
	if err := json.Unmarshal(tool.Input, &input); err != nil {
		t.Fatal(err)
	}
	told, err := tool.Call(node.Context{}, []byte(`{"a":1,"b":2}`))
	if diff := cmp.Diff([]any{"object", "2", nil}, []any{input["type"], told, err}); diff != "" {
		t.Errorf("type of the input, and what the model is told (-want +got):\n%s", diff)
	}
	if told, err := tool.Call(node.Context{}, []byte(`null`)); err == nil {
		t.Errorf("null is taken for arguments: %q", told)
	}
	if _, err := node.NewTool("wea ther", "", func(node.Context, struct{}) (int, error) { return 0, nil }); err == nil || !strings.Contains(err.Error(), `tool "wea ther": expected letters`) {
		t.Errorf("a name with a space: %v", err)
	}
	_, err = node.NewTool("bad", "", func(_ node.Context, in []int) (int, error) { return len(in), nil })
	if err == nil || !strings.Contains(err.Error(), "expected a struct or a map, found []int") {
		t.Errorf("a list of arguments: %v", err)
	}
}
