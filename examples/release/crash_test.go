package release_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// counted is a program that calls inspect and writes down that it did.
func counted(t *testing.T) (program string, calls func() map[string]int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	program, log := filepath.Join(dir, "inspect"), filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >>'%s'\nexec '%s' \"$1\"\n", log, built.inspect)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, func() map[string]int {
		count := make(map[string]int)
		text, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for name := range strings.FieldsSeq(string(text)) {
			count[name]++
		}
		return count
	}
}

// explore crashes a release that is sent back once, at every n-th place; with FERMATA_EXPLORE at every one.
func explore(t *testing.T, n int, opts ...fermatatest.CrashOption) {
	t.Helper()
	if os.Getenv("FERMATA_EXPLORE") != "" {
		n = 1
	}
	repo := newRepository(t)
	repo.commit("Begin", "auth/readme.md", "one\n")
	repo.git("tag", "v1.0.0")
	repo.commit("feat!: break it", "auth/readme.md", "two\n")
	program, calls := counted(t)
	r := loadWith(t, program)
	out := filepath.Join(t.TempDir(), "notes.md")
	input := func() any {
		in, err := r.Input(map[string]any{"repo": repo.dir, "out": out, "threshold": 40})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	opts = append([]fermatatest.CrashOption{
		fermatatest.Answers(map[string][]any{"review": {"send back", "approve"}, "note": {"Once more, please."}}),
		fermatatest.Effects(calls),
		fermatatest.Before(func() {
			if err := os.RemoveAll(out); err != nil {
				t.Error(err)
			}
		}),
		fermatatest.Every(n), fermatatest.Within(time.Minute),
	}, opts...)
	report := fermatatest.Crash(t, r.Plan(), input, opts...)
	if report.Result.Status != fermata.Completed || !strings.Contains(string(report.Result.Output), `"decision":"approved"`) {
		t.Errorf("without a crash: %s with %s, %v", report.Result.Status, report.Result.Output, report.Result.Err)
	}
	if report.Crashes < len(report.Appends)/n {
		t.Errorf("only %d crashes in %d appends", report.Crashes, len(report.Appends))
	}
	notes, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(notes), "Sent back: Once more, please.") {
		t.Errorf("the notes after the last crash: %q, %v", notes, err)
	}
	t.Logf("%d appends, %d crashes", len(report.Appends), report.Crashes)
}

// TestJ5_ACrashAnywhere stops the engine before and after what it stores, at every third place. Every release ends alike, and no program is
// called again whose answer was recorded.
func TestJ5_ACrashAnywhere(t *testing.T) {
	t.Parallel()
	explore(t, 3)
}

// TestJ5_ACrashAnywhereOnSQLite does so on a store that is closed and opened again.
func TestJ5_ACrashAnywhereOnSQLite(t *testing.T) {
	t.Parallel()
	explore(t, 16, fermatatest.On(func(dir string) (journal.Store, error) {
		return sqlite.Open(filepath.Join(dir, "runs.db"))
	}))
}
