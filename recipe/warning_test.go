package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/mcp"
)

// TestWarnings pins what recipes that load leave open, and that most leave nothing open.
func TestWarnings(t *testing.T) {
	cases := golden.Open(t, "testdata/warnings.txtar")
	dir := programs(t, "research", "write")
	for _, name := range cases.Names("*.yaml") {
		t.Run(name, func(t *testing.T) {
			r, err := Parse([]byte(cases.Text(t, name)), name, Options{Env: noEnv, Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, w := range r.Warnings() {
				text.WriteString(w.String() + "\n")
			}
			cases.Compare(t, golden.Beside(name, ".golden"), text.String())
		})
	}
}

// programs makes a folder of programs.
func programs(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	programsAt(t, dir, names...)
	return dir
}

func programsAt(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWarnings_programs checks that programs which this machine does not have are warnings, once each, with where they were looked
// for: the machine that runs the recipe may have them.
func TestWarnings_programs(t *testing.T) {
	const text = `
interface: {inputs: {}, outputs: {}}
agents:
  found:   {kind: exec, command: [here]}
  beside:  {kind: exec, command: [./bin/near]}
  typo:    {kind: exec, command: [hre, "1"]}
  far:     {kind: exec, command: [./bin/far]}
  plain:   {kind: exec, command: [./bin/plain]}
  hidden:  {kind: exec, command: ["/opt/${PLACE}/tool"]}
  unused:  {kind: exec, command: [nowhere]}
  served:  {kind: mcp, server: {command: [serve]}, tool: find}
  parts:   {kind: recipe, file: part.yaml}
topology:
  entry_point: a
  nodes:
    - {type: agent, id: a, agent_ref: found}
    - {type: agent, id: b, agent_ref: beside}
    - {type: agent, id: c, agent_ref: typo}
    - {type: agent, id: d, agent_ref: typo}
    - {type: agent, id: e, agent_ref: far}
    - {type: agent, id: f, agent_ref: plain}
    - {type: agent, id: g, agent_ref: hidden}
    - {type: agent, id: h, agent_ref: served}
    - {type: agent, id: i, agent_ref: parts}
  edges:
    - {source: a, target: b}
    - {source: b, target: c}
    - {source: c, target: d}
    - {source: d, target: e}
    - {source: e, target: f}
    - {source: f, target: g}
    - {source: g, target: h}
    - {source: h, target: i}
`
	const part = `
interface: {inputs: {}, outputs: {}}
agents: {typo: {kind: exec, command: [hre]}}
entry_point: a
nodes: [{type: agent, id: a, agent_ref: typo}]
edges: []
`
	path := programs(t, "here")
	dir := programs(t)
	if err := os.Rename(programs(t, "near", "plain"), filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "bin", "plain"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "part.yaml"), []byte(part), 0o644); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) { return "s3cret-place", name == "PLACE" }
	t.Setenv("PATH", path)
	r, err := Parse([]byte(text), "r.yaml", Options{Dir: dir, Env: env, Servers: new(mcp.Pool)})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, w := range r.Warnings() {
		got.WriteString(strings.NewReplacer(dir, "DIR", path, "BIN").Replace(w.String()) + "\n")
	}
	const want = `r.yaml:6:35: this machine cannot start the program "hre": no folder of PATH (BIN) has it; install it, or leave runs to a worker that has it
r.yaml:7:35: this machine cannot start the program "./bin/far": there is no file DIR/bin/far; install it, or leave runs to a worker that has it
r.yaml:8:35: this machine cannot start the program "./bin/plain": DIR/bin/plain cannot be executed; install it, or leave runs to a worker that has it
r.yaml:9:35: this machine cannot start the program "/opt/${PLACE}/tool": there is no file /opt/[redacted]/tool; install it, or leave runs to a worker that has it
r.yaml:11:43: this machine cannot start the program "serve": no folder of PATH (BIN) has it; install it, or leave runs to a worker that has it
part.yaml:3:39: this machine cannot start the program "hre": no folder of PATH (BIN) has it; install it, or leave runs to a worker that has it
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	programsAt(t, path, "hre", "serve")
	if again := len(r.Warnings()); again != 3 {
		t.Errorf("%d warnings once two programs are there, want 3", again)
	}
}

// TestForeign checks that a document of coreason.ai/v2 is a recipe, and that what is kept of it can be read.
func TestForeign(t *testing.T) {
	r, err := Parse([]byte(golden.Open(t, "testdata/warnings.txtar").Text(t, "coreason.yaml")), "coreason.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	def := r.Plan().Definition()
	got := []any{
		r.Name(), def.Version, r.Metadata()["owner"], expression.Text(r.Parameters()), expression.Text(r.Presentation()),
		string(def.Presentation), string(def.Nodes[0].Presentation), def.Nodes[1].Presentation == nil,
	}
	expected := []any{
		"research-and-approve", "2", "library", `{"depth":3}`, `{"theme":"dark"}`,
		`{"theme":"dark"}`, `{"color":"#336699","label":"Write it","x":10,"y":20}`, true,
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestForeign_enforced checks that what is enforced in recipes is in those documents, too.
func TestForeign_enforced(t *testing.T) {
	const text = `apiVersion: coreason.ai/v2
kind: RecipeDefinition
state: {persistence: redis}
topology:
  entry_point: start
  nodes: [{type: human, id: ask, prompt: "Go on?"}]
  edges: [{source: ask, target: phantom-node}]
`
	_, err := Parse([]byte(text), "foreign.yaml", Options{})
	const expected = `foreign.yaml:3:22: persistence redis is not configured: there is no store; give the runtime such a store and name its kind in Options.Stores, or write ephemeral, which takes any store
foreign.yaml:5:16: there is no node "start"; known are ask
foreign.yaml:7:33: the edge leads nowhere: there is no node "phantom-node"; known are ask`
	if err == nil {
		t.Fatal("it loads")
	}
	if diff := cmp.Diff(expected, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
