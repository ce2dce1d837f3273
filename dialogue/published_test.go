package dialogue

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/definitiontest"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/golden"
)

// TestSchemaKnowsEveryKey compares the keys and words that the loader takes with those that the schema has.
func TestSchemaKnowsEveryKey(t *testing.T) {
	doc := definitiontest.Schema(t, Schema())
	parts := map[string][]string{
		"": fileKeys, "properties/metadata": metadataKeys, "properties/renamed": renamedKeys, "$defs/settings": settingsKeys,
		"$defs/settings/properties/silence": silenceKeys, "$defs/settings/properties/handoff": handoffKeys,
		"$defs/slot": slotKeys, "$defs/choice": choiceKeys, "$defs/flow": flowKeys, "$defs/case": caseKeys,
		"$defs/testsFile": testFileKeys, "$defs/test": testKeys, "$defs/testLine": lineKeys, "$defs/command": commandKeys,
		"$defs/patterns": texts(PatternNames()), "$defs/patternOf": patternKeys, "properties/chitchat/items": chatKeys, "$defs/variation": variationKeys, "$defs/alternative": alternativeKeys, "$defs/event": eventKeys, "$defs/testEvent": testEventKeys, "$defs/saidAny": anyKeys,
	}
	for kind, keys := range stepKeys {
		parts["$defs/"+kind+"Step"] = keys
	}
	for path, keys := range parts {
		part := doc.At(t, path)
		got := slices.Sorted(maps.Keys(part.At(t, "properties")))
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
		if diff := cmp.Diff(fmt.Sprint(words), fmt.Sprint(doc.At(t, path)["enum"])); diff != "" {
			t.Errorf("%q: the loader's words and the schema's differ (-loader +schema):\n%s", path, diff)
		}
	}
}

// TestSchemaKnowsEveryStep checks that each type of steps is chosen by that key alone: editors then offer its keys.
func TestSchemaKnowsEveryStep(t *testing.T) {
	doc := definitiontest.Schema(t, Schema())
	if chosen := doc.Kinds(t, "$defs/step", "type"); !slices.Equal(chosen, stepTypes()) {
		t.Errorf("the loader has %v; the schema describes %v", stepTypes(), chosen)
	}
}

// TestSchemaExplainsEveryKey checks that an editor has something to show for every key.
func TestSchemaExplainsEveryKey(t *testing.T) {
	definitiontest.Schema(t, Schema()).Explains(t, 100)
}

// TestSchemaTakesDialogues checks that every good file passes the published schema, and every file of tests its part.
func TestSchemaTakesDialogues(t *testing.T) {
	doc := definitiontest.Schema(t, Schema())
	found, tests := 0, 0
	for _, pattern := range []string{"testdata/files/*.yaml", "testdata/files/*.json", "testdata/conversations/*.yaml", "../examples/*/dialogue*.yaml", "../examples/dialogues/*/*.yaml"} {
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
			if err := doc.Check(t, part, file); err != nil {
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
	doc := definitiontest.Schema(t, Schema())
	cases := golden.Open(t, "testdata/errors/*.txtar")
	seen := 0
	own := regexp.MustCompile(`(?m)^(\S+\.(?:yaml|json)):\d+:\d+: (unknown key|expected (a |text|true or false, found the text)|type is|kind is|there is no pattern|"\w+" is (missing|no type))`)
	for _, name := range cases.Names("*.golden") {
		text := cases.Text(t, name)
		m := own.FindStringSubmatch(text)
		if m == nil || m[1] == "actions.yaml" { // what stands there the schema does not know
			continue
		}
		seen++
		if err := doc.CheckText(t, "", m[1], cases.Text(t, m[1])); err == nil {
			t.Errorf("%s passes the published schema: %s", m[1], text)
		}
	}
	if seen < 20 {
		t.Errorf("only %d files have mistakes that a schema sees", seen)
	}
}

// TestTranslationSchema compares the keys that translations may have with those of their schema, and checks that it explains each
// of them and takes the translations of the examples.
func TestTranslationSchema(t *testing.T) {
	doc := definitiontest.Schema(t, TranslationSchema())
	for path, keys := range map[string][]string{
		"": translationKeys, "properties/settings": spokenSettingsKeys, "$defs/slot": translatedSlotKeys, "$defs/flow": translatedFlowKeys,
		"$defs/step": translatedStepKeys, "$defs/choice": translatedValueKeys, "$defs/variation": variationKeys, "properties/chitchat/items": chatKeys,
	} {
		part := doc.At(t, path)
		got := slices.Sorted(maps.Keys(part.At(t, "properties")))
		if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), got); diff != "" || part["additionalProperties"] != false {
			t.Errorf("%q: the loader's keys and the schema's differ (-loader +schema):\n%s", path, diff)
		}
	}
	doc.Explains(t, 20)
	files, err := filepath.Glob("../examples/dialogues/*/languages/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no translation", err)
	}
	for _, file := range files {
		if err := doc.Check(t, "", file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := doc.CheckText(t, "", "de.yaml", "kind: Translation\nlanguage: de\nflows: {a: {steps: {b: {mesage: c}}}}\n"); err == nil {
		t.Error("a key that there is not passes the schema")
	}
}

// The embedded schema is the one that is written beside it: go generate compresses it.
func TestTheEmbeddedSchemaIsTheFile(t *testing.T) {
	file, err := os.ReadFile("dialogue.schema.json")
	if err != nil || !bytes.Equal(document.Unpacked(published), file) {
		t.Errorf("dialogue.schema.json.gz holds something else than dialogue.schema.json (%v): go generate ./dialogue", err)
	}
}
