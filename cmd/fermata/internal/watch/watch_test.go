package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sees waits until all paths have been told of, in one change or several, and checks that no others were.
func sees(t *testing.T, changes <-chan []string, paths ...string) {
	t.Helper()
	slices.Sort(paths)
	var told []string
	for !slices.Equal(told, paths) {
		select {
		case changed := <-changes:
			for _, path := range changed {
				if !slices.Contains(paths, path) {
					t.Errorf("%s is told of; expected %v", path, paths)
				}
			}
			told = append(told, changed...)
			slices.Sort(told)
			told = slices.Compact(told)
		case <-time.After(2 * time.Minute):
			t.Fatalf("only %v is told of; expected %v", told, paths)
		}
	}
}

func TestStart(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"recipe.yaml", "parts/inner.yaml", "notes.txt", ".git/config.yaml", "runs.db"} {
		write(t, at(name), "one")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	changes := Start(ctx, dir)

	// In place, and what is no recipe's or is hidden is left out.
	write(t, at("notes.txt"), "two!")
	write(t, at(".git/config.yaml"), "two!")
	write(t, at("runs.db"), "two!")
	write(t, at("recipe.yaml"), "two!")
	sees(t, changes, at("recipe.yaml"))

	// As editors do it: another file is written and takes its place.
	write(t, at("recipe.yaml~"), "three")
	if err := os.Rename(at("recipe.yaml~"), at("recipe.yaml")); err != nil {
		t.Fatal(err)
	}
	sees(t, changes, at("recipe.yaml"))

	// In folders below, also in those that were not there.
	write(t, at("parts/inner.yaml"), "three")
	sees(t, changes, at("parts/inner.yaml"))
	write(t, at("new/deep/other.yaml"), "one")
	sees(t, changes, at("new/deep/other.yaml"))
	write(t, at("new/deep/other.yaml"), "two!")
	sees(t, changes, at("new/deep/other.yaml"))

	// What is gone has changed, and so has what comes back.
	if err := os.Remove(at("recipe.yaml")); err != nil {
		t.Fatal(err)
	}
	sees(t, changes, at("recipe.yaml"))
	write(t, at("recipe.yaml"), "back again")
	sees(t, changes, at("recipe.yaml"))

	stop()
	for range changes { // it is closed
	}
}

// TestStart_OneFile checks that beside a file that is named alone nothing is told of.
func TestStart_OneFile(t *testing.T) {
	dir := t.TempDir()
	file, beside := filepath.Join(dir, "agents"), filepath.Join(dir, "beside.yaml")
	write(t, beside, "one")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	changes := Start(ctx, file) // it is not there yet
	write(t, beside, "two!")
	write(t, file, "one")
	sees(t, changes, file)
}
