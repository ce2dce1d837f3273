package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/schema"
)

// anySchema draws schemas of all keywords that are compared, over a small world in which values meet them.
func anySchema(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		shapes := []string{"bool", "type", "enum", "number", "string"}
		if depth > 0 {
			shapes = append(shapes, "object", "object", "array", "either", "all", "ref", "ref", "not", "if", "odd")
		}
		s := map[string]any{}
		switch rapid.SampledFrom(shapes).Draw(t, "shape") {
		case "bool":
			return rapid.Bool().Draw(t, "bool")
		case "type":
			s["type"] = rapid.SliceOfNDistinct(types, 1, 3, rapid.ID[string]).Draw(t, "types")
		case "enum":
			s["enum"] = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"null", "true", "0", "1", "2", "1.5", `"a"`, `"b"`}), 1, 4, rapid.ID[string]).
				Draw(t, "enum")
			s["enum"] = raw(s["enum"].([]string))
		case "number":
			s["type"] = rapid.SampledFrom([]string{"integer", "number"}).Draw(t, "type")
			some(t, s, smallNumber, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
			some(t, s, rapid.SampledFrom([]any{0.5, 1, 2, 3}), "multipleOf")
		case "string":
			s["type"] = "string"
			some(t, s, small, "minLength", "maxLength")
			some(t, s, rapid.SampledFrom([]any{"^a", "b$", ""}), "pattern")
		case "object":
			objectWords(t, s, depth)
		case "array":
			some(t, s, rapid.SampledFrom([]any{"array"}), "type")
			some(t, s, small, "minItems", "maxItems")
			some(t, s, rapid.Bool().AsAny(), "uniqueItems")
			some(t, s, anySchema(depth-1), "items", "contains")
			some(t, s, rapid.SliceOfN(anySchema(depth-1), 1, 2).AsAny(), "prefixItems")
		case "either":
			s[rapid.SampledFrom([]string{"anyOf", "anyOf", "oneOf"}).Draw(t, "either")] = rapid.SliceOfN(anySchema(depth-1), 1, 3).Draw(t, "parts")
		case "all":
			s["allOf"] = rapid.SliceOfN(anySchema(depth-1), 1, 2).Draw(t, "parts")
			some(t, s, types.AsAny(), "type")
		case "ref":
			s["$ref"] = rapid.SampledFrom([]string{"#/$defs/x", "#/$defs/y"}).Draw(t, "ref")
		case "not":
			s["not"] = anySchema(depth-1).Draw(t, "not")
		case "if":
			some(t, s, anySchema(depth-1), "if", "then", "else")
		case "odd":
			some(t, s, anySchema(depth-1), "unevaluatedProperties", "unevaluatedItems")
			s["format"] = "date"
		}
		return s
	})
}

var (
	types       = rapid.SampledFrom([]string{"null", "boolean", "integer", "number", "string", "array", "object"})
	smallNumber = rapid.SampledFrom([]any{-1, 0, 0.5, 1, 2})
	small       = rapid.IntRange(0, 2).AsAny()
	names       = rapid.SampledFrom([]string{"a", "b", "ab"})
)

func some(t *rapid.T, s map[string]any, gen *rapid.Generator[any], keywords ...string) {
	for _, keyword := range keywords {
		if rapid.Bool().Draw(t, keyword+"?") {
			s[keyword] = gen.Draw(t, keyword)
		}
	}
}

func objectWords(t *rapid.T, s map[string]any, depth int) {
	some(t, s, rapid.SampledFrom([]any{"object"}), "type")
	some(t, s, rapid.MapOfN(names, anySchema(depth-1), 0, 2).AsAny(), "properties")
	some(t, s, rapid.SliceOfNDistinct(names, 0, 2, rapid.ID[string]).AsAny(), "required")
	some(t, s, anySchema(depth-1), "additionalProperties")
	if rapid.Bool().Draw(t, "rarer") {
		some(t, s, rapid.MapOfN(rapid.SampledFrom([]string{"^a", "b$"}), anySchema(depth-1), 0, 2).AsAny(), "patternProperties")
		some(t, s, small, "minProperties", "maxProperties")
		some(t, s, anySchema(0), "propertyNames")
		some(t, s, rapid.MapOfN(names, rapid.SliceOfNDistinct(names, 0, 2, rapid.ID[string]), 0, 1).AsAny(), "dependentRequired")
		some(t, s, rapid.MapOfN(names, anySchema(0), 0, 1).AsAny(), "dependentSchemas")
	}
}

func raw(texts []string) (all []json.RawMessage) {
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

// document draws a whole schema: two definitions that may refer to each other, below a property or an item.
func document(t *rapid.T, name string) map[string]any {
	return map[string]any{
		"allOf": []any{anySchema(3).Draw(t, name)},
		"$defs": map[string]any{
			"x": map[string]any{"type": []string{"object", "null"}, "properties": map[string]any{"a": anySchema(2).Draw(t, name+".x")}},
			"y": anySchema(0).Draw(t, name+".y"),
		},
	}
}

// changed draws a schema like s with one thing in it changed: most changes that people make are small.
func changed(t *rapid.T, s any) any {
	switch s := s.(type) {
	case map[string]any:
		out := maps.Clone(s)
		keys := slices.Sorted(maps.Keys(out))
		if len(keys) == 0 || rapid.IntRange(0, 5).Draw(t, "add") == 0 {
			if extra, ok := anySchema(1).Draw(t, "more").(map[string]any); ok {
				maps.Copy(out, extra)
			}
			return out
		}
		key := rapid.SampledFrom(keys).Draw(t, "key")
		if rapid.IntRange(0, 3).Draw(t, "drop") == 0 && key != "x" && key != "y" && key != "$defs" {
			delete(out, key)
			return out
		}
		out[key] = changed(t, out[key])
		return out
	case []any:
		if len(s) == 0 {
			return s
		}
		out := slices.Clone(s)
		i := rapid.IntRange(0, len(s)-1).Draw(t, "item")
		out[i] = changed(t, out[i])
		return out
	case []string:
		if !slices.ContainsFunc(s, func(name string) bool { return len(name) > 2 }) { // names of properties
			return rapid.SliceOfNDistinct(names, 0, 3, rapid.ID[string]).Draw(t, "names")
		}
		return rapid.SliceOfNDistinct(types, 1, 4, rapid.ID[string]).Draw(t, "types")
	case bool:
		return !s
	case int:
		return max(0, s+rapid.IntRange(-1, 1).Draw(t, "by"))
	case float64:
		return s + rapid.SampledFrom([]float64{-0.25, 0.5}).Draw(t, "by")
	}
	return s
}

func values(depth int) *rapid.Generator[any] {
	flat := rapid.SampledFrom([]any{nil, true, false, -1, 0, 1, 2, 4, 0.5, 1.5, "", "a", "b", "ab", "c", "2026-01-31"})
	if depth == 0 {
		return flat
	}
	return rapid.OneOf(
		flat,
		rapid.SliceOfN(values(depth-1), 0, 3).AsAny(),
		rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "ab", "c"}), values(depth-1), 0, 3).AsAny(),
		rapid.MapOfN(names, values(depth-1), 0, 3).AsAny(),
	)
}

func compiled(doc any) (*schema.Schema, string) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err.Error()
	}
	s, err := schema.Parse(text)
	if err != nil {
		return nil, string(text) // a schema that refers to itself without end
	}
	return s, string(text)
}

// Where nothing is said against it, all that the old version allows the new one allows too.
func TestCompatible_isCertain(t *testing.T) {
	compatible, checked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		before := document(t, "old")
		var after any = before
		for range rapid.IntRange(1, 2).Draw(t, "changes") {
			after = changed(t, after)
		}
		old, oldText := compiled(before)
		next, nextText := compiled(after)
		if old == nil || next == nil || schema.Compatible(old, next, schema.Backward) != nil {
			return
		}
		compatible++
		for range 30 {
			value, err := json.Marshal(values(3).Draw(t, "value"))
			if err != nil {
				t.Fatal(err)
			}
			if old.Check(value) != nil {
				continue
			}
			checked++
			if err := next.Check(value); err != nil {
				t.Fatalf("%s\nis allowed by %s\nand not by %s: %v", value, oldText, nextText, err)
			}
		}
	})
	t.Logf("%d pairs are compatible, %d values checked", compatible, checked)
	if compatible == 0 || checked == 0 {
		t.Error("nothing was compared")
	}
}

// A schema is compatible with itself however it is spelled: nothing is called broken where nothing has changed.
func TestCompatible_withItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := document(t, "doc")
		same := maps.Clone(doc)
		same["$comment"] = "another spelling"
		s, text := compiled(doc)
		again, _ := compiled(same)
		if s == nil {
			return
		}
		err := schema.Compatible(s, again, schema.Both)
		found, ok := errors.AsType[*schema.IncompatibleError](err)
		if err != nil && (!ok || len(found.Broken) > 0) {
			t.Fatal(fmt.Errorf("%s\nis not compatible with itself: %w", text, err))
		}
	})
}
