package fermata_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// A tool whose outcome is unknown is settled by a person, or ends the reasoning: also where it is a step in the tool that
// must not happen twice, and nothing is said of the tool itself. The model is told of no failure.
func TestJ5_AToolWithAStepWhoseOutcomeIsUnknown(t *testing.T) {
	for _, people := range []*node.Asking{nil, {}} {
		for _, once := range []bool{false, true} {
			t.Run(fmt.Sprint("people ", people != nil, "/once ", once), func(t *testing.T) {
				var calls atomic.Int32
				tool, err := node.NewTool("pay", "Pays.", func(ctx node.Context, _ struct{}) (string, error) {
					return node.Step(ctx, "pay", func(node.Context) (string, error) {
						calls.Add(1)
						return "", fmt.Errorf("the line was cut: %w", node.ErrOutcomeUnknown)
					}, node.AtMostOnce())
				})
				if err != nil {
					t.Fatal(err)
				}
				tool.Once = once
				var told []string
				m := scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
					if len(r.Messages) == 1 {
						return scripted.Calls("pay", `{}`), nil
					}
					told = append(told, r.Messages[2].Parts[0].Result.Text)
					return scripted.Reply{Text: "well"}, nil
				}})
				g := graph.Of("desk", func(ctx node.Context, s string) (string, error) {
					return node.Reason[string](ctx, node.Reasoning{Prompt: "pay", Tools: []node.Tool{tool}, Interrupt: people})
				}, graph.Retry(3, time.Millisecond)).MustCompile()
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
				if err != nil {
					t.Fatal(err)
				}
				if calls.Load() != 1 {
					t.Fatalf("it was called %d times", calls.Load())
				}
				if people == nil {
					if !errors.Is(res.Err, node.ErrOutcomeUnknown) || len(told) > 0 {
						t.Errorf("the model was told %q, and the run is %s: %v", told, res.Status, res.Err)
					}
					return
				}
				if len(res.Interrupts) != 1 || res.Interrupts[0].Kind != node.KindOutcome {
					t.Fatalf("expected the question what came of it, found %s with %+v: %v", res.Status, res.Interrupts, res.Err)
				}
				if err := rt.Answer(t.Context(), res.Interrupts[0].ID, node.OutcomeDone); err != nil {
					t.Fatal(err)
				}
				for res.Status == fermata.Paused {
					if res, err = run.Wait(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if res.Status != fermata.Completed || len(told) != 1 || !strings.HasPrefix(told[0], "A person says that this call was made.") || calls.Load() != 1 {
					t.Errorf("%d calls; the model was told %q, and the run is %s: %v", calls.Load(), told, res.Status, res.Err)
				}
			})
		}
	}
}
