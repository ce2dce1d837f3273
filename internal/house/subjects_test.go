package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// CI checks the subjects of the commits after a given one, and nothing where that commit is absent.
func TestCommitSubjectsAreChecked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip(".ci/subjects is a shell script")
	}
	script, err := filepath.Abs("../../.ci/subjects")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	commit := func(subject string) string {
		t.Helper()
		args := []string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--allow-empty", "--message", subject}
		if out, err := git(dir, args...); err != nil {
			t.Fatal(err, out)
		}
		hash, err := git(dir, "rev-parse", "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(hash)
	}
	check := func(since string) (string, bool) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), script, since)
		cmd.Dir = dir
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	if out, err := git(dir, "init", "--quiet"); err != nil {
		t.Skipf("git: %v %s", err, out)
	}
	before := commit(strings.Repeat("x", 73))
	short := commit(strings.Repeat("ä", 72))
	if out, ok := check(before); !ok || out != "" {
		t.Errorf("a subject of 72 characters: %q, %v", out, ok)
	}
	if out, ok := check(strings.Repeat("a", 40)); !ok || out != "" {
		t.Errorf("a clone without the commit: %q, %v", out, ok)
	}
	commit(strings.Repeat("x", 73))
	if out, ok := check(short); ok || !strings.Contains(out, "73 characters") {
		t.Errorf("a subject of 73 characters: %q, %v", out, ok)
	}
}
