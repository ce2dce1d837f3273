package recipe

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// typeOfShape is the type of the values of a schema; anything for none.
func typeOfShape(s *shape) *valueType {
	if s == nil {
		return anything
	}
	return typeOfSchema(s.doc)
}

// typeOfSchema is the type of the values of a schema, as far as this reads it.
func typeOfSchema(doc map[string]any) *valueType { return schemaReader{root: doc}.read(doc, 0) }

type schemaReader struct{ root map[string]any }

// loosely are the keywords that say more than this reads: what is read beside them is an upper bound.
var loosely = []string{"allOf", "not", "if", "$dynamicRef", "dependentSchemas", "dependentRequired", "dependencies"}

func (r schemaReader) read(schema any, depth int) *valueType {
	doc, ok := schema.(map[string]any)
	if !ok || depth > maxTypeDepth {
		return anything
	}
	if ref, ok := doc["$ref"].(string); ok {
		return r.read(r.follow(ref), depth+1)
	}
	if c, ok := doc["const"]; ok {
		return typeOfValues(c)
	}
	k := kindsOfKeyword(doc["type"])
	if list, ok := doc["enum"].([]any); ok {
		var values []any
		for _, v := range list {
			if kindOfValue(v)&k != 0 {
				values = append(values, v)
			}
		}
		return typeOfValues(values...)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		list, ok := doc[word].([]any)
		if !ok {
			continue
		}
		if doc["type"] != nil || doc["properties"] != nil {
			return &valueType{kinds: k, open: true, rest: anything, items: anything}
		}
		var t *valueType
		for _, one := range list {
			t = union(t, r.read(one, depth+1))
		}
		return t
	}
	if doc["type"] == nil {
		return anything
	}
	for _, word := range loosely {
		if doc[word] != nil {
			return &valueType{kinds: k, open: true, rest: anything, items: anything}
		}
	}
	t := &valueType{kinds: k}
	r.object(t, doc, depth)
	r.list(t, doc, depth)
	return t
}

// follow finds what a reference within the schema refers to.
func (r schemaReader) follow(ref string) any {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	var at any = r.root
	for part := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		if part == "" {
			continue
		}
		m, _ := at.(map[string]any)
		at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return at
}

func (r schemaReader) object(t *valueType, doc map[string]any, depth int) {
	if t.kinds&objectKind == 0 {
		return
	}
	t.fields = make(map[string]*valueType)
	required, _ := doc["required"].([]any)
	properties, _ := doc["properties"].(map[string]any)
	for name, p := range properties {
		if p == false {
			continue
		}
		f := r.read(p, depth+1)
		if !slices.Contains(required, any(name)) {
			f = f.optional()
		}
		t.fields[name] = f
	}
	switch more := doc["additionalProperties"].(type) {
	case bool:
		if more || doc["patternProperties"] != nil {
			t.rest = anything
		}
	case map[string]any:
		t.rest = r.read(more, depth+1).optional()
		if doc["patternProperties"] != nil {
			t.rest = anything
		}
	default:
		t.rest = anything
	}
	for _, name := range required {
		if s, ok := name.(string); ok && t.rest != nil && t.fields[s] == nil {
			t.fields[s] = t.rest.present()
		}
	}
}

func (r schemaReader) list(t *valueType, doc map[string]any, depth int) {
	if t.kinds&listKind == 0 {
		return
	}
	t.items = anything
	if items, ok := doc["items"].(map[string]any); ok && doc["prefixItems"] == nil {
		t.items = r.read(items, depth+1)
	}
	if n, ok := doc["minItems"].(json.Number); ok {
		t.least, _ = strconv.Atoi(n.String())
	}
}

// kindsOfKeyword are the kinds that the keyword type allows.
func kindsOfKeyword(word any) kinds {
	switch word := word.(type) {
	case string:
		switch word {
		case "null":
			return nullKind
		case "boolean":
			return boolKind
		case "integer":
			return wholeKind
		case "number":
			return numberKind
		case "string":
			return textKind
		case "array":
			return listKind
		case "object":
			return objectKind
		}
	case []any:
		var k kinds
		for _, w := range word {
			k |= kindsOfKeyword(w)
		}
		return k
	}
	return allKinds
}
