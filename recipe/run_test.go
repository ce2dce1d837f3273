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
)

// job is a recipe in a test: its text, what it is started with and what people answer, by node, in order.
type job struct {
	text    string
	opts    recipe.Options
	inputs  map[string]any
	answers map[string][]any
}

// run runs a job to its end in memory.
func (j job) run(t *testing.T) (fermata.Result, *fermata.Runtime) {
	t.Helper()
	if j.opts.Env == nil {
		j.opts.Env = func(string) (string, bool) { return "", false }
	}
	r, err := recipe.Parse([]byte(j.text), "test.yaml", j.opts)
	if err != nil {
		t.Fatalf("parse:\n%v", err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return j.on(t, rt, r), rt
}

func (j job) on(t *testing.T, rt *fermata.Runtime, r *recipe.Recipe) fermata.Result {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	inputs, err := r.Input(j.inputs)
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(ctx, r.Plan(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(map[string]int)
	for {
		res, err := run.Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != fermata.Paused {
			return res
		}
		for _, q := range res.Interrupts {
			name, _, _ := strings.Cut(q.Task, "#")
			answers := j.answers[name]
			if asked[name] >= len(answers) {
				return res
			}
			if err := rt.Answer(ctx, q.ID, answers[asked[name]], fermata.InRole(q.Role)); err != nil {
				t.Fatal(err)
			}
			asked[name]++
		}
	}
}

// want checks how a run ended: its output as JSON, or its error.
func want(t *testing.T, res fermata.Result, output string) {
	t.Helper()
	if res.Status != fermata.Completed {
		t.Fatalf("status %s: %v", res.Status, res.Err)
	}
	var got, expected any
	if err := json.Unmarshal(res.Output, &got); err != nil {
		t.Fatalf("output %s: %v", res.Output, err)
	}
	if err := json.Unmarshal([]byte(output), &expected); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func wantError(t *testing.T, res fermata.Result, parts ...string) {
	t.Helper()
	if res.Status != fermata.Failed || res.Err == nil {
		t.Fatalf("expected a failed run, got %s with %s: %v", res.Status, res.Output, res.Err)
	}
	for _, p := range parts {
		if !strings.Contains(res.Err.Error(), p) {
			t.Errorf("error %q does not hold %q", res.Err, p)
		}
	}
}

// lines makes a recipe of expression agents out of the lines of a topology.
const refund = `
interface:
  inputs:  {amount: {type: number}, reason: {type: string, default: ""}}
  outputs: {paid: {type: boolean, default: false}, risk: {type: string}}
agents:
  score: {kind: expr, set: {risk: "amount > 100 ? 'high' : 'low'"}}
  pay:   {kind: expr, set: {paid: "true"}}
topology:
  entry_point: score
  nodes:
    - {type: agent,  id: score, agent_ref: score, inputs_map: {amount: amount}}
    - {type: router, id: gate, input_key: risk, routes: {high: review}, default_route: pay}
    - {type: human,  id: review, prompt: "Refund {{ amount }}{{ reason == '' ? '' : ' for ' + reason }}?", required_role: manager,
       options: [approve, reject]}
    - {type: agent,  id: pay, agent_ref: pay}
  edges:
    - {source: score, target: gate}
    - {source: review, target: pay, when: "review == 'approve'"}
`

func TestRefund(t *testing.T) {
	for _, tc := range []struct {
		name   string
		inputs map[string]any
		answer any
		want   string
	}{
		{"small", map[string]any{"amount": 100}, nil, `{"paid": true, "risk": "low"}`},
		{"approved", map[string]any{"amount": 100.5}, "approve", `{"paid": true, "risk": "high"}`},
		{"rejected", map[string]any{"amount": json.Number("1e3")}, "reject", `{"paid": false, "risk": "high"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res, _ := job{text: refund, inputs: tc.inputs, answers: map[string][]any{"review": {tc.answer}}}.run(t)
			want(t, res, tc.want)
		})
	}
}

// TestH1_Question checks that a human node asks with all that it was given.
func TestH1_Question(t *testing.T) {
	res, _ := job{text: refund, inputs: map[string]any{"amount": 120, "reason": "<b>"}}.run(t)
	if res.Status != fermata.Paused || len(res.Interrupts) != 1 {
		t.Fatalf("status %s with %d questions: %v", res.Status, len(res.Interrupts), res.Err)
	}
	q := res.Interrupts[0]
	got := []any{q.Task, q.Prompt, q.Options, q.Role, string(q.Request), string(q.ResponseSchema)}
	expected := []any{
		"review#1", "Refund 120 for <b>?", []string{"approve", "reject"}, "manager", "",
		`{"enum":["approve","reject"],"type":"string"}`,
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("question (-want +got):\n%s", diff)
	}
}

// TestLoop goes round a loop that a person ends, with evidence and state.
func TestLoop(t *testing.T) {
	const text = `
interface:
  inputs: {topic: {type: string}}
  outputs: {draft: {type: string}, rounds: {type: integer}}
state: {properties: {rounds: {type: integer, default: 0}}}
agents:
  write: {kind: expr, set: {rounds: rounds + 1, draft: "topic + ' #' + string(rounds) + (check?.note ?? '')"}}
topology:
  entry_point: write
  nodes:
    - {type: agent, id: write, agent_ref: write}
    - type: human
      id: check
      prompt: |
        Draft {{ rounds }}: {{ draft }}
      inputs_map: {draft: draft, before: check.note?}
      response: {type: object, properties: {ok: {type: boolean}, note: {type: string}}, required: [ok]}
  edges:
    - {source: write, target: check}
    - {source: check, target: write, when: not check.ok}
`
	answers := []any{map[string]any{"ok": false, "note": " more"}, map[string]any{"ok": false}, map[string]any{"ok": true}}
	res, _ := job{text: text, inputs: map[string]any{"topic": "Ducks"}, answers: map[string][]any{"check": answers}}.run(t)
	want(t, res, `{"draft": "Ducks #3", "rounds": 3}`)
}

// TestF1_ErrorEdges follows failures: retries first, then error edges in order, then the run fails.
func TestF1_ErrorEdges(t *testing.T) {
	const text = `
policy: {max_retries: 1}
agents:
  note: {kind: expr, set: {lost: error.message, task: error.task}}
topology:
  entry_point: work
  nodes:
    - {type: agent, id: work, agent_ref: work, inputs_map: {kind: kind}}
    - {type: agent, id: note, agent_ref: note, inputs_map: {error: error}}
    - {type: human, id: other, prompt: "{{ error.message }}"}
  edges:
    - {source: work, target: note, condition: on_failure, when: "error.message contains 'bad'"}
    - {source: work, target: other, condition: on_failure, when: "kind == 'worse'"}
`
	tries := 0
	opts := recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"work": func(_ node.Context, args map[string]any) (any, error) {
			tries++
			if args["kind"] == "good" {
				return 7, nil
			}
			return nil, errors.New(args["kind"].(string))
		},
	}}}
	run := func(kind string) fermata.Result {
		tries = 0
		res, _ := job{text: text, opts: opts, inputs: map[string]any{"kind": kind}}.run(t)
		return res
	}
	want(t, run("good"), `{"kind": "good", "work": 7}`)
	if tries != 1 {
		t.Errorf("a success was tried %d times", tries)
	}
	want(t, run("bad"), `{"kind": "bad", "lost": "bad", "task": "work#1"}`)
	if tries != 2 {
		t.Errorf("a failure was tried %d times; expected max_retries + 1", tries)
	}
	if res := run("worse"); res.Status != fermata.Paused || res.Interrupts[0].Prompt != "worse" {
		t.Errorf("expected the second edge, got %s, %v", res.Status, res.Err)
	}
	wantError(t, run("awful"), "awful", "work#1")
}
