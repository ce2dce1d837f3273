package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// Questions of a program's runs are answered with the command, which does not offer to go on with them: it does not
// have their graphs.
func TestAnswersToAProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	task := asked(t, path)
	m, stdout, stderr := command(t)
	run := func(args ...string) string {
		t.Helper()
		stdout.Reset()
		stderr.Reset()
		if code := m.Run(t.Context(), append(args, "--store", path)); code != exitCompleted {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return stdout.String() + stderr.String()
	}
	want := "fermata tasks answer " + task + " --value true --role chief --store " + path
	for _, args := range [][]string{{"tasks", "show", task}, {"runs", "show", "run_1"}} {
		lines := strings.Split(strings.TrimSpace(run(args...)), "\n")
		if diff := cmp.Diff(want, strings.TrimSpace(lines[len(lines)-1])); diff != "" {
			t.Errorf("%v (-want +got):\n%s", args, diff)
		}
	}
	got := run("tasks", "answer", task, "--value", "true", "--role", "chief")
	if diff := cmp.Diff("answered "+task+": true\n", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// asked keeps run_1, which asks a chief, and returns its question.
func asked(t *testing.T, path string) string {
	t.Helper()
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	g := graph.Of("trip", func(ctx node.Context, far bool) (bool, error) {
		return node.Interrupt[bool](ctx, far, node.Prompt("Go?"), node.Role("chief"))
	}).MustCompile()
	run, err := g.Start(t.Context(), rt, true, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return res.Interrupts[0].ID
}
