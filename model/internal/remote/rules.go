package remote

import (
	"encoding/json"
	"slices"
	"strings"
)

// Rules are what a service takes of JSON Schema when it is to promise that its answers fit.
type Rules struct {
	Keywords  []string // beside those that all services know
	Formats   []string // of texts
	Required  bool     // every property has to be required
	Recursive bool     // a schema may contain itself
	Depth     int      // how deep schemas may be nested; 0 for any depth
}

// known are the keywords that services know. The meaning of all but the annotations is looked at in walk.
var known = []string{
	"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "format", "$ref", "$defs",
	"title", "description", "$schema",
}

// Take says whether a service with these rules takes the schema. Its root has to be an object.
func (r Rules) Take(schema json.RawMessage) bool {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil || root["type"] != "object" || root["anyOf"] != nil {
		return false
	}
	w := walk{rules: r, refs: make(map[string]bool)}
	w.defs, _ = root["$defs"].(map[string]any)
	for _, def := range w.defs {
		if !w.schema(def, 1) {
			return false
		}
	}
	return w.schema(root, 1)
}

// walk goes through a schema. refs has the references that were met, and whether they are still being followed.
type walk struct {
	rules Rules
	defs  map[string]any
	refs  map[string]bool
}

func (w *walk) schema(v any, depth int) bool {
	s, ok := v.(map[string]any)
	if !ok || w.rules.Depth > 0 && depth > w.rules.Depth {
		return false
	}
	for keyword := range s {
		if !slices.Contains(known, keyword) && !slices.Contains(w.rules.Keywords, keyword) {
			return false
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		return len(s) == 1 && w.ref(ref, depth)
	}
	if format, ok := s["format"].(string); ok && !slices.Contains(w.rules.Formats, format) {
		return false
	}
	return w.shape(s, depth) && w.values(s)
}

// shape looks at what a schema is made of: types, and the schemas within it.
func (w *walk) shape(s map[string]any, depth int) bool {
	types, choices := typesOf(s["type"]), listOf(s["anyOf"])
	if len(types) == 0 && len(choices) == 0 {
		return false
	}
	for _, choice := range choices {
		if !w.schema(choice, depth+1) {
			return false
		}
	}
	if slices.Contains(types, "array") && !w.schema(s["items"], depth+1) {
		return false
	}
	return !slices.Contains(types, "object") || w.object(s, depth)
}

// object is closed, and has a schema for each property.
func (w *walk) object(s map[string]any, depth int) bool {
	if s["additionalProperties"] != false {
		return false
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok && s["properties"] != nil {
		return false
	}
	required := listOf(s["required"])
	for name, property := range properties {
		if w.rules.Required && !slices.Contains(required, any(name)) || !w.schema(property, depth+1) {
			return false
		}
	}
	return true
}

// values of an enum are plain.
func (w *walk) values(s map[string]any) bool {
	return !slices.ContainsFunc(append(listOf(s["enum"]), s["const"]), func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

// ref follows a reference within the schema, once.
func (w *walk) ref(ref string, depth int) bool {
	if ref == "#" {
		return w.rules.Recursive
	}
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	def, found := w.defs[name]
	if !ok || !found {
		return false
	}
	if open, met := w.refs[name]; met {
		return !open || w.rules.Recursive
	}
	w.refs[name] = true
	fits := w.schema(def, depth)
	w.refs[name] = false
	return fits
}

func typesOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var types []string
		for _, t := range v {
			if name, ok := t.(string); ok {
				types = append(types, name)
			}
		}
		return types
	}
	return nil
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}
