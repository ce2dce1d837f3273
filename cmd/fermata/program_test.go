package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// Questions of a program's runs are answered with the command, which does not offer to go on with them: it does not
// have their graphs.
func TestAnswersToAProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	task := asked(t, path, node.Role("chief")).ID
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

// asked keeps run_1, which asks a question with these options, and returns it, with its token where it has one.
func asked(t *testing.T, path string, opts ...node.AskOption) fermata.Interrupt {
	t.Helper()
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, store)
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, rt)
	g := graph.Of("trip", func(ctx node.Context, far bool) (bool, error) {
		return node.Interrupt[bool](ctx, far, append(opts, node.Prompt("Go?"))...)
	}).MustCompile()
	run, err := g.Start(t.Context(), rt, true, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return res.Interrupts[0]
}

// closeIt closes what the command is to open after it.
func closeIt(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is said of a program's run works: no command is offered that would fail, and an answer with --resume is recorded.
func TestJ11_HintsForRunsOfProgramsWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	task := asked(t, path).ID
	m, stdout, stderr := command(t)
	said := func(want int, args ...string) string {
		t.Helper()
		stdout.Reset()
		stderr.Reset()
		if code := m.Run(t.Context(), append(args, "--store", path)); code != want {
			t.Errorf("%q: exit code %d, expected %d: %s", args, code, want, stderr)
		}
		return strings.Join(strings.Fields(stdout.String()+stderr.String()), " ")
	}
	if got := said(exitConflict, "resume", "--check", "run_1"); !strings.Contains(got, "cannot here") || !strings.Contains(got, "only that program can resume it") {
		t.Errorf("resume --check: %s", got)
	}
	if got := said(exitConflict, "tasks", "answer", task, "--value", "true", "--resume"); !strings.Contains(got, "answered "+task) ||
		!strings.Contains(got, "the answer is stored, and nothing is left to do here") || !strings.Contains(got, "the program that started it") {
		t.Errorf("tasks answer --resume: %s", got)
	}
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := store.Runs(t.Context(), journal.RunFilter{ID: "run_1"})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	row, head := rows[0], rows[0].Head
	row.Status, row.Error = string(fermata.Blocked), "set aside for a test"
	at := row.Updated + 1
	if err := store.Append(t.Context(), journal.Batch{Run: "run_1", After: head, Row: &row, Entries: []journal.Entry{{
		Seq: head + 1, At: at, Kind: journal.RunBlocked, Body: []byte(`{"code":"takeovers","error":"set aside for a test"}`),
	}}}); err != nil {
		t.Fatal(err)
	}
	closeIt(t, store)
	if got := said(exitCompleted, "runs", "show", "run_1"); strings.Contains(got, "runs retry") || !strings.Contains(got, "Retry of its graph") {
		t.Errorf("runs show: %s", got)
	}
	if got := said(exitCompleted, "trace", "run_1"); !strings.Contains(got, "set aside for a test") {
		t.Errorf("trace: %s", got)
	}
}
