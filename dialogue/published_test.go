package dialogue

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

// TestSchemaKnowsEveryKey compares the keys and words that the loader takes with those that the schema has.
func TestSchemaKnowsEveryKey(t *testing.T) {
	doc := publishedPart(t)
	parts := map[string][]string{
		"": fileKeys, "properties/metadata": metadataKeys, "$defs/settings": settingsKeys,
		"$defs/settings/properties/silence": silenceKeys, "$defs/settings/properties/handoff": handoffKeys,
		"$defs/slot": slotKeys, "$defs/choice": choiceKeys, "$defs/flow": flowKeys, "$defs/case": caseKeys,
		"$defs/testsFile": testFileKeys, "$defs/test": testKeys, "$defs/testLine": lineKeys, "$defs/command": commandKeys,
		"$defs/patterns": texts(PatternNames()), "$defs/patternOf": patternKeys, "properties/chitchat/items": chatKeys,
	}
	for kind, keys := range stepKeys {
		parts["$defs/"+kind+"Step"] = keys
	}
	for path, keys := range parts {
		part := doc.at(t, path)
		got := slices.Sorted(maps.Keys(part.at(t, "properties")))
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), got); diff != "" {
			t.Errorf("%q: the loader's keys and the schema's differ (-loader +schema):\n%s", path, diff)
		}
		if part["additionalProperties"] != false {
			t.Errorf("%q: the schema takes keys that the loader does not", path)
		}
	}
	for path, words := range map[string][]string{
		"$defs/slot/properties/type": texts(SlotTypes()), "$defs/step/properties/type": stepTypes(),
	} {
		if diff := cmp.Diff(fmt.Sprint(words), fmt.Sprint(doc.at(t, path)["enum"])); diff != "" {
			t.Errorf("%q: the loader's words and the schema's differ (-loader +schema):\n%s", path, diff)
		}
	}
}

// TestSchemaKnowsEveryStep checks that each type of steps is chosen by that key alone: editors then offer its keys.
func TestSchemaKnowsEveryStep(t *testing.T) {
	doc := publishedPart(t)
	var chosen []string
	for _, c := range doc.at(t, "$defs/step")["allOf"].([]any) {
		branch := subschema(c.(map[string]any))
		kind := branch.at(t, "if/properties/type")["const"].(string)
		then := strings.TrimPrefix(branch.at(t, "then")["$ref"].(string), "#/")
		if got := doc.at(t, then+"/properties/type")["const"]; got != kind {
			t.Errorf("the type %s is described by %s, which is of the type %v", kind, then, got)
		}
		if !cmp.Equal(branch.at(t, "if")["required"], []any{"type"}) {
			t.Errorf("%s is also taken where type is not there", then)
		}
		chosen = append(chosen, kind)
	}
	if slices.Sort(chosen); !slices.Equal(chosen, stepTypes()) {
		t.Errorf("the loader has %v; the schema describes %v", stepTypes(), chosen)
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
	if explained < 100 {
		t.Errorf("only %d keys were found", explained)
	}
}

// checkPublished checks a file against a part of the schema, "" for all of it; nil where it fits.
func checkPublished(t *testing.T, file, part string) error {
	t.Helper()
	doc := publishedPart(t)
	if part != "" {
		doc = subschema{"$ref": "#/" + part, "$defs": doc["$defs"], "properties": doc["properties"]}
	}
	parsed, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Parse(parsed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &document.Report{}
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

// TestSchemaTakesDialogues checks that every good file passes the published schema, and every file of tests its part.
func TestSchemaTakesDialogues(t *testing.T) {
	found, tests := 0, 0
	for _, pattern := range []string{"testdata/files/*.yaml", "testdata/files/*.json", "../examples/*/dialogue*.yaml", "../examples/dialogues/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			part := ""
			if found++; strings.Contains(filepath.Base(file), ".test.") {
				part = "$defs/testsFile"
				tests++
			}
			if err := checkPublished(t, file, part); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if found < 6 || tests < 3 {
		t.Errorf("only %d dialogues and %d files of tests were found", found-tests, tests)
	}
}

// TestSchemaRefuses checks that a key that there is not is refused by the schema as it is by the loader.
func TestSchemaRefuses(t *testing.T) {
	goldens, err := filepath.Glob("testdata/errors/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	own := regexp.MustCompile(`(?m)^(\S+\.(?:yaml|json)):\d+:\d+: (unknown key|expected (a |text|true or false, found the text)|type is|kind is|there is no pattern|"\w+" is (missing|no type))`)
	for _, golden := range goldens {
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		m := own.FindStringSubmatch(string(text))
		if m == nil || m[1] == "actions.yaml" { // what stands there the schema does not know
			continue
		}
		seen++
		if err := checkPublished(t, filepath.Join("testdata", "errors", m[1]), ""); err == nil {
			t.Errorf("%s passes the published schema: %s", m[1], text)
		}
	}
	if seen < 20 {
		t.Errorf("only %d files have mistakes that a schema sees", seen)
	}
}
