package recipe_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/recipe"
)

// asking is a recipe that writes something, asks, and then reads something.
func asking(inputs, set, ask, read, more string) string {
	return `
metadata: {name: ask}
interface: {inputs: {` + inputs + `}, outputs: {said: {}}}
agents:
  begin: {kind: expr, set: {` + set + `}}
  say: {kind: expr, set: {said: "` + read + `"}}
topology:
  entry_point: begin
  nodes:
    - {type: agent, id: begin, agent_ref: begin}
    - {type: human, id: ` + ask + `, prompt: "Go on?"}
    - {type: agent, id: say, agent_ref: say}
  edges: [{source: begin, target: ` + ask + `}, {source: ` + ask + `, target: say}]
` + more
}

func parsed(t *testing.T, text string) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Parse([]byte(text), "ask.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A recipe that changed while a run waits reads what the run holds, under the names that it declares as renamed, or is refused with
// the name and its reader before anything is written. Then the run goes on with the recipe that it was started with.
func TestJ8_AChangedRecipeFindsWhatItReads(t *testing.T) {
	const amount = "amount: {type: number}"
	old := asking(amount, "prompt_text: \"'about ' + string(amount)\", risk: \"{score: amount * 2}\"", "ask", "prompt_text + ' ' + string(risk.score) + ' ' + ask", "")
	for name, tt := range map[string]struct {
		now    string
		want   string // what the run says
		value  string
		reason string
		hint   string
	}{
		"the same":             {old, "about 120 240 yes", "", "", ""},
		"another expression":   {strings.Replace(old, "prompt_text + ' '", "'all ' + prompt_text + ' '", 1), "all about 120 240 yes", "", "", ""},
		"fewer names are read": {asking(amount, `other: "1"`, "ask", "ask", ""), "yes", "", "", ""},
		"a name is renamed": {
			asking(amount, `prompt: "'about ' + string(amount)"`, "ask", "prompt + ask", ""), "", "prompt",
			`the state at ask#1: node say reads "prompt", which the run does not hold`, "if prompt_text is prompt now, the recipe can say so: renamed: {values: {prompt_text: prompt}}",
		},
		"a name is renamed, and the recipe says so": {
			asking(amount, `prompt: "'about ' + string(amount)"`, "ask", "prompt + ' ' + ask", "renamed: {values: {prompt_text: prompt}}"), "about 120 yes", "", "", "",
		},
		"a name is new": {
			asking(amount, `limit: "7"`, "ask", "string(limit) + ask", ""), "", "limit", `the state at ask#1: node say reads "limit", which the run does not hold`, "",
		},
		"an input is new and read": {
			asking(amount+", currency: {type: string}", `prompt_text: "'x'"`, "ask", "currency + ask", ""), "", "currency",
			`the state at ask#1: node say reads "currency", which the run does not hold`, "if risk is currency now, the recipe can say so: renamed: {values: {risk: currency}}",
		},
		"an input is new and not read": {asking(amount+", currency: {type: string}", `prompt_text: "currency"`, "ask", "ask", ""), "yes", "", "", ""},
		"what an agent gave has another shape": {
			asking(amount, `risk: "{points: amount}"`, "ask", "string(risk.points) + ask", ""), "", "risk.points",
			`the state at ask#1: node say reads "risk", and "risk.points" is not there in what the run holds`, "risk.score may be risk.points now",
		},
		"what an agent gave is of another kind": {
			asking(amount, `risk: "amount > 100 ? 'high' : 'low'"`, "ask", "risk + ask", ""), "", "risk",
			`the state at ask#1: node say reads "risk", and "risk" is an object where a text is expected in what the run holds`, "if prompt_text is risk now, the recipe can say so: renamed: {values: {prompt_text: risk}}",
		},
		"a node is renamed": {asking(amount, `risk: "1"`, "decide", "decide", ""), "", "", `task ask#1 is open, and the plan has no node "ask"`, "if ask is decide now, a migration can say so"},
		"a node is renamed, and the recipe says so": {
			asking(amount, `risk: "1"`, "decide", "decide", "renamed: {nodes: {ask: decide}}"), "yes", "", "", "",
		},
		"the result lacks a name": {
			strings.Replace(asking(amount, `prompt: "'x'"`, "ask", "ask", ""), "outputs: {said: {}}", "outputs: {said: {}, prompt: {}}", 1), "", "prompt",
			`the state at ask#1: the result of the run reads "prompt", which the run does not hold`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			rt := newRuntime(t, store)
			first := parsed(t, old)
			input, err := first.Input(map[string]any{"amount": 120})
			if err != nil {
				t.Fatal(err)
			}
			run, err := rt.Start(t.Context(), first.Plan(), input)
			if err != nil {
				t.Fatal(err)
			}
			res, err := run.Wait(t.Context())
			if err != nil || res.Status != fermata.Paused {
				t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
			}
			if err := rt.Answer(t.Context(), res.Interrupts[0].ID, "yes", fermata.Hold()); err != nil {
				t.Fatal(err)
			}
			now := parsed(t, tt.now)
			before := headOf(t, store, run.ID())
			run, err = rt.Resume(t.Context(), run.ID(), now.Plan())
			if tt.reason != "" {
				var changed *fermata.PlanChangedError
				if !errors.As(err, &changed) {
					t.Fatalf("the error is %v, want a *PlanChangedError", err)
				}
				if diff := cmp.Diff([]string{tt.value, tt.reason}, []string{changed.Value, changed.Reason}); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if tt.hint != "" && changed.Hint != tt.hint {
					t.Errorf("the hint is %q, want %q", changed.Hint, tt.hint)
				}
				if after := headOf(t, store, res.Run); after != before {
					t.Errorf("the journal grew from %d to %d", before, after)
				}
				if run, err = rt.Resume(t.Context(), res.Run, first.Plan()); err != nil {
					t.Fatal(err)
				}
				tt.want = "about 120 240 yes"
			}
			if err != nil {
				t.Fatal(err)
			}
			res, err = run.Wait(t.Context())
			if want := `{"said":"` + tt.want + `"}`; err != nil || res.Status != fermata.Completed || string(res.Output) != want {
				t.Errorf("the run is %s with %s (%v), error %v; want %s", res.Status, res.Output, res.Err, err, want)
			}
		})
	}
}

func newRuntime(t *testing.T, store journal.Store) *fermata.Runtime {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	return rt
}

func headOf(t *testing.T, store journal.Store, run string) uint64 {
	t.Helper()
	rows, err := store.Runs(t.Context(), journal.RunFilter{ID: run})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[0].Head
}

// Renamed lists names that are gone, and what they are now.
func TestJ8_WrongRenamesAreRefused(t *testing.T) {
	_, err := recipe.Parse([]byte(asking("a: {}", `x: "1"`, "ask", "ask", "renamed: {nodes: {say: ask, old: aks, older: ask}, values: {x: y}}")), "ask.yaml", recipe.Options{})
	for _, want := range []string{
		`the node "say" is still there`, `there is no node "aks"; did you mean "ask"?`, `the node "ask" is the new name of "say" already`, `"x" is still on the blackboard`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
}
