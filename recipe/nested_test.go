package recipe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// A recipe within a recipe is part of its run: its person is asked there, alone and for each element, whatever crashes
// (laws G5, G6).
func TestG6_ARecipeWithinARecipe(t *testing.T) {
	r := load(t, filepath.Join(golden.Open(t, "testdata/recipes.txtar").Extract(t), "tour.yaml"), recipe.Options{})
	said := map[string]string{"home/said#1": "fine", "each#1.1/said#1": "old", "each#1.2/said#1": "new"}
	answers := fermatatest.AnswerFunc(func(q fermata.Interrupt) any { return said[q.Task] })
	explored(t, r, map[string]any{"places": []any{"Rome", "Bonn"}, "fee": 4}, answers, `{
		"reports": [{"said": "old", "cost": 8}, {"said": "new", "cost": 8}], "said": "fine", "cost": 20,
		"lengths": [{"name": "Rome", "length": 4, "nth": 0}, {"name": "Bonn", "length": 4, "nth": 1}]}`)
}

// A run needs none of the files that its recipe was made from (law J8).
func TestJ8_NestedRecipesAreRestoredWithoutFiles(t *testing.T) {
	dir := golden.Open(t, "testdata/recipes.txtar").Extract(t)
	r := load(t, filepath.Join(dir, "tour.yaml"), recipe.Options{})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again, err := recipe.Restore(r.Source(), recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Plan().Fingerprint(), again.Plan().Fingerprint()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(r.Digest(), again.Digest()); diff != "" {
		t.Error(diff)
	}
}

// write puts files in a folder of their own and gives its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// outer is a recipe that calls the one in FILE.
const outer = `
STATE
agents: {sub: {kind: recipe, file: FILE}}
topology:
  entry_point: call
  nodes: [{type: agent, id: call, agent_ref: sub}]
`

const inner = `
interface: {inputs: {x: {type: integer, minimum: 1}}, outputs: {y: {type: integer, maximum: 10}}}
agents: {double: {kind: expr, set: {y: "x * 2"}}}
topology:
  entry_point: double
  nodes: [{type: agent, id: double, agent_ref: double}]
`

func runFolder(t *testing.T, files map[string]string, inputs map[string]any) fermata.Result {
	t.Helper()
	r := load(t, filepath.Join(folder(t, files), "main.yaml"), recipe.Options{})
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return job{inputs: inputs}.on(t, rt, r)
}

// The interface of a nested recipe is enforced at its door and at its end, and the state of the outer one where its
// outputs are merged.
func TestG6_InterfacesOfNestedRecipesAreEnforced(t *testing.T) {
	files := map[string]string{"main.yaml": edited(outer, "FILE", "part"), "part/recipe.yaml": inner}
	want(t, runFolder(t, files, map[string]any{"x": 4, "other": 1}), `{"x": 4, "other": 1, "y": 8}`)
	wantError(t, runFolder(t, files, map[string]any{"x": 0}), `the recipe "part"`, `input "x"`)
	wantError(t, runFolder(t, files, map[string]any{"x": 6}), `the recipe "part"`, `output "y"`)
	files["main.yaml"] = edited(outer, "FILE", "part", "STATE", "state: {properties: {y: {type: integer, maximum: 5}}}")
	wantError(t, runFolder(t, files, map[string]any{"x": 4}), `state "y"`)
	files["main.yaml"] = edited(outer, "FILE", "part", "agent_ref: sub", "agent_ref: sub, outputs_map: {z: y}")
	want(t, runFolder(t, files, map[string]any{"x": 4}), `{"x": 4, "z": 8}`)
}

// What is wrong with a nested recipe, or with the way to it, is said with file, line and column.
func TestNestedErrors(t *testing.T) {
	deep := map[string]string{"main.yaml": edited(outer, "FILE", name("d", 1))}
	for i := 1; i < 20; i++ {
		deep[name("d", i)] = edited(outer, "FILE", name("d", i+1))
	}
	for what, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"missing":  {map[string]string{"main.yaml": edited(outer, "FILE", "othr.yaml"), "other.yaml": inner}, []string{`main.yaml:3:36: there is no file "othr.yaml" in the folder of the recipe; did you mean "other.yaml"?`}},
		"outside":  {map[string]string{"main.yaml": edited(outer, "FILE", "../other.yaml")}, []string{`main.yaml:3:36: "../other.yaml" is not in the folder of the recipe`}},
		"absolute": {map[string]string{"main.yaml": edited(outer, "FILE", "/etc/passwd")}, []string{`main.yaml:3:36: "/etc/passwd" is not in the folder of the recipe`}},
		"a cycle": {
			map[string]string{"main.yaml": edited(outer, "FILE", "a.yaml"), "a.yaml": edited(outer, "FILE", "sub/b.yaml"), "sub/b.yaml": edited(outer, "FILE", "../a.yaml")},
			[]string{`b.yaml:3:36: the recipe calls itself: a.yaml -> sub/b.yaml -> a.yaml`},
		},
		"itself":  {map[string]string{"main.yaml": edited(outer, "FILE", "main.yaml")}, []string{`main.yaml:3:36: the recipe calls itself: main.yaml -> main.yaml`}},
		"deep":    {deep, []string{"recipes lie more than 16 deep in each other"}},
		"inside":  {map[string]string{"main.yaml": edited(outer, "FILE", "part.yaml"), "part.yaml": strings.Replace(inner, "x * 2", "x * z", 1)}, []string{`part.yaml:3:45: nothing that comes before is called "z"`}},
		"inputs":  {map[string]string{"main.yaml": edited(outer, "FILE", "part.yaml", "agent_ref: sub", "agent_ref: sub, inputs_map: {z: x}, timeout_seconds: 3"), "part.yaml": inner}, []string{`the recipe "part.yaml" needs the input "x" too`, `the recipe "part.yaml" has no input "z"`, "a recipe has no time limit where it is called"}},
		"nothing": {map[string]string{"main.yaml": edited(outer, "FILE", "part.yaml", "STATE", "interface: {inputs: {y: {type: string}}}"), "part.yaml": inner}, []string{`the recipe "part.yaml" needs the input "x"`}},
		"types":   {map[string]string{"main.yaml": edited(outer, "FILE", "part.yaml", "STATE", "interface: {inputs: {x: {type: string}}}"), "part.yaml": inner}, []string{`"x" does not fit the input "x" of the recipe "part.yaml": it is a text, expected a`}},
		"outputs": {map[string]string{"main.yaml": edited(outer, "FILE", "part.yaml", "agent_ref: sub", "agent_ref: sub, outputs_map: {a: z}"), "part.yaml": inner}, []string{`the recipe "part.yaml" gives no "z"`}},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := recipe.Load(filepath.Join(folder(t, c.files), "main.yaml"), recipe.Options{})
			if err == nil {
				t.Fatal("it loads")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not hold %q:\n%v", part, err)
				}
			}
		})
	}
}

func name(prefix string, i int) string { return prefix + string(rune('a'+i)) + ".yaml" }

// A link does not lead out of the folder.
func TestNestedFilesStayInTheFolder(t *testing.T) {
	elsewhere := folder(t, map[string]string{"secret.yaml": inner})
	dir := folder(t, map[string]string{"main.yaml": edited(outer, "FILE", "link.yaml")})
	if err := os.Symlink(filepath.Join(elsewhere, "secret.yaml"), filepath.Join(dir, "link.yaml")); err != nil {
		t.Skip(err)
	}
	_, err := recipe.Load(filepath.Join(dir, "main.yaml"), recipe.Options{})
	if err == nil || !strings.Contains(err.Error(), "a recipe reads files of its own folder only") {
		t.Errorf("got %v", err)
	}
}

// A policy's max_retries is not for nested recipes, which have their own; a node's is: all of it begins anew.
func TestG6_ANestedRecipeIsTriedAgain(t *testing.T) {
	part := strings.Replace(strings.Replace(inner, "entry_point: double", "entry_point: twice", 1), "nodes: [{", "nodes: [{type: agent, id: twice, agent_ref: count}, {", 1) +
		"  edges: [{source: twice, target: double}]\n"
	part = strings.Replace(part, "agent_ref: double}", "agent_ref: flaky}", 1)
	for text, tries := range map[string]int{"agent_ref: sub": 1, "agent_ref: sub, max_retries: 2": 3} {
		counted, called := 0, 0
		lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
			"count": func(node.Context, map[string]any) (any, error) { counted++; return nil, nil },
			"flaky": func(_ node.Context, args map[string]any) (any, error) {
				if called++; called < 3 {
					return nil, errOdd
				}
				return map[string]any{"y": args["x"]}, nil
			},
		}}
		main := edited(outer, "FILE", "part.yaml", "agent_ref: sub", text, "STATE", "policy: {max_retries: 5}")
		r := load(t, filepath.Join(folder(t, map[string]string{"main.yaml": main, "part.yaml": part}), "main.yaml"), recipe.Options{Library: lib})
		rt, err := fermata.New(fermata.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res := job{inputs: map[string]any{"x": 4}}.on(t, rt, r)
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		if counted != tries || called != tries || (res.Status == fermata.Completed) != (tries == 3) {
			t.Errorf("%s: status %s, count was called %d times, flaky %d times, of %d: %v", text, res.Status, counted, called, tries, res.Err)
		}
	}
}

// Folders beside the recipe's own may be allowed, and what was read from them is stored, too.
func TestNestedFilesOfAllowedFolders(t *testing.T) {
	dir := folder(t, map[string]string{"own/main.yaml": edited(outer, "FILE", "../shared/part.yaml"), "shared/part.yaml": inner, "other/part.yaml": inner})
	main, shared := filepath.Join(dir, "own", "main.yaml"), filepath.Join(dir, "shared")
	if _, err := recipe.Load(main, recipe.Options{Allow: &recipe.Allow{Folders: []string{filepath.Join(dir, "other")}}}); err == nil {
		t.Error("a file of a folder that is not allowed was read")
	}
	allowed := recipe.Options{Allow: &recipe.Allow{Folders: []string{shared}}}
	r := load(t, main, allowed)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := recipe.Restore(r.Source(), allowed); err != nil {
		t.Error(err)
	}
	if _, err := recipe.Restore(r.Source(), recipe.Options{}); err == nil {
		t.Error("a stored file of a folder that is not allowed any more was taken")
	}
}
