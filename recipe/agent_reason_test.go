package recipe_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// echo is a model that calls the tools that its prompt names, a line for each, and then says what they returned. To
// "system" it says how it is to behave.
func echo() *scripted.Model {
	return scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
		if r.Prompt() == "system" {
			return scripted.Reply{Text: r.System}, nil
		}
		var told []string
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				if p.Result != nil {
					told = append(told, strings.TrimSpace(map[bool]string{true: "failed: "}[p.Result.Failed]+p.Result.Text))
				}
			}
		}
		if told != nil {
			return scripted.Reply{Text: strings.Join(told, "\n")}, nil
		}
		var calls []string
		for line := range strings.Lines(r.Messages[len(r.Messages)-1].Text()) {
			name, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
			calls = append(calls, name, arguments)
		}
		return scripted.Calls(calls...), nil
	}})
}

// withEcho are the options of a runtime that has scripts, and echo.
func withEcho() fermata.Options {
	return fermata.Options{Services: []any{model.Set{"scripted": recipe.Scripts(), "echo": echo()}}}
}

// only makes a recipe of agents and one node that calls the one that is called write.
func only(agents string) string {
	return "agents:\n" + agents + `
topology:
  entry_point: write
  nodes: [{type: agent, id: write, agent_ref: write, outputs_map: {said: "."}}]
interface: {inputs: {ask: {type: string, default: ""}, before: {type: array, default: []}}, outputs: {said: {}}}
`
}

// Each thing that an agent of kind model may say does what it says.
func TestModelAgents(t *testing.T) {
	const price = `  price: {kind: expr, description: P, input: {type: object, required: [n], properties: {n: {type: integer}}}, set: {euros: "n * 20"}}
`
	const calls = `turns: [{calls: [{tool: price, arguments: {n: 1}}]}, {calls: [{tool: price, arguments: {n: 2}}]}, it]`
	ada := []any{map[string]any{"role": "user", "text": "I am Ada"}, map[string]any{"role": "assistant", "text": "Hello"}}
	for name, tc := range map[string]struct {
		agents, replies, ask string
		before               []any
		want, fails          string
	}{
		"what was said before": {
			agents: `  write: {kind: model, model: "scripted:replies.yaml", prompt: "Who am I?", messages: before}`, before: ada,
			replies: "conversations: [{prompt: Ada, turns: [unsaid, You are Ada]}, {turns: [Nobody]}]", want: `{"said": "You are Ada"}`,
		},
		"what nobody said before": {
			agents:  `  write: {kind: model, model: "scripted:replies.yaml", prompt: "Who am I?", messages: before}`,
			replies: "conversations: [{prompt: Ada, turns: [unsaid, You are Ada]}, {turns: [Nobody]}]", want: `{"said": "Nobody"}`,
		},
		"said by nobody": {
			agents:  `  write: {kind: model, model: "scripted:replies.yaml", prompt: "Who am I?", messages: before}`,
			replies: "turns: [it]", before: []any{map[string]any{"role": "system", "text": "x"}},
			fails: `agent "write": messages: 0: expected {role: user or assistant, text: …}, found {"role":"system","text":"x"}`,
		},
		"turns": {
			agents: price + `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?", tools: ["agent:price"], limits: {turns: 2}}`, replies: calls,
			fails: "the reasoning's limit of turns (2) was reached",
		},
		"tokens": {
			agents: price + `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?", tools: ["agent:price"], limits: {tokens: 1}}`, replies: calls,
			fails: "the reasoning's limit of tokens (1) was reached",
		},
		"cost": {
			agents: price + `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?", tools: ["agent:price"], limits: {cost: 0.5}}`, replies: calls,
			fails: "the reasoning's limit of cost (",
		},
		"within its limits": {
			agents: price + `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?", tools: ["agent:price"], limits: {turns: 3, tokens: 1000}}`, replies: calls,
			want: `{"said": "it"}`,
		},
		"repairs": {
			agents:  `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?", output: {type: integer}, limits: {repairs: 0}}`,
			replies: "turns: [{output: a}, {output: 7}]", fails: "the model's answer is not what was asked for, after 0 of its repairs",
		},
		"one repair": {
			agents:  `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?", output: {type: integer}, limits: {repairs: 1}}`,
			replies: "turns: [{output: a}, {output: 7}]", want: `{"said": 7}`,
		},
		"an error": {
			agents:  `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?"}`,
			replies: "turns: [{error: refused}]", fails: `agent "write": `,
		},
		"no such turn": {
			agents:  `  write: {kind: model, model: "scripted:replies.yaml", prompt: "?"}`,
			replies: "turns: []", fails: "replies.yaml has 0 turns for this conversation, and this is the next",
		},
		"an agent as a tool": {
			agents: price + `  write: {kind: model, model: echo, prompt: "{{ ask }}", tools: ["agent:price"]}`, ask: `price {"n":3}`,
			want: `{"said": "{\"euros\":60}"}`,
		},
		"several calls at once": {
			agents: price + `  write: {kind: model, model: echo, prompt: "{{ ask }}", tools: ["agent:price"]}`, ask: "price {\"n\":3}\nprice {\"n\":4}",
			want: `{"said": "{\"euros\":60}\n{\"euros\":80}"}`,
		},
		"a program as a tool": {
			agents: `  keep: {kind: exec, description: K, input: {type: object}, command: [cat]}
  write: {kind: model, model: echo, prompt: "{{ ask }}", tools: ["agent:keep"]}`, ask: `keep {"n":3}`, want: `{"said": "{\"n\":3}"}`,
		},
		"a program that fails": {
			agents: `  keep: {kind: exec, description: K, input: {type: object}, command: [sh, -c, "echo it is full >&2; exit 3"]}
  write: {kind: model, model: echo, prompt: "{{ ask }}", tools: ["agent:keep"]}`, ask: `keep {"n":3}`,
			want: `{"said": "failed: agent \"keep\": it ended with exit code 3; it said last:\nit is full"}`,
		},
		"how to behave": {
			agents: `  write: {kind: model, model: echo, system: "Be {{ ask }}.", prompt: system}`, ask: "brief", want: `{"said": "Be brief."}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": only(tc.agents), "replies.yaml": tc.replies})
			if err != nil {
				t.Fatal(err)
			}
			inputs := map[string]any{"ask": tc.ask}
			if tc.before != nil {
				inputs["before"] = tc.before
			}
			res := job{inputs: inputs}.with(t, withEcho(), r)
			if tc.fails != "" {
				wantError(t, res, tc.fails)
				return
			}
			want(t, res, tc.want)
		})
	}
}

// order is what a Go function is given.
type order struct {
	N int `json:"n"`
}

// A model is told what a Go function is for, and what it takes; one that nothing is said of takes any object. Nodes call
// both.
func TestGoFunctionsAsTools(t *testing.T) {
	var asked []model.Request
	listens := model.Func(func(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
		asked = append(asked, *r)
		return echo().Generate(ctx, r)
	})
	lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"plain": func(_ node.Context, args map[string]any) (any, error) { return args["n"], nil },
	}}
	price := func(_ node.Context, in order) (map[string]int, error) { return map[string]int{"euros": 20 * in.N}, nil }
	if err := recipe.AddTool(lib, "price", "What an order costs", price); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"price": `the library has an agent "price" already`, "a price": `"a price"`} {
		if err := recipe.AddTool(lib, name, "", price); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, got %v", want, err)
		}
	}
	r, err := loadIn(t, recipe.Options{Library: lib}, map[string]string{"recipe.yaml": `
agents: {write: {kind: model, model: echo, prompt: "{{ ask }}", tools: ["agent:price", "agent:plain"]}}
topology:
  entry_point: write
  nodes:
    - {type: agent, id: write, agent_ref: write, outputs_map: {said: "."}}
    - {type: agent, id: look, agent_ref: price}
  edges: [{source: write, target: look}]
interface: {inputs: {ask: {type: string}, n: {type: integer}}, outputs: {said: {type: string}, euros: {}}}
`})
	if err != nil {
		t.Fatal(err)
	}
	res := job{inputs: map[string]any{"n": 4, "ask": "price {\"n\":3}\nplain {\"n\":7}"}}.with(
		t, fermata.Options{Services: []any{model.Set{"echo": listens}}}, r)
	want(t, res, `{"said": "{\"euros\":60}\n7", "euros": 80}`)
	var told []string
	for _, tool := range asked[0].Tools {
		told = append(told, tool.Name+": "+tool.Description+" "+string(tool.Input))
	}
	expected := []string{
		`price: What an order costs {"type":"object","properties":{"n":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}},"required":["n"],"additionalProperties":false}`,
		`plain:  {"type":"object"}`,
	}
	if diff := cmp.Diff(expected, told); diff != "" {
		t.Errorf("the model is told (-want +got):\n%s", diff)
	}
}

// A test, or a program, puts models of its own in the place of those that a recipe names; a script is not used then.
func TestModelForReplacesModels(t *testing.T) {
	var asked []string
	opts := recipe.Options{Models: []string{"echo", "scripted", "openai"}, ModelFor: func(agent, name string) string {
		asked = append(asked, agent+" "+name)
		return "echo"
	}}
	for _, name := range []string{"openai:gpt-5", "scripted:replies.yaml", ""} {
		r, err := loadIn(t, opts, map[string]string{
			"recipe.yaml":  only(`  write: {kind: model, model: "` + name + `", system: Be brief., prompt: system}`),
			"replies.yaml": "turns: [scripted]",
		})
		if name == "" {
			r, err = loadIn(t, opts, map[string]string{"recipe.yaml": only(`  write: {kind: model, system: Be brief., prompt: system}`)})
		}
		if err != nil {
			t.Fatal(err)
		}
		models := r.Models()
		for i := range models {
			if models[i].File == "" || models[i].Line == 0 || models[i].Column == 0 {
				t.Errorf("%q: the agent has no place: %+v", name, models[i])
			}
			models[i] = recipe.AgentModel{Agent: models[i].Agent, Model: models[i].Model}
		}
		if diff := cmp.Diff([]recipe.AgentModel{{Agent: "write", Model: "echo"}}, models); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
		want(t, job{}.with(t, withEcho(), r), `{"said": "Be brief."}`)
	}
	for _, one := range []string{"write openai:gpt-5", "write scripted:replies.yaml", "write "} {
		if !strings.Contains(strings.Join(asked, "\n")+"\n", one+"\n") {
			t.Errorf("%q was not asked for: %q", one, asked)
		}
	}
}

// What a model asks a person has a deadline like all questions (law H4), and what happens then.
func TestH4_DeadlinesOfWhatModelsAsk(t *testing.T) {
	for name, tc := range map[string]struct {
		interrupt string
		want      string // "" where the run expires
	}{
		"an answer":                      {interrupt: `{timeout_seconds: 3600, on_timeout: {answer: nobody is there}}`, want: `{"said": "nobody is there"}`},
		"another role, and an answer":    {interrupt: `{required_role: clerk, timeout_seconds: 60, on_timeout: {escalate: boss, timeout_seconds: 60, on_timeout: {answer: go on}}}`, want: `{"said": "go on"}`},
		"a choice":                       {interrupt: `{options: [yes, no], timeout_seconds: 60, on_timeout: {answer: no}}`, want: `{"said": "no"}`},
		"a failure":                      {interrupt: `{timeout_seconds: 3600, on_timeout: fail}`},
		"a failure, as nothing is said":  {interrupt: `{timeout_seconds: 3600}`},
		"a failure after another person": {interrupt: `{timeout_seconds: 60, on_timeout: {escalate: boss, timeout_seconds: 60}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": only(
				`  write: {kind: model, model: echo, prompt: "{{ ask }}", interrupt: ` + tc.interrupt + "}")})
			if err != nil {
				t.Fatal(err)
			}
			report := fermatatest.Crash(t, r.Plan(), input(t, r, map[string]any{"ask": `ask_person {"request":"Well?"}`}),
				fermatatest.WithOptions(withEcho()))
			if tc.want == "" {
				if err := report.Result.Err; report.Result.Status != fermata.Expired || err == nil || !strings.Contains(err.Error(), "nobody answered before the deadline") {
					t.Errorf("expected a run that has expired, got %s: %v", report.Result.Status, err)
				}
				return
			}
			want(t, report.Result, tc.want)
		})
	}
}

// The same for a person who is to approve a call.
func TestH4_DeadlinesOfApprovals(t *testing.T) {
	for timeout, said := range map[string]string{
		"{answer: {action: approve}}":                `{"said": "{\"euros\":60}"}`,
		"{answer: {action: deny, reason: too late}}": `{"said": "failed: A person did not allow this call. The reason: too late"}`,
	} {
		r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": only(`
  price: {kind: expr, description: P, input: {type: object, required: [n], properties: {n: {type: integer}}}, set: {euros: "n * 20"}}
  write: {kind: model, model: echo, prompt: "{{ ask }}", tools: ["agent:price"], approval: {timeout_seconds: 60, on_timeout: ` + timeout + "}}")})
		if err != nil {
			t.Fatal(err)
		}
		report := fermatatest.Crash(t, r.Plan(), input(t, r, map[string]any{"ask": `price {"n":3}`}), fermatatest.WithOptions(withEcho()))
		want(t, report.Result, said)
	}
}

// A model is asked for each element of a list, in a recipe within a recipe, and in branches that go on side by side:
// each asks its own person, and all of it survives crashes (laws G4 to G6).
func TestG5_ModelsAskedManyTimes(t *testing.T) {
	const write = `agents: {write: {kind: model, model: echo, prompt: "ask_person {\"request\":\"{{ name }}?\"}", interrupt: {prompt: "About {{ name }}"}}}
`
	for name, files := range map[string]map[string]string{
		"for each": {"recipe.yaml": write + `
topology:
  entry_point: each
  nodes: [{type: agent, id: each, agent_ref: write, for_each: {in: names, as: name}, inputs_map: {name: name}, outputs_map: {said: results}}]
interface: {inputs: {names: {type: array, items: {type: string}}}, outputs: {said: {}}}
`},
		"nested": {"inner.yaml": write + `
topology:
  entry_point: write
  nodes: [{type: agent, id: write, agent_ref: write}]
interface: {inputs: {name: {type: string}}, outputs: {write: {type: string}}}
`, "recipe.yaml": `
agents: {inner: {kind: recipe, file: inner.yaml}}
topology:
  entry_point: each
  nodes: [{type: agent, id: each, agent_ref: inner, for_each: {in: names, as: name}, inputs_map: {name: name}, outputs_map: {results: results}}, {type: agent, id: last, agent_ref: list}]
  edges: [{source: each, target: last}]
interface: {inputs: {names: {type: array, items: {type: string}}}, outputs: {said: {}}}
`},
		"side by side": {"recipe.yaml": write + `
policy: {execution_mode: parallel}
topology:
  entry_point: begin
  nodes:
    - {type: agent, id: begin, agent_ref: begin}
    - {type: agent, id: left, agent_ref: write, inputs_map: {name: names.0}}
    - {type: agent, id: right, agent_ref: write, inputs_map: {name: names.1}}
    - {type: agent, id: last, agent_ref: both}
  edges:
    - {source: begin, target: left}
    - {source: begin, target: right}
    - {source: left, target: last}
    - {source: right, target: last}
interface: {inputs: {names: {type: array, items: {type: string}, minItems: 2}}, outputs: {said: {}}}
`},
	} {
		t.Run(name, func(t *testing.T) {
			files["recipe.yaml"] = strings.Replace(files["recipe.yaml"], "agents: {", `agents: {begin: {kind: expr, set: {begun: "true"}}, both: {kind: expr, set: {said: "[left, right]"}}, list: {kind: expr, set: {said: "map(results, .write)"}}, `, 1)
			r, err := loadIn(t, recipe.Options{}, files)
			if err != nil {
				t.Fatal(err)
			}
			report := fermatatest.Crash(t, r.Plan(), input(t, r, map[string]any{"names": []any{"Ada", "Bob"}}),
				fermatatest.WithOptions(withEcho()), fermatatest.Every(3), fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
					return strings.TrimPrefix(q.Prompt, "About ") + " it is"
				}))
			want(t, report.Result, `{"said": ["Ada it is", "Bob it is"]}`)
		})
	}
}

// A server may be at an address, and is told the secret that is in a header.
func TestMCPAgent_http(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "calc", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "double"}, func(_ context.Context, r *sdk.CallToolRequest, in struct {
		N int `json:"n"`
	},
	) (*sdk.CallToolResult, map[string]any, error) {
		if in.N < 0 {
			return nil, nil, errors.New("n is below 0, says " + r.Extra.Header.Get("Authorization"))
		}
		return nil, map[string]any{"twice": 2 * in.N, "told": r.Extra.Header.Get("Authorization")}, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	defer func() {
		web.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	}()
	env := map[string]string{"URL": web.URL, "TOKEN": "sesame-open-42"}
	for n, said := range map[int]string{3: `{"twice": 6, "told": "Bearer [redacted]"}`, -1: "n is below 0, says [secret]"} {
		r, err := loadIn(t, recipe.Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}, map[string]string{"recipe.yaml": `
agents: {calc: {kind: mcp, server: {url: "${URL}", headers: {Authorization: "Bearer ${TOKEN}"}}, tool: double}}
topology: {entry_point: calc, nodes: [{type: agent, id: calc, agent_ref: calc}]}
interface: {inputs: {n: {type: integer}}, outputs: {twice: {type: integer}, told: {type: string}}}
`})
		if err != nil {
			t.Fatal(err)
		}
		res := job{inputs: map[string]any{"n": n}}.with(t, fermata.Options{}, r)
		if n < 0 {
			wantError(t, res, said)
			continue
		}
		want(t, res, said)
	}
}

// What a real model has said is written down, and said again to the recipe: offline, and on any machine.
func TestTranscriptsOfRecipes(t *testing.T) {
	text := only(`  price: {kind: expr, description: P, input: {type: object, required: [n], properties: {n: {type: integer}}}, set: {euros: "n * 20"}}
  write: {kind: model, model: MODEL, system: Be brief., prompt: "{{ ask }}", tools: ["agent:price"]}`)
	files := map[string]string{"recipe.yaml": edited(text, "MODEL", "echo")}
	inputs := map[string]any{"ask": `price {"n":3}`}
	r, err := loadIn(t, recipe.Options{}, files)
	if err != nil {
		t.Fatal(err)
	}
	var transcript bytes.Buffer
	live := fermata.Options{Services: []any{model.Set{"echo": scripted.Record(echo(), &transcript)}}}
	want(t, job{inputs: inputs}.with(t, live, r), `{"said": "{\"euros\":60}"}`)
	files = map[string]string{"recipe.yaml": edited(text, "MODEL", `"scripted:said.jsonl"`), "said.jsonl": transcript.String()}
	if r, err = loadIn(t, recipe.Options{}, files); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		want(t, job{inputs: inputs}.with(t, withScripts(), r), `{"said": "{\"euros\":60}"}`)
	}
	wantError(t, job{inputs: map[string]any{"ask": `price {"n":4}`}}.with(t, withScripts(), r), "no reply")
}

// A trace has what a model thought, what it did, and what it said.
func TestTraceOfModelAgents(t *testing.T) {
	r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": deskRecipe, "replies.yaml": `
turns:
  - {reasoning: "A price first.", calls: [{tool: price, arguments: {n: 3}}, {tool: calc_add, arguments: {a: 1, b: 2}}]}
  - {reasoning: "Better ask.", text: "One thing.", calls: [{tool: ask_person, arguments: {request: "Sure?"}}]}
  - {output: {text: "It is 60."}}
`})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(withScripts())
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	res := job{inputs: map[string]any{"n": 3}, answers: map[string][]any{"write": {map[string]any{"action": "approve"}, "yes"}}}.on(t, rt, r)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	steps := trace(t, rt, res.Run).Steps
	if len(steps) != 1 {
		t.Fatalf("expected one step, got %+v", steps)
	}
	s := steps[0]
	if diff := cmp.Diff("A price first.\nBetter ask.", s.Thought); diff != "" {
		t.Errorf("thought (-want +got):\n%s", diff)
	}
	want := []string{
		recipe.TraceInteraction,
		"tools, reason\nMay price be called?\ncalc_add, price, reason\nSure?\nreason",
		`calls price {"n":3}
calls calc_add {"a":1,"b":2}
calc_add: {"sum":3}
answered as boss: {"action":"approve"}
price: {"euros":60}
One thing.
calls ask_person {"request":"Sure?"}
answered: "yes"
{"text":"It is 60."}`,
	}
	if diff := cmp.Diff(want, []string{s.Type, s.Action, s.Observation}); diff != "" {
		t.Errorf("type, action and observation (-want +got):\n%s", diff)
	}
}
