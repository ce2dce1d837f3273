package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/schema"
)

// subschema is a part of the published schema.
type subschema map[string]any

func publishedPart(t *testing.T) subschema {
	t.Helper()
	var doc subschema
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at finds a part by the names that lead to it.
func (p subschema) at(t *testing.T, path string) subschema {
	t.Helper()
	for name := range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		next, ok := p[name].(map[string]any)
		if !ok {
			t.Fatalf("the schema has no %s", path)
		}
		p = next
	}
	return p
}

// keys are the properties of a part, and of all its alternatives.
func (p subschema) keys() []string {
	properties, _ := p["properties"].(map[string]any)
	names := slices.Collect(maps.Keys(properties))
	alternatives, _ := p["anyOf"].([]any)
	for _, a := range alternatives {
		names = append(names, subschema(a.(map[string]any)).keys()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestSchemaKnowsEveryKey compares the keys that the loader takes with those that the schema has.
func TestSchemaKnowsEveryKey(t *testing.T) {
	doc := publishedPart(t)
	for path, keys := range map[string][]string{
		"": slices.Concat(bareKeys, foreignKeys), "properties/interface": interfaceKeys, "properties/state": stateKeys, "properties/policy": policyKeys,
		"$defs/topology": topologyKeys, "$defs/edge": edgeKeys, "$defs/agentsFile": fileKeys,
		"$defs/agentNode": nodeKeys[typeAgent], "$defs/routerNode": nodeKeys[typeRouter], "$defs/humanNode": nodeKeys[typeHuman],
		"$defs/forEachOf": forEachKeys, "$defs/review": reviewKeys, "$defs/onTimeout": timeoutKeys,
		"$defs/exprAgent": agentKeys[kindExpr], "$defs/execAgent": agentKeys[kindExec], "$defs/httpAgent": agentKeys[kindHTTP],
		"$defs/recipeAgent": agentKeys[kindRecipe], "$defs/modelAgent": agentKeys[kindModel], "$defs/mcpAgent": agentKeys[kindMCP],
		"$defs/modelAgent/properties/limits": limitKeys, "$defs/mcpAgent/properties/server": serverKeys,
		"$defs/approval": approvalKeys, "$defs/asking": askingKeys,
		"$defs/testsFile": testsFileKeys, "$defs/test": testKeys, "$defs/standIn": standInKeys, "$defs/modelTurn": testTurnKeys, "$defs/expect": expectKeys,
		"$defs/asked": askedKeys,
	} {
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), doc.at(t, path).keys()); diff != "" {
			t.Errorf("%q: the loader's keys and the schema's differ (-loader +schema):\n%s", path, diff)
		}
	}
}

// TestSchemaKnowsEveryKind checks that the schema has the same types of nodes and kinds of agents as the loader, and that
// each is chosen by that key alone: editors then offer the keys of one.
func TestSchemaKnowsEveryKind(t *testing.T) {
	doc := publishedPart(t)
	for def, want := range map[string]struct {
		key   string
		kinds []string
	}{
		"$defs/node":  {"type", slices.Collect(maps.Keys(nodeKeys))},
		"$defs/agent": {"kind", slices.Collect(maps.Keys(agentKeys))},
	} {
		slices.Sort(want.kinds)
		var listed, chosen []string
		for _, v := range doc.at(t, def+"/properties/"+want.key)["enum"].([]any) {
			listed = append(listed, v.(string))
		}
		for _, c := range doc.at(t, def)["allOf"].([]any) {
			branch := subschema(c.(map[string]any))
			kind := branch.at(t, "if/properties/"+want.key)["const"].(string)
			then := branch.at(t, "then")["$ref"].(string)
			if got := doc.at(t, strings.TrimPrefix(then, "#/")+"/properties/"+want.key)["const"]; got != kind {
				t.Errorf("%s: the kind %s is described by %s, which is of the kind %v", def, kind, then, got)
			}
			if !cmp.Equal(branch.at(t, "if")["required"], []any{want.key}) {
				t.Errorf("%s: %s is also taken where %s is not there", def, then, want.key)
			}
			chosen = append(chosen, kind)
		}
		slices.Sort(listed)
		slices.Sort(chosen)
		if !slices.Equal(listed, want.kinds) || !slices.Equal(chosen, want.kinds) {
			t.Errorf("%s: the loader has %v; the schema lists %v and describes %v", def, want.kinds, listed, chosen)
		}
	}
}

// TestSchemaExplainsEveryKey checks that an editor has something to show for every key.
func TestSchemaExplainsEveryKey(t *testing.T) {
	doc := publishedPart(t)
	explained := 0
	var walk func(at string, v any, names bool)
	walk = func(at string, v any, names bool) {
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(fmt.Sprintf("%s/%d", at, i), v[i], false)
			}
		case map[string]any:
			for name, sub := range v {
				if described, is := sub.(map[string]any); is && names {
					text := described["description"]
					if ref, _ := described["$ref"].(string); text == nil && ref != "" {
						text = doc.at(t, strings.TrimPrefix(ref, "#/"))["description"]
					}
					if explained++; text == nil {
						t.Errorf("%s/%s has no description", at, name)
					}
				}
				if name != "if" {
					walk(at+"/"+name, sub, name == "properties" && !names)
				}
			}
		}
	}
	walk("", map[string]any(doc), false)
	if explained < 150 {
		t.Errorf("only %d keys were found", explained)
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
	r := newReport()
	src := document.Read(file, data, r)
	if src.Root == nil {
		t.Fatal(r.Err())
	}
	v, err := document.JSON(src.Root)
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
	templates, err := filepath.Glob("../cmd/fermata/internal/templates/*/recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(list, examples, gallery, templates) {
		if err := checkPublished(t, file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSchemaRefuses checks that the mistakes that a schema can see are seen, and all keys that there are not.
func TestSchemaRefuses(t *testing.T) {
	names := []string{"missing.yaml", "schemas.yaml"}
	for _, golden := range files(t, "testdata/errors/*.golden") {
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		own := regexp.MustCompile(`(?m)^(?:testdata/errors/)?(\w+\.(?:yaml|json)):\d+:\d+: unknown key`)
		for _, m := range own.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		if err := checkPublished(t, "testdata/errors/"+name); err == nil {
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
