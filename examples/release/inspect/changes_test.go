package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChanges(t *testing.T) {
	s := newScratch(t)
	long := strings.Repeat("line\n", 40)
	s.commit("Ann", "one", "go.mod", "module demo\n", "store/old.go", "package store\n"+long, "docs/gone.md", long)
	s.git("tag", "v1")
	s.commit("Ann", "two", "a.go", "package demo\n", "a_test.go", "package demo\n\n", "store/old.go", "package store\n"+long+"more\n",
		"docs/ä \"b\".md", "x\ny\n", "logo.png", "\x00\x01", "go.sum", "")
	s.git("mv", "store/old.go", "store/new.go")
	s.git("rm", "--quiet", "docs/gone.md")
	s.commit("Ann", "three")

	from := mustCall[commitsOutput](t, "commits", commitsInput{Repo: s.dir})
	got := mustCall[changesOutput](t, "changes", changesInput{from.Repository, from.Base, []string{"/store/", "go.sum"}})
	want := changesOutput{changeSet{
		Summary: "7 files in 3 folders, +6 -40 lines; 2 Go packages, 1 test file",
		Files:   7, Added: 6, Deleted: 40, Lines: 46, Binary: 1, Packages: 2, Code: 2, Tests: 1, GoMod: true,
		Sensitive: []string{"go.sum", "store/new.go"},
		Folders:   []place{{"docs", 2, 2, 40}, {".", 4, 3, 0}, {"store", 1, 1, 0}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}

	// Without a tag all of it is new.
	got = mustCall[changesOutput](t, "changes", changesInput{Repository: from.Repository})
	if got.Changes.Files != 7 || got.Changes.Deleted != 0 || got.Changes.Added != 48 {
		t.Errorf("the whole history: %+v", got.Changes)
	}
}

func TestReadDiff(t *testing.T) {
	for _, tc := range []struct {
		text string
		want string
	}{
		{"", "[]"},
		{"1\t2\ta.go\x00-\t-\tb\tc\x00", "[{a.go  1 2 false} {b\tc  0 0 true}]"},
		{"3\t0\t\x00old\x00new\x000\t1\tx\x00", "[{new old 3 0 false} {x  0 1 false}]"},
		{"1\t2", `git diff: expected two numbers and a path, found "1\t2"`},
		{"1\tx\ta\x00", `git diff: expected two numbers and a path, found "1\tx\ta"`},
	} {
		files, err := readDiff(tc.text)
		got := fmt.Sprint(files)
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("readDiff %q: got %s, want %s", tc.text, got, tc.want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tc := range []struct {
		file, places string
		want         bool
	}{
		{"journal/entry.go", "journal", true},
		{"journal/entry.go", "journ", false},
		{"a/journal/entry.go", "journal", false},
		{"a/b/go.mod", "go.mod", true},
		{"go.mod", "x,go.mod", true},
		{"internal/machine/fold.go", "/internal/machine/", true},
		{"x", "", false},
		{"", "x", false},
	} {
		if got := within(tc.file, strings.Split(tc.places, ",")); got != tc.want {
			t.Errorf("within(%q, %q) = %t", tc.file, tc.places, got)
		}
	}
}

// TestManyFolders lists the largest folders and counts all.
func TestManyFolders(t *testing.T) {
	var files []changedFile
	for i := range 100 {
		files = append(files, changedFile{path: fmt.Sprintf("d%02d/x.txt", i), added: i})
	}
	got := measure(files, []string{"d00", "d01"})
	if len(got.Folders) != listedFolders || got.Folders[0].Folder != "d99" || got.Files != 100 || len(got.Sensitive) != 2 {
		t.Errorf("got %+v", got)
	}
}

// FuzzReadDiff reads anything: it gives files with paths and numbers, or an error.
func FuzzReadDiff(f *testing.F) {
	f.Add("1\t2\ta.go\x00-\t-\tb\tc\x00")
	f.Add("3\t0\t\x00old\x00new\x00")
	f.Add("9999999999999999999\t0\tx\x00")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := readDiff(text)
		if err != nil {
			return
		}
		if got := measure(files, []string{"a"}); got.Files != len(files) {
			t.Errorf("%d of %d files", got.Files, len(files))
		}
	})
}
