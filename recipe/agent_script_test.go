package recipe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/recipe"
)

// asks is a recipe with one model, which is the one of that name.
func asks(name string) string {
	return `
agents: {write: {kind: model, model: "` + name + `", prompt: "Say it"}}
interface: {inputs: {}, outputs: {write: {type: string}}}
topology:
  entry_point: write
  nodes: [{type: agent, id: write, agent_ref: write}]
`
}

// on drives a job on a runtime of its own.
func (j job) with(t *testing.T, opts fermata.Options, r *recipe.Recipe) fermata.Result {
	t.Helper()
	rt, err := fermata.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	return j.on(t, rt, r)
}

// A script is kept with the runs of its recipe, like the recipe itself: whatever becomes of the file, a run is told
// what it was told (law J8).
func TestJ8_ScriptsAreRestoredWithoutFiles(t *testing.T) {
	for name, script := range map[string]string{
		"replies.yaml":      "turns: [it]",
		"deep/replies.yaml": "conversations: [{prompt: Say, turns: [it]}]",
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"recipe.yaml": asks("scripted:" + name), name: script})
			r := load(t, dir, recipe.Options{Models: []string{"scripted"}})
			if all := r.Models(); all != nil {
				t.Errorf("a script that was read needs nothing of the program: %v", all)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			again, err := recipe.Restore(r.Source(), recipe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // what is said to one run is not missing for the next
				want(t, job{}.with(t, withScripts(), again), `{"write": "it"}`)
			}
		})
	}
}

// A script is read like all files that a recipe names: no path and no link leads out of what is allowed.
func TestScriptsOutsideOfTheFolder(t *testing.T) {
	elsewhere := folder(t, map[string]string{"replies.yaml": "turns: [it]"})
	for name, tc := range map[string]struct {
		model string
		allow *recipe.Allow
		fails string
	}{
		"a path":         {model: "../replies.yaml", fails: `"../replies.yaml" is not in the folder of the recipe`},
		"a link":         {model: "link.yaml", fails: `"link.yaml" cannot be read: path escapes from parent`},
		"a missing file": {model: "lonk.yaml", fails: `there is no file "lonk.yaml" in the folder of the recipe; did you mean "link.yaml"?`},
		"allowed":        {model: filepath.Join(elsewhere, "replies.yaml"), allow: &recipe.Allow{Folders: []string{elsewhere}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"recipe.yaml": asks("scripted:" + tc.model)})
			if err := os.Symlink(filepath.Join(elsewhere, "replies.yaml"), filepath.Join(dir, "link.yaml")); err != nil {
				t.Fatal(err)
			}
			r, err := recipe.Load(dir, recipe.Options{Allow: tc.allow})
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("expected an error with %q, got %v", tc.fails, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want(t, job{}.with(t, withScripts(), r), `{"write": "it"}`)
		})
	}
}

// What is wrong with a script is found when the recipe is loaded, at its place in the script.
func TestScriptErrorsAreErrorsOfTheRecipe(t *testing.T) {
	for name, tc := range map[string]struct{ script, want string }{
		"replies.yaml":  {"turns:\n  - {text: it, cals: []}\n", `replies.yaml:2:16: unknown key "cals"; did you mean "calls"?`},
		"replies.jsonl": {"{}\n", `recipe.yaml:2:38: "replies.jsonl": transcript, line 1: `},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"recipe.yaml": asks("scripted:" + name), name: tc.script})
			_, err := recipe.Load(dir, recipe.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, tc.want)) {
				t.Errorf("expected %s, got %v", tc.want, err)
			}
		})
	}
}

// What may be reached is limited for servers, too, and for those that only a model reaches.
func TestServersAreLimited(t *testing.T) {
	const text = `
agents:
  files: {kind: mcp, server: {command: [mcp-files]}, tool: read}
  mail: {kind: mcp, server: {url: "https://mail.example.org/mcp"}}
  price: {kind: exec, description: "A price", input: {type: object}, command: [price]}
  write: {kind: model, model: "scripted:replies.yaml", prompt: "Say it", tools: ["mcp:files/*", "mcp:mail/send", "agent:price"]}
topology:
  entry_point: write
  nodes: [{type: agent, id: write, agent_ref: write}]
`
	for rules, want := range map[string][]string{
		"":                            nil,
		"exec=mcp-* exec=price":       nil,
		"http=*.example.org":          nil,
		"exec=price":                  {`the program "mcp-files" is not allowed; of the kind exec these are: price`},
		"http=example.org exec=mcp-*": {`the address "https://mail.example.org/mcp" is not allowed; of the kind http these are: example.org`, `the program "price" is not allowed; of the kind exec these are: mcp-*`},
		"none": {
			`the program "mcp-files" is not allowed; nothing of the kind exec is: the user who runs the recipe can allow it`,
			`the address "https://mail.example.org/mcp" is not allowed; nothing of the kind http is: the user who runs the recipe can allow it`,
			`the program "price" is not allowed; nothing of the kind exec is: the user who runs the recipe can allow it`,
		},
	} {
		t.Run(rules, func(t *testing.T) {
			allow, err := recipe.ParseAllow(strings.Fields(rules))
			if err != nil {
				t.Fatal(err)
			}
			_, err = loadIn(t, recipe.Options{Allow: allow}, map[string]string{"recipe.yaml": text, "replies.yaml": "turns: [it]"})
			if diff := cmp.Diff(want, messages(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// messages are what is wrong with a recipe.
func messages(err error) []string {
	var all []string
	if problems, ok := err.(*definition.Error); ok { //nolint:errorlint // it is never wrapped
		for _, p := range problems.Problems {
			all = append(all, p.Message)
		}
	}
	return all
}

const tellRecipe = `
agents:
  calc: {kind: mcp, server: {command: ["${BINARY}"], env: {FERMATA_TEST_SERVER: "1", WORD: "${SECRET}"}}, tool: tell}
  write: {kind: model, model: "scripted:replies.yaml", prompt: "Say it", tools: ["mcp:calc/*"]}
interface: {inputs: {}, outputs: {word: {type: string}, number: {type: integer}, write: {type: string}}}
topology:
  entry_point: write
  nodes:
    - {type: agent, id: write, agent_ref: write}
    - {type: agent, id: look, agent_ref: calc, inputs_map: {}}
  edges: [{source: write, target: look}]
`

// What a server tells that is secret is in no journal, whoever has asked it, and integers keep their digits.
func TestSecretsOfServersAreNotRecorded(t *testing.T) {
	r, err := loadIn(t, recipe.Options{}, map[string]string{
		"recipe.yaml": tellRecipe, "replies.yaml": "turns: [{calls: [{tool: calc_tell}]}, it]",
	})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(withScripts())
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	res := job{}.on(t, rt, r)
	want(t, res, `{"write": "it", "word": "it is [redacted]", "number": 9007199254740993}`)
	if !strings.Contains(string(res.Output), "9007199254740993") { // which no float64 holds
		t.Errorf("the digits are lost: %s", res.Output)
	}
	told := 0
	for ev, err := range rt.Events(t.Context(), res.Run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		text := string(ev.Entry.Value) + string(ev.Entry.Body)
		told += strings.Count(text, "[redacted]")
		if strings.Contains(text, "sesame") {
			t.Errorf("the journal holds the secret: %s", text)
		}
	}
	if told == 0 {
		t.Error("the journal holds nothing of what the server told")
	}
}
