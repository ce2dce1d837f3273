package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
)

// turn is what somebody does when the run asks.
type turn struct {
	node   string
	before func() // what happens to the repository meanwhile
	answer any
}

// told is a run as it went: its result, the tasks that finished, and what was asked.
type told struct {
	fermata.Result
	outputs map[string]any
	tasks   []string
	asked   []fermata.Interrupt
}

// tell runs the recipe to its end, or to the first question that nobody answers.
func tell(t *testing.T, inputs map[string]any, turns ...turn) told {
	t.Helper()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := load(t)
	start, err := r.Input(inputs)
	if err != nil {
		t.Fatal(err)
	}
	ctx := background(t)
	run, err := rt.Start(ctx, r.Plan(), start)
	if err != nil {
		t.Fatal(err)
	}
	var out told
	for {
		if out.Result, err = run.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		out.asked = append(out.asked, out.Interrupts...)
		if out.Status != fermata.Paused || len(turns) == 0 {
			break
		}
		next := turns[0]
		turns = turns[1:]
		q := out.Interrupts[0]
		if node, _, _ := strings.Cut(q.Task, "#"); node != next.node {
			t.Fatalf("%s asks; expected %s", q.Task, next.node)
		}
		if next.before != nil {
			next.before()
		}
		if err := rt.Answer(ctx, q.ID, next.answer, fermata.AsRole(q.Role)); err != nil {
			t.Fatal(err)
		}
	}
	for ev, err := range rt.Events(ctx, run.ID(), 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Entry.Kind == journal.NodeFinished {
			out.tasks = append(out.tasks, ev.Task())
		}
	}
	if len(turns) > 0 {
		t.Errorf("nobody asked for %d answers: %v", len(turns), out.Err)
	}
	if out.Status == fermata.Completed {
		if err := json.Unmarshal(out.Output, &out.outputs); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// look is the way to the gate.
const look = "commits#1 changes#1 vet#1 modules#1 classify#1 gate#1"

func TestApprove(t *testing.T) {
	repo := risky(t)
	got := tell(t, map[string]any{"repo": repo.dir}, turn{node: "review", answer: "approve"})
	file := filepath.Join(repo.dir, "dist", "release-notes.md")
	want := map[string]any{
		"decision": "approved", "risk": "high", "notes_file": file,
		"summary": "approved: 2 commits by Ann since v1.0.0; risk high, 60 points",
	}
	if diff := cmp.Diff(want, got.outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if tasks := strings.Join(got.tasks, " "); tasks != look+" evidence#1 review#1 decide#1 write#1" {
		t.Errorf("tasks: %s", tasks)
	}
	notes, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "approved.golden.md", string(notes))
	golden(t, "question.golden", shown(t, got.asked[0]))
}

// shown is a question with its evidence.
func shown(t *testing.T, q fermata.Interrupt) string {
	t.Helper()
	var evidence any
	if err := json.Unmarshal(q.Request, &evidence); err != nil {
		t.Fatal(err)
	}
	return q.Prompt + "\n" + indented(t, evidence) + strings.Join(q.Options, " | ") + "\n"
}

func TestReject(t *testing.T) {
	repo := risky(t)
	got := tell(t, map[string]any{"repo": repo.dir}, turn{node: "review", answer: "reject"})
	want := map[string]any{
		"decision": "rejected", "risk": "high", "notes_file": "",
		"summary": "rejected: 2 commits by Ann since v1.0.0; risk high, 60 points",
	}
	if diff := cmp.Diff(want, got.outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if tasks := strings.Join(got.tasks, " "); tasks != look+" evidence#1 review#1 decide#1" {
		t.Errorf("tasks: %s", tasks)
	}
	if _, err := os.Stat(filepath.Join(repo.dir, "dist")); !os.IsNotExist(err) {
		t.Errorf("a release that was rejected left something behind: %v", err)
	}
}

// TestSendBack sends a release back twice. Each time the repository is read again; what was said stays in sight, and a
// release that was sent back is asked about whatever the risk is now.
func TestSendBack(t *testing.T) {
	repo := risky(t)
	got := tell(
		t, map[string]any{"repo": repo.dir},
		turn{node: "review", answer: "send back"},
		turn{node: "note", answer: "Where are the tests?", before: func() {
			repo.commit("test: the factors", "auth/auth_test.go", "package auth\n")
		}},
		turn{node: "review", answer: "send back"},
		turn{node: "note", answer: "Tag it first,\nplease", before: func() {
			repo.git("tag", "v1.1.0")
			repo.commit("docs: say it", "readme.md", "shop\n")
		}},
		turn{node: "review", answer: "approve"},
	)
	want := map[string]any{
		"decision": "approved", "risk": "high", "notes_file": filepath.Join(repo.dir, "dist", "release-notes.md"),
		"summary": "approved: 1 commit by Ann since v1.1.0; risk high, 50 points",
	}
	if diff := cmp.Diff(want, got.outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	tasks := strings.Join(got.tasks, " ")
	for _, task := range []string{"commits#3", "vet#3", "review#3", "note#2", "remember#2", "write#1"} {
		if !strings.Contains(tasks, task) {
			t.Errorf("%s did not run: %s", task, tasks)
		}
	}
	var reviews []string
	for _, q := range got.asked {
		if strings.HasPrefix(q.Task, "review") {
			reviews = append(reviews, q.Prompt)
		}
	}
	golden(t, "reviews.golden", strings.Join(reviews, "\n---\n"))
	notes, err := os.ReadFile(filepath.Join(repo.dir, "dist", "release-notes.md"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sent-back.golden.md", string(notes))
}

func TestNobodyIsAsked(t *testing.T) {
	repo := calm(t)
	got := tell(t, map[string]any{"repo": repo.dir, "out": "NOTES.md"})
	want := map[string]any{
		"decision": "passed", "risk": "low", "notes_file": filepath.Join(repo.dir, "NOTES.md"),
		"summary": "passed: 1 commit by Ann since v1.0.0; risk low, 0 points",
	}
	if diff := cmp.Diff(want, got.outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if tasks := strings.Join(got.tasks, " "); tasks != look+" decide#1 write#1" {
		t.Errorf("tasks: %s", tasks)
	}
	// Whoever wants to be asked always says so.
	got = tell(t, map[string]any{"repo": repo.dir, "threshold": 0})
	if got.Status != fermata.Paused || !strings.HasPrefix(got.asked[0].Prompt, "Release shop?") {
		t.Errorf("with threshold 0: %s, %v", got.Status, got.Err)
	}
}

func TestNothingToRelease(t *testing.T) {
	repo := calm(t)
	repo.git("tag", "v1.1.0")
	got := tell(t, map[string]any{"repo": repo.dir})
	want := map[string]any{
		"decision": "nothing to release", "risk": "none", "notes_file": "", "summary": "Nothing was committed since the last tag.",
	}
	if diff := cmp.Diff(want, got.outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if tasks := strings.Join(got.tasks, " "); tasks != "commits#1" {
		t.Errorf("tasks: %s", tasks)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	plain := filepath.Join(dir, "plain")
	if err := os.Mkdir(plain, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		inputs map[string]any
		want   string
	}{
		{map[string]any{"repo": plain}, plain + " is not in a git repository; expected one, as in --input repo=PATH"},
		{map[string]any{"repo": newRepository(t).dir}, "has no commit yet: there is nothing to release"},
		{map[string]any{"repo": filepath.Join(dir, "nowhere")}, "there is no folder " + filepath.Join(dir, "nowhere")},
		{map[string]any{"repo": calm(t).dir, "since": "v9"}, `since is "v9"; expected a tag, branch or commit of`},
		{map[string]any{"repo": calm(t).dir, "out": "../x"}, `out is "../x", which leads out of`},
		{map[string]any{"repo": calm(t).dir, "out": "readme.md"}, "was not written here and is not replaced"},
	} {
		got := tell(t, tc.inputs)
		if got.Status != fermata.Failed || got.Err == nil || !strings.Contains(got.Err.Error(), tc.want) {
			t.Errorf("%v: got %s, %v\nwant %s", tc.inputs, got.Status, got.Err, tc.want)
		}
	}
}

// TestH4_Escalation lets the deadlines pass: a release manager is asked, and then nothing is released.
func TestH4_Escalation(t *testing.T) {
	clock := fermatatest.NewClock(time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC))
	rt, err := fermata.New(fermata.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := load(t)
	start, err := r.Input(map[string]any{"repo": risky(t).dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx := background(t)
	run, err := rt.Start(ctx, r.Plan(), start)
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil || res.Status != fermata.Paused || res.Interrupts[0].Role != "" {
		t.Fatalf("%s, %v, %v", res.Status, res.Err, err)
	}
	const day = 24 * time.Hour
	clock.Advance(3 * day)
	roleIs(t, rt, run.ID(), "release-manager")
	if err := rt.Answer(ctx, res.Interrupts[0].ID, "approve"); err == nil {
		t.Error("anyone could answer what a release manager was asked")
	}
	clock.Advance(4 * day)
	for res.Status == fermata.Paused {
		if res, err = run.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if res.Status != fermata.Completed || !strings.Contains(string(res.Output), `"decision":"rejected"`) {
		t.Errorf("after a week: %s, %s, %v", res.Status, res.Output, res.Err)
	}
}

// roleIs waits until the run's question is for a role.
func roleIs(t *testing.T, rt *fermata.Runtime, run, role string) {
	t.Helper()
	ctx := background(t)
	for ev, err := range rt.Events(ctx, run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Entry.Kind != journal.InterruptUpdated {
			continue
		}
		list, err := rt.Inbox(ctx, journal.InboxFilter{Run: run, Role: role})
		if err != nil || len(list) != 1 {
			t.Fatalf("expected one question for %s, got %v, %v", role, list, err)
		}
		return
	}
}

// TestEvidence shows what was found: each finding, each replaced requirement, and what git does not know of.
func TestEvidence(t *testing.T) {
	repo := newRepository(t)
	repo.commit("Begin", "go.mod", "module example.org/shop/v2\n\ngo 1.22\n\nrequire example.org/dep v1.0.0\n\nreplace example.org/dep => ./dep\n",
		"dep/go.mod", "module example.org/dep\n", "dep/dep.go", "package dep\n", "shop.go", "package shop\n\nvar Total = missing\n")
	if err := os.WriteFile(filepath.Join(repo.dir, "go.mod"), []byte("module example.org/shop/v2\n\ngo 1.22\n\n"+
		"require example.org/dep v1.0.0\n\nreplace example.org/dep => ./dep\n\n// not committed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := tell(t, map[string]any{"repo": filepath.Join(repo.dir, "dep"), "sensitive": []any{"dep"}, "threshold": 120})
	if got.Status != fermata.Paused {
		t.Fatalf("%s, %v", got.Status, got.Err)
	}
	golden(t, "evidence.golden", shown(t, got.asked[0]))
}
