package recipe

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/definitiontest"
	"github.com/fermata-go/fermata/mcp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file, or writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	definitiontest.Golden(t, file, got, *update)
}

func files(t *testing.T, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		t.Fatalf("no file fits %q", patterns)
	}
	return all
}

func noEnv(string) (string, bool) { return "", false }

// TestErrors pins what each kind of mistake is answered with: file, line, column, and the nearest name.
func TestErrors(t *testing.T) {
	for _, file := range files(t, "testdata/errors/*.yaml", "testdata/errors/*.json") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			opts := Options{Env: noEnv, Dir: "testdata", Servers: new(mcp.Pool), Models: []string{"anthropic", "openai", "scripted", "default"}}
			if agents := strings.TrimSuffix(file, ".yaml") + ".agents"; exists(agents) {
				opts.Agents = agents
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(data, filepath.Base(file), opts)
			faults, ok := errors.AsType[*definition.Error](err)
			if !ok {
				t.Fatalf("expected a *definition.Error, got %v", err)
			}
			golden(t, strings.TrimSuffix(file, filepath.Ext(file))+".golden", faults.Error()+"\n")
		})
	}
}

// TestErrors_many counts the files with one mistake each, so that none gets lost, and looks at what every message needs: its
// place, and more than a few words.
func TestErrors_many(t *testing.T) {
	broken := files(t, "testdata/errors/one-*.yaml", "testdata/errors/one-*.json")
	if len(broken) < 100 {
		t.Errorf("there are %d broken files with one mistake each; expected at least 100", len(broken))
	}
	for _, file := range broken {
		data, err := os.ReadFile(strings.TrimSuffix(file, filepath.Ext(file)) + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			place := regexp.MustCompile(`^(\S+\.(yaml|json)):[1-9]\d*:[1-9]\d*: \S+ \S+ \S+`)
			if m := place.FindStringSubmatch(line); m == nil || m[1] != filepath.Base(file) {
				t.Errorf("%s: a message without file, line, column or words: %s", file, line)
			}
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// TestPlans pins the plan and the drawing of each recipe.
func TestPlans(t *testing.T) {
	for _, file := range files(t, "testdata/recipes/*.yaml", "testdata/recipes/*.json") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r, err := Load(file, Options{Env: testEnv, Library: testLibrary(), Stores: []string{"sqlite"}})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, filepath.Ext(file))+".golden", r.Plan().Text()+"\n"+r.Plan().Mermaid())
		})
	}
}

func testEnv(name string) (string, bool) {
	v, ok := map[string]string{"NOTIFY_URL": "http://127.0.0.1:1/hook", "TOKEN": "s3cr3t-t0ken"}[name]
	return v, ok
}
