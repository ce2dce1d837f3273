package recipe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

const deskRecipe = `
agents:
  calc: {kind: mcp, server: {command: ["${BINARY}"], env: {FERMATA_TEST_SERVER: "1"}}}
  careful: {kind: mcp, at_most_once: true, server: {command: ["${BINARY}"], env: {FERMATA_TEST_SERVER: "1"}}}
  price: {kind: expr, description: "A price", input: {type: object, required: [n], properties: {n: {type: integer}}}, set: {euros: "n * 20"}}
  write:
    kind: model
    model: "scripted:replies.yaml"
    prompt: "Order {{ n }}"
    output: {type: object, required: [text], properties: {text: {type: string}}, additionalProperties: false}
    stream: patch
    tools: ["mcp:calc/add", "mcp:calc/note", "mcp:careful/note", "agent:price"]
    approval: {when: "tool == 'price'", required_role: boss}
    interrupt: {}
interface: {inputs: {n: {type: integer}}, outputs: {text: {type: string}}}
topology:
  entry_point: write
  nodes: [{type: agent, id: write, agent_ref: write}]
`

// lines counts the lines of a file, by the name of what wrote them.
func lines(t *testing.T, files map[string]string) func() map[string]int {
	return func() map[string]int {
		counts := make(map[string]int)
		for name, file := range files {
			data, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
			counts[name] = bytes.Count(data, []byte("\n"))
		}
		return counts
	}
}

// A model calls tools of servers and an agent, with a person's approval, asks a person and streams its answer, and the
// engine dies at every append: the answer is the same, and no tool is called more often than the law allows.
func TestJ5_ModelAgentsSurviveCrashes(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"note": filepath.Join(dir, "note"), "careful": filepath.Join(dir, "careful")}
	servers := new(mcp.Pool)
	r, err := loadIn(t, recipe.Options{Servers: servers}, map[string]string{"recipe.yaml": deskRecipe, "replies.yaml": fmt.Sprintf(`
turns:
  - calls:
      - {tool: calc_add, arguments: {a: 3, b: 4}}
      - {tool: price, arguments: {n: 3}}
      - {tool: calc_note, arguments: {file: %q}}
      - {tool: careful_note, arguments: {file: %q}}
  - {text: "One more thing.", calls: [{tool: ask_person, arguments: {request: "Sure?"}}]}
  - {output: {txt: wrong}}
  - {output: {text: "It is 60 in all."}}
`, files["note"], files["careful"])})
	if err != nil {
		t.Fatal(err)
	}
	// The servers of a run are gone before the next one begins: a call that one was left in takes effect late.
	renew := func() {
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
		*servers = mcp.Pool{}
	}
	report := fermatatest.Crash(t, r.Plan(), input(t, r, map[string]any{"n": 3}), fermatatest.WithOptions(withScripts()), fermatatest.Before(renew),
		fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
			switch q.Kind {
			case node.KindApproval:
				return map[string]any{"action": "approve"}
			case node.KindOutcome: // of the call that must not be made again
				return node.OutcomeDone
			}
			return "yes"
		}),
		fermatatest.Effects(lines(t, files)), fermatatest.OnlyOnce("careful"))
	want(t, report.Result, `{"text": "It is 60 in all."}`)
	if report.Crashes < 20 {
		t.Errorf("expected a crash at each append, there were %d", report.Crashes)
	}
}

// A server that dies in a call has perhaps done it: the node is tried again where that is allowed, on a new server, and
// fails for good where the call must not happen twice.
func TestJ5_AServerIsKilledInACall(t *testing.T) {
	for _, once := range []bool{false, true} {
		t.Run(fmt.Sprint("at most once: ", once), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "note")
			r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": fmt.Sprintf(`
agents:
  calc: {kind: mcp, at_most_once: %v, server: {command: ["${BINARY}"], env: {FERMATA_TEST_SERVER: "1"}}, tool: note}
  add: {kind: mcp, server: {command: ["${BINARY}"], env: {FERMATA_TEST_SERVER: "1"}}, tool: add}
interface: {inputs: {file: {type: string}, die: {type: boolean}}, outputs: {sum: {type: integer}}}
topology:
  entry_point: note
  nodes:
    - {type: agent, id: note, agent_ref: calc, max_retries: 2, inputs_map: {file: file, die: die}, outputs_map: {}}
    - {type: agent, id: sum, agent_ref: add, inputs_map: {a: one, b: one}}
  edges:
    - {source: note, target: sum}
state: {properties: {one: {type: integer, default: 1}}}
`, once)})
			if err != nil {
				t.Fatal(err)
			}
			res := job{inputs: map[string]any{"file": file, "die": true}}.with(t, fermata.Options{}, r)
			calls := lines(t, map[string]string{"note": file})()["note"]
			if once {
				wantError(t, res, node.ErrOutcomeUnknown.Error())
				if calls != 1 {
					t.Errorf("it was called %d times", calls)
				}
				return
			}
			want(t, res, `{"sum": 2}`)
			if calls != 2 {
				t.Errorf("it was called %d times, and not once more after the server died", calls)
			}
		})
	}
}

// A server that dies in a call of a model's is told to the model, which goes on with a new one; a call that must not
// happen twice is asked about.
func TestJ5_AServerIsKilledInACallOfAModel(t *testing.T) {
	for tool, asks := range map[string]bool{"calc_note": false, "careful_note": true} {
		t.Run(tool, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "note")
			r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": deskRecipe, "replies.yaml": fmt.Sprintf(`
turns:
  - calls: [{tool: %s, arguments: {file: %q, die: true}}]
  - calls: [{tool: calc_add, arguments: {a: 3, b: 4}}]
  - {output: {text: "Done."}}
`, tool, file)})
			if err != nil {
				t.Fatal(err)
			}
			res := job{inputs: map[string]any{"n": 3}}.with(t, withScripts(), r)
			if calls := lines(t, map[string]string{"note": file})()["note"]; calls != 1 {
				t.Errorf("it was called %d times", calls)
			}
			if !asks {
				want(t, res, `{"text": "Done."}`)
				return
			}
			if len(res.Interrupts) != 1 || res.Interrupts[0].Kind != node.KindOutcome {
				t.Errorf("expected the question whether it was done, found %s with %+v: %v", res.Status, res.Interrupts, res.Err)
			}
		})
	}
}

// halting is a model that asks a person, and then says one half of its answer before somebody has seen it, and the rest
// after that.
func halting(seen <-chan struct{}) model.Model {
	return model.Func(func(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
		if len(r.Messages) == 1 {
			return scripted.New(scripted.Script{Replies: []scripted.Reply{scripted.Calls("ask_person", `{"request":"Sure?"}`)}}).Generate(ctx, r)
		}
		return func(yield func(model.Chunk, error) bool) {
			if !yield(model.Chunk{Text: `{"text":"It is`}, nil) {
				return
			}
			select {
			case <-seen:
				yield(model.Chunk{Text: ` 60 in all."}`, Finish: model.FinishStop}, nil)
			case <-ctx.Done():
				yield(model.Chunk{}, ctx.Err())
			}
		}
	})
}

// Who follows a run sees the answer grow, and its end; with stream: off, neither.
func TestE4_AnswersOfModelsAreStreamed(t *testing.T) {
	for mode, want := range map[string]string{"patch": "patch final", "snapshot": "snapshot final", "off": ""} {
		t.Run(mode, func(t *testing.T) {
			text := edited(deskRecipe, "stream: patch", "stream: '"+mode+"'", "scripted:replies.yaml", "halting")
			r, err := loadIn(t, recipe.Options{}, map[string]string{"recipe.yaml": text})
			if err != nil {
				t.Fatal(err)
			}
			seen := make(chan struct{})
			see := sync.OnceFunc(func() { close(seen) })
			if mode == "off" {
				see()
			}
			rt, err := fermata.New(fermata.Options{Services: []any{model.Set{"halting": halting(seen)}}})
			if err != nil {
				t.Fatal(err)
			}
			defer rt.Close()
			defer see()
			run, err := rt.Start(t.Context(), r.Plan(), input(t, r, map[string]any{"n": 3})())
			if err != nil {
				t.Fatal(err)
			}
			paused, err := run.Wait(t.Context())
			if err != nil || len(paused.Interrupts) != 1 {
				t.Fatal(paused, err)
			}
			var modes []string
			for ev, err := range rt.Events(t.Context(), run.ID(), 0, true) { // to the run's end
				if err != nil {
					t.Fatal(err)
				}
				switch ev.Type() {
				case "interrupt":
					if err := rt.Answer(t.Context(), paused.Interrupts[0].ID, "yes"); err != nil {
						t.Fatal(err)
					}
				case "structured-data":
					if mode := modeOf(t, &ev); len(modes) == 0 || modes[len(modes)-1] != mode {
						modes = append(modes, mode)
					}
					see()
				}
			}
			if diff := cmp.Diff(want, strings.Join(modes, " ")); diff != "" {
				t.Errorf("what was seen (-want +got):\n%s", diff)
			}
		})
	}
}

// modeOf is how an event shows an answer of the agent that is called write.
func modeOf(t *testing.T, ev *fermata.Event) string {
	t.Helper()
	data, err := ev.Data()
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ DataType, Mode string }
	if err := json.Unmarshal(data, &shown); err != nil || shown.DataType != "write" {
		t.Fatalf("%s: %v", data, err)
	}
	return shown.Mode
}
