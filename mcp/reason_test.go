package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// A model uses the tools of a server, a person approves those that may destroy something, and the engine dies at every
// append: the model is told the same, and nothing that was answered is asked again.
func TestJ5_ReasoningWithToolsOfServers(t *testing.T) {
	for name, server := range map[string]mcp.Server{"stdio": program(t, "serves"), "http": {URL: newWeb(t).URL}} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, server)
			tools, err := c.Tools(t.Context(), "add", "fail", "structured", "media")
			if err != nil {
				t.Fatal(err)
			}
			tools = c.Guard(tools, mcp.Destructive, node.Approval{})
			var told string
			m := scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
				if len(r.Messages) > 1 {
					var all []string
					for _, p := range r.Messages[2].Parts {
						text, _, _ := strings.Cut(p.Result.Text, "\n")
						all = append(all, fmt.Sprint(p.Result.ID, " ", p.Result.Failed, " ", text))
					}
					told = strings.Join(all, "; ")
					return scripted.Reply{Text: told}, nil
				}
				var calls []model.ToolCall
				for i, call := range []string{`add {"a":1,"b":2}`, `structured {}`, `fail {}`, `media {}`} {
					name, arguments, _ := strings.Cut(call, " ")
					calls = append(calls, model.ToolCall{ID: fmt.Sprint(i + 1), Name: name, Arguments: json.RawMessage(arguments)})
				}
				return scripted.Reply{Calls: calls}, nil
			}})
			g := graph.Of("tools", func(ctx node.Context, s string) (string, error) {
				return node.Reason[string](ctx, node.Reasoning{Prompt: "use them", Tools: tools})
			}).MustCompile()
			asked := make(map[string]bool)
			report := fermatatest.Crash(t, g.Plan(), func() any { s := ""; return &s }, fermatatest.Every(3),
				fermatatest.WithOptions(fermata.Options{Services: []any{model.Model(m)}}),
				fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
					var request node.ApprovalRequest
					if err := json.Unmarshal(q.Request, &request); err != nil {
						t.Error(err)
					}
					asked[request.Tool] = true
					return node.Verdict{Action: node.Deny, Reason: "not today"}
				}))
			if report.Result.Status != fermata.Completed {
				t.Fatal(report.Result.Err)
			}
			want := "1 false 3; 2 false {\"a\":\"x\",\"b\":1}; 3 true A person did not allow this call. The reason: not today; " +
				"4 true A person did not allow this call. The reason: not today"
			if diff := cmp.Diff(want, told); diff != "" {
				t.Errorf("the model was told (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]bool{"fail": true, "media": true}, asked); diff != "" {
				t.Errorf("a person was asked about (-want +got):\n%s", diff)
			}
		})
	}
}
