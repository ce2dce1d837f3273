package recipe

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/definitiontest"
	"github.com/fermata-go/fermata/internal/golden"
)

// TestSchemaKnowsEveryKey compares the keys that the loader takes with those that the schema has.
func TestSchemaKnowsEveryKey(t *testing.T) {
	doc := definitiontest.Schema(t, Schema())
	known := map[string][]string{
		"": slices.Concat(bareKeys, foreignKeys), "properties/interface": interfaceKeys, "properties/state": stateKeys, "properties/policy": policyKeys, "properties/renamed": renamedKeys,
		"$defs/topology": topologyKeys, "$defs/edge": edgeKeys, "$defs/agentsFile": fileKeys,
		"$defs/forEachOf": forEachKeys, "$defs/review": reviewKeys, "$defs/onTimeout": timeoutKeys,
		"$defs/modelAgent/properties/limits": limitKeys, "$defs/mcpAgent/properties/server": serverKeys,
		"$defs/approval": approvalKeys, "$defs/asking": askingKeys,
		"$defs/testsFile": testsFileKeys, "$defs/test": testKeys, "$defs/posted": postedKeys, "$defs/standIn": standInKeys, "$defs/modelTurn": testTurnKeys, "$defs/expect": expectKeys,
		"$defs/asked": askedKeys, "$defs/schedule": scheduleKeys, "$defs/pool": poolKeys,
	}
	for _, of := range nodeTypes {
		known["$defs/"+of.name+"Node"] = of.allKeys()
	}
	for name, kind := range writtenKinds() {
		known["$defs/"+name+"Agent"] = kind.allKeys()
	}
	for path, keys := range known {
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), doc.At(t, path).Keys()); diff != "" {
			t.Errorf("%q: the loader's keys and the schema's differ (-loader +schema):\n%s", path, diff)
		}
	}
}

// TestSchemaKnowsEveryKind checks that the schema has the same types of nodes and kinds of agents as the loader, and that
// each is chosen by that key alone: editors then offer the keys of one.
func TestSchemaKnowsEveryKind(t *testing.T) {
	doc := definitiontest.Schema(t, Schema())
	for def, want := range map[string]struct {
		key   string
		kinds []string
	}{
		"$defs/node":  {"type", typesOfNodes()},
		"$defs/agent": {"kind", slices.Collect(maps.Keys(writtenKinds()))},
	} {
		slices.Sort(want.kinds)
		var listed []string
		for _, v := range doc.At(t, def+"/properties/"+want.key)["enum"].([]any) {
			listed = append(listed, v.(string))
		}
		slices.Sort(listed)
		chosen := doc.Kinds(t, def, want.key)
		if !slices.Equal(listed, want.kinds) || !slices.Equal(chosen, want.kinds) {
			t.Errorf("%s: the loader has %v; the schema lists %v and describes %v", def, want.kinds, listed, chosen)
		}
	}
}

// TestSchemaExplainsEveryKey checks that an editor has something to show for every key.
func TestSchemaExplainsEveryKey(t *testing.T) {
	definitiontest.Schema(t, Schema()).Explains(t, 150)
}

// TestSchemaTakesRecipes checks that every good recipe passes the published schema.
func TestSchemaTakesRecipes(t *testing.T) {
	doc := definitiontest.Schema(t, Schema())
	cases := goodRecipes(t)
	for _, name := range cases.Names("*.yaml", "*.json") {
		if err := doc.CheckText(t, "", name, cases.Text(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	examples, err := filepath.Glob("../examples/*/recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	gallery, err := filepath.Glob("../examples/recipes/*/recipe.[yj]*")
	if err != nil {
		t.Fatal(err)
	}
	templates, err := filepath.Glob("../cmd/fermata/internal/templates/*/recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(examples, gallery, templates) {
		if err := doc.Check(t, "", file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSchemaRefuses checks that the mistakes that a schema can see are seen, and all keys that there are not.
func TestSchemaRefuses(t *testing.T) {
	doc := definitiontest.Schema(t, Schema())
	names := []string{"missing.yaml", "schemas.yaml"}
	cases := golden.Open(t, errorCases)
	for _, name := range cases.Names("*.golden") {
		own := regexp.MustCompile(`(?m)^(\w+\.(?:yaml|json)):\d+:\d+: unknown key`)
		for _, m := range own.FindAllStringSubmatch(cases.Text(t, name), -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		if err := doc.CheckText(t, "", name, cases.Text(t, name)); err == nil {
			t.Errorf("%s passes the published schema", name)
		}
	}
	if len(names) < 6 {
		t.Errorf("only %v have mistakes that a schema sees", names)
	}
}

// TestRecipesNameTheirSchema checks that a recipe in JSON can say where its schema is, as editors want it.
func TestRecipesNameTheirSchema(t *testing.T) {
	const rest = `, "entry_point": "ask", "nodes": [{"type": "human", "id": "ask", "prompt": "Go on?"}]}`
	if _, err := Parse([]byte(`{"$schema": "./recipe.schema.json"`+rest), "a.json", Options{}); err != nil {
		t.Error(err)
	}
	if _, err := Parse([]byte(`{"$schema": []`+rest), "a.json", Options{}); err == nil {
		t.Error("$schema may be a list")
	}
}

// The embedded schema is the one that is written beside it: go generate compresses it.
func TestTheEmbeddedSchemaIsTheFile(t *testing.T) {
	file, err := os.ReadFile("recipe.schema.json")
	if err != nil || !bytes.Equal(Schema(), file) {
		t.Errorf("recipe.schema.json.gz holds something else than recipe.schema.json (%v): go generate ./recipe", err)
	}
}
