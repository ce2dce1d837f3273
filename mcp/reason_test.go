package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// That a call must not happen twice is for the program to say, and not for the server: its hint that a second call changes
// nothing does not count. What has become of a call that was lost is asked of a person, or is ErrOutcomeUnknown;
// the model is not told that it has failed.
func TestJ5_OnceCountsMoreThanTheServersHint(t *testing.T) {
	for name, tt := range map[string]struct {
		once   bool
		people *node.Asking
		answer string
		want   string // what the model is told; "" where the run fails
	}{
		"repeated":              {want: "here again"},
		"once":                  {once: true},
		"once, and it was done": {true, &node.Asking{}, node.OutcomeDone, "A person says that this call was made. What it returned is not known. Do not make it again."},
		"once, and it was not":  {true, &node.Asking{}, node.OutcomeNotDone, "A person says that this call was not made."},
	} {
		t.Run(name, func(t *testing.T) {
			tools, err := connect(t, program(t, "serves")).Tools(t.Context(), "die once")
			if err != nil {
				t.Fatal(err)
			}
			tools[0].Once = tt.once
			file := filepath.Join(t.TempDir(), "died")
			arguments, _ := json.Marshal(map[string]string{"file": file})
			told := ""
			m := scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
				if len(r.Messages) > 1 {
					told = r.Messages[2].Parts[0].Result.Text
					return scripted.Reply{Text: "well"}, nil
				}
				return scripted.Reply{Calls: []model.ToolCall{{ID: "1", Name: tools[0].Name, Arguments: arguments}}}, nil
			}})
			g := graph.Of("once", func(ctx node.Context, s string) (string, error) {
				return node.Reason[string](ctx, node.Reasoning{Prompt: "use it", Tools: tools, Interrupt: tt.people})
			}).MustCompile()
			rt, err := fermata.New(fermata.Options{Services: []any{model.Model(m)}})
			if err != nil {
				t.Fatal(err)
			}
			defer rt.Close()
			run, err := g.Start(t.Context(), rt, "")
			if err != nil {
				t.Fatal(err)
			}
			res, err := run.Wait(t.Context())
			if err == nil && tt.answer != "" {
				if len(res.Interrupts) != 1 || res.Interrupts[0].Kind != node.KindOutcome {
					t.Fatalf("%s %v: open are %+v", res.Status, res.Err, res.Interrupts)
				}
				if err = rt.Answer(t.Context(), res.Interrupts[0].ID, tt.answer); err == nil {
					for res.Status == fermata.Paused && err == nil {
						res, err = run.Wait(t.Context())
					}
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if told != tt.want || tt.want == "" != errors.Is(res.Err, node.ErrOutcomeUnknown) {
				t.Errorf("the model was told %q, and the run is %s: %v", told, res.Status, res.Err)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("the tool was not called: %v", err)
			}
		})
	}
}
