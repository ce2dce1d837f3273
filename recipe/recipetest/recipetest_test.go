package recipetest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func noEnv(string) (string, bool) { return "", false }

// TestRun runs what passes, as a test of a user's would.
func TestRun(t *testing.T) {
	recipetest.Run(t, recipetest.Options{Recipe: recipe.Options{Env: noEnv}}, "testdata/good")
}

// TestJ5_AgentsTakeEffectOnce runs them with a crash at every append.
func TestJ5_AgentsTakeEffectOnce(t *testing.T) {
	report, err := recipetest.Check(t.Context(), "testdata/good/refund.yaml", recipetest.Options{Crash: true, Recipe: recipe.Options{Env: noEnv}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range report.Results {
		r := &report.Results[i]
		if least := 9; !r.OK() || r.Crashes < least && r.Trace != nil {
			t.Errorf("%s: %d crashes, expected %d at least; %v %v", r.Test.Name, r.Crashes, least, r.Failures, r.Broken)
		}
	}
	if len(report.Results) != 6 {
		t.Errorf("%d tests were run, expected 6", len(report.Results))
	}
}

// TestFailures pins what is said of tests that fail.
func TestFailures(t *testing.T) {
	for _, name := range []string{"failing", "failing-models"} {
		t.Run(name, func(t *testing.T) { fails(t, "testdata/"+name) })
	}
}

func fails(t *testing.T, name string) {
	t.Helper()
	report, err := recipetest.Check(t.Context(), name+".yaml", recipetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range report.Results {
		r := &report.Results[i]
		fmt.Fprintf(&b, "%s\n", r.Test.Name)
		for _, f := range r.Failures {
			fmt.Fprintf(&b, "  %s\n", f)
		}
		for _, v := range r.Broken {
			fmt.Fprintf(&b, "  %s\n", v)
		}
		if r.OK() {
			t.Errorf("%s passes", r.Test.Name)
		}
	}
	golden.File(t, name+".golden", b.String())
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const gated = `
agents: {a: {kind: expr, set: {n: "(n ?? 0) + 1"}}}
topology:
  entry_point: a
  nodes:
    - {type: agent, id: a, agent_ref: a, inputs_map: {n: "n?"}}
    - {type: human, id: ask, prompt: "Go on?", timeout_seconds: 60, on_timeout: {route: late}}
    - {type: agent, id: late, agent_ref: other}
    - {type: agent, id: never, agent_ref: a}
  edges:
    - {source: a, target: ask, when: n == 1}
    - {source: a, target: late}
    - {source: ask, target: a}
    - {source: late, target: never, condition: on_failure}
`

// TestFileBeside checks that a file of tests beside a recipe brings tests and agents, and what the coverage is.
func TestFileBeside(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "gated.yaml", gated)
	write(t, dir, "gated.test.yaml", `
kind: Tests
agents: {other: {kind: exec, command: [nothing]}}
tests:
  - name: too late
    answers: {ask: {expire: true}}
    agents: {other: {returns: 7}}
    expect: {contains: {late: 7}, path: [a, ask, late]}
  - name: left out
    expect: {status: paused}
`)
	report, err := recipetest.Check(t.Context(), file, recipetest.Options{Only: regexp.MustCompile("late")})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || len(report.Results) != 1 || report.Skipped != 1 {
		t.Fatalf("%+v", report)
	}
	want := recipetest.Coverage{
		Nodes: 4, Edges: 5, NodesMissed: []string{"never"},
		EdgesMissed: []recipetest.Edge{
			{From: "a", To: "late", Kind: plan.Choice},
			{From: "ask", To: "a", Kind: plan.Plain},
			{From: "late", To: "never", Kind: plan.Failure},
		},
	}
	if diff := cmp.Diff(want, report.Coverage); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
	if got := report.Results[0].Test.File; got != filepath.Join(dir, "gated.test.yaml") {
		t.Errorf("the test is in %s", got)
	}
}

// TestFind checks what is taken for a recipe.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a/recipe.json", ".hidden/x.yaml", "testdata/x.yaml", "a/deep/x.yml", "recipe.schema.json"} {
		write(t, dir, name, `{"entry_point": "a", "nodes": []}`)
	}
	write(t, dir, "agents.yaml", "agents: {}\n")
	write(t, dir, "b.test.yaml", "tests: []\n")
	write(t, dir, "notes.md", "entry_point: a\nnodes: []\n")
	got, err := recipetest.Find(dir)
	want := []string{filepath.Join(dir, "a", "deep", "x.yml"), filepath.Join(dir, "a", "recipe.json"), filepath.Join(dir, "b.yaml")}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("found (-want +got), %v:\n%s", err, diff)
	}
	if _, err := recipetest.Find(filepath.Join(dir, "nowhere")); !os.IsNotExist(err) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestJ5_AStandInOfAnAtMostOnceAgentIsNotRepeated checks that a crash within such a call is seen, and not counted twice.
func TestJ5_AStandInOfAnAtMostOnceAgentIsNotRepeated(t *testing.T) {
	file := write(t, t.TempDir(), "once.yaml", `
agents: {pay: {kind: exec, command: [pay], at_most_once: true}}
entry_point: pay
nodes: [{type: agent, id: pay, agent_ref: pay, max_retries: 2}]
tests:
  - name: paid
    agents: {pay: [{error: busy}, {returns: {ref: r1}}]}
    expect: {outputs: {ref: r1}, calls: {pay: 2}}
`)
	report, err := recipetest.Check(t.Context(), file, recipetest.Options{Crash: true})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || report.Results[0].Crashes == 0 {
		t.Errorf("%+v", report.Results)
	}
}

// TestCheckStops checks that a check ends with its context.
func TestCheckStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := recipetest.Check(ctx, "testdata/good/refund.yaml", recipetest.Options{}); err == nil {
		t.Error("it went on")
	}
}

// TestH2_AnswersAreSigned checks that four eyes can be tested: who answers where it matters, and that a wrong name is
// seen.
func TestH2_AnswersAreSigned(t *testing.T) {
	const text = `
entry_point: first
nodes:
  - {type: human, id: first, prompt: "One?", options: ["yes"], assignee: ann}
  - {type: human, id: second, prompt: "Two?", options: ["yes"], not_by: [first]}
edges: [{source: first, target: second}]
tests:
  - name: two people
    answers: {first: "yes", second: "yes"}
    expect: {path: [first, second]}
`
	file := write(t, t.TempDir(), "eyes.yaml", text)
	report, err := recipetest.Check(t.Context(), file, recipetest.Options{Crash: true})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		t.Errorf("%+v", report.Results)
	}
	one := write(t, t.TempDir(), "eyes.yaml", strings.Replace(text, `second: "yes"`, `second: {answer: "yes", by: ann}`, 1))
	if report, err = recipetest.Check(t.Context(), one, recipetest.Options{}); err != nil {
		t.Fatal(err)
	}
	if report.OK() || !strings.Contains(fmt.Sprint(report.Results[0].Broken), "a second person, who did not answer first") {
		t.Errorf("one person answers both: %+v", report.Results)
	}
}

// TestH6_TheStarterOfATestMayNotAnswer checks that the run of a test has a starter, whom four eyes refuse.
func TestH6_TheStarterOfATestMayNotAnswer(t *testing.T) {
	file := write(t, t.TempDir(), "pay.yaml", `
entry_point: pay
nodes: [{type: human, id: pay, prompt: "Pay?", options: ["yes"], four_eyes: true}]
edges: []
tests:
  - {name: another person answers, answers: {pay: "yes"}, expect: {contains: {pay: "yes"}}}
  - {name: who did not start it answers, by: ann, answers: {pay: {answer: "yes", by: bo}}, expect: {contains: {pay: "yes"}}}
  - {name: the starter answers, by: ann, answers: {pay: {answer: "yes", by: ann}}, expect: {contains: {pay: "yes"}}}
`)
	report, err := recipetest.Check(t.Context(), file, recipetest.Options{Crash: true})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]bool, len(report.Results))
	for i := range report.Results {
		got[i] = report.Results[i].OK()
	}
	if diff := cmp.Diff([]bool{true, true, false}, got); diff != "" {
		t.Errorf("which tests pass (-want +got):\n%s", diff)
	}
	if broken := fmt.Sprint(report.Results[2].Broken); !strings.Contains(broken, "a second person, who did not start the run") {
		t.Errorf("the starter was told %s", broken)
	}
}
