package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	pageBlock = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?\n)```$")
	pageFile  = regexp.MustCompile(`^# (\S+\.yaml)\n`)
	pageCode  = regexp.MustCompile(`  # exit code (\d)$`)
)

// TestTheTutorialRuns executes docs/tutorial/recipe.md: blocks of yaml are written to the file that they name, those of sh are typed
// line by line, and one of text is what the last line has written.
func TestTheTutorialRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its commands are written for a POSIX shell")
	}
	page, err := os.ReadFile("../../docs/tutorial/recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, wrote, typed, shown := t.TempDir(), "", 0, 0
	for _, m := range pageBlock.FindAllStringSubmatch(string(page), -1) {
		switch kind, text := m[1], m[2]; kind {
		case "yaml":
			name := pageFile.FindStringSubmatch(text)
			if name == nil {
				t.Fatalf("a block of yaml does not begin with the name of its file:\n%s", text)
			}
			saved(t, filepath.Join(dir, name[1]), text)
		case "sh":
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				wrote = types(t, dir, line)
				typed++
			}
		case "text":
			if diff := cmp.Diff(text, wrote); diff != "" {
				t.Errorf("the page does not show what is written (-page +written):\n%s", diff)
			}
			shown++
		default:
			t.Errorf("a block of %s: expected yaml, sh or text", kind)
		}
	}
	if typed < 20 || shown < 2 {
		t.Errorf("only %d commands were typed, and %d outputs compared: are the blocks still found?", typed, shown)
	}
}

// types types a line and returns what it has written to its standard output.
func types(t *testing.T, dir, line string) string {
	t.Helper()
	want := "0"
	if m := pageCode.FindStringSubmatch(line); m != nil {
		want = m[1]
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, ".state"), "USER=ann", "NO_COLOR=1"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	if got := cmd.ProcessState.String(); got != "exit status "+want {
		t.Fatalf("%s: %s, want %s\n%s%s", line, got, want, &stdout, &stderr)
	}
	t.Logf("$ %s\n%s%s", line, &stdout, &stderr)
	return stdout.String()
}
