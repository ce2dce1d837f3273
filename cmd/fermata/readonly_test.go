package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal/sqlite"
)

// TestReadingCommandsLeaveAReadOnlyStoreAlone calls each command that only reads on a store in a folder that cannot be written: one
// that was closed, a copy of one that a process had open, and one of an earlier schema. It works, and no byte and no file of the folder
// changes. A command that writes is refused with the reason.
func TestReadingCommandsLeaveAReadOnlyStoreAlone(t *testing.T) {
	dir := place(t, refund)
	m, stdout, stderr := command(t)
	run := func(store string, args ...string) int {
		stdout.Reset()
		stderr.Reset()
		return m.Run(t.Context(), append(args, "--store", store))
	}
	closed := filepath.Join(t.TempDir(), "runs.db")
	if code := run(closed, "run", dir, "--id", "r", "--no-input"); code != exitPaused {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	held := filepath.Join(t.TempDir(), "runs.db")
	copyFiles(t, filepath.Dir(closed), filepath.Dir(held))
	holder := sqlite.MustOpen(held)
	defer holder.Close()
	if code := run(held, "runs", "send", "r", "a", "1"); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	opened := filepath.Join(t.TempDir(), "runs.db")
	copyFiles(t, filepath.Dir(held), filepath.Dir(opened))
	if info, err := os.Stat(opened + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("the store that is open has no log: %v", err)
	}

	reads := [][]string{
		{"runs"},
		{"runs", "ls"},
		{"runs", "ls", "--json"},
		{"runs", "ls", "--count", "status"},
		{"runs", "show", "r"},
		{"runs", "show", "r", "--json"},
		{"runs", "diff", "r@2", "r"},
		{"runs", "export", "r"},
		{"tasks"},
		{"tasks", "ls"},
		{"tasks", "ls", "--count", "state"},
		{"tasks", "show", "r"},
		{"trace", "r"},
		{"trace", "r", "--json"},
		{"events", "r"},
		{"graph", "--run", "r"},
		{"resume", "--check"},
		{"runs", "prune", "--dry-run", "--before", "now"},
		{"schedule", "ls", dir},
	}
	writes := [][]string{
		{"runs", "send", "r", "a", "2"},
		{"runs", "cancel", "r"},
		{"tasks", "answer", "r", "--value", "approve"},
		{"tasks", "claim", "r"},
		{"resume", "r", "--no-input", "--answer", "review=approve"},
	}
	old := filepath.Join(t.TempDir(), "runs.db")
	if err := os.WriteFile(old, unzipped(t, filepath.Join("..", "..", "journal", "sqlite", "testdata", "schema-1.db.gz")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, store   string
		reads, writes [][]string
	}{
		{"closed", closed, reads, writes},
		{"opened", opened, reads, writes},
		{"old", old, [][]string{{"runs", "ls"}, {"runs", "ls", "--label", "a=b"}, {"tasks", "ls", "--all"}, {"runs", "show", "run_cut"}}, [][]string{{"runs", "cancel", "run_cut"}}},
	} {
		name, store, folder := c.name, c.store, filepath.Dir(c.store)
		for path := range contents(t, folder) {
			chmod(t, filepath.Join(folder, path), 0o444)
		}
		chmod(t, folder, 0o555)
		t.Cleanup(func() { chmod(t, folder, 0o755) })
		before := unmarked(contents(t, folder))
		for _, args := range c.reads {
			if code := run(store, args...); code != 0 && !(args[0] == "resume" && code == exitConflict) {
				t.Errorf("%s: %v: exit code %d: %s", name, args, code, stderr)
			}
		}
		for _, args := range c.writes {
			if code := run(store, args...); code != exitStore || !strings.Contains(stderr.String(), "the store cannot be written") {
				t.Errorf("%s: %v: exit code %d, expected %d and why: %s", name, args, code, exitStore, stderr)
			}
		}
		if diff := cmp.Diff(before, unmarked(contents(t, folder))); diff != "" {
			t.Errorf("%s: the folder has changed:\n%s", name, diff[:min(len(diff), 2000)])
		}
	}
}

func unzipped(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// contents are the files of a folder with what they hold.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// unmarked blanks the marks of readers in the index of a log (bytes 100 to 119 of -shm). They hold nothing of the store, and SQLite
// sets one at a read where it may: root may, whatever the mode of the file.
func unmarked(files map[string]string) map[string]string {
	for name, data := range files {
		if strings.HasSuffix(name, "-shm") && len(data) > 120 {
			files[name] = data[:100] + strings.Repeat("\x00", 20) + data[120:]
		}
	}
	return files
}

func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	for name, data := range contents(t, from) {
		if err := os.WriteFile(filepath.Join(to, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Error(err)
	}
}
