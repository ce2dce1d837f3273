package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGlossary(t *testing.T) {
	here, there := mcp.NewInMemoryTransports()
	served, err := newServer().Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := served.Wait(); err != nil {
			t.Error(err)
		}
	})
	for _, tc := range []struct {
		name, tool string
		args       map[string]any
		want       entry
		refused    bool
	}{
		{name: "a word that is there", tool: "find", args: map[string]any{"word": "Bollard"}, want: entry{"Bollard", true, "A short post on a quay, to which ships are made fast."}},
		{name: "a word that is not", tool: "find", args: map[string]any{"word": "fender"}, want: entry{Word: "fender"}},
		{name: "a new word", tool: "add", args: map[string]any{"word": "fender", "meaning": "A cushion."}, want: entry{"fender", true, "A cushion."}},
		{name: "once more", tool: "add", args: map[string]any{"word": "Fender", "meaning": "A cushion."}, want: entry{"Fender", true, "A cushion."}},
		{name: "it is there now", tool: "find", args: map[string]any{"word": "fender"}, want: entry{"fender", true, "A cushion."}},
		{name: "another meaning", tool: "add", args: map[string]any{"word": "fender", "meaning": "A guitar."}, refused: true},
	} {
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tc.tool, Arguments: tc.args})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if result.IsError != tc.refused {
			t.Fatalf("%s: refused %t, expected %t", tc.name, result.IsError, tc.refused)
		}
		if tc.refused {
			continue
		}
		data, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		var got entry
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
