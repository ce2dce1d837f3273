package recipes_test

import (
	"path/filepath"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/recipe"
)

// TestTheyRunAsTheyAre runs each recipe as somebody does who tries the gallery: with the inputs that it has by itself, its
// own programs and scripts, and no variable of the environment. It comes to its end, or to a person.
func TestTheyRunAsTheyAre(t *testing.T) {
	files, err := filepath.Glob("*/recipe.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file == filepath.Join("agent-to-human", "recipe.test.yaml") {
			continue
		}
		t.Run(filepath.Dir(file), func(t *testing.T) {
			t.Parallel()
			res := runs(t, file)
			if res.Status != fermata.Completed && res.Status != fermata.Paused {
				t.Errorf("it is %s: %v", res.Status, res.Err)
			}
		})
	}
}

// runs runs a recipe until it ends or waits for somebody.
func runs(t *testing.T, file string) fermata.Result {
	t.Helper()
	var servers mcp.Pool
	t.Cleanup(func() {
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
	})
	opts := recipe.Options{
		Env: func(string) (string, bool) { return "", false }, Models: []string{"scripted"}, Servers: &servers,
		Stores: []string{"sqlite", "postgres", "redis"},
	}
	inputs := map[string]any{}
	if agents, err := filepath.Glob(filepath.Join(filepath.Dir(file), "agents.yaml")); err == nil && len(agents) > 0 {
		opts.Agents, inputs = agents[0], map[string]any{"user_query": "How do tides work?"}
	}
	r, err := recipe.Load(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	in, err := r.Input(inputs)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Services: []any{model.Set{"scripted": recipe.Scripts()}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	run, err := rt.Start(t.Context(), r.Plan(), in, fermata.StartedBy("ann"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil && res.Status == "" {
		t.Fatal(err)
	}
	return res
}
