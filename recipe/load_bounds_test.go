package recipe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/recipe"
)

// mostAllocations is what loading a file of some bytes may take, whatever stands in it: as much as a recipe of some hundred
// nodes, and what reading so much YAML takes.
func mostAllocations(bytes int) float64 { return 1_000_000 + 2*float64(bytes) }

// Files of strangers are loaded or refused with bounded work: schemas that refer to themselves, aliases that stand for
// ever more, what is nested too deep, and what is too large.
func TestLoadingIsBounded(t *testing.T) {
	var members, deep, wide, aliases strings.Builder
	for i := range 30 {
		fmt.Fprintf(&members, "m%d: {$ref: \"#/$defs/all\"}, ", i)
		fmt.Fprintf(&wide, "{type: object, properties: {m%d: {$ref: \"#/$defs/d\"}}}, ", i)
	}
	for i := range 40 {
		fmt.Fprintf(&aliases, "  l%d: &l%d [*l%d, *l%d, *l%d]\n", i+1, i+1, i, i, i)
	}
	for range 1000 {
		deep.WriteString("{type: object, properties: {m: ")
	}
	for _, tc := range []struct{ name, text, fails string }{
		{"a schema that refers to itself", taking(`{$ref: "#/$defs/a", $defs: {a: {$ref: "#/$defs/b"}, b: {$ref: "#/$defs/a"}}}`), "the schema refers to itself without end"},
		{"a schema of schemas of itself", taking(fmt.Sprintf(`{$ref: "#/$defs/all", $defs: {all: {type: object, properties: {%s}}}}`, strings.TrimSuffix(members.String(), ", "))), ""},
		{"alternatives of alternatives", taking(fmt.Sprintf(`{$ref: "#/$defs/d", $defs: {d: {anyOf: [{type: string}, %s]}}}`, strings.TrimSuffix(wide.String(), ", "))), ""},
		{"a thousand levels of a schema", taking(deep.String() + "{}" + strings.Repeat("}}", 1000)), "values are nested more than 64 deep"},
		{"a thousand levels of lists", "metadata: " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "values are nested more than 64 deep"},
		{"a million levels that are never closed", "metadata: " + strings.Repeat("[", 1_000_000), "not YAML"},
		{"aliases that stand for ever more", "metadata:\n  l0: &l0 [x, x, x]\n" + aliases.String(), "the document holds more than 100000 values"},
		{"an alias in what it stands for", "metadata: &m {a: *m}", "the alias *m stands for a value that holds the alias itself"},
		{"ten megabytes", "metadata: {text: " + strings.Repeat("x", 10<<20) + "}", "the file has 10485778 bytes; at most 4194304 are read"},
		{"three megabytes of short values", "metadata: [" + strings.Repeat("x, ", 1<<20) + "]", "the document holds more than 100000 values"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var err error
			took := testing.AllocsPerRun(1, func() { _, err = recipe.Parse([]byte(tc.text), "file.yaml", recipe.Options{}) })
			switch {
			case tc.fails == "" && err != nil:
				t.Errorf("it is refused: %.1000v", err)
			case tc.fails != "" && (err == nil || !strings.Contains(err.Error(), tc.fails)):
				t.Errorf("expected %q, found %.1000v", tc.fails, err)
			}
			if most := mostAllocations(len(tc.text)); took > most {
				t.Errorf("loading took %.0f allocations; expected at most %.0f", took, most)
			}
		})
	}
}
