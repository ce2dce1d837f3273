package main

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Every mutant is a change of the tree as it is, breaks a law that there is, and is Go.
func TestMutantsApply(t *testing.T) {
	all, err := mutants()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join("..", "..")
	laws, err := os.ReadFile(filepath.Join(root, "docs", "semantics.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 {
		t.Errorf("%d mutants; expected at least 60", len(all))
	}
	titles := make(map[string]bool)
	for _, m := range all {
		text, err := m.apply(root)
		if err == nil && strings.HasSuffix(m.File, ".go") {
			_, err = parser.ParseFile(token.NewFileSet(), m.File, text, parser.SkipObjectResolution)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", m.at, m.Title, err)
		}
		if !strings.Contains(string(laws), "- **"+m.Law+"**") {
			t.Errorf("%s: there is no law %s", m.at, m.Law)
		}
		if titles[m.Title] {
			t.Errorf("%s: there is another mutant %q", m.at, m.Title)
		}
		titles[m.Title] = true
	}
}

const parsed = `# J3: two places
file a.go
-one
+1
-two
-three
+2
kill ./a TestA
kill . TestB|TestC
`

func TestParse(t *testing.T) {
	all, err := parse("list", parsed)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || len(all[0].hunks) != 2 || all[0].hunks[1] != (hunk{"two\nthree\n", "2\n"}) || len(all[0].Kill) != 2 {
		t.Errorf("found %+v", all)
	}
	for _, wrong := range []string{"x", "# J3: x\n", "# J3: x\nfile a\n-a\n+a\nkill . T", "# J3: x\nfile a\n-a\n+b\nkill .", "# J3: x\n?"} {
		if _, err := parse("list", wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// A module of its own shows each way in which a mutant ends.
func TestVerdicts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.org/sum\n\ngo 1.26\n",
		"sum.go":  "package sum\n\nfunc sum(a, b int) int {\n\treturn a + b\n}\n",
		"loop.go": "package sum\n\nfunc loop() {\n\treturn\n}\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif sum(2, 2) != 4 {\n\t\tt.Fatal(\"4\")\n\t}\n}\n\n" +
			"func TestLoop(t *testing.T) { loop() }\n\nfunc TestServer(t *testing.T) { t.Skip(\"no server\") }\n",
		"left_test.go": "package sum_test\n\nfunc TestLeft(t *testing.T) { nobody.Compiles(this) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	l := newLab(dir, t.TempDir(), 20*time.Second)
	sum := func(to, tests string) mutant {
		return mutant{File: "sum.go", hunks: []hunk{{"\treturn a + b\n", to}}, Kill: []kill{{".", tests}}}
	}
	for want, m := range map[string]mutant{
		killed:   sum("\treturn a - b\n", "TestSum"),
		survived: sum("\treturn a * b\n", "TestSum"),
		broken:   sum("\treturn c\n", "TestSum"),
		skipped:  sum("\treturn a - b\n", "TestServer"),
		stale:    {File: "sum.go", hunks: []hunk{{"\treturn a\n", ""}}, Kill: []kill{{".", "TestSum"}}},
	} {
		if v := l.try(t.Context(), m, 0); v.Outcome != want {
			t.Errorf("%s is expected, found %s: %s %s", want, v.Outcome, v.By, v.Detail)
		}
	}
	if v := l.try(t.Context(), sum("\treturn a - b\n", "TestNothing"), 0); v.Outcome != broken {
		t.Errorf("tests that do not exist are %s", v.Outcome)
	}
	hasty := *l
	hasty.timeout = time.Second
	endless := mutant{File: "loop.go", hunks: []hunk{{"\treturn\n", "\tfor {\n\t}\n"}}, Kill: []kill{{".", "TestLoop"}}}
	if v := hasty.try(t.Context(), endless, 0); v.Outcome != killed || !strings.Contains(v.By, "not done after 1s") {
		t.Errorf("an endless loop is %s by %s", v.Outcome, v.By)
	}
	var out strings.Builder
	if err := l.report(t.Context(), []mutant{sum("\treturn a - b\n", "TestSum"), sum("\treturn a * b\n", "TestSum")}, 2, false, &out); !errors.Is(err, errAlive) {
		t.Errorf("a job with a survivor ends with %v", err)
	}
	if text := out.String(); !strings.Contains(text, "2 mutants  1 killed  1 survived") {
		t.Errorf("the table is\n%s", text)
	}
	if err := l.unbroken(context.Background(), []mutant{sum("", "TestNothing")}); err == nil {
		t.Error("tests that do not exist pass")
	}
}

// Files are left out that the tests do not need: not what they use, what that uses, and methods that somebody may call.
func TestNeedless(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a":        "func TestA(t *testing.T) { use(func(thing int) { b().small() }, types.Other{}) }",
		"b":        "func b() thing { return 1 }",
		"thing":    "type thing int",
		"method":   "func (t *thing) small() {}",
		"exported": "func (t thing) String() string { return \"\" }",
		"use":      "var use = func(...any) {}",
		"main":     "func TestMain(m *testing.M) {}",
		"import":   "import _ \"embed\"",
		"left_out": "func TestB(t *testing.T) { b() }",
		"far":      "func (t thing) tall() {}",
		"other":    "type Other int",
		"generic":  "func (l list[T]) small() {}",
		"list":     "type list[T any] []T",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+"_test.go"), []byte("package x_test\n\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := func(run string) string {
		var names []string
		for _, file := range newLab("", "", 0).tests.needless(dir, run) {
			names = append(names, strings.TrimSuffix(filepath.Base(file), "_test.go"))
		}
		return strings.Join(names, " ")
	}
	for run, want := range map[string]string{
		"TestA":          "far generic left_out list other",
		"TestB/x|TestA$": "far generic list other",
		"Test":           "far generic list other",
		"TestC":          "a b exported far generic left_out list method other thing use",
		"Test(":          "",
	} {
		if got := left(run); got != want {
			t.Errorf("for %s are left out %s, expected %s", run, got, want)
		}
	}
}
