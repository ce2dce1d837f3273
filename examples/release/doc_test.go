// Package release_test runs the recipe of this folder whole: on repositories that it makes, with people that it plays,
// through crashes, and with the command that readers of its README type.
package release_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/programs"
	"github.com/fermata-go/fermata/recipe"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata, and the drawing in README.md")

// built are the programs that the tests call.
var built struct{ fermata, inspect string }

func TestMain(m *testing.M) {
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	built.fermata, built.inspect = filepath.Join(dir, "fermata"+exe), filepath.Join(dir, "inspect"+exe)
	if err := programs.Build(context.Background(), dir, "../../cmd/fermata", "./inspect"); err != nil {
		return 0, err
	}
	if err := hermetic(); err != nil { // only now: a build may have to ask the module proxy
		return 0, err
	}
	return m.Run(), nil
}

// hermetic keeps the configuration of whoever runs the tests out of them, and the network.
func hermetic() error {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "FERMATA_") && name != "FERMATA_EXPLORE" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DEFAULT_HASH": "sha1",
		"GOPROXY": "off", "GOFLAGS": "", "GOWORK": "off", "GOTOOLCHAIN": "local", "NO_COLOR": "1",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// repository is a git repository in a test. Names and dates are fixed, so that hashes are the same every time.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t, filepath.Join(dir, "shop")}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "--quiet", "--initial-branch=main")
	return r
}

func (r *repository) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	const when = "2026-03-04T05:06:07Z"
	cmd.Env = append(
		os.Environ(), "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_AUTHOR_DATE="+when,
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org", "GIT_COMMITTER_DATE="+when,
	)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// commit writes files, names and texts in turn, and commits everything.
func (r *repository) commit(message string, files ...string) {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(r.dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "--all")
	r.git("commit", "--quiet", "--allow-empty", "--message", message)
}

// risky is a Go module whose change is worth a question: it breaks something, in a sensitive place, without a test.
func risky(t *testing.T) *repository {
	t.Helper()
	r := newRepository(t)
	r.commit("Begin", "go.mod", "module example.org/shop\n\ngo 1.22\n", "shop.go", "package shop\n")
	r.git("tag", "v1.0.0")
	r.commit("feat(auth)!: ask for a second factor", "auth/auth.go", "package auth\n\n// Factors are asked for.\nconst Factors = 2\n")
	r.commit("fix: count from one", "shop.go", "package shop\n\n// First is the first.\nconst First = 1\n")
	return r
}

// calm is a change that nobody has to be asked about.
func calm(t *testing.T) *repository {
	t.Helper()
	r := newRepository(t)
	r.commit("Begin", "readme.md", "one\n")
	r.git("tag", "v1.0.0")
	r.commit("docs: say more", "readme.md", "one\ntwo\n")
	return r
}

// load compiles the recipe. Its programs are built already: go run would do the same, more slowly.
func load(t *testing.T) *recipe.Recipe { return loadWith(t, built.inspect) }

func loadWith(t *testing.T, inspect string) *recipe.Recipe {
	t.Helper()
	text, err := os.ReadFile("recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), "[go, run, ./inspect, ", fmt.Sprintf("[%q, ", inspect))
	if n := strings.Count(changed, inspect); n != 5 {
		t.Fatalf("the recipe calls ./inspect %d times; expected 5", n)
	}
	r, err := recipe.Parse([]byte(changed), "recipe.yaml", recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// indented is a JSON text for people.
func indented(t *testing.T, data any) string {
	t.Helper()
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// background is a context that ends before the test is killed.
func background(t *testing.T) context.Context {
	t.Helper()
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, deadline)
		t.Cleanup(stop)
	}
	return ctx
}
