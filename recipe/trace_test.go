package recipe_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schema"
)

func trace(t *testing.T, rt *fermata.Runtime, run string) *recipe.Trace {
	t.Helper()
	ctx := context.Background()
	info, err := rt.Info(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := recipe.BuildTrace(info, rt.History(ctx, run))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	shape, err := schema.Parse(recipe.TraceSchema())
	if err != nil {
		t.Fatal(err)
	}
	if err := shape.Check(data); err != nil {
		t.Errorf("the trace does not fit its schema: %v\n%s", err, data)
	}
	return tr
}

// TestTrace checks the whole trace of a run that calls, asks, routes, fails and tries again.
func TestTrace(t *testing.T) {
	const text = `
interface: {inputs: {amount: {type: number}}}
policy: {max_retries: 1}
agents:
  score: {kind: expr, set: {risk: "amount > 100 ? 'high' : 'low'"}}
topology:
  entry_point: score
  nodes:
    - {type: agent, id: score, agent_ref: score}
    - {type: router, id: gate, input_key: risk, routes: {high: review}, default_route: pay}
    - {type: human, id: review, prompt: "Refund {{ amount }}?", required_role: manager, options: [approve, reject]}
    - {type: agent, id: pay, agent_ref: pay}
  edges:
    - {source: score, target: gate}
    - {source: review, target: pay, when: "review == 'approve'"}
`
	tries := 0
	lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"pay": func(ctx node.Context, _ map[string]any) (any, error) {
			return node.Step(ctx, "transfer", func(node.Context) (map[string]any, error) {
				if tries++; tries == 1 {
					return nil, errors.New("no line")
				}
				return map[string]any{"paid": true}, nil
			})
		},
	}}
	res, rt := job{
		text: text, opts: recipe.Options{Library: lib}, inputs: map[string]any{"amount": 120},
		answers: map[string][]any{"review": {"approve"}},
	}.run(t)
	if res.Status != fermata.Completed {
		t.Fatal(res.Err)
	}
	got := trace(t, rt, res.Run)
	if len(got.TraceID) != 32 || got.Run != res.Run {
		t.Errorf("trace %s of run %s", got.TraceID, got.Run)
	}
	got.TraceID, got.Run = "", ""
	for i := range got.Steps {
		if got.Steps[i].Timestamp.IsZero() || got.Steps[i].Duration < 0 {
			t.Errorf("step %d has no time: %+v", i, got.Steps[i])
		}
		question := uint64(0)
		for j := range got.Steps[i].People {
			p := &got.Steps[i].People[j]
			if j == 0 {
				question = p.Seq
			}
			if p.Seq <= got.Steps[i].Seq || p.Timestamp.IsZero() || p.Question != question {
				t.Errorf("step %d: %+v", i, p)
			}
			p.Seq, p.Question, p.Timestamp = 0, 0, time.Time{}
		}
		got.Steps[i].Timestamp, got.Steps[i].Duration, got.Steps[i].Waited, got.Steps[i].Seq = time.Time{}, 0, 0, 0
	}
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	const scored, reviewed = `{"amount":120,"risk":"high"}`, `{"amount":120,"review":"approve","risk":"high"}`
	expected := &recipe.Trace{Recipe: "test", Outcome: "completed", Steps: []recipe.TraceStep{
		{ID: "score#1", Type: "system_event", Node: "score", Inputs: raw(`{"amount":120}`), Outputs: raw(`{"risk":"high"}`), Snapshot: raw(scored)},
		{ID: "gate#1", Type: "system_event", Node: "gate", Inputs: raw(scored), Outputs: raw(`{}`), Route: "review", Snapshot: raw(scored)},
		{
			ID: "review#1", Type: "interaction", Node: "review", Inputs: raw(scored), Outputs: raw(`{"review":"approve"}`),
			Route: "pay", Action: "Refund 120?", Observation: `answered as manager: "approve"`, Snapshot: raw(reviewed),
			People: []recipe.TraceDeed{{Do: "asked", ToRole: "manager"}, {Do: "answered", Role: "manager", Value: raw(`"approve"`)}},
		},
		{
			ID: "pay#1", Type: "error", Node: "pay", Inputs: raw(reviewed), Action: "transfer", Error: "no line",
			Observation: "tries again at AGAIN",
		},
		{
			ID: "pay#1@2", Type: "tool_execution", Node: "pay", Inputs: raw(reviewed), Outputs: raw(`{"paid":true}`),
			Action: "transfer", Snapshot: raw(`{"amount":120,"paid":true,"review":"approve","risk":"high"}`),
		},
	}}
	if again, ok := strings.CutPrefix(got.Steps[3].Observation, "tries again at "); ok && again != "" {
		got.Steps[3].Observation = "tries again at AGAIN"
	}
	asValue := cmp.Transformer("json", func(raw json.RawMessage) (v any) {
		if len(raw) > 0 && json.Unmarshal(raw, &v) != nil {
			return string(raw)
		}
		return v
	})
	if diff := cmp.Diff(expected, got, asValue); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// TestF4_TraceOfLimit checks that a limit is in the trace, as a failure that names it.
func TestF4_TraceOfLimit(t *testing.T) {
	const text = `
policy: {max_steps: 3}
agents: {a: {kind: expr, set: {n: "(n ?? 0) + 1"}}}
entry_point: a
nodes: [{type: agent, id: a, agent_ref: a}]
edges: [{source: a, target: a, when: "n < 100"}]
`
	res, rt := job{text: text}.run(t)
	wantError(t, res, "tasks", "3")
	steps := trace(t, rt, res.Run).Steps
	last := steps[len(steps)-1]
	if len(steps) != 4 || last.Type != "error" || !strings.Contains(last.Error, "failed: ") || last.ID != "run" {
		t.Errorf("%d steps, the last: %+v", len(steps), last)
	}
}
