package recipe

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/schema"
)

// keysOfDefinition are the properties that the published schema gives to a definition; "" is the recipe itself.
func keysOfDefinition(t *testing.T, name string) []string {
	t.Helper()
	var doc struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	if name == "" {
		return slices.Sorted(maps.Keys(doc.Properties))
	}
	d, ok := doc.Defs[name]
	if !ok {
		t.Fatalf("the schema has no definition %s", name)
	}
	return slices.Sorted(maps.Keys(d.Properties))
}

// TestSchemaKnowsEveryKey compares the keys that the loader takes with those that the schema has.
func TestSchemaKnowsEveryKey(t *testing.T) {
	known := map[string][]string{
		"": bareKeys, "topology": topologyKeys, "edge": edgeKeys, "agentsFile": fileKeys,
		"agentNode": nodeKeys[typeAgent], "routerNode": nodeKeys[typeRouter], "humanNode": nodeKeys[typeHuman],
		"exprAgent": agentKeys[kindExpr], "execAgent": agentKeys[kindExec], "httpAgent": agentKeys[kindHTTP],
		"testsFile": testsFileKeys, "test": testKeys, "standIn": standInKeys, "expect": expectKeys, "asked": askedKeys,
		"recipeAgent": agentKeys[kindRecipe], "forEachOf": forEachKeys,
		"modelAgent": agentKeys[kindModel], "mcpAgent": agentKeys[kindMCP], "approval": approvalKeys, "asking": askingKeys,
	}
	for name, keys := range known {
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), keysOfDefinition(t, name)); diff != "" {
			t.Errorf("%q: the loader's keys and the schema's differ (-loader +schema):\n%s", name, diff)
		}
	}
	var nested struct {
		Properties map[string]struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(Schema(), &nested); err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string][]string{"interface": interfaceKeys, "state": stateKeys, "policy": policyKeys} {
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), slices.Sorted(maps.Keys(nested.Properties[name].Properties))); diff != "" {
			t.Errorf("%s: the loader's keys and the schema's differ (-loader +schema):\n%s", name, diff)
		}
	}
}

func checkPublished(t *testing.T, file string) error {
	t.Helper()
	s, err := schema.Parse(Schema())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &report{}
	src := readYAML(file, data, r)
	if src.root == nil {
		t.Fatal(r.err())
	}
	v, err := jsonOf(src.root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return s.Check(text)
}

// TestSchemaTakesRecipes checks that every good recipe passes the published schema.
func TestSchemaTakesRecipes(t *testing.T) {
	list := files(t, "testdata/recipes/*.yaml", "testdata/recipes/*.json")
	examples, err := filepath.Glob("../examples/*/recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	gallery, err := filepath.Glob("../examples/recipes/*/recipe.[yj]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(list, examples, gallery) {
		if err := checkPublished(t, file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSchemaRefuses checks that the mistakes that a schema can see are seen.
func TestSchemaRefuses(t *testing.T) {
	for _, name := range []string{"unknown_keys.yaml", "missing.yaml", "schemas.yaml", "models.yaml", "json.json"} {
		if err := checkPublished(t, "testdata/errors/"+name); err == nil {
			t.Errorf("%s passes the published schema", name)
		}
	}
}
