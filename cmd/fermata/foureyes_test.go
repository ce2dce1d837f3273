package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const foureyesRecipe = `apiVersion: fermata/v1
kind: Recipe
metadata: {name: pay}
topology:
  entry_point: ask
  nodes:
    - {type: human, id: ask, prompt: "Pay?", four_eyes: true, response: {type: boolean}}
  edges: []
`

// No command names whoever may not answer, in any of its forms: only what tells who started the run does, and that is what audit is for.
func TestH6_NoCommandNamesWhoMayNotAnswer(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	store, file := filepath.Join(dir, "runs.db"), filepath.Join(dir, "pay.yaml")
	if err := os.WriteFile(file, []byte(foureyesRecipe), 0o600); err != nil {
		t.Fatal(err)
	}
	const starter = "samwhostarted"
	seen := 0
	call := func(args ...string) (said string) {
		m, stdout, stderr := command(t)
		m.Exit = func(int) {}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		m.Run(ctx, append(args, "--store", store))
		if ctx.Err() != nil {
			t.Errorf("fermata %q does not end by itself", args)
		}
		said = stdout.String() + stderr.String()
		for line := range strings.SplitSeq(said, "\n") {
			tellsStart := strings.Contains(line, "run.started") || strings.Contains(line, "run.resumed")
			if !strings.Contains(line, starter) || tellsStart || strings.Contains(strings.Join(args, " "), starter) {
				continue
			}
			t.Errorf("fermata %q names who may not answer: %s", args, line)
		}
		seen += len(said)
		return said
	}
	call("run", file, "--id", "r1", "--as", starter, "--json")
	task := ""
	for word := range strings.FieldsSeq(call("tasks", "ls")) {
		if strings.HasPrefix(word, "int_") {
			task = word
		}
	}
	call("tasks", "answer", task, "--value", "true", "--as", "ada") // and forks ask it again
	m, _, _ := command(t)
	m.Run(t.Context(), []string{"version"})
	for _, c := range leaves(m.rootCommand()) {
		if c.Flag("store") == nil || stays(c) || c.Name() == "export" || c.Name() == "answer" || c.Name() == "audit" {
			continue
		}
		path := strings.Fields(c.CommandPath())[1:]
		for _, arg := range []string{"", "r1", task} {
			args := append([]string{}, path...)
			if arg != "" {
				args = append(args, arg)
			}
			call(args...)
			for _, flag := range []string{"json", "verbose", "all", "diagram"} {
				if c.Flag(flag) != nil && c.Flag(flag).Value.Type() == "bool" {
					call(append(args, "--"+flag)...)
				}
			}
		}
	}
	if seen < 3000 {
		t.Errorf("the commands wrote %d bytes: the test calls too little", seen)
	}
}
