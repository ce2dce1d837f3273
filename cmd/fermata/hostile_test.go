package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/printable"
)

// hostile acts in every way: it styles and hides what follows, clears the screen, sets the title and the clipboard, forges a
// line, turns the text, and has what nobody sees. Its first sequence is one that the command itself writes.
const hostile = "x⟪\x1b[31m⟪\x1b[8m\x1b[2J\x1b]0;t\x07\x1b]52;c;aGk=\x1b\\\u009b31m\r\nFORGED\t\u202egpj\u2066\u200f\u2028\u200b\u2060\ufeffy\x7f"

// hostileRecipe asks with hostile texts, and fails with one.
const hostileRecipe = `apiVersion: fermata/v1
kind: Recipe
metadata: {name: hostile, description: "d\e[2J\u202e"}
interface: {inputs: {x: {type: string}}}
topology:
  entry_point: ask
  nodes:
    - {type: human, id: ask, description: "n\e[2J\u202e", prompt: "p\e]0;t\a {{ x }} \u202e", inputs_map: {x: x}, response: {type: string, title: "t\e[2J", description: "d\u202e"}}
  edges: []
`

// hostileChoice gives a person hostile evidence and options, and then fails with what a program says.
const hostileChoice = `apiVersion: fermata/v1
kind: Recipe
metadata: {name: choice}
interface: {inputs: {x: {type: object}, t: {type: string}}}
topology:
  entry_point: pick
  nodes:
    - {type: human, id: pick, prompt: "{{ t }}", inputs_map: {x: x, t: t}, options: ["approve\nFORGED", "reject\e[8m hidden\u200b\e[31m"]}
    - {type: human, id: fields, prompt: "p", inputs_map: {x: x}, response: {type: object, properties: {"k\nFORGED\e[8m": {type: string, description: "d\nFORGED"}}}}
    - {type: agent, id: fail, agent_ref: fail, inputs_map: {t: t}, outputs_map: {o: result}}
  edges: [{source: pick, target: fields}, {source: fields, target: fail}]
agents:
  fail: {kind: exec, command: [sh, -c, "printf 'E\\033[8m\\nFORGED\\342\\200\\256\\302\\233' >&2; exit 3"]}
`

// own are the sequences that the command writes itself: its styles, and the drawing in place.
var own = regexp.MustCompile("\x1b\\[(1|2|31|32|33|36)?m|\x1b\\[\\?(25|2026)[hl]|\x1b\\[[JK]|\r\x1b\\[[0-9]+A")

// acts says what of an output would act, "" for nothing. A line that the arguments hold is the caller's own.
func acts(output string, args []string) string {
	around := func(i int) string {
		return strings.ToValidUTF8(output[max(0, i-30):min(len(output), i+30)], "?")
	}
	if i := strings.Index(output, "⟪\x1b["); i >= 0 {
		return fmt.Sprintf("a style that is not its own: %q", around(i))
	}
	output = own.ReplaceAllString(strings.ReplaceAll(output, "\r\n", "\n"), "")
	for line := range strings.SplitSeq(output, "\n") {
		if strings.HasPrefix(line, "FORGED") && !strings.Contains(strings.Join(args, " "), "\nFORGED") {
			return "a line that is forged"
		}
	}
	if i := strings.IndexFunc(output, func(r rune) bool { return (printable.Acts(r) || identity.IsInvisible(r)) && r != '\n' && r != '\t' }); i >= 0 {
		return fmt.Sprintf("what acts at: %q", around(i))
	}
	return ""
}

// leaves are all commands that do something, whatever is added to them.
func leaves(c *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	if c.Runnable() {
		list = append(list, c)
	}
	for _, sub := range c.Commands() {
		list = append(list, leaves(sub)...)
	}
	return list
}

// hostileFailure begins with a program that fails with what acts.
const hostileFailure = `apiVersion: fermata/v1
kind: Recipe
metadata: {name: failure, description: "d\e[2J\u202e\nFORGED"}
interface: {inputs: {t: {type: string}}}
topology:
  entry_point: fail
  nodes: [{type: agent, id: fail, agent_ref: fail, inputs_map: {t: t}, outputs_map: {o: result}}]
agents:
  fail: {kind: exec, command: [sh, -c, "printf 'E\\033[8m\\nFORGED\\342\\200\\256\\302\\233' >&2; exit 3"]}
`

// aHostileTest is beside hostileFailure, for those who run tests at each change.
const aHostileTest = `tests: [{name: "t\e[2J\u202e\nFORGED", inputs: {t: "i\e[2J\nFORGED"}, expect: {status: completed}}]
`

// sight is what has come to a command's outputs.
type sight struct {
	seen func() string // so far
	end  func() string // once the command has ended
}

// toPipe has a command write to what is no terminal.
func toPipe(m *Main) sight {
	var out lawtest.Log
	m.Stdout, m.Stderr = &out, &out
	return sight{out.String, out.String}
}

// TestH9_NoCommandShowsWhatActs: every command there is, with hostile arguments, flags, files and a store full of them,
// writes nothing that acts, neither on stdout nor on stderr, to a pipe with and without styles. On a terminal:
// TestH9_NoCommandShowsWhatActsOnATerminal.
func TestH9_NoCommandShowsWhatActs(t *testing.T) { shout(t, toPipe, true) }

// With styles the command tells its own sequences from those that somebody wrote.
func TestH9_NoStyledOutputShowsWhatActs(t *testing.T) {
	shout(t, func(m *Main) sight {
		variables := m.Getenv
		m.Getenv = func(name string) string {
			if name == "CLICOLOR_FORCE" {
				return "1"
			}
			return variables(name)
		}
		return toPipe(m)
	}, false)
}

// shout makes a store full of hostile texts and calls all commands on it, those that go on until they are stopped, too. look
// gives a command its outputs.
func shout(t *testing.T, look func(m *Main) sight, flags bool) {
	dir := t.TempDir()
	t.Chdir(dir)
	keep := map[string]string{
		"recipe.yaml": hostileRecipe, "choice.yaml": hostileChoice, "failure.yaml": hostileFailure, "failure.test.yaml": aHostileTest,
		"broken.yaml": "kind: recipe\nmetadata: {name: \"a\\e[2J\\u202e\"}\nnodes: [{type: \"h\\e[2J\", id: \"i\\u202e\"}]\n",
	}
	for name, text := range keep {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, choice, broken, store := filepath.Join(dir, "recipe.yaml"), filepath.Join(dir, "choice.yaml"), filepath.Join(dir, "broken.yaml"), filepath.Join(dir, "runs.db")
	calls, shown := 0, 0
	judge := func(output string, args []string) {
		t.Helper()
		if why := acts(output, args); why != "" {
			t.Errorf("fermata %q writes %s", args, why)
		}
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range left {
			if _, kept := keep[f.Name()]; !kept && !strings.HasPrefix(f.Name(), "runs.db") {
				_ = os.RemoveAll(filepath.Join(dir, f.Name()))
			}
		}
		calls, shown = calls+1, shown+len(output)
	}
	call := func(args ...string) string {
		t.Helper()
		m, _, _ := command(t)
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		m.Exit = func(int) {}
		out := look(m)
		m.Run(ctx, args)
		if ctx.Err() != nil {
			t.Errorf("fermata %q does not end by itself: shoutOn has those that do not", args)
		}
		output := out.end()
		judge(output, args)
		return output
	}
	// serve calls a command that goes on until it is stopped, which is when all is done with it.
	serve := func(with func(sees func(texts ...string)), args ...string) {
		t.Helper()
		m, _, _ := command(t)
		ctx, stop := context.WithCancel(t.Context())
		m.Exit = func(int) {}
		out, ended := look(m), make(chan struct{})
		go func() { defer close(ended); m.Run(ctx, args) }()
		with(func(texts ...string) {
			t.Helper()
			for _, text := range texts {
				eventually(func() bool { return strings.Contains(out.seen(), text) },
					func() { t.Errorf("fermata %q does not say %q, but: %q", args, text, out.seen()) })
			}
		})
		stop()
		<-ended
		judge(out.end(), args)
	}
	evidence, err := json.Marshal(map[string]any{hostile: 1, "a": map[string]string{hostile: hostile}, "b": []map[string]string{{hostile: hostile, "c": "1"}, {hostile: "2", "c": hostile}}})
	if err != nil {
		t.Fatal(err)
	}
	call("run", file, "--store", store, "--input", "x="+hostile, "--id", hostile)
	call("run", file, "--store", store, "--input", "x="+hostile, "--as", hostile)
	call("run", choice, "--store", store, "--input", "x="+string(evidence), "--input", "t="+hostile, "--id", "r3")
	call("run", choice, "--store", store, "--input", "x="+string(evidence), "--input", "t="+hostile, "--id", "r4", "--answer", "pick=approve\nFORGED", "--answer", "fields={}")
	call("run", choice, "--store", store, "--input", "x="+string(evidence), "--input", "t="+hostile, "--id", "r5", "--answer", "pick=approve\nFORGED")
	out := call("run", file, "--store", store, "--input", "x="+hostile, "--id", "r1", "--as", "ada", "--json")
	if !strings.Contains(out, `"paused"`) {
		t.Fatalf("the hostile run does not wait:\n%s", out)
	}
	call("run", file, "--store", store, "--input", "x="+hostile, "--id", "r2", "--answer", "ask="+hostile)
	arguments := [][]string{{}, {hostile}, {"r1"}, {"r2"}, {"r3"}, {"r4"}, {"r5"}, {"r1", "r2"}, {"r4", "r5"}, {file}, {broken}, {hostile, hostile}}
	task := ""
	for line := range strings.Lines(call("tasks", "ls", "--store", store, "--json")) {
		var q struct{ RequestID string }
		if json.Unmarshal([]byte(line), &q) == nil && q.RequestID != "" {
			task = q.RequestID
			arguments = append(arguments, []string{task})
		}
	}
	if len(arguments) < 15 {
		t.Fatalf("only these wait: %q", arguments)
	}
	shoutAtEach(t, store, task, arguments, flags, call)
	shoutOn(t, dir, store, serve)
	t.Logf("%d calls wrote %d bytes", calls, shown)
	if calls < 200 || shown < 10_000 {
		t.Errorf("%d calls wrote %d bytes: the test calls too little", calls, shown)
	}
}

// stays reports whether a command goes on until it is stopped.
func stays(c *cobra.Command) bool {
	return slices.Contains([]string{"fermata dev", "fermata work", "fermata serve", "fermata schedule run"}, c.CommandPath())
}

// shoutAtEach calls each command that ends by itself, with each of the arguments, and with each of its flags.
func shoutAtEach(t *testing.T, store, task string, arguments [][]string, flags bool, call func(args ...string) string) {
	t.Helper()
	m, _, _ := command(t)
	m.Stdout, m.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	m.Run(t.Context(), nil) // makes its screens
	for _, c := range leaves(m.rootCommand()) {
		if stays(c) || !flags && c.Name() == "vet" { // shoutOn has those that stay; vet looks at packages
			continue
		}
		path := strings.Fields(c.CommandPath())[1:]
		with := func(args ...string) []string {
			all := append(append([]string{}, path...), args...)
			if c.Flag("store") != nil {
				all = append(all, "--store", store)
			}
			return all
		}
		for _, args := range arguments {
			call(with(args...)...)
		}
		arg := "r1"
		if strings.Contains(c.Use, "TASK") {
			arg = task
		}
		if !flags {
			continue
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "store" || f.Name == "follow" || f.Name == "watch" { // shoutOn has the last two
				return
			}
			if f.Value.Type() == "bool" {
				call(with(arg, "--"+f.Name)...)
			} else {
				call(with(arg, "--"+f.Name+"="+hostile)...)
			}
		})
	}
}

// shoutOn calls the commands that go on until they are stopped, while what is hostile happens in the store and the files
// that they look at.
func shoutOn(t *testing.T, dir, store string, serve func(with func(sees func(texts ...string)), args ...string)) {
	quietly := func(args ...string) {
		t.Helper()
		m, _, _ := command(t)
		m.Exit = func(int) {}
		var out bytes.Buffer
		m.Stdout, m.Stderr = &out, &out
		if code := m.Run(t.Context(), append(args, "--store", store)); code != exitCompleted {
			t.Fatalf("fermata %q: %d\n%s", args, code, out.String())
		}
	}
	file, choice, failure := filepath.Join(dir, "recipe.yaml"), filepath.Join(dir, "choice.yaml"), filepath.Join(dir, "failure.yaml")
	queue := func(id string) {
		t.Helper()
		quietly("run", failure, "--input", "t="+hostile, "--id", id, "--detach")
	}
	for i, more := range [][]string{{}, {"--verbose"}, {"--json"}} {
		id := fmt.Sprint("w", i)
		queue(id)
		quietly("run", choice, "--input", "x={}", "--input", "t="+hostile, "--id", id+"c", "--detach")
		serve(func(sees func(...string)) { sees(id, "failed", id+"c", "paused") }, append([]string{"work", "--store", store}, more...)...)
	}
	for i, more := range [][]string{{}, {"--json"}} { // the run begins, and fails, while its events are followed
		id := fmt.Sprint("e", i)
		queue(id)
		serve(func(sees func(...string)) {
			sees("run.started")
			serveQuietly(t, store, func() { sees("node.failed", "run.finished") })
		}, append([]string{"events", id, "--follow", "--store", store}, more...)...)
	}
	change := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	broken := "kind: recipe\nmetadata: {name: \"a\\e[2J\\u202e\"}\nnodes: [{type: \"h\\e[2J\\nFORGED\", id: \"i\\u202e\"}]\n"
	for _, more := range [][]string{{}, {"--json"}, {"--run", "--input", "t=" + hostile, "--store", store}} {
		first := "stands in" // what the test says
		if len(more) > 1 {
			first = "exit code" // what the run says, without tests that fail
			if err := os.Remove(filepath.Join(dir, "failure.test.yaml")); err != nil {
				t.Fatal(err)
			}
		}
		serve(func(sees func(...string)) {
			sees(first)
			change(failure, broken)
			sees("entry_point")
		}, append([]string{"dev", failure}, more...)...)
		change(failure, hostileFailure)
	}
	for _, more := range [][]string{{}, {"--json"}} {
		serve(func(sees func(...string)) {
			sees("recipe.yaml")
			change(file, broken)
			sees("entry_point")
		}, append([]string{"validate", "--watch", file}, more...)...)
		change(file, hostileRecipe)
	}
}

// serveQuietly drives whatever nobody drives as long as do takes.
func serveQuietly(t *testing.T, store string, do func()) {
	t.Helper()
	m, _, _ := command(t)
	m.Exit = func(int) {}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- m.Run(ctx, []string{"work", "--store", store}) }()
	do()
	stop()
	<-ended
}
