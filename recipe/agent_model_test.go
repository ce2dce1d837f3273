package recipe_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/recipe"
)

const modelRecipe = `
agents:
  calc: {kind: mcp, server: {command: ["${BINARY}"], env: {FERMATA_TEST_SERVER: "1", WORD: "${SECRET}"}}, tool: add}
  write:
    kind: model
    model: "scripted:replies.yaml"
    prompt: "How much is {{ a }} and {{ b }}?"
    output: {type: object, required: [text], properties: {text: {type: string}}, additionalProperties: false}
    stream: patch
    tools: ["mcp:calc/*"]
    approval: {when: "arguments.a > 1", required_role: boss}
    interrupt: {}
interface: {inputs: {a: {type: integer}, b: {type: integer}}, outputs: {text: {type: string}, sum: {type: integer}}}
topology:
  entry_point: ask
  nodes:
    - {type: agent, id: ask, agent_ref: write}
    - {type: agent, id: look, agent_ref: calc, inputs_map: {a: a, b: b}}
  edges: [{source: ask, target: look}]
`

const modelReplies = `
kind: Script
turns:
  - calls: [{tool: calc_add, arguments: {a: 3, b: 4}}, {tool: ask_person, arguments: {request: "Sure?"}}]
  - {output: {txt: wrong}}
  - {output: {text: "It is 7."}}
`

// binary is what ${NAME} stands for in these recipes: this binary, which is a server, and a secret.
var binary = map[string]string{"BINARY": os.Args[0], "SECRET": "sesame-open-42"}

// loadIn loads the recipe.yaml of a folder of these files, with connections to servers, which the end of the test closes.
func loadIn(t *testing.T, opts recipe.Options, files map[string]string) (*recipe.Recipe, error) {
	t.Helper()
	if opts.Servers == nil {
		opts.Servers = new(mcp.Pool)
	}
	t.Cleanup(func() {
		if err := opts.Servers.Close(); err != nil {
			t.Error(err)
		}
	})
	if opts.Env == nil {
		opts.Env = func(name string) (string, bool) { v, ok := binary[name]; return v, ok }
	}
	return recipe.Load(folder(t, files), opts)
}

// withScripts are the options of a runtime whose models are scripts.
func withScripts() fermata.Options {
	return fermata.Options{Services: []any{model.Set{"scripted": recipe.Scripts()}}}
}

// loadModels loads the recipe above with a script in the place of a model, and a server that is this binary.
func loadModels(t *testing.T) (*recipe.Recipe, fermata.Options) {
	t.Helper()
	r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": modelRecipe, "replies.yaml": modelReplies})
	if err != nil {
		t.Fatal(err)
	}
	return r, withScripts()
}

// A model calls a tool of a server that a person approves, asks a person, is shown what is wrong with its answer, and
// gives one that fits; then a node calls the same tool.
func TestModelAgent(t *testing.T) {
	r, opts := loadModels(t)
	rt, err := fermata.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	j := job{
		inputs:  map[string]any{"a": 3, "b": 4},
		answers: map[string][]any{"ask": {map[string]any{"action": "approve"}, "yes"}},
	}
	res := j.on(t, rt, r)
	if diff := cmp.Diff(`{"sum":7,"text":"It is 7."}`, string(res.Output)); diff != "" || res.Err != nil {
		t.Errorf("%v (-want +got):\n%s", res.Err, diff)
	}
}

// What a tool says has gone wrong is the agent's error, without what is secret.
func TestMCPAgent_error(t *testing.T) {
	r, opts := loadModels(t)
	rt, err := fermata.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	j := job{
		inputs:  map[string]any{"a": -3, "b": 4},
		answers: map[string][]any{"ask": {map[string]any{"action": "deny", "reason": "no"}, "yes"}},
	}
	res := j.on(t, rt, r)
	if res.Err == nil || !strings.Contains(res.Err.Error(), `agent "calc": a is below 0, says [`) || strings.Contains(res.Err.Error(), "sesame") {
		t.Errorf("got %v", res.Err)
	}
}
