package recipe

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/mcp"
)

// errorCases are files that do not load, with what is said of each, and the files that these need.
const errorCases = "testdata/errors/*.txtar"

func noEnv(string) (string, bool) { return "", false }

// TestErrors pins what each kind of mistake is answered with: file, line, column, and the nearest name.
func TestErrors(t *testing.T) {
	cases := golden.Open(t, errorCases)
	dir := cases.Extract(t)
	for _, name := range cases.Names("*.yaml", "*.json") {
		t.Run(name, func(t *testing.T) {
			opts := Options{Env: noEnv, Dir: dir, Servers: new(mcp.Pool), Models: []string{"anthropic", "openai", "scripted", "default"}}
			if agents := golden.Beside(name, ".agents"); cases.Has(agents) {
				opts.Agents = filepath.Join(dir, agents)
			}
			_, err := Parse([]byte(cases.Text(t, name)), name, opts)
			faults, ok := errors.AsType[*definition.Error](err)
			if !ok {
				t.Fatalf("expected a *definition.Error, got %v", err)
			}
			text := strings.ReplaceAll(faults.Error(), dir+string(filepath.Separator), "")
			cases.Compare(t, golden.Beside(name, ".golden"), text+"\n")
		})
	}
}

// TestErrors_many counts the files with one mistake each, so that none gets lost, and looks at what every message needs: its
// place, and more than a few words.
func TestErrors_many(t *testing.T) {
	cases := golden.Open(t, errorCases)
	broken := cases.Names("one-*.yaml", "one-*.json")
	if len(broken) < 100 {
		t.Errorf("there are %d broken files with one mistake each; expected at least 100", len(broken))
	}
	for _, name := range broken {
		for line := range strings.Lines(cases.Text(t, golden.Beside(name, ".golden"))) {
			place := regexp.MustCompile(`^(\S+\.(yaml|json)):[1-9]\d*:[1-9]\d*: \S+ \S+ \S+`)
			if m := place.FindStringSubmatch(line); m == nil || m[1] != name {
				t.Errorf("%s: a message without file, line, column or words: %s", name, line)
			}
		}
	}
}

// goodRecipes are recipes that load, with the plan and the drawing of each.
func goodRecipes(t testing.TB) *golden.Archives {
	t.Helper()
	return golden.Open(t, "testdata/recipes.txtar")
}

// TestPlans pins the plan and the drawing of each recipe.
func TestPlans(t *testing.T) {
	cases := goodRecipes(t)
	dir := cases.Extract(t)
	for _, name := range cases.Names("*.yaml", "*.json") {
		t.Run(name, func(t *testing.T) {
			r, err := Load(filepath.Join(dir, name), Options{Env: testEnv, Library: testLibrary(), Stores: []string{"sqlite"}})
			if err != nil {
				t.Fatal(err)
			}
			cases.Compare(t, golden.Beside(name, ".golden"), r.Plan().Text()+"\n"+r.Plan().Mermaid())
		})
	}
}

func testEnv(name string) (string, bool) {
	v, ok := map[string]string{"NOTIFY_URL": "http://127.0.0.1:1/hook", "TOKEN": "s3cr3t-t0ken"}[name]
	return v, ok
}
