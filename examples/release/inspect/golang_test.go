package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// module is a repository with files and one commit.
func module(t *testing.T, files ...string) repository {
	t.Helper()
	s := newScratch(t)
	s.commit("Ann", "one", files...)
	return mustCall[commitsOutput](t, "commits", commitsInput{Repo: s.dir}).Repository
}

func TestVet(t *testing.T) {
	const mod = "module demo\n\ngo 1.22\n"
	for _, tc := range []struct {
		name  string
		files []string
		want  vetting
	}{
		{"clean", []string{"go.mod", mod, "a.go", "package demo\n"}, vetting{Summary: "clean", State: vetClean}},
		{
			"findings",
			[]string{"go.mod", mod, "a/a.go", "package a\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\", \"x\") }\n", "b/b.go", "package b\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%s\", 1) }\n"},
			vetting{
				Summary: "2 findings", State: vetFindings, Total: 2, Findings: []finding{
					{"a/a.go:5", `fmt.Printf format %d has arg "x" of wrong type string`},
					{"b/b.go:5", `fmt.Printf format %s has arg 1 of wrong type int`},
				},
			},
		},
		{ // a package of its own: where one has no types, go vet may leave out the others
			"a package without types",
			[]string{"go.mod", mod, "b/b.go", "package b\n\nvar X = y\n"},
			vetting{Summary: "1 finding", State: vetFindings, Total: 1, Findings: []finding{{"b/b.go:3", "undefined: y"}}},
		},
		{
			"an import that cannot be found",
			[]string{"go.mod", mod, "a.go", "package demo\n\nimport _ \"example.org/nowhere\"\n"},
			vetting{
				Summary: "could not run: a.go:3:8: no required module provides package example.org/nowhere; to add it:", State: vetFailed,
			},
		},
		{"no package", []string{"go.mod", mod}, vetting{Summary: "the module holds no package", State: vetSkipped}},
		{"no module", []string{"a.txt", ""}, vetting{Summary: "not a Go module: there is no go.mod at the root", State: vetSkipped}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := mustCall[vetOutput](t, "vet", vetInput{module(t, tc.files...)})
			for i, f := range got.Vet.Findings {
				got.Vet.Findings[i].Place = withoutColumn(f.Place)
			}
			if tc.want.Findings == nil {
				tc.want.Findings = []finding{}
			}
			if diff := cmp.Diff(vetOutput{tc.want}, got); diff != "" {
				t.Errorf("vet (-want +got):\n%s", diff)
			}
		})
	}
}

// withoutColumn drops what differs between versions of Go.
func withoutColumn(place string) string { return place[:strings.LastIndexByte(place, ':')] }

// FuzzReadVet reads anything that go vet may write: a failure is always shown as one.
func FuzzReadVet(f *testing.F) {
	f.Add("# demo\n./a.go:1:2: x\nvet: b.go:3: y\n")
	f.Add("a.go:3:8: no required module provides package x\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, said string) {
		var v vetting
		v.read(said, errors.New("exit status 1"))
		if v.State == vetClean || v.Summary == "" || len(v.Findings) > min(v.Total, listedFindings) || (v.State == vetFindings) != (v.Total > 0) {
			t.Errorf("%q became %+v", said, v)
		}
	})
}

func TestModules(t *testing.T) {
	repo := module(t, "go.mod", `module demo

go 1.22

require (
	example.org/a v1.0.0
	example.org/b v1.2.3
	example.org/c v0.1.0 // indirect
	example.org/d v0.2.0
)

replace example.org/a v1.0.0 => ./a

replace example.org/b => example.org/fork v1.9.0

replace example.org/c => example.org/c v0.1.1
`, "a/go.mod", "module example.org/a\n")
	got := mustCall[modulesOutput](t, "modules", modulesInput{repo})
	want := modulesOutput{requirements{
		Summary: "3 direct requirements, 3 replaced; newer versions not checked (offline)", Module: "demo", Direct: 3,
		Replaced: []replacement{{"example.org/a v1.0.0", "./a"}, {"example.org/b", "example.org/fork v1.9.0"}, {"example.org/c", "v0.1.1"}},
		Outdated: []update{},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}

func TestModulesWithoutRequirements(t *testing.T) {
	for _, tc := range []struct {
		files []string
		want  requirements
	}{
		{[]string{"a.txt", ""}, requirements{Summary: "not a Go module: there is no go.mod at the root"}},
		{[]string{"go.mod", "module demo\n"}, requirements{Summary: "0 direct requirements", Module: "demo", Checked: true}},
		{[]string{"go.mod", "modul demo\n"}, requirements{Summary: "go.mod could not be read: go: errors parsing go.mod:"}},
	} {
		tc.want.Replaced, tc.want.Outdated = []replacement{}, []update{}
		got := mustCall[modulesOutput](t, "modules", modulesInput{module(t, tc.files...)})
		if diff := cmp.Diff(modulesOutput{tc.want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.files, diff)
		}
	}
}

// TestOutdated asks a module proxy, which is a folder here.
func TestOutdated(t *testing.T) {
	repo := module(t, "go.mod", "module demo\n\ngo 1.22\n\nrequire (\n\texample.org/new v1.1.0\n\texample.org/old v1.0.0\n)\n")
	proxy := t.TempDir()
	for _, name := range []string{"new", "old"} {
		dir := filepath.Join(proxy, "example.org", name, "@v")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			"list": "v1.0.0\nv1.1.0\n", "v1.0.0.mod": "module example.org/" + name + "\n", "v1.1.0.mod": "module example.org/" + name + "\n",
			"v1.0.0.info": `{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}`, "v1.1.0.info": `{"Version":"v1.1.0","Time":"2026-02-01T00:00:00Z"}`,
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	prepare := exec.Command("go", "list", "-m", "-mod=mod", "all") // writes go.sum
	prepare.Dir = repo.Root
	if out, err := prepare.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check := func(want requirements) {
		t.Helper()
		want.Module, want.Direct, want.Replaced = "demo", 2, []replacement{}
		if diff := cmp.Diff(modulesOutput{want}, mustCall[modulesOutput](t, "modules", modulesInput{repo})); diff != "" {
			t.Errorf("modules (-want +got):\n%s", diff)
		}
	}
	check(requirements{
		Summary: "2 direct requirements, 1 outdated", Checked: true, Outdated: []update{{"example.org/old", "v1.0.0", "v1.1.0"}},
	})
	// All that is needed lies in the module cache now; what is newer does not.
	for _, silent := range []string{"off", "http://127.0.0.1:1"} {
		t.Setenv("GOPROXY", silent)
		check(requirements{Summary: "2 direct requirements; newer versions not checked (offline)", Outdated: []update{}})
	}
}

func TestReadUpdates(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []update
		err  string
	}{
		{"", []update{}, ""},
		{`{"Path":"a","Version":"v1"}{"Path":"b","Version":"v1","Update":{"Path":"b","Version":"v2"}}`, []update{{"b", "v1", "v2"}}, ""},
		{`{"Path":`, []update{}, "go list: unexpected EOF"},
	} {
		got, err := readUpdates(tc.text)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || said != tc.err {
			t.Errorf("readUpdates %q: error %q\n%s", tc.text, said, diff)
		}
	}
}

func TestWhy(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, tc := range []struct{ said, want string }{
		{"", "exit status 1"},
		{"go: downloading x v1\n# demo\n\n  second\nthird\n", "second"},
		{strings.Repeat("x", 300), strings.Repeat("x", 199) + "…"},
	} {
		if got := why(failed, tc.said, vetTime); got != tc.want {
			t.Errorf("why %q: got %q, want %q", tc.said, got, tc.want)
		}
	}
}
