package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("update", false, "rewrite the goldens in testdata")

func sampleNotes(root string) notesInput {
	return notesInput{
		commitsOutput: commitsOutput{
			Repository: repository{Root: root, Name: "demo", Branch: "main", Commit: "10bf29b", Date: "2026-03-04"},
			Base:       base{Name: "v1.0.0"},
			Commits: commitList{
				Summary: "8 commits by Ann since v1.0.0", Total: 8, List: []commit{
					{Commit: "a1", Kind: "feat", Scope: "store", Text: "keep <all> & more"},
					{Commit: "a2", Kind: "chore", Text: "tidy"},
					{Commit: "a3", Text: "Rename <a> to `map[<b>]c`, and `d"},
					{Commit: "a4", Kind: "fix", Text: "count from 1", Breaking: true},
					{Commit: "a5", Kind: "fix", Text: "a typo"},
					{Commit: "a6", Kind: "wip", Text: "something"},
				},
			},
		},
		changesOutput: changesOutput{changeSet{
			Summary: "3 files in 2 folders, +10 -2 lines", Folders: []place{{"a|b", 2, 9, 1}, {".", 1, 1, 1}},
		}},
		vetOutput: vetOutput{vetting{Summary: "1 finding", Findings: []finding{{"a.go:1:2", "bad"}}}},
		modulesOutput: modulesOutput{requirements{
			Summary: "2 direct requirements, 1 replaced, 1 outdated", Replaced: []replacement{{"x", "../x"}}, Outdated: []update{{"y", "v1", "v2"}},
		}},
		Decision: "approved", Risk: "high", Score: 65,
		Reasons:  []reason{{40, "go vet: 1 finding"}, {25, "replaced requirements: x"}},
		SentBack: []string{"Add\n\ntests"}, Out: "dist/notes.md",
	}
}

func TestNotes(t *testing.T) {
	passed := notesInput{Decision: "passed", Risk: "low", Score: 1}
	passed.Repository = repository{Name: "demo", Commit: "10bf29b", Date: "2026-03-04"}
	passed.Commits.Summary, passed.Changes.Summary = "1 commit by Ann since the beginning", "1 file in 1 folder, +1 -0 lines"
	passed.Commits.List, passed.Commits.Total = []commit{{Commit: "a1", Text: "Begin"}}, 1
	passed.Vet.Summary, passed.Modules.Summary = "clean", "0 direct requirements"
	for name, in := range map[string]notesInput{"approved": sampleNotes("/demo"), "passed": passed} {
		golden := filepath.Join("testdata", name+".golden.md")
		got := compose(in)
		if *rewrite {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// TestNotesAreWrittenAgain writes the same bytes when a crash has hidden that they were written.
func TestNotesAreWrittenAgain(t *testing.T) {
	root := t.TempDir()
	in := sampleNotes(root)
	file := filepath.Join(root, "dist", "notes.md")
	for range 2 {
		if got := mustCall[notesOutput](t, "notes", in); got.File != file {
			t.Errorf("wrote %s, want %s", got.File, file)
		}
	}
	in.Decision = "passed"
	mustCall[notesOutput](t, "notes", in)
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compose(in), string(got)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("expected the notes and nothing else, got %v, %v", left, err)
	}
}

func TestNotesReplaceNothingElse(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	absolute := filepath.Join(other, "deep", "notes.md")
	for _, tc := range []struct{ out, want string }{
		{"main.go", filepath.Join(root, "main.go") + " was not written here and is not replaced; give another path, as in --input out=PATH"},
		{"../notes.md", `out is "../notes.md", which leads out of ` + root + "; give an absolute path to write there"},
		{absolute, absolute},
		{"main.go/notes.md", "the folder of " + filepath.Join(root, "main.go", "notes.md")},
	} {
		in := sampleNotes(root)
		in.Out = tc.out
		out, err := call[notesOutput](t, "notes", in)
		got := out.File
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tc.want) {
			t.Errorf("out %q: got %s\nwant %s", tc.out, got, tc.want)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "main.go"))
	if err != nil || !strings.HasPrefix(string(text), "package main") {
		t.Errorf("main.go is %q now: %v", text, err)
	}
}
