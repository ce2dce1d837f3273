package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCounted(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       count
	}{
		{"nothing", "", count{}},
		{"blank lines and comments", "// Package a does.\npackage a\n\n/*\n  more\n*/\n\nvar x = 1 // why\n", count{all: 8, code: 2}},
		{"code after and before a comment", "package a\n/* one\ntwo */ var x = 1 /* three\n*/\n", count{all: 4, code: 2}},
		{"several tokens in a line", "package a; func f() { g() }\n", count{all: 1, code: 1}},
		{"a raw string over lines", "package a\nvar x = `one\n\n// two\n` + `three\nfour`\n", count{all: 6, code: 6}},
		{"no newline at the end", "package a\nvar x int", count{all: 2, code: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, counted([]byte(tt.text)), cmp.AllowUnexported(count{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A work tree is counted as it lies on disk, without tests and what git ignores, beside a revision.
func TestRun(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commit := func() {
		t.Helper()
		for _, args := range [][]string{
			{"init", "--quiet"},
			{"add", "--all"},
			{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "one"},
		} {
			cmd := exec.CommandContext(t.Context(), "git", args...)
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("git %s: %v\n%s", args[0], err, out)
			}
		}
	}
	put("a.go", "package a\n\nvar x = 1\nvar y = 2\n")
	put("a_test.go", "package a\n")
	put("b/b.go", "package b\n")
	put("b/testdata/t.go", "package t\n")
	put("b/b.txt", "text\n")
	put("c/c.go", "package c\n")
	put(".gitignore", "d/\n")
	put("d/d.go", "package d\n")
	commit()
	put("a.go", "package a\n\nvar x = 1 // fewer\n")
	put("e/e.go", "// Package e is new.\npackage e\n")
	if err := os.RemoveAll(filepath.Join(root, "c")); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[string]string{
		"": `
   room  lines  code
  total      6     4
      .      3     2
      b      1     1
      e      2     1
`,
		"HEAD": `
   room  lines at HEAD  now           code at HEAD  now
  total              6    6                      5    4  -20.0 %
      .              4    3  -25.0 %             3    2  -33.3 %
      b              1    1                      1    1
      c              1    0     gone             1    0     gone
      e              0    2      new             0    1      new
`,
	} {
		var out strings.Builder
		if err := run(t.Context(), &out, root, since); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for line := range strings.Lines("\n" + out.String()) {
			got.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("since %q (-want +got):\n%s", since, diff)
		}
	}
	if err := run(t.Context(), os.Stdout, root, "nothing"); err == nil || !strings.Contains(err.Error(), "git archive") {
		t.Errorf("an unknown revision: %v", err)
	}
}
