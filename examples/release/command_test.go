package release_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// terminal is somebody who types commands, with a home of their own. There is no terminal behind it: nothing is asked.
type terminal struct {
	t   *testing.T
	dir string // where they are
	env []string
}

func newTerminal(t *testing.T, dir string) *terminal {
	t.Helper()
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "USER=ann", "PWD="+dir)
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // of the real home: go run compiles only what is new
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return &terminal{t, dir, env}
}

func (m *terminal) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(background(m.t), built.fermata, args...)
	cmd.Dir, cmd.Env = m.dir, m.env
	return cmd
}

// run runs fermata and returns what it writes to stdout, line by line, and its exit code.
func (m *terminal) run(args ...string) (lines []string, code int) {
	m.t.Helper()
	cmd := m.command(args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		m.t.Fatal(err)
	}
	m.t.Logf("fermata %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	return strings.Split(strings.TrimSpace(string(out)), "\n"), code
}

// result is the last line that --json writes.
type result struct {
	Type       string         `json:"type"`
	Run        string         `json:"run"`
	Status     string         `json:"status"`
	Outputs    map[string]any `json:"outputs"`
	Interrupts []struct {
		RequestID string `json:"requestId"`
	} `json:"interrupts"`
	Error any `json:"error"`
}

func (m *terminal) result(want int, args ...string) result {
	m.t.Helper()
	lines, code := m.run(append(args, "--json")...)
	if code != want {
		m.t.Fatalf("exit code %d, want %d", code, want)
	}
	var r result
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil || r.Type != "result" {
		m.t.Fatalf("expected a result at the end, found %s: %v", lines[len(lines)-1], err)
	}
	return r
}

// here is the folder of the recipe.
func here(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCommand runs the recipe as it is, from elsewhere, on a repository beside.
func TestCommand(t *testing.T) {
	t.Parallel()
	repo := risky(t)
	m := newTerminal(t, filepath.Dir(repo.dir))
	got := m.result(0, "run", here(t), "--input", "repo=shop", "--answer", "review=send back", "--answer", "note=Why?",
		"--answer", "review=approve")
	want := map[string]any{
		"decision": "approved", "risk": "high", "notes_file": filepath.Join(repo.dir, "dist", "release-notes.md"),
		"summary": "approved: 2 commits by Ann since v1.0.0; risk high, 110 points",
	}
	if diff := cmp.Diff(want, got.Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if got := m.result(0, "run", here(t), "--input", "repo="+repo.dir, "--answer", "review=reject"); got.Outputs["decision"] != "rejected" {
		t.Errorf("outputs: %v", got.Outputs)
	}
	if got := m.result(1, "run", here(t), "--input", "repo=nowhere"); got.Status != "failed" {
		t.Errorf("a folder that is not there: %+v", got)
	}
}

// TestCommandDefault looks at the repository that the recipe is in, wherever it is run.
func TestCommandDefault(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	copyTo(t, repo.dir)
	repo.commit("docs: begin", "go.mod", "module example.org/shop\n\ngo 1.26\n")
	m := newTerminal(t, t.TempDir())
	got := m.result(0, "run", filepath.Join(repo.dir, "examples", "release"), "--input", "threshold=1000")
	want := map[string]any{
		"decision": "passed", "risk": "low", "notes_file": filepath.Join(repo.dir, "dist", "release-notes.md"),
		"summary": got.Outputs["summary"],
	}
	if diff := cmp.Diff(want, got.Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

// copyTo copies the recipe and its program, without tests, to examples/release of a repository.
func copyTo(t *testing.T, root string) {
	t.Helper()
	files, err := filepath.Glob("inspect/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "recipe.yaml") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, "examples", "release", name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCommandWaits leaves the question, and answers it from another process.
func TestCommandWaits(t *testing.T) {
	t.Parallel()
	repo := risky(t)
	m := newTerminal(t, t.TempDir())
	paused := m.result(4, "run", here(t), "--input", "repo="+repo.dir, "--no-input")
	if paused.Status != "paused" || len(paused.Interrupts) != 1 {
		t.Fatalf("expected one question, got %+v", paused)
	}
	id := paused.Interrupts[0].RequestID
	if _, code := m.run("tasks", "answer", id, "--value", `"perhaps"`); code == 0 {
		t.Error("an answer that is no option was taken")
	}
	got := m.result(0, "tasks", "answer", id, "--value", `"approve"`, "--resume")
	if got.Run != paused.Run || got.Outputs["decision"] != "approved" {
		t.Errorf("got %+v", got)
	}
	if _, code := m.run("tasks", "answer", id, "--value", `"reject"`); code != 7 {
		t.Errorf("another answer to the same question: exit code %d, want 7", code)
	}
}

// TestCommandIsKilled kills the process while it looks at the repository, and goes on in another one: what was found
// stays.
func TestCommandIsKilled(t *testing.T) {
	t.Parallel()
	repo := risky(t)
	m := newTerminal(t, t.TempDir())
	for _, at := range []string{"commits#1", "changes#1", "classify#1"} {
		run := m.killAfter(at, "run", here(t), "--input", "repo="+repo.dir, "--no-input", "--json")
		got := m.result(0, "resume", run, "--answer", "review=approve")
		if got.Outputs["decision"] != "approved" {
			t.Errorf("killed after %s: %+v", at, got)
		}
		lines, _ := m.run("events", run, "--json")
		var finished []string
		for _, line := range lines {
			if e := event(t, line); e.Type == "node.finished" {
				finished = append(finished, e.Task)
			}
		}
		want := look + " evidence#1 review#1 decide#1 write#1"
		if got := strings.Join(finished, " "); got != want {
			t.Errorf("killed after %s: these tasks finished: %s\nwant %s", at, got, want)
		}
	}
}

type envelope struct {
	Type string `json:"type"`
	Task string `json:"task"`
	Run  string `json:"run"`
}

func event(t *testing.T, line string) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return e
}

// killAfter kills fermata once a task has finished, and returns the run's id.
func (m *terminal) killAfter(task string, args ...string) string {
	m.t.Helper()
	cmd := m.command(args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	var seen []string
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		e := event(m.t, lines.Text())
		seen = append(seen, e.Type+" "+e.Task)
		if e.Type != "node.finished" || e.Task != task {
			continue
		}
		if err := cmd.Process.Kill(); err != nil {
			m.t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			m.t.Error("fermata was killed and ended well")
		}
		return e.Run
	}
	m.t.Fatalf("%s did not finish: %s, %v", task, seen, cmd.Wait())
	return ""
}
