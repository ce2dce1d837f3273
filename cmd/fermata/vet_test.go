package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vetted runs fermata vet at the root of the module, as somebody who works there does.
func vetted(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "fermata", append([]string{"vet"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// Findings come through the go command, which takes this program for the tool of go vet: sorted, each once though a package
// and its tests are vetted, and with an exit code that advice does not change.
func TestN1_Vet(t *testing.T) {
	out, said, code := vetted(t, "--json", "./vet/testdata/fixes", "./vet/testdata/pauses")
	if code != exitInvalid || said != "" {
		t.Fatalf("exit code %d: %s", code, said)
	}
	type place struct {
		Line           int
		Severity, Rule string
		Fix            string
	}
	var got []place
	for line := range strings.Lines(out) {
		var f vetFinding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(f.File, filepath.Join("vet", "testdata")) || f.Column == 0 || !strings.Contains(f.Message, "law") {
			t.Errorf("found %+v", f)
		}
		got = append(got, place{f.Line, f.Severity, f.Rule, f.Fix})
	}
	want := []place{
		{19, vetError, "effect", "make it in a node.Step"},
		{22, vetError, "effect", "make it in a node.Step"},
		{31, vetError, "time", "ask the clock of the run"},
		{32, vetError, "time", "wait with node.Sleep"},
		{13, vetError, "time", "wait with node.Sleep"},
		{21, vetAdvice, "time", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	out, _, code = vetted(t, "./vet/testdata/fixes")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if last := lines[len(lines)-1]; code != exitInvalid || last != "4 errors, --fix mends 4" || !strings.HasPrefix(lines[0], "vet/testdata/fixes/fixes.go:19:21: os.Rename ") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if out, said, code = vetted(t, "./vet/testdata/clean"); code != exitCompleted || out != "✓ ./vet/testdata/clean  nothing found\n" && out != "ok ./vet/testdata/clean  nothing found\n" {
		t.Errorf("exit code %d:\n%s%s", code, out, said)
	}
}

func TestVet_WhatDoesNotCompile(t *testing.T) {
	if _, said, code := vetted(t, "./nosuchfolder"); code != exitInvalid || !strings.Contains(said, "nosuchfolder") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if _, said, code := vetted(t, "--", "-x"); code != exitUsage || !strings.Contains(said, `expected a package, found "-x"`) {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// A module that requires Fermata is vetted by the analyzer itself, without a network and without a line in go.sum for what
// only the analyzer imports; --fix mends its files and no other.
func TestN1_VetOfAModuleOfUsers(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	read := func(names ...string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(names...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var sums []string
	for line := range strings.Lines(read(root, "go.sum")) {
		if !strings.HasPrefix(line, "golang.org/x/tools ") {
			sums = append(sums, line)
		}
	}
	mod := strings.Replace(read(root, "go.mod"), "module github.com/fermata-go/fermata", "module example.org/user", 1)
	mod, _, _ = strings.Cut(mod, "\ntool ")
	files := map[string]string{
		"go.mod": mod + "\nrequire github.com/fermata-go/fermata v0.0.0\n\nreplace github.com/fermata-go/fermata => " + root + "\n",
		"go.sum": strings.Join(sums, ""),
		"user.go": `package user

import (
	"os"

	"github.com/fermata-go/fermata/node"
)

func Approve(ctx node.Context, file string) (string, error) {
	if err := os.Remove(file); err != nil {
		return file, err
	}
	_, err := node.Interrupt[bool](ctx, file)
	return file, err
}
`,
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vet := func(want int, says string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "fermata", append([]string{"vet"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=")
		said, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want || !strings.Contains(string(said), says) {
			t.Errorf("fermata vet %s: exit code %d, want %d and %q:\n%s", strings.Join(args, " "), code, want, says, said)
		}
	}
	vet(exitInvalid, "user.go:10:21: os.Remove happens again")
	vet(exitCompleted, "nothing found", "--fix", "./...")
	if fixed := read(dir, "user.go"); !strings.Contains(fixed, "node.Step") {
		t.Errorf("--fix left\n%s", fixed)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if got := read(dir, name); got != files[name] {
			t.Errorf("vet changed %s to\n%s", name, got)
		}
	}
}
