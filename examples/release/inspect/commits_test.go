package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommits(t *testing.T) {
	s := newScratch(t)
	s.commit("Ann", "Begin", "go.mod", "module example.org/demo/v2\n", "a.go", "package demo\n")
	s.git("tag", "v1.0.0")
	s.commit("Ann", "feat(store)!: keep 100% of “it”\n\nA body\nof two lines.", "a.go", "package demo\n\nvar A = 1\n")
	s.commit("Bo", "fix: tabs\tand ümlauts", "b.go", "package demo\n")
	s.commit("Bo", strings.Repeat("long ", 40)+"\n\nBREAKING CHANGE: all of it")
	s.write("a.go", "package demo\n\nvar A = 2\n", "untracked.txt", "x")

	got := mustCall[commitsOutput](t, "commits", commitsInput{Repo: s.dir})
	want := commitsOutput{
		Repository: repository{
			Root: s.dir, Name: "demo", Branch: "main", Head: got.Repository.Head, Commit: "10bf29b", Date: "2026-03-04",
			Uncommitted: 1,
		},
		Base: base{Name: "v1.0.0", Commit: got.Base.Commit},
		Commits: commitList{
			Summary: "3 commits by Bo, Ann since v1.0.0", Total: 3, Breaking: 2, Authors: []string{"Bo", "Ann"},
			List: []commit{
				{
					Commit: "10bf29b", Subject: strings.TrimSpace(strings.Repeat("long ", 40)),
					Short: strings.Repeat("long ", 14) + "l…", Text: strings.TrimSpace(strings.Repeat("long ", 40)),
					Breaking: true, Author: "Bo", Date: "2026-03-04",
				},
				{
					Commit: "9c16d3d", Subject: "fix: tabs\tand ümlauts", Short: "fix: tabs\tand ümlauts", Kind: "fix",
					Text: "tabs\tand ümlauts", Author: "Bo", Date: "2026-03-04",
				},
				{
					Commit: "e4a608f", Subject: "feat(store)!: keep 100% of “it”", Short: "feat(store)!: keep 100% of “it”",
					Kind: "feat", Scope: "store", Text: "keep 100% of “it”", Breaking: true, Author: "Ann", Date: "2026-03-04",
				},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}
	for name, hash := range map[string]string{"head": got.Repository.Head, "base": got.Base.Commit} {
		if len(hash) != 40 {
			t.Errorf("%s is %q; expected a whole hash", name, hash)
		}
	}
}

// TestCommitsFrom compares with a tag that is given, with a branch, with HEAD, and with nothing.
func TestCommitsFrom(t *testing.T) {
	s := newScratch(t)
	s.commit("Ann", "one")
	summary := func(since string) string {
		return mustCall[commitsOutput](t, "commits", commitsInput{Repo: s.dir, Since: since}).Commits.Summary
	}
	got := []string{summary("")}
	s.git("tag", "v1")
	s.commit("Bo", "two")
	s.git("tag", "--annotate", "--message", "x", "v2")
	got = append(got, summary(""), summary("v1"), summary("main"))
	s.commit("Cy", "three")
	s.commit("Di", "four")
	s.commit("Ed", "five")
	s.git("checkout", "--quiet", "--detach")
	got = append(got, summary(""), summary("v1"))
	want := []string{
		"1 commit by Ann since the beginning", "0 commits since v2", "1 commit by Bo since v1", "0 commits since main",
		"3 commits by Ed, Di, Cy since v2", "4 commits by 4 people since v1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summaries (-want +got):\n%s", diff)
	}
}

// TestShallow reads what is there, and says that it is not all.
func TestShallow(t *testing.T) {
	s := newScratch(t)
	s.commit("Ann", "one")
	s.git("tag", "v1")
	s.commit("Ann", "two")
	s.commit("Ann", "three")
	clone := filepath.Join(t.TempDir(), "clone")
	s.git("clone", "--quiet", "--depth=1", "--no-tags", "file://"+filepath.ToSlash(s.dir), clone)
	got := mustCall[commitsOutput](t, "commits", commitsInput{Repo: clone})
	if !got.Repository.Shallow || got.Commits.Total != 1 || !strings.Contains(got.Commits.Summary, "shallow clone") {
		t.Errorf("got %+v", got)
	}
	_, err := call[commitsOutput](t, "commits", commitsInput{Repo: clone, Since: "v1"})
	if err == nil || !strings.Contains(err.Error(), "fetch --unshallow --tags") {
		t.Errorf("expected an error that says how to get the rest, got %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	s := newScratch(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", outside)
	bare, file, plain := filepath.Join(outside, "bare"), filepath.Join(outside, "file"), filepath.Join(outside, "plain")
	s.git("init", "--quiet", "--bare", bare)
	if err := os.Mkdir(plain, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PWD", outside)
	for _, tc := range []struct{ repo, want string }{
		{plain, plain + " is not in a git repository; expected one, as in --input repo=PATH"},
		{"plain", plain + " is not in a git repository; expected one, as in --input repo=PATH"},
		{"nowhere", "there is no folder " + filepath.Join(outside, "nowhere") + "; expected the path of a git repository"},
		{file, file + " is a file; expected the folder of a git repository"},
		{bare, bare + " is a bare repository; expected one with its files checked out"},
		{s.dir, s.dir + " has no commit yet: there is nothing to release"},
	} {
		if _, err := call[commitsOutput](t, "commits", commitsInput{Repo: tc.repo}); err == nil || err.Error() != tc.want {
			t.Errorf("repo %q: got the error %v\nwant %s", tc.repo, err, tc.want)
		}
	}
	s.commit("Ann", "one")
	for _, since := range []string{"v9", "--output=x", "HEAD:file"} {
		_, err := call[commitsOutput](t, "commits", commitsInput{Repo: s.dir, Since: since})
		if err == nil || !strings.HasPrefix(err.Error(), `since is "`+since+`"; expected a tag, branch or commit of`) {
			t.Errorf("since %q: got the error %v", since, err)
		}
	}
	t.Setenv("PWD", "")
	if _, err := call[commitsOutput](t, "commits", commitsInput{Repo: "plain"}); err == nil || !strings.Contains(err.Error(), "expected an absolute path") {
		t.Errorf("a path that starts nowhere: got the error %v", err)
	}
}

// TestForeignVariables finds the repository of its folder also within a git hook, where variables lead elsewhere.
func TestForeignVariables(t *testing.T) {
	s := newScratch(t)
	s.commit("Ann", "one")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	got := mustCall[commitsOutput](t, "commits", commitsInput{Repo: s.dir})
	if got.Repository.Root != s.dir || got.Repository.Uncommitted != 0 {
		t.Errorf("got %+v", got.Repository)
	}
}

func TestNames(t *testing.T) {
	for mod, want := range map[string]string{
		"module example.org/shop\n":                  "shop",
		"// about\nmodule \"example.org/shop/v3\"\n": "shop",
		"module v2\n":                "v2",
		"module\tshop // the shop\n": "shop",
		"module\n":                   "folder",
		"go 1.26\n":                  "folder",
	} {
		dir := filepath.Join(t.TempDir(), "folder")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := nameOf(dir); got != "folder" {
			t.Errorf("without go.mod: %q", got)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := nameOf(dir); got != want {
			t.Errorf("nameOf %q: got %q, want %q", mod, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, tc := range []struct {
		args  []string
		input string
		want  string
	}{
		{nil, "{}", `expected one of commits, changes, vet, modules, notes, found []`},
		{[]string{"commit"}, "{}", `expected one of commits, changes, vet, modules, notes, found ["commit"]`},
		{[]string{"commits"}, " \n", `expected a JSON object on the standard input, found nothing`},
		{[]string{"commits"}, `{"repo": 1}`, `expected a JSON object on the standard input: json: cannot unmarshal number`},
		{[]string{"notes"}, `{"out": "x"}`, `expected the output of commits, and out; found repository "" and out "x"`},
	} {
		err := run(t.Context(), tc.args, strings.NewReader(tc.input), io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%q with %q: got the error %v\nwant %s", tc.args, tc.input, err, tc.want)
		}
	}
}

// FuzzConventional reads any subject: nothing of it is lost, and nothing is made up.
func FuzzConventional(f *testing.F) {
	for _, s := range []string{"feat: a", "feat(x)!: a", "fix(): b", "a: b: c", "feat:x", "Merge: y", "a(b(c)): d", ":", "BREAKING CHANGE: x"} {
		f.Add(s, "BREAKING-CHANGE: y")
	}
	f.Fuzz(func(t *testing.T, subject, body string) {
		c := commit{Subject: subject}
		c.conventional(body)
		if !strings.HasSuffix(subject, c.Text) || c.Kind == "" && c.Text != subject {
			t.Errorf("%q became %+v", subject, c)
		}
		if c.Kind != strings.ToLower(c.Kind) || !strings.Contains(subject, c.Scope) {
			t.Errorf("%q became %+v", subject, c)
		}
	})
}
