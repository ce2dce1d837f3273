package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hintEnds is the end of what is written on stderr when a run that nobody is asked about waits for an answer. Before it come
// the commands with the ids, in writes of their own.
const hintEnds = "once it is answered\n"

const devRecipe = `interface:
  inputs: {amount: {type: number, default: 120}}
  outputs: {decision: {type: string}}
agents:
  close: {kind: expr, set: {decision: "'first ' + review"}}
topology:
  entry_point: review
  nodes:
    - {type: human, id: review, prompt: "Refund {{ amount }}?", options: [approve, reject]}
    - {type: agent, id: close, agent_ref: close}
  edges:
    - {source: review, target: close}
tests:
  - name: it is approved
    answers: {review: approve}
    expect: {status: completed}
`

// beside calls the command from another process's place.
func beside(t *testing.T, args ...string) string {
	t.Helper()
	m, stdout, stderr := command(t)
	if code := m.Run(t.Context(), args); code != exitCompleted {
		t.Fatalf("fermata %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout.String()
}

// TestDev writes a recipe while runs of it wait: a change is said and tested, a broken one leaves the last good version, and a
// run that began before goes on with its own.
func TestDev(t *testing.T) {
	t.Chdir(t.TempDir())
	saved(t, "recipe.yaml", "topology: {}\n")
	b := goOn(t, "dev", ".", "--store", "runs.db", "--run", "--no-input", "--quiet")

	// At first it is broken: there is nothing to run.
	if got := b.waits(&b.out, "\n"); !strings.Contains(got, "\"entry_point\" is missing") {
		t.Errorf("a broken recipe: %q", got)
	}
	saved(t, "recipe.yaml", devRecipe)
	first := b.waits(&b.err, hintEnds)
	if diff := cmp.Diff("✓ recipe.yaml  1 test\n", dropName(b.out.Take())); diff != "" {
		t.Errorf("a good version (-want +got):\n%s", diff)
	}
	question := regexp.MustCompile(`int_[0-9a-f-]+`).FindString(first)
	run := regexp.MustCompile(`run_[0-9a-f-]+`).FindString(first)

	// A change: what is different, its tests, and the run that waits in the version before.
	second := strings.NewReplacer("first ", "second ", "id: close,", "id: closing,", "target: close}", "target: closing}").Replace(devRecipe)
	saved(t, "recipe.yaml", second)
	b.waits(&b.err, hintEnds)
	want := "  node close removed\n  node closing added\n  edge review -> close removed\n  edge review -> closing added\n" +
		"✓ recipe.yaml  1 test\n· " + run + "  waits at review, earlier version\n"
	if diff := cmp.Diff(want, dropName(b.out.Take())); diff != "" {
		t.Errorf("a change (-want +got):\n%s", diff)
	}

	// One that is not valid is not taken over, and one whose tests fail is not run.
	saved(t, "recipe.yaml", strings.Replace(second, "source: review", "source: reviw", 1))
	if got := b.waits(&b.out, "not taken over; runs begin with the version of 14:03:12\n"); !strings.Contains(got, `did you mean "review"?`) {
		t.Errorf("a broken change: %q", got)
	}
	saved(t, "recipe.yaml", strings.Replace(second, "status: completed", "status: failed", 1))
	if got := b.waits(&b.out, "earlier version\n"); !strings.Contains(got, "✗ recipe.yaml  1 of 1 test failed") {
		t.Errorf("a test that fails: %q", got)
	}

	// The first run is answered from elsewhere, and goes on here with the version that it began with.
	beside(t, "tasks", "answer", question, "--value", "approve", "--store", "runs.db")
	if got := b.waits(&b.out, "completed\n"); got != run+"  completed\n" {
		t.Errorf("a run that was answered elsewhere: %q", got)
	}
	var shown struct {
		Outputs json.RawMessage `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(beside(t, "runs", "show", run, "--json", "--store", "runs.db")), &shown); err != nil {
		t.Fatal(err)
	}
	if string(shown.Outputs) != `{"decision":"first approve"}` {
		t.Errorf("the run that began with the first version gave %s", shown.Outputs)
	}
	b.ends(exitCompleted)
}

// What a version leaves open, and which models cannot be asked, is said as validate says it, once for each version.
func TestDev_Warnings(t *testing.T) {
	t.Chdir(t.TempDir())
	saved(t, "ask.yaml", `agents:
  write: {kind: model, model: "openai:gpt-5", prompt: "Write to {{ name }}"}
entry_point: write
nodes:
  - {type: agent, id: write, agent_ref: write}
`)
	b := goOn(t, "dev", "ask.yaml", "--store", "memory:", "--no-input")
	got := regexp.MustCompile(`(?m)(has no key|no inputs are declared).*$`).ReplaceAllString(b.waits(&b.out, "no tests\n"), "$1 …")
	want := "✓ ask.yaml  ask, 1 node\nask.yaml:1:1: warning: no inputs are declared …\n" +
		"ask.yaml:2:31: warning: agent \"write\": no such model: openai has no key …\n– ask.yaml  no tests"
	if diff := cmp.Diff(want, strings.TrimSpace(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.ends(exitCompleted)
}

// dropName leaves out the line that names a recipe after its folder, which is another one each time.
func dropName(text string) string {
	return regexp.MustCompile(`(?m)^✓ \.  .*\n`).ReplaceAllString(text, "")
}

func TestDev_JSON(t *testing.T) {
	t.Chdir(t.TempDir())
	saved(t, "refund.yaml", devRecipe)
	b := goOn(t, "dev", "refund.yaml", "--store", "memory:", "--run", "--answer", "review=reject", "--json")
	kinds := func(text string) []string {
		var all []string
		for line := range strings.Lines(text) {
			var l struct {
				Type string `json:"type"`
				OK   *bool  `json:"ok"`
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			switch l.Type {
			case "version", "test", "coverage", "waiting", "result":
				all = append(all, l.Type)
			}
		}
		return all
	}
	got := b.waits(&b.out, `"outputs":{"decision":"first reject"}`)
	if diff := cmp.Diff([]string{"version", "test", "coverage", "waiting", "result"}, kinds(got)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if err := os.Remove("refund.yaml"); err != nil {
		t.Fatal(err)
	}
	got = b.waits(&b.out, "\n")
	if !strings.Contains(got, `"ok":false,"version":"def_`) || !strings.Contains(got, "there is no file refund.yaml") {
		t.Errorf("a file that is gone: %s", got)
	}
	b.ends(exitCompleted)
}
