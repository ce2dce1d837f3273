package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/recipe"
)

// agentsDialogue has an action of each kind of agents. Each doubles a number in its own way.
const agentsDialogue = `kind: Dialogue
actions:
  over.http: {kind: http, method: POST, url: "${URL}/double", output: {type: object, required: [twice], properties: {twice: {type: number}}}}
  over.exec: {kind: exec, command: [sh, -c, "cat > /dev/null; echo '{\"twice\": 8}'"], output: {type: object, required: [twice], properties: {twice: {type: number}}}}
  over.mcp: {kind: mcp, server: {url: "${URL}/mcp"}, tool: double}
  over.model: {kind: model, model: "scripted:replies.yaml", prompt: "Twice {{ n }}?", output: {type: object, required: [twice], properties: {twice: {type: number}}}}
  over.expr: {kind: expr, set: {half: n, twice: half * 2}}
flows:
  http: {trigger: [over http], slots: {n: {type: number, initial: 4}}, steps: [{type: action, call: over.http, inputs: {n: n}, outputs: {twice: twice}, retries: 2}, {type: say, message: "HTTP {{ twice }}."}]}
  exec: {trigger: [over exec], slots: {n: {type: number, initial: 4}}, steps: [{type: action, call: over.exec, inputs: {n: n}, outputs: {twice: twice}, timeout_seconds: 20}, {type: say, message: "Exec {{ twice }}."}]}
  mcp: {trigger: [over mcp], slots: {n: {type: number, initial: 4}}, steps: [{type: action, call: over.mcp, inputs: {n: n}, outputs: {all: .}}, {type: say, message: "MCP {{ all.twice }}."}]}
  model: {trigger: [ask a model], slots: {n: {type: number, initial: 4}}, steps: [{type: action, call: over.model, inputs: {n: n}, outputs: {twice: twice}}, {type: say, message: "Model {{ twice }}."}]}
  expr: {trigger: [by hand], slots: {n: {type: number, initial: 4}}, steps: [{type: action, call: over.expr, outputs: {twice: twice}}, {type: say, message: "Expr {{ twice }}."}]}
  once: {trigger: [only once], slots: {n: {type: number, initial: 4}}, steps: [{type: action, call: over.http, inputs: {n: n}, outputs: {twice: twice}}, {type: say, message: "Once {{ twice }}."}]}
`

// doubling is a service that doubles numbers, over HTTP and as an MCP server. fails is how often it fails before.
func doubling(t *testing.T, fails *atomic.Int64) string {
	t.Helper()
	tools := sdk.NewServer(&sdk.Implementation{Name: "calc", Version: "1"}, nil)
	sdk.AddTool(tools, &sdk.Tool{Name: "double"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		N float64 `json:"n"`
	},
	) (*sdk.CallToolResult, map[string]any, error) {
		return nil, map[string]any{"twice": 2 * in.N}, nil
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tools }, nil))
	mux.HandleFunc("/double", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ N float64 }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || fails.Add(-1) >= 0 {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"twice": 2 * in.N})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.Close()
		for session := range tools.Sessions() {
			_ = session.Close()
		}
	})
	return server.URL
}

// TestAgentsOfEachKindAreActions asks each for something in a conversation, and then in another process that has nothing
// but what the conversation keeps. A service that fails is called again as often as retries says.
func TestAgentsOfEachKindAreActions(t *testing.T) {
	var fails atomic.Int64
	url := doubling(t, &fails)
	t.Setenv("URL", url)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"dialogue.yaml": agentsDialogue,
		"replies.yaml":  "turns: [{output: {twice: 8}}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, _, _ := command(t)
	d, err := dialogue.Load(dir, dialogue.Options{ActionsFrom: (&actions{m: m, dir: dir}).from})
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	for i, restored := range []bool{false, true} {
		if restored {
			if d, err = dialogue.Restore(d.Source(), dialogue.Options{ActionsFrom: (&actions{m: m}).from}); err != nil {
				t.Fatal(err)
			}
		}
		rt, err := fermata.New(fermata.Options{Store: store, Services: []any{model.Set{"scripted": recipe.Scripts()}}})
		if err != nil {
			t.Fatal(err)
		}
		c := dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
		if _, created, err := c.Open(t.Context(), "c", nil); err != nil || created == restored {
			t.Fatal(created, err)
		}
		fails.Store(2)
		for line, want := range map[string]string{
			"over http": "HTTP 8.", "over exec": "Exec 8.", "over mcp": "MCP 8.", "ask a model": "Model 8.", "by hand": "Expr 8.",
		} {
			r, err := c.Send(t.Context(), "c", dialogue.Message{Text: line})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{want, "Is there anything else?"}, r.Texts()); diff != "" {
				t.Errorf("process %d, %s: %s", i, line, diff)
			}
		}
		fails.Store(1)
		r, err := c.Send(t.Context(), "c", dialogue.Message{Text: "only once"})
		if err != nil || len(r.Said) == 0 || !strings.HasPrefix(r.Said[0].Prompt, "Sorry, something went wrong") {
			t.Errorf("process %d, without retries: %q, %v", i, r.Texts(), err)
		}
		if !restored {
			if err := rt.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		t.Cleanup(func() { _ = rt.Close() })
	}
}
