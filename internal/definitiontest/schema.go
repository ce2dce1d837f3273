package definitiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/schema"
)

// Part is a published schema, or a part of one.
type Part map[string]any

// Schema reads a published schema.
func Schema(t testing.TB, text []byte) Part {
	t.Helper()
	var doc Part
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// At finds a part by the names that lead to it: "$defs/node/properties"; "" is the part itself.
func (p Part) At(t testing.TB, path string) Part {
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

// Keys are the properties of a part, and of all its alternatives, in order.
func (p Part) Keys() []string {
	properties, _ := p["properties"].(map[string]any)
	names := slices.Collect(maps.Keys(properties))
	alternatives, _ := p["anyOf"].([]any)
	for _, a := range alternatives {
		if part, ok := a.(map[string]any); ok {
			names = append(names, Part(part).Keys()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Kinds returns the words of a key that choose the schema of the rest of a mapping, in order. It checks that each word
// is chosen by that key alone and described as that kind: editors then offer the keys of one kind.
func (p Part) Kinds(t testing.TB, part, key string) []string {
	t.Helper()
	branches, _ := p.At(t, part)["allOf"].([]any)
	var kinds []string
	for _, b := range branches {
		branch, _ := b.(map[string]any)
		kind, _ := Part(branch).At(t, "if/properties/"+key)["const"].(string)
		then, _ := Part(branch).At(t, "then")["$ref"].(string)
		if got := p.At(t, strings.TrimPrefix(then, "#/")+"/properties/"+key)["const"]; got != kind {
			t.Errorf("%s: the %s %s is described by %s, which is of %v", part, key, kind, then, got)
		}
		if !reflect.DeepEqual(Part(branch).At(t, "if")["required"], []any{key}) {
			t.Errorf("%s: %s is also valid without %s", part, then, key)
		}
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// Explains checks that every key has a description for editors. The document must have at least this number of keys.
func (p Part) Explains(t testing.TB, least int) {
	t.Helper()
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
					if explained++; p.description(t, described) == nil {
						t.Errorf("%s/%s has no description", at, name)
					}
				}
				if name != "if" {
					walk(at+"/"+name, sub, name == "properties" && !names)
				}
			}
		}
	}
	walk("", map[string]any(p), false)
	if explained < least {
		t.Errorf("only %d keys were found", explained)
	}
}

// description is what a part says of itself, or what it refers to does; nil for nothing.
func (p Part) description(t testing.TB, of Part) any {
	t.Helper()
	if text := of["description"]; text != nil {
		return text
	}
	ref, _ := of["$ref"].(string)
	if ref == "" {
		return nil
	}
	return p.At(t, strings.TrimPrefix(ref, "#/"))["description"]
}

// Check checks a file against a part of the schema, "" for all of it; nil where it fits.
func (p Part) Check(t testing.TB, part, file string) error {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return p.CheckText(t, part, file, string(data))
}

// CheckText is [Part.Check] for the text of a file, whose name says whether it is YAML or JSON.
func (p Part) CheckText(t testing.TB, part, file, data string) error {
	t.Helper()
	if part != "" {
		p = Part{"$ref": "#/" + part, "$defs": p["$defs"], "properties": p["properties"]}
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r := new(document.Report)
	src := document.Read(file, []byte(data), r)
	if src.Root == nil {
		t.Fatal(r.Err())
	}
	v, err := document.JSON(src.Root)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	return s.Check(text)
}
