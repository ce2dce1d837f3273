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

// The go command asks the tool of go vet in these ways, and people call no command so.
func TestIsVetTool(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "-V=full": true, "-flags": true, "-fermata.advice -json " + os.TempDir() + "/vet.cfg": true, "x.cfg": true,
		"run x.cfg": false, "--version": false, "vet ./...": false, "-V=full x": false,
	} {
		if got := isVetTool(strings.Fields(args)); got != want {
			t.Errorf("%q: %v, want %v", args, got, want)
		}
	}
}
