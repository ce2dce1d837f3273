package recipe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal/memory"
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
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	inputs, err := r.Input(j.inputs)
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(ctx, r.Plan(), inputs, defined(t, rt, r))
	if err != nil {
		t.Fatal(err)
	}
	asked := make(map[string]int)
	defer func() {
		trace(t, rt, run.ID()) // which fits its schema, whatever the recipe is
		if _, err := takesIn(t, exported(t, rt, run.ID()), r); err != nil {
			t.Errorf("law J6: the run is not taken in: %v", err)
		}
	}()
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
			if err := rt.Answer(ctx, q.ID, answers[asked[name]], fermata.AsRole(q.Role)); err != nil {
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
		"review#1", "Refund 120 for <b>?",
		[]string{"approve", "reject"},
		"manager", "",
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

// single makes a recipe of one node that calls a Go function, and more of its node.
func single(more, rest string, f recipe.AgentFunc) job {
	return job{
		text: fmt.Sprintf("entry_point: a\nnodes:\n  - {type: agent, id: a, agent_ref: f%s}\n%s", more, rest),
		opts: recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{"f": f}}},
	}
}

// TestOutputs checks how outputs come to the blackboard.
func TestOutputs(t *testing.T) {
	type person struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	for _, tc := range []struct {
		name, more string
		out        any
		want       string
	}{
		{"nothing", "", nil, `{"in": 1}`},
		{"object", "", map[string]any{"x": 1, "in": 2}, `{"in": 2, "x": 1}`},
		{"struct", "", person{Name: "Ann"}, `{"in": 1, "name": "Ann", "tags": null}`},
		{"text", "", "hello", `{"in": 1, "a": "hello"}`},
		{"list", "", []int{1}, `{"in": 1, "a": [1]}`},
		{"map", ", outputs_map: {who: name, tag: tags.0, gone: zz?}", person{"Ann", []string{"x"}}, `{"in": 1, "who": "Ann", "tag": "x"}`},
		{"whole", ", outputs_map: {who: .}", 7, `{"in": 1, "who": 7}`},
		{"none of it", ", outputs_map: {}", map[string]any{"x": 1}, `{"in": 1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := single(tc.more, "", func(node.Context, map[string]any) (any, error) { return tc.out, nil })
			j.inputs = map[string]any{"in": 1}
			res, _ := j.run(t)
			want(t, res, tc.want)
		})
	}
}

// TestN8_RunErrors checks what is said when values do not fit while a recipe runs, and that such an error is not
// tried again.
func TestN8_RunErrors(t *testing.T) {
	for _, tc := range []struct {
		name, more, rest string
		out              any
		want             string
	}{
		{"no form", "", "", map[string]any{"x": map[string]any{"y": make(chan int)}}, `agent "f": its output: the value cannot be stored: at "x.y"`},
		{"state", "", "state: {properties: {x: {type: string}}}\n", map[string]any{"x": 1}, `state "x": expected a string, found the number 1`},
		{"outputs_map", ", outputs_map: {who: nmae}", "", map[string]any{"name": 1}, `outputs_map: who: the output of agent "f": path "nmae": nothing is called "nmae" here; did you mean "name"?`},
		{"inputs_map", ", inputs_map: {x: data.amuont}", "", nil, `inputs_map: x: path "data.amuont": "data" holds no "amuont"; did you mean "amount"?`},
		{"output missing", "", "interface: {outputs: {risk: {type: string}}}\n", nil, `output "risk": nothing on the blackboard is called that`},
		{"output wrong", "", "interface: {outputs: {data: {type: string}}}\n", nil, `output "data": expected a string, found an object`},
		{"when", "", "edges: [{source: a, target: a, when: data.amount}]\n", nil, `the edge to "a": expression "data.amount": expected true or false, found the number 5`},
		{"when missing", "", "edges: [{source: a, target: a, when: data.amuont > 1}]\n", nil, `path "data": it holds no "amuont"; did you mean "amount"?`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := 0
			j := single(tc.more, tc.rest+"policy: {max_retries: 3}\n", func(node.Context, map[string]any) (any, error) {
				calls++
				return tc.out, nil
			})
			j.inputs = map[string]any{"data": map[string]any{"amount": 5}}
			res, _ := j.run(t)
			wantError(t, res, tc.want)
			if calls > 1 {
				t.Errorf("tried %d times", calls)
			}
		})
	}
}

// TestRouterWithoutRoute checks that a router that cannot choose fails, and that its error edge is taken.
func TestRouterWithoutRoute(t *testing.T) {
	const text = `
agents: {note: {kind: expr, set: {why: error.message}}}
entry_point: gate
nodes:
  - {type: router, id: gate, input_key: o.kind, routes: {a: gate, b: note}}
  - {type: agent, id: note, agent_ref: note}
`
	res, _ := job{text: text, inputs: map[string]any{"o": map[string]any{"kind": "c"}}}.run(t)
	wantError(t, res, `"o.kind" is the text "c"; it has routes for "a", "b" and no default_route`)
	res, _ = job{text: text, inputs: map[string]any{"o": map[string]any{}}}.run(t)
	wantError(t, res, `"o.kind" is null`)
}

// TestN9_ArgumentsAreOwn checks that a function that changes its arguments changes nothing else.
func TestN9_ArgumentsAreOwn(t *testing.T) {
	j := single(", inputs_map: {l: l}", "", func(_ node.Context, args map[string]any) (any, error) {
		args["l"].([]any)[0] = "changed"
		return nil, nil
	})
	j.inputs = map[string]any{"l": []any{"kept"}}
	res, _ := j.run(t)
	want(t, res, `{"l": ["kept"]}`)
}

// TestTypedFunc checks agents that are functions with types.
func TestTypedFunc(t *testing.T) {
	type in struct {
		Amount int    `json:"amount"`
		Note   string `json:"note"`
	}
	type out struct {
		Risk string `json:"risk"`
	}
	f := recipe.Func(func(_ node.Context, i in) (out, error) { return out{Risk: fmt.Sprint(i.Amount, i.Note)}, nil })
	j := single("", "", f)
	j.inputs = map[string]any{"amount": 5, "note": "x", "more": true}
	res, _ := j.run(t)
	want(t, res, `{"amount": 5, "note": "x", "more": true, "risk": "5x"}`)
	j = single("", "", f)
	j.inputs = map[string]any{"amount": "five"}
	res, _ = j.run(t)
	wantError(t, res, "the arguments do not fit", "amount")
}

// TestH2_EvidenceAndAnswers checks what is shown beside a prompt, and that only answers that fit are taken.
func TestH2_EvidenceAndAnswers(t *testing.T) {
	const text = `
interface: {inputs: {report: {type: object}}}
entry_point: ask
nodes:
  - {type: human, id: ask, prompt: "Look", inputs_map: {files: report.files, note: report.note?}}
  - {type: human, id: form, prompt: "{{ ask }}", response: {type: object, properties: {n: {type: integer}}}}
edges: [{source: ask, target: form}]
`
	j := job{text: text, inputs: map[string]any{"report": map[string]any{"files": []string{"a"}}}, answers: map[string][]any{"ask": {"fine"}}}
	res, _ := j.run(t)
	if res.Status != fermata.Paused || res.Interrupts[0].Prompt != "fine" {
		t.Fatalf("status %s: %v", res.Status, res.Err)
	}
	j.answers = nil
	res, rt := j.run(t)
	if got := string(res.Interrupts[0].Request); got != `{"files":["a"]}` {
		t.Errorf("evidence %s", got)
	}
	if err := rt.Answer(context.Background(), res.Interrupts[0].ID, 5); err == nil {
		t.Error("a number was taken where a text was asked for")
	}
	j.answers = map[string][]any{"ask": {"x"}, "form": {json.RawMessage(`{"n": 12345678901234567890}`)}}
	res, _ = j.run(t)
	if !strings.Contains(string(res.Output), `"form":{"n":12345678901234567890}`) {
		t.Errorf("output %s", res.Output)
	}
}

// TestResumeWithoutFile stops a run at a question and goes on in another runtime, with the stored recipe alone.
func TestResumeWithoutFile(t *testing.T) {
	store := memory.New()
	ctx := context.Background()
	r, err := recipe.Parse([]byte(refund), "refund.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	digest, err := rt.SaveDefinition(ctx, "recipe", r.Source())
	if err != nil {
		t.Fatal(err)
	}
	if digest != r.Digest() {
		t.Errorf("the recipe's digest is %s, the runtime's %s", r.Digest(), digest)
	}
	inputs, err := r.Input(map[string]any{"amount": 500})
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(ctx, r.Plan(), inputs, fermata.WithDefinition(digest))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil || res.Status != fermata.Paused {
		t.Fatal(res.Status, err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}

	rt, err = fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	info, err := rt.Info(ctx, res.Run)
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := rt.Definition(ctx, info.Definition)
	if err != nil {
		t.Fatal(err)
	}
	again, err := recipe.Restore(text, recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Answer(ctx, res.Interrupts[0].ID, "approve", fermata.AsRole("manager")); err != nil {
		t.Fatal(err)
	}
	run, err = rt.Resume(ctx, res.Run, again.Plan())
	if err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, res, `{"paid": true, "risk": "high"}`)
}

// TestF6_EndIsAName checks that a node may be called END, and that the end of a path is something else.
func TestF6_EndIsAName(t *testing.T) {
	const text = `
agents: {e: {kind: expr, set: {n: "(n ?? 0) + 1"}}}
entry_point: a
nodes:
  - {type: agent, id: a, agent_ref: e}
  - {type: agent, id: END, agent_ref: e}
edges:
  - {source: a, target: END, when: n == 1}
  - {source: END, target: a, when: n == 5}
`
	res, _ := job{text: text}.run(t)
	want(t, res, `{"n": 2}`)
}

// TestG7_Topology checks that a graph that cannot be left, or has a node that is never reached, is refused.
func TestG7_Topology(t *testing.T) {
	const nodes = `
agents: {e: {kind: expr, set: {n: "1"}}}
entry_point: a
nodes:
  - {type: agent, id: a, agent_ref: e}
  - {type: agent, id: b, agent_ref: e}
  - {type: router, id: r, input_key: n, routes: {1: a}, default_route: b}
edges:
`
	for _, tc := range []struct{ name, edges, want string }{
		{"endless", "  - {source: a, target: b}\n  - {source: b, target: r}\n", `x:5:23: the loop "a" -> "b" -> "r" -> "a" never ends: all choices of "r" stay inside; lead one out`},
		{"unreachable", "  - {source: a, target: b}\n", `x:7:24: the run never gets here: no edge leads to it`},
		{"left by a condition", "  - {source: a, target: r}\n  - {source: b, target: a, when: n == 1}\n", ""},
	} {
		_, err := recipe.Parse([]byte(nodes+tc.edges), "x", recipe.Options{})
		if tc.want == "" && err == nil {
			continue
		}
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v; expected %s", tc.name, err, tc.want)
		}
	}
}
